"""A run over a stream: restored, an online step a minibatch, saved with its topics' words of that moment."""

import hashlib
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import Any

from stickbreaker.corpus import Corpus
from stickbreaker.corpus.source import Shards, Source
from stickbreaker.engines import Engine
from stickbreaker.estimators.saving import manifest_at_start
from stickbreaker.learning.fading_counts import FadingCounts
from stickbreaker.learning.observers import Clock, Trace, TraceRecord
from stickbreaker.learning.schedules import Minibatch, Online
from stickbreaker.learning.stream_warnings import warnings_of
from stickbreaker.learning.trace import refuse_unreadable
from stickbreaker.learning.variational import VariationalRun, VariationalState, advance
from stickbreaker.saved import ModelDirectory, Snapshot
from stickbreaker.saved.checkpoints import model_of
from stickbreaker.saved.evolution import Evolution
from stickbreaker.topics.evaluation.prequential import count_words, prequential_score
from stickbreaker.topics.model import TopicModel, topic_model
from stickbreaker.topics.runs.topic_runs import restore_state
from stickbreaker.topics.runs.topic_snapshots import Moments
from stickbreaker.topics.topic_estimator import TopicEstimator

Watch = Callable[[TraceRecord], object]


class StreamRun:
    """What a stream has taught up to now, wherever its documents come from and whoever hands them over.

    `fixed` is what the manifest says besides the state. `about`, its entry "corpus", tells of the documents;
    those without a word count too. `date` is that of the last document that had one. `seconds` are those that
    earlier parts of the run took.
    """

    def __init__(
        self,
        job: VariationalRun,
        state: VariationalState,
        fixed: dict[str, Any],
        evolution: Evolution | None = None,
        seconds: float = 0.0,
    ) -> None:
        self.job, self.state, self.fixed = job, state, fixed
        self.about: dict[str, Any] = fixed["corpus"]
        self.moments = Moments(evolution)
        self.date = self.moments.date
        self.warned = set[str]()
        self.clock, self.trace = Clock(seconds), Trace()
        self.clock.begin(job, state)
        self.trace.begin(job, state)

    @classmethod
    def restore(
        cls,
        estimator: TopicEstimator,
        model: TopicModel,
        engine: Engine,
        directory: ModelDirectory,
        snapshot: Snapshot,
    ) -> "StreamRun":
        """The run of a snapshot from a directory; `engine` takes its table. Raises ValueError where it makes
        no sense."""
        seed, fixed = snapshot.manifest["settings"]["random_state"], manifest_at_start(snapshot.manifest)
        nothing = Source(Corpus.from_matrix([[1.0]], ["-"]))  # each step has its own
        job = VariationalRun(model, engine, estimator.stream_schedule(), nothing, seed=seed)
        state = restore_state(job, model, snapshot, len(directory.vocabulary()))
        seconds = snapshot.trace[-1].get("seconds", 0.0) if snapshot.trace else 0.0
        run = cls(job, state, fixed, directory.evolution(), seconds)
        run.warned |= warned_of(snapshot.trace)
        return run

    def open(self, directory: ModelDirectory) -> None:
        """Let the trace go on in a directory, which is locked, from where it was when the model was saved."""
        directory.truncate_trace(directory.manifest())
        self.trace = Trace(directory.trace_path)
        self.trace.begin(self.job, self.state)

    def count(self, corpus: Corpus, fingerprint: str, date: str | None) -> None:
        """Note what is to be learned next; `fingerprint` is of all documents, `date` of the last of these."""
        self.about["tokens"] += corpus.n_tokens
        self.about["empty"] += corpus.n_empty
        self.about["fingerprint"] = fingerprint
        self.date = date or self.date

    def learn(self, shards: Shards, *, without_words: bool) -> TraceRecord | None:
        """One online step; None for a minibatch without a word, which is counted alone."""
        self.about["documents"] += shards.n_documents
        if without_words:
            self.state.seen += shards.n_documents
            return None
        job = replace(self.job, source=shards.source)
        record = online_step(job, self.state, self.about["documents"], shards, self.warned)
        self.warned |= warned_of([record])
        del self.state.scores[:-1]  # a stream has no end, its trace has them all
        self.clock.step(job, self.state, record)
        self.trace.step(job, self.state, record)
        self.trace.records.clear()  # the file has them
        return record

    def save(self, directory: ModelDirectory, status: str = "running") -> None:
        """Save the model as it is, of open words with its topics' words of now.

        Killed meanwhile, the save before stays.
        """
        snapshot = model_of(self.job.engine, self.state, self.fixed, status)
        if self.job.model.table.keyed:
            self.moments.add(self.job, self.state, self.about["documents"], self.date)
            snapshot.evolution = self.moments.evolution
        directory.write(snapshot)

    def close(self, directory: ModelDirectory) -> None:
        """End the trace, and unlock the directory."""
        try:
            self.trace.end(self.job, self.state)
        finally:
            directory.unlock()


def online_step(
    job: VariationalRun,
    state: VariationalState,
    documents: int,
    shards: Shards,
    warned: Collection[str] = (),
) -> TraceRecord:
    """One step on some documents, in order, which are predicted first; it counts as a pass.

    `documents`: those of the whole stream up to now, the size of it where the schedule tells no other.
    `warned`: what the run has warned of before. The first minibatch is not predicted: topics begin with its
    documents.
    """
    model, predicted = topic_model(job.model), None
    fading = FadingCounts() if state.fading is None else state.fading.copy()  # a step may fail
    if state.step > 0:
        predicted = prequential_score(job.engine, model, state.params, shards, job.seed, state.step, fading)
    count_words(fading, shards)
    record = learn_minibatch(job, state, documents, shards)
    state.fading = fading
    if predicted is not None:
        record["prequential"] = predicted._asdict()
    refuse_unreadable(record)
    totals = job.engine.table.totals().sum(axis=0)
    totals = totals[model.in_use(totals)]
    warnings = warnings_of(totals, state.step, grows=model.documents.grows, before=warned)
    return {**record, "warnings": warnings} if warnings else record


def learn_minibatch(
    job: VariationalRun, state: VariationalState, documents: int, shards: Shards
) -> TraceRecord:
    """One step on some documents, in order, which counts as a pass; `documents`: as of `online_step`.

    Raises UserError where the step gave no numbers; then the state is of no use any more.
    """
    schedule = job.schedule
    assert isinstance(schedule, Online)
    n = shards.n_documents
    step, keep, add = schedule.step_for(state.step, state.seen, n, schedule.total_of(documents))
    batch = Minibatch(shards, len(shards), n, step, keep, add, ends_pass=False)
    record = advance(job, state, batch)
    refuse_unreadable(record)
    state.passes, state.in_pass = state.passes + 1, 0
    state.scores.append(record["score"])
    return record


def warned_of(trace: Iterable[TraceRecord]) -> set[str]:
    """What a run has warned of in some steps."""
    return {warning["about"] for record in trace for warning in record.get("warnings", ())}


def joint_fingerprint(before: str, new: str) -> str:
    """The fingerprint of documents in two portions, from the fingerprints of both."""
    return hashlib.blake2b((before + new).encode(), digest_size=16).hexdigest()
