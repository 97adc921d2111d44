"""Totals of a table by group: what they are, whatever the groups, and after any history of changes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from stickbreaker.core.edits import Drop, Grow, Merge, Permute
from stickbreaker.core.records import Rows, SparseCounts
from stickbreaker.engines.table import Table, sums_by_group


def summed(values, groups, n_groups):
    """Sums by group, row by row."""
    totals = np.zeros((n_groups, values.shape[1]))
    for group, row in zip(groups.tolist(), values, strict=True):
        totals[group] += row
    return totals


@pytest.mark.parametrize("n_groups", [1, 2, 10_000])
def test_sums_by_group(n_groups):
    draw = np.random.default_rng(n_groups)
    groups = draw.integers(n_groups, size=30_000).astype(np.int32)
    positions = np.flatnonzero(draw.random(len(groups)) < 0.5)
    values = draw.gamma(0.3, 9.0, (len(positions), 3))
    found = sums_by_group(Rows(positions, values), groups, n_groups)
    assert found == pytest.approx(summed(values, groups[positions], n_groups), rel=1e-12)
    times = draw.integers(5, size=len(positions))
    cells = SparseCounts(positions, draw.integers(3, size=len(positions)).astype(np.int32), times, 3, 0.5)
    dense = np.zeros((len(positions), 3))
    dense[np.arange(len(positions)), cells.columns] = 0.5 * times
    found = sums_by_group(cells, groups, n_groups)
    assert found == pytest.approx(summed(dense, groups[positions], n_groups), rel=1e-12)


CHANGES = some.lists(some.sampled_from(["grow", "drop", "merge", "permute", "blend"]), max_size=8)


@given(CHANGES, some.integers(0, 2**32 - 1))
def test_totals_by_group_follow_every_change(changes, seed):
    draw = np.random.default_rng(seed)
    groups = draw.integers(4, size=6).astype(np.int32)
    groups[-1] = 3
    table = Table(draw.random((6, 2)), "words", "topics", groups=groups)
    for change in changes:
        n = table.n_rows
        if change == "blend":
            table.blend(Rows(np.array([n - 1]), draw.random((1, 2))), 0.5, 2.0)
        elif change == "grow":
            table.edit((Grow("words", 2, groups=(4, 0)),))
        elif change == "permute":
            table.edit((Permute("words", tuple(draw.permutation(n).tolist())),))
        elif n > 3:
            table.edit((Drop("words", (n - 1,)) if change == "drop" else Merge("words", 0, n - 1),))
        assert table.groups is not None
        assert len(table.groups) == table.n_rows
        assert table.totals() == pytest.approx(
            summed(table.whole(), table.groups, len(table.totals())), rel=1e-9, abs=1e-12
        )
    restored = Table.restored(table.arrays(), "words", "topics", None)
    assert restored.totals().tobytes() == table.totals().tobytes()


def test_new_rows_come_with_their_groups():
    table = Table(np.ones((2, 1)), "words", "topics", groups=np.array([0, 1], np.int32))
    with pytest.raises(ValueError, match="in groups need a group each"):
        table.edit((Grow("words", 1),))
