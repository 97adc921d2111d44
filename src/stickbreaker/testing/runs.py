"""Runs of a small mixture model, step by step, for the test suites of engines."""

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from stickbreaker.contracts.contract import Step
from stickbreaker.core.random_streams import stream
from stickbreaker.corpus.shards import Bags, Shard
from stickbreaker.engines.engine import Engine
from stickbreaker.learning.schedules import Batch, Minibatch, Online
from stickbreaker.learning.variational import VariationalRun, VariationalState, advance
from stickbreaker.testing.unigram_mixture import GrowingMixture
from stickbreaker.topics import purposes

ROUTE = Online(batch_size=24, kappa=0.5, tau0=1.0)
THEMES = ("law", "sea")
LATEST = 5  # number of times with words of their own
WORDS = tuple(
    sorted(
        [f"{theme}{i}" for theme in THEMES for i in range(6)]
        + [f"{theme}{time}new{i}" for theme in THEMES for time in range(LATEST) for i in range(2)]
    )
)  # words of the documents that occur more than once


def documents(step: int) -> list[list[str]]:
    """The 24 documents (lists of words) of a step, 12 about each of two themes.

    Of a document's 11 tokens, eight are words of its theme, two are words of its theme that are replaced by
    new ones every three steps, and one occurs nowhere else.
    """
    generator = stream(5, purposes.SEED_DOCUMENTS, step)
    out: list[list[str]] = []
    for d in range(24):
        theme = "sea" if d % 2 else "law"
        out.append(
            [f"{theme}{generator.integers(6)}" for _ in range(8)]
            + [f"{theme}{step // 3}new{generator.integers(2)}" for _ in range(2)]
            + [f"once{step}x{d}"]
        )
    return out


def shards_of(texts: list[list[str]], first: int, size: int = 5) -> list[Shard[Bags]]:
    """Texts (lists of words) as shards of `size` documents; words have keys, and no row yet (-1).

    first: the number of the first document.
    """
    shards: list[Shard[Bags]] = []
    for start in range(0, len(texts), size):
        part = texts[start : start + size]
        keys = sorted({word for text in part for word in text})
        place = {key: i for i, key in enumerate(keys)}
        bags = [np.unique([place[w] for w in text], return_counts=True) for text in part]
        shards.append(
            Shard(
                documents=np.arange(first + start, first + start + len(part)),
                content=Bags(
                    np.cumsum([0] + [len(codes) for codes, _ in bags]).astype(np.int64),
                    np.concatenate([codes for codes, _ in bags]).astype(np.int32),
                    np.concatenate([counts for _, counts in bags]).astype(np.float32),
                    np.zeros(len(part), np.float32),
                ),
                rows=np.full(len(keys), -1, np.int64),
                keys=keys,
            )
        )
    return shards


class Runs(ABC):
    """Makes runs of a model for tests, step by step.

    A subclass chooses the model, the engine, the table's rows, and the documents of each step.
    """

    model: ClassVar[Any]  # called without arguments, returns a new model
    steps: ClassVar[int]
    workers: ClassVar[tuple[int, ...]] = (2, 3)  # numbers of workers that must learn what one learns

    @abstractmethod
    def engine(self, n_jobs: int) -> Engine:
        """A new engine with `n_jobs` workers, or with the only number that it supports."""

    @abstractmethod
    def start(self, engine: Engine, model: Any) -> None:
        """Begin a run on an engine, with the table that the model starts from."""

    @abstractmethod
    def shards(self, number: int) -> list[Shard]:
        """The 24 documents of step `number`, as shards."""

    @abstractmethod
    def words(self, engine: Engine) -> list[str]:
        """The words of the table's rows, in order."""

    def start_run(self, n_jobs: int = 1) -> tuple[VariationalRun, VariationalState]:
        """A run before its first step, and its state."""
        model, engine = self.model(), self.engine(n_jobs)
        self.start(engine, model)
        job = VariationalRun(model, engine, ROUTE, None, seed=3)  # type: ignore[arg-type]
        return job, VariationalState(model.start())

    def minibatch(self, number: int) -> Minibatch:
        shards = self.shards(number)
        step, keep, add = ROUTE.step_for(number, 24.0 * number, 24, 240.0)
        return Minibatch(shards, len(shards), 24, step, keep, add, ends_pass=False)

    def in_batch(self, passes: int) -> tuple[Engine, list[float]]:
        """Run batch inference on the documents of step 0; returns the engine, and the score of each pass."""
        job, state = self.start_run()
        whole, scores = replace(job, schedule=Batch()), list[float]()
        for number in range(passes):
            step = Step(number, 1.0, 1.0, 24.0 * number)
            shards = self.shards(0)
            record = advance(whole, state, Minibatch(shards, len(shards), 24, step, 0.0, 1.0, ends_pass=True))
            scores.append(record["score"])
        return job.engine, scores

    def after(self, steps: int) -> tuple[VariationalRun, VariationalState]:
        """Make a new run's first `steps` steps; returns the run and its state."""
        job, state = self.start_run()
        for number in range(steps):
            advance(job, state, self.minibatch(number))
        return job, state

    def history(
        self, n_jobs: int = 1
    ) -> tuple[VariationalRun, VariationalState, list[dict[str, object]], list[list[str]], list[int]]:
        """Make a complete run; returns it, its state, its trace, and the table's form after each step.

        The form is the words of its rows, and its number of columns.
        """
        job, state = self.start_run(n_jobs)
        records, words, columns = [], [], []
        for number in range(self.steps):
            records.append(advance(job, state, self.minibatch(number)))
            words.append(self.words(job.engine))
            columns.append(job.engine.table.totals().shape[1])
        return job, state, records, words, columns


class GrowingRuns(Runs):
    """Runs whose table has keyed rows, and is empty at first."""

    def start(self, engine: Engine, model: GrowingMixture) -> None:
        engine.start(model, np.empty((0, model.start_components)), [])

    def shards(self, number: int) -> list[Shard[Bags]]:
        return shards_of(documents(number), 24 * number)

    def words(self, engine: Engine) -> list[str]:
        return list(engine.snapshot()[1] or [])


class ClosedRuns(Runs):
    """Runs whose table has a fixed row, known by number, for each of `WORDS`."""

    def start(self, engine: Engine, model: GrowingMixture) -> None:
        engine.start(model, np.zeros((len(WORDS), model.start_components)))

    def shards(self, number: int) -> list[Shard[Bags]]:
        rows = {word: row for row, word in enumerate(WORDS)}
        known = [[word for word in text if word in rows] for text in documents(number)]
        spelled = [(shard, shard.keys or ()) for shard in shards_of(known, 24 * number)]
        return [
            replace(each, rows=np.array([rows[key] for key in keys]), keys=None) for each, keys in spelled
        ]

    def words(self, engine: Engine) -> list[str]:
        return list(WORDS)
