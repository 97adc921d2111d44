"""Language models from their directories, for verbs."""

from pathlib import Path

from stickbreaker.estimators.saving import load
from stickbreaker.ngrams.plain_ngram import PlainNgramModel


def load_ngrams(path: Path, verb: str) -> PlainNgramModel:
    """`saving.load` for a verb that is about language models. Raises UserError for other models."""
    estimator = load(path, verb=verb)
    assert isinstance(estimator, PlainNgramModel)
    return estimator
