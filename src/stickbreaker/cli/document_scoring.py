"""`stickbreaker evaluate` of models that give whole documents a probability, and no topics."""

import math
from pathlib import Path
from typing import Any

from stickbreaker.cli.options.inputs import ReadingChoice
from stickbreaker.cli.verbs.topics import open_documents
from stickbreaker.core.errors import UserError


def measures_of(model: Path) -> tuple[str, ...]:
    """What the model's kind is measured by. Raises UserError where that is nothing."""
    from stickbreaker.core.untrusted import making_sense_of
    from stickbreaker.estimators.kinds import kind_of
    from stickbreaker.saved import ModelDirectory
    from stickbreaker.saved.manifest import RESTORE

    with making_sense_of(model, RESTORE):
        kind = kind_of(ModelDirectory(model).manifest())
        kind.refuse("evaluate", model)
        return kind.measures


def score_documents(
    model: Path, inputs: tuple[str, ...], reading: ReadingChoice, threads: int | None
) -> dict[str, Any]:
    """The log probability of whole documents, of a model that gives it."""
    from stickbreaker.estimators.saving import load
    from stickbreaker.evaluation import unseen_share

    estimator = load(model, threads, verb="evaluate")
    corpus = open_documents(estimator, inputs, reading)
    nats, tokens = estimator.score_documents(corpus)
    if not tokens:
        raise UserError("there is nothing to score", remedy="no document has a word of the vocabulary")
    return {
        "documents": corpus.n_documents,
        "empty_documents": corpus.n_empty,
        "scored_tokens": tokens,
        "nats_per_word": nats / tokens,
        "perplexity": math.exp(-nats / tokens),
        "unseen_share": unseen_share(corpus),
    }


def score_as_text(scores: dict[str, Any]) -> str:
    """What `score_documents` gives, as lines."""
    lines = [
        f"{scores['documents']} documents, {scores['scored_tokens']:.0f} words scored, "
        f"{100 * scores['unseen_share']:.1f} % of the words unseen",
        "             nats/word  perplexity",
        f"  model      {scores['nats_per_word']:9.4f}  {scores['perplexity']:10.1f}",
    ]
    return "\n".join(lines)
