"""Cells by row, adding to them and new ones: against loops over lists."""

import numpy as np
import pytest
from tests.tiers import sampled

from stickbreaker.kernels.truncated_table import (
    SLOT,
    add_known,
    append_cells,
    by_row,
    gather,
    reorder_column,
)

pytestmark = pytest.mark.kernels


def random_cells(seed, n_rows=9, n_columns=4, slots=12):
    """rows and values (columns × slots) of which `sizes` count, each row at most once a column."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, n_rows + 1, n_columns)
    rows = np.full((n_columns, slots), 99, np.int32)  # what is beyond a size is never looked at
    values = np.full((n_columns, slots), np.nan)
    for k, size in enumerate(sizes.tolist()):
        rows[k, :size] = rng.permutation(n_rows)[:size]
        values[k, :size] = rng.gamma(1.0, 3.0, size)
    return rng, rows, values, sizes.astype(np.int64)


@pytest.mark.parametrize("seed", sampled(range(6), 2))
def test_cells_of_each_row_by_column(seed):
    _, rows, _, sizes = random_cells(seed)
    offsets, cells = by_row(rows, sizes, 9)
    for row in range(9):
        found = [(int(c >> 32), int(c & SLOT)) for c in cells[offsets[row] : offsets[row + 1]]]
        wanted = [(k, slot) for k in range(4) for slot in range(sizes[k]) if rows[k, slot] == row]
        assert found == wanted
    assert offsets[-1] == sizes.sum()


@pytest.mark.parametrize("seed", sampled(range(6), 2))
def test_known_cells_are_added_to_and_new_ones_told(seed):
    rng, rows, values, sizes = random_cells(seed)
    inside = rng.random(rows.shape) < 0.5
    cells = sorted({tuple(cell) for cell in rng.integers(0, (9, 4), (20, 2)).tolist()}, key=lambda c: c[1])
    positions, columns = (np.array(part, np.int64) for part in zip(*cells, strict=True))
    added = rng.gamma(1.0, 1.0, len(cells))
    wanted, wanted_inside, new = values.copy(), inside.copy(), []
    for i, (row, k) in enumerate(cells):
        slots = [slot for slot in range(sizes[k]) if rows[k, slot] == row]
        new.append(not slots)
        for slot in slots:
            wanted[k, slot] += added[i]
            wanted_inside[k, slot] = True
    known, wanted_rows = np.empty(len(cells), np.bool_), np.full(9, -1)
    add_known(positions, columns, added, rows, sizes, wanted_rows, values, inside, known)
    assert (wanted_rows == -1).all()
    assert (~known).tolist() == new
    assert np.array_equal(values, wanted, equal_nan=True)
    assert inside.tolist() == wanted_inside.tolist()


def test_new_cells_go_to_the_ends_in_the_order_given():
    rows, values = np.zeros((2, 5), np.int32), np.zeros((2, 5))
    inside, sizes = np.zeros((2, 5), np.bool_), np.array([1, 0])
    append_cells(
        np.array([7, 3, 8]), np.array([0, 1, 0]), np.array([1.5, 2.5, 3.5]), rows, values, inside, sizes
    )
    assert sizes.tolist() == [3, 1]
    assert rows.tolist() == [[0, 7, 8, 0, 0], [3, 0, 0, 0, 0]]
    assert values.tolist() == [[0.0, 1.5, 3.5, 0.0, 0.0], [2.5, 0.0, 0.0, 0.0, 0.0]]
    assert inside.tolist() == [[False, True, True, False, False], [True, False, False, False, False]]


def test_a_column_takes_the_order_given():
    """Row 3 has no cell: it gets one of zero; row 2 is left out."""
    rows, counts = np.array([5, 2, 7, 1], np.int32), np.array([0.5, 0.2, 0.7, 0.1])
    out = np.zeros(6, np.int32), np.zeros(6), np.zeros(6, np.bool_)
    slots = np.full(9, -1)
    size = reorder_column(rows, counts, np.array([7, 3, 5, 1]), 3, slots, *out)
    assert size == 4
    assert out[0][:4].tolist() == [7, 3, 5, 1]
    assert out[1][:4].tolist() == [0.7, 0.0, 0.5, 0.1]
    assert out[2][:4].tolist() == [True, True, True, False]
    assert (slots == -1).all()


@pytest.mark.parametrize("seed", sampled(range(3), 2))
def test_rows_are_gathered_densely(seed):
    _, rows, values, sizes = random_cells(seed)
    positions = np.array([8, 0, 3, 3])
    out = np.full((4, 4), np.nan)
    gather(positions, *by_row(rows, sizes, 9), values, 2.0, out)
    for i, row in enumerate(positions.tolist()):
        for k in range(4):
            cells = [values[k, slot] for slot in range(sizes[k]) if rows[k, slot] == row]
            assert out[i, k] == 2.0 * sum(cells)
