"""The programs of the benchmark on Spark: ours on Spark and on threads, MLlib's LDA by both optimizers."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from benchmarks.contest import Settings
from benchmarks.ours import schedule_of
from benchmarks.spark_data import Data
from benchmarks.spark_watch import DriverBytes
from numpy.typing import NDArray

from stickbreaker import LDA, Corpus
from stickbreaker.estimators import model_runs
from stickbreaker.estimators.model_runs import EndedRun
from stickbreaker.learning.loop import run
from stickbreaker.learning.observers import Observer, Trace
from stickbreaker.learning.run import Run, RunState
from stickbreaker.learning.variational import VariationalRun
from stickbreaker.topics.learner import LDA as LEARNER

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ENGINE = ("task_bytes", "portion", "blocks")

Array = NDArray[np.float64]


class Program(Protocol):
    """A program that is measured."""

    facts: dict[str, Any]  # figures of its last run

    def take(self, data: Data) -> None:
        """Read the documents to learn from."""

    def run(self, n_topics: int, seed: int, settings: Settings, passes: int) -> Callable[[], Array]:
        """Learn from the beginning; returns a function that returns topics × words."""


class Ours:
    """`LDA`; a step is a pass. Without a session it runs on `threads` threads of this process."""

    def __init__(self, inference: str, session: "SparkSession | None", threads: int = 1) -> None:
        self.inference, self.session, self.threads = inference, session, threads
        self.facts: dict[str, Any] = {}
        self.counted = DriverBytes()

    def take(self, data: Data) -> None:
        self.corpus = Corpus.open(data.store)
        if self.session is not None:
            self.counted.watch()

    def run(self, n_topics: int, seed: int, settings: Settings, passes: int) -> Callable[[], Array]:
        model, trace, counted = self._lda(n_topics, seed, settings, passes), Trace(), self.counted
        steps: list[dict[str, int]] = []

        class Steps(Observer):
            def step(self, job: Run[Any], state: RunState, record: dict[str, Any]) -> bool:
                steps.append(counted.taken())
                return False

        job, state = LEARNER.new_run(model.settings, self.corpus, seed)
        counted.taken()
        run(job, state, [trace, Steps()])
        self.facts = {"last_step": {**steps[-1], **figures_of(job), "steps": len(steps)}}
        return lambda: topics_of(model, self.corpus, job, state, trace)

    def _lda(self, n_topics: int, seed: int, settings: Settings, passes: int) -> LDA:
        engine: Any = "local"
        if self.session is not None:
            from stickbreaker.engines.spark import SparkEngine

            engine = SparkEngine(self.session, **{n: settings[n] for n in ENGINE if n in settings})
        online, rest = schedule_of({name: settings[name] for name in settings if name not in ENGINE})
        return LDA(
            n_topics, inference=self.inference, schedule=online or "batch", max_iter=passes, tol=0.0,
            n_jobs=self.threads, random_state=seed, engine=engine, **rest,
        )  # fmt: skip


def topics_of(model: LDA, corpus: Corpus, job: Run[Any], state: RunState, trace: Trace) -> Array:
    """Topics × words of a run."""
    return model_runs.learned_by(LEARNER, model.settings, corpus, EndedRun(job, state, trace)).topic_word


def figures_of(job: Run[Any]) -> dict[str, float]:
    """Records and bytes that the last map shuffled, and the bytes of its files."""
    from stickbreaker.engines.spark import ShardedEngine

    if not isinstance(job, VariationalRun) or not isinstance(job.engine, ShardedEngine):
        return {}
    files = [path for path in Path(job.engine.folder).rglob("*.arrow") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    return {
        "records": job.engine.traffic["records"],
        "shuffled": job.engine.traffic["bytes"],
        "files": len(files),
        "filed": size,
    }


class MLlib:
    """`pyspark.ml.clustering.LDA`, its documents held in memory before the clock starts.

    A step is a pass: one iteration by "em", by "online" as many iterations as sample the whole corpus.
    """

    facts: ClassVar[dict[str, Any]] = {}

    def __init__(self, optimizer: str, session: "SparkSession") -> None:
        self.optimizer, self.session = optimizer, session
        self.scratch = tempfile.TemporaryDirectory(prefix="mllib-")
        session.sparkContext.setCheckpointDir(self.scratch.name)  # without checkpoints EM's lineage grows

    def take(self, data: Data) -> None:
        n_words = int(data.about()["words"])
        reader = self.session.read.format("libsvm").option("numFeatures", n_words)
        self.documents = reader.load(str(data.svm)).select("features").repartition(self._tasks()).persist()
        self.documents.count()

    def run(self, n_topics: int, seed: int, settings: Settings, passes: int) -> Callable[[], Array]:
        model = self._lda(n_topics, seed, settings, passes).fit(self.documents)
        return lambda: model.topicsMatrix().toArray().T  # for EM a sum over the graph, not part of learning

    def _tasks(self) -> int:
        """Partitions: as many as the session's cores, twice over."""
        return 2 * self.session.sparkContext.defaultParallelism

    def _lda(self, n_topics: int, seed: int, settings: Settings, passes: int) -> Any:
        from pyspark.ml.clustering import LDA as Theirs

        rate = settings.get("subsamplingRate", 0.05) if self.optimizer == "online" else 1.0
        given = dict(settings)
        alpha = given.pop("docConcentration", None)
        if alpha is not None:
            given["docConcentration"] = [alpha]
        steps = max(1, round(passes / rate))
        return Theirs(k=n_topics, seed=seed, optimizer=self.optimizer, maxIter=steps, **given)
