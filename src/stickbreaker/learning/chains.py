"""Runs several chains of a sampler side by side, and chooses the result of the best."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from stickbreaker.contracts.contract import Fitted, Sampler
from stickbreaker.core.records import AnyArray, Array
from stickbreaker.core.serialize import Arrays

PREFIX = "chain/"  # begins the names of arrays in a snapshot


class Chains:
    """Independent chains of one sampler, with different starts, of which the best gives the result.

    Every `every`-th sweep is scored, and hyperparameters are updated then; after `burn_in` sweeps, each
    scored state is a sample. Topics of different chains do not correspond. So each chain has its own samples,
    and the result is that of the chain whose samples have the best mean score, unless the sampler can pool
    several (`Sampler.pooled`). `threads`: the number shared by all chains.
    """

    def __init__(self, samplers: Sequence[Sampler], burn_in: int, every: int, threads: int) -> None:
        self.samplers = samplers
        self.burn_in = burn_in
        self.every = every
        self.threads = threads
        self.scores = np.empty((len(samplers), 0))  # nats per token of log p(w, z), chains × scored sweeps
        self.scored = True  # whether the current state is scored
        self.taken = 0

    def sweep(self, number: int, last: bool) -> bool:
        """Make sweep `number` (from 0) of every chain, in parallel; returns whether the states were scored.

        Sweeps 0, every - 1, 2 · every - 1, … are scored. last: whether it is the run's last one, whose states
        are always scored and added to the samples.
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
                sampler.keep()
            score = sampler.score()
            return score.nats / max(1.0, score.tokens)

        with ThreadPoolExecutor(min(self.threads, len(self.samplers))) as pool:
            scores = list(pool.map(work, range(len(self.samplers))))
        if due:
            self.scores = np.column_stack([self.scores, scores])
        self.taken += int(sample)
        self.scored = due
        return due

    def close(self) -> bool:
        """Score the chains' current states if their last sweep was not scored; returns whether that was so.

        Called when a run ends, possibly early. If there are no samples yet, the current states become
        samples.
        """
        if self.scored:
            return False
        scores = [sampler.score() for sampler in self.samplers]
        self.scores = np.column_stack([self.scores, [s.nats / max(1.0, s.tokens) for s in scores]])
        if self.taken == 0:
            for sampler in self.samplers:
                sampler.keep()
            self.taken = 1
        self.scored = True
        return True

    def best(self) -> int:
        """The index of the chain whose samples have the best mean score (before any: the best last score)."""
        if self.scores.shape[1] == 0:
            return 0
        return int(self.scores[:, -max(1, self.taken) :].mean(axis=1).argmax())

    def score(self) -> float:
        """The last score of the best chain, in nats per token."""
        return float(self.scores[self.best(), -1])

    def figures(self) -> Mapping[str, float]:
        """Numbers that describe the best chain's state, for the trace (`Sampler.figures`)."""
        return self.samplers[self.best()].figures()

    def fitted(self) -> Fitted:
        """What the best chain has learned, pooled with the others' samples if the sampler can do that."""
        best = self.best()
        return self.samplers[best].pooled([*self.samplers[:best], *self.samplers[best + 1 :]])

    def release(self) -> None:
        """Free the memory of the samplers, after their result was read; scores stay."""
        self.samplers = ()

    def snapshot(self) -> dict[str, AnyArray]:
        """Arrays from which `restore` rebuilds the same chains."""
        arrays: dict[str, AnyArray] = {f"{PREFIX}scores": self.scores, f"{PREFIX}taken": np.array(self.taken)}
        for i, sampler in enumerate(self.samplers):
            arrays |= {f"{PREFIX}{i}/{name}": values for name, values in sampler.snapshot().items()}
        return arrays

    def restore(self, arrays: Arrays) -> None:
        """Restore the state of a snapshot. Raises ValueError if it does not fit these chains."""
        self.scores = np.array(arrays[f"{PREFIX}scores"])
        self.taken = int(arrays[f"{PREFIX}taken"])
        if self.scores.ndim != 2 or len(self.scores) != len(self.samplers) or self.taken < 0:
            raise ValueError("scores of other chains")
        for i, sampler in enumerate(self.samplers):
            own = f"{PREFIX}{i}/"
            sampler.restore({n.removeprefix(own): a for n, a in arrays.items() if n.startswith(own)})


def shrinkage(scores: Array) -> float:
    """Split R-hat of chains' scores (chains × times): near 1 if they have mixed (Gelman et al. 2013).

    NaN for fewer than four times, or if no half of a chain varies.

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
