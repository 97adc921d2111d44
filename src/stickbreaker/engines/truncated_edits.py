"""Applies changes of rows to the cells of a truncated table (see `truncated_table.py`)."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.edits import Change, Edit, Merge, renumbered
from stickbreaker.core.records import Array

Numbers = NDArray[np.int64]


class CellList(NamedTuple):
    """The cells (stored counts) of a truncated table, column by column, each column in its own order.

    `inside`: whether a cell is in its column's truncation.
    """

    rows: Numbers
    columns: Numbers
    values: Array
    inside: NDArray[np.bool_]

    def at(self, places: NDArray[np.integer | np.bool_]) -> "CellList":
        """The cells at these positions of the list."""
        rows, columns, values, inside = self
        return CellList(rows[places], columns[places], values[places], inside[places])


def changed_cells(cells: CellList, change: Change, shape: tuple[int, int]) -> tuple[CellList, Numbers]:
    """The cells after rows were added, removed or reordered, and each column's number of cells.

    shape: of the table before the change. Not for merges of rows.
    """
    numbers = renumbered(change, shape[0])[cells.rows]
    cells = cells._replace(rows=numbers).at(np.flatnonzero(numbers >= 0))
    return cells, _sizes(cells, shape[1])


def merged_cells(
    cells: CellList, merges: Sequence[Merge], shape: tuple[int, int]
) -> tuple[CellList, Numbers, list[int]]:
    """The cells after several merges of rows, made at once; the result is that of making them in order.

    Each merge has the row numbers that those before it leave; none may have as source a row that an earlier
    one merged into. Returns the cells, each column's number of cells, and the rows that remain (their old
    numbers). A merged cell is where the remaining row's cell was, or else at the end of its column.
    """
    left, into = list(range(shape[0])), np.arange(shape[0])
    turns = np.zeros(shape[0], np.int64)  # for rows that are removed: the merge that takes them, from 1
    for turn, merge in enumerate(merges, 1):
        source = left[merge.source]
        into[source], turns[source] = left[merge.into], turn
        del left[merge.source]
    after = np.full(shape[0], -1)
    after[left] = np.arange(len(left))
    order = np.lexsort((turns[cells.rows], cells.columns))
    cells = cells._replace(rows=after[into[cells.rows]]).at(order)
    cells = _combined(cells)
    return cells, _sizes(cells, shape[1]), left


def runs_of_merges(edit: Edit, axis: str) -> Iterator[Change | list[Merge]]:
    """Yield the changes of an edit in order, with successive merges of rows collected in lists.

    The merges of a list can be made at once by `merged_cells`. axis: the name of the row axis.
    """
    run: list[Merge] = []
    for change in edit:
        if isinstance(change, Merge) and change.axis == axis:
            if run and _goes_on(run, change):
                yield run
                run = []
            run.append(change)
            continue
        if run:
            yield run
            run = []
        yield change
    if run:
        yield run


def _goes_on(run: Sequence[Merge], merge: Merge) -> bool:
    """Whether a merge cannot be made at once with a run of earlier ones, since one merged into its source."""
    source = merge.source
    for earlier in reversed(run):  # row numbers as they were before it
        source += source >= earlier.source
        if source == earlier.into:
            return True
    return False


def _sizes(cells: CellList, n_columns: int) -> Numbers:
    """The number of cells in each column."""
    return np.bincount(cells.columns, minlength=n_columns).astype(np.int64)


def _combined(cells: CellList) -> CellList:
    """The cells with duplicates (same row and column) summed, at the position of the first.

    A sum is inside the truncation if one of its cells is.
    """
    keys = cells.columns * (int(cells.rows.max(initial=0)) + 1) + cells.rows
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    sums = np.bincount(inverse, cells.values, len(first))
    inside = np.bincount(inverse, cells.inside, len(first)) > 0
    order = np.argsort(first)
    at = cells.at(first[order])
    return at._replace(values=sums[order], inside=inside[order])
