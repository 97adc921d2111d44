"""The declaration of language models, with and without topics, as kinds, and of ARPA files as a system."""

from stickbreaker.estimators.kinds import Command, Export, Kind, Saved, VerbFunction

ARPA_HELP = (
    "n-grams of a language model, by one of its samples (--sample);\n"
    "for a model with topics, those of one topic (--topic)"
)
DOCUMENTS = "stickbreaker.ngrams.verbs.given_scorers:documents_for"
OF_ALL = {  # verbs of learned models and of those in ARPA files
    "score": VerbFunction(
        "stickbreaker.ngrams.verbs.score:score",
        "stickbreaker.ngrams.verbs.settings:SentenceSettings",
        documents=DOCUMENTS,
    ),
    "rescore": VerbFunction(
        "stickbreaker.ngrams.verbs.rescore:rescore",
        "stickbreaker.ngrams.verbs.settings:RescoreSettings",
        documents="stickbreaker.ngrams.verbs.rescore:lists_for",
    ),
}
OF_LEARNED = {
    **OF_ALL,
    "generate": VerbFunction(
        "stickbreaker.ngrams.verbs.score:generate", "stickbreaker.ngrams.verbs.settings:GenerateSettings"
    ),
}
UNSCALED = VerbFunction(
    "stickbreaker.ngrams.verbs.evaluate:evaluate_unscaled",
    "stickbreaker.ngrams.verbs.settings:InterpolationSettings",
    documents=DOCUMENTS,
)

KINDS = (
    Kind(
        name="NgramModel",
        learner="stickbreaker.ngrams.learner:NGRAMS",
        front_door="stickbreaker.ngrams.ngram:NgramModel",
        verbs=("generate", "score", "rescore", "evaluate", "report", "export", "update"),
        fit={"ngram": "stickbreaker.ngrams.cli.fit:ngram"},
        commands={
            "score": Command(
                "stickbreaker.ngrams.cli.score:score",
                "Print how probable sentences are to a language model.",
                after="evaluate",
            ),
            "rescore": Command(
                "stickbreaker.ngrams.cli.rescore:rescore",
                "Rank n-best lists of any system by a language model too.",
            ),
            "generate": Command(
                "stickbreaker.ngrams.cli.score:generate", "Print sentences drawn from a language model."
            ),
        },
        functions={
            "evaluate": VerbFunction(
                "stickbreaker.ngrams.verbs.evaluate:evaluate",
                "stickbreaker.ngrams.verbs.settings:ScoreSettings",
                documents=DOCUMENTS,
            ),
            **OF_LEARNED,
        },
        exports={
            "arpa": Export("stickbreaker.ngrams.cli.export:write_sample", ARPA_HELP, options=("sample",))
        },
        declared="stickbreaker.ngrams.settings:NgramSettings",
        page="stickbreaker.ngrams.report.language_page:language_page_of",
        noun="language model without topics",
    ),
    Kind(
        name="TopicNgramModel",
        learner="stickbreaker.ngrams.learner:TOPIC_NGRAMS",
        front_door="stickbreaker.ngrams.topic_ngram:TopicNgramModel",
        verbs=("topics", "transform", "generate", "score", "rescore", "evaluate", "report", "export"),
        exports={
            "arpa": Export(
                "stickbreaker.ngrams.cli.export:write_topic", ARPA_HELP, options=("sample", "topic")
            )
        },
        functions={
            "evaluate": UNSCALED,
            "topics": VerbFunction(
                "stickbreaker.ngrams.verbs.topics:topics_of",
                "stickbreaker.ngrams.verbs.settings:TopicsSettings",
            ),
            **OF_LEARNED,
        },
        declared="stickbreaker.ngrams.settings:TopicNgramSettings",
        page="stickbreaker.ngrams.report.topic_language_page:topic_language_page_of",
        noun="language model with topics",
    ),
)

SYSTEMS = (
    Saved(
        name="ArpaModel",
        noun="language model in the ARPA format",
        verbs=("score", "evaluate", "rescore"),
        is_file="stickbreaker.ngrams.arpa_model:is_arpa",
        load="stickbreaker.ngrams.arpa_model:ArpaModel.read",
        classes=("stickbreaker.ngrams.arpa_model:ArpaModel",),
        functions={"evaluate": UNSCALED, **OF_ALL},
    ),
)
