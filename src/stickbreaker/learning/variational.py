"""Runs by variational steps, for any model and schedule: local steps → statistics → global step → edits."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import numpy as np

from stickbreaker.contracts.contract import Model, Score, Step
from stickbreaker.core import purposes
from stickbreaker.core.edits import Drop, Grow, apply
from stickbreaker.core.errors import UserError
from stickbreaker.core.random_streams import derived_seed
from stickbreaker.core.records import Record, Rows, SparseCounts, Stats, join_cells, no_rows
from stickbreaker.corpus.source import Source
from stickbreaker.engines.engine import Engine
from stickbreaker.learning import moves
from stickbreaker.learning.convergence import CONVERGED
from stickbreaker.learning.events import Columns, Event, first_columns, records_of, top_rows
from stickbreaker.learning.fading_counts import FadingCounts
from stickbreaker.learning.moves import Numbered
from stickbreaker.learning.run import Run, RunState
from stickbreaker.learning.schedules import FRESH, Minibatch, Schedule
from stickbreaker.learning.stream_documents import StreamDocuments
from stickbreaker.learning.trace import TraceRecord

APART = 256  # least number of steps from one `VariationalRun.measure` to the next
A_PASS = 10  # most of them in a pass


@dataclass(slots=True)
class VariationalState(RunState):
    """The state of a variational run, except for what its engine holds (the table, documents' records)."""

    params: Record
    in_pass: int = 0  # minibatches done in the current pass
    at_pass_start: tuple[int, float] = (0, 0.0)  # step and seen when the current pass began
    pass_nats: float = 0.0  # documents' terms of the score, summed over the current pass
    pass_tokens: float = 0.0
    columns: Columns | None = None  # lasting numbers of the table's columns
    latest: Stats | None = None  # the last step's sums, from which moves propose
    proposals: list[Numbered] = field(default_factory=list[Numbered])  # that are still gathering reports
    carried_since: int | None = 0  # pass from which documents' records are carried; None: they start afresh
    fading: FadingCounts | None = None  # for a stream: fading counts of words, for its unigrams
    waiting: StreamDocuments | None = None  # for a stream: documents by which topics are opened and closed
    sample: StreamDocuments | None = None  # for a stream: documents by which topics' words are ranked


@dataclass(frozen=True, slots=True)
class VariationalRun(Run[VariationalState]):
    """A run by variational steps: a model, the engine with its table, and a schedule of `source`.

    evaluate: if documents are held out, returns their nats per token. revise: after each pass, changes the
    model's columns by what documents show, and returns the changes as events for the trace. measure: more
    figures for the trace, at steps 1, 2, 4, 8, …, every 256 steps (at most ten times per pass) and at the
    last. fresh_passes: most passes in which documents are inferred without their last records, before each
    starts from its own.
    """

    model: Model
    engine: Engine
    schedule: Schedule
    source: Source
    evaluate: Callable[[Engine, Any, Record], float] | None = None
    measure: Callable[[Engine, Any, Record], TraceRecord] | None = None
    revise: "Callable[[VariationalRun, VariationalState], list[Event]] | None" = None
    fresh_passes: int = 0

    def first_state(self, params: Record) -> VariationalState:
        """The state of the run before its first step. params: the model's, as `Model.start` returns them."""
        return VariationalState(params, carried_since=None if self.fresh_passes else 0)

    @property
    def n_documents(self) -> int:
        return self.source.n_documents

    def steps(self, state: VariationalState) -> Iterator[TraceRecord]:
        minibatches = self.schedule.minibatches(self.source, state.passes, *state.at_pass_start, self.seed)
        done, step = state.in_pass, state.step
        for minibatch in islice(minibatches, done, None):
            yield advance(self, state, minibatch)
        if state.step == step:
            problem = f"{done} minibatches of a pass were done, and it has no more"
            raise UserError(problem, remedy="restore the model from a copy, or fit again")

    def close(self, state: VariationalState) -> None:
        """End the run: count a pass that is incomplete, and finish a truncated table.

        The score of an incomplete pass consists of the terms of its documents.
        """
        if state.in_pass > 0:
            _close_pass(state, state.pass_nats)
        truncated = self.model.table.truncated and state.step > 0
        edit = self.model.finish(state.params, self.engine.table.whole()) if truncated else ()
        if edit:
            self.engine.edit(edit)
            state.params = apply(edit, state.params)

    def stop(self) -> None:
        self.engine.stop()


def advance(job: VariationalRun, state: VariationalState, minibatch: Minibatch) -> TraceRecord:
    """Make one step with a minibatch of documents; returns its record for the trace.

    The order: moves (splits, merges) are proposed; documents are inferred (`map`), which tries the moves; the
    score at the old table is computed; moves decided early are made; new words are added; the minibatch's
    statistics are blended into the table; global parameters are updated; the other moves are decided. If the
    schedule stores reports (`minibatch.number`), a decision waits until every report contains the trial.

    Changes the engine's table and `state`. Raises Interrupted with both as before: nothing changes until all
    documents are mapped.
    """
    model, engine, step = job.model, job.engine, minibatch.step
    params, seed = state.params, derived_seed(job.seed, purposes.STEP, step.number)
    beginning = [] if state.proposals else moves.propose(model, params, state.latest, engine, step, job.seed)
    proposals, early, changed = state.proposals or beginning, [], {}
    before = (engine.summary(params), engine.table.totals()) if job.schedule.exact else None
    shards = minibatch.shards
    stats = engine.map(params, shards, minibatch.n_shards, seed, [item for _, item in proposals])
    if beginning:
        stats, proposals, early, changed = moves.refine(
            model, engine, params, stats, proposals, shards, step, seed
        )
    engine.commit(carry=state.carried_since is not None)
    score = model.score(params, stats, before[1], before[0]) if before else None
    columns = state.columns or first_columns(model.n_columns(params))
    shape = moves.Shape({**params, **changed}, stats, columns)
    shape, events = moves.make(model, engine, shape, early)
    params, stats = shape.params, shape.stats
    proposals = moves.followed(proposals, early)
    rows, params, entered = admit(model, engine, params, stats, step)
    if minibatch.number is None:
        engine.blend(rows, minibatch.keep, minibatch.add)
    else:
        reported = replace(stats, rows=rows, trial={} if beginning else stats.trial)
        stats = engine.replace_report(minibatch.number, reported, minibatch.keep)
    summary = engine.summary(params) if model.needs_summary(step) else None
    params = model.global_step(params, stats, engine.table.totals(), summary, step)
    ripe = minibatch.number is None or (
        not beginning and all(item.name in stats.trial for _, item in proposals)
    )
    if proposals and ripe:
        shape = shape._replace(params=params, stats=stats)
        shape, late = moves.decide(model, engine, shape, proposals, step)
        params, stats, events, proposals = shape.params, shape.stats, [*events, *late], []
    truncated = model.table.truncated
    reordered = model.reorder(params, engine.table.whole(), step) if truncated else ()
    if reordered:
        engine.edit(reordered)
        params = apply(reordered, params)
    state.params, state.columns = params, shape.columns
    state.proposals = proposals if minibatch.number is not None else []
    state.step += 1
    state.in_pass += 1
    state.seen += minibatch.n_documents
    if minibatch.ends_pass and job.revise is not None:
        events = [*events, *job.revise(job, state)]
    record = _record(job, state, minibatch, stats, score, events)
    if model.table.keyed:
        left = sum(len(change.positions) for change in reordered if isinstance(change, Drop))
        record["vocabulary"] = {"size": engine.table.shape[0], "entered": entered, "left": left}
    return record


def _record(
    job: VariationalRun,
    state: VariationalState,
    minibatch: Minibatch,
    stats: Stats,
    score: Score | None,
    events: list[Event],
) -> TraceRecord:
    """Make the trace record of a step, with scores and other values that are due.

    If the step was the last of its pass, the pass ends here, and `state` changes.
    """
    model, engine = job.model, job.engine
    if minibatch.number is None:
        state.pass_nats += stats.score
        state.pass_tokens += stats.tokens
    else:  # the sums are those of every document's last report
        state.pass_nats, state.pass_tokens = stats.score, stats.tokens
    state.latest = replace(stats, rows=no_rows(0), trial={}, new_rows={}) if model.moves else None
    record: TraceRecord = {
        "step": state.step,
        "pass": state.passes + 1,
        "documents": state.seen,
        "kind": score.kind if score else "documents",
        "score": (score.nats if score else stats.score) / max(1.0, stats.tokens),
        "rate": minibatch.step.rate,
        **model.figures(state.params, engine.table.totals()),
    }
    record |= records_of(events, model.table)
    if minibatch.ends_pass:
        number = state.passes + 1
        if model.moves and number & (number - 1) == 0:
            assert state.columns is not None
            numbers = state.columns.numbers  # all of them
            view, keys = engine.table_view(None), engine.table.keys
            record[model.table.rows] = top_rows(view, keys, state.columns, numbers)
        if minibatch.number is not None:
            score = model.memoized_score(
                state.params, stats, engine.table.totals(), engine.summary(state.params)
            )
        _end_pass(job, state, record, score)
    _evaluate(job, state, record, minibatch)
    if job.measure is not None and _is_measured(job, state, minibatch):
        record |= job.measure(job.engine, model, state.params)
    return record


def _end_pass(job: VariationalRun, state: VariationalState, record: TraceRecord, score: Score | None) -> None:
    """Count the pass, record its score, and set `state.converged` if the scores have converged.

    score: of the table after the pass; None: it is estimated. If documents are held out, their scores decide
    on convergence instead (`_evaluate`). While documents still start afresh in each pass, convergence only
    ends that phase.
    """
    exact = score is not None
    if score is None:
        engine = job.engine
        table = Stats(no_rows(job.model.n_columns(state.params)), score=state.pass_nats)
        score = job.model.score(state.params, table, engine.table.totals(), engine.summary(state.params))
    _close_pass(state, score.nats)
    state.kind = score.kind if exact else "estimate"
    record["pass_score"] = state.scores[-1]
    scores = state.scores[state.carried_since or 0 :]
    settled = _is_settled(job, state) and CONVERGED[score.kind](scores, job.limits.tol)
    if state.carried_since is None:
        if settled or state.passes >= job.fresh_passes - 1:
            state.carried_since = state.passes  # in the next pass the last documents start afresh
    elif job.evaluate is None:
        state.converged = settled


def _is_settled(job: VariationalRun, state: VariationalState) -> bool:
    """Whether the model has nothing left to try, such as proposals of its moves."""
    return job.model.is_settled(state.params, job.engine.table.totals())


def _close_pass(state: VariationalState, nats: float) -> None:
    """Record the score of the pass (`nats`, over its tokens), and begin the next one."""
    state.scores.append(nats / max(1.0, state.pass_tokens))
    state.passes += 1
    state.in_pass = 0
    state.at_pass_start = (state.step, state.seen)
    state.pass_nats = state.pass_tokens = 0.0


def _evaluate(
    job: VariationalRun, state: VariationalState, record: TraceRecord, minibatch: Minibatch
) -> None:
    """Score the held-out documents if that is due, and let the run end if their scores have stopped rising.

    Due several times per pass, or once if reports are stored. The run does not end while documents start
    afresh, nor in the first `FRESH` passes while moves have something left to try.
    """
    if job.evaluate is None:
        return
    per_pass = max(1, job.source.n_documents // max(1, minibatch.n_documents))
    due = max(1, per_pass // job.limits.evaluations)
    if not (minibatch.ends_pass or (minibatch.number is None and state.in_pass % due == 0)):
        return
    value = job.evaluate(job.engine, job.model, state.params)
    record["held_out"] = value
    state.held_out.append(value)
    trying = bool(job.model.moves) and state.passes < FRESH and not _is_settled(job, state)
    if state.carried_since is None or trying:
        return
    recent, earlier = state.held_out[-job.limits.patience :], state.held_out[: -job.limits.patience]
    if earlier and max(recent) < max(earlier) + job.limits.tol * abs(max(earlier)):
        state.converged = True


def _is_measured(job: VariationalRun, state: VariationalState, minibatch: Minibatch) -> bool:
    """Whether `job.measure` is due at this step.

    It is due at steps 1, 2, 4, 8, …, then at regular intervals (see `VariationalRun`), and at the last step.
    """
    per_pass = job.source.n_documents // max(1, minibatch.n_documents)
    last = state.converged or state.passes >= job.limits.max_iter
    step, every = state.step, max(APART, per_pass // A_PASS)
    return last or step & (step - 1) == 0 or step % every == 0


def admit(
    model: Model, engine: Engine, params: Record, stats: Stats, step: Step
) -> tuple[Rows | SparseCounts, Record, int]:
    """Let the model add rows for new words to the table, before a step's statistics are blended into it.

    Changes the engine's table. Returns the step's rows together with the counts of the words added (those of
    other new words are lost), the params, and how many words were added.
    """
    edit, changed = model.admit(params, stats.new_rows, step)
    keys = [key for change in edit if isinstance(change, Grow) for key in change.keys]
    if edit:
        engine.edit(edit)
        params = apply(edit, params)
    params = {**params, **changed}
    if not keys:
        return stats.rows, params, 0
    positions = engine.table.positions(keys)
    order = positions.argsort()
    found = np.stack([stats.new_rows[keys[i]] for i in order])[:, : model.n_columns(params)]
    fresh = Rows(positions[order], found)
    if isinstance(stats.rows, SparseCounts):
        return join_cells([stats.rows, fresh.cells(stats.rows.unit)]), params, len(keys)
    return stats.rows.plus(fresh), params, len(keys)
