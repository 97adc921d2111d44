"""How a run tries changes of its model's shape, and makes those that are worth it."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from stickbreaker.core.edits import (
    Change,
    Dissolve,
    Drop,
    Edit,
    Grow,
    Merge,
    Permute,
    Reorder,
    Split,
    apply,
)
from stickbreaker.core.flat import flat_record, record_from
from stickbreaker.core.randomness import derived_seed
from stickbreaker.core.records import Record, Stats
from stickbreaker.corpus.shards import Shard
from stickbreaker.engines.contract import Engine
from stickbreaker.models.contract import Accepted, Model, Plan, Step
from stickbreaker.models.parts import TableParts

MAX_ROUNDS = 16  # how often plans may be mapped again in one step
TOP = 10  # largest rows of a topic that the trace names
Numbered = tuple[int, Plan]  # a plan, and the number of the move that it is of


class Columns(NamedTuple):
    """Lasting numbers of the table's columns, and how many have been given."""

    numbers: tuple[int, ...]
    given: int


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
            small, latest, engine.parts(latest), step, derived_seed(seed, "moves", number)
        )
    ]


def refine(
    model: Model,
    engine: Engine,
    small: Record,
    stats: Stats,
    plans: Sequence[Numbered],
    shards: Iterable[Shard],
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
            small, shards, derived_seed(seed, "again", again_number), [item for _, item in again]
        )
        stats = replace(stats, trial={**stats.trial, **report.trial})
    return stats, list(current.values()), accepted, changed


def decide(
    model: Model, engine: Engine, shape: Shape, plans: Sequence[Numbered], step: Step
) -> tuple[Shape, list[dict[str, Any]]]:
    """Make the edits that trials earned, one after another; gives them as the trace tells them."""
    made: list[dict[str, Any]] = []
    for number, move in enumerate(model.moves):
        own = [item for of, item in plans if of == number]
        if not own:
            continue
        verdict = move.decide(shape.small, shape.stats, own, engine.parts(shape.stats), step)
        shape = shape._replace(small={**shape.small, **verdict.small})
        shape, records = make(model, engine, shape, verdict.accepted)
        made += records
    return shape, made


def make(
    model: Model, engine: Engine, shape: Shape, accepted: Sequence[Accepted]
) -> tuple[Shape, list[dict[str, Any]]]:
    """Make edits, one after another; gives them as the trace tells them.

    For the columns concerned the trace has their top rows before the first of these edits and after the last.
    """
    small, stats, columns = shape
    column_axis = model.table.columns
    made: list[dict[str, Any]] = []
    touched: list[set[int]] = []
    after = columns
    for item in accepted:
        changed = follow(after, item.edit, column_axis)
        made.append(
            {"plan": item.plan, "gain": item.gain, **_describe_edit(after, changed, item.edit, column_axis)}
        )
        touched.append(_touched(after, changed, made[-1]))
        after = changed
    n_rows, before = engine.table.shape[0], top_rows(engine.parts(None), columns, set[int]().union(*touched))
    for item in accepted:
        stats = engine.follow(item.edit, stats)
        engine.edit(item.edit)
        small = apply(item.edit, small)
    if engine.table.shape[0] == n_rows:
        now = top_rows(engine.parts(None), after, set[int]().union(*touched))
        made = [record | _words(before, now, each) for record, each in zip(made, touched, strict=True)]
    return Shape(small, stats, after), made


def follow(columns: Columns, edit: Edit, axis: str) -> Columns:
    """The columns' numbers after an edit: a split's first part and a merge's target keep theirs.

    >>> follow(Columns((0, 1), 2), (Split("topics", 0), Merge("topics", 1, 0)), "topics")
    Columns(numbers=(1, 2), given=3)
    """
    numbers, given = list(columns.numbers), columns.given
    for change in edit:
        if change.axis != axis:
            continue
        match change:
            case Split():
                numbers, given = [*numbers, given], given + 1
            case Grow(number=number):
                numbers, given = [*numbers, *range(given, given + number)], given + number
            case Merge(source=source) | Dissolve(source=source):
                numbers = numbers[:source] + numbers[source + 1 :]
            case Drop(positions=positions):
                numbers = [n for i, n in enumerate(numbers) if i not in positions]
            case Permute(order=order):
                numbers = [numbers[i] for i in order]
            case Reorder():
                raise ValueError("columns have no order of their own")
    return Columns(tuple(numbers), given)


def followed(plans: Sequence[Numbered], accepted: Sequence[Accepted]) -> list[Numbered]:
    """Plans after edits."""
    for item in accepted:
        plans = [(number, replace(p, change=apply(item.edit, p.change))) for number, p in plans]
    return list(plans)


def _describe_edit(before: Columns, after: Columns, edit: Edit, axis: str) -> dict[str, Any]:
    """An edit's first change in the words of the trace; columns by their lasting numbers."""
    change: Change = edit[0]
    kind = {"move": type(change).__name__.lower()}
    if change.axis != axis:
        return kind
    match change:
        case Split(source=source):
            return {**kind, "topic": before.numbers[source], "new": after.numbers[-1]}
        case Merge(into=into, source=source):
            return {**kind, "topic": before.numbers[into], "gone": before.numbers[source]}
        case Dissolve(source=source, into=into):
            largest = max(range(len(into)), key=lambda place: change.shares[place])
            targets = [before.numbers[target] for target in into]
            also = [number for place, number in enumerate(targets) if place != largest]
            record = {"move": "merge", "topic": targets[largest], "gone": before.numbers[source]}
            return {**record, "also": also} if also else record
        case _:
            return kind


def _touched(old: Columns, new: Columns, record: Mapping[str, Any]) -> set[int]:
    """Numbers of the columns that come, go or change by an edit, of which the trace has `record`."""
    if old == new:
        return set()
    concerned = [record.get("topic"), *record.get("also", ())]  # others change in their last digits at most
    return (set(old.numbers) ^ set(new.numbers)) | {number for number in new.numbers if number in concerned}


def _words(
    before: Mapping[str, list[int]], now: Mapping[str, list[int]], touched: set[int]
) -> dict[str, Any]:
    """Top rows of the columns that an edit touched."""
    if not touched:
        return {}
    words, were = ({n: rows for n, rows in all_.items() if int(n) in touched} for all_ in (now, before))
    return {"words": words, "before": were}


def top_rows(table: TableParts, columns: Columns, numbers: Container[int]) -> dict[str, list[int]]:
    """The largest rows of the columns that have these lasting numbers, by number."""
    places = [place for place, number in enumerate(columns.numbers) if number in numbers]
    tops = table.top(places, TOP) if places else []
    return {str(columns.numbers[place]): rows for place, rows in zip(places, tops, strict=True)}


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
