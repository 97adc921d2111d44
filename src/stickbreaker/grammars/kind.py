"""The declaration of adaptor grammars as a kind of model."""

from stickbreaker.estimators.kinds import Command, Kind, VerbFunction

KINDS = (
    Kind(
        name="AdaptorGrammar",
        learner="stickbreaker.grammars.learner:GRAMMARS",
        front_door="stickbreaker.grammars.adaptor_grammar:AdaptorGrammar",
        verbs=("segment", "parse", "rules", "evaluate", "report", "partial_fit", "update"),
        fit={"grammar": "stickbreaker.grammars.cli.fit:grammar"},
        commands={
            "segment": Command(
                "stickbreaker.grammars.cli.segment:segment",
                "Segment sentences into words with a grammar.",
                after="evaluate",
            ),
            "parse": Command(
                "stickbreaker.grammars.cli.segment:parse",
                "Parse sentences with a grammar, and write their trees.",
            ),
            "rules": Command(
                "stickbreaker.grammars.cli.segment:rules", "Print the subtrees that a grammar remembers."
            ),
        },
        functions={
            "evaluate": VerbFunction(
                "stickbreaker.grammars.verbs.evaluate:evaluate",
                "stickbreaker.grammars.verbs.settings:ScoreSettings",
                documents="stickbreaker.grammars.verbs.given_texts:texts_for",
            ),
            "segment": VerbFunction(
                "stickbreaker.grammars.verbs.segment:segment",
                "stickbreaker.grammars.verbs.settings:SegmentSettings",
                documents="stickbreaker.grammars.verbs.given_texts:texts_for",
            ),
            "parse": VerbFunction(
                "stickbreaker.grammars.verbs.parse:parse",
                "stickbreaker.grammars.verbs.settings:ParseSettings",
                documents="stickbreaker.grammars.verbs.given_texts:texts_for",
            ),
            "rules": VerbFunction(
                "stickbreaker.grammars.verbs.grammar_rules:rules",
                "stickbreaker.grammars.verbs.settings:RulesSettings",
            ),
        },
        summary="stickbreaker.grammars.cli.summary:summarize_grammar",
        noun="grammar",
        declared="stickbreaker.grammars.settings:GrammarSettings",
        page="stickbreaker.grammars.report.grammar_page:grammar_page_of",
    ),
)
