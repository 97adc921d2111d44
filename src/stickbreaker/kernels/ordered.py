"""Sparse counts whose cells stand in an order in each column: cells by row, adding to them, new ones.

A cell is told by column << 32 | slot. Cells of row r are `cells[offsets[r]:offsets[r + 1]]`, by column.
"""

import numpy as np
from numba import njit

from stickbreaker.kernels.special import OPTIONS

SLOT = np.int64(0xFFFFFFFF)


@njit(**OPTIONS)
def cells_by_row(rows, sizes, offsets_out, cells_out):
    """Where the cells of each row are.

    rows (columns × slots) of each cell, sizes (columns) cells of each column; offsets_out (rows + 1, zeros),
    cells_out (cells).
    """
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
def add_known(positions, columns, values, offsets, cells, counts_out, inside_out, known_out):
    """Add values to the cells that there are, which are then inside; `known_out` tells which.

    positions and columns (values) of cells, ascending.
    """
    at, row = np.int64(0), np.int64(-1)
    for i in range(len(positions)):
        if positions[i] != row:
            row = positions[i]
            at = offsets[row]
        while at < offsets[row + 1] and cells[at] >> 32 < columns[i]:
            at += 1
        known_out[i] = at < offsets[row + 1] and cells[at] >> 32 == columns[i]
        if known_out[i]:
            slot = cells[at] & SLOT
            counts_out[columns[i], slot] += values[i]
            inside_out[columns[i], slot] = True


@njit(**OPTIONS)
def append_cells(positions, columns, values, rows_out, counts_out, inside_out, sizes_out):
    """Put new cells at the end of their columns, in the order given; there must be room."""
    for i in range(len(positions)):
        k = columns[i]
        slot = sizes_out[k]
        rows_out[k, slot] = positions[i]
        counts_out[k, slot] = values[i]
        inside_out[k, slot] = True
        sizes_out[k] = slot + 1


@njit(**OPTIONS)
def gather(positions, offsets, cells, counts, scale, out):
    """Dense counts (positions × columns) of some rows."""
    for i in range(len(positions)):
        out[i, :] = 0.0
        for at in range(offsets[positions[i]], offsets[positions[i] + 1]):
            k = cells[at] >> 32
            out[i, k] = counts[k, cells[at] & SLOT] * scale
