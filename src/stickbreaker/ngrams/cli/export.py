"""`stickbreaker export` of a language model."""

from typing import Any

from stickbreaker.console.console import note
from stickbreaker.console.requests import ExportRequest
from stickbreaker.estimators.saving import load_for
from stickbreaker.ngrams.arpa import write_arpa
from stickbreaker.ngrams.plain_ngram import PlainNgramModel


def write_sample(asked: ExportRequest) -> tuple[dict[str, Any], str]:
    """Write the n-grams of one sample in the format of ARPA; how many of each order."""
    estimator = load_for("export", PlainNgramModel, asked.model)
    n_samples = len(estimator.language_model_.discounts)
    ngrams = write_arpa(estimator, asked.out, asked.sample, overwrite=asked.overwrite)
    if n_samples > 1:
        note(f"one of {n_samples} samples, exactly; the model itself predicts by their mean, which is better")
    orders = ", ".join(f"{count:,} of order {order}" for order, count in ngrams.items())
    return {"ngrams": ngrams, "sample": asked.sample % n_samples}, f"n-grams, {orders}"
