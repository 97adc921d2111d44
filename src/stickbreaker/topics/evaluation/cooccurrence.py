"""Counts of words and pairs of words in documents and in windows of text, for coherence.

scipy.sparse is imported on use, since writing a report does not need it.
"""

import copy
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.integer]

STATES_AT_ONCE = 1 << 15  # runs of windows with the same words: bounds the memory of a block


class Tokens(NamedTuple):
    """Documents as word numbers, all in one array: document d has `words[offsets[d]:offsets[d + 1]]`. -1
    stands for any word that is not counted.
    """

    offsets: Ints
    words: Ints


class Meetings:
    """Co-occurrence counts: in how many of `total` documents, or windows of text, each word occurs, and each
    pair of words together. `apart`: how many such windows there would be if they did not overlap.

    >>> meetings = Meetings(3)
    >>> meetings.add_documents(Tokens(np.array([0, 3, 5]), np.array([0, 1, 0, 1, -1])))
    >>> meetings.total, meetings.pairs(np.array([0]), np.array([1]))
    (2, (array([1.]), array([1.]), array([2.])))
    """

    def __init__(self, n_words: int) -> None:
        from scipy.sparse import csr_array

        self.n_words = n_words
        self.total = 0
        self.apart = 0.0
        self.together = csr_array((n_words, n_words), dtype=np.int64)

    def add_documents(self, tokens: Tokens) -> None:
        """Count a block of documents; a word counts once per document, however often it occurs in it."""
        size = len(tokens.offsets) - 1
        owner = np.repeat(np.arange(size), np.diff(tokens.offsets))
        known = tokens.words >= 0
        keys = np.unique(owner[known] * self.n_words + tokens.words[known])
        self._add(keys // self.n_words, keys % self.n_words, np.ones(size, np.int64))
        self.total += size
        self.apart += size

    def add_windows(self, tokens: Tokens, width: int) -> None:
        """Count every window of `width` consecutive tokens; a word counts once per window.

        Words must be in the order of the text. A document of n tokens has n - width + 1 windows, a shorter
        one is one window, and an empty one has none.
        """
        lengths = np.diff(tokens.offsets)
        self.total += int(_windows_of(tokens.offsets, width).sum())
        self.apart += float(np.maximum(lengths[lengths > 0] / width, 1.0).sum())
        for states, words, windows in _states(*_stretches(tokens, width)):
            self._add(states, words, windows)

    def pairs(
        self, left: Ints, right: Ints
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """For pairs of words, how many documents (or windows) have both words, how many have the left one,
        and how many the right one: three arrays.

        left, right: the numbers of the words of each pair, in arrays of one shape, which the results have
        too.
        """
        alone = self.together.diagonal().astype(np.float64)
        both = np.asarray(self.together[left.ravel(), right.ravel()], np.float64).reshape(left.shape)
        return both, alone[left], alone[right]

    def plus(self, other: "Meetings") -> "Meetings":
        """New counts: the sum of these and of `other`, which has counted other documents for the same
        words.
        """
        both = copy.copy(self)
        both.total, both.apart = self.total + other.total, self.apart + other.apart
        both.together = self.together + other.together
        return both

    def _add(self, rows: Ints, words: Ints, weights: NDArray[np.int64]) -> None:
        """Add documents (or windows) to `together`, but not to `total`; document i counts `weights[i]` times.

        rows, words: parallel arrays that say which words occur where: word `words[j]` occurs in document
        `rows[j]`. Each pair is listed once.
        """
        from scipy.sparse import csr_array

        shape = (len(weights), self.n_words)
        presence = csr_array((np.ones(len(rows), np.int64), (rows, words)), shape=shape)
        weighted = csr_array((weights[rows], (rows, words)), shape=shape)
        self.together = csr_array(self.together + presence.T @ weighted)


def _windows_of(offsets: Ints, width: int) -> NDArray[np.int64]:
    """The number of windows of `width` consecutive tokens in each document: length - width + 1, or one for a
    shorter document, or zero for an empty one.

    offsets: of the documents in their tokens, as in `Tokens`.
    """
    lengths = np.diff(offsets).astype(np.int64)
    return np.where(lengths > 0, np.maximum(lengths - width + 1, 1), 0)


def _stretches(tokens: Tokens, width: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """For each word, the ranges of consecutive windows that contain it, as three arrays with an element per
    range: its first window, the window after its last, and the word.

    Windows are numbered through all documents. A token is in up to `width` windows; ranges of a word that
    touch or overlap are joined.
    """
    windows = _windows_of(tokens.offsets, width)
    owner = np.repeat(np.arange(len(windows)), np.diff(tokens.offsets))
    known = np.flatnonzero(tokens.words >= 0)
    owner, word = owner[known], tokens.words[known].astype(np.int64)
    position = known - tokens.offsets[owner]
    base = (np.cumsum(windows) - windows)[owner]
    first = base + np.maximum(position - width + 1, 0)
    last = base + np.minimum(position, windows[owner] - 1) + 1
    order = np.lexsort((first, word))
    first, last, word = first[order], last[order], word[order]
    apart = np.ones(len(order), np.bool_)
    apart[1:] = (word[1:] != word[:-1]) | (first[1:] > last[:-1])
    begins = np.flatnonzero(apart)
    ends = np.append(begins[1:], len(order))[: len(begins)] - 1
    return first[begins], last[ends], word[begins]


def _states(
    first: NDArray[np.int64], last: NDArray[np.int64], word: NDArray[np.int64]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
    """Merge consecutive windows that contain the same words, so that equal windows are counted only once.
    Works chunk by chunk, which bounds memory.

    first, last, word: as `_stretches` returns them. Yields three arrays per chunk. The first two are
    parallel: a merged window's number in the chunk, and a word in it. The third has, for each merged window,
    how many windows it stands for.
    """
    edges = np.unique(np.concatenate([first, last]))
    begin, end = np.searchsorted(edges, first), np.searchsorted(edges, last)
    for start in range(0, len(edges) - 1, STATES_AT_ONCE):
        stop = min(start + STATES_AT_ONCE, len(edges) - 1)
        here = (begin < stop) & (end > start)
        low = np.maximum(begin[here], start) - start
        lengths = np.minimum(end[here], stop) - start - low
        before = np.cumsum(lengths) - lengths
        runs = np.repeat(low - before, lengths) + np.arange(lengths.sum())
        yield runs, np.repeat(word[here], lengths), np.diff(edges[start : stop + 1])
