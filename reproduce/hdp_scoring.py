"""One scorer for every method: per-word held-out likelihood as in section 4 of Bryant & Sudderth (2012).

80 % of each test document is seen, the other 20 % are predicted. Topics are a method's expectation of them,
those in use alone; the shares of the seen part are inferred here, by mean-field with those topics fixed and a
symmetric Dirichlet prior of one sum for all. Nothing of it depends on who made the topics.
"""

import numpy as np
from numpy.typing import NDArray

from stickbreaker import Corpus
from stickbreaker.corpus.shards import Bags
from stickbreaker.corpus.source import cut_shards
from stickbreaker.topics.evaluation.completion import completion_score, split_halves, unigram_score
from stickbreaker.topics.model.solvers.mean_field import MeanField, TopicView

SEEN = 0.8
ROUNDS, TOL = 100, 1e-4


class Scorer:
    """Scores topics (topics × words) on a corpus, in nats per word. `alpha`: the sum of the shares' prior."""

    def __init__(self, corpus: Corpus, alpha: float) -> None:
        self.alpha = alpha
        self.n_words = corpus.n_words
        bags = Bags.join([corpus.bags(block) for block in range(len(corpus.block_sizes))])
        self.seen, self.rest = split_halves(bags, SEEN)

    def score(self, topics: NDArray[np.floating]) -> float:
        """Nats a word of the predicted parts, below zero, higher is better."""
        topics = np.asarray(topics, np.float64)
        topics = topics / topics.sum(axis=1, keepdims=True)
        largest = topics.max(axis=0)
        weights = np.ascontiguousarray((topics / largest).T, np.float32)
        view = TopicView(weights, np.log(largest), None, np.full(len(topics), self.alpha / len(topics)))
        numbers = np.arange(len(self.seen.unseen))
        gamma = np.concatenate(
            [
                MeanField(ROUNDS, TOL).infer(view, shard, None, 0)[0]["gamma"].values
                for shard in cut_shards(numbers, self.seen, self.n_words)
            ]
        )
        theta = gamma / gamma.sum(axis=1, keepdims=True)
        return completion_score(self.rest, theta, topics).nats_per_word

    def unigram(self, train: Corpus) -> float:
        """What the training corpus's word frequencies alone score, 0.01 tokens added to each word."""
        tokens = np.zeros(self.n_words)
        for block in range(len(train.block_sizes)):
            bags = train.bags(block)
            tokens += np.bincount(bags.words, weights=bags.counts, minlength=self.n_words)
        tokens += 0.01
        return unigram_score(self.rest, tokens / tokens.sum()).nats_per_word
