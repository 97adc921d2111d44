"""How a run tries changes of its model's shape, and makes those that are worth it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from stickbreaker.core import purposes
from stickbreaker.core.edits import apply
from stickbreaker.core.random_streams import derived_seed
from stickbreaker.core.records import Record, Stats
from stickbreaker.core.serialize import flat_record, record_from
from stickbreaker.corpus.shards import Shard
from stickbreaker.engines.contract import Engine
from stickbreaker.learning.events import (
    Columns,
    Event,
    columns_of,
    edit_columns,
    event_of,
    top_rows,
    with_rows,
)
from stickbreaker.models.contract import Accepted, Model, Proposal, Step

MAX_ROUNDS = 16  # how often plans may be mapped again in one step
Numbered = tuple[int, Proposal]  # a plan, and the number of the move that it is of


class Shape(NamedTuple):
    """What an edit changes, besides the engine."""

    params: Record
    stats: Stats
    columns: Columns


def propose(
    model: Model, params: Record, latest: Stats | None, engine: Engine, step: Step, seed: int
) -> list[Numbered]:
    """What the moves want to try."""
    return [
        (number, planned)
        for number, move in enumerate(model.moves)
        for planned in move.propose(
            params, latest, engine.table_view(latest), step, derived_seed(seed, purposes.MOVES, number)
        )
    ]


def refine(
    model: Model,
    engine: Engine,
    params: Record,
    stats: Stats,
    proposals: Sequence[Numbered],
    shards: Iterable[Shard[Any]],
    step: Step,
    seed: int,
) -> tuple[Stats, list[Numbered], list[Accepted], Record]:
    """Map plans again over the same shards while their moves ask for it, a few rounds at most.

    Gives the report with the last round's trials, the plans as last mapped, edits to make before the table
    changes, and params that moves changed.
    """
    accepted: list[Accepted] = []
    changed: dict[str, Any] = {}
    current: dict[str, Numbered] = {item.name: (number, item) for number, item in proposals}
    for again_number in range(1, MAX_ROUNDS + 1):
        again: list[Numbered] = []
        for number, move in enumerate(model.moves):
            own = [item for of, item in current.values() if of == number]
            if not own:
                continue
            verdict = move.refine(params, stats, own, engine.table_view(stats), step)
            accepted += verdict.accepted
            changed |= verdict.params
            again += [(number, item) for item in verdict.retry]
            current = {name: each for name, each in current.items() if name not in verdict.dropped}
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
    """Make the edits that trials earned, one after another; gives what happened."""
    made: list[Event] = []
    for number, move in enumerate(model.moves):
        own = [item for of, item in proposals if of == number]
        if not own:
            continue
        verdict = move.decide(shape.params, shape.stats, own, engine.table_view(shape.stats), step)
        shape = shape._replace(params={**shape.params, **verdict.params})
        shape, events = make(model, engine, shape, verdict.accepted)
        made += events
    return shape, made


def make(
    model: Model, engine: Engine, shape: Shape, accepted: Sequence[Accepted]
) -> tuple[Shape, list[Event]]:
    """Make edits, one after another; gives what happened.

    Events have the top rows of the columns concerned before the first of these edits and after the last.
    """
    params, stats, columns = shape
    made: list[Event] = []
    concerned: list[set[int]] = []
    after = columns
    for item in accepted:
        changed = edit_columns(after, item.edit, model.table.columns)
        made.append(event_of(item, after, changed, model.table.columns))
        concerned.append(columns_of(made[-1], after, changed))
        after = changed
    n_rows, before = (
        engine.table.shape[0],
        top_rows(engine.table_view(None), columns, set[int]().union(*concerned)),
    )
    for item in accepted:
        stats = engine.edit_stats(item.edit, stats)
        engine.edit(item.edit)
        params = apply(item.edit, params)
    if engine.table.shape[0] == n_rows:
        now = top_rows(engine.table_view(None), after, set[int]().union(*concerned))
        made = [with_rows(event, own, before, now) for event, own in zip(made, concerned, strict=True)]
    return Shape(params, stats, after), made


def followed(proposals: Sequence[Numbered], accepted: Sequence[Accepted]) -> list[Numbered]:
    """Plans after edits."""
    for item in accepted:
        proposals = [(number, replace(p, change=apply(item.edit, p.change))) for number, p in proposals]
    return list(proposals)


def flat_plans(proposals: Sequence[Numbered]) -> Mapping[str, Any]:
    """Plans under way as named arrays; see `plans_from`."""
    arrays: dict[str, Any] = {}
    for place, (number, item) in enumerate(proposals):
        arrays[f"plan/{place}/{number}/{item.round}/{item.name}"] = np.empty(0)
        arrays |= flat_record(f"plan of {place}/", item.change)
    return arrays


def plans_from(arrays: Mapping[str, Any]) -> list[Numbered]:
    """The plans that `flat_plans` flattened."""
    named = [key.split("/", 4)[1:] for key in arrays if key.startswith("plan/")]
    return [
        (int(number), Proposal(name, record_from(f"plan of {place}/", arrays), int(round_)))
        for place, number, round_, name in sorted(named, key=lambda each: int(each[0]))
    ]
