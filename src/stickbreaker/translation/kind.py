"""The declaration of lexicons by topic as a kind of saved system; they are learned from a bitext."""

from stickbreaker.core.option_names import OptionNames
from stickbreaker.estimators.kinds import Command, Saved, VerbFunction

SYSTEMS = (
    Saved(
        name="TopicLexicon",
        noun="lexicon by topic",
        verbs=("translate", "evaluate", "report"),
        marker="lexicon.json",
        load="stickbreaker.translation.phrases.saved_phrases:load_any",
        commands={
            "translate": Command(
                "stickbreaker.translation.cli.translate:translate",
                "Learn how words are translated in each topic, and use it.",
                after="generate",
            )
        },
        parameters=OptionNames(
            alike=("document_field", "domain_field", "lines_per_document", "language_model", "phrase_table"),
            ambiguous=("alignments", "phrases", "n_best", "min_gain", "min_p"),
        ),
        classes=(
            "stickbreaker.translation.lexicon.topic_lexicon:TopicLexicon",
            "stickbreaker.translation.phrases.phrase_model:PhraseModel",
        ),
        functions={
            "evaluate": VerbFunction(
                "stickbreaker.translation.verbs.evaluate:evaluate",
                "stickbreaker.translation.verbs.settings:ScoreSettings",
                documents="stickbreaker.translation.verbs.evaluate:bitext_for",
            )
        },
        page="stickbreaker.translation.report.lexicon_page:lexicon_page_of",
    ),
)
