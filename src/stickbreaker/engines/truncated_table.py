"""A sparse table in memory whose cells are ordered within each column, for models with truncated sticks.

Its kernels are imported on use: loading a model does not need numba.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.edits import Change, Dissolve, Drop, Edit, Grow, Merge, Permute, Reorder, Split
from stickbreaker.core.records import AnyArray, Array, Rows, SparseCounts, TruncatedCounts
from stickbreaker.core.serialize import Arrays
from stickbreaker.core.untrusted import refuse_negative, refuse_whole_numbers
from stickbreaker.engines.table import RESCALE_BELOW, Keys, keys_after, refuse_other_totals, scale_of
from stickbreaker.engines.truncated_edits import CellList, changed_cells, merged_cells, runs_of_merges

if TYPE_CHECKING:
    from stickbreaker.kernels.truncated_table import ByRow

LEAST = 64  # initial slots of a column; it grows by half at a time


class Column(NamedTuple):
    """The cells of one column of a truncated table, in order; `inside`: whether each is in the truncation."""

    rows: NDArray[np.int32]
    values: Array
    inside: NDArray[np.bool_]


class TruncatedTable:
    """A sparse table of counts whose cells have an order within each column, and may be in its truncation.

    Cells that are new in a blend come last (larger ones first, then by row); `Reorder` changes the order.
    Cells that are not `inside` their column's truncation are stored, but have no weight in stick-breaking.
    Memory: 13 bytes per slot (each column has room for as many cells as the longest), and 8 per cell once
    they are queried by row. Rows have keys, and are one group.
    """

    def __init__(self, n_columns: int, row_axis: str, column_axis: str, keys: Sequence[str]) -> None:
        self.axes = (row_axis, column_axis)
        self.keys = Keys(keys)
        self.scale = 1.0
        self._clear(n_columns)
        self._totals = np.zeros((1, n_columns))

    @classmethod
    def of(cls, counts: Array, row_axis: str, column_axis: str, keys: Sequence[str]) -> "TruncatedTable":
        """A truncated table with the nonzero cells of dense counts (rows × columns)."""
        table = cls(counts.shape[1], row_axis, column_axis, keys)
        table.blend(Rows(np.arange(len(counts)), counts), 1.0, 1.0)
        return table

    @property
    def n_rows(self) -> int:
        return len(self.keys)

    @property
    def shape(self) -> tuple[int, int]:
        return self.n_rows, len(self.sizes)

    def totals(self) -> Array:
        """Sums over rows (1 × columns): updated by blends, recomputed after an edit."""
        return self._totals

    def positions(self, keys: Sequence[str]) -> NDArray[np.int64]:
        """The row of each key, -1 if there is none."""
        return self.keys.rows(keys)

    def whole(self) -> TruncatedCounts:
        """The whole table in the form that models use. It is read-only, and invalid after the next change."""
        parts = self.rows, self.values, self.inside, self.sizes
        return TruncatedCounts(*parts, self.scale, self._by_row, self.keys)

    def counts(self, rows: NDArray[np.int64] | slice) -> Array:
        """The counts of some rows (rows × columns), as a dense array."""
        from stickbreaker.kernels.truncated_table import gather  # pyright: ignore[reportUnknownVariableType]

        places = np.arange(self.n_rows)[rows] if isinstance(rows, slice) else rows
        out = np.empty((len(places), len(self.sizes)))
        gather(places, *self._by_row(), self.values, self.scale, out)
        return out

    def columns(self, columns: Sequence[int]) -> Array:
        """The counts of some columns (rows × columns), as a dense array."""
        out = np.zeros((self.n_rows, len(columns)))
        for place, k in enumerate(columns):
            size = self.sizes[k]
            out[self.rows[k, :size], place] = self.values[k, :size] * self.scale
        return out

    def blend(self, rows: Rows | SparseCounts, keep: float, add: float) -> None:
        """Replace the counts by keep · counts + add · rows; the cells of `rows` become `inside`.

        Unless `keep` is 0, only these cells are written, since the scale takes the factor `keep`.
        """
        if keep == 0.0:
            self.values[:], self.scale = 0.0, 1.0
        elif self.scale * keep < RESCALE_BELOW:
            self.values *= self.scale * keep
            self.scale = 1.0
        else:
            self.scale *= keep
        positions, columns, values = _cells_of(rows)
        self._totals = keep * self._totals
        self._totals[0] += add * np.bincount(columns, values, len(self.sizes))
        self._add(positions, columns, values * add)

    def copy(self) -> "TruncatedTable":
        """An independent copy."""
        other = object.__new__(TruncatedTable)
        vars(other).update(vars(self))
        for name in ("rows", "values", "inside", "sizes", "_totals", "keys"):
            setattr(other, name, getattr(self, name).copy())
        return other

    def edit(self, edit: Edit) -> None:
        """Change the table's shape by an edit, and recompute the totals if cells were changed."""
        rebuilt = False
        for change in runs_of_merges(edit, self.axes[0]):
            if isinstance(change, Grow) and change.axis == self.axes[0]:
                self._grow(change.keys)
                continue
            rebuilt = True
            if isinstance(change, list):
                cells, sizes, left = merged_cells(self._cells(), change, self.shape)
                self.keys = Keys(list(map(self.keys[:].__getitem__, left)))
                self._fill(cells, sizes)
            elif isinstance(change, Reorder):
                self._reorder(change)
            else:
                self._change(change)
        if rebuilt:
            self._totals = self._sums()

    def arrays(self) -> dict[str, AnyArray]:
        """Arrays from which `restored` rebuilds the same table exactly."""
        cells = self._cells()
        return {
            "cell rows": cells.rows.astype(np.int32),
            "cell counts": cells.values,
            "cell inside": cells.inside.astype(np.uint8),
            "sizes": self.sizes.copy(),
            "scale": np.array(self.scale),
            "totals": self._totals.copy(),
        }

    @classmethod
    def restored(
        cls, arrays: Arrays, row_axis: str, column_axis: str, keys: Sequence[str]
    ) -> "TruncatedTable":
        """The table from its `arrays`. Raises ValueError for arrays that are not valid."""
        refuse_whole_numbers(arrays, ("cell counts", "totals", "scale"))
        sizes, rows, counts = arrays["sizes"].astype(np.int64), arrays["cell rows"], arrays["cell counts"]
        refuse_negative(counts, "counts")
        lengths = {int(sizes.sum()), len(rows), len(counts), len(arrays["cell inside"])}
        if sizes.min(initial=0) < 0 or len(lengths) > 1:
            raise ValueError("columns whose sizes do not fit the counts")
        if len(rows) and not arrays["cell inside"].any():
            raise ValueError("no word is inside")
        if rows.min(initial=0) < 0 or rows.max(initial=-1) >= len(keys):
            raise ValueError("counts of rows that do not exist")
        _refuse_twice(rows, sizes, len(keys))
        columns = np.repeat(np.arange(len(sizes)), sizes)
        table = cls(len(sizes), row_axis, column_axis, keys)
        table.scale = scale_of(arrays)
        inside = arrays["cell inside"].astype(np.bool_)
        cells = CellList(arrays["cell rows"].astype(np.int64), columns, arrays["cell counts"], inside)
        table._fill(cells, sizes)
        table._totals = np.array(arrays["totals"], np.float64)
        refuse_other_totals(table._totals, table._sums())
        return table

    def _clear(self, n_columns: int, slots: int = LEAST) -> None:
        self.rows = np.zeros((n_columns, slots), np.int32)
        self.values = np.zeros((n_columns, slots))
        self.inside = np.zeros((n_columns, slots), np.bool_)
        self.sizes = np.zeros(n_columns, np.int64)
        self._found: ByRow | None = None

    def _cells(self) -> CellList:
        """All cells of the table, column by column."""
        live = self.whole().live()
        columns = np.repeat(np.arange(len(self.sizes)), self.sizes)
        return CellList(self.rows[live].astype(np.int64), columns, self.values[live], self.inside[live])

    def _add(self, positions: NDArray[np.int64], columns: NDArray[np.int64], values: Array) -> None:
        """Add values to cells, and mark them as inside; new cells are appended, largest first."""
        from stickbreaker.kernels.truncated_table import add_known, append_cells  # pyright: ignore[reportUnknownVariableType]

        by_column = np.argsort(columns, kind="stable")
        positions, columns, values = positions[by_column], columns[by_column], values[by_column] / self.scale
        known, wanted = np.empty(len(positions), np.bool_), np.full(self.n_rows, -1)
        table = self.rows, self.sizes, wanted, self.values, self.inside
        add_known(positions, columns, values, *table, known)
        new = np.flatnonzero(~known & (values != 0.0))
        new = new[np.lexsort((positions[new], -values[new], columns[new]))]
        self._reserve(int((self.sizes + np.bincount(columns[new], minlength=len(self.sizes))).max(initial=0)))
        self._found = self._found if len(new) == 0 else None
        cells = positions[new], columns[new], values[new]
        append_cells(*cells, self.rows, self.values, self.inside, self.sizes)

    def _by_row(self) -> "ByRow":
        """The index of cells by row, computed when it is first needed after a change."""
        from stickbreaker.kernels.truncated_table import by_row

        if self._found is None:
            self._found = by_row(self.rows, self.sizes, self.n_rows)
        return self._found

    def _reserve(self, slots: int) -> None:
        """Make room for `slots` cells per column, if there is not enough."""
        have = self.rows.shape[1]
        if slots <= have:
            return
        more = ((0, 0), (0, max(slots, have + have // 2) - have))
        self.rows, self.values = np.pad(self.rows, more), np.pad(self.values, more)
        self.inside = np.pad(self.inside, more)

    def _grow(self, keys: Sequence[str]) -> None:
        self.keys.grow(keys)
        if self._found is not None:
            offsets = self._found.offsets
            self._found = self._found._replace(
                offsets=np.concatenate([offsets, np.repeat(offsets[-1:], len(keys))])
            )

    def _fill(self, cells: CellList, sizes: NDArray[np.int64]) -> None:
        """Replace all cells by a list of cells, whose values are not yet multiplied by the table's scale.

        sizes: each column's number of cells.
        """
        self._clear(len(sizes), max(LEAST, int(sizes.max(initial=0))))
        slots = np.arange(len(cells.rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        self.rows[cells.columns, slots] = cells.rows
        self.values[cells.columns, slots] = cells.values
        self.inside[cells.columns, slots] = cells.inside
        self.sizes = sizes.astype(np.int64)

    def _reorder(self, change: Reorder) -> None:
        """Put each column's cells in the order of rows given for it; cells of other rows are removed."""
        from stickbreaker.kernels.truncated_table import reorder_column  # pyright: ignore[reportUnknownVariableType]

        rows, values, sizes = self.rows, self.values, self.sizes.tolist()
        orders = [np.asarray(order, np.int64) for order in change.orders]
        if len(orders) != len(sizes) or any(((o < 0) | (o >= self.n_rows)).any() for o in orders):
            raise ValueError("a new order names the rows of each column")
        self._clear(len(sizes), max((LEAST, *map(len, orders))))
        slots = np.full(self.n_rows, -1)
        for k, (order, n_inside) in enumerate(zip(orders, change.inside, strict=True)):
            own = rows[k, : sizes[k]], values[k, : sizes[k]], order, n_inside
            self.sizes[k] = reorder_column(*own, slots, self.rows[k], self.values[k], self.inside[k])

    def _change(self, change: Change) -> None:
        """Apply any change except Reorder and new rows; cells that stay in a column keep their order."""
        if change.axis == self.axes[0]:
            cells, sizes = changed_cells(self._cells(), change, self.shape)
            self.keys = keys_after(self.keys, change)
            self._fill(cells, sizes)
            return
        self._found = None
        match change:
            case Permute(order=order):
                self._take_columns(list(order))
            case Drop(positions=positions):
                self._take_columns(np.delete(np.arange(len(self.sizes)), list(positions)))
            case Grow(number=number):
                self._add_columns(number)
            case Merge(into=into, source=source):
                self._join(into, self._column(source))
                self._take_columns(np.delete(np.arange(len(self.sizes)), source))
            case Dissolve(source=source, into=into):
                for place, target in enumerate(into):
                    self._join(target, self._share(source, change, place))
                self._take_columns(np.delete(np.arange(len(self.sizes)), source))
            case Split(source=source):
                first, second = (self._share(source, change, place) for place in range(2))
                self._add_columns(1)
                self._put(source, first)
                self._put(len(self.sizes) - 1, second)
            case Reorder():
                raise ValueError("an order has two axes")

    def _take_columns(self, columns: Sequence[int] | NDArray[np.int64]) -> None:
        """Keep only these columns, in this order."""
        self.rows, self.values = self.rows[columns], self.values[columns]
        self.inside, self.sizes = self.inside[columns], self.sizes[columns]

    def _add_columns(self, number: int) -> None:
        """Append this many empty columns."""
        more = ((0, number), (0, 0))
        self.rows, self.values = np.pad(self.rows, more), np.pad(self.values, more)
        self.inside, self.sizes = np.pad(self.inside, more), np.pad(self.sizes, more[0])

    def _column(self, column: int) -> Column:
        """A copy of a column's cells."""
        size = int(self.sizes[column])
        rows, values, inside = (
            self.rows[column, :size],
            self.values[column, :size],
            self.inside[column, :size],
        )
        return Column(rows.copy(), values.copy(), inside.copy())

    def _share(self, source: int, change: Split | Dissolve, place: int) -> Column:
        """The cells that a Split or Dissolve moves from column `source` to its target number `place`.

        For a Split, place 0 is what stays in the column, 1 what moves to the new one.
        """
        own, along = self._column(source), change.along.get(self.axes[0])
        if isinstance(change, Split):
            second = change.share if along is None else along[own.rows]
            share = second if place else 1.0 - second
        else:
            share = change.shares[place] if along is None else along[own.rows, place]
        values = own.values * share
        kept = values != 0.0
        return Column(own.rows[kept], values[kept], own.inside[kept])

    def _put(self, column: int, cells: Column) -> None:
        """Replace the cells of a column by these."""
        size = len(cells.rows)
        self._reserve(size)
        self.rows[column, :size], self.values[column, :size], self.inside[column, :size] = cells
        self.sizes[column] = size

    def _join(self, column: int, cells: Column) -> None:
        """Add cells to a column: in place if it has a cell with the same row, otherwise at its end."""
        there = self._column(column)
        places = np.full(self.n_rows, -1)
        places[there.rows] = np.arange(len(there.rows))
        at = places[cells.rows]
        known, new = at >= 0, at < 0
        there.values[at[known]] += cells.values[known]
        there.inside[at[known]] |= cells.inside[known]
        joined = Column(
            np.concatenate([there.rows, cells.rows[new]]),
            np.concatenate([there.values, cells.values[new]]),
            np.concatenate([there.inside, cells.inside[new]]),
        )
        self._put(column, joined)

    def _sums(self) -> Array:
        """The totals: the sum of each column (1 × columns)."""
        columns = enumerate(self.sizes.tolist())
        return np.array([[self.values[k, :size].sum() for k, size in columns]]) * self.scale


def _refuse_twice(rows: NDArray[np.int64], sizes: NDArray[np.int64], n_rows: int) -> None:
    """Raise ValueError if a column has two cells with the same row.

    rows: the row of each cell, column by column; sizes: each column's number of cells.
    """
    place = np.empty(n_rows, np.int64)  # of each row, in the current column
    start = 0
    for size in sizes.tolist():
        own = rows[start : start + size]
        numbers = np.arange(len(own))
        place[own] = numbers
        if not np.array_equal(place[own], numbers):
            raise ValueError("two counts of one row and column")
        start += size


def _cells_of(rows: Rows | SparseCounts) -> tuple[NDArray[np.int64], NDArray[np.int64], Array]:
    """The nonzero entries of some rows as three arrays: row numbers, columns and values."""
    if isinstance(rows, SparseCounts):
        cells = rows.combined()
        return cells.positions, cells.columns.astype(np.int64), cells.times * np.float64(cells.unit)
    places, columns = np.nonzero(rows.values)
    return rows.positions[places], columns.astype(np.int64), rows.values[places, columns].astype(np.float64)
