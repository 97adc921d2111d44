"""Records and reports go through named arrays and come back as they were."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from stickbreaker.core.records import Field, Rows, SparseCounts, Stats, no_rows
from stickbreaker.core.serialize import flat_record, flat_stats, record_from, stats_from

numbers = st.floats(allow_nan=False, width=64)
names = st.text(st.characters(codec="utf-8"), max_size=8)
axis_names = st.sampled_from(["topics", "words", "documents", "kinds"])


@st.composite
def fields(draw):
    """Any field: of no, one or two axes, of any kind."""
    axes = draw(st.lists(axis_names, max_size=2))
    shape = tuple(draw(st.integers(0, 3)) for _ in axes)
    values = draw(arrays.arrays(np.float64, shape, elements=numbers))
    return Field(values, tuple(axes), draw(st.booleans()), draw(numbers))


@st.composite
def reports(draw, depth=1):
    """Any report, with trials of its own; names of plans have no slash."""
    positions = np.array(sorted(draw(st.sets(st.integers(0, 50), max_size=4))), np.int64)
    kind = draw(st.sampled_from([np.float32, np.float64]))
    values = draw(
        arrays.arrays(np.float64, (len(positions), draw(st.integers(1, 3))), elements=st.floats(0, 9))
    )
    plans = st.text(st.characters(codec="utf-8", exclude_characters="/"), max_size=8)
    return Stats(
        Rows(positions, values.astype(kind)),
        usage=draw(st.dictionaries(names, fields(), max_size=3)),
        score=draw(numbers),
        documents=draw(numbers),
        tokens=draw(numbers),
        trial=draw(st.dictionaries(plans, reports(depth - 1), max_size=3)) if depth else {},
    )


def same_records(one, other):
    assert one.keys() == other.keys()
    for name, item in one.items():
        assert (item.values == other[name].values).all()
        assert item.values.dtype == other[name].values.dtype
        assert item[1:] == other[name][1:]


def same_reports(one, other):
    assert (one.rows.positions == other.rows.positions).all()
    assert (one.rows.values == other.rows.values).all()
    assert one.rows.values.dtype == other.rows.values.dtype
    same_records(one.usage, other.usage)
    assert (one.score, one.documents, one.tokens) == (other.score, other.documents, other.tokens)
    assert one.trial.keys() == other.trial.keys()
    for name, trial in one.trial.items():
        same_reports(trial, other.trial[name])


@given(st.dictionaries(names, fields(), max_size=4))
def test_a_record_comes_back(record):
    others = {"y/else||1|0.0": np.ones(1), "x": np.ones(2)}
    same_records(record_from("x/", {**flat_record("x/", record), **others}), record)


@given(reports(depth=2))
def test_a_report_comes_back(stats):
    flat = {**flat_stats("1/", stats), **flat_stats("11/", replace(stats, score=-1.0))}
    same_reports(stats_from("1/", flat), stats)


def test_cells_come_back_as_rows_and_what_was_found_is_left_out():
    cells = SparseCounts(np.array([4, 4]), np.array([0, 1], np.int32), np.array([2, 3]), 2, 0.5)
    back = stats_from("", flat_stats("", Stats(cells, new_rows={"new": np.ones(2)})))
    assert back.rows.positions.tolist() == [4]
    assert back.rows.values.tolist() == [[1.0, 1.5]]
    assert back.new_rows == {}


def test_a_report_without_rows_keeps_its_columns():
    back = stats_from("kept/", flat_stats("kept/", Stats(no_rows(3))))
    assert back.rows.values.shape == (0, 3)
    with pytest.raises(KeyError):
        stats_from("other/", flat_stats("kept/", Stats(no_rows(3))))
