"""One scorer for every program: half of each held-out document is seen, the other half is predicted.

The topics of the seen halves are inferred here, by one inference for all: our mean-field with the program's
exported topics held fixed and a symmetric alpha of `ALPHA_SUM` / K. It does not depend on the program that
made the topics. A second score uses the program's own inference, with its own alpha, if it has one.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from stickbreaker import Corpus
from stickbreaker.corpus.source import cut_shards
from stickbreaker.topics.evaluation.completion import completion_score, split_halves, unigram_score
from stickbreaker.topics.model.solvers.mean_field import MeanField, TopicView

ALPHA_SUM = 10.0
ROUNDS, TOL = 200, 1e-4

Array = NDArray[np.float64]


class Scorer:
    """Scores topics (topics × words) on the documents `counts` (documents × words), in nats per word."""

    def __init__(self, counts: csr_matrix) -> None:
        self.n_words = counts.shape[1]
        self.observed, self.rest = split_halves(Corpus.from_matrix(counts).bags(0))

    def score(self, topics: Array) -> float:
        """Completion with the inference that is the same for all programs."""
        topic_word = rows_to_one(topics)
        largest = topic_word.max(axis=0)
        weights = np.ascontiguousarray((topic_word / largest).T, np.float32)
        alpha = np.full(len(topics), ALPHA_SUM / len(topics))
        view = TopicView(weights, np.log(largest), None, alpha)
        numbers = np.arange(len(self.observed.unseen))
        gamma = [
            MeanField(ROUNDS, TOL).infer(view, shard, None, 0)[0]["gamma"].values
            for shard in cut_shards(numbers, self.observed, self.n_words)
        ]
        return completion_score(self.rest, rows_to_one(np.concatenate(gamma)), topic_word).nats_per_word

    def own_score(self, topics: Array, theta_of: Callable[[csr_matrix], Array]) -> float:
        """Completion with the program's inference, which maps documents × words to documents × topics."""
        bags = self.observed
        shape = (len(bags.unseen), self.n_words)
        seen = csr_matrix((bags.counts.astype(float), bags.words, bags.offsets), shape)
        return completion_score(self.rest, rows_to_one(theta_of(seen)), rows_to_one(topics)).nats_per_word

    def unigram(self, train: csr_matrix) -> float:
        """The score of word frequencies: a model below it has learned nothing."""
        words = np.asarray(train.sum(axis=0)).ravel()
        return unigram_score(self.rest, words / words.sum()).nats_per_word


def rows_to_one(rows: Array) -> Array:
    rows = np.asarray(rows, np.float64)
    return rows / rows.sum(axis=1, keepdims=True)
