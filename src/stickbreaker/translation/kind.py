"""What lexicons by topic can do: they are made of a bitext and a model of topics, and are no model."""

from stickbreaker.estimators.kinds import Command, Saved

SYSTEMS = (
    Saved(
        name="TopicLexicon",
        noun="lexicon by topic",
        verbs=("translate", "evaluate", "report"),
        marker="lexicon.json",
        commands={
            "translate": Command(
                "stickbreaker.translation.cli.translate:translate",
                "Learn how words are translated in each topic, and use it.",
                after="generate",
            ),
        },
        evaluate="stickbreaker.translation.cli.evaluate:evaluate_lexicon",
        evaluate_options=("alignments", "threads"),
        page="stickbreaker.translation.report.lexicon_records:lexicon_page_of",
    ),
)
