"""Chains: samplers side by side, and the mean of what they draw."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.foreign import refuse_negative
from stickbreaker.core.records import Array, Record, Rows
from stickbreaker.models.contract import Sampler

PREFIX = "chain/"  # of the arrays of a snapshot


class Sums(NamedTuple):
    """A chain's counts, added over samples, of the topics that the last sample had."""

    ids: NDArray[np.int64]  # topics: lasting numbers
    samples: NDArray[np.int64]  # topics: samples that had the topic
    counts: NDArray[np.int64]  # rows × topics

    def of(self, ids: NDArray[np.int64]) -> "Sums":
        """The sums of these topics (ascending numbers), zeros of those that no sample had."""
        if np.array_equal(ids, self.ids):
            return self
        places = np.searchsorted(ids, self.ids)
        kept = np.isin(self.ids, ids)
        samples = np.zeros(len(ids), np.int64)
        counts = np.zeros((len(self.counts), len(ids)), np.int64)
        samples[places[kept]] = self.samples[kept]
        counts[:, places[kept]] = self.counts[:, kept]
        return Sums(ids, samples, counts)


def ids_of(small: Record, n_topics: int) -> NDArray[np.int64]:
    """Lasting numbers of a chain's topics, ascending: its "ids" where topics come and go."""
    return small["ids"].values.astype(np.int64) if "ids" in small else np.arange(n_topics, dtype=np.int64)


class Chains:
    """Independent chains of one sampler, with different starts.

    Every `every`-th sweep is scored and moves the hyperparameters; after `burn_in` sweeps it is a sample.
    Topics of different chains do not correspond, so samples are averaged within a chain, and the chain whose
    samples have the best mean score speaks for all. Where topics come and go, those that the chain has in
    the end are told, each with its mean over the samples that had it: a topic's number is its own for ever.
    """

    def __init__(self, samplers: Sequence[Sampler], burn_in: int, every: int, threads: int) -> None:
        self.samplers = samplers
        self.burn_in = burn_in
        self.every = every
        self.threads = threads
        self.scores = np.empty((len(samplers), 0))  # nats a token of log p(w, z), chains × scored sweeps
        self.scored = True  # the present state
        self.taken = 0
        self.sums: list[Sums | None] = [None] * len(samplers)

    def sweep(self, number: int, last: bool) -> bool:
        """Every chain's sweep of this number, counted from 0; gives whether it was scored.

        The `last` sweep of a run always is, and is a sample.
        """
        due = number == 0 or (number + 1) % self.every == 0 or last
        sample = last or (due and number >= self.burn_in)
        each = max(1, self.threads // len(self.samplers))

        def work(i: int) -> float:
            sampler = self.samplers[i]
            sampler.sweep(number, each)
            if not due:
                return 0.0
            if number > 0:
                sampler.learn()
            if sample:
                self._add(i)
            score = sampler.score()
            return score.nats / max(1.0, score.tokens)

        with ThreadPoolExecutor(min(self.threads, len(self.samplers))) as pool:
            told = list(pool.map(work, range(len(self.samplers))))
        if due:
            self.scores = np.column_stack([self.scores, told])
        self.taken += int(sample)
        self.scored = due
        return due

    def close(self) -> bool:
        """Score the present state, and sample it if there is no sample: where a run was cut short.

        Gives whether there was anything to do.
        """
        if self.scored:
            return False
        told = [sampler.score() for sampler in self.samplers]
        self.scores = np.column_stack([self.scores, [s.nats / max(1.0, s.tokens) for s in told]])
        if self.taken == 0:
            for i in range(len(self.samplers)):
                self._add(i)
            self.taken = 1
        self.scored = True
        return True

    def _add(self, i: int) -> None:
        """Take a chain's present state as a sample."""
        counts = self.samplers[i].counts()
        ids = ids_of(self.samplers[i].small(), counts.shape[1])
        total = self.sums[i]
        if total is None:
            self.sums[i] = Sums(ids, np.ones(len(ids), np.int64), counts.astype(np.int64))
        else:
            total = total.of(ids)
            np.add(total.counts, counts, out=total.counts)
            self.sums[i] = total._replace(samples=total.samples + 1)

    def best(self) -> int:
        """The chain with the best mean score over the samples, before the first one over the last score."""
        if self.scores.shape[1] == 0:
            return 0
        return int(self.scores[:, -max(1, self.taken) :].mean(axis=1).argmax())

    def mean(self) -> tuple[Rows, Record]:
        """The best chain's mean counts over its samples, and the rest.

        A topic that no sample has had, as all before the first, has its present counts.
        """
        chain = self.best()
        counts, small = self.samplers[chain].counts().astype(np.float64), self.samplers[chain].small()
        total = self.sums[chain]
        if total is not None:
            total = total.of(ids_of(small, counts.shape[1]))
            had = total.samples > 0
            counts[:, had] = total.counts[:, had] / total.samples[had]
        return Rows(np.arange(len(counts)), counts), small

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Arrays from which `restore` makes the same chains."""
        arrays: dict[str, NDArray[Any]] = {
            f"{PREFIX}scores": self.scores,
            f"{PREFIX}taken": np.array(self.taken),
        }
        for i, (sampler, total) in enumerate(zip(self.samplers, self.sums, strict=True)):
            arrays |= {f"{PREFIX}{i}/{name}": values for name, values in sampler.snapshot().items()}
            if total is not None:
                arrays |= {f"{PREFIX}{i}/sum/{name}": values for name, values in total._asdict().items()}
        return arrays

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take the state of a snapshot. Raises ValueError for one of other chains."""
        self.scores = np.array(arrays[f"{PREFIX}scores"])
        self.taken = int(arrays[f"{PREFIX}taken"])
        if self.scores.ndim != 2 or len(self.scores) != len(self.samplers) or self.taken < 0:
            raise ValueError("scores of other chains")
        for i, sampler in enumerate(self.samplers):
            own = f"{PREFIX}{i}/"
            held = {name.removeprefix(own): a for name, a in arrays.items() if name.startswith(own)}
            sums = [held.pop(f"sum/{name}", None) for name in Sums._fields]
            self.sums[i] = None if sums[0] is None else Sums(*(np.array(values) for values in sums))
            sampler.restore(held)
            self._refuse_others(self.sums[i], len(sampler.counts()))

    @staticmethod
    def _refuse_others(sums: Sums | None, n_rows: int) -> None:
        """Raise ValueError where sums are not those of a chain over so many rows."""
        if sums is None:
            return
        n_topics = len(sums.ids)
        if sums.samples.shape != (n_topics,) or sums.counts.shape != (n_rows, n_topics):
            raise ValueError("samples of another chain")
        refuse_negative(sums.samples, "samples")
        refuse_negative(sums.counts, "counts")


def shrinkage(scores: Array) -> float:
    """Split R-hat of chains' scores (chains × times): near 1 where the chains agree (Gelman et al. 2013).

    NaN with fewer than two halves of two values, or where nothing varies.

    >>> shrinkage(np.array([[0.0, 1.0, 0.0, 1.0], [5.0, 6.0, 5.0, 6.0]])) > 2
    True
    """
    half = scores.shape[1] // 2
    if half < 2:
        return float("nan")
    parts = np.concatenate([scores[:, :half], scores[:, -half:]])
    within = parts.var(axis=1, ddof=1).mean()
    between = parts.mean(axis=1).var(ddof=1)
    return float(np.sqrt((half - 1) / half + between / within)) if within > 0.0 else float("nan")
