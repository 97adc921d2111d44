"""Topics' words, read on demand: part by part if the table does not fit into memory."""

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array

CELLS = 1 << 20  # of a part: 8 MB


class TopicWords(Protocol):
    """E[beta] (topics × words) of a model, in memory (`Dense`) or computed when it is needed (`Stored`)."""

    @property
    def shape(self) -> tuple[int, int]: ...
    def of(self, rows: NDArray[np.integer]) -> Array:
        """E[beta] of the words with these numbers, ascending (topics × words)."""
        ...

    def by_word(self, rows: NDArray[np.integer]) -> Array:
        """The same, word by word: words × topics, adjacent in memory."""
        ...

    def dense(self) -> Array:
        """E[beta] of all words (topics × words)."""
        ...


class Dense(NamedTuple):
    """E[beta] of topics in memory (topics × words), as `TopicWords`.

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

    def by_word(self, rows: NDArray[np.integer]) -> Array:
        return np.ascontiguousarray(self.of(rows).T)

    def dense(self) -> Array:
        return self.topic_word


class Stored(NamedTuple):
    """E[beta] of topics that is computed from rows of the table whenever it is needed, as `TopicWords`.

    `read`: a function from ascending word numbers to E[beta] (words × all topics of the table); `topics`: the
    columns to keep, those in use.
    """

    read: Callable[[NDArray[np.int64]], Array]
    n_words: int
    topics: NDArray[np.int64]

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.topics), self.n_words

    def of(self, rows: NDArray[np.integer]) -> Array:
        return np.ascontiguousarray(self.by_word(rows).T)

    def by_word(self, rows: NDArray[np.integer]) -> Array:
        found = self.read(rows.astype(np.int64))
        return np.ascontiguousarray(found if len(self.topics) == found.shape[1] else found[:, self.topics])

    def dense(self) -> Array:
        out = np.empty(self.shape)
        for rows, part in parts_of(self):
            out[:, rows] = part
        return out


def parts_of(topics: TopicWords, within: slice = slice(None)) -> Iterator[tuple[slice, Array]]:
    """E[beta] in parts of about `CELLS` numbers, so that a large table need not fit into memory.

    Yields slices of the vocabulary's rows, and E[beta] of these (topics × words). `within`: only these rows.
    """
    n_topics, n_words = topics.shape
    first, last, _ = within.indices(n_words)
    size = max(1, CELLS // max(n_topics, 1))
    for start in range(first, last, size):
        rows = np.arange(start, min(start + size, last))
        yield slice(start, start + len(rows)), topics.of(rows)
