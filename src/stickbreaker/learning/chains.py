"""Chains: samplers side by side, and the mean of what they draw."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array, Record, Rows
from stickbreaker.models.contract import Sampler

PREFIX = "chain/"  # of the arrays of a snapshot


class Chains:
    """Independent chains of one sampler, with different starts.

    Every `every`-th sweep is scored and moves the hyperparameters; after `burn_in` sweeps it is a sample.
    Topics of different chains do not correspond, so samples are averaged within a chain, and the chain whose
    samples have the best mean score speaks for all.
    """

    def __init__(self, samplers: Sequence[Sampler], burn_in: int, every: int, threads: int) -> None:
        self.samplers = samplers
        self.burn_in = burn_in
        self.every = every
        self.threads = threads
        self.scores = np.empty((len(samplers), 0))  # nats a token of log p(w, z), chains × scored sweeps
        self.scored = True  # the present state
        self.taken = 0
        self.sums: list[NDArray[np.int64] | None] = [None] * len(samplers)

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
                counts = sampler.counts()
                total = self.sums[i]
                self.sums[i] = counts.astype(np.int64) if total is None else np.add(total, counts, out=total)
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
            self.sums = [sampler.counts().astype(np.int64) for sampler in self.samplers]
            self.taken = 1
        self.scored = True
        return True

    def best(self) -> int:
        """The chain with the best mean score over the samples, before the first one over the last score."""
        if self.scores.shape[1] == 0:
            return 0
        return int(self.scores[:, -max(1, self.taken) :].mean(axis=1).argmax())

    def mean(self) -> tuple[Rows, Record]:
        """The best chain's mean counts over its samples (before the first: present counts), and the rest."""
        chain = self.best()
        total = self.sums[chain]
        counts = self.samplers[chain].counts() if total is None else total / self.taken
        rows = Rows(np.arange(len(counts)), np.asarray(counts, np.float64))
        return rows, self.samplers[chain].small()

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Arrays from which `restore` makes the same chains."""
        arrays: dict[str, NDArray[Any]] = {
            f"{PREFIX}scores": self.scores,
            f"{PREFIX}taken": np.array(self.taken),
        }
        for i, (sampler, total) in enumerate(zip(self.samplers, self.sums, strict=True)):
            arrays |= {f"{PREFIX}{i}/{name}": values for name, values in sampler.snapshot().items()}
            if total is not None:
                arrays[f"{PREFIX}{i}/sum"] = total
        return arrays

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take the state of a snapshot."""
        self.scores = np.array(arrays[f"{PREFIX}scores"])
        self.taken = int(arrays[f"{PREFIX}taken"])
        for i, sampler in enumerate(self.samplers):
            own = f"{PREFIX}{i}/"
            held = {name.removeprefix(own): a for name, a in arrays.items() if name.startswith(own)}
            total = held.pop("sum", None)
            self.sums[i] = None if total is None else np.array(total)
            sampler.restore(held)


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
