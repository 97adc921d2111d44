"""What an n-gram model predicts: the mean of its samples' probabilities."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array, Record
from stickbreaker.core.untrusted import refuse_negative
from stickbreaker.kernels.pitman_yor import Sample, predict_unbounded, predict_words
from stickbreaker.models.ngrams.contexts import Contexts, Integers, symbols_before, with_ends

CHUNK = 2**17  # words that are predicted at a time


@dataclass(frozen=True, eq=False)
class LanguageModel:
    """Samples of a chain, as `PitmanYorChain.fitted` gives them.

    Words are numbers below `contexts.n_words`; the last is the mark at a sentence's end, which is also what
    stands before its first word.
    """

    contexts: Contexts
    customers: NDArray[np.integer]  # samples × slots
    tables: NDArray[np.integer]
    discounts: Array  # samples × depths
    concentrations: Array
    ends: Array | None  # samples × restaurants: the share of words that stop there; None: of a fixed length

    @classmethod
    def of(cls, params: Record, n_words: int) -> "LanguageModel":
        """The model that a chain's `fitted` describes. Raises ValueError where its parts do not fit."""
        held: dict[str, Any] = {name: item.values for name, item in params.items()}
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
        """Raise ValueError where the parts are not those of one model."""
        self.contexts.refuse_nonsense()
        n_samples, n_depths = self.discounts.shape
        if n_depths <= int(self.contexts.depths.max()) or self.concentrations.shape != self.discounts.shape:
            raise ValueError("discounts of another model")
        for values in (self.discounts, self.concentrations):
            refuse_negative(values, "discounts or concentrations")
        if not n_samples or (self.discounts >= 1.0).any() or (self.concentrations == 0.0).any():
            raise ValueError("discounts or concentrations out of range")
        for values in (self.customers, self.tables):
            if values.shape != (n_samples, len(self.contexts.slot_keys)) or values.dtype.kind not in "iu":
                raise ValueError("customers of another model")
        if min(self.customers.min(), self.tables.min()) < 0:
            raise ValueError("customers or tables below zero")
        if (self.tables > self.customers).any() or ((self.tables == 0) != (self.customers == 0)).any():
            raise ValueError("more tables than customers")
        if self.ends is None:
            return
        if self.ends.shape != (n_samples, len(self.contexts.depths)):
            raise ValueError("shares of words that stop, of another model")
        if not ((self.ends > 0.0) & (self.ends < 1.0)).all():
            raise ValueError("shares of words that stop, out of range")

    @property
    def end(self) -> int:
        """The mark at the end of a sentence."""
        return self.contexts.n_words - 1

    @property
    def longest(self) -> int:
        """Words of the longest context."""
        return int(self.contexts.depths.max())

    @property
    def n_contexts(self) -> int:
        """Contexts in which anyone sits in any sample."""
        return len(self.contexts.depths)

    @cached_property
    def samples(self) -> tuple[Sample, ...]:
        """Of each sample, customers and tables by slot and by restaurant."""
        n = len(self.contexts.depths)
        found: list[Sample] = []
        for customers, tables in zip(self.customers, self.tables, strict=True):
            seats = np.stack([customers, tables], axis=1).astype(np.int32)
            totals = [np.bincount(self.contexts.restaurants, each, n) for each in (customers, tables)]
            found.append(Sample(seats, np.stack(totals, axis=1).astype(np.int32)))
        return tuple(found)

    def log_probabilities(self, words: Integers, starts: Integers, log_base: Array | None = None) -> Array:
        """log p of each word given those before it in its sentence, and of the mark at each sentence's end.

        `words` (-1: one that the model does not have), `starts`: where sentences begin. `log_base` (words
        with ends, nats): log G0 of each, where it is not even. The mean is over the samples' probabilities,
        not their logarithms.
        """
        marked, positions = with_ends(words, starts, self.end)
        before = symbols_before(marked, positions, self.end)
        symbols = [before(distance) for distance in range(1, self.longest + 1)]
        base = np.full(len(marked), 1.0 / self.contexts.n_words) if log_base is None else np.exp(log_base)
        found = np.empty(len(marked))
        for start in range(0, len(marked), CHUNK):
            part = slice(start, start + CHUNK)
            found[part] = self.probabilities(marked[part], [each[part] for each in symbols], base[part])
        return np.log(found)

    def probabilities(self, words: Integers, symbols: list[Integers], base: Array) -> Array:
        """p(word | context) of each of some words, the mean over samples; `symbols`: the nearest first."""
        restaurants, slots = self.ways(words, symbols)
        out = np.zeros(len(words))
        for number, sample in enumerate(self.samples):
            hyper = self.discounts[number], self.concentrations[number]
            if self.ends is None:
                predict_words(base, restaurants, slots, sample, *hyper, out)
            else:
                predict_unbounded(base, restaurants, slots, sample, *hyper, self.ends[number], out)
        return out / len(self.samples)

    def ways(self, words: Integers, symbols: list[Integers]) -> tuple[Integers, Integers]:
        """Restaurants and slots of words (words × depths), the empty context's first; -1: there is none."""
        restaurants = np.full((len(words), len(symbols) + 1), -1)
        restaurants[:, 0] = 0
        for depth, symbol in enumerate(symbols, 1):
            restaurants[:, depth] = self.contexts.find_restaurants(restaurants[:, depth - 1], symbol)
        slots = np.stack([self.contexts.find_slots(each, words) for each in restaurants.T], axis=1)
        return restaurants, slots

    def next_words(self, context: list[int], base: Array) -> Array:
        """p of every word after a context (words), its last word last; a sentence begins with `end`."""
        nearest = context[::-1][: self.longest]
        n = self.contexts.n_words
        symbols = [np.full(n, symbol) for symbol in nearest]
        return self.probabilities(np.arange(n), symbols, base)

    def sentences(
        self,
        n: int,
        base: Array,
        generator: np.random.Generator,
        most: int,
        beginning: Sequence[int] = (),
    ) -> Iterator[list[int]]:
        """Sentences drawn from the model, of `most` words at most, that begin with given words."""
        for _ in range(n):
            sentence = [self.end, *beginning]
            while len(sentence) <= most:
                p = self.next_words(sentence, base)
                sentence.append(int(generator.choice(len(p), p=p / p.sum())))
                if sentence[-1] == self.end:
                    break
            yield [word for word in sentence if word != self.end]
