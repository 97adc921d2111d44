"""The ordered table against lists of cells, under any history of blends and changes."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracle.ordered import Lists

from stickbreaker.core.edits import Dissolve, Drop, Grow, Merge, Permute, Reorder, Split, dropped
from stickbreaker.core.records import Field, Rows, SparseCounts
from stickbreaker.engines import LocalEngine
from stickbreaker.engines.table import RESCALE_BELOW, Keys, Table
from stickbreaker.engines.truncated_table import LEAST, TruncatedTable
from stickbreaker.testing import OrderedEngineTests

AXES = ("words", "topics")
EXACT = {"rel": 1e-9, "abs": 1e-12}


class TestLocalEngine(OrderedEngineTests):
    def engine(self, n_jobs):
        return LocalEngine(n_jobs)


def some(rng, n, least=0):
    """Some of n positions, ascending."""
    return np.sort(rng.choice(n, rng.integers(min(least, n), n + 1), replace=False))


def random_rows(rng, n_rows, n_columns):
    """Rows with zeros and ties among them, dense or as cells named more than once, and what they add."""
    if rng.random() < 0.5:
        positions = some(rng, n_rows)
        values = rng.integers(0, 3, (len(positions), n_columns)) * rng.choice([0.5, 1.0, 3.0])
        rows = Rows(positions, values)
        return rows, {
            (p, k): values[i, k] for i, p in enumerate(positions.tolist()) for k in range(n_columns)
        }
    n = int(rng.integers(0, 3 * n_columns)) if n_rows else 0
    positions, columns = rng.integers(0, max(n_rows, 1), n), rng.integers(0, n_columns, n)
    times = rng.integers(1, 4, n)
    added = {}
    for place in zip(positions.tolist(), columns.tolist(), times.tolist(), strict=True):
        added[place[:2]] = added.get(place[:2], 0.0) + place[2] * 0.25
    return SparseCounts(positions, columns.astype(np.int32), times, n_columns, 0.25), added


def random_change(rng, table, fresh):
    """A legal change of an axis of the table."""
    n_rows, n_columns = table.shape
    if rng.random() < 0.3:
        orders = tuple(rng.permutation(some(rng, n_rows)) for _ in range(n_columns))
        return Reorder(*AXES, orders, tuple(int(rng.integers(0, len(order) + 1)) for order in orders))
    axis = str(rng.choice(AXES))
    n = n_rows if axis == "words" else n_columns
    kinds = ["grow", "permute"] + ["drop", "merge"] * (n > 1)
    if axis == "topics":
        kinds += ["split"] + ["dissolve"] * (n > 1)
    kind, places = str(rng.choice(kinds)), rng.permutation(n).tolist()
    if kind == "grow":
        number = int(rng.integers(1, 3))
        return Grow(axis, number, tuple(next(fresh) for _ in range(number)) if axis == "words" else ())
    if kind == "permute":
        return Permute(axis, tuple(places))
    if kind == "drop":
        return Drop(axis, tuple(sorted(places[: rng.integers(1, n)])))
    if kind == "merge":
        return Merge(axis, *places[:2])
    along = {}
    if kind == "split":
        if rng.random() < 0.5:
            along = {"words": rng.choice([0.0, 0.25, 1.0], n_rows)}
        return Split(axis, places[0], float(rng.choice([0.0, 0.5, 1.0])), along)
    into = tuple(places[1 : rng.integers(2, n + 1)])
    if rng.random() < 0.5:
        along = {"words": rng.dirichlet(np.ones(len(into)), n_rows)}
    return Dissolve(axis, places[0], into, tuple(rng.dirichlet(np.ones(len(into))).tolist()), along)


def same(table, lists):
    """The table is what the lists say: keys, cells, order, truncation and totals."""
    whole = table.whole()
    assert list(whole.keys) == lists.keys
    assert table.shape == (len(lists.keys), len(lists.columns))
    for k, column in enumerate(lists.columns):
        size = whole.sizes[k]
        rows = whole.rows[k, :size].tolist()
        assert [whole.keys[row] for row in rows] == [key for key, _, _ in column]
        counts = [count for _, count, _ in column]
        assert (whole.scale * whole.values[k, :size]).tolist() == pytest.approx(counts, **EXACT)
        assert whole.inside[k, :size].tolist() == [inside for _, _, inside in column]
    dense = lists.dense()
    assert table.counts(slice(None)) == pytest.approx(dense, **EXACT)
    assert table.totals()[0] == pytest.approx(dense.sum(axis=0), **EXACT)
    assert table.positions([*lists.keys, "no key"]).tolist() == [*range(len(lists.keys)), -1]


@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(0, 7), st.integers(1, 14))
@settings(max_examples=150, deadline=None)  # the first compiles
def test_any_history_leaves_what_lists_of_cells_have(seed, n_columns, n_rows, length):
    rng = np.random.default_rng(seed)
    fresh = (f"new{i}" for i in range(1000))
    keys = [f"w{i}" for i in range(n_rows)]
    table, lists = TruncatedTable(n_columns, *AXES, keys), Lists(keys, n_columns)
    for _ in range(length):
        if rng.random() < 0.5:
            rows, added = random_rows(rng, *table.shape)
            keep = float(rng.choice([0.0, 1e-4, 0.5, 1.0], p=[0.1, 0.2, 0.3, 0.4]))
            add = float(rng.choice([1.0, 2.5]))
            table.blend(rows, keep, add)
            lists.blend(added, keep, add)
        else:
            change = random_change(rng, table, fresh)
            before, dense = table.totals().sum(), table.counts(slice(None))
            table.edit((change,))
            lists.change(change, change.axis)
            lost = dropped(Field(dense, AXES), (change,))
            assert before == pytest.approx(table.totals().sum() + lost, **EXACT)
        same(table, lists)
        assert table.scale >= RESCALE_BELOW


@given(st.integers(0, 2**32), st.integers(2, 9))
@settings(max_examples=100, deadline=None)
def test_merges_of_one_edit_are_those_made_one_after_the_other(seed, n_rows):
    """Also where one goes on with what another made, and with other changes between them."""
    rng = np.random.default_rng(seed)
    keys = [f"w{i}" for i in range(n_rows)]
    table, lists = TruncatedTable(2, *AXES, keys), Lists(keys, 2)
    rows, added = random_rows(rng, *table.shape)
    table.blend(rows, 1.0, 1.0)
    lists.blend(added, 1.0, 1.0)
    edit = []
    for n in range(n_rows, 1, -1):
        edit.append(Merge("words", *rng.permutation(n)[:2].tolist()))
        if rng.random() < 0.2:
            edit.append(Permute("words", tuple(rng.permutation(n - 1).tolist())))
    table.edit(tuple(edit))
    for change in edit:
        lists.change(change, "words")
    same(table, lists)


@given(st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_counts_are_those_of_a_dense_table(seed):
    """The same blends and edits, made by the table of closed vocabularies."""
    rng = np.random.default_rng(seed)
    fresh = (f"new{i}" for i in range(1000))
    keys = [f"w{i}" for i in range(5)]
    counts = rng.integers(0, 3, (5, 3)).astype(float)
    sparse, dense = TruncatedTable.of(counts, *AXES, keys), Table(counts.copy(), *AXES, keys)
    for _ in range(8):
        rows, _ = random_rows(rng, *sparse.shape)
        edit = tuple(random_change(rng, sparse, fresh) for _ in range(1))
        for table in (sparse, dense):
            table.blend(rows, 0.7, 2.0)
            table.edit(edit)
        assert sparse.counts(slice(None)) == pytest.approx(dense.counts(slice(None)), **EXACT)
        assert sparse.totals() == pytest.approx(dense.totals(), **EXACT)
        assert list(sparse.keys) == list(dense.keys)


def grown(n_words=3 * LEAST, seed=0):
    """A table with more cells a column than it begins with room for, out of order, some outside."""
    rng = np.random.default_rng(seed)
    table = TruncatedTable(3, *AXES, [f"w{i}" for i in range(n_words)])
    for _ in range(4):
        positions = some(rng, n_words, LEAST)
        table.blend(Rows(positions, rng.integers(0, 5, (len(positions), 3)).astype(float)), 0.8, 1.5)
    orders = tuple(rng.permutation(n_words)[: n_words - 5 * k] for k in range(3))
    table.edit((Reorder(*AXES, orders, (n_words, LEAST, 3)),))
    table.blend(Rows(np.arange(2), np.ones((2, 3))), 0.9, 1.0)
    return table


def test_columns_get_more_room_than_they_begin_with():
    table = TruncatedTable(2, *AXES, [f"w{i}" for i in range(1000)])
    lists = Lists(table.keys, 2)
    for start in range(0, 1000, 90):
        values = np.array([[float(w % 7), float(w % 3)] for w in range(start, min(start + 90, 1000))])
        table.blend(Rows(np.arange(start, start + len(values)), values), 0.9, 1.0)
        lists.blend({(start + i, k): values[i, k] for i in range(len(values)) for k in (0, 1)}, 0.9, 1.0)
    assert table.sizes.tolist() == [sum(w % 7 > 0 for w in range(1000)), sum(w % 3 > 0 for w in range(1000))]
    assert table.sizes.min() > 8 * LEAST
    same(table, lists)


def test_a_restored_table_has_the_same_bytes_and_goes_on_alike():
    table = grown()
    arrays = {name: values.copy() for name, values in table.arrays().items()}
    other = TruncatedTable.restored(arrays, *AXES, table.keys)
    rng = np.random.default_rng(7)
    for step in range(3):
        told = other.arrays()
        assert {n: (v.dtype, v.tobytes()) for n, v in told.items()} == {
            n: (v.dtype, v.tobytes()) for n, v in table.arrays().items()
        }
        rows, _ = random_rows(rng, *table.shape)
        for each in (table, other):
            each.blend(rows, 0.5, 1.0)
            each.edit((Grow("words", 1, (f"late{step}",)), Drop("words", (step,))))
    assert other.counts(slice(None)).tobytes() == table.counts(slice(None)).tobytes()
    assert other.totals().tobytes() == table.totals().tobytes()


def test_an_empty_table_is_saved_and_restored():
    table = TruncatedTable.restored(TruncatedTable(4, *AXES, ()).arrays(), *AXES, ())
    assert table.shape == (0, 4)
    assert table.totals().tolist() == [[0.0] * 4]
    assert table.counts(slice(None)).shape == (0, 4)


def test_a_copy_is_a_table_of_its_own():
    table = grown()
    before = {name: values.copy() for name, values in table.arrays().items()}
    keys, totals = list(table.keys), table.totals().copy()
    copy = table.copy()
    assert copy.counts(slice(None)).tobytes() == table.counts(slice(None)).tobytes()
    copy.blend(Rows(np.arange(4), np.ones((4, 3))), 1e-7, 3.0)
    copy.edit((Grow("words", 1, ("late",)), Permute("topics", (2, 0, 1)), Drop("words", (0,))))
    assert {n: v.tobytes() for n, v in table.arrays().items()} == {n: v.tobytes() for n, v in before.items()}
    assert list(table.keys) == keys
    assert table.positions(["late", "w0"]).tolist() == [-1, 0]
    assert table.totals().tolist() == totals.tolist()


def test_copies_that_grow_apart_have_keys_of_their_own():
    """The second of two to grow finds what the first has added, and leaves it."""
    keys = Keys(["a", "b"])
    one, two = keys.copy(), keys.copy()
    one.grow(["c"])
    two.grow(["d", "c"])
    for grown, wanted in ((keys, ["a", "b"]), (one, ["a", "b", "c"]), (two, ["a", "b", "d", "c"])):
        assert list(grown) == grown[:] == wanted
        assert [grown[row] for row in range(len(grown))] == wanted
        assert grown.rows(["c", "d", "b"]).tolist() == [
            wanted.index(key) if key in wanted else -1 for key in "cdb"
        ]
        with pytest.raises(IndexError):
            grown[len(wanted)]


def test_decay_is_multiplied_out_and_never_lost():
    """Past any threshold, with cells that are never touched again."""
    table = TruncatedTable(1, *AXES, ["a", "b"])
    table.blend(Rows(np.array([0]), np.array([[1e6]])), 1.0, 1.0)
    for _ in range(40):
        table.blend(Rows(np.array([1]), np.array([[1.0]])), 0.5, 1.0)
    expected = [[1e6 * 0.5**40], [sum(0.5**i for i in range(40))]]
    assert table.counts(slice(None)) == pytest.approx(np.array(expected), rel=1e-12)
    assert table.totals()[0, 0] == pytest.approx(sum(sum(row) for row in expected), rel=1e-12)


@pytest.mark.parametrize("orders", [([2],), ([-1],), ([0], [1]), ()])
def test_a_new_order_that_does_not_fit_changes_nothing(orders):
    table = TruncatedTable.of(np.ones((2, 1)), *AXES, ["a", "b"])
    with pytest.raises(ValueError, match="each column"):
        table.edit((Reorder(*AXES, orders, (1,) * len(orders)),))
    assert table.counts(slice(None)).tolist() == [[1.0], [1.0]]


def test_new_orders_may_be_empty():
    table = TruncatedTable.of(np.ones((2, 2)), *AXES, ["a", "b"])
    table.edit((Reorder(*AXES, ((), (1,)), (0, 1)),))
    assert table.counts(slice(None)).tolist() == [[0.0, 0.0], [0.0, 1.0]]
    assert table.totals().tolist() == [[0.0, 1.0]]


def test_keys_travel_without_what_copies_have_grown_by():
    keys = Keys(["a"])
    keys.copy().grow([f"key {i}" for i in range(1000)])
    assert len(pickle.dumps(keys)) < 200
    assert list(pickle.loads(pickle.dumps(keys))) == ["a"]


def test_rows_are_not_split():
    table = TruncatedTable.of(np.ones((2, 2)), *AXES, ["a", "b"])
    with pytest.raises(ValueError, match="not split"):
        table.edit((Split("words", 0),))


def test_new_cells_come_last_the_larger_first():
    """By hand: b stands where it stood, though it is the largest by now; ties go by row."""
    table = TruncatedTable(1, *AXES, list("abcde"))
    table.blend(Rows(np.array([1]), np.array([[1.0]])), 1.0, 1.0)
    table.blend(Rows(np.array([0, 1, 3, 4]), np.array([[2.0], [9.0], [5.0], [2.0]])), 1.0, 1.0)
    whole = table.whole()
    assert [whole.keys[row] for row in whole.rows[0, : whole.sizes[0]]] == ["b", "d", "a", "e"]
    assert whole.values[0, :4].tolist() == [10.0, 5.0, 2.0, 2.0]


def test_a_cell_outside_is_inside_again_once_it_is_added_to():
    table = TruncatedTable.of(np.array([[3.0], [2.0], [1.0]]), *AXES, list("abc"))
    table.edit((Reorder(*AXES, (np.array([0, 1, 2]),), (1,)),))
    assert table.inside[0, :3].tolist() == [True, False, False]
    assert table.totals()[0, 0] == 6.0, "what is outside is kept"
    table.blend(Rows(np.array([2]), np.array([[4.0]])), 1.0, 1.0)
    assert table.inside[0, :3].tolist() == [True, False, True]
    assert table.counts(np.array([2])).tolist() == [[5.0]]
