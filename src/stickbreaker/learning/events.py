"""Events for the trace: splits, merges and other changes of the table's columns (topics) that moves make.

A column has a lasting number, which no other column gets when it is gone; its position changes.
"""

from collections.abc import Container, Mapping, Sequence
from typing import NamedTuple

from stickbreaker.contracts.contract import Accepted, TableSpec
from stickbreaker.contracts.table_view import TableView
from stickbreaker.core.edits import Change, Dissolve, Drop, Edit, Grow, Merge, Permute, Reorder, Split
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.learning.trace import TraceRecord

TOP = 10  # largest rows of a column in the trace
BEFORE = "before"  # in the trace: the largest rows that columns had before edits
TopRows = list[int] | list[str]  # a column's largest rows: their keys if rows have keys, else their numbers


class Columns(NamedTuple):
    """The lasting numbers of a table's columns, in order; `given`: how many such numbers were ever assigned.

    A column keeps its lasting number when its position changes.
    """

    numbers: tuple[int, ...]
    given: int


class Event(NamedTuple):
    """What the trace says about an edit that was made for the proposal `plan`.

    `gain`: in nats, None if it was not judged by a bound. `kind`: split, merge, drop, … on the `axis`.
    Columns are given by lasting number. After a split: `column`, which was split, and the `new` one. After a
    merge: `column`, into which `gone` was merged, and `also`, those that got smaller shares of it. `rows`,
    `rows_before`: the top rows of these columns after and before, by lasting number; None if not known, as
    when rows without keys were added or removed.
    """

    plan: str
    gain: float | None
    kind: str
    axis: str
    column: int | None = None
    new: int | None = None
    gone: int | None = None
    also: tuple[int, ...] = ()
    rows: Mapping[str, TopRows] | None = None
    rows_before: Mapping[str, TopRows] | None = None

    def to_record(self, table: TableSpec) -> JsonObject:
        """The event as JSON, for "edits" in the trace, without its rows, which `records_of` stores.

        The key of its column is the singular of the table's column axis. For an event on another axis, only
        plan, gain, kind and the axis are in it.

        >>> Event("a", 1.5, "merge", "topics", column=2, gone=7).to_record(TableSpec())
        {'plan': 'a', 'gain': 1.5, 'move': 'merge', 'topic': 2, 'gone': 7}
        """
        gain = {} if self.gain is None else {"gain": self.gain}
        record: JsonObject = {"plan": self.plan, **gain, "move": self.kind}
        if self.axis != table.columns:
            return {**record, "axis": self.axis}
        numbers = {table.column: self.column, "new": self.new, "gone": self.gone}
        record |= {name: number for name, number in numbers.items() if number is not None}
        return {**record, "also": list(self.also)} if self.also else record


def event_of(item: Accepted, before: Columns, after: Columns, axis: str) -> Event:
    """Describe an accepted edit, by its first change, as an event for the trace.

    before, after: the columns' lasting numbers before and after the edit; axis: the name of the column axis.
    """
    change: Change = item.edit[0]
    event = Event(item.plan, item.gain, type(change).__name__.lower(), change.axis)
    if change.axis != axis:
        return event
    match change:
        case Split(source=source):
            (new,) = set(after.numbers) - set(before.numbers)
            return event._replace(column=before.numbers[source], new=new)
        case Merge(into=into, source=source):
            return event._replace(column=before.numbers[into], gone=before.numbers[source])
        case Dissolve(source=source, into=into):  # a merge with the column that takes most
            largest = max(range(len(into)), key=lambda place: change.shares[place])
            targets = [before.numbers[target] for target in into]
            also = tuple(number for place, number in enumerate(targets) if place != largest)
            gone = before.numbers[source]
            return event._replace(kind="merge", column=targets[largest], gone=gone, also=also)
        case _:
            return event


def columns_of(event: Event, before: Columns, after: Columns) -> set[int]:
    """The lasting numbers of the columns that an event adds, removes or changes, to show their top rows.

    Empty if the edit leaves the columns' numbers and order as they are.
    """
    if before == after:
        return set()
    changed = {event.column, *event.also}  # others change in their last digits at most
    return (set(before.numbers) ^ set(after.numbers)) | {n for n in after.numbers if n in changed}


def with_rows(
    event: Event, concerned: set[int], before: Mapping[str, TopRows], after: Mapping[str, TopRows]
) -> Event:
    """A copy of the event that also has the top rows of the columns that it concerns, before and after it.

    concerned: the lasting numbers of these columns; before, after: top rows by lasting number (as text). The
    event itself is returned if it concerns none.
    """
    if not concerned:
        return event
    tops = (after, before)
    rows, rows_before = ({n: top for n, top in own.items() if int(n) in concerned} for own in tops)
    return event._replace(rows=rows, rows_before=rows_before)


def records_of(events: Sequence[Event], table: TableSpec) -> TraceRecord:
    """The fields that events add to a trace record: "edits", and the top rows of the columns concerned.

    Top rows after the edits are under the name of the row axis (such as "words"), those before under
    "before". Empty for no events.
    """
    if not events:
        return {}
    record: TraceRecord = {"edits": [event.to_record(table) for event in events]}
    tops = [(event.rows, event.rows_before) for event in events if event.rows is not None]
    if tops:
        record[table.rows] = {n: top for after, _ in tops for n, top in (after or {}).items()}
        record[BEFORE] = {n: top for _, before in tops for n, top in (before or {}).items()}
    return record


def top_rows(
    table: TableView, keys: Sequence[str] | None, columns: Columns, numbers: Container[int]
) -> dict[str, TopRows]:
    """The `TOP` rows with the largest counts in each of some columns, for the trace.

    The result is by the column's lasting number (as text). numbers: the lasting numbers of the columns
    wanted. Rows are given by number, or by their `keys` if the table has keys, since its rows are renumbered
    when words are added or dropped.
    """
    places = [place for place, number in enumerate(columns.numbers) if number in numbers]
    tops = table.top(places, TOP) if places else []
    return {
        str(columns.numbers[place]): rows if keys is None else [keys[row] for row in rows]
        for place, rows in zip(places, tops, strict=True)
    }


def first_columns(number: int) -> Columns:
    """The lasting numbers of a new table's columns: 0, 1, …, number - 1."""
    return Columns(tuple(range(number)), number)


def edit_columns(columns: Columns, edit: Edit, axis: str) -> Columns:
    """The columns' lasting numbers after an edit: new columns get numbers that were never used.

    A split column, and the target of a merge, keep theirs.

    >>> edit_columns(Columns((0, 1), 2), (Split("topics", 0), Merge("topics", 1, 0)), "topics")
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
