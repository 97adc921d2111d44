"""A model that learns from a stream into a directory: one online step per minibatch, with snapshots."""

import time
from dataclasses import replace
from pathlib import Path

from stickbreaker.contracts.model_source import source_of
from stickbreaker.core.errors import UserError
from stickbreaker.core.untrusted import making_sense_of
from stickbreaker.corpus import Analysis
from stickbreaker.corpus.text.dates import iso_date
from stickbreaker.corpus.token_bags import corpus_of_tokens
from stickbreaker.engines import LocalEngine
from stickbreaker.estimators.kinds import kind_of
from stickbreaker.estimators.model_files import learned_from, manifest_of, settings_in
from stickbreaker.estimators.run_settings import RunSettings
from stickbreaker.estimators.setting_values import seed_of, threads_of
from stickbreaker.estimators.streams.stream_feed import ArrivedDocuments, Feed, Stop, Stopped, StreamSettings
from stickbreaker.estimators.streams.stream_learner import StreamLearner, stream_learner_of
from stickbreaker.estimators.streams.stream_run import StreamRun, Watch
from stickbreaker.learning.trace import TraceRecord, line_of
from stickbreaker.learning.variational import VariationalRun
from stickbreaker.saved import ModelDirectory, Snapshot
from stickbreaker.saved.directory import new_model_directory
from stickbreaker.saved.manifest import RESTORE


class Stream:
    """A run that learns from a stream: its input, its state, and the model's directory, which is locked."""

    def __init__(self, feed: Feed, run: StreamRun, directory: ModelDirectory) -> None:
        self.feed, self.run, self.directory = feed, run, directory
        self.is_saved = True  # whether everything learned so far is saved
        self.strange_date: str | None = None  # the first invalid date
        self.first: TraceRecord | None = None  # of the step that no observer has seen

    def learn(self, minibatch: ArrivedDocuments) -> TraceRecord | None:
        """Make one online step on a minibatch; returns its trace record.

        A minibatch without words is only counted; then None is returned.
        """
        date = iso_date(minibatch.date)
        if date is None and minibatch.date is not None:
            self.strange_date = self.strange_date or str(minibatch.date)
        corpus = corpus_of_tokens(minibatch.tokens)
        self.run.count(corpus, self.feed.digest, date)
        shards = source_of(corpus, self.run.job.model).all_shards()
        self.is_saved = False
        return self.run.learn(shards, without_words=corpus.n_empty == len(minibatch.tokens))

    def save(self, status: str = "running") -> None:
        """Save the model as it is. status: "running", or "done" at the end of the stream."""
        self.run.save(self.directory, status)
        self.is_saved = True

    def close(self) -> None:
        """Stop reading, end the trace, and unlock the directory."""
        try:
            self.feed.close()
        finally:
            self.run.close(self.directory)


def begin(
    settings: RunSettings,
    stream_settings: StreamSettings,
    analysis: Analysis,
    path: Path,
    stop: Stop,
    *,
    overwrite: bool = False,
) -> Stream:
    """Make the run of a stream and the model's directory, and learn from the first minibatch with words.

    The directory stays locked, for `continue_stream`. Raises UserError for parameters that do not fit, for a
    stream without a word, and if `path` exists and may not be overwritten; Stopped if asked to stop before
    there is anything to save.
    """
    learner = stream_learner_of(settings)
    if not learner.stream_model(settings).table.keyed:
        problem = "a stream cannot have a closed vocabulary, since its words are not known beforehand"
        raise UserError(problem, remedy="let the vocabulary grow, or build a corpus of the stream first")
    schedule = learner.stream_schedule(settings)
    feed = Feed(stream_settings, schedule.batch_size, analysis.resolved(), stop)
    documents = empty = 0
    for minibatch in feed.minibatches():
        if minibatch.empty < len(minibatch.tokens):
            break
        documents, empty = documents + len(minibatch.tokens), empty + minibatch.empty
    else:
        problem = "no document has a word" if documents else "there is no document"
        raise UserError(problem, where=_named(stream_settings), remedy="give documents with text")
    seed, corpus = seed_of(settings.random_state), corpus_of_tokens(minibatch.tokens)
    model = learner.stream_model(settings, corpus.vocabulary)
    engine = LocalEngine(threads_of(settings.n_jobs))
    begun = VariationalRun(model, engine, schedule, source_of(corpus, model), seed=seed)
    job, state = learner.start_stream(settings, begun)
    state.seen = float(documents)
    about = {
        "fingerprint": "",
        "kind": "text",
        "documents": documents,
        "tokens": 0.0,
        "empty": empty,
        "analysis": feed.analysis.to_dict(),
    }
    saved = learner.for_stream(settings).values()
    fixed = {**manifest_of(learner, saved, seed, about), "stream": stream_settings.to_json()}
    stream = Stream(feed, StreamRun(learner, job, state, fixed), ModelDirectory(path))
    stream.first = first = stream.learn(minibatch)
    assert first is not None
    with new_model_directory(path, overwrite=overwrite, stays_locked=True) as stream.directory:
        stream.directory.write_vocabulary(corpus.vocabulary)
        stream.directory.trace_path.write_text(line_of(first), encoding="utf-8")
        stream.save()
    return stream


def resume(path: Path, stop: Stop, threads: int | None, on_error: str | None = None) -> Stream | None:
    """Restore the run saved at `path`, for `continue_stream`, and skip its input up to there.

    Returns None if it is finished. `on_error` replaces that of the run. The directory is locked. Raises
    UserError if another process has locked it, or the input does not begin with the documents that the run
    has learned from.
    """
    directory = ModelDirectory(path)
    if directory.manifest()["status"] == "done":
        directory.clear()  # what a run left that was killed after its last save
        return None
    directory.lock()  # if another run has it: UserError before the stream is read
    try:
        snapshot = directory.read()
        if snapshot.manifest["status"] == "done":  # finished by another process just now
            directory.unlock()
            return None
        with making_sense_of(path, RESTORE):
            return _restored(directory, snapshot, stop, threads, on_error)
    except BaseException:
        directory.unlock()
        raise


def _restored(
    directory: ModelDirectory, snapshot: Snapshot, stop: Stop, threads: int | None, on_error: str | None
) -> Stream:
    """Restore the run of a snapshot, and skip the input that it has learned from."""
    manifest = snapshot.manifest
    kind = kind_of(manifest)
    kind.refuse("stream", directory.path)
    learner = kind.how()
    assert isinstance(learner, StreamLearner)
    settings = settings_in(manifest, learner, threads)
    schedule = learner.stream_schedule(settings)
    stream_settings = StreamSettings.from_json(manifest["stream"])
    if on_error is not None:
        stream_settings = replace(stream_settings, on_error=on_error)
    _, analysis = learned_from(manifest)
    assert isinstance(analysis, Analysis)
    feed = Feed(stream_settings, schedule.batch_size, analysis, stop)
    feed.skip(manifest["corpus"]["documents"], manifest["corpus"]["fingerprint"])
    model, engine = learner.stream_model(settings), LocalEngine(threads_of(threads))
    run = StreamRun.restore(learner, schedule, model, engine, directory, snapshot)
    run.fixed["stream"] = stream_settings.to_json()
    return Stream(feed, run, directory)


def continue_stream(stream: Stream, stop: Stop, watch: Watch) -> bool:
    """Learn until the stream ends (True) or is asked to stop (False), save the model, and close the stream.

    `watch` is called with every record. The model is saved also if a document cannot be read (UserError), but
    not if the directory was replaced, or a step's numbers are not finite.
    """
    try:
        stream.run.open(stream.directory)
        ended = _learn_all(stream, stop, watch)
        if ended:
            stream.directory.tidy()
    finally:
        stream.close()
    return ended


def _learn_all(stream: Stream, stop: Stop, watch: Watch) -> bool:
    """Make the steps of a stream; returns True at the end of its documents, False if asked to stop.

    The state is saved whenever enough documents or seconds have passed since the last save, and before this
    returns: as "done" at the end, as unfinished on a stop. `watch` gets the record of each step that has one,
    after the stream's first record. A UserError in reading the documents is raised again after a save; an
    error in a step is raised without one.
    """
    run = stream.run
    every, seconds = stream.feed.settings.snapshot_documents, stream.feed.settings.snapshot_seconds
    minibatches = stream.feed.minibatches()
    saved, saved_at = run.about["documents"], time.monotonic()
    if stream.first is not None:
        watch(stream.first)
    while not stop.requested:
        try:
            minibatch = next(minibatches, None)
        except Stopped:
            break
        except UserError:
            stream.save()
            raise
        if minibatch is None:
            stream.save("done")
            return True
        record = stream.learn(minibatch)
        if record is not None:
            watch(record)
        documents = run.about["documents"]
        if documents // every > saved // every or time.monotonic() - saved_at >= seconds:
            stream.save()
            saved, saved_at = documents, time.monotonic()
    stream.save()
    return False


def _named(settings: StreamSettings) -> str:
    """The inputs of a stream, as messages name them: "a.txt, standard input"."""
    return ", ".join("standard input" if name == "-" else name for name in settings.inputs)
