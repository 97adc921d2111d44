"""Schedules: which documents each step reads, and how its statistics are blended into the table."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from stickbreaker.contracts.contract import Step
from stickbreaker.core import purposes
from stickbreaker.core.parameter_fields import with_parameter_section
from stickbreaker.core.random_streams import stream
from stickbreaker.corpus.shards import Shard
from stickbreaker.corpus.source import Shards, Source
from stickbreaker.learning.schedule_parameters import MemoisedParameters, OnlineParameters

LEAST = 256  # fewest documents of a memoised minibatch, unless `batch_size` is given
SEEN = "seen"  # a total: the number of documents so far
PART = 100  # while minibatches grow, a step reads one part in this many of the documents seen before
FRESH = 20  # most passes of a memoised run in which documents start afresh


@dataclass(frozen=True, slots=True)
class Minibatch:
    """The documents of one step, and how it updates the table: table ← keep · table + add · new counts.

    If it has a `number`, the report of its last visit is stored under it. Then the table becomes keep · table
    - last report + new report; keep is 1, or 0 if the table is to be the sum of all stored reports
    (`Engine.replace_report`).
    """

    shards: Shards | Sequence[Shard]
    n_shards: int
    n_documents: int
    step: Step
    keep: float
    add: float
    ends_pass: bool
    number: int | None = None  # number of a minibatch whose last report is subtracted; None: nothing is


class Schedule(ABC):
    """Yields the minibatches of a pass; a schedule has settings and no state."""

    @abstractmethod
    def minibatches(
        self, source: Source, pass_number: int, step: int, seen: float, seed: int
    ) -> Iterator[Minibatch]:
        """The minibatches of one pass, from its start. step, seen: steps and documents before the pass."""

    @property
    @abstractmethod
    def exact(self) -> bool:
        """Whether each step reads all documents, so that its score is the exact bound."""

    @property
    def keeps_reports(self) -> bool:
        """Whether the last report of each minibatch is stored, so that the table can be their sum."""
        return False


@dataclass(frozen=True, slots=True)
class Batch(Schedule):
    """Batch inference: every step is a pass over all documents, whose counts replace the table."""

    @property
    def exact(self) -> bool:
        return True

    def minibatches(
        self, source: Source, pass_number: int, step: int, seen: float, seed: int
    ) -> Iterator[Minibatch]:
        shards, n = source.all_shards(), source.n_documents
        yield Minibatch(shards, len(shards), n, Step(step, 1.0, 1.0, seen), 0.0, 1.0, ends_pass=True)


@with_parameter_section
class Memoised(MemoisedParameters, Schedule):
    """Memoised inference: each minibatch's new statistics replace its last ones in the table.

    After the first pass, the table is the sum over the latest reports of all documents (Hughes & Sudderth
    2013; Neal & Hinton 1998), so there is no learning rate, and the bound is exact at every step. In the
    first pass the table also contains the random seed counts, which are subtracted at its end. For at
    most `FRESH` passes, inference starts afresh for each document; from then on each uses the better of a new
    start and its last record, and the bound never falls. Minibatches are the same in every pass. Memory: one
    report (rows × columns, single precision) per minibatch, and documents' records.

    >>> Memoised(batch_size=512).keeps_reports
    True
    """

    @property
    def exact(self) -> bool:
        return False

    @property
    def keeps_reports(self) -> bool:
        return True

    def minibatches(
        self, source: Source, pass_number: int, step: int, seen: float, seed: int
    ) -> Iterator[Minibatch]:
        tenth = -(-source.n_documents // (10 * source.shard_size)) * source.shard_size
        size = self.batch_size or max(LEAST, tenth)
        same = stream(seed, purposes.SHUFFLE, 0)  # not the pass: documents keep their minibatch
        left = source.n_documents
        for number, numbers in enumerate(cut(source.windows(same), repeat(size))):
            n = len(numbers)
            left -= n
            # seeds are in the table throughout the first pass
            keep = 0.0 if pass_number == 0 and left == 0 else 1.0
            yield Minibatch(
                source.shards(numbers),
                -(-n // source.shard_size),
                n,
                Step(step, 1.0, 1.0, seen),
                keep,
                1.0,
                left == 0,
                number,
            )
            step += 1
            seen += n


@with_parameter_section
class Online(OnlineParameters, Schedule):
    """Stochastic natural gradient steps on minibatches (Hoffman et al. 2010; Zhai 2014, eq. 6.3-6.4).

    Step t = 0, 1, … blends with rate rho = min(1, (tau0 + t)^-kappa): counts ← (1 - rho) counts +
    rho (D / |S|) fresh counts, of a minibatch S and D = `total` documents.

    >>> Online(batch_size=64, kappa=0.7, tau0=1.0).rate(0)
    1.0
    """

    @property
    def exact(self) -> bool:
        return False

    def total_of(self, documents: int) -> float:
        """D, the number of documents in all: `total` if that is a number, otherwise `documents`.

        documents: the number in the corpus, or in the stream so far.
        """
        return float(documents) if self.total in (None, SEEN) else float(self.total or 0.0)

    def with_defaults(self, kappa: float, tau0: float) -> "Online":
        """This schedule, with a model's defaults for kappa and tau0 where they are None."""
        return Online(
            self.batch_size,
            kappa if self.kappa is None else self.kappa,
            tau0 if self.tau0 is None else self.tau0,
            self.total,
            self.shuffle,
            self.first_batch,
        )

    def rate(self, step: int) -> float:
        """The rate rho of step number `step`, from 0, with kappa 0.7 and tau0 64 if they are None."""
        kappa = 0.7 if self.kappa is None else self.kappa
        tau0 = 64.0 if self.tau0 is None else self.tau0
        return min(1.0, (tau0 + step) ** -kappa)

    def sizes(self, pass_number: int) -> Iterator[int]:
        """The numbers of documents for the steps of a pass, without end; in the first pass they may grow."""
        first, seen = self.first_batch, 0
        while pass_number == 0 and first is not None and max(first, seen // PART) < self.batch_size:
            size = max(first, seen // PART)
            yield size
            seen += size
        yield from repeat(self.batch_size)

    def step_for(self, number: int, seen: float, documents: int, total: float) -> tuple[Step, float, float]:
        """How a minibatch of `documents` documents is blended: its Step, and the factors keep and add.

        The table becomes keep · table + add · new counts. number: of the step; seen: documents read before
        it; total: D. If the schedule's `total` is "seen", D is the documents read so far, at most `total`.
        """
        rate, growth = self.rate(number), 1.0
        if self.total == SEEN:
            before, total = min(seen, total), min(seen + documents, total)
            growth = total / before if before else 1.0
        scale = total / max(1, documents)
        return Step(number, rate, scale, seen, growth), (1.0 - rate) * growth, rate * scale

    def minibatches(
        self, source: Source, pass_number: int, step: int, seen: float, seed: int
    ) -> Iterator[Minibatch]:
        total = self.total_of(source.n_documents)
        left = source.n_documents
        windows = source.windows(stream(seed, purposes.SHUFFLE, pass_number) if self.shuffle else None)
        for numbers in cut(windows, self.sizes(pass_number)):
            n = len(numbers)
            left -= n
            at, keep, add = self.step_for(step, seen, n, total)
            yield Minibatch(
                source.shards(numbers), -(-n // source.shard_size), n, at, keep, add, ends_pass=left == 0
            )
            step += 1
            seen += n


def cut(windows: Iterator[NDArray[np.int64]], sizes: Iterator[int]) -> Iterator[NDArray[np.int64]]:
    """Regroup document numbers from arrays of any size (`windows`) into arrays of the sizes given, in order.

    `sizes` must not end before the documents do. The last array may be smaller.
    """
    rest, size = np.empty(0, np.int64), next(sizes)
    for window in windows:
        rest = np.concatenate([rest, window])
        while len(rest) >= size:
            yield rest[:size]
            rest, size = rest[size:], next(sizes)
    if len(rest):
        yield rest
