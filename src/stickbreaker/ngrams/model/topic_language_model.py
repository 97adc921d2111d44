"""A learned topic n-gram model: samples of its chain."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array, Record
from stickbreaker.core.untrusted import refuse_negative
from stickbreaker.ngrams.kernels.pitman_yor import Trie
from stickbreaker.ngrams.kernels.topic_predictions import TopicShares
from stickbreaker.ngrams.model.chain import used_contexts
from stickbreaker.ngrams.model.contexts import Contexts, Integers
from stickbreaker.ngrams.model.language_model import LanguageModel, trie_of


@dataclass(frozen=True, eq=False)
class TopicLanguageModel:
    """A learned topic n-gram model: the samples of a chain over topics, as `TopicChain.fitted` returns them.

    A cell is a pair of a slot (a word in a context) and a topic with customers there. Words are numbers below
    `contexts.n_words`, the last of which is the end-of-sentence mark. Topics of documents are numbered from
    0; in the arrays of samples the common topic comes before them.
    """

    contexts: Contexts
    prior_name: str
    cells: Integers  # samples + 1: where the cells of each sample begin
    slots: NDArray[np.integer]  # cells
    topics: NDArray[np.integer]  # cells
    customers: NDArray[np.integer]  # cells
    tables: NDArray[np.integer]  # cells
    discounts: Array  # samples × depths
    concentrations: Array
    prior: Array  # samples × topics: alpha; 0 for the common one
    switches: Array | None  # samples × restaurants: expected lambda; None without a common topic
    ends: Array | None  # samples × restaurants: share of words that stop there; None: fixed length
    word_topics: Array  # words × topics: number of words of the text, the mean over samples

    @classmethod
    def of(cls, params: Record, n_words: int, prior_name: str, longest: int) -> "TopicLanguageModel":
        """The model from the params that a chain's `fitted` returns.

        n_words: with the end-of-sentence mark; longest: the greatest length of a context, in words. Raises
        ValueError if its arrays do not fit together or have impossible values.
        """
        held = {name: item.values for name, item in params.items()}
        contexts = Contexts(n_words, held["restaurant_keys"], held["slot_keys"])
        found = cls(
            contexts,
            prior_name,
            held["cells"],
            *(held["cell_slots"], held["cell_topics"], held["cell_customers"], held["cell_tables"]),
            held["discounts"],
            held["concentrations"],
            held["prior"],
            held.get("switches"),
            held.get("ends"),
            held["word_topics"],
        )
        found.refuse_nonsense(longest)
        return found

    def refuse_nonsense(self, longest: int) -> None:
        """Raise ValueError if the arrays do not fit each other, or have impossible values.

        longest: the greatest length of a context, in words.
        """
        self.contexts.refuse_nonsense()
        n_samples, n_topics = self.prior.shape
        shape = n_samples, int(self.contexts.depths.max()) + 1
        if not n_samples or self.discounts.shape != self.concentrations.shape:
            raise ValueError("discounts belong to another model")
        if self.discounts.shape[0] != n_samples or not shape[1] <= self.discounts.shape[1] <= longest + 1:
            raise ValueError("discounts belong to another model")
        for values in (self.discounts, self.concentrations, self.prior, self.word_topics):
            refuse_negative(values, "numbers of a sample")
        if (self.discounts >= 1.0).any() or (self.concentrations == 0.0).any() or self.prior[:, 0].any():
            raise ValueError("discounts, concentrations or the prior are out of range")
        if (self.prior[:, 1:] == 0.0).any() or self.word_topics.shape != (self.contexts.n_words, n_topics):
            raise ValueError("topics belong to another model")
        n_restaurants = len(self.contexts.depths)
        for shares in (self.switches, self.ends):
            if shares is None:
                continue
            if shares.shape != (n_samples, n_restaurants) or not ((shares > 0.0) & (shares < 1.0)).all():
                raise ValueError("shares of restaurants belong to another model")
        if (self.switches is None) != (self.prior_name == "none"):
            raise ValueError("switches belong to another prior")
        self._refuse_cells(n_samples, n_topics)

    def _refuse_cells(self, n_samples: int, n_topics: int) -> None:
        """Raise ValueError if cells (a slot and a topic with customers) do not fit the contexts and topics,
        or are out of order."""
        arrays = self.slots, self.topics, self.customers, self.tables
        if self.cells.shape != (n_samples + 1,) or self.cells.dtype != np.int64 or self.cells[0] != 0:
            raise ValueError("cells belong to another model")
        if any(values.ndim != 1 or values.dtype.kind not in "iu" for values in arrays):
            raise ValueError("cells belong to another model")
        if (np.diff(self.cells) < 0).any() or any(len(values) != self.cells[-1] for values in arrays):
            raise ValueError("cells belong to another model")
        if any(int(values.min(initial=0)) < 0 for values in arrays):
            raise ValueError("cells are negative")
        slots, topics = self.slots.astype(np.int64), self.topics.astype(np.int64)
        if (slots >= len(self.contexts.slot_keys)).any() or (topics >= n_topics).any():
            raise ValueError("cells belong to another model")
        if (self.tables == 0).any() or (self.tables > self.customers).any():
            raise ValueError("there are more tables than customers")
        places = slots * n_topics + topics
        first = np.zeros(len(places), np.bool_)
        first[self.cells[:-1][np.diff(self.cells) > 0]] = True
        if (np.diff(places, prepend=-1)[~first] <= 0).any():
            raise ValueError("cells are not sorted")

    @property
    def end(self) -> int:
        """The number of the end-of-sentence mark."""
        return self.contexts.n_words - 1

    @property
    def n_topics(self) -> int:
        """The number of topics, without the common one."""
        return self.prior.shape[1] - 1

    @property
    def n_samples(self) -> int:
        return len(self.prior)

    @property
    def longest(self) -> int:
        """The number of words in the longest context."""
        return self.discounts.shape[1] - 1

    @cached_property
    def trie(self) -> Trie:
        """The index by which kernels look up contexts and words."""
        return trie_of(self.contexts)

    @cached_property
    def samples(self) -> tuple[TopicShares, ...]:
        """Each sample prepared for predictions, as `TopicShares`."""
        return tuple(self._shares(number) for number in range(self.n_samples))

    def _shares(self, number: int) -> TopicShares:
        """The sample with this number, prepared for predictions."""
        part, n_topics = slice(*self.cells[number : number + 2]), self.n_topics + 1
        slots, topics = self.slots[part].astype(np.int64), self.topics[part].astype(np.int64)
        customers, tables = self.customers[part].astype(np.float64), self.tables[part].astype(np.float64)
        places = self.contexts.restaurants[slots] * n_topics + topics
        found, at = np.unique(places, return_inverse=True)
        all_customers, all_tables = np.bincount(at, customers), np.bincount(at, tables)
        depths = self.contexts.depths[found // n_topics]
        a, b = self.discounts[number][depths], self.concentrations[number][depths]
        n_restaurants = len(self.contexts.depths)
        return TopicShares(
            _starts(slots, len(self.contexts.slot_keys)),
            topics.astype(np.uint16),
            (customers - a[at] * tables) / (all_customers + b)[at],
            _starts(found // n_topics, n_restaurants),
            (found % n_topics).astype(np.uint16),
            (b + a * all_tables) / (all_customers + b),
            np.ones(n_restaurants) if self.switches is None else np.ascontiguousarray(self.switches[number]),
            np.empty(0) if self.ends is None else np.ascontiguousarray(self.ends[number]),
        )


def language_of_topic(model: TopicLanguageModel, topic: int, number: int) -> LanguageModel:
    """One topic of sample `number` as a language model of its own; topic 0 is the common one.

    Not for the hierarchical prior, under which predictions of a topic mix it with the common one.
    """
    part = slice(*model.cells[number : number + 2].tolist())
    own = np.flatnonzero(model.topics[part] == topic) + part.start
    counts = np.zeros((2, 1, len(model.contexts.slot_keys)), np.int64)
    counts[0, 0, model.slots[own]], counts[1, 0, model.slots[own]] = model.customers[own], model.tables[own]
    contexts, slots, restaurants = used_contexts(model.contexts, counts[0])
    customers, tables = counts[:, :, slots]
    depths = slice(0, int(contexts.depths.max()) + 1)
    a, b = model.discounts[number : number + 1, depths], model.concentrations[number : number + 1, depths]
    ends = None if model.ends is None else model.ends[number : number + 1, restaurants]
    return LanguageModel(contexts, customers, tables, a, b, ends)


def _starts(owners: Integers, n: int) -> Integers:
    """Where the rows of each owner begin, then the number of rows (n + 1). owners (rows): the owner of each
    row, from 0, ascending."""
    return np.searchsorted(owners, np.arange(n + 1))
