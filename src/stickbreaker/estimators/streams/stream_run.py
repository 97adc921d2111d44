"""A run over a stream: one online step per minibatch, saving and restoring."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from stickbreaker.contracts.contract import Model
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.source import Shards, Source
from stickbreaker.engines import Engine
from stickbreaker.estimators.model_files import manifest_at_start
from stickbreaker.estimators.streams.stream_learner import AnyStreamLearner
from stickbreaker.learning.observers import Clock, Trace
from stickbreaker.learning.schedules import Online
from stickbreaker.learning.trace import TraceRecord
from stickbreaker.learning.variational import VariationalRun, VariationalState
from stickbreaker.saved import ModelDirectory, Snapshot
from stickbreaker.saved.checkpoints import model_of
from stickbreaker.saved.evolution import Evolution

Watch = Callable[[TraceRecord], object]


class StreamRun:
    """A run over a stream, wherever its documents come from.

    `fixed`: the fields of the manifest that do not belong to the state; `about`, one of them, describes the
    documents so far, those without words included. `date`: of the last document that has one. `seconds`: that
    earlier parts of the run took.
    """

    def __init__(
        self,
        learner: AnyStreamLearner,
        job: VariationalRun,
        state: VariationalState,
        fixed: JsonObject,
        evolution: Evolution | None = None,
        seconds: float = 0.0,
    ) -> None:
        self.learner, self.job, self.state, self.fixed = learner, job, state, fixed
        self.about: JsonObject = fixed["corpus"]
        self.moments = learner.stream_moments(evolution)
        self.date = self.moments.date
        self.warned = set[str]()
        self.clock, self.trace = Clock(seconds), Trace()
        self.clock.begin(job, state)
        self.trace.begin(job, state)

    @classmethod
    def restore(
        cls,
        learner: AnyStreamLearner,
        schedule: Online,
        model: Model,
        engine: Engine,
        directory: ModelDirectory,
        snapshot: Snapshot,
    ) -> "StreamRun":
        """The run of a snapshot; its table is restored in `engine`. Raises ValueError if it is invalid."""
        seed, fixed = snapshot.manifest["settings"]["random_state"], manifest_at_start(snapshot.manifest)
        nothing = Source(Corpus.from_matrix([[1.0]], ["-"]))  # each step has its own
        job = VariationalRun(model, engine, schedule, nothing, seed=seed)
        state = learner.restore_stream(job, snapshot, len(directory.vocabulary()))
        seconds = snapshot.trace[-1].get("seconds", 0.0) if snapshot.trace else 0.0
        run = cls(learner, job, state, fixed, directory.evolution(), seconds)
        run.warned |= warned_of(snapshot.trace)
        return run

    def open(self, directory: ModelDirectory) -> None:
        """Continue the trace in a locked directory, from where it was when the model was last saved."""
        directory.truncate_trace(directory.manifest())
        self.trace = Trace(directory.trace_path)
        self.trace.begin(self.job, self.state)

    def count(self, corpus: Corpus, fingerprint: str, date: str | None) -> None:
        """Add a minibatch to the description of the documents, except for their number, which `learn` adds.

        fingerprint: of all documents so far; date: of the minibatch's last document, or None.
        """
        self.about["tokens"] += corpus.n_tokens
        self.about["empty"] += corpus.n_empty
        self.about["fingerprint"] = fingerprint
        self.date = date or self.date

    def learn(self, shards: Shards, *, without_words: bool) -> TraceRecord | None:
        """Make one online step on a minibatch; returns its trace record.

        A minibatch without words is only counted; then None is returned.
        """
        self.about["documents"] += shards.n_documents
        if without_words:
            self.state.seen += shards.n_documents
            return None
        job = replace(self.job, source=shards.source)
        record = self.learner.stream_step(job, self.state, self.about["documents"], shards, self.warned)
        self.warned |= warned_of([record])
        del self.state.scores[:-1]  # a stream is endless, and its trace has them all
        self.clock.step(job, self.state, record)
        self.trace.step(job, self.state, record)
        self.trace.records.clear()  # the file has them
        return record

    def save(self, directory: ModelDirectory, status: str = "running") -> None:
        """Save the model, with a snapshot of its topics if the vocabulary is open.

        If the process is killed meanwhile, the model saved before stays. status: "running", or "done" at the
        end.
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


def warned_of(trace: Iterable[TraceRecord]) -> set[str]:
    """What the warnings in some trace records are about (their keys "about")."""
    return {warning["about"] for record in trace for warning in record.get("warnings", ())}
