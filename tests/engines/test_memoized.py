"""Reports that are kept: the table is the sum of the last of each, whatever is taken back or edited."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stickbreaker.core.edits import Dissolve, Merge, Split, apply_to_stats
from stickbreaker.core.records import Field, Rows, SparseCounts, Stats
from stickbreaker.engines import LocalEngine
from stickbreaker.engines.memoized import MemoizedReports
from stickbreaker.topics.model.model import TopicModel
from stickbreaker.topics.model.priors.hdp import HDPPrior
from stickbreaker.topics.model.solvers.mean_field import MeanField
from stickbreaker.topics.model.vocabularies.closed import ClosedVocabulary

N_WORDS, N_TOPICS = 6, 3
MODEL = TopicModel(HDPPrior(N_TOPICS), ClosedVocabulary(N_WORDS, 0.1), MeanField())


def report(seed, n_topics=N_TOPICS, trials=()):
    """Rows of some words, a sum by topic, documents and tokens; a trial of each name."""
    rng = np.random.default_rng(seed)
    positions = np.sort(rng.choice(N_WORDS, rng.integers(0, N_WORDS + 1), replace=False))
    values = rng.gamma(1.0, 10.0 ** rng.integers(-3, 6), (len(positions), n_topics))
    sums = {"log_theta": Field(rng.normal(size=n_topics), ("topics",))}
    trial = {name: Stats(Rows(positions, rng.gamma(1.0, 1.0, (len(positions), 2)))) for name in trials}
    return Stats(Rows(positions, values), {"new": np.ones(1)}, sums, -1.0 * seed, 2.0, 5.0, trial)


def engine():
    begun = LocalEngine(1)
    begun.start(MODEL, np.full((N_WORDS, N_TOPICS), 7.0))
    return begun


def dense(reports):
    """What reports' rows add up to, as they are kept: in single precision."""
    total = np.zeros((N_WORDS, N_TOPICS))
    for stats in reports:
        total[stats.rows.positions] += stats.rows.values.astype(np.float32)
    return total


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 10**6)), min_size=1, max_size=12))
@settings(max_examples=60, deadline=None)  # the first compiles
def test_the_table_is_the_sum_of_the_last_reports(visits):
    """In any order of visits, once the seeds are gone; nothing is left of what was taken back."""
    begun, last = engine(), {}
    for step, (number, seed) in enumerate(visits):
        last[number] = report(seed)
        told = begun.replace_report(number, last[number], 0.0 if step == 0 else 1.0)
        expected = dense(last.values())
        assert begun.table.counts(slice(None)) == pytest.approx(expected, rel=1e-9, abs=1e-6)
        assert begun.table.totals()[0] == pytest.approx(expected.sum(axis=0), rel=1e-9, abs=1e-6)
        assert told.documents == 2.0 * len(last)
        assert told.tokens == 5.0 * len(last)
        assert told.score == pytest.approx(sum(each.score for each in last.values()))
        sums = np.sum([each.usage["log_theta"].values for each in last.values()], axis=0)
        assert told.usage["log_theta"].values == pytest.approx(sums)
        assert len(told.rows.rows().positions) == 0
        assert told.new_rows == {}


def test_seeds_stay_until_nothing_but_reports_is_to_be_left():
    """Seeds and reports add up; then the table is the reports' sum, to the last bit, whatever came before."""
    begun = engine()
    for number, seed in ((0, 1), (1, 2), (0, 3)):
        begun.replace_report(number, report(seed), 1.0)
    expected = 7.0 + dense([report(3), report(2)])
    assert begun.table.counts(slice(None)) == pytest.approx(expected, rel=1e-9, abs=1e-6)
    begun.replace_report(2, report(4), 0.0)
    alone = dense([report(3), report(2), report(4)])
    assert begun.table.counts(slice(None)).tolist() == alone.tolist()
    assert begun.table.totals()[0] == pytest.approx(alone.sum(axis=0), rel=1e-12)


def test_rows_are_kept_in_single_precision_and_taken_back_exactly():
    begun = engine()
    begun.replace_report(0, report(1), 0.0)
    only = begun.table.counts(slice(None)).copy()
    begun.replace_report(1, report(2), 1.0)
    begun.replace_report(1, report(3), 1.0)
    begun.replace_report(1, Stats(Rows(np.empty(0, np.int64), np.empty((0, N_TOPICS)))), 1.0)
    assert begun.table.counts(slice(None)) == pytest.approx(only, abs=1e-9)
    assert all(each.rows.rows().values.dtype == np.float32 for each in begun.memoized.reports.values())


def test_sampled_cells_are_kept_as_rows():
    begun = engine()
    cells = SparseCounts(np.array([2, 2]), np.array([0, 1], np.int32), np.array([3, 1]), N_TOPICS, 0.25)
    for keep in (0.0, 1.0, 1.0):
        begun.replace_report(0, Stats(cells), keep)
    assert begun.table.counts(slice(None))[2].tolist() == [0.75, 0.25, 0.0]
    assert begun.table.counts(slice(None)).sum() == 1.0


def test_a_plan_has_been_tried_when_every_report_has_its_trial():
    begun = engine()
    begun.replace_report(0, report(1), 0.0)
    assert not begun.replace_report(1, report(2, trials=["a", "b"]), 1.0).trial
    assert set(begun.replace_report(0, report(3, trials=["a"]), 1.0).trial) == {"a"}
    told = begun.replace_report(0, report(3, trials=["a", "b"]), 1.0)
    assert set(told.trial) == {"a", "b"}
    parts = [each.trial["b"].rows.values.sum() for each in begun.memoized.reports.values()]
    assert told.trial["b"].rows.rows().values.sum() == pytest.approx(sum(parts))
    assert not begun.replace_report(1, report(2), 1.0).trial, "its last report is of another visit"


EDITS = {
    "split": (Split("topics", 1, 0.3, {"words": np.linspace(0.0, 1.0, N_WORDS)}, "a"),),
    "dissolve": (Dissolve("topics", 0, (2, 1), (0.5, 0.5), {"words": np.full((N_WORDS, 2), 0.5)}, "a"),),
    "two": (Split("topics", 0, 0.5), Merge("topics", 1, 2)),
}


@pytest.mark.parametrize("kind", EDITS)
def test_reports_and_the_table_follow_an_edit_together(kind):
    """One report with the trial, one without: the table stays their sum, tokens are kept, and go on so."""
    begun, edit = engine(), EDITS[kind]
    begun.replace_report(0, report(1, trials=["a"]), 0.0)
    begun.replace_report(1, report(2), 1.0)
    before = begun.table.counts(slice(None)).sum(axis=1)
    expected = [
        apply_to_stats(edit, each, "words", "topics", N_WORDS) for each in begun.memoized.reports.values()
    ]
    begun.edit(edit)
    shape = begun.table.counts(slice(None)).shape
    assert begun.table.counts(slice(None)) == pytest.approx(begun.memoized.table(shape))
    assert begun.table.counts(slice(None)).sum(axis=1) == pytest.approx(before, rel=1e-6)
    assert begun.table.totals()[0] == pytest.approx(begun.table.counts(slice(None)).sum(axis=0))
    for one, other in zip(expected, begun.memoized.reports.values(), strict=True):
        assert other.rows.rows().values == pytest.approx(one.rows.rows().values, rel=1e-6)
        assert other.rows.rows().values.dtype == np.float32
        assert other.usage["log_theta"].values.tolist() == one.usage["log_theta"].values.tolist()
    begun.replace_report(0, report(5, shape[1]), 1.0)
    assert begun.table.counts(slice(None)) == pytest.approx(begun.memoized.table(shape), rel=1e-9, abs=1e-6)


def test_a_table_without_kept_reports_is_edited_as_ever():
    begun = engine()
    begun.edit((Split("topics", 0, 0.25),))
    assert begun.table.counts(slice(None))[0].tolist() == [5.25, 7.0, 7.0, 1.75]


def test_a_snapshot_restores_reports_and_their_trials():
    begun = engine()
    for number in (11, 1, 2):
        begun.replace_report(
            number, report(number, trials=["a plan of step 3"]), 0.0 if number == 11 else 1.0
        )
    arrays, keys = begun.snapshot()
    other = LocalEngine(1)
    other.restore(MODEL, {name: values.copy() for name, values in arrays.items()}, keys)
    again = report(9, trials=["a plan of step 3"])
    for each in (begun, other):
        assert set(each.replace_report(2, again, 1.0).trial) == {"a plan of step 3"}
        each.edit(EDITS["split"])
    assert other.table.counts(slice(None)).tobytes() == begun.table.counts(slice(None)).tobytes()
    assert sorted(other.memoized.reports) == [1, 2, 11]
    empty = MemoizedReports()
    empty.restore({"counts": np.ones(1)})
    assert empty.reports == {}
