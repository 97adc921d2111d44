"""A prior of words that differs between topics, stored compactly."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array


@dataclass(frozen=True, slots=True, eq=False)
class InformedPrior:
    """The prior eta of words (words × topics), with special values for some words in some topics (Zhai 2014,
    section 3.3.1).

    The first `guided` topics have `outside` for every word, except for single entries: words[i] (ascending)
    has values[i] in topics[i]. All other topics have `rest`, a number or an array (words).
    """

    shape: tuple[int, int]
    guided: int
    outside: float
    rest: float | Array
    words: NDArray[np.int64]
    topics: NDArray[np.int64]
    values: Array

    def __getitem__(self, rows: NDArray[np.integer] | slice) -> Array:
        """eta of given words in every topic (rows × topics)."""
        n_words, n_topics = self.shape
        numbers = np.arange(*rows.indices(n_words)) if isinstance(rows, slice) else rows
        out = np.empty((len(numbers), n_topics))
        out[:, : self.guided] = self.outside
        out[:, self.guided :] = np.broadcast_to(self.rest, n_words)[rows, None]
        stops = np.searchsorted(self.words, numbers, "right")
        own = stops - np.searchsorted(self.words, numbers)  # number of cells of each row
        cells = np.arange(own.sum()) + np.repeat(stops - np.cumsum(own), own)
        out[np.repeat(np.arange(len(numbers)), own), self.topics[cells]] = self.values[cells]
        return out

    def of_topic(self, topic: int) -> Array:
        """eta of every word (words) in one of the guided topics, those with special values."""
        out, own = np.full(self.shape[0], self.outside, np.float64), self.topics == topic
        out[self.words[own]] = self.values[own]
        return out

    def sums(self, part: slice, of: Callable[[Any], Any] = np.asarray) -> Array:
        """The sum over a range of words of eta, or of a function `of` it such as log Gamma (topics)."""
        n_words, n_topics = self.shape
        rest, outside = of(np.broadcast_to(self.rest, n_words)[part]), of(self.outside)
        out = np.full(n_topics, rest.sum(), np.float64)
        out[: self.guided] = len(rest) * outside
        cells = slice(*np.searchsorted(self.words, (part.start, part.stop)).tolist())
        gains = of(self.values[cells]) - outside
        return out + np.bincount(self.topics[cells], weights=gains, minlength=n_topics)
