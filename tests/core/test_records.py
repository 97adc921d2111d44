"""Single cells of a table add up to the same as dense rows, in any order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stickbreaker.core.edits import Drop, Merge, apply_to_rows
from stickbreaker.core.records import Rows, SparseCounts, Stats, join_cells
from stickbreaker.engines.stats_sum import Sum
from stickbreaker.engines.table import Table

SHAPE = (6, 4)
cell = st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(1, 9))
parts = st.lists(st.lists(cell, max_size=30), min_size=1, max_size=4)


def cells_of(drawn, unit=0.2, columns=SHAPE[1]):
    cells = np.array(drawn, np.int64).reshape(-1, 3).T
    return SparseCounts(cells[0], cells[1].astype(np.int32), cells[2].astype(np.int32), columns, unit)


def dense(rows, shape=SHAPE):
    table = np.zeros(shape)
    np.add.at(table, rows.rows().positions, rows.rows().values)
    return table


@settings(deadline=None)
@given(parts)
def test_cells_add_like_rows(drawn):
    cells = [cells_of(part) for part in drawn]
    wanted = sum(dense(part) for part in cells)
    assert dense(join_cells(cells)) == pytest.approx(wanted)
    assert dense(cells[0].plus(cells[-1])) == pytest.approx(dense(cells[0]) + dense(cells[-1]))
    assert dense(cells[0].plus(cells[-1].rows())) == pytest.approx(dense(cells[0]) + dense(cells[-1]))
    assert dense(cells[0].scaled(-2.0)) == pytest.approx(-2.0 * dense(cells[0]))
    assert cells[0].totals() == pytest.approx(dense(cells[0]).sum(axis=0, keepdims=True))


@settings(deadline=None)
@given(parts, st.randoms())
def test_sums_of_reports_are_the_same_to_the_last_bit_in_any_order(drawn, order):
    def total(some):
        together = Sum(SHAPE)
        for part in some:
            together.add(Stats(cells_of(part)))
        return dense(together.stats().rows)

    def blended(some):
        together = Sum((60, 40))  # large beside the cells: they stay single
        for part in some:
            together.add(Stats(cells_of(part, columns=40)))
        table = Table(np.linspace(0.0, 7.0, 2400).reshape(60, 40), "words", "topics")
        table.blend(together.stats().rows, 0.93, 17 / 3)
        return table.counts(slice(None))

    mixed = [list(part) for part in drawn]
    order.shuffle(mixed)
    for part in mixed:
        order.shuffle(part)
    assert total(mixed).tobytes() == total(drawn).tobytes()
    assert blended(mixed).tobytes() == blended(drawn).tobytes()


@settings(deadline=None)
@given(parts)
def test_a_table_blends_cells_as_it_blends_rows(drawn):
    start = np.arange(24.0).reshape(SHAPE)
    groups = np.arange(len(start), dtype=np.int32) % 2
    for keep in (0.0, 0.3, 1.0):
        one, other = (Table(start.copy(), "words", "topics") for _ in range(2))
        grouped = [Table(start.copy(), "words", "topics", groups=groups) for _ in range(2)]
        for part in drawn:
            one.blend(cells_of(part), keep, 2.0)
            other.blend(cells_of(part).rows(), keep, 2.0)
            grouped[0].blend(cells_of(part), keep, 2.0)
            grouped[1].blend(cells_of(part).rows(), keep, 2.0)
        assert one.counts(slice(None)) == pytest.approx(other.counts(slice(None)))
        assert one.totals() == pytest.approx(one.counts(slice(None)).sum(axis=0, keepdims=True))
        expected = np.stack([one.counts(groups == group).sum(axis=0) for group in (0, 1)])
        for table in grouped:
            assert table.totals() == pytest.approx(expected)


def test_reports_of_both_kinds_add():
    together = Sum(SHAPE)
    together.add(Stats(cells_of([(1, 2, 5)])))
    together.add(Stats(Rows(np.array([1, 3]), np.ones((2, 4)))))
    wanted = np.zeros(SHAPE)
    wanted[1], wanted[3] = 1.0, 1.0
    wanted[1, 2] += 1.0
    assert dense(together.stats().rows) == pytest.approx(wanted)


@pytest.mark.parametrize("size", [6, 600])  # reports with most of the table's rows, and with few
def test_rows_of_reports_add_in_the_order_of_reports(size):
    generator, dense_sum = np.random.default_rng(0), np.zeros((size, 4))
    together = Sum((size, 4))
    for _ in range(9):
        positions = np.sort(generator.choice(size, 5, replace=False))
        values = 10.0 ** generator.normal(scale=8.0, size=(5, 4))
        together.add(Stats(Rows(positions, values)))
        dense_sum[positions] += values
    found = together.stats().rows
    assert np.array_equal(found.positions, np.flatnonzero(dense_sum.any(axis=1)))
    assert found.values.tobytes() == dense_sum[found.positions].tobytes()
    together.add(Stats(cells_of([(1, 2, 5)])))
    dense_sum[1, 2] += cells_of([(1, 2, 5)]).rows().values[0, 2]
    assert dense(together.stats().rows, dense_sum.shape) == pytest.approx(dense_sum)


def test_edits_reach_cells():
    cells = cells_of([(1, 0, 5), (2, 3, 10), (5, 1, 5)])
    after = apply_to_rows((Merge("topics", 0, 3), Drop("words", (5,))), cells, "words", "topics", 6)
    assert after.positions.tolist() == [1, 2]
    assert after.values == pytest.approx(np.array([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]))
