"""Any sequence of edits keeps totals, but for what its drops say they take (law 4)."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stickbreaker.core.edits import (
    SHARES_OF,
    Dissolve,
    Drop,
    Grow,
    Merge,
    Permute,
    Split,
    apply,
    apply_change,
    apply_to_local,
    apply_to_rows,
    apply_to_stats,
    dropped,
)
from stickbreaker.core.records import Field, Rows, Stats, no_rows


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
            + (["dissolve"] if axis == "topics" and n > 1 else [])
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
        elif kind == "dissolve":
            order = draw(st.permutations(range(n)))
            into = tuple(order[1 : draw(st.integers(2, n))])
            raw = np.array(draw(st.lists(st.floats(0.1, 1), min_size=len(into), max_size=len(into))))
            shares, along = raw / raw.sum(), {}
            if draw(st.booleans()):
                turns = np.stack([np.roll(shares, w) for w in range(shape["words"])])
                along = {"words": turns}
            changes.append(Dissolve(axis, order[0], into, tuple(shares.tolist()), along))
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
        replace(change, along={}) if isinstance(change, Split | Dissolve) else change for change in edit
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


@pytest.mark.parametrize("change", [Split("words", 0), Dissolve("words", 0, (1,), (1.0,))])
def test_rows_are_not_split(change):
    with pytest.raises(ValueError, match="identity"):
        apply_to_rows((change,), Rows(np.array([0]), np.ones((1, 1))), "words", "topics", 2)


def test_reports_add_scale_and_follow_edits():
    one = Stats(
        Rows(np.array([0, 2]), np.array([[1.0, 2.0], [3.0, 4.0]])),
        new_rows={"new": np.array([1.0, 1.0])},
        usage={"use": Field(np.array([1.0, 2.0]), ("topics",))},
        score=-3.0,
        documents=2.0,
        tokens=9.0,
        trial={"split": Stats(Rows(np.array([2]), np.array([[1.0, 1.0, 1.0]])))},
    )
    two = Stats(
        Rows(np.array([1]), np.array([[5.0, 5.0]])), new_rows={"other": np.array([2.0, 0.0])}, score=-1.0
    )
    both = one.plus(two)
    assert both.rows.positions.tolist() == [0, 1, 2]
    assert both.score == -4.0
    assert set(both.new_rows) == {"new", "other"}
    taken_back = both.plus(two.scaled(-1.0))
    assert taken_back.rows.values.tolist() == [[1.0, 2.0], [0.0, 0.0], [3.0, 4.0]]
    assert taken_back.score == one.score
    after = apply_to_stats((Merge("topics", 0, 1), Drop("words", (0,))), one, "words", "topics", 3)
    assert after.rows.positions.tolist() == [1]
    assert after.rows.values.tolist() == [[7.0]]
    assert after.new_rows["new"].tolist() == [2.0]
    assert after.trial["split"].rows.positions.tolist() == [1]
    assert after.trial["split"].rows.values.shape == (1, 3), "a trial's columns are its plan's own"


# changes that were tried: reports and documents follow what the trial told


def tried(rows, **usage):
    """A trial's report: rows (all words × its columns) and sums."""
    positions = np.flatnonzero(rows.any(axis=1))
    return Stats(Rows(positions, rows[positions]), usage=usage)


def report(table, trial, **usage):
    positions = np.flatnonzero(table.any(axis=1))
    return Stats(Rows(positions, table[positions]), usage=usage, trial=trial)


def dense(stats, n_rows):
    out = np.zeros((n_rows, stats.rows.values.shape[1]))
    out[stats.rows.positions] = stats.rows.values
    return out


def test_a_report_is_split_as_its_trial_was():
    table = np.array([[4.0, 1.0], [2.0, 0.0], [6.0, 5.0], [8.0, 0.0]])
    trial = tried(
        np.array([[1.0, 3.0], [2.0, 0.0], [0.0, 0.0], [2.0, 2.0]]),
        log_theta=Field(np.array([-5.0, -6.0]), ("topics",)),
        own=Field(np.array(-0.5)),
        log_whole=Field(np.array([-4.0])),
    )
    stats = report(
        table,
        {"split": trial, "other": tried(np.ones((4, 2)))},
        log_theta=Field(np.array([-4.0, -9.0]), ("topics",)),
        own=Field(np.array(10.0)),
        together=Field(np.array([[4.0, 2.0], [2.0, 1.0]]), ("topics", "topics")),
    )
    along = {"words": np.array([0.9, 0.9, 0.5, 0.9])}
    after = apply_to_stats((Split("topics", 0, 0.25, along, "split"),), stats, "words", "topics", 4)
    assert dense(after, 4).tolist() == [[1.0, 1.0, 3.0], [2.0, 0.0, 0.0], [6.0, 5.0, 0.0], [4.0, 0.0, 4.0]]
    assert after.usage["log_theta"].values.tolist() == [-5.0, -9.0, -6.0]
    assert float(after.usage["own"].values) == 9.5
    assert after.usage["together"].values.sum() == 9.0
    assert set(after.usage) == set(stats.usage), "what only a trial tells stays there"
    assert set(after.trial) == {"split", "other"}
    assert stats.usage["log_theta"].values.tolist() == [-4.0, -9.0], "the old report is untouched"


def test_a_report_without_the_trial_is_split_by_the_shares_given():
    stats = report(np.array([[4.0, 1.0], [2.0, 0.0]]), {}, own=Field(np.array(10.0)))
    along = {"words": np.array([0.5, 0.25])}
    after = apply_to_stats((Split("topics", 0, 0.75, along, "split"),), stats, "words", "topics", 2)
    assert dense(after, 2).tolist() == [[2.0, 1.0, 2.0], [1.5, 0.0, 0.5]]
    assert float(after.usage["own"].values) == 10.0


@pytest.mark.parametrize("tried", [True, False])
@pytest.mark.parametrize("change", [Split("topics", 0, 0.75), Dissolve("topics", 0, (1,), (1.0,))])
def test_a_report_without_rows_does_not_look_at_the_shares_of_rows(change, tried):
    """An engine may keep them in files."""
    trial = {"a": report(np.ones((4, 1 + isinstance(change, Split))), {})} if tried else {}
    stats = Stats(no_rows(2), usage={"use": Field(np.array([4.0, 1.0]), ("topics",))}, trial=trial)
    change = replace(change, along={"words": object()}, trial="a")
    after = apply_to_stats((change,), stats, "words", "topics", 4)
    assert after.usage["use"].values.tolist() == ([1.0, 1.0, 3.0] if isinstance(change, Split) else [5.0])
    assert after.rows.rows().values.shape == (0, len(after.usage["use"].values))


@pytest.mark.parametrize(("source", "into", "left"), [(1, (3, 0), [2, 0]), (3, (1, 2), [1, 2])])
def test_a_report_is_shared_out_as_its_trial_was(source, into, left):
    """Columns after the source move down; the sums of the targets are those that the trial told."""
    table = np.arange(1.0, 13.0).reshape(3, 4)
    table[2, source] = 0.0
    told = np.array([[0.25, 0.75], [1.0, 0.0], [0.0, 0.0]]) * table[:, [source]]
    trial = tried(told, log_theta=Field(np.array([-1.0, -2.0]), ("topics",)), own=Field(np.array(-3.0)))
    stats = report(
        table,
        {"merge": trial},
        log_theta=Field(np.array([-10.0, -20.0, -30.0, -40.0]), ("topics",)),
        own=Field(np.array(5.0)),
    )
    after = apply_to_stats(
        (Dissolve("topics", source, into, (0.5, 0.5), {"words": np.full((3, 2), 0.5)}, "merge"),),
        stats,
        "words",
        "topics",
        3,
    )
    expected = np.delete(table, source, axis=1)
    expected[:, left] += told
    assert dense(after, 3) == pytest.approx(expected)
    sums = np.delete(stats.usage["log_theta"].values, source)
    sums[left] = [-1.0, -2.0]
    assert after.usage["log_theta"].values.tolist() == sums.tolist()
    assert float(after.usage["own"].values) == 2.0


def test_targets_exchange_what_they_gain_beside_the_source():
    """Along the words a target may lose; rows keep their sums, to the last digit of the source's."""
    table = np.arange(1.0, 13.0).reshape(3, 4)
    table[2, 1] = 0.0
    told = np.array([[3.0, -1.0], [-2.5, 8.5], [0.5, -0.5]])  # of which 2, 6 and 0 are the source's
    stats = report(table, {"merge": tried(told)})
    change = Dissolve("topics", 1, (3, 0), (0.5, 0.5), {}, "merge", amounts="words")
    after = apply_to_stats((change,), stats, "words", "topics", 3)
    expected = np.delete(table, 1, axis=1)
    expected[:, [2, 0]] += told
    assert dense(after, 3) == pytest.approx(expected)
    counts = apply_change(Field(table, ("words", "topics")), replace(change, along={"words": told}))
    assert counts.values == pytest.approx(expected)
    rough = apply_change(Field(table, ("words", "topics")), replace(change, along={"words": 1.001 * told}))
    assert rough.values.sum(axis=1) == pytest.approx(table.sum(axis=1), rel=1e-15)
    shares = {SHARES_OF + "merge": Field(np.array([[1.5, -0.5]]), ("documents", "targets"), additive=False)}
    local = {"gamma": Field(np.array([[4.0, 2.0, 1.0, 3.0]]), ("documents", "topics")), **shares}
    assert apply_to_local((change,), local)["gamma"].values.tolist() == [[3.0, 1.0, 6.0]]


def test_what_rounding_leaves_makes_no_count_negative():
    """A kept report is in single precision, and a target may have nothing of a word."""
    generator = np.random.default_rng(0)
    tokens = generator.uniform(1e5, 1.01e5, 200)
    told = np.stack([np.zeros(200), tokens], axis=1)
    rows = np.stack([np.zeros(200), tokens, np.ones(200)], axis=1).astype(np.float32)
    change = Dissolve("topics", 1, (0, 2), (0.5, 0.5), {"words": told}, "merge", amounts="words")
    after = apply_change(Field(rows, ("words", "topics")), change).values
    assert after.min() >= 0.0
    assert after.sum(axis=1) == pytest.approx(rows.sum(axis=1, dtype=np.float64), rel=1e-7)


def test_amounts_of_another_report_are_refused():
    change = Dissolve("topics", 1, (0, 2), (0.5, 0.5), {"words": np.ones((3, 2))}, "merge", amounts="words")
    with pytest.raises(ValueError, match="no trial 'merge'"):
        apply_to_stats((change,), report(np.ones((3, 3)), {}), "words", "topics", 3)


def test_documents_follow_their_own_shares():
    gamma = np.array([[4.0, 1.0, 2.0], [8.0, 1.0, 3.0]])
    local = {
        "gamma": Field(gamma, ("documents", "topics")),
        "scores": Field(np.array([-1.0, -2.0]), ("documents",)),
        SHARES_OF + "split": Field(np.array([0.25, 0.5]), ("documents",), additive=False),
        SHARES_OF + "merge": Field(
            np.array([[1.0, 0.0], [0.5, 0.5]]), ("documents", "targets"), additive=False
        ),
    }
    split = apply_to_local((Split("topics", 0, 0.9, {}, "split"),), local)
    assert split["gamma"].values.tolist() == [[3.0, 1.0, 2.0, 1.0], [4.0, 1.0, 3.0, 4.0]]
    left = {"gamma", "scores", SHARES_OF + "merge"}
    assert set(split) == left, "what was held for this trial goes, what is for edits still to come stays"
    shared = apply_to_local((Dissolve("topics", 0, (2, 1), (0.5, 0.5), {}, "merge"),), local)
    assert shared["gamma"].values.tolist() == [[1.0, 6.0], [5.0, 7.0]]
    untold = apply_to_local((Split("topics", 0, 0.25),), local)
    assert untold["gamma"].values[:, 3].tolist() == [1.0, 2.0]


@given(edits(axes=("topics",)), st.integers(0, 10**6))
def test_a_table_stays_the_sum_of_reports_that_follow_their_trials(case, seed):
    """Each change was tried in one report of two: tokens are kept, by row and in all, wherever they go."""
    start, end, edit = case
    generator, n_rows = np.random.default_rng(seed), start["words"]
    tables = generator.gamma(1.0, 1.0, (2, n_rows, start["topics"]))
    reports = [report(table, {}, use=Field(table.sum(axis=0), ("topics",))) for table in tables]
    for number, change in enumerate(edit):
        changed = change
        if isinstance(change, Split | Dissolve):
            changed = replace(change, trial=f"change {number}")
            column = dense(reports[0], n_rows)[:, change.source]
            n_parts = 2 if isinstance(change, Split) else len(change.into)
            parts = column[:, None] * generator.dirichlet(np.ones(n_parts), n_rows)
            reports[0] = replace(reports[0], trial={f"change {number}": tried(parts)})
        before = [dense(each, n_rows).sum(axis=1) for each in reports]
        reports = [apply_to_stats((changed,), each, "words", "topics", n_rows) for each in reports]
        if not isinstance(change, Drop):
            assert [dense(each, n_rows).sum(axis=1) for each in reports] == [
                pytest.approx(rows) for rows in before
            ]
        if isinstance(change, Split):
            assert dense(reports[0], n_rows)[:, [change.source, -1]] == pytest.approx(parts)
    assert {each.rows.values.shape[1] for each in reports} == {end["topics"]}
