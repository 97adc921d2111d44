"""A toy: a bigram language model of Chinese restaurants. A `Sampler` that has no table and needs no engine.

Each word u has a distribution over the words that follow it: G_u ~ DP(alpha, G), G ~ Dirichlet(gamma / V)
over V words (Teh 2006, without discounts). Every token is a customer of its context's restaurant, and the
state of the chain is the seating: all distributions are integrated out.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from stickbreaker.contracts.contract import Fitted, Sampler, Score
from stickbreaker.core.random_streams import stream
from stickbreaker.core.records import Array, Field


class Bigrams(NamedTuple):
    """Tokens and the word that each follows: `contexts` and `words` (tokens), numbers below `n_words`."""

    contexts: NDArray[np.int64]  # n_words at the start of a sentence
    words: NDArray[np.int64]
    n_words: int


def bigrams_of(words: NDArray[np.int32], starts: NDArray[np.int64], n_words: int) -> Bigrams:
    """Each token of some sentences with the one before it.

    >>> bigrams_of(np.array([0, 1, 1], np.int32), np.array([0, 2]), 2).contexts
    array([2, 0, 2])
    """
    contexts = np.concatenate([[n_words], words[:-1]]).astype(np.int64)
    contexts[starts] = n_words
    return Bigrams(contexts, words.astype(np.int64), n_words)


class BigramRestaurant(Sampler):
    """The chain: each token leaves its table and sits down again, given all others.

    `seats`: a token's table, numbered from 0 among those of its context that serve its word. A number that
    became free is given to the next table, the smallest first, so that seats say everything.
    """

    def __init__(self, bigrams: Bigrams, alpha: float, gamma: float, seed: int) -> None:
        self._bigrams, self._alpha, self._gamma, self._seed = bigrams, alpha, gamma, seed
        pairs = bigrams.contexts * bigrams.n_words + bigrams.words
        self._pairs = np.unique(pairs, return_inverse=True)[1]
        self._sum, self._samples = np.zeros((bigrams.n_words + 1, bigrams.n_words)), 0
        self._sit(np.zeros(len(pairs), np.int64))

    def sweep(self, number: int, threads: int) -> None:
        words, uniforms = self._bigrams.words, stream(self._seed, "bigrams", number).random(len(self._pairs))
        for i, (pair, word) in enumerate(zip(self._pairs.tolist(), words.tolist(), strict=True)):
            sizes = self._sizes[pair]
            sizes[self._seats[i]] -= 1
            self._tables[word] -= sizes[self._seats[i]] == 0
            opening = self._alpha * self._base()[word]
            place = int(
                np.searchsorted(np.cumsum([*sizes, opening]), uniforms[i] * (sum(sizes) + opening), "right")
            )
            if place == len(sizes):
                place = (*sizes, 0).index(0)
                sizes[place : place + 1] = [0]
            self._tables[word] += sizes[place] == 0
            sizes[place] += 1
            self._seats[i] = place

    def learn(self) -> None:
        """alpha and gamma stay."""

    def score(self) -> Score:
        """log p(words, seating)."""
        used = np.array([size for sizes in self._sizes for size in sizes if size])
        customers = np.bincount(self._bigrams.contexts)
        nats = gammaln(used).sum() + len(used) * np.log(self._alpha)
        nats -= (gammaln(self._alpha + customers) - gammaln(self._alpha)).sum()
        share = self._gamma / self._bigrams.n_words
        nats += (gammaln(share + self._tables) - gammaln(share)).sum()
        nats -= gammaln(self._gamma + len(used)) - gammaln(self._gamma)
        return Score(float(nats), float(len(self._seats)), "joint")

    def figures(self) -> dict[str, int]:
        return {"tables": int(self._tables.sum())}

    def keep(self) -> None:
        self._sum, self._samples = self._sum + self.predictive(), self._samples + 1

    def fitted(self) -> Fitted:
        """The mean over samples of p(next word | word): predictions have a mean, tables have none."""
        mean = self._sum / self._samples if self._samples else self.predictive()
        return Fitted({"predictive": Field(mean, ("contexts", "words"), additive=False)})

    def predictive(self) -> Array:
        """p(next word | word) in the present state (contexts × words)."""
        contexts, words, n_words = self._bigrams
        counts = np.zeros((n_words + 1, n_words))
        np.add.at(counts, (contexts, words), 1.0)
        return (counts + self._alpha * self._base()) / (counts.sum(axis=1, keepdims=True) + self._alpha)

    def snapshot(self) -> dict[str, NDArray[Any]]:
        return {"seats": self._seats.copy(), "sum": self._sum.copy(), "samples": np.array(self._samples)}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        if arrays["seats"].shape != self._seats.shape or arrays["sum"].shape != self._sum.shape:
            raise ValueError("seats of other tokens")
        if self._seats.size and not 0 <= arrays["seats"].min() <= arrays["seats"].max() < len(self._seats):
            raise ValueError("a token's seat is at no table")
        self._sum, self._samples = arrays["sum"].copy(), int(arrays["samples"])
        self._sit(arrays["seats"].copy())

    def _sit(self, seats: NDArray[np.int64]) -> None:
        """Take a seating, and count it: customers of each pair's tables, tables that serve each word."""
        self._seats, self._tables = seats, np.zeros(self._bigrams.n_words)
        self._sizes: list[list[int]] = [[] for _ in range(int(self._pairs.max(initial=-1)) + 1)]
        for pair, sizes in enumerate(self._sizes):
            own = self._pairs == pair
            sizes[:] = np.bincount(seats[own]).tolist()
            self._tables[self._bigrams.words[own][0]] += np.count_nonzero(sizes)

    def _base(self) -> Array:
        """What a new table serves, by the tables that there are (words)."""
        share = self._gamma / self._bigrams.n_words
        return (self._tables + share) / (self._tables.sum() + self._gamma)
