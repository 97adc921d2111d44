"""Any sequence of edits keeps totals, but for what its drops say they take (law 4)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stickbreaker.core.edits import (
    Drop,
    Grow,
    Merge,
    Permute,
    Split,
    apply,
    apply_to_rows,
    apply_to_stats,
    dropped,
)
from stickbreaker.core.records import Field, Rows, Stats


@st.composite
def edits(draw, axes=("words", "topics")):
    """A table's shape and a legal sequence of changes for it."""
    shape = {"words": draw(st.integers(1, 6)), "topics": draw(st.integers(1, 4))}
    start = dict(shape)
    changes = []
    for _ in range(draw(st.integers(0, 6))):
        axis = draw(st.sampled_from(axes))
        n = shape[axis]
        kinds = (
            ["grow", "permute"]
            + (["drop", "merge"] if n > 1 else [])
            + (["split"] if axis == "topics" else [])
        )
        kind = draw(st.sampled_from(kinds))
        if kind == "grow":
            number = draw(st.integers(1, 3))
            changes.append(Grow(axis, number))
            shape[axis] += number
        elif kind == "permute":
            changes.append(Permute(axis, tuple(draw(st.permutations(range(n))))))
        elif kind == "drop":
            gone = draw(st.sets(st.integers(0, n - 1), min_size=1, max_size=n - 1))
            changes.append(Drop(axis, tuple(sorted(gone))))
            shape[axis] -= len(gone)
        elif kind == "merge":
            into, source = draw(st.permutations(range(n)))[:2]
            changes.append(Merge(axis, into, source))
            shape[axis] -= 1
        else:
            along = {}
            if draw(st.booleans()):
                shares = draw(st.lists(st.floats(0, 1), min_size=shape["words"], max_size=shape["words"]))
                along = {"words": np.array(shares)}
            changes.append(Split(axis, draw(st.integers(0, n - 1)), draw(st.floats(0, 1)), along))
            shape[axis] += 1
    return start, shape, tuple(changes)


@given(edits(), st.integers(0, 10**6))
def test_totals_before_are_totals_after_and_what_was_dropped(case, seed):
    start, end, edit = case
    values = np.random.default_rng(seed).gamma(1.0, 1.0, (start["words"], start["topics"]))
    table = Field(values.copy(), ("words", "topics"))
    after = apply(edit, {"table": table})["table"]
    assert after.values.shape == (end["words"], end["topics"])
    assert values.sum() == pytest.approx(after.values.sum() + dropped(table, edit))
    assert (table.values == values).all(), "the old record is untouched"


@given(edits(), st.integers(0, 10**6))
def test_sparse_rows_follow_like_the_dense_table(case, seed):
    start, end, edit = case
    generator = np.random.default_rng(seed)
    values = generator.gamma(1.0, 1.0, (start["words"], start["topics"]))
    values[generator.random(start["words"]) < 0.5] = 0.0
    dense = apply(edit, {"t": Field(values, ("words", "topics"))})["t"].values
    positions = np.flatnonzero(values.any(axis=1))
    rows = apply_to_rows(edit, Rows(positions, values[positions]), "words", "topics", start["words"])
    rebuilt = np.zeros((end["words"], end["topics"]))
    rebuilt[rows.positions] = rows.values
    assert rebuilt == pytest.approx(dense)
    assert (np.diff(rows.positions) > 0).all()


@given(edits(axes=("topics",)), st.integers(0, 10**6))
def test_topic_sums_follow_like_the_tables_columns(case, seed):
    start, _end, edit = case
    edit = tuple(
        change if not isinstance(change, Split) else Split("topics", change.source, 0.3) for change in edit
    )
    values = np.random.default_rng(seed).gamma(1.0, 1.0, (start["words"], start["topics"]))
    after = apply(edit, {"t": Field(values, ("words", "topics")), "sums": Field(values.sum(0), ("topics",))})
    assert after["t"].values.sum(axis=0) == pytest.approx(after["sums"].values)


def test_parameters_are_kept_copied_and_filled():
    alpha = Field(np.array([1.0, 2.0, 3.0]), ("topics",), additive=False, fresh=0.5)
    edit = (Merge("topics", 0, 1), Split("topics", 1), Grow("topics", 1))
    assert apply(edit, {"a": alpha})["a"].values.tolist() == [1.0, 3.0, 3.0, 0.5]


def test_a_square_field_changes_on_both_axes():
    transitions = Field(np.arange(9.0).reshape(3, 3), ("states", "states"))
    after = apply((Merge("states", 0, 2),), {"t": transitions})["t"]
    assert after.values.tolist() == [[16.0, 8.0], [8.0, 4.0]]
    assert after.values.sum() == transitions.values.sum()


def test_rows_are_not_split():
    with pytest.raises(ValueError, match="identity"):
        apply_to_rows((Split("words", 0),), Rows(np.array([0]), np.ones((1, 1))), "words", "topics", 1)


def test_reports_add_scale_and_follow_edits():
    one = Stats(
        Rows(np.array([0, 2]), np.array([[1.0, 2.0], [3.0, 4.0]])),
        found={"new": np.array([1.0, 1.0])},
        usage={"use": Field(np.array([1.0, 2.0]), ("topics",))},
        score=-3.0,
        documents=2.0,
        tokens=9.0,
        trial={"split": Stats(Rows(np.array([2]), np.array([[1.0, 1.0, 1.0]])))},
    )
    two = Stats(
        Rows(np.array([1]), np.array([[5.0, 5.0]])), found={"other": np.array([2.0, 0.0])}, score=-1.0
    )
    both = one.plus(two)
    assert both.rows.positions.tolist() == [0, 1, 2]
    assert both.score == -4.0
    assert set(both.found) == {"new", "other"}
    taken_back = both.plus(two.scaled(-1.0))
    assert taken_back.rows.values.tolist() == [[1.0, 2.0], [0.0, 0.0], [3.0, 4.0]]
    assert taken_back.score == one.score
    after = apply_to_stats((Merge("topics", 0, 1), Drop("words", (0,))), one, "words", "topics", 3)
    assert after.rows.positions.tolist() == [1]
    assert after.rows.values.tolist() == [[7.0]]
    assert after.found["new"].tolist() == [2.0]
    assert after.trial["split"].rows.positions.tolist() == [1]
    assert after.trial["split"].rows.values.shape == (1, 3), "a trial's columns are its plan's own"
