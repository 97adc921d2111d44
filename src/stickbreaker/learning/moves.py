"""How a run tries changes of its model's shape, and makes those that are worth it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from stickbreaker.core import purposes
from stickbreaker.core.edits import apply
from stickbreaker.core.flat import flat_record, record_from
from stickbreaker.core.randomness import derived_seed
from stickbreaker.core.records import Record, Stats
from stickbreaker.corpus.shards import Shard
from stickbreaker.engines.contract import Engine
from stickbreaker.learning.events import Columns, Event, columns_of, event_of, follow, top_rows, with_rows
from stickbreaker.models.contract import Accepted, Model, Plan, Step

MAX_ROUNDS = 16  # how often plans may be mapped again in one step
Numbered = tuple[int, Plan]  # a plan, and the number of the move that it is of


class Shape(NamedTuple):
    """What an edit changes, besides the engine."""

    small: Record
    stats: Stats
    columns: Columns


def plan(
    model: Model, small: Record, latest: Stats | None, engine: Engine, step: Step, seed: int
) -> list[Numbered]:
    """What the moves want to try."""
    return [
        (number, planned)
        for number, move in enumerate(model.moves)
        for planned in move.plan(
            small, latest, engine.parts(latest), step, derived_seed(seed, purposes.MOVES, number)
        )
    ]


def refine(
    model: Model,
    engine: Engine,
    small: Record,
    stats: Stats,
    plans: Sequence[Numbered],
    shards: Iterable[Shard[Any]],
    step: Step,
    seed: int,
) -> tuple[Stats, list[Numbered], list[Accepted], Record]:
    """Map plans again over the same shards while their moves ask for it, a few rounds at most.

    Gives the report with the last round's trials, the plans as last mapped, edits to make before the table
    changes, and small fields that moves changed.
    """
    accepted: list[Accepted] = []
    changed: dict[str, Any] = {}
    current: dict[str, Numbered] = {item.name: (number, item) for number, item in plans}
    for again_number in range(1, MAX_ROUNDS + 1):
        again: list[Numbered] = []
        for number, move in enumerate(model.moves):
            own = [item for of, item in current.values() if of == number]
            if not own:
                continue
            verdict = move.refine(small, stats, own, engine.parts(stats), step)
            accepted += verdict.accepted
            changed |= verdict.small
            again += [(number, item) for item in verdict.again]
            current = {name: each for name, each in current.items() if name not in verdict.dropped}
        current |= {item.name: (number, item) for number, item in again}
        if not again:
            break
        report = engine.again(
            small, shards, derived_seed(seed, purposes.AGAIN, again_number), [item for _, item in again]
        )
        stats = replace(stats, trial={**stats.trial, **report.trial})
    return stats, list(current.values()), accepted, changed


def decide(
    model: Model, engine: Engine, shape: Shape, plans: Sequence[Numbered], step: Step
) -> tuple[Shape, list[Event]]:
    """Make the edits that trials earned, one after another; gives what happened."""
    made: list[Event] = []
    for number, move in enumerate(model.moves):
        own = [item for of, item in plans if of == number]
        if not own:
            continue
        verdict = move.decide(shape.small, shape.stats, own, engine.parts(shape.stats), step)
        shape = shape._replace(small={**shape.small, **verdict.small})
        shape, events = make(model, engine, shape, verdict.accepted)
        made += events
    return shape, made


def make(
    model: Model, engine: Engine, shape: Shape, accepted: Sequence[Accepted]
) -> tuple[Shape, list[Event]]:
    """Make edits, one after another; gives what happened.

    Events have the top rows of the columns concerned before the first of these edits and after the last.
    """
    small, stats, columns = shape
    made: list[Event] = []
    concerned: list[set[int]] = []
    after = columns
    for item in accepted:
        changed = follow(after, item.edit, model.table.columns)
        made.append(event_of(item, after, changed, model.table.columns))
        concerned.append(columns_of(made[-1], after, changed))
        after = changed
    n_rows, before = (
        engine.table.shape[0],
        top_rows(engine.parts(None), columns, set[int]().union(*concerned)),
    )
    for item in accepted:
        stats = engine.follow(item.edit, stats)
        engine.edit(item.edit)
        small = apply(item.edit, small)
    if engine.table.shape[0] == n_rows:
        now = top_rows(engine.parts(None), after, set[int]().union(*concerned))
        made = [with_rows(event, own, before, now) for event, own in zip(made, concerned, strict=True)]
    return Shape(small, stats, after), made


def followed(plans: Sequence[Numbered], accepted: Sequence[Accepted]) -> list[Numbered]:
    """Plans after edits."""
    for item in accepted:
        plans = [(number, replace(p, change=apply(item.edit, p.change))) for number, p in plans]
    return list(plans)


def flat_plans(plans: Sequence[Numbered]) -> Mapping[str, Any]:
    """Plans under way as named arrays; see `plans_from`."""
    arrays: dict[str, Any] = {}
    for place, (number, item) in enumerate(plans):
        arrays[f"plan/{place}/{number}/{item.round}/{item.name}"] = np.empty(0)
        arrays |= flat_record(f"plan of {place}/", item.change)
    return arrays


def plans_from(arrays: Mapping[str, Any]) -> list[Numbered]:
    """The plans that `flat_plans` flattened."""
    named = [key.split("/", 4)[1:] for key in arrays if key.startswith("plan/")]
    return [
        (int(number), Plan(name, record_from(f"plan of {place}/", arrays), int(round_)))
        for place, number, round_, name in sorted(named, key=lambda each: int(each[0]))
    ]
