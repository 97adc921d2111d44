"""What changes of the rows of a truncated table make of its cells."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.edits import Change, Drop, Grow, Merge, Permute
from stickbreaker.core.records import Array

Numbers = NDArray[np.int64]


class CellList(NamedTuple):
    """Cells column by column, each column in its order."""

    rows: Numbers
    columns: Numbers
    values: Array
    inside: NDArray[np.bool_]

    def at(self, places: NDArray[np.integer | np.bool_]) -> "CellList":
        """Some of the cells."""
        rows, columns, values, inside = self
        return CellList(rows[places], columns[places], values[places], inside[places])


def changed_cells(cells: CellList, change: Change, shape: tuple[int, int]) -> tuple[CellList, Numbers]:
    """The cells after a change of the rows of a table of that shape, and how many each column has."""
    after = _renumbered(change, shape[0])
    numbers = after[cells.rows]
    before, cells = cells.rows, cells._replace(rows=numbers)
    if isinstance(change, Merge):  # what stands there already comes first
        order = np.lexsort((np.arange(len(numbers)), before == change.source, cells.columns))
        cells = _combined(cells.at(order))
    else:
        cells = cells.at(np.flatnonzero(numbers >= 0))
    return cells, np.bincount(cells.columns, minlength=shape[1]).astype(np.int64)


def _renumbered(change: Change, size: int) -> Numbers:
    """The new number of each row, -1 of those that go."""
    after = np.arange(size)
    match change:
        case Grow():
            return after
        case Permute(order=order):
            after[list(order)] = np.arange(size)
            return after
        case Drop(positions=positions):
            gone = list(positions)
        case Merge(source=source):
            gone = [source]
        case _:
            raise ValueError("rows are not split: a row's content is its identity")
    kept = np.delete(np.arange(size), gone)
    after[gone] = -1
    after[kept] = np.arange(len(kept))
    if isinstance(change, Merge):
        after[change.source] = after[change.into]
    return after


def _combined(cells: CellList) -> CellList:
    """Each cell once, where it stands first, with the sum of its values."""
    keys = cells.columns * (int(cells.rows.max(initial=0)) + 1) + cells.rows
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    sums = np.bincount(inverse, cells.values, len(first))
    inside = np.bincount(inverse, cells.inside, len(first)) > 0
    order = np.argsort(first)
    at = cells.at(first[order])
    return at._replace(values=sums[order], inside=inside[order])
