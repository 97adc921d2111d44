"""What adaptor grammars can do."""

from stickbreaker.estimators.kinds import Kind

KINDS = (
    Kind(
        name="AdaptorGrammar",
        home="stickbreaker.grammars.plain_grammar:PlainAdaptorGrammar",
        front_door="stickbreaker.grammars.adaptor_grammar:AdaptorGrammar",
        verbs=("segment", "parse", "rules", "evaluate", "report", "partial_fit"),
        measures=("segmentation",),
    ),
)
