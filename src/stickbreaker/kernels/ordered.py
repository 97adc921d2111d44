"""Sparse counts whose cells stand in an order in each column: cells by row, adding to them, new ones.

A cell is told by column << 32 | slot. Those of row r are linked by column: `first[r]`, then of each cell
`after[column, slot]`, -1 where there is none.
"""

import numpy as np
from numba import njit

from stickbreaker.kernels.special import OPTIONS

SLOT = np.int64(0xFFFFFFFF)


@njit(**OPTIONS)
def link_cells(rows, sizes, first_out, after_out):
    """Link the cells of each row.

    rows (columns × slots) of each cell, sizes (columns) cells of each column; first_out (rows, all -1),
    after_out (columns × slots).
    """
    for k in range(len(sizes) - 1, -1, -1):
        for slot in range(sizes[k]):
            row = rows[k, slot]
            after_out[k, slot] = first_out[row]
            first_out[row] = np.int64(k) << 32 | slot


@njit(**OPTIONS)
def add_known(positions, columns, values, first, after, counts_out, inside_out, known_out):
    """Add values to the cells that there are, which are then inside; `known_out` tells which.

    positions and columns (values) of cells, ascending.
    """
    at, row = np.int64(-1), np.int64(-1)
    for i in range(len(positions)):
        if positions[i] != row:
            row = positions[i]
            at = first[row]
        while at >= 0 and at >> 32 < columns[i]:
            at = after[at >> 32, at & SLOT]
        known_out[i] = at >= 0 and at >> 32 == columns[i]
        if known_out[i]:
            slot = at & SLOT
            counts_out[columns[i], slot] += values[i]
            inside_out[columns[i], slot] = True


@njit(**OPTIONS)
def append_cells(
    positions, columns, values, rows_out, counts_out, inside_out, sizes_out, first_out, after_out
):
    """Put new cells at the end of their columns, in the order given; there must be room."""
    for i in range(len(positions)):
        row, k = positions[i], columns[i]
        slot = sizes_out[k]
        rows_out[k, slot] = row
        counts_out[k, slot] = values[i]
        inside_out[k, slot] = True
        sizes_out[k] = slot + 1
        before, at = np.int64(-1), first_out[row]
        while at >= 0 and at >> 32 < k:
            before, at = at, after_out[at >> 32, at & SLOT]
        after_out[k, slot] = at
        if before < 0:
            first_out[row] = np.int64(k) << 32 | slot
        else:
            after_out[before >> 32, before & SLOT] = np.int64(k) << 32 | slot


@njit(**OPTIONS)
def gather(positions, first, after, counts, scale, out):
    """Dense counts (positions × columns) of some rows."""
    for i in range(len(positions)):
        out[i, :] = 0.0
        at = first[positions[i]]
        while at >= 0:
            k, slot = at >> 32, at & SLOT
            out[i, k] = counts[k, slot] * scale
            at = after[k, slot]


@njit(**OPTIONS)
def reorder_column(rows, counts, order, n_inside, slots, rows_out, counts_out, inside_out):
    """A column's cells in the order of their rows that is given, the others left out; gives how many stay.

    rows and counts (cells of the column); order (rows of the table), of which the first `n_inside` are
    inside; slots (rows of the table, all -1) is worked with, and left as it was.
    """
    for slot in range(len(rows)):
        slots[rows[slot]] = slot
    size = 0
    for place in range(len(order)):
        slot = slots[order[place]]
        if slot >= 0:
            rows_out[size] = order[place]
            counts_out[size] = counts[slot]
            inside_out[size] = place < n_inside
            size += 1
    for slot in range(len(rows)):
        slots[rows[slot]] = -1
    return size
