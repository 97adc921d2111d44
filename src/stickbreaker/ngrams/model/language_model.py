"""A learned n-gram model: predictions are the mean of its samples' probabilities."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array, Record
from stickbreaker.core.untrusted import refuse_negative
from stickbreaker.ngrams.kernels.pitman_yor import (
    Shares,
    Trie,
    fill_shares,
    find_ways,
    hash_keys,
    mark_sentences,
    predict_unbounded,
    predict_words,
)
from stickbreaker.ngrams.model.contexts import Contexts, Integers

LEAST = -500.0  # log G0, so that exp does not underflow whatever contexts leave of it
CHUNK = 2**14  # words predicted at a time


class Sample(NamedTuple):
    """The seating in one state of a chain: customers and tables of each slot (a word in a context) and
    restaurant (a context)."""

    seats: NDArray[np.int32]  # slots × (customers, tables)
    totals: NDArray[np.int32]  # restaurants × (customers, tables)


@dataclass(frozen=True, eq=False)
class LanguageModel:
    """A learned n-gram model without topics: the samples of a chain, as `PitmanYorChain.fitted` returns them.

    Words are numbers below `contexts.n_words`; the last is the end-of-sentence mark, which also stands before
    the first word of a sentence.
    """

    contexts: Contexts
    customers: NDArray[np.integer]  # samples × slots
    tables: NDArray[np.integer]
    discounts: Array  # samples × depths
    concentrations: Array
    ends: Array | None  # samples × restaurants: share of words that stop there; None: fixed length

    @classmethod
    def of(cls, params: Record, n_words: int) -> "LanguageModel":
        """The model from the params that a chain's `fitted` returns. n_words: all words, with the
        end-of-sentence mark.

        Raises ValueError if arrays do not match or have impossible values.
        """
        held = {name: item.values for name, item in params.items()}
        contexts = Contexts(n_words, held["restaurant_keys"], held["slot_keys"])
        found = cls(
            contexts,
            held["customers"],
            held["tables"],
            held["discounts"],
            held["concentrations"],
            held.get("ends"),
        )
        found.refuse_nonsense()
        return found

    def refuse_nonsense(self) -> None:
        """Raise ValueError if the arrays do not fit each other, or have impossible values."""
        self.contexts.refuse_nonsense()
        n_samples, n_depths = self.discounts.shape
        if n_depths <= int(self.contexts.depths.max()) or self.concentrations.shape != self.discounts.shape:
            raise ValueError("discounts belong to another model")
        for values in (self.discounts, self.concentrations):
            refuse_negative(values, "discounts or concentrations")
        if not n_samples or (self.discounts >= 1.0).any() or (self.concentrations == 0.0).any():
            raise ValueError("discounts or concentrations are out of range")
        for values in (self.customers, self.tables):
            if values.shape != (n_samples, len(self.contexts.slot_keys)) or values.dtype.kind not in "iu":
                raise ValueError("customers belong to another model")
        if min(self.customers.min(), self.tables.min()) < 0:
            raise ValueError("customers or tables are negative")
        if (self.tables > self.customers).any() or ((self.tables == 0) != (self.customers == 0)).any():
            raise ValueError("there are more tables than customers")
        if self.ends is None:
            return
        if self.ends.shape != (n_samples, len(self.contexts.depths)):
            raise ValueError("shares of words that stop belong to another model")
        if not ((self.ends > 0.0) & (self.ends < 1.0)).all():
            raise ValueError("shares of words that stop are out of range")

    @property
    def end(self) -> int:
        """The number of the end-of-sentence mark."""
        return self.contexts.n_words - 1

    @cached_property
    def longest(self) -> int:
        """The number of words in the longest context."""
        return int(self.contexts.depths.max())

    @property
    def n_contexts(self) -> int:
        """The number of contexts occupied in some sample."""
        return len(self.contexts.depths)

    @cached_property
    def samples(self) -> tuple[Sample, ...]:
        """The seating of each sample: customers and tables, by slot (a word in a context) and by
        restaurant."""
        return tuple(self.sample(number) for number in range(len(self.discounts)))

    def sample(self, number: int) -> Sample:
        """The seating of one sample: customers and tables, by slot (a word in a context) and by
        restaurant."""
        seats = np.stack([self.customers[number], self.tables[number]], axis=1).astype(np.int32)
        totals = [np.bincount(self.contexts.restaurants, each, self.n_contexts) for each in seats.T]
        return Sample(seats, np.stack(totals, axis=1).astype(np.int32))

    @cached_property
    def shares(self) -> Shares:
        """All samples prepared for predictions: the terms by which p of a word in a context is computed from
        its p in the context one word shorter (see `Shares`)."""
        contexts, n_samples = self.contexts, len(self.discounts)
        seated, left = np.empty((len(contexts.slot_keys), n_samples)), np.empty((self.n_contexts, n_samples))
        ends = np.empty((0, n_samples)) if self.ends is None else np.ascontiguousarray(self.ends.T)
        found = Shares(seated, left, ends)
        for number in range(n_samples):
            fill_shares(
                self.customers[number].astype(np.int64),
                self.tables[number].astype(np.int64),
                contexts.restaurants,
                contexts.depths,
                self.discounts[number],
                self.concentrations[number],
                number,
                found,
            )
        return found

    @cached_property
    def trie(self) -> Trie:
        """The index by which kernels look up contexts and words."""
        return trie_of(self.contexts)

    def log_probabilities(self, words: Integers, starts: Integers, log_base: Array | None = None) -> Array:
        """log p in nats of each word given those before it in its sentence, and of the mark at each
        sentence's end (words + sentences).

        `words` (-1: not in the model); `starts`: where sentences begin. `log_base` (words + sentences, nats):
        log G0 of each word and mark; None: uniform. Probabilities are averaged over samples before the
        logarithm is taken.
        """
        text = np.empty(len(words) + 3 * len(starts), np.int64)
        places = np.empty(len(words) + len(starts), np.int64)
        mark_sentences(words, starts, self.end, text, places)
        if log_base is None:
            return np.log(self._predict(text, places, np.full(len(places), 1.0 / self.contexts.n_words)))
        # p of a word that is not in the model is a multiple of its G0, which could underflow
        base = np.exp(log_base)
        if log_base.min(initial=0.0) >= LEAST:
            return np.log(self._predict(text, places, base))
        small = np.flatnonzero((text[places] < 0) & (log_base < LEAST))
        base[small] = np.exp(LEAST)
        found = np.log(self._predict(text, places, base))
        found[small] += log_base[small] - LEAST
        return found

    def probabilities(self, words: Integers, symbols: list[Integers], base: Array) -> Array:
        """p(word | context) of words that each come with a context of their own, the mean over samples
        (words).

        `symbols`: the symbols before each word as arrays (words), the nearest first; base (words): G0.
        """
        text = np.column_stack([np.full(len(words), -1), *symbols[::-1], words])
        return self._predict(text.ravel(), np.arange(1, len(words) + 1) * text.shape[1] - 1, base)

    def _predict(self, text: Integers, places: Integers, base: Array) -> Array:
        """p of the words at these places of a text that is marked up for `find_ways`, the mean over samples.

        base (places): G0 of each word.
        """
        predict = predict_words if self.ends is None else predict_unbounded
        ways = np.empty((2, min(CHUNK, len(places)), self.longest + 1), np.int64)
        found = np.empty(len(places))
        for start in range(0, len(places), CHUNK):
            part = slice(start, start + CHUNK)
            restaurants, slots = ways[:, : len(places[part])]
            find_ways(text, places[part], self.trie, restaurants, slots)
            predict(base[part], restaurants, slots, self.shares, found[part])
        return found

    def next_words(self, context: list[int], base: Array) -> Array:
        """p of every possible next word after a context, the mean over samples (n_words).

        context: word numbers in the order of the text, beginning with `end` if a sentence begins there; base
        (n_words): G0.

        The result is a sum over the restaurants of the context and its shorter ones: `seated` of each, times
        `left` of all longer ones (see `Shares`).
        """
        n, shares = self.contexts.n_words, self.shares
        way = self._way(context)
        stops = np.zeros((len(way), shares.left.shape[1]))
        stops[-1] = 1.0
        if self.ends is not None:
            stops[:-1] = shares.ends[way[:-1]]
            stops[1:] *= np.cumprod(1.0 - stops[:-1], axis=0)
        p, weights = np.zeros(n), np.zeros(shares.left.shape[1])
        for restaurant, stop in zip(way[::-1], stops[::-1], strict=True):
            weights += stop
            slots = slice(*np.searchsorted(self.contexts.slot_keys, [restaurant * n, (restaurant + 1) * n]))
            p[self.contexts.slot_keys[slots] - restaurant * n] += shares.seated[slots] @ weights
            weights *= shares.left[restaurant]
        return (p + base * weights.sum()) / len(weights)

    def _way(self, context: list[int]) -> Integers:
        """The restaurants of a context and of its shorter ones, from the empty context to the longest that is
        in the model."""
        text = np.array([-1, *context, -1])
        way = np.empty((2, 1, self.longest + 1), np.int64)
        find_ways(text, np.array([len(text) - 1]), self.trie, *way)
        return way[0, 0, : (np.append(way[0, 0], -1) < 0).argmax()]

    def sentences(
        self, n: int, base: Array, generator: np.random.Generator, most: int, beginning: Sequence[int] = ()
    ) -> Iterator[list[int]]:
        """Draw n sentences of at most `most` words that begin with `beginning`; yields their word numbers,
        without the end mark. base (n_words): G0."""
        for _ in range(n):
            sentence = [self.end, *beginning]
            while len(sentence) <= most:
                p = self.next_words(sentence, base)
                sentence.append(int(generator.choice(len(p), p=p / p.sum())))
                if sentence[-1] == self.end:
                    break
            yield [word for word in sentence if word != self.end]


def trie_of(contexts: Contexts) -> Trie:
    """The index by which kernels find contexts and words: the keys, and hash tables for them."""
    keys = contexts.restaurant_keys, contexts.slot_keys
    tables = [np.full(2 ** (2 * len(each)).bit_length(), -1, np.int32) for each in keys]
    for each, table in zip(keys, tables, strict=True):
        hash_keys(each, table)
    return Trie(contexts.n_words, *keys, *tables)


def text_before(words: Integers, positions: Integers, end: int) -> tuple[Integers, Integers]:
    """The text that `find_ways` takes, with -1 and `end` before each sentence, and the positions of all words
    in it.

    words: with the mark `end` after each sentence; positions: of each word in its sentence, from 0.

    >>> text_before(np.array([5, 9, 6, 7, 9]), np.array([0, 1, 0, 1, 2]), 9)[0].tolist()
    [-1, 9, 5, 9, -1, 9, 6, 7, 9]
    """
    first = positions == 0
    places = np.arange(len(words)) + 2 * first.cumsum()
    text = np.full(len(words) + 2 * np.count_nonzero(first), -1)
    text[places] = words
    text[places[first] - 1] = end
    return text, places
