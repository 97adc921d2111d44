"""LDA of this library, with the interface of the peers."""

import time
import warnings
from typing import Any

import numpy as np
from benchmarks.watch import Watch
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning

from stickbreaker import LDA, Corpus
from stickbreaker.learning.schedules import Online


def schedule_of(settings: dict[str, Any], **defaults: float) -> tuple[Online | None, dict[str, Any]]:
    """The online schedule that settings name, or None, and the other settings."""
    names = ("batch_size", "kappa", "tau0")
    online = {**defaults, **{name: settings[name] for name in names if name in settings}}
    rest = {name: value for name, value in settings.items() if name not in names}
    return Online(**online) if online else None, rest


class Stickbreaker:
    """`LDA` with an inference and a schedule; a step is a pass, or a sweep of a Gibbs sampler."""

    module = "stickbreaker"

    def __init__(self, inference: str, schedule: str = "batch", threads: int = 1) -> None:
        self.inference = inference
        self.schedule = schedule
        self.threads = threads

    def fit(
        self, train: csr_matrix, n_topics: int, seed: int, settings: dict[str, Any], watch: Watch
    ) -> None:
        """One run gives the times. The topics at earlier steps are those of shorter runs with the same seed,
        whose bytes are those of its beginning; they are not timed."""
        warnings.simplefilter("ignore", ConvergenceWarning)
        corpus = Corpus.from_matrix(train)
        self._lda(n_topics, seed, settings, 1).fit(train[:200])  # compiles
        ends: dict[int, tuple[float, float]] = {}

        def note(record: Any) -> None:
            ends[record["pass"]] = time.process_time(), time.perf_counter()  # the last step of a pass is kept

        start = time.process_time(), time.perf_counter()
        model = self._lda(n_topics, seed, settings, watch.last, note).fit(corpus)
        watch.read_peak()
        for number in sorted(ends):
            watch.add(ends[number][0] - start[0], ends[number][1] - start[1])
            start = ends[number]
        for step in watch.at[:-1]:
            watch.point(step, self._lda(n_topics, seed, settings, step).fit(corpus).topic_word_)
        self.model = model
        watch.point(watch.last, self.topics())

    def topics(self) -> NDArray[np.float64]:
        return self.model.topic_word_

    def theta(self, counts: csr_matrix) -> NDArray[np.float64]:
        return self.model.transform(counts)

    def _lda(self, n_topics: int, seed: int, settings: dict[str, Any], steps: int, note: Any = None) -> LDA:
        online, rest = schedule_of(settings)
        return LDA(
            n_topics, inference=self.inference, schedule=online or self.schedule, max_iter=steps, tol=0.0,
            n_jobs=self.threads, random_state=seed, callbacks=[note] if note else None, **rest,
        )  # fmt: skip
