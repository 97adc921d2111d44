"""A model that learns from files as they arrive in a directory, by Spark's Structured Streaming.

Spark may deliver a micro-batch twice, after a crash between the save of the model and its own record of the
batch. The number of the last batch is therefore stored in the model's manifest, by the rename that makes a
save count: each micro-batch is learned from exactly once, whenever the driver dies.
"""

import json
import shutil
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING

from stickbreaker.contracts.model_source import source_of
from stickbreaker.core.errors import UserError
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.locks.directory_claims import refuse_exchanged
from stickbreaker.core.locks.path_locks import LOCK
from stickbreaker.core.untrusted import making_sense_of
from stickbreaker.corpus import Analysis, Corpus, Vocabulary
from stickbreaker.engines.spark import SparkEngine
from stickbreaker.engines.spark.failures import SparkFailure, reason_of
from stickbreaker.engines.spark.session import in_one_line, spark_errors
from stickbreaker.estimators.corpus_facts import about, joint_fingerprint
from stickbreaker.estimators.engine_choice import engine_of
from stickbreaker.estimators.model_files import manifest_of
from stickbreaker.estimators.run_settings import RunSettings
from stickbreaker.estimators.setting_values import seed_of
from stickbreaker.estimators.streams.stream_learner import stream_learner_of
from stickbreaker.estimators.streams.stream_run import StreamRun, Watch
from stickbreaker.learning.schedules import Online, cut
from stickbreaker.learning.variational import VariationalRun
from stickbreaker.saved import ModelDirectory
from stickbreaker.saved.checkpoints import model_of
from stickbreaker.saved.directory import new_model_directory
from stickbreaker.saved.manifest import RESTORE
from stickbreaker.spark.file_stream import Arrivals, arrived

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

AGAIN = "what was learned is saved; give the command again to continue"
ARRIVING = "arriving"  # in a manifest: what files are read, Spark's query, and the last micro-batch's number
BEGUN = "begun"  # a file among Spark's records: a model has learned by them


def offsets_of(path: Path) -> Path:
    """The directory, next to the model, in which Spark records which files it has delivered."""
    return path.with_name(f"{path.name}.offsets")


class StreamingModel:
    """A model at `path` that learns from micro-batches of a stream; the first one with documents creates it.

    It is locked until `close`. Raises UserError if something else is at `path`, such as a model of another
    stream or with other settings, or if another process is learning it.
    """

    def __init__(
        self,
        settings: RunSettings,
        arrivals: Arrivals,
        analysis: Analysis,
        path: Path,
        vocabulary: Vocabulary | None = None,
        watch: Watch | None = None,
    ) -> None:
        assert isinstance(settings.where, SparkEngine)
        _checked(settings, vocabulary)
        self.settings, self.arrivals, self.analysis = settings, arrivals, analysis.resolved()
        self.learner = stream_learner_of(settings)
        self.path, self.vocabulary, self.watch = path, vocabulary, watch
        self.session = settings.where.session
        with in_one_line(where=arrivals.directory):
            self.frame = arrivals.read(self.session)
        self.failure: UserError | None = None  # in a micro-batch: Spark's own report has pages
        self.skipped = 0
        self.is_open = False
        self.one = threading.RLock()  # held by a micro-batch, learned in a thread of Spark's, or by `close`
        if path.exists():
            self._open()
        elif (offsets_of(path) / BEGUN).exists():
            problem = "the model that learned by Spark's notes of files is gone"
            raise UserError(
                problem, where=offsets_of(path), remedy="put it back, or remove them to start again"
            )
        offsets_of(path).mkdir(parents=True, exist_ok=True)
        self.notes = ModelDirectory(offsets_of(path))
        self.notes.lock()
        if not path.exists():
            self._forget()

    # the query

    def start(self, *, once: bool = False) -> "StreamingQuery":
        """Start the Spark query that learns from the files in the directory.

        It also learns from files that arrive later, unless `once`.
        """
        writer = self.frame.writeStream.foreachBatch(self.learn)
        writer = writer.option("checkpointLocation", f"file://{offsets_of(self.path).resolve()}")
        with in_one_line(where=self.arrivals.directory):
            return writer.trigger(availableNow=True).start() if once else writer.start()

    def learn(self, frame: "DataFrame", batch: int) -> None:
        """Learn from a micro-batch, unless the saved model has done so; called by Spark.

        If it fails, the saved model stays as it was. frame: the new lines; batch: the number of the
        micro-batch.
        """
        with self.one:
            if not self.is_open and self.path.exists():
                self._open()
            if self.is_open and batch <= self.run.fixed[ARRIVING]["batch"]:
                return
            try:
                refuse_exchanged(offsets_of(self.path))
                with in_one_line(where=self.arrivals.directory):
                    self._learn(frame, batch)
            except BaseException as error:
                self.failure = _user_error_of(error, self.path)
                self._release()
                raise

    def _learn(self, frame: "DataFrame", batch: int) -> None:
        folder = offsets_of(self.path) / "documents"
        shutil.rmtree(folder, ignore_errors=True)
        # a unique name, or workers would take its files for those of a corpus that they have opened
        come = arrived(frame, self.arrivals, folder / str(batch), self.analysis, self.vocabulary)
        self.skipped += come.skipped
        if come.corpus is not None:
            if not self.is_open:
                self._begin(come.corpus)
            self._steps(come.corpus, come.date)
        if self.is_open:  # otherwise nothing has arrived yet
            self.run.fixed[ARRIVING]["batch"] = batch
            self.run.save(self.directory)  # with the number of the micro-batch, in one rename
        shutil.rmtree(folder, ignore_errors=True)

    # the model

    def _begin(self, corpus: Corpus) -> None:
        """Create the model's directory, before the first step; `corpus` is the first micro-batch.

        Raises UserError if none of its documents has a known word.
        """
        settings, learner = self.settings, self.learner
        if not corpus.n_tokens:
            remedy = "give documents with text, in the language and the field that the options name"
            raise UserError("no document has a known word", where=self.arrivals.directory, remedy=remedy)
        model = learner.stream_model(settings, corpus.vocabulary, self.analysis)
        seed, known = seed_of(settings.random_state), about(corpus)
        known |= {"documents": 0, "tokens": 0.0, "empty": 0, "fingerprint": ""}
        known["analysis"] = self.analysis.to_dict()
        with new_model_directory(self.path, overwrite=False) as directory:
            engine = engine_of(settings, model, folder=directory.path)
            schedule = learner.stream_schedule(settings)
            job = VariationalRun(model, engine, schedule, source_of(corpus, model), seed=seed)
            job, state = learner.start_stream(settings, job)
            directory.write_vocabulary(corpus.vocabulary)
            entry = {**asdict(self.arrivals), "batch": -1, "query": _query_of(self.path)}
            saved = learner.for_stream(settings).values()
            fixed = {**manifest_of(learner, saved, seed, known), ARRIVING: entry}
            directory.write(model_of(job.engine, state, fixed, "running"))
        self._open()

    def _open(self) -> None:
        """Load and lock the model as it was last saved, to learn from the next micro-batch."""
        directory = ModelDirectory(self.path)
        manifest = directory.manifest()
        self._compare(manifest)
        directory.lock()
        snapshot = directory.read()
        settings, learner = self.settings, self.learner
        model = learner.stream_model(settings, directory.vocabulary(), self.analysis)
        engine = engine_of(settings, model, folder=self.path)
        with making_sense_of(self.path, RESTORE):
            schedule = learner.stream_schedule(settings)
            self.run = StreamRun.restore(learner, schedule, model, engine, directory, snapshot)
        self.run.fixed[ARRIVING] = snapshot.manifest[ARRIVING] | asdict(self.arrivals)
        self.run.open(directory)
        self.directory, self.is_open = directory, True
        (offsets_of(self.path) / BEGUN).touch()

    def _compare(self, manifest: JsonObject) -> None:
        """Raise UserError if the saved model at `path` cannot be continued here.

        Its stream, its settings and its words must be the same.
        """
        held = manifest.get(ARRIVING, {})
        if held.get("directory") != self.arrivals.directory:
            problem = f"is not a model of the files that arrive in {self.arrivals.directory}"
            raise UserError(problem, where=self.path, remedy="choose another path for the model")
        if held["query"] != _query_of(self.path):
            problem = (
                "Spark's notes of the files that the model learned from are gone: it would learn from them"
            )
            remedy = "put the directory back, or begin a new model"
            raise UserError(f"{problem} again", where=offsets_of(self.path), remedy=remedy)
        given, seed = self.learner.for_stream(self.settings), manifest["settings"]["random_state"]
        asked = manifest_of(self.learner, given.values(), seed, {})["settings"]
        if given.random_state is not None:
            asked["random_state"] = seed_of(given.random_state)
        asked |= {"analysis": self.analysis.to_dict()}
        began = {**manifest["settings"], "analysis": manifest["corpus"]["analysis"]}
        for name, value in json.loads(json.dumps(asked)).items():
            if name in began and began[name] != value:
                raise self._another_setting(name)
        known = self.vocabulary
        if known is not None and ModelDirectory(self.path).vocabulary().words != known.words:
            raise self._another_setting("vocabulary")

    def _another_setting(self, what: str) -> UserError:
        remedy = "continue as it was begun, or choose another path"
        return UserError(f"the model was begun with another {what}", where=self.path, remedy=remedy)

    def _forget(self) -> None:
        """Remove Spark's records of files, so that they are delivered again; for a model not begun yet."""
        for left in offsets_of(self.path).iterdir():
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)
            elif left.name != LOCK:
                left.unlink()

    def _steps(self, corpus: Corpus, date: str | None) -> None:
        """Make one online step for each minibatch of a micro-batch. date: that of the micro-batch."""
        run, schedule = self.run, self.run.job.schedule
        assert isinstance(schedule, Online)
        run.count(corpus, joint_fingerprint(run.about["fingerprint"], corpus.fingerprint), date)
        source = source_of(corpus, run.job.model)
        for numbers in cut(source.windows(None), repeat(schedule.batch_size)):
            without_words = corpus.n_empty >= len(numbers) and not len(source.read(numbers).words)
            record = run.learn(source.shards(numbers), without_words=without_words)
            if record is not None and self.watch is not None:
                self.watch(record)

    def _release(self) -> None:
        """Close and unlock the model after a failure or at the end; a later micro-batch opens it again."""
        if self.is_open:
            self.run.close(self.directory)
            self.is_open = False

    def close(self) -> None:
        """Wait for the current micro-batch, then unlock the model and Spark's records."""
        with self.one:
            self._release()
            self.notes.unlock()


def wait(query: "StreamingQuery", arriving: StreamingModel, asked: Callable[[], bool]) -> bool:
    """Wait until a stream's query has ended (True), or stop it once `asked()` is true (False).

    Raises UserError if a micro-batch could not be learned from; what was learned before it is saved.
    """
    try:
        while query.isActive:
            if asked():
                query.stop()
                return False
            query.awaitTermination(1)
        query.awaitTermination()
    except spark_errors() as error:
        if asked():
            return False
        if arriving.failure is not None:
            raise arriving.failure from error
        raise SparkFailure(f"Spark ended the stream ({reason_of(str(error))})", remedy=AGAIN) from error
    return True


def _user_error_of(error: BaseException, path: Path) -> UserError | None:
    """The error to report for a micro-batch that failed: a UserError, or a SparkFailure for an OSError.

    None for any other error. path: the model's, named if the OSError names no file.
    """
    if isinstance(error, OSError):
        where = error.filename or path
        return SparkFailure(
            f"cannot be read or written ({error.strerror or error})", where=where, remedy=AGAIN
        )
    return error if isinstance(error, UserError) else None


def _checked(settings: RunSettings, vocabulary: Vocabulary | None) -> None:
    """Raise UserError if a model with these settings cannot learn from a stream with this vocabulary.

    An open vocabulary must not be given (None); a closed one must be.
    """
    grows = stream_learner_of(settings).stream_model(settings, vocabulary).table.keyed
    if vocabulary is None and not grows:
        remedy = 'let the vocabulary grow (words="open"), or give a vocabulary'
        raise UserError("the vocabulary of a stream is not known beforehand", remedy=remedy)
    if vocabulary is not None and grows:
        remedy = "leave the vocabulary out, or choose a closed vocabulary"
        raise UserError("the vocabulary is open, so none can be given", remedy=remedy)


def _query_of(path: Path) -> str | None:
    """Spark's id of the query that learned the model at this path; None if Spark's records are gone."""
    with suppress(OSError, ValueError):
        return json.loads((offsets_of(path) / "metadata").read_bytes())["id"]
    return None
