"""What adaptor grammars can do."""

from stickbreaker.core.option_names import OptionNames
from stickbreaker.estimators.kinds import Command, Kind

KINDS = (
    Kind(
        name="AdaptorGrammar",
        home="stickbreaker.grammars.plain_grammar:PlainAdaptorGrammar",
        front_door="stickbreaker.grammars.adaptor_grammar:AdaptorGrammar",
        verbs=("segment", "parse", "rules", "evaluate", "report", "partial_fit", "update"),
        fit={"grammar": "stickbreaker.grammars.cli.fit:grammar"},
        commands={
            "segment": Command(
                "stickbreaker.grammars.cli.segment:segment",
                "Cut sentences into words by a grammar.",
                after="evaluate",
            ),
            "parse": Command(
                "stickbreaker.grammars.cli.segment:parse", "Write the trees of sentences by a grammar."
            ),
            "rules": Command(
                "stickbreaker.grammars.cli.segment:rules", "Print the subtrees that a grammar remembers."
            ),
        },
        evaluate="stickbreaker.grammars.cli.evaluate:evaluate_grammar",
        evaluate_options=("nonterminal",),
        summary="stickbreaker.grammars.cli.summary:summarize_grammar",
        noun="grammar",
        parameters=OptionNames(
            renamed={"n_topics": "--topics"},
            alike=("refine_every",),
            ambiguous=(
                *("temperature", "cooling", "symbols", "unparsed", "vowels", "weights", "processes"),
                *("punctuation", "grammar"),
            ),
        ),
        page="stickbreaker.grammars.report.grammar_records:grammar_page_of",
    ),
)
