"""The table of expected counts, in memory.

Its kernels are imported on use: loading a model does not need numba.
"""

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import overload

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.edits import Change, Drop, Edit, Grow, Merge, Permute, Reorder, apply_change
from stickbreaker.core.records import AnyArray, Array, Field, Rows, SparseCounts
from stickbreaker.core.serialize import Arrays
from stickbreaker.core.untrusted import refuse_negative, refuse_whole_numbers

RESCALE_BELOW = 1e-6  # if the decay factor falls below this, the stored counts are multiplied by it once


class Keys(Sequence[str]):
    """The keys (such as words) of a table's rows in order, with a fast search for the row of a key.

    Copies share their content until one of them grows.
    """

    def __init__(self, keys: Sequence[str]) -> None:
        if isinstance(keys, Keys):
            vars(self).update(vars(keys))
            return
        self._keys = list(keys)
        self._rows = {key: row for row, key in enumerate(self._keys)}
        self._size = len(self._keys)  # entries beyond it were added by a copy

    def copy(self) -> "Keys":
        return Keys(self)

    def grow(self, keys: Sequence[str]) -> None:
        """Append new keys. Meanwhile other threads may read copies, but not grow them."""
        if len(self._keys) > self._size:
            vars(self).update(vars(Keys(self[:])))
        self._rows |= {key: row for row, key in enumerate(keys, self._size)}
        self._keys.extend(keys)
        self._size = len(self._keys)

    def rows(self, keys: Sequence[str]) -> NDArray[np.int64]:
        """The row of each key, -1 if there is none."""
        index = self._rows
        rows = np.fromiter((index.get(key, -1) for key in keys), np.int64, len(keys))
        return np.where(rows < self._size, rows, -1)

    def __reduce__(self) -> tuple[type["Keys"], tuple[list[str]]]:
        """Pickle only this object's keys, not those that copies added to the shared content."""
        return Keys, (self[:],)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[str]:
        return islice(self._keys, self._size)

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row: int | slice) -> str | list[str]:
        if isinstance(row, slice):
            return self._keys[slice(*row.indices(self._size))]
        return self._keys[range(self._size)[row]]


class Table:
    """A table of counts (rows × columns) in memory, stored as scale × values: decay is one multiplication.

    `keys`: the rows' keys (words) in a table that can grow; otherwise rows are known by number. `groups`: the
    group of each row (such as its language), if there are several; totals are then by group.
    """

    def __init__(
        self,
        values: Array,
        row_axis: str,
        column_axis: str,
        keys: Sequence[str] | None = None,
        scale: float = 1.0,
        totals: Array | None = None,
        groups: NDArray[np.int32] | None = None,
    ) -> None:
        self.values = np.require(values, np.float64, ["C", "W"])  # a copy if it is read-only
        self.axes = (row_axis, column_axis)
        self.scale = scale
        self.keys = None if keys is None else Keys(keys)
        self.groups = groups
        self._n_groups = n_groups_of(groups) if totals is None else len(totals)
        self._totals = self._sum() if totals is None else totals

    @property
    def n_rows(self) -> int:
        return len(self.values)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.values), self.values.shape[1]

    def totals(self) -> Array:
        """Sums over rows (groups × columns): updated by blends, recomputed after an edit."""
        return self._totals

    def positions(self, keys: Sequence[str]) -> NDArray[np.int64]:
        """The row of each key, -1 if there is none. Raises ValueError for a table without keys."""
        if self.keys is None:
            raise ValueError("the rows of this table have numbers, not keys")
        return self.keys.rows(keys)

    def whole(self) -> Array:
        """All counts (rows × columns). Do not change them: they may be the table's own array."""
        return self.counts(slice(None))

    def counts(self, rows: NDArray[np.int64] | slice) -> Array:
        """The counts of some rows (rows × columns). Do not change them: they may be the table's own array."""
        return self.values[rows] if self.scale == 1.0 else self.values[rows] * self.scale

    def blend(self, rows: Rows | SparseCounts, keep: float, add: float) -> None:
        """Replace the counts by keep · counts + add · rows.

        Unless `keep` is 0, only these rows (or cells) are written, since the scale takes the factor `keep`.
        """
        from stickbreaker.kernels.dirichlet import add_cells, add_rows  # pyright: ignore[reportUnknownVariableType]

        fresh = sums_by_group(rows, self.groups, self._n_groups)
        if keep == 0.0:
            self.values, self.scale = np.zeros_like(self.values), 1.0
        elif self.scale * keep < RESCALE_BELOW:
            self.values, self.scale = self.values * (self.scale * keep), 1.0
        else:
            self.scale *= keep
        if isinstance(rows, SparseCounts):
            share = rows.unit * add / self.scale
            add_cells(self.values, rows.positions, rows.columns, rows.times, share)
        else:
            add_rows(self.values, rows.positions, rows.values, add / self.scale)
        self._totals = keep * self._totals + add * fresh

    def arrays(self) -> dict[str, AnyArray]:
        """Arrays (not copies) from which `restored` rebuilds the same table exactly."""
        arrays = {"counts": self.values, "scale": np.array(self.scale), "totals": self.totals()}
        return arrays if self.groups is None else {**arrays, "groups": self.groups}

    @classmethod
    def restored(cls, arrays: Arrays, row_axis: str, column_axis: str, keys: Sequence[str] | None) -> "Table":
        """The table from its `arrays`. Raises ValueError for arrays that are not valid."""
        refuse_whole_numbers(arrays, ("counts", "totals", "scale"))
        scale, counts = scale_of(arrays), arrays["counts"]
        totals = np.array(arrays["totals"], np.float64)
        groups = groups_of(arrays, len(counts))
        refuse_negative(counts, "counts")
        if counts.ndim != 2 or (keys is not None and len(keys) != len(counts)):
            raise ValueError("the rows of the table do not match their names")
        table = cls(counts, row_axis, column_axis, keys, scale, totals, groups)
        refuse_other_totals(totals, table._sum())
        return table

    def copy(self) -> "Table":
        """An independent copy."""
        return Table(self.values.copy(), *self.axes, self.keys, self.scale, self._totals.copy(), self.groups)

    def edit(self, edit: Edit) -> None:
        """Change the table's shape by an edit (rows or columns added, merged …), and recompute the totals."""
        for change in edit:
            item = Field(self.values, self.axes)
            self.values = np.ascontiguousarray(apply_change(item, change).values)
            if change.axis == self.axes[0] and self.groups is not None:
                self.groups = groups_after(self.groups, change)
                self._n_groups = max(self._n_groups, n_groups_of(self.groups))
            if change.axis == self.axes[0] and self.keys is not None:
                self.keys = keys_after(self.keys, change)
        self._totals = self._sum()

    def replace(self, values: Array) -> None:
        """Take other counts, of the same shape, in place of the table's own, and compute the totals again.

        The array is kept, not copied, so the caller must not change it afterwards; its shape is not checked.
        The counts are taken as they are: a scale that was pending from earlier steps is dropped.
        """
        self.values, self.scale = values, 1.0
        self._totals = self._sum()

    def _sum(self) -> Array:
        """Compute the totals (groups × columns), block by block in order of rows."""
        if self.groups is not None:
            everything = Rows(np.arange(self.n_rows), self.values)
            sums = sums_by_group(everything, self.groups, self._n_groups)
            return np.asarray(sums * self.scale, np.float64)
        bounds = [*range(0, max(1, self.n_rows), 65536), self.n_rows]
        parts = [self.values[a:b].sum(axis=0, keepdims=True) for a, b in pairwise(bounds)]
        return np.sum(parts, axis=0) * self.scale


def sums_by_group(rows: Rows | SparseCounts, groups: NDArray[np.int32] | None, n_groups: int) -> Array:
    """Column sums of rows, separately for each group of rows (groups × columns).

    groups: the group of each row of the whole table (None: one group).
    """
    if groups is None:
        return (
            rows.totals() if isinstance(rows, SparseCounts) else rows.values.sum(0, np.float64, keepdims=True)
        )
    of = groups[rows.positions]
    if isinstance(rows, SparseCounts):
        places = of.astype(np.int64) * rows.n_columns + rows.columns
        times = np.bincount(places, rows.times, n_groups * rows.n_columns)
        return np.asarray(times.reshape(n_groups, rows.n_columns) * rows.unit, np.float64)
    from scipy.sparse import csc_array  # adds row by row, for any number of groups

    n = len(of)
    member = csc_array((np.ones(n), of, np.arange(n + 1)), shape=(n_groups, n))
    return np.asarray(member @ rows.values, np.float64)


def n_groups_of(groups: NDArray[np.int32] | None) -> int:
    """The number of groups of rows: one more than the largest group number, or 1 for None."""
    return 1 if groups is None else int(groups.max(initial=0)) + 1


def groups_after(groups: NDArray[np.int32], change: Change) -> NDArray[np.int32]:
    """The group of each row after a change of the row axis. ValueError for new rows without a group."""
    if isinstance(change, Grow):
        if len(change.groups) != change.number:
            raise ValueError("new rows of a table in groups need a group each")
        return np.concatenate([groups, np.asarray(change.groups, np.int32)])
    item = Field(groups.astype(np.float64), (change.axis,), additive=False)
    return apply_change(item, change).values.astype(np.int32)


def keys_after(keys: Keys, change: Change) -> Keys:
    """The rows' keys after a change of the row axis. Raises ValueError for a change that divides rows."""
    match change:
        case Grow(keys=new):
            return Keys([*keys, *new])
        case Drop(positions=positions):
            gone = set(positions)
            return Keys([key for i, key in enumerate(keys) if i not in gone])
        case Merge(source=source):
            return Keys(keys[:source] + keys[source + 1 :])
        case Permute(order=order):
            listed = keys[:]
            return Keys([listed[i] for i in order])
        case Reorder():
            return keys
        case _:
            raise ValueError("rows are not split: a row's content is its identity")


def refuse_other_totals(totals: Array, sums: Array) -> None:
    """Raise ValueError if the totals of a saved table are not the sums of its counts, up to rounding."""
    if totals.shape != sums.shape or not np.allclose(totals, sums, rtol=1e-4, atol=1e-4):
        raise ValueError("totals that are not the sums of the counts")


def scale_of(arrays: Arrays) -> float:
    """The factor of the stored counts of a saved table. ValueError if it is not finite and above zero."""
    scale = float(arrays["scale"])
    if not 0.0 < scale < np.inf:
        raise ValueError(f"a scale of {scale}")
    return scale


def refuse_other_groups(
    groups: NDArray[np.int32] | None, n_groups: int, wanted: NDArray[np.int32] | None
) -> None:
    """Raise ValueError if a saved table's groups of rows differ from the model's (`wanted`).

    n_groups: the number of groups for which the table has totals.
    """
    same = groups is wanted if groups is None or wanted is None else np.array_equal(groups, wanted)
    if not same or n_groups != n_groups_of(wanted):
        raise ValueError("a table with other groups")


def groups_of(arrays: Arrays, n_rows: int) -> NDArray[np.int32] | None:
    """The group of each row of a saved table (None: no groups). Raises ValueError if they do not fit."""
    if "groups" not in arrays:
        return None
    groups = arrays["groups"].astype(np.int32)
    if groups.shape != (n_rows,) or not 0 <= groups.min(initial=0) <= groups.max(initial=0) < len(
        arrays["totals"]
    ):
        raise ValueError("groups that do not fit the rows")
    return groups
