"""Trials of more or fewer topics on given documents, without changing the table."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from stickbreaker.contracts.contract import Local
from stickbreaker.core.edits import Drop, Grow, apply
from stickbreaker.core.records import Array, Field, Record, Stats
from stickbreaker.corpus.shards import Bags, shard_of
from stickbreaker.topics.evaluation.completion import completion_score, split_halves
from stickbreaker.topics.model.model import TopicModel

if TYPE_CHECKING:
    from stickbreaker.topics.model.vocabularies.closed import ClosedVocabulary

TOKENS_IN_USE = 0.5  # expected tokens from which on a document uses a topic


@dataclass(frozen=True, slots=True)
class Halves:
    """Documents in two halves, each of which is predicted from the other."""

    first: Bags
    second: Bags

    @classmethod
    def of(cls, bags: Bags) -> "Halves":
        """Split tokens at random, keyed by the documents' words; both halves of each must have some."""
        return cls(*split_halves(bags))

    def take(self, documents: NDArray[np.int64]) -> "Halves":
        return Halves(self.first.take(documents), self.second.take(documents))


@dataclass(frozen=True, slots=True)
class TopicsOnTrial:
    """The topics of a model, restricted to the words of given documents, with totals over all words.

    `params`: the model's; `rows` (n, ascending): of the table; `counts` (n × topics); `totals` (groups ×
    topics). The words of bags are indices into `rows`.
    """

    model: TopicModel
    params: Record
    rows: NDArray[np.int64]
    counts: Array
    totals: Array

    @property
    def n_topics(self) -> int:
        return self.counts.shape[1]

    def without(self, topic: int) -> "TopicsOnTrial":
        """The topics without one of them, whose weight goes to all others and to the rest."""
        params = apply((Drop("topics", (topic,)),), self.params)
        mass = float(params["weights"].values.sum() + params["rest"].values)
        return replace(
            self,
            params=_scaled(params, 1.0 / mass),
            counts=np.delete(self.counts, topic, axis=1),
            totals=np.delete(self.totals, topic, axis=1),
        )

    def plus(self, counts: Array, weights: Array) -> "TopicsOnTrial":
        """The topics with further ones: `counts` (n × new) and `weights` (new), taken from all others."""
        sums = np.stack([counts[part].sum(axis=0) for part in self._words.ranges(self.rows)])
        return replace(
            self,
            params=with_topics(self.params, weights),
            counts=np.hstack([self.counts, counts]),
            totals=np.hstack([self.totals, sums]),
        )

    def infer(self, bags: Bags) -> tuple[Local, Stats]:
        """The local step on documents: their records, and sums by the table's rows."""
        shard = shard_of(bags, np.arange(len(bags.unseen)), len(self.rows))
        places = shard.rows
        shard = replace(shard, rows=self.rows[places])
        counts = np.ascontiguousarray(self.counts[places])
        view = self.model.expectations(self.params, counts, np.ascontiguousarray(self.totals), shard.rows)
        return self.model.local_step(view, shard, None, 0)

    def counts_of(self, bags: Bags) -> Array:
        """Expected tokens of each word in each topic (n × topics)."""
        found = self.infer(bags)[1].rows.rows()
        counts = np.zeros(self.counts.shape)
        counts[np.searchsorted(self.rows, found.positions)] = found.values
        return counts

    def tokens(self, bags: Bags) -> Array:
        """Expected tokens of each topic in each document (documents × topics)."""
        gamma = self.infer(bags)[0]["gamma"].values
        return np.maximum(gamma - self.model.documents.prior(self.params), 0.0)

    def predict(self, halves: Halves) -> Array:
        """Nats of each document, each half given the other."""
        words = np.ascontiguousarray(self.topic_words())
        nats = np.zeros(len(halves.first.unseen))
        for seen, asked in ((halves.first, halves.second), (halves.second, halves.first)):
            gamma = self.infer(seen)[0]["gamma"].values
            theta = gamma / gamma.sum(axis=1, keepdims=True)
            nats += completion_score(asked, theta, words).per_document
        return nats

    def topic_words(self) -> Array:
        """E[beta] (topics × n)."""
        words, prior = self._words, self._words.prior(self.params, self.rows)
        totals = self.totals + words.prior_totals(self.params)
        shares = self.counts + prior
        for group, part in enumerate(words.ranges(self.rows)):
            shares[part] /= totals[group]
        return shares.T

    @property
    def _words(self) -> "ClosedVocabulary":
        return cast("ClosedVocabulary", self.model.words)  # others are refused with births


def with_topics(params: Record, weights: Array) -> dict[str, Field]:
    """The params with further topics of given weights, taken proportionally from all others and the rest."""
    n = len(weights)
    grown = apply((Grow("topics", n),), params)
    scaled = _scaled(grown, 1.0 - float(weights.sum()))
    values = scaled["weights"].values.copy()
    values[-n:] = weights
    return {**scaled, "weights": scaled["weights"]._replace(values=values)}


def _scaled(params: Record, factor: float) -> dict[str, Field]:
    scaled = {
        name: params[name]._replace(values=params[name].values * factor) for name in ("weights", "rest")
    }
    return {**params, **scaled}
