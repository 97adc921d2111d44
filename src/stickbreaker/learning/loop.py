"""The one run loop: local step → statistics → global step → edits, for every model, schedule and engine."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import numpy as np

from stickbreaker.core.edits import Drop, Grow, apply
from stickbreaker.core.errors import UserError
from stickbreaker.core.randomness import derived_seed
from stickbreaker.core.records import Cells, Record, Rows, Stats, join_cells, no_rows
from stickbreaker.corpus.source import Source
from stickbreaker.engines.contract import Engine, Interrupted
from stickbreaker.learning import moves
from stickbreaker.learning.chains import Chains, shrinkage
from stickbreaker.learning.convergence import CONVERGED
from stickbreaker.learning.moves import Columns, Numbered
from stickbreaker.learning.observers import Observer, TraceRecord
from stickbreaker.learning.schedules import Minibatch, Schedule
from stickbreaker.models.contract import Model, Score, Step


@dataclass(slots=True)
class RunState:
    """All that a run needs to go on, besides the engine's table. Changed only between steps."""

    small: Record
    step: int = 0  # steps done
    passes: int = 0  # passes done
    in_pass: int = 0  # minibatches done of the present pass
    seen: float = 0.0  # documents read, repeats included
    at_pass_start: tuple[int, float] = (0, 0.0)  # step and seen when the present pass began
    pass_nats: float = 0.0  # documents' terms of the score, summed over the present pass
    pass_tokens: float = 0.0
    scores: list[float] = field(default_factory=list[float])  # nats a token, one a pass
    held_out: list[float] = field(default_factory=list[float])  # nats a token, one an evaluation
    converged: bool = False
    stopped: bool = False  # by a callback
    kind: str = "bound"  # of the last pass's score
    columns: Columns | None = None  # lasting numbers of the table's columns
    latest: Stats | None = None  # the last step's sums, for moves that plan from them
    plans: list[Numbered] = field(default_factory=list[Numbered])  # that reports are still gathered for


@dataclass(frozen=True, slots=True)
class Limits:
    """When a run ends: after `max_iter` passes, or when the score has settled by `tol` (`convergence.py`).

    With held-out documents their score decides: no gain of `tol` (relative) in `patience` evaluations.
    """

    max_iter: int = 100
    tol: float = 1e-4
    patience: int = 5
    evaluations: int = 10  # held-out evaluations a pass of an online run


@dataclass(frozen=True, slots=True)
class Run:
    """What a run is of, fixed over any number of resumptions, and the chains that it moves, if any."""

    model: Model
    engine: Engine
    schedule: Schedule
    source: Source
    seed: int
    limits: Limits = Limits()
    evaluate: Callable[[Engine, Any, Record], float] | None = None  # held-out nats a token
    chains: Chains | None = None  # samplers, which take the place of the local and global steps


def run(job: Run, state: RunState, observers: Sequence[Observer] = ()) -> RunState:
    """Go on from `state` until converged, stopped or out of passes. Raises Interrupted when asked to stop.

    After Interrupted, `state` and the engine are those of the last complete step.
    """
    for observer in observers:
        observer.begin(job, state)
    try:
        while state.passes < job.limits.max_iter and not (state.converged or state.stopped):
            if job.source.n_documents == 0:
                break
            begun = job.schedule.minibatches(job.source, state.passes, *state.at_pass_start, job.seed)
            step = state.step
            for minibatch in islice(begun, state.in_pass, None):
                record = (sweep if job.chains else advance)(job, state, minibatch)
                asked = [observer.step(job, state, record) for observer in observers]
                state.stopped = state.stopped or any(asked)
                if state.stopped or state.converged:
                    break
            if state.step == step:
                problem = f"{state.in_pass} minibatches of a pass were done, and it has no more"
                raise UserError(problem, remedy="restore the model from a copy, or fit again")
    except Interrupted:
        for observer in observers:
            observer.interrupted(job, state)
        raise
    _cut_pass_short(state)
    if job.chains is not None and job.chains.close():
        state.scores.append(float(job.chains.scores[job.chains.best(), -1]))
    settle(job, state)
    for observer in observers:
        observer.end(job, state)
    return state


def advance(job: Run, state: RunState, minibatch: Minibatch) -> TraceRecord:
    """One step: plan, map, admit, blend, global step, edits, score. Changes the engine's table and `state`.

    Raises Interrupted, with the table and `state` as before: nothing changes until all maps are done.
    """
    model, engine, step = job.model, job.engine, minibatch.step
    small, seed = state.small, derived_seed(job.seed, "step", step.number)
    begun = [] if state.plans else moves.plan(model, small, state.latest, engine, step, job.seed)
    plans, early, changed = state.plans or begun, [], {}
    before = (engine.summary(small), engine.totals()) if job.schedule.exact else None
    shards = minibatch.shards
    stats = engine.map(small, shards, minibatch.n_shards, seed, [item for _, item in plans])
    if begun:
        stats, plans, early, changed = moves.refine(model, engine, small, stats, plans, shards, step, seed)
    engine.commit()
    score = model.score(small, stats, before[1], before[0]) if before else None
    columns = state.columns or first_columns(model.n_columns(small))
    shape = moves.Shape({**small, **changed}, stats, columns)
    shape, edits = moves.make(model, engine, shape, early)
    small, stats = shape.small, shape.stats
    plans = moves.followed(plans, early)
    rows, small, entered = admit(model, engine, small, stats, step)
    if minibatch.number is None:
        engine.blend(rows, minibatch.keep, minibatch.add)
    else:
        reported = replace(stats, rows=rows, trial={} if begun else stats.trial)
        stats = engine.exchange(minibatch.number, reported, minibatch.keep)
    summary = engine.summary(small) if model.needs_summary() else None
    small = model.global_step(small, stats, engine.totals(), summary, step)
    ripe = minibatch.number is None or (not begun and all(item.name in stats.trial for _, item in plans))
    if plans and ripe:
        shape = shape._replace(small=small, stats=stats)
        shape, late = moves.decide(model, engine, shape, plans, step)
        small, stats, edits, plans = shape.small, shape.stats, [*edits, *late], []
    truncated = model.table.truncated
    reordered = model.reorder(small, engine.table.whole(), step) if truncated else ()
    if reordered:
        engine.edit(reordered)
        small = apply(reordered, small)
    state.small, state.columns = small, shape.columns
    state.plans = plans if minibatch.number is not None else []
    state.step += 1
    state.in_pass += 1
    state.seen += minibatch.n_documents
    record = _record(job, state, minibatch, stats, score, edits)
    if model.table.keyed:
        left = sum(len(change.positions) for change in reordered if isinstance(change, Drop))
        record["vocabulary"] = {"size": engine.table.shape[0], "entered": entered, "left": left}
    return record


def first_columns(number: int) -> Columns:
    """The numbers of a table's columns at its start."""
    return Columns(tuple(range(number)), number)


def _record(
    job: Run,
    state: RunState,
    minibatch: Minibatch,
    stats: Stats,
    score: Score | None,
    edits: list[dict[str, Any]],
) -> TraceRecord:
    """The trace's record of a step; ends the pass where it is the last of one, and scores what is due."""
    model, engine = job.model, job.engine
    if minibatch.number is None:
        state.pass_nats += stats.score
        state.pass_tokens += stats.tokens
    else:  # the sums are of every document's last report
        state.pass_nats, state.pass_tokens = stats.score, stats.tokens
    state.latest = replace(stats, rows=no_rows(0), trial={}, found={}) if model.moves else None
    record: TraceRecord = {
        "step": state.step,
        "pass": state.passes + 1,
        "documents": state.seen,
        "kind": score.kind if score else "documents",
        "score": (score.nats if score else stats.score) / max(1.0, stats.tokens),
        "rate": minibatch.step.rate,
        **model.figures(state.small, engine.totals()),
    }
    if edits:
        record["edits"] = edits
        for key in ("words", "before"):  # of the topics concerned, once each
            words = [edit.pop(key) for edit in edits if key in edit]
            record |= {key: {k: v for part in words for k, v in part.items()}} if words else {}
    if minibatch.ends_pass:
        number = state.passes + 1
        if model.moves and number & (number - 1) == 0:
            assert state.columns is not None
            columns = state.columns
            record["words"] = moves.top_rows(engine.parts(None), columns, columns.numbers)  # of all topics
        if minibatch.number is not None:
            score = model.kept_score(state.small, stats, engine.totals(), engine.summary(state.small))
        _end_pass(job, state, record, score)
    _evaluate(job, state, record, minibatch)
    return record


def sweep(job: Run, state: RunState, minibatch: Minibatch) -> TraceRecord:
    """One step of a run by sampling: a sweep of every chain. Raises Interrupted between sweeps."""
    assert job.chains is not None
    if job.engine.stopped:
        raise Interrupted
    chains = job.chains
    scored = chains.sweep(state.passes, last=state.passes + 1 == job.limits.max_iter)
    state.step += 1
    state.seen += minibatch.n_documents
    record: TraceRecord = {
        "step": state.step,
        "pass": state.passes + 1,
        "documents": state.seen,
        "kind": "joint",
        "sample": chains.taken,
    }
    record |= chains.samplers[chains.best()].figures()
    if scored:
        best = chains.best()
        record["score"] = record["pass_score"] = float(chains.scores[best, -1])
        state.scores.append(record["score"])
        state.kind = "joint"
        if len(chains.samplers) > 1:
            record["chains"] = chains.scores[:, -1].tolist()
            record["best_chain"] = best
            shrunk = shrinkage(chains.scores[:, -chains.taken :]) if chains.taken > 3 else np.nan
            record |= {} if np.isnan(shrunk) else {"r_hat": shrunk}
        if job.evaluate is not None:
            settle(job, state)
            record["held_out"] = job.evaluate(job.engine, job.model, state.small)
            state.held_out.append(record["held_out"])
    state.passes += 1
    state.at_pass_start = (state.step, state.seen)
    return record


def settle(job: Run, state: RunState) -> None:
    """Bring what chains hold into the engine's table and `state`, for all who read it there."""
    if job.chains is None:
        return
    fitted = job.chains.fitted()
    state.small = fitted.small
    if fitted.counts is not None:
        held, now = job.engine.totals().shape[1], fitted.counts.shape[1]
        if held != now:  # a chain's columns come and go
            axis = job.model.table.columns
            change = Grow(axis, now - held) if now > held else Drop(axis, tuple(range(now, held)))
            job.engine.edit((change,))
        job.engine.blend(Rows(np.arange(len(fitted.counts)), fitted.counts), 0.0, 1.0)
    if fitted.columns is not None:
        numbers = fitted.columns.tolist()
        state.columns = Columns(tuple(numbers), numbers[-1] + 1)


def _end_pass(job: Run, state: RunState, record: TraceRecord, score: Score | None) -> None:
    """Count the pass, and stop when passes change the score little."""
    exact = score is not None
    if score is None:
        engine = job.engine
        table = Stats(no_rows(job.model.n_columns(state.small)), score=state.pass_nats)
        score = job.model.score(state.small, table, engine.totals(), engine.summary(state.small))
    _close_pass(state, score.nats)
    state.kind = score.kind if exact else "estimate"
    record["pass_score"] = state.scores[-1]
    if job.evaluate is None and job.model.is_settled(state.small, job.engine.totals()):
        state.converged = CONVERGED[score.kind](state.scores, job.limits.tol)


def _cut_pass_short(state: RunState) -> None:
    """Count a pass that the run's end leaves unfinished, with the documents' part as its score."""
    if state.in_pass > 0:
        _close_pass(state, state.pass_nats)


def _close_pass(state: RunState, nats: float) -> None:
    """Note the pass's score and begin to count the next."""
    state.scores.append(nats / max(1.0, state.pass_tokens))
    state.passes += 1
    state.in_pass = 0
    state.at_pass_start = (state.step, state.seen)
    state.pass_nats = state.pass_tokens = 0.0


def _evaluate(job: Run, state: RunState, record: TraceRecord, minibatch: Minibatch) -> None:
    """Score the held-out documents where one is due; they decide when to stop."""
    if job.evaluate is None:
        return
    per_pass = max(1, job.source.n_documents // max(1, minibatch.n_documents))
    due = max(1, per_pass // job.limits.evaluations)
    if not (minibatch.ends_pass or state.in_pass % due == 0):
        return
    value = job.evaluate(job.engine, job.model, state.small)
    record["held_out"] = value
    state.held_out.append(value)
    recent, earlier = state.held_out[-job.limits.patience :], state.held_out[: -job.limits.patience]
    if earlier and max(recent) < max(earlier) + job.limits.tol * abs(max(earlier)):
        state.converged = True


def admit(
    model: Model, engine: Engine, small: Record, stats: Stats, step: Step
) -> tuple[Rows | Cells, Record, int]:
    """Let new rows in where the model does: the step's rows with theirs, the small part, and their number."""
    edit, changed = model.admit(small, stats.found, step)
    keys = [key for change in edit if isinstance(change, Grow) for key in change.keys]
    if edit:
        engine.edit(edit)
        small = apply(edit, small)
    small = {**small, **changed}
    if not keys:
        return stats.rows, small, 0
    positions = engine.table.positions(keys)
    order = positions.argsort()
    found = np.stack([stats.found[keys[i]] for i in order])[:, : model.n_columns(small)]
    fresh = Rows(positions[order], found)
    if isinstance(stats.rows, Cells):
        return join_cells([stats.rows, fresh.cells(stats.rows.unit)]), small, len(keys)
    return stats.rows.plus(fresh), small, len(keys)
