"""The programs of the benchmark on Spark: ours on Spark and on threads, MLlib's LDA by both optimizers."""

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from spark_data import Data
from spark_watch import DriverBytes, TreeWatch, tree_seconds

from stickbreaker import LDA, Corpus, Online
from stickbreaker.estimators import fitting
from stickbreaker.learning.loop import Run, RunState, run
from stickbreaker.learning.observers import Observer, Trace

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SCHEDULE = ("batch_size", "kappa", "tau0")
ENGINE = ("task_bytes", "portion", "blocks")

Array = NDArray[np.float64]
Settings = dict[str, Any]


class Ours:
    """`LDA`; a step is a pass. Without a session on `threads` threads of this process."""

    def __init__(self, inference: str, session: "SparkSession | None", threads: int = 1) -> None:
        self.inference, self.session, self.threads = inference, session, threads

    def fit(self, data: Data, n_topics: int, seed: int, settings: Settings, watch: TreeWatch) -> None:
        corpus, counted = Corpus.open(data.store), DriverBytes()
        self._warm(corpus, n_topics, settings)
        if self.session is not None:
            counted.watch()
        model, trace = self._lda(n_topics, seed, settings, watch.last), Trace()
        steps: list[dict[str, float]] = []
        watch.facts["last_step"] = {}

        class Passes(Observer):
            def step(self, job: Run, state: RunState, record: dict[str, Any]) -> bool:
                steps.append({**told_of(job), **counted.taken()})
                if state.in_pass == 0:
                    watch.step(lambda: topics_of(model, corpus, job, state, trace))
                    counted.taken()
                return False

        watch.start()
        model.seed_ = seed
        job, state = fitting.new_run(model, corpus, seed)
        counted.taken()
        run(job, state, [trace, Passes()])
        watch.facts["last_step"] = {**steps[-1], "steps": len(steps)}

    def _warm(self, corpus: Corpus, n_topics: int, settings: Settings) -> None:
        """Compile, and let the workers compile, on a few documents."""
        few = Corpus.from_matrix(np.eye(64, min(corpus.n_words, 128)))
        self._lda(n_topics, 0, settings, 2).fit(few)

    def _lda(self, n_topics: int, seed: int, settings: Settings, passes: int) -> LDA:
        engine: Any = "local"
        if self.session is not None:
            from stickbreaker.engines.spark import SparkEngine

            engine = SparkEngine(self.session, **{n: settings[n] for n in ENGINE if n in settings})
        online = {name: settings[name] for name in SCHEDULE if name in settings}
        rest = {name: value for name, value in settings.items() if name not in (*SCHEDULE, *ENGINE)}
        return LDA(
            n_topics,
            inference=self.inference,
            schedule=Online(**online) if online else "batch",
            max_iter=passes,
            tol=0.0,
            n_jobs=self.threads,
            random_state=seed,
            engine=engine,
            **rest,
        )


def topics_of(model: LDA, corpus: Corpus, job: Run, state: RunState, trace: Trace) -> Array:
    """Topics × words of a run under way."""
    fitting.finish(model, corpus, job, state, trace)
    return model.topic_word_


def told_of(job: Run) -> dict[str, float]:
    """Records and bytes that the last map shuffled, and the bytes of the files that it left."""
    from stickbreaker.engines.spark import SparkBlocks

    if not isinstance(job.engine, SparkBlocks):
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

    A step is a pass: an iteration by "em", as many as make a pass of the samples by "online". It tells its
    topics only at the end, so each point is a run of its own, after one that is not counted and lets Java
    compile; the runs share their times as `Watch.whole_run` says.
    """

    def __init__(self, optimizer: str, session: "SparkSession") -> None:
        self.optimizer, self.session = optimizer, session
        self.scratch = tempfile.TemporaryDirectory(prefix="mllib-")
        session.sparkContext.setCheckpointDir(self.scratch.name)  # without one EM's lineage grows

    def fit(self, data: Data, n_topics: int, seed: int, settings: Settings, watch: TreeWatch) -> None:
        n_words = int(data.about()["words"])
        reader = self.session.read.format("libsvm").option("numFeatures", n_words)
        documents = reader.load(str(data.svm)).select("features").repartition(self._tasks()).persist()
        documents.count()
        self._lda(n_topics, seed, settings, 1).fit(documents).topicsMatrix()
        for passes in watch.at:
            cpu, wall = tree_seconds(), time.perf_counter()
            model = self._lda(n_topics, seed, settings, passes).fit(documents)
            cpu, wall = tree_seconds() - cpu, time.perf_counter() - wall
            topics = model.topicsMatrix().toArray().T  # of EM a sum over the graph, so not a part of learning
            watch.whole_run(passes, cpu, wall, topics)
        documents.unpersist()

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
