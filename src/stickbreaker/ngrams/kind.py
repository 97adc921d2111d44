"""What language models can do."""

from stickbreaker.estimators.kinds import Kind

KINDS = (
    Kind(
        name="NgramModel",
        home="stickbreaker.ngrams.plain_ngram:PlainNgramModel",
        front_door="stickbreaker.ngrams.ngram:NgramModel",
        verbs=("generate", "score", "evaluate", "report", "export"),
        measures=("score",),
        formats=("arpa",),
    ),
)
