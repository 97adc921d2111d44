"""The declaration of syntactic topic models as a kind of model."""

from stickbreaker.estimators.kinds import OF_CORPUS, Export, Kind, VerbFunction

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
        functions={
            "evaluate": VerbFunction(
                "stickbreaker.syntax.verbs.evaluate:evaluate",
                "stickbreaker.syntax.verbs.settings:ScoreSettings",
                documents=OF_CORPUS,
            ),
            "topics": VerbFunction(
                "stickbreaker.syntax.verbs.topics:topics_of",
                "stickbreaker.syntax.verbs.settings:TopicsSettings",
            ),
        },
        page="stickbreaker.syntax.report.syntax_page:syntax_page_of",
        noun="model of syntactic topics",
        declared="stickbreaker.syntax.settings:SyntaxSettings",
    ),
)
