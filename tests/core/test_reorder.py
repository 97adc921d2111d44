"""A new order leaves out, in every record that has both of its axes, what it does not name."""

import numpy as np
import pytest

from stickbreaker.core.edits import Drop, Reorder, apply, apply_to_rows, apply_to_stats, dropped
from stickbreaker.core.records import Field, Rows, SparseCounts, Stats

VALUES = np.arange(1.0, 9.0).reshape(4, 2)  # words × topics
CHANGE = Reorder("words", "topics", (np.array([3, 0]), np.array([1, 2, 0])), (1, 3))
LEFT = np.array([[1.0, 2.0], [0.0, 4.0], [0.0, 6.0], [7.0, 0.0]])


def test_a_field_has_zeros_where_an_order_leaves_a_position_out():
    record = {
        "counts": Field(VALUES.copy(), ("words", "topics")),
        "turned": Field(VALUES.T.copy(), ("topics", "words")),
        "between": Field(np.stack([VALUES, VALUES], axis=1), ("words", "kinds", "topics")),
        "parameters": Field(VALUES.copy(), ("words", "topics"), additive=False),
        "by word": Field(VALUES[:, 0].copy(), ("words",)),
        "by topic": Field(VALUES[0].copy(), ("topics",)),
        "number": Field(np.array(3.0)),
    }
    after = apply((CHANGE,), record)
    assert after["counts"].values.tolist() == LEFT.tolist()
    assert after["turned"].values.tolist() == LEFT.T.tolist()
    assert after["between"].values.tolist() == np.stack([LEFT, LEFT], axis=1).tolist()
    for name in ("parameters", "by word", "by topic", "number"):
        assert after[name].values.tolist() == record[name].values.tolist(), name
    assert record["counts"].values.tolist() == VALUES.tolist(), "the old record is untouched"


def test_what_an_order_leaves_out_is_dropped():
    item = Field(VALUES, ("words", "topics"))
    assert dropped(item, (CHANGE,)) == pytest.approx(VALUES.sum() - LEFT.sum())
    both = (CHANGE, Drop("words", (1,)))
    assert dropped(item, both) == pytest.approx(VALUES.sum() - LEFT.sum() + 4.0)
    assert dropped(Field(VALUES[:, 0], ("words",)), (CHANGE,)) == 0.0


def test_some_rows_of_a_table_follow():
    rows = apply_to_rows((CHANGE,), Rows(np.array([1, 3]), VALUES[[1, 3]]), "words", "topics", 4)
    assert rows.positions.tolist() == [1, 3]
    assert rows.values.tolist() == LEFT[[1, 3]].tolist()
    cells = SparseCounts(np.array([1, 3, 3]), np.array([0, 1, 0], np.int32), np.array([3, 8, 7]), 2)
    rows = apply_to_rows((CHANGE, Drop("words", (0,))), cells, "words", "topics", 4)
    assert rows.positions.tolist() == [0, 2]
    assert rows.values.tolist() == [[0.0, 0.0], [7.0, 0.0]]
    none = apply_to_rows((CHANGE,), Rows(np.empty(0, np.int64), np.empty((0, 2))), "words", "topics", 4)
    assert none.values.shape == (0, 2)


def test_a_report_follows_but_for_what_no_topic_has_a_column_for():
    """New words have no place in the order yet, and a trial's columns are its own."""
    stats = Stats(
        Rows(np.arange(4), VALUES.copy()),
        new_rows={"new": np.array([1.0, 2.0])},
        usage={"use": Field(np.array([5.0, 6.0]), ("topics",))},
        trial={"a plan": Stats(Rows(np.array([1]), np.array([[1.0, 2.0, 3.0]])))},
    )
    after = apply_to_stats((CHANGE,), stats, "words", "topics", 4)
    assert after.rows.rows().values.tolist() == LEFT.tolist()
    assert after.new_rows["new"].tolist() == [1.0, 2.0]
    assert after.usage["use"].values.tolist() == [5.0, 6.0]
    assert after.trial["a plan"].rows.rows().values.tolist() == [[1.0, 2.0, 3.0]]
