"""What changes of shape make of the cells of a truncated table."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.edits import Change, Dissolve, Drop, Grow, Merge, Permute, Reorder, Split
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


def changed_cells(
    cells: CellList, change: Change, shape: tuple[int, int], axes: tuple[str, str]
) -> tuple[CellList, Numbers]:
    """The cells after a change of a table of that shape (rows, columns), and how many each column has.

    Not of a new order, which `TruncatedTable` makes in place.
    """
    if change.axis == axes[0]:
        cells, n_columns = _with_axis(cells, "rows", change, shape[0])[0], shape[1]
    else:
        if isinstance(change, Split | Dissolve):
            cells = _shared_out(cells, change, shape, axes[0])
        cells, n_columns = _with_axis(cells, "columns", change, shape[1])
    return cells, np.bincount(cells.columns, minlength=n_columns).astype(np.int64)


def _with_axis(cells: CellList, name: str, change: Change, size: int) -> tuple[CellList, int]:
    """The cells with new numbers of their rows or columns, and how many of these there are."""
    after, size = _renumbered(change, size)
    before = getattr(cells, name)
    numbers = after[before]
    cells = cells._replace(**{name: numbers})
    if isinstance(change, Merge):  # what stands there already comes first
        order = np.lexsort((np.arange(len(numbers)), before == change.source, cells.columns))
        return _combined(cells.at(order)), size
    kept = np.flatnonzero(numbers >= 0)
    return cells.at(kept[np.argsort(cells.columns[kept], kind="stable")]), size


def _renumbered(change: Change, size: int) -> tuple[Numbers, int]:
    """The new number of each position of the axis, -1 of those that go, and how many there are then."""
    after = np.arange(size)
    match change:
        case Grow(number=number):
            return after, size + number
        case Split():  # its cells were shared out before, with their new number
            return np.arange(size + 1), size + 1
        case Permute(order=order):
            after[list(order)] = np.arange(size)
            return after, size
        case Drop(positions=positions):
            gone = list(positions)
        case Merge(source=source) | Dissolve(source=source):
            gone = [source]
        case Reorder():
            raise ValueError("a new order does not renumber")
    kept = np.delete(np.arange(size), gone)
    after[gone] = -1
    after[kept] = np.arange(len(kept))
    if isinstance(change, Merge):
        after[change.source] = after[change.into]
    return after, len(kept)


def _shared_out(cells: CellList, change: Split | Dissolve, shape: tuple[int, int], row_axis: str) -> CellList:
    """The source's cells given to the columns that a split or a dissolved column's targets are."""
    if change.axis == row_axis:
        raise ValueError("rows are not split: a row's content is its identity")
    own = cells.at(cells.columns == change.source)
    rest = cells.at(cells.columns != change.source)
    if isinstance(change, Split):
        targets, shares = (change.source, shape[1]), np.array([1.0 - change.share, change.share])
    else:
        targets, shares = change.into, np.asarray(change.shares)
    along = change.along.get(row_axis)
    if along is not None:
        each = along[own.rows]
        shares = np.stack([1.0 - each, each], axis=1) if isinstance(change, Split) else each
    shares = np.broadcast_to(shares, (len(own.rows), len(targets)))
    parts = [rest]
    for place, target in enumerate(targets):
        part = own._replace(columns=np.full_like(own.rows, target), values=own.values * shares[:, place])
        parts.append(part.at(part.values != 0.0))
    joined = CellList(*(np.concatenate(each) for each in zip(*parts, strict=True)))
    return _combined(joined.at(np.argsort(joined.columns, kind="stable")))


def _combined(cells: CellList) -> CellList:
    """Each cell once, where it stands first, with the sum of its values."""
    keys = cells.columns * (int(cells.rows.max(initial=0)) + 1) + cells.rows
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    sums = np.bincount(inverse, cells.values, len(first))
    inside = np.bincount(inverse, cells.inside, len(first)) > 0
    order = np.argsort(first)
    at = cells.at(first[order])
    return at._replace(values=sums[order], inside=inside[order])
