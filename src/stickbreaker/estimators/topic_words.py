"""Topics' words, read where they lie: of a model whose table fits in no memory, a part at a time."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.largest import largest
from stickbreaker.core.records import Array, Record
from stickbreaker.engines import LocalEngine
from stickbreaker.models.topics import ClosedVocabulary

CELLS = 1 << 20  # of a part: 8 MB


class TopicWords(Protocol):
    """E[beta] (topics × words) of a model, as much of it as is asked for."""

    @property
    def shape(self) -> tuple[int, int]: ...
    def of(self, rows: NDArray[np.integer]) -> Array:
        """E[beta] of some words, by ascending number (topics × words)."""
        ...


class Dense(NamedTuple):
    """Topics' words that are held in memory.

    >>> Dense(np.array([[0.2, 0.8]])).of(np.array([1])).tolist()
    [[0.8]]
    """

    topic_word: Array

    @property
    def shape(self) -> tuple[int, int]:
        n_topics, n_words = self.topic_word.shape
        return n_topics, n_words

    def of(self, rows: NDArray[np.integer]) -> Array:
        return self.topic_word[:, rows]


@dataclass(frozen=True)
class Stored:
    """Those of a closed vocabulary, from an engine's table; `columns` are those of the topics in use."""

    words: ClosedVocabulary
    small: Record
    engine: LocalEngine
    columns: NDArray[np.int64]

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.columns), self.engine.n_rows

    def of(self, rows: NDArray[np.integer]) -> Array:
        counts, totals = self.engine.table.counts(rows.astype(np.int64)), self.engine.totals()
        found = self.words.topic_words_of(self.small, counts, totals, rows)
        return np.ascontiguousarray(found[:, self.columns].T)


def parts_of(topics: TopicWords, within: slice = slice(None)) -> Iterator[tuple[slice, Array]]:
    """Words, `CELLS` numbers at a time, in order: which they are, and E[beta] (topics × words)."""
    n_topics, n_words = topics.shape
    first, last, _ = within.indices(n_words)
    size = max(1, CELLS // max(n_topics, 1))
    for start in range(first, last, size):
        rows = np.arange(start, min(start + size, last))
        yield slice(start, start + len(rows)), topics.of(rows)


def leading_words(topics: TopicWords, n: int, within: slice = slice(None)) -> tuple[NDArray[np.int64], Array]:
    """The `n` most probable words of each topic and their probabilities (both topics × n), first of equals
    first; `within`: among these. Fewer where there are fewer words.

    >>> [found.tolist() for found in leading_words(Dense(np.array([[0.2, 0.5, 0.3]])), 2)]
    [[[1, 2]], [[0.5, 0.3]]]
    """
    places, values = np.zeros((topics.shape[0], 0), np.int64), np.zeros((topics.shape[0], 0))
    for rows, part in parts_of(topics, within):
        own, best = largest(part, n)
        places, values = np.hstack([places, own + rows.start]), np.hstack([values, best])
        order, values = largest(values, n)  # earlier parts stand first, so that ties stay in order
        places = np.take_along_axis(places, order, axis=1)
    return places, values
