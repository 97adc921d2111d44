"""Tries changes of the model's shape during a run, such as splits of topics, and makes good ones.

The order in a step: `propose`, local steps, `refine`, `make` (edits before the table changes), the table's
update and the global step, `decide`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from stickbreaker.contracts.contract import Accepted, Model, Proposal, Step
from stickbreaker.core import purposes
from stickbreaker.core.edits import apply
from stickbreaker.core.random_streams import derived_seed
from stickbreaker.core.records import AnyArray, Field, Record, Stats
from stickbreaker.core.serialize import Arrays, flat_record, record_from
from stickbreaker.corpus.shards import Shard
from stickbreaker.engines.engine import Engine
from stickbreaker.learning.events import (
    Columns,
    Event,
    columns_of,
    edit_columns,
    event_of,
    top_rows,
    with_rows,
)

MAX_ROUNDS = 16  # most times that proposals are mapped again in one step
Numbered = tuple[int, Proposal]  # the number of a move, and its proposal


class Shape(NamedTuple):
    """What an edit changes outside the engine: params, a step's report, and the columns' lasting numbers."""

    params: Record
    stats: Stats
    columns: Columns


def propose(
    model: Model, params: Record, latest: Stats | None, engine: Engine, step: Step, seed: int
) -> list[Numbered]:
    """The proposals of all the model's moves for a step, each with the number of its move."""
    return [
        (number, proposal)
        for number, move in enumerate(model.moves)
        for proposal in move.propose(
            params, latest, engine.table_view(latest), step, derived_seed(seed, purposes.MOVES, number)
        )
    ]


def refine(
    model: Model,
    engine: Engine,
    params: Record,
    stats: Stats,
    proposals: Sequence[Numbered],
    shards: Iterable[Shard],
    step: Step,
    seed: int,
) -> tuple[Stats, list[Numbered], list[Accepted], Record]:
    """Let moves change proposals and try them again on the same shards, at most `MAX_ROUNDS` times.

    stats: the step's report with the proposals' first trials. Returns the report with each proposal's last
    trial, the proposals that are left, the edits to make before the table changes, and the changed params
    only. Makes no edits itself.
    """
    accepted: list[Accepted] = []
    changed: dict[str, Field] = {}
    current: dict[str, Numbered] = {item.name: (number, item) for number, item in proposals}
    for again_number in range(1, MAX_ROUNDS + 1):
        again: list[Numbered] = []
        for number, move in enumerate(model.moves):
            own = [item for of, item in current.values() if of == number]
            if not own:
                continue
            decision = move.refine(params, stats, own, engine.table_view(stats), step)
            accepted += decision.accepted
            changed |= decision.params
            again += [(number, item) for item in decision.retry]
            current = {name: each for name, each in current.items() if name not in decision.dropped}
        current |= {item.name: (number, item) for number, item in again}
        if not again:
            break
        report = engine.retry(
            params, shards, derived_seed(seed, purposes.AGAIN, again_number), [item for _, item in again]
        )
        stats = replace(stats, trial={**stats.trial, **report.trial})
    return stats, list(current.values()), accepted, changed


def decide(
    model: Model, engine: Engine, shape: Shape, proposals: Sequence[Numbered], step: Step
) -> tuple[Shape, list[Event]]:
    """Let each move decide on its proposals after their trials, and make the edits that it accepts.

    Returns the new shape and the events for the trace.
    """
    made: list[Event] = []
    for number, move in enumerate(model.moves):
        own = [item for of, item in proposals if of == number]
        if not own:
            continue
        decision = move.decide(shape.params, shape.stats, own, engine.table_view(shape.stats), step)
        shape = shape._replace(params={**shape.params, **decision.params})
        shape, events = make(model, engine, shape, decision.accepted)
        made += events
    return shape, made


def make(
    model: Model, engine: Engine, shape: Shape, accepted: Sequence[Accepted]
) -> tuple[Shape, list[Event]]:
    """Apply accepted edits, in order, to the engine's table (in place), the step's report and the params.

    Returns the new shape, and an event per edit for the trace. Events have the top rows of their columns
    before the first edit and after the last, unless rows without keys were added or removed.
    """
    if not accepted:
        return shape, []
    params, stats, columns = shape
    made: list[Event] = []
    concerned: list[set[int]] = []
    after = columns
    for item in accepted:
        changed = edit_columns(after, item.edit, model.table.columns)
        made.append(event_of(item, after, changed, model.table.columns))
        concerned.append(columns_of(made[-1], after, changed))
        after = changed
    every = set[int]().union(*concerned)
    n_rows = engine.table.shape[0]
    before = top_rows(engine.table_view(None), engine.table.keys, columns, every)
    for item in accepted:
        edited = engine.edit(item.edit, stats)
        assert edited is not None
        stats, params = edited, apply(item.edit, params)
    if engine.table.keys is not None or engine.table.shape[0] == n_rows:
        now = top_rows(engine.table_view(None), engine.table.keys, after, every)
        made = [with_rows(event, own, before, now) for event, own in zip(made, concerned, strict=True)]
    return Shape(params, stats, after), made


def followed(proposals: Sequence[Numbered], accepted: Sequence[Accepted]) -> list[Numbered]:
    """The proposals, with the arrays in their `change` adapted to the edits that were just made."""
    for item in accepted:
        proposals = [(number, replace(p, change=apply(item.edit, p.change))) for number, p in proposals]
    return list(proposals)


def flat_plans(proposals: Sequence[Numbered]) -> Arrays:
    """Proposals that are still open after a step, as named arrays for a checkpoint."""
    arrays: dict[str, AnyArray] = {}
    for place, (number, item) in enumerate(proposals):
        arrays[f"plan/{place}/{number}/{item.round}/{item.name}"] = np.empty(0)
        arrays |= flat_record(f"plan of {place}/", item.change)
    return arrays


def plans_from(arrays: Arrays) -> list[Numbered]:
    """The proposals that `flat_plans` made these arrays from. Raises ValueError if they are inconsistent."""
    named = [key.split("/", 4)[1:] for key in arrays if key.startswith("plan/")]
    content = {key.split("/")[0].removeprefix("plan of ") for key in arrays if key.startswith("plan of ")}
    if not content <= {place for place, *_ in named}:
        raise ValueError("plans without their names")
    return [
        (int(number), Proposal(name, record_from(f"plan of {place}/", arrays), int(round_)))
        for place, number, round_, name in sorted(named, key=lambda each: int(each[0]))
    ]
