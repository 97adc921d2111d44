"""Predictions of a variational run: shares and scores of new documents.

New documents are inferred by an engine with the run's table and a model that iterates until shares settle:

    engine = LocalEngine.over(model.for_new_documents(), table)
    records = engine.infer(params, shards, seed=0)  # `counts`, `rates` and `scores` of each shard's documents
"""

from collections.abc import Iterable

import numpy as np

from stickbreaker.contracts.contract import Local
from stickbreaker.core.records import Array, Field, Record
from stickbreaker.corpus.sequences import Trees
from stickbreaker.corpus.shards import Shard
from stickbreaker.engines.local import LocalEngine
from stickbreaker.syntax.model.syntax_chain import Prior
from stickbreaker.syntax.model.syntax_weights import concentrations_of, expected_transitions


def shares(local: Local, params: Record) -> Array:
    """Topic shares of inferred documents (documents × topics); rows sum to one.

    local: the record of a shard's documents, as `Engine.infer` returns it for each shard; params: of the run.
    A document without words has the mean shares of the prior.
    """
    counts = local["counts"].values
    prior = params["tau"].values / params["tau"].values.sum()
    sizes = counts.sum(axis=1, keepdims=True)
    return np.where(sizes > 0.0, counts / np.maximum(sizes, 1e-300), prior)


def score_documents(
    engine: LocalEngine, params: Record, shards: Iterable[Shard[Trees]]
) -> tuple[float, float]:
    """A lower bound on log p of new documents, in nats, and the number of their known words.

    engine: with a model from `for_new_documents` and a run's table. A document's shares are inferred from the
    same words that are scored; to predict words from others, use `as_sample` and `LearnedSyntax`.
    """
    every = list(shards)
    nats = sum(float(local["scores"].values.sum()) for local in engine.infer(params, every, 0))
    return nats, float(sum((shard.content.words >= 0).sum() for shard in every))


def as_sample(params: Record, counts: Array, prior: Prior) -> dict[str, Field]:
    """Convert the result of a variational run into the form of a chain's samples: one sample, the means of q.

    `LearnedSyntax.of` takes it once the caller has added "tags" (counts of tags by topic). counts (words ×
    topics): the table of the run.
    """
    transitions = expected_transitions(params, prior)
    now = concentrations_of(params)
    beta = counts + now.sigma
    axes = ("samples", "heads", "topics")
    fields = {
        "log_pi": (np.log(transitions.shapes) - np.log(transitions.rates), axes),
        "beta": (beta / beta.sum(axis=0), ("samples", "words", "topics")),
        "tau": (now.tau, ("samples", "topics")),
        "alpha_documents": (np.array(now.alpha_documents), ("samples",)),
        "alpha_transitions": (np.array(now.alpha_transitions), ("samples",)),
        "sigma": (np.array(now.sigma), ("samples",)),
        "transitions": (params["transitions"].values, axes),
    }
    return {name: Field(values[None], own, additive=False) for name, (values, own) in fields.items()}
