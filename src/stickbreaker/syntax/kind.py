"""The declaration of syntactic topic models as a kind of model."""

from stickbreaker.estimators.kinds import Export, Kind

KINDS = (
    Kind(
        name="SyntacticTopics",
        learner="stickbreaker.syntax.learner:SYNTAX",
        front_door="stickbreaker.syntax.syntactic_topics:SyntacticTopics",
        verbs=("topics", "transform", "evaluate", "report", "export"),
        fit={"syntax": "stickbreaker.syntax.cli.fit:syntax"},
        exports={
            "dot": Export(
                "stickbreaker.syntax.cli.export:write_dot",
                "syntactic topics for Graphviz: which topics stand below which",
                options=("top",),
            ),
        },
        topics="stickbreaker.syntax.cli.topics:list_topics",
        evaluate="stickbreaker.syntax.cli.evaluate:evaluate_trees",
        evaluate_options=("threads",),
        page="stickbreaker.syntax.report.syntax_page:syntax_page_of",
        noun="model of syntactic topics",
        declared="stickbreaker.syntax.settings:SyntaxSettings",
    ),
)
