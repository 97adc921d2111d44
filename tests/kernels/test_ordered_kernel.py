"""Cells by row, adding to them and new ones: against loops over lists."""

import numpy as np
import pytest

from stickbreaker.kernels.ordered import SLOT, add_known, append_cells, gather, link_cells, reorder_column

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


def linked(rows, sizes, n_rows=9):
    first, after = np.full(n_rows, -1), np.full(rows.shape, -1)
    link_cells(rows, sizes, first, after)
    return first, after


def chain(row, first, after):
    """The cells of a row, in the order in which they are linked."""
    cells, at = [], int(first[row])
    while at >= 0:
        cells.append((at >> 32, int(at & SLOT)))
        at = int(after[cells[-1]])
    return cells


@pytest.mark.parametrize("seed", range(6))
def test_cells_of_each_row_by_column(seed):
    _, rows, _, sizes = random_cells(seed)
    for row in range(9):
        wanted = [(k, slot) for k in range(4) for slot in range(sizes[k]) if rows[k, slot] == row]
        assert chain(row, *linked(rows, sizes)) == wanted


@pytest.mark.parametrize("seed", range(6))
def test_known_cells_are_added_to_and_new_ones_told(seed):
    rng, rows, values, sizes = random_cells(seed)
    inside = rng.random(rows.shape) < 0.5
    cells = sorted((int(p), int(k)) for p, k in {tuple(c) for c in rng.integers(0, (9, 4), (20, 2)).tolist()})
    positions, columns = (np.array(part, np.int64) for part in zip(*cells, strict=True))
    added = rng.gamma(1.0, 1.0, len(cells))
    wanted, wanted_inside, new = values.copy(), inside.copy(), []
    for i, (row, k) in enumerate(cells):
        slots = [slot for slot in range(sizes[k]) if rows[k, slot] == row]
        new.append(not slots)
        for slot in slots:
            wanted[k, slot] += added[i]
            wanted_inside[k, slot] = True
    known = np.empty(len(cells), np.bool_)
    add_known(positions, columns, added, *linked(rows, sizes), values, inside, known)
    assert (~known).tolist() == new
    assert np.array_equal(values, wanted, equal_nan=True)
    assert inside.tolist() == wanted_inside.tolist()


def test_new_cells_go_to_the_ends_in_the_order_given():
    rows, values = np.zeros((3, 5), np.int32), np.zeros((3, 5))
    inside, sizes = np.zeros((3, 5), np.bool_), np.array([1, 0, 0])
    first, after = linked(rows, sizes)
    cells = np.array([7, 3, 8, 7, 0]), np.array([0, 1, 0, 2, 1]), np.array([1.5, 2.5, 3.5, 4.5, 5.5])
    append_cells(*cells, rows, values, inside, sizes, first, after)
    assert sizes.tolist() == [3, 2, 1]
    assert rows[:, :3].tolist() == [[0, 7, 8], [3, 0, 0], [7, 0, 0]]
    assert values[:, :3].tolist() == [[0.0, 1.5, 3.5], [2.5, 5.5, 0.0], [4.5, 0.0, 0.0]]
    assert inside[:, :3].tolist() == [[False, True, True], [True, True, False], [True, False, False]]
    for row in range(9):
        assert chain(row, first, after) == chain(row, *linked(rows, sizes))


def test_a_new_cell_is_linked_between_its_neighbours():
    rows = np.array([[4, 0], [0, 0], [4, 0]], np.int32)
    sizes = np.array([1, 0, 1])
    first, after = linked(rows, sizes)
    table = rows, np.zeros((3, 2)), np.zeros((3, 2), np.bool_), sizes
    append_cells(np.array([4]), np.array([1]), np.array([1.0]), *table, first, after)
    assert chain(4, first, after) == [(0, 0), (1, 0), (2, 0)]


def test_a_column_takes_the_order_given():
    rows, counts = np.array([5, 2, 7, 1], np.int32), np.array([0.5, 0.2, 0.7, 0.1])
    out = np.zeros(6, np.int32), np.zeros(6), np.zeros(6, np.bool_)
    slots = np.full(9, -1)
    size = reorder_column(rows, counts, np.array([7, 3, 5, 1]), 3, slots, *out)  # row 3 has no cell here
    assert size == 3
    assert out[0][:3].tolist() == [7, 5, 1]
    assert out[1][:3].tolist() == [0.7, 0.5, 0.1]
    assert out[2][:3].tolist() == [True, True, False]
    assert (slots == -1).all()


@pytest.mark.parametrize("seed", range(3))
def test_rows_are_gathered_densely(seed):
    _, rows, values, sizes = random_cells(seed)
    positions = np.array([8, 0, 3, 3])
    out = np.full((4, 4), np.nan)
    gather(positions, *linked(rows, sizes), values, 2.0, out)
    for i, row in enumerate(positions.tolist()):
        for k in range(4):
            cells = [values[k, slot] for slot in range(sizes[k]) if rows[k, slot] == row]
            assert out[i, k] == 2.0 * sum(cells)
