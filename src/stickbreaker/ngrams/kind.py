"""What language models can do."""

from stickbreaker.core.option_names import OptionNames
from stickbreaker.estimators.kinds import Command, Export, Kind

KINDS = (
    Kind(
        name="NgramModel",
        home="stickbreaker.ngrams.plain_ngram:PlainNgramModel",
        front_door="stickbreaker.ngrams.ngram:NgramModel",
        verbs=("generate", "score", "evaluate", "report", "export", "update"),
        fit={"ngram": "stickbreaker.ngrams.cli.fit:ngram"},
        commands={
            "score": Command(
                "stickbreaker.ngrams.cli.score:score",
                "Print how probable sentences are to a language model.",
                after="evaluate",
            ),
            "generate": Command(
                "stickbreaker.ngrams.cli.score:generate", "Print sentences drawn from a language model."
            ),
        },
        evaluate="stickbreaker.ngrams.cli.evaluate:evaluate_language_model",
        evaluate_options=("rescale", "exponent"),
        exports={
            "arpa": Export(
                "stickbreaker.ngrams.cli.export:write_sample",
                "a language model's n-grams, of one sample, which it has exactly",
                options=("sample",),
            ),
        },
        parameters=OptionNames(alike=("min_count",), ambiguous=("order", "unknown")),
        page="stickbreaker.ngrams.report.language_records:language_page_of",
        noun="language model without topics",
    ),
    Kind(
        name="TopicNgramModel",
        home="stickbreaker.ngrams.plain_topic_ngram:PlainTopicNgramModel",
        front_door="stickbreaker.ngrams.topic_ngram:TopicNgramModel",
        verbs=("topics", "transform", "generate", "score", "evaluate", "report", "export"),
        exports={
            "arpa": Export(
                "stickbreaker.ngrams.cli.export:write_topic",
                "a language model's n-grams, of one sample, and of one topic, which it has exactly",
                options=("sample", "topic"),
            ),
        },
        topics="stickbreaker.ngrams.cli.topics:list_topics",
        parameters=OptionNames(
            renamed={"n_topics": "--topics"}, ambiguous=("order", "unknown", "prior", "moves")
        ),
        page="stickbreaker.ngrams.report.topic_language_records:topic_language_page_of",
        noun="language model with topics",
    ),
)
