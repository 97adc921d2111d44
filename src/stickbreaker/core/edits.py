"""Changes of a model's shape (topics added, merged, reordered …) as values that apply to any named arrays.

An `Edit` is a sequence of changes, made in order. Each change names an axis, such as "topics"; arrays without
that axis stay as they are. Positions are those after the previous change. Nothing here depends on a model.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array, Field, Record, Rows, SparseCounts, Stats


@dataclass(frozen=True, slots=True)
class Grow:
    """Adds `number` positions at the end of an axis: zeros for counts, a field's `fresh` for parameters.

    If rows are added to a table: `keys` are their keys (such as spellings), if the table has keys, and
    `groups` the group of each (such as its language), if the table has several.
    """

    axis: str
    number: int
    keys: tuple[str, ...] = ()
    groups: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Drop:
    """Removes positions of an axis, with their values; later positions move down."""

    axis: str
    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Merge:
    """Adds the counts at position `source` to those at position `into`, and removes `source`.

    Positions are those before the change. Parameters (fields that are not additive) of `into` stay.
    """

    axis: str
    into: int
    source: int


@dataclass(frozen=True, slots=True)
class Dissolve:
    """Removes position `source` of an axis, and divides its counts among the positions `into` (the targets).

    Positions are those before the change. `shares` (targets) add up to one. In fields with another axis that
    is a key of `along`, each target's share varies along that axis: `along[axis]` is (n × targets) for its n
    positions. If `amounts` names that axis, the table has the counts that each target gains instead of
    shares; these may be negative or more than `source` has, since targets may exchange counts. `trial` is the
    name of the trial (`Stats.trial`) that led to the change, as in `Split`.
    """

    axis: str
    source: int
    into: tuple[int, ...]
    shares: tuple[float, ...]
    along: Mapping[str, Array] = field(default_factory=dict[str, Array])
    trial: str = ""
    amounts: str = ""


@dataclass(frozen=True, slots=True)
class Split:
    """Adds a position at the end of an axis, which takes `share` of the counts of `source`.

    `along` has shares for each position of another axis, by that axis's name; they replace `share` in fields
    with that axis. Parameters (fields that are not additive) are copied. `trial` names the trial that led to
    the split: the counts that the two parts got when it was tried on documents (`Stats.trial`). Statistics
    with this trial are divided in proportion to its counts, and documents' records by the shares in their
    field `SHARES_OF` + the name.
    """

    axis: str
    source: int
    share: float = 0.5
    along: Mapping[str, Array] = field(default_factory=dict[str, Array])
    trial: str = ""


@dataclass(frozen=True, slots=True)
class Permute:
    """Reorders an axis: the values of position `order[i]` move to position i."""

    axis: str
    order: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Reorder:
    """Puts the cells (stored counts) of each column of a truncated table in a new order.

    `axis` is the name of the row axis, usually words, `along` that of the column axis, usually topics.
    `orders[i]` (int64) lists the rows of column i in their new order. Cells of rows that it omits are
    removed; a row without a cell in the column gets one with the value zero. The first `inside[i]` cells are
    within the column's truncation.
    """

    axis: str
    along: str
    orders: tuple[NDArray[np.int64], ...]
    inside: tuple[int, ...]


SHARES_OF = "shares of "  # begins the name of a record's field that holds shares for a change
TRIAL = "trial "  # begins the name of a field that is used only between the rounds of a step
Change = Grow | Drop | Merge | Dissolve | Split | Permute | Reorder
Edit = tuple[Change, ...]


def apply_change(item: Field, change: Change) -> Field:
    """The field after one change; unchanged if it does not have the axis.

    >>> apply_change(Field(np.array([1.0, 2.0]), ("topics",)), Merge("topics", 0, 1)).values
    array([3.])
    """
    if change.axis not in item.axes:
        return item
    if isinstance(change, Reorder):
        return _left_by(item, change)
    values = item.values
    for axis in [i for i, name in enumerate(item.axes) if name == change.axis]:
        values = _apply_to_axis(np.moveaxis(values, axis, 0), item, axis, change)
        values = np.ascontiguousarray(np.moveaxis(values, 0, axis))
    return item._replace(values=values)


def _left_by(item: Field, change: Reorder) -> Field:
    """A field after a Reorder: its counts are zero at positions that the new order omits.

    Fields do not store the order itself. A field that is not additive, or lacks one of the two axes, is
    unchanged.
    """
    if change.along not in item.axes or not item.additive:
        return item
    axes = item.axes.index(change.axis), item.axes.index(change.along)
    values = np.zeros_like(item.values)
    to, of = np.moveaxis(values, axes, (0, 1)), np.moveaxis(item.values, axes, (0, 1))
    for place, order in enumerate(change.orders):
        to[order, place] = of[order, place]
    return item._replace(values=values)


def _apply_to_axis(values: Array, item: Field, axis: int, change: Change) -> Array:
    """An array after one change along its first axis.

    item: the field that it comes from; axis: the number that this axis has in the field.
    """
    match change:
        case Grow(number=number):
            fresh = 0.0 if item.additive else item.fresh
            return np.concatenate([values, np.full((number, *values.shape[1:]), fresh)])
        case Drop(positions=positions):
            return np.delete(values, list(positions), axis=0)
        case Permute(order=order):
            return values[list(order)]
        case Merge(into=into, source=source):
            if item.additive:
                values = values.copy()
                values[into] += values[source]
            return np.delete(values, source, axis=0)
        case Dissolve(source=source, into=into):
            if item.additive:
                values = values.copy()
                for target, gained in zip(into, _gained(values[source], item, axis, change), strict=True):
                    values[target] += gained
            return np.delete(values, source, axis=0)
        case Reorder():
            raise ValueError("an order is of two axes")
        case Split(source=source):
            if not item.additive:
                return np.concatenate([values, values[source : source + 1]])
            moved = values[source] * _shares(item, axis, change)
            values = np.concatenate([values, moved[None]])
            values[source] -= moved
            return values


def _shares(item: Field, axis: int, change: Split | Dissolve, target: int | None = None) -> Array:
    """The share of a field's values that a Split or Dissolve moves to one position.

    axis: the number of the changed axis in the field; target: the number of the Dissolve's target (None: the
    new position of a Split). Returns an array that broadcasts with a slice of the field without `axis`:
    shares along another axis if the change has them, otherwise a single number.
    """
    others = [name for i, name in enumerate(item.axes) if i != axis]
    for place, name in enumerate(others):
        if name in change.along:
            shape = [1] * len(others)
            shape[place] = -1
            along = change.along[name]
            return (along if target is None else along[:, target]).reshape(shape)
    share = change.share if isinstance(change, Split) else change.shares[target or 0]
    return np.float64(share) * np.ones([1] * len(others))


def _gained(source: Array, item: Field, axis: int, change: Dissolve) -> Sequence[Array]:
    """What each target of a Dissolve gains from `source`, the slice of the field that is removed.

    If the field's only other axis is the one named by `amounts`, these are the amounts in the change,
    corrected to add up to `source`. Otherwise they are shares of `source`.
    """
    others = [name for i, name in enumerate(item.axes) if i != axis]
    if others == [change.amounts] and change.amounts in change.along:
        return list(given(source, change.along[change.amounts]).T)
    return [source * _shares(item, axis, change, place) for place in range(len(change.into))]


def given(source: Array, amounts: Array) -> Array:
    """Correct the `amounts` that targets gain (n × targets) for rounding: rows add up to `source` (n).

    Returns a copy, in which the largest gain of each row takes the correction.

    >>> given(np.array([3.0]), np.array([[-1.0, 4.0]])).tolist()
    [[-1.0, 4.0]]
    """
    gained = np.array(amounts, np.float64)
    gained[np.arange(len(gained)), gained.argmax(axis=1)] += source - gained.sum(axis=1)
    return gained


def dropped(item: Field, edit: Edit) -> float:
    """How much of an additive field an edit removes: the sum of the values lost by Drop and Reorder."""
    lost = 0.0
    for change in edit:
        if isinstance(change, Drop | Reorder) and change.axis in item.axes:
            lost += float(item.values.sum()) - float(apply_change(item, change).values.sum())
        item = apply_change(item, change)
    return lost


def apply(edit: Edit, record: Record) -> dict[str, Field]:
    """A record (named fields) after an edit; the original is not changed."""
    after = dict(record)
    for change in edit:
        after = {name: apply_change(item, change) for name, item in after.items()}
    return after


def apply_to_rows(
    edit: Edit, rows: Rows | SparseCounts, row_axis: str, column_axis: str, n_rows: int
) -> Rows:
    """Some rows of a table after an edit, as a dense copy with the new row numbers.

    row_axis, column_axis: the names of the table's axes; n_rows: how many rows the whole table had before the
    edit.
    """
    rows = rows.rows()
    for change in edit:
        if isinstance(change, Reorder):
            kept = [np.isin(rows.positions, order) for order in change.orders]
            rows = Rows(rows.positions, np.where(np.stack(kept, axis=1), rows.values, 0.0))
            continue
        if change.axis == column_axis:
            rows = _change_columns(rows, _cut(change, row_axis, rows.positions), row_axis, column_axis)
        if change.axis == row_axis:
            rows = _move_rows(rows, change, n_rows)
            n_rows = _rows_after(change, row_axis, n_rows)
    return rows


def _cut(change: Change, row_axis: str, positions: NDArray[np.int64]) -> Change:
    """A Split or Dissolve with its shares per row restricted to rows `positions`; other changes as they are.

    If `positions` is empty, the shares per row are left out.
    """
    if not isinstance(change, Split | Dissolve) or row_axis not in change.along:
        return change
    others = {axis: shares for axis, shares in change.along.items() if axis != row_axis}
    own = {row_axis: change.along[row_axis][positions]} if len(positions) else {}
    return replace(change, along={**others, **own})


def _change_columns(rows: Rows, change: Change, row_axis: str, column_axis: str) -> Rows:
    item = apply_change(Field(rows.values, (row_axis, column_axis)), change)
    return Rows(rows.positions, item.values)


def renumbered(change: Change, size: int) -> NDArray[np.int64]:
    """The new number of each of `size` rows after a change of the row axis: -1 if it is removed.

    Both rows of a Merge get the number of the merged one. Raises ValueError for Split, Dissolve and Reorder:
    rows cannot be divided.
    """
    after: NDArray[np.int64] = np.arange(size)
    match change:
        case Grow():
            pass
        case Permute(order=order):
            after[list(order)] = np.arange(size)
        case Drop() | Merge():
            gone = list(change.positions) if isinstance(change, Drop) else [change.source]
            kept = np.delete(after, gone)
            after[:] = -1
            after[kept] = np.arange(len(kept))
            if isinstance(change, Merge):
                after[change.source] = after[change.into]
        case _:
            raise ValueError("rows are not split: a row's content is its identity")
    return after


def _move_rows(rows: Rows, change: Change, n_rows: int) -> Rows:
    """The rows after a change of the row axis, renumbered: removed ones left out, merged ones added up."""
    if isinstance(change, Grow):
        return rows
    moved = renumbered(change, n_rows)[rows.positions]
    positions, inverse = np.unique(moved[moved >= 0], return_inverse=True)
    summed = np.zeros((len(positions), rows.values.shape[1]))
    np.add.at(summed, inverse, rows.values[moved >= 0])
    return Rows(positions, summed)


def apply_to_stats(edit: Edit, stats: Stats, row_axis: str, column_axis: str, n_rows: int) -> Stats:
    """The statistics of shards, adapted to an edit that was made after they were computed.

    row_axis, column_axis: the names of the table's axes; n_rows: its rows before the edit. A Split or
    Dissolve may name a trial (the counts of a proposed change) among the statistics: its counts then decide
    how the changed columns are divided, and its `usage` sums replace or correct theirs. Trials themselves are
    adapted to changes of rows only, since their columns are the proposal's own. Raises ValueError for a
    Dissolve with `amounts` whose trial is missing.
    """
    for change in edit:
        stats = _change_stats(change, stats, row_axis, column_axis, n_rows)
        n_rows = _rows_after(change, row_axis, n_rows)
    return stats


def _change_stats(change: Change, stats: Stats, row_axis: str, column_axis: str, n_rows: int) -> Stats:
    usage, trials = apply((change,), stats.usage), stats.trial
    found = _changed_new_rows(stats.new_rows, change, column_axis, stats.rows.n_columns)
    if isinstance(change, Split | Dissolve) and change.axis == column_axis and change.trial in trials:
        trial, rows = trials[change.trial], stats.rows.rows()
        trial_values = _values_at(trial.rows.rows(), rows.positions)
        if isinstance(change, Split):
            along = own_shares(trial_values)[:, 1]
        else:
            along = trial_values if change.amounts == row_axis else own_shares(trial_values)
        own = replace(change, along={**change.along, row_axis: along})
        rows = _change_columns(rows, own, row_axis, column_axis)
        usage = _with_trial(usage, trial.usage, change, column_axis)
    else:
        if isinstance(change, Dissolve) and change.amounts == row_axis:
            raise ValueError(f"the report has no trial {change.trial!r}, and amounts are another's")
        rows = apply_to_rows((change,), stats.rows, row_axis, column_axis, n_rows)
    if change.axis == row_axis and not isinstance(change, Reorder):  # a Reorder concerns the model's columns
        trials = {
            name: replace(t, rows=apply_to_rows((change,), t.rows, row_axis, column_axis, n_rows))
            for name, t in trials.items()
        }
    return replace(stats, rows=rows, new_rows=found, usage=usage, trial=trials)


def _changed_new_rows(
    new_rows: Mapping[str, Array], change: Change, column_axis: str, n_columns: int
) -> Mapping[str, Array]:
    """Counts of new rows, which the table does not have yet, after a change of the table's columns.

    new_rows: an array per key. Only its first `n_columns` values are counts and are changed; the rest stays.
    """
    if change.axis != column_axis or isinstance(change, Reorder) or not new_rows:
        return new_rows
    whole = np.stack(list(new_rows.values()))
    counts: Array = apply_change(Field(whole[:, :n_columns], ("new rows", column_axis)), change).values
    return dict(zip(new_rows, np.hstack([counts, whole[:, n_columns:]]), strict=True))


def own_shares(trial_values: Array) -> Array:
    """Divide each row of a trial's counts (rows × columns) by its sum; (1, 0, …) for rows of zeros.

    These are the shares by which a Split or Dissolve that was tried divides the table's counts.

    >>> own_shares(np.array([[1.0, 3.0], [0.0, 0.0]])).tolist()
    [[0.25, 0.75], [1.0, 0.0]]
    """
    total = trial_values.sum(axis=1, keepdims=True)
    shares = trial_values / np.where(total > 0.0, total, 1.0)
    shares[total[:, 0] <= 0.0, :1] = 1.0
    return shares


def _values_at(rows: Rows, positions: NDArray[np.int64]) -> Array:
    """The values of rows at these ascending positions (positions × columns), zero for a missing row."""
    values = np.zeros((len(positions), rows.values.shape[1]))
    _, here, there = np.intersect1d(positions, rows.positions, assume_unique=True, return_indices=True)
    values[here] = rows.values[there]
    return values


def _with_trial(usage: Record, tried: Record, change: Split | Dissolve, axis: str) -> dict[str, Field]:
    """The `usage` sums of statistics after an accepted Split or Dissolve, corrected by its trial's.

    usage: the sums after the change; tried: the trial's sums (those not in `usage` are ignored); axis: the
    name of the column axis. Sums with that axis alone get the trial's values in the changed columns. For all
    other sums, the trial holds differences, which are added.
    """
    after = dict(usage)
    for name, item in tried.items():
        if name not in after:
            continue
        values = after[name].values.copy()
        if item.axes == (axis,):
            values[_left(change, len(values))] = item.values
        else:
            values = values + item.values
        after[name] = after[name]._replace(values=values)
    return after


def _left(change: Split | Dissolve, n_columns: int) -> list[int]:
    """The columns that have got a split or dissolved column's counts, by their numbers after the change.

    n_columns: the number of all columns after the change.
    """
    if isinstance(change, Split):
        return [change.source, n_columns - 1]
    return [target - (change.source < target) for target in change.into]


def _rows_after(change: Change, row_axis: str, n_rows: int) -> int:
    if change.axis != row_axis:
        return n_rows
    match change:
        case Grow(number=number):
            return n_rows + number
        case Drop(positions=positions):
            return n_rows - len(positions)
        case Merge() | Dissolve():
            return n_rows - 1
        case _:
            return n_rows


def apply_to_local(edit: Edit, local: Record) -> dict[str, Field]:
    """Documents' records after an edit, without the fields used only within a step.

    A Split or Dissolve whose trial stored shares for each document divides the records by these.
    """
    after = without_trials(local)
    for change in edit:
        own = change
        if isinstance(change, Split | Dissolve):
            shares = after.pop(SHARES_OF + change.trial, None)
            own = change if shares is None else replace(change, along={shares.axes[0]: shares.values})
        after = apply((own,), after)
    return after


def without_trials(local: Record) -> dict[str, Field]:
    """Documents' records without the fields of trials, which are used only while a step is made."""
    return {name: item for name, item in local.items() if not name.startswith(TRIAL)}
