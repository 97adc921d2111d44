"""Cells added up: through an array of all cells of their rows where there are many, by sorting where few."""

import numpy as np
import pytest

from stickbreaker.core.records import SparseCounts


@pytest.mark.parametrize(("n_cells", "n_rows", "sorts"), [(500, 9, 0), (60, 900, 1), (6, 9000, 1), (0, 9, 1)])
def test_each_cell_comes_once_with_its_sum(n_cells, n_rows, sorts, monkeypatch):
    rng, sorted_, real = np.random.default_rng(n_cells), [], np.unique
    monkeypatch.setattr(np, "unique", lambda *args, **named: sorted_.append(1) or real(*args, **named))
    positions, columns = rng.integers(n_rows, size=n_cells), rng.integers(7, size=n_cells).astype(np.int32)
    cells = SparseCounts(positions, columns, rng.integers(0, 5, n_cells), 7, 0.25)
    sums = dict[tuple[int, int], int]()
    for place in zip(positions.tolist(), columns.tolist(), cells.times.tolist(), strict=True):
        sums[place[:2]] = sums.get(place[:2], 0) + place[2]
    sums = {cell: times for cell, times in sums.items() if times}
    once = cells.combined()
    assert len(sorted_) == sorts
    assert list(zip(once.positions.tolist(), once.columns.tolist(), strict=True)) == sorted(sums)
    assert once.times.tolist() == [sums[cell] for cell in sorted(sums)]
    assert [values.dtype for values in once[:3]] == [np.int64, np.int32, np.int64]
    assert (once.n_columns, once.unit) == (7, 0.25)
