"""Sparse counts whose cells are ordered within each column: adding to cells, appending cells, reordering
them.

`rows` and `counts` (columns × slots) have the row and the count of each cell, `sizes` (columns) the number of
each column's cells. What is done once per step searches all cells of a column; `by_row` makes an index for
frequent queries.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.math import OPTIONS

SLOT = np.int64(0xFFFFFFFF)


class ByRow(NamedTuple):
    """An index of a truncated table's cells by row; row r has `cells[offsets[r]:offsets[r + 1]]`.

    They are in order of columns. A cell is stored as the number column << 32 | slot.
    """

    offsets: NDArray[np.int64]  # rows + 1
    cells: NDArray[np.int64]


def by_row(rows: NDArray[np.int32], sizes: NDArray[np.int64], n_rows: int) -> ByRow:
    """An index of a truncated table's cells by row.

    rows (columns × slots): the row of each cell; sizes (columns): the number of cells.
    """
    found = ByRow(np.zeros(n_rows + 1, np.int64), np.empty(int(sizes.sum()), np.int64))
    cells_by_row(rows, sizes, *found)
    return found


@njit(**OPTIONS)
def cells_by_row(rows, sizes, offsets_out, cells_out):
    """Fill the index that `by_row` returns: offsets_out (rows + 1, zeros before) and cells_out (cells)."""
    for k in range(len(sizes)):
        for slot in range(sizes[k]):
            offsets_out[rows[k, slot] + 1] += 1
    for row in range(1, len(offsets_out)):
        offsets_out[row] += offsets_out[row - 1]
    place = offsets_out[:-1].copy()
    for k in range(len(sizes)):
        for slot in range(sizes[k]):
            row = rows[k, slot]
            cells_out[place[row]] = np.int64(k) << 32 | slot
            place[row] += 1


@njit(**OPTIONS)
def add_known(positions, columns, values, rows, sizes, wanted, counts_out, inside_out, known_out):
    """Add values to cells that exist already and mark these as inside the truncation.

    positions, columns, values (n): row, column and value of distinct cells, in order of columns; known_out
    (n, bool): which of them existed; the others are left to `append_cells`. wanted (rows of the table, all
    -1) is working memory, and restored.
    """
    known_out[:] = False
    start = 0
    while start < len(columns):
        k, stop = columns[start], start
        while stop < len(columns) and columns[stop] == k:
            wanted[positions[stop]] = stop
            stop += 1
        for slot in range(sizes[k]):
            i = wanted[rows[k, slot]]
            if i >= 0:
                counts_out[k, slot] += values[i]
                inside_out[k, slot] = True
                known_out[i] = True
        for i in range(start, stop):
            wanted[positions[i]] = -1
        start = stop


@njit(**OPTIONS)
def append_cells(positions, columns, values, rows_out, counts_out, inside_out, sizes_out):
    """Append new cells, marked as inside the truncation, at the ends of their columns in the order given.

    The arrays must have room for them.
    """
    for i in range(len(positions)):
        k = columns[i]
        slot = sizes_out[k]
        rows_out[k, slot] = positions[i]
        counts_out[k, slot] = values[i]
        inside_out[k, slot] = True
        sizes_out[k] = slot + 1


@njit(**OPTIONS)
def gather(positions, offsets, cells, counts, scale, out):
    """Fill out (positions × columns) with the counts of the rows `positions`, times `scale`; 0 for no cell.

    offsets, cells: those of `ByRow`; counts (columns × slots).
    """
    for i in range(len(positions)):
        out[i, :] = 0.0
        for at in range(offsets[positions[i]], offsets[positions[i] + 1]):
            k = cells[at] >> 32
            out[i, k] = counts[k, cells[at] & SLOT] * scale


@njit(**OPTIONS)
def reorder_column(rows, counts, order, n_inside, slots, rows_out, counts_out, inside_out):
    """Copy one column's cells in a new order of rows; returns their number, which is the length of `order`.

    Cells of rows that are not in `order` are dropped; a row without a cell gets one with the count zero.
    rows, counts: those of the column; order: rows of the table, the first `n_inside` of which become inside
    the truncation; slots (rows of the table, all -1) is working memory, and restored.
    """
    for slot in range(len(rows)):
        slots[rows[slot]] = slot
    size = 0
    for place in range(len(order)):
        slot = slots[order[place]]
        rows_out[size] = order[place]
        counts_out[size] = counts[slot] if slot >= 0 else 0.0
        inside_out[size] = place < n_inside
        size += 1
    for slot in range(len(rows)):
        slots[rows[slot]] = -1
    return size
