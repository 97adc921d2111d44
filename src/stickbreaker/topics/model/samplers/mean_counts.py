"""The mean of a chain's tables over its samples."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import AnyArray, Array
from stickbreaker.core.untrusted import refuse_negative

Arrays = Mapping[str, AnyArray]  # of a snapshot, by name

PREFIX = "sum/"  # of the arrays of a snapshot


class CountSums(NamedTuple):
    """Counts summed over the samples of a chain, for the topics that its last sample had.

    `ids` (topics): their lasting numbers, ascending, since columns change as topics open and close;
    `samples` (topics): in how many samples each was; `counts` (rows × topics): the sums.
    """

    ids: NDArray[np.int64]  # topics: lasting numbers, ascending
    samples: NDArray[np.int64]  # topics: number of samples with the topic
    counts: NDArray[np.int64]  # rows × topics

    def of(self, ids: NDArray[np.int64]) -> "CountSums":
        """The sums of the topics with these ascending lasting numbers; zero for topics that it does not have.
        Returns itself, not a copy, if the numbers are its own.
        """
        if np.array_equal(ids, self.ids):
            return self
        places = np.searchsorted(ids, self.ids)
        kept = np.isin(self.ids, ids)
        samples = np.zeros(len(ids), np.int64)
        counts = np.zeros((len(self.counts), len(ids)), np.int64)
        samples[places[kept]] = self.samples[kept]
        counts[:, places[kept]] = self.counts[:, kept]
        return CountSums(ids, samples, counts)


class MeanCounts:
    """The mean counts of topics over a chain's samples; each topic's mean is over the samples that had it.

    Topics are known by lasting numbers, which are never reused.

    >>> mean = MeanCounts()
    >>> mean.add(np.array([0, 1]), np.array([[4, 0]]))
    >>> mean.add(np.array([1, 2]), np.array([[2, 6]]))
    >>> mean.of(np.array([1, 2, 3]), np.array([[9, 9, 9]])).tolist()
    [[1.0, 6.0, 9.0]]
    """

    def __init__(self) -> None:
        self.sums: CountSums | None = None

    def add(self, ids: NDArray[np.int64], counts: NDArray[np.integer]) -> None:
        """Add a sample: the counts (rows × topics) of the topics with these ascending numbers. Topics that it
        lacks are forgotten.
        """
        if self.sums is None:
            self.sums = CountSums(ids, np.ones(len(ids), np.int64), counts.astype(np.int64))
        else:
            total = self.sums.of(ids)
            np.add(total.counts, counts, out=total.counts)
            self.sums = total._replace(samples=total.samples + 1)

    def of(self, ids: NDArray[np.int64], counts: NDArray[np.integer]) -> Array:
        """The mean counts (rows × topics) of the topics with these ascending numbers. A topic that no sample
        had gets its current counts, `counts` (rows × topics).
        """
        if self.sums is None:
            return counts.astype(np.float64)
        total = self.sums.of(ids)
        mean = total.counts / np.maximum(total.samples, 1)
        new = np.flatnonzero(total.samples == 0)
        mean[:, new] = counts[:, new]
        return mean

    def arrays(self) -> Arrays:
        """The sums as arrays of a snapshot, which `restored` reads; none before the first sample."""
        if self.sums is None:
            return {}
        return {f"{PREFIX}{name}": values.copy() for name, values in self.sums._asdict().items()}

    @classmethod
    def restored(cls, arrays: Arrays, n_rows: int) -> "MeanCounts":
        """The mean counts from their `arrays`. Raises ValueError if some are missing, negative, or for
        another number of rows.
        """
        mean = cls()
        names = [f"{PREFIX}{name}" for name in CountSums._fields]
        if any(name in arrays for name in names):
            if not all(name in arrays for name in names):
                raise ValueError("arrays of the samples are missing")
            sums = CountSums(*(np.array(arrays[name]) for name in names))
            n_topics = len(sums.ids)
            if sums.samples.shape != (n_topics,) or sums.counts.shape != (n_rows, n_topics):
                raise ValueError("samples belong to another chain")
            refuse_negative(sums.samples, "samples")
            refuse_negative(sums.counts, "counts")
            mean.sums = sums
        return mean
