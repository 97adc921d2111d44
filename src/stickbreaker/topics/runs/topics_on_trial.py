"""Trials of more or fewer topics on given documents, without changing the table."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from stickbreaker.contracts.contract import CountTable, Local
from stickbreaker.core.edits import Drop, Grow, Merge, apply
from stickbreaker.core.records import Array, Field, Record, Stats
from stickbreaker.corpus.shards import Bags, shard_of
from stickbreaker.topics.evaluation.completion import completion_score, split_halves
from stickbreaker.topics.model.model import TopicModel
from stickbreaker.topics.model.slots import TopicView, WordsOnTrial
from stickbreaker.topics.model.solvers.mean_field import MeanField

TOKENS_IN_USE = 0.5  # expected tokens from which on a document uses a topic


@dataclass(frozen=True, slots=True)
class Halves:
    """Documents whose tokens are divided at random between `first` and `second`, so that each half can be
    predicted from the other.
    """

    first: Bags
    second: Bags

    @classmethod
    def of(cls, bags: Bags, spelled: Sequence[str] | None = None) -> "Halves":
        """Divide each document's tokens at random into two halves.

        The draws depend only on a document's words and counts; with `spelled`, on the words' spelling in
        place of their numbers. Each document needs at least two tokens, so that no half is empty.
        """
        return cls(*split_halves(bags, words=spelled))

    def take(self, documents: NDArray[np.int64]) -> "Halves":
        return Halves(self.first.take(documents), self.second.take(documents))


@dataclass(frozen=True, slots=True)
class TopicsOnTrial:
    """A copy of a model's topics, restricted to the words of some documents, on which changes of topics can
    be tried without changing the table.

    `params`: the model's global parameters; `words`: the topics' words. Documents are inferred by mean field,
    even if the model samples them.
    """

    model: TopicModel
    params: Record
    words: WordsOnTrial

    @classmethod
    def of(
        cls, model: TopicModel, params: Record, table: CountTable, words: NDArray[np.int64] | Sequence[str]
    ) -> "TopicsOnTrial":
        """The topics of a table, to be tried on documents that have only the given words.

        `words`: rows of the table or, if its rows have keys, spellings in ascending order. In the documents,
        words are numbered by their position in `words`.
        """
        solver = MeanField() if model.solver.draws else model.solver
        return cls(replace(model, solver=solver), params, model.words.on_trial(params, table, words))

    @property
    def counts(self) -> Array:
        """Expected tokens of each word in each topic (words × topics)."""
        return self.words.counts

    @property
    def n_topics(self) -> int:
        return self.counts.shape[1]

    def halves(self, bags: Bags) -> Halves:
        """Divide documents into halves, for `predict`; the draws depend only on the documents' words, not on
        their numbers.
        """
        return Halves.of(bags, self.words.spelled)

    def without(self, topic: int) -> "TopicsOnTrial":
        """All topics except number `topic`. Its weight is divided in proportion among the other topics and
        the rest (the weight of topics that are not in the table).
        """
        params = apply((Drop("topics", (topic,)),), self.params)
        mass = float(params["weights"].values.sum() + params["rest"].values)
        return replace(self, params=_scaled(params, 1.0 / mass), words=self.words.without(topic))

    def merged(self, topic: int, into: int) -> "TopicsOnTrial":
        """All topics, with number `topic` merged into another, which gets its counts and its weight."""
        weights = self.params["weights"].values.copy()
        weights[into] += weights[topic]
        params = apply((Merge("topics", into, topic),), self.params)
        params = {**params, "weights": params["weights"]._replace(values=np.delete(weights, topic))}
        return replace(self, params=params, words=self.words.merged(topic, into))

    def plus(self, counts: Array, weights: Array) -> "TopicsOnTrial":
        """These topics and new ones.

        `counts` (words × new): the new topics' expected tokens; `weights` (new): their weights. The weights
        of the existing topics shrink in proportion, so that the sum stays one.
        """
        return replace(self, params=with_topics(self.params, weights), words=self.words.plus(counts))

    def infer(self, bags: Bags) -> tuple[Local, Stats]:
        """Infer the topics of documents: a record with "gamma" (documents × topics), the Dirichlet parameters
        of their topic shares, and expected counts of words in topics.
        """
        shard, documents = shard_of(bags, np.arange(len(bags.unseen)), len(self.counts)), self.model.documents
        weights, log_scale, paths = self.words.weights(shard.rows)
        prior, rest = documents.prior(self.params), documents.rest(self.params)
        view = TopicView(weights, log_scale, shard.rows, prior, rest, paths)
        return self.model.local_step(view, shard, None, 0)

    def counts_of(self, bags: Bags) -> Array:
        """How the documents' tokens are divided among topics: expected tokens of each word in each topic
        (words × topics).
        """
        found = self.infer(bags)[1].rows.rows()
        counts = np.zeros(self.counts.shape)
        counts[found.positions] = found.values
        return counts

    def tokens(self, bags: Bags) -> Array:
        """How documents' tokens are divided among topics: the expected tokens of each topic in each document
        (documents × topics).
        """
        gamma = self.infer(bags)[0]["gamma"].values
        return np.maximum(gamma - self.model.documents.prior(self.params), 0.0)

    def predict(self, halves: Halves) -> Array:
        """Log probability of each document in nats: the sum for its two halves, each predicted from the
        other.
        """
        words = np.ascontiguousarray(self.words.topic_words())
        nats = np.zeros(len(halves.first.unseen))
        for seen, asked in ((halves.first, halves.second), (halves.second, halves.first)):
            gamma = self.infer(seen)[0]["gamma"].values
            theta = gamma / gamma.sum(axis=1, keepdims=True)
            nats += completion_score(asked, theta, words).per_document
        return nats


def with_topics(params: Record, weights: Array) -> dict[str, Field]:
    """The model's global parameters with new topics added, of the given weights. The weights of existing
    topics, and the rest (of topics not in the table), shrink in proportion so that the sum stays one.
    """
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
