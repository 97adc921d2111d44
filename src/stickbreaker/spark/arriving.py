"""A model that learns from files as they arrive in a directory, by Spark's Structured Streaming.

Spark may hand over a micro-batch twice: after a crash between the save of the model and its own note of the
batch. The number of the last batch therefore travels in the model's manifest, in the rename that makes a save
count: each micro-batch is learned from exactly once, whenever the driver dies.
"""

import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Analysis, Corpus, Vocabulary, VocabularyRule
from stickbreaker.corpus.polylingual import analysis_from
from stickbreaker.corpus.source import Source
from stickbreaker.engines.spark import SparkEngine
from stickbreaker.estimators.engines import engine_of
from stickbreaker.estimators.fitting import begun
from stickbreaker.estimators.moments import Moments, is_date
from stickbreaker.estimators.online import online_step
from stickbreaker.estimators.opening import source_of
from stickbreaker.estimators.saving import about, estimator_of, manifest_of
from stickbreaker.estimators.settings import seed_of
from stickbreaker.estimators.topics import TopicEstimator
from stickbreaker.learning.loop import Run
from stickbreaker.learning.observers import Clock, Trace, TraceRecord
from stickbreaker.learning.schedules import Online, cut
from stickbreaker.models.topics import TopicModel
from stickbreaker.saved import ModelDirectory
from stickbreaker.saved.checkpoints import snapshot_of, state_of
from stickbreaker.saved.directory import new_model_directory
from stickbreaker.spark.frames import corpus_from_frame

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

ARRIVING = "arriving"  # of a manifest: what files are read, and the number of the last micro-batch
BROKEN = "_broken"  # a line that is no JSON object
FIXED = ("stickbreaker", "estimator", "settings", "held_out", "corpus", "corpus_path")  # in a manifest
Watch = Callable[[TraceRecord], object]


@dataclass(frozen=True)
class Arrivals:
    """Which files are learned from: JSON Lines (.gz too) that are put, whole, into `directory`.

    `date_field` names the field with a document's date (ISO 8601), if it has one; `files` are taken at a time
    at most; lines that cannot be read end the run ("fail") or are left out ("skip").
    """

    directory: str
    text_field: str = "text"
    date_field: str = "date"
    files: int | None = None
    on_error: str = "fail"


def offsets_of(path: Path) -> Path:
    """Where Spark notes which files it has handed over: beside the model."""
    return path.with_name(f"{path.name}.offsets")


class Arriving:
    """A model at `path` and the micro-batches that it learns from; made by the first one.

    Raises UserError where something else is at `path`, or another stream's model. Holds the model's lock
    while it is open; `close` gives it up.
    """

    def __init__(
        self,
        estimator: TopicEstimator,
        arrivals: Arrivals,
        analysis: Analysis,
        path: Path,
        vocabulary: Vocabulary | None = None,
        watch: Watch | None = None,
    ) -> None:
        assert isinstance(estimator.engine, SparkEngine)
        _checked(estimator, vocabulary)
        self.estimator, self.arrivals, self.analysis = estimator, arrivals, analysis.resolved()
        self.path, self.vocabulary, self.watch = path, vocabulary, watch
        self.spark = estimator.engine
        self.failure: UserError | None = None  # in a micro-batch: Spark tells it in pages
        self.skipped = 0
        self.is_open = False
        if path.exists():
            self._open()

    # the query

    def start(self, *, once: bool = False) -> "StreamingQuery":
        """Learn from what is there and, unless `once`, from what arrives, until the query is stopped."""
        from pyspark.sql.types import StringType, StructField, StructType

        directory = Path(self.arrivals.directory)
        if not directory.is_dir():
            raise UserError("there is no such directory", where=directory, remedy="make it, and put files in")
        names = dict.fromkeys([self.arrivals.text_field, self.arrivals.date_field, BROKEN])
        schema = StructType([StructField(name, StringType()) for name in names])
        reader = self.spark.session.readStream.schema(schema).option("columnNameOfCorruptRecord", BROKEN)
        if self.arrivals.files is not None:
            reader = reader.option("maxFilesPerTrigger", self.arrivals.files)
        frame = reader.json(str(directory.resolve()))
        frame = frame.select("*", "_metadata.file_path", "_metadata.file_block_start")
        writer = frame.writeStream.foreachBatch(self.learn)
        writer = writer.option("checkpointLocation", str(offsets_of(self.path).resolve()))
        return writer.trigger(availableNow=True).start() if once else writer.start()

    def learn(self, frame: "DataFrame", batch: int) -> None:
        """Learn from a micro-batch, unless the model has done so."""
        if self.is_open and batch <= self.fixed[ARRIVING]["batch"]:
            return
        try:
            self._learn(frame, batch)
        except UserError as error:
            self.failure = error
            raise

    def _learn(self, frame: "DataFrame", batch: int) -> None:
        folder = offsets_of(self.path) / "documents"
        corpus = self._stored(frame, folder)
        if not self.is_open:
            if corpus is None:  # nothing to begin with: a later batch begins
                return
            self._begin(corpus)
        elif batch == 0 and self.fixed[ARRIVING]["batch"] >= 0:
            raise _other_offsets(self.path)
        if corpus is not None:
            self._steps(corpus)
        self.fixed[ARRIVING]["batch"] = batch
        self._save()
        shutil.rmtree(folder, ignore_errors=True)

    def _stored(self, frame: "DataFrame", folder: Path) -> Corpus | None:
        """A micro-batch as a corpus that executors write, in the order of its files' lines."""
        from pyspark.sql import functions as F

        frame = frame.withColumn("_line", F.monotonically_increasing_id())
        order = ["file_path", "file_block_start", "_line"]
        parts = self.spark.session.sparkContext.defaultParallelism
        frame = frame.repartitionByRange(parts, *order).sortWithinPartitions(*order).persist()
        try:
            text, date = self.arrivals.text_field, self.arrivals.date_field
            wrong = frame.where(F.col(BROKEN).isNotNull() | F.col(text).isNull())
            self._refuse(wrong, text)
            good = frame.where(F.col(BROKEN).isNull() & F.col(text).isNotNull())
            latest = good.agg(F.max(date)).first() if date in frame.columns else None
            if latest is not None and latest[0] is not None and is_date(latest[0]):
                self.date = latest[0]
            good = good.select(F.col(text).alias("text"))
            if good.isEmpty():
                return None
            rule = VocabularyRule(1, 1.0)
            return corpus_from_frame(
                good, folder, analysis=self.analysis, rule=rule, vocabulary=self.vocabulary, overwrite=True
            )
        finally:
            frame.unpersist()

    def _refuse(self, wrong: "DataFrame", text: str) -> None:
        """Raise UserError for a line that cannot be read, or count it where such lines are left out."""
        if self.arrivals.on_error == "skip":
            self.skipped += wrong.count()
            return
        row = wrong.first()
        if row is not None:
            broken = row[BROKEN]
            told = f"no JSON object: {broken[:60]!r}" if broken else f"a line has no field {text!r}"
            where = row["file_path"].removeprefix("file://").removeprefix("file:")
            raise UserError(told, where=where, remedy="mend the file, or give --on-error skip")

    # the model

    def _begin(self, corpus: Corpus) -> None:
        """Make the model's directory at step 0; the micro-batch is learned from afterwards."""
        estimator = self.estimator
        model = estimator._topic_model(corpus.vocabulary, self.analysis, stream=True)
        seed, known = seed_of(estimator.random_state), about(corpus)
        known |= {"documents": 0, "tokens": 0.0, "empty": 0, "analysis": self.analysis.to_dict()}
        with new_model_directory(self.path, overwrite=False) as directory:
            engine = engine_of(estimator, model, folder=directory.path)
            schedule = estimator._schedule()
            job, state = begun(estimator, Run(model, engine, schedule, source_of(corpus, model), seed))
            directory.write_vocabulary(corpus.vocabulary)
            told = {**asdict(self.arrivals), "batch": -1}
            fixed = {**manifest_of(estimator, seed, known), ARRIVING: told}
            directory.write(snapshot_of(job, state, fixed, "running"))
        self._open()

    def _open(self) -> None:
        """Take up the model where it was saved."""
        directory = ModelDirectory(self.path)
        manifest = directory.manifest()
        if manifest.get(ARRIVING, {}).get("directory") != self.arrivals.directory:
            told = f"is not a model of the files that arrive in {self.arrivals.directory}"
            raise UserError(told, where=self.path, remedy="choose another path for the model")
        if not offsets_of(self.path).is_dir():
            raise _other_offsets(self.path)
        directory.lock()
        snapshot = directory.read()
        directory.truncate_trace(snapshot.manifest)
        manifest = snapshot.manifest
        self.fixed = {
            name: manifest[name]
            for name in (
                "stickbreaker",
                "estimator",
                "settings",
                "held_out",
                "corpus",
                "corpus_path",
                ARRIVING,
            )
        }
        estimator = estimator_of(manifest)
        estimator.engine = self.spark
        analysis = analysis_from(manifest["corpus"]["analysis"])
        assert isinstance(analysis, Analysis)
        self.analysis = analysis
        vocabulary = directory.vocabulary()
        model = estimator._topic_model(vocabulary, analysis, stream=True)
        self.vocabulary = None if model.ordered else vocabulary
        engine = engine_of(estimator, model, folder=self.path)
        engine.restore(model, snapshot.arrays, snapshot.keys)
        self.state = state_of(snapshot)
        schedule = estimator._schedule()
        nothing = Source(Corpus.from_matrix([[1.0]], ["-"]))  # each step has its own
        self.job = Run(model, engine, schedule, nothing, manifest["settings"]["random_state"])
        self.moments = Moments.of(self.path, self.job, self.state) if model.ordered else None
        self.date = self.moments.date if self.moments is not None else None
        self.clock = Clock(snapshot.trace[-1].get("seconds", 0.0) if snapshot.trace else 0.0)
        self.clock.begin(self.job, self.state)
        self.trace = Trace(directory.trace_path)
        self.trace.begin(self.job, self.state)
        self.directory, self.is_open = directory, True

    def _steps(self, corpus: Corpus) -> None:
        """Online steps over a micro-batch, a minibatch of documents each."""
        known, model, schedule = self.fixed["corpus"], self.job.model, self.job.schedule
        assert isinstance(model, TopicModel)
        assert isinstance(schedule, Online)
        known["documents"] += corpus.n_documents
        known["tokens"] += corpus.n_tokens
        known["empty"] += corpus.n_empty
        known["fingerprint"] = corpus.fingerprint
        source = source_of(corpus, model)
        job = replace(self.job, source=source)
        for numbers in cut(source.windows(None), schedule.batch_size):
            record = online_step(job, self.state, known["documents"], source.shards(numbers))
            del self.state.scores[:-1]  # a stream has no end, its trace has them all
            self.clock.step(job, self.state, record)
            self.trace.step(job, self.state, record)
            self.trace.records.clear()  # the file has them
            if self.watch is not None:
                self.watch(record)

    def _save(self) -> None:
        """Save the model with the number of its last micro-batch, in one rename."""
        if self.moments is not None:
            self.moments.add(self.job, self.state, self.fixed["corpus"]["documents"], self.date)
            self.moments.write(self.directory.path)
        self.directory.write(snapshot_of(self.job, self.state, self.fixed, "running"))

    def close(self) -> None:
        """Let the model go."""
        if self.is_open:
            self.trace.end(self.job, self.state)
            self.directory.unlock()
            self.is_open = False


def wait(query: "StreamingQuery", arriving: Arriving, asked: Callable[[], bool]) -> bool:
    """Wait until a query has ended (True), or until `asked` says to stop it (False).

    Raises UserError where a micro-batch could not be learned from; what was learned before it is saved.
    """
    from pyspark.errors import PySparkException

    try:
        while query.isActive:
            if asked():
                query.stop()
                return False
            query.awaitTermination(1)
        query.awaitTermination()
    except PySparkException as error:
        if asked():
            return False
        if arriving.failure is not None:
            raise arriving.failure from None
        lines = [line for line in str(error).splitlines() if line.strip()]
        remedy = "what was learned is saved; give the command again to go on"
        raise UserError(f"Spark ended the stream ({lines[0][:200]})", remedy=remedy) from error
    return True


def _checked(estimator: TopicEstimator, vocabulary: Vocabulary | None) -> None:
    """Raise UserError for parameters that cannot learn from a stream."""
    model = estimator._topic_model(vocabulary, stream=True)
    assert isinstance(estimator._schedule(), Online)
    if vocabulary is None and not model.ordered:
        remedy = 'let words enter (words="open"), or give a vocabulary'
        raise UserError("of a stream nobody knows the vocabulary beforehand", remedy=remedy)


def _other_offsets(path: Path) -> UserError:
    told = (
        "Spark's notes of the files that the model learned from are gone, and it would learn from them again"
    )
    return UserError(told, where=offsets_of(path), remedy="put the directory back, or begin a new model")
