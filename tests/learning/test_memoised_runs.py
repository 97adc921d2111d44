"""How a memoised run begins: seeds throughout the first pass, then fresh starts, then records are carried."""

import numpy as np
import pytest
from tests.running import StopAfter

from stickbreaker import HDP, LDA, Corpus, Memoised, SplitMerge
from stickbreaker.engines import Interrupted
from stickbreaker.estimators import model_runs
from stickbreaker.learning.loop import run
from stickbreaker.learning.observers import Observer
from stickbreaker.learning.schedules import FRESH
from stickbreaker.saved import ModelDirectory
from stickbreaker.testing import plant_topics
from stickbreaker.testing.estimators import begin, contents, new_run
from stickbreaker.topics.model.solvers.mean_field import MeanField
from stickbreaker.topics.runs import word_counting

X = plant_topics(n_documents=120, length=30, seed=2).counts
FOUR = Memoised(batch_size=30)  # minibatches a pass
CASES = {"hdp": HDP, "lda": LDA}
ONE_BY_ONE = SplitMerge(splits=1, merges=1)


class Tables(Observer):
    """The engine's table after every step, and what reports of minibatches add up to then."""

    def begin(self, job, state):
        self.seeds = job.engine.table.counts(slice(None)).copy()
        self.tables, self.reports = [], []

    def step(self, job, state, record):
        table, reports = job.engine.table.counts(slice(None)), job.engine.memoized.reports
        total = np.zeros(table.shape)
        for number in range(len(reports)):
            rows = reports[number].rows.rows()
            total[rows.positions] += rows.values
        self.tables.append(table.copy())
        self.reports.append(total)
        return False


@pytest.mark.parametrize("kind", CASES)
def test_seeds_stay_for_the_first_pass_and_then_leave_nothing(kind):
    model = CASES[kind](4, random_state=0, schedule=FOUR, max_iter=2, n_jobs=1)
    job, state = new_run(model, Corpus.from_matrix(X), 0)
    run(job, state, [seen := Tables()])
    for table, reports in zip(seen.tables[:3], seen.reports[:3], strict=True):
        np.testing.assert_allclose(table, seen.seeds + reports, rtol=1e-12)
    assert seen.tables[3].tolist() == seen.reports[3].tolist()
    assert seen.tables[3].sum() == pytest.approx(X.sum(), rel=1e-6)
    for table, reports in zip(seen.tables[4:], seen.reports[4:], strict=True):
        np.testing.assert_allclose(table, reports, rtol=1e-9, atol=1e-6)


@pytest.fixture
def anew(monkeypatch):
    """Of every visit of a shard, whether its documents started anew."""
    real, visits = MeanField.infer, []

    def infer(self, view, shard, local, seed):
        visits.append(local is None)
        return real(self, view, shard, local, seed)

    monkeypatch.setattr(MeanField, "infer", infer)
    monkeypatch.setattr(word_counting, "CELLS", 0)  # documents are not visited once more for topics' words
    return visits


def passes(visits):
    """Whether all documents of a pass started anew, or none did."""
    by_pass = [set(visits[start : start + 4]) for start in range(0, len(visits), 4)]
    assert all(len(each) == 1 for each in by_pass)
    return [each.pop() for each in by_pass]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"tol": 0.0}, [True] * FRESH + [False] * 2),
        ({"tol": 0.5}, [True] * 5 + [False] * 3),  # settled after four, and again after four
        ({"tol": 0.0, "keep_local": True, "max_iter": 3}, [True, False, False]),
        ({"tol": 0.0, "schedule": "batch", "max_iter": 2}, [True, True]),
    ],
    ids=["20 passes", "until the score settles", "records kept from the start", "batch"],
)
def test_documents_start_anew_before_their_records_are_carried(anew, settings, expected):
    given = {"schedule": FOUR, "max_iter": FRESH + 2, "moves": None, "n_jobs": 1, **settings}
    model = HDP(4, random_state=0, **given)
    model.fit(X if given["schedule"] == FOUR else np.vstack([X.toarray()] * 4))
    assert passes(anew) == expected
    assert model.converged_ == (settings["tol"] > 0.0)


def test_fresh_starts_wait_for_moves_too(anew):
    """A score that has settled by any measure, but moves have something untried."""
    HDP(2, random_state=0, schedule=FOUR, moves=ONE_BY_ONE, max_iter=8, tol=0.5, n_jobs=1).fit(X)
    assert passes(anew) == [True] * 8


@pytest.mark.parametrize("moves", ["split-merge", None])
def test_an_interrupted_run_goes_on_alike_at_every_turn(tmp_path, moves):
    """Stopped while the table has seeds, in fresh starts, in the first pass that carries records."""
    settings = {"moves": moves, "schedule": FOUR, "max_iter": 9, "tol": 0.5, "random_state": 1}

    def begun(name):
        corpus = Corpus.from_matrix(X).write(tmp_path / f"corpus of {name}")
        begin(HDP(4, **settings), corpus, tmp_path / name, corpus_inside=True)
        return tmp_path / name

    whole, path = begun("whole"), begun("model")
    model_runs.resume(whole, every=60.0, threads=1)
    since = []
    for steps in (2, 5, 4, 8, 3):
        with pytest.raises(Interrupted):
            model_runs.resume(path, every=0.0, threads=2, watch=[StopAfter(steps)])
        since.append(ModelDirectory(path).manifest().get("carried_since", 0))
    assert since == [None, None, None, 4, 4]
    model_runs.resume(path, every=60.0, threads=3)
    assert contents(path) == contents(whole)


class Untouched(Observer):
    """How many passes and held-out scores a run took."""

    def end(self, job, state):
        self.passes, self.scores = state.passes, state.held_out


@pytest.mark.parametrize("schedule", [FOUR, "batch"], ids=["memoised", "batch"])
def test_held_out_documents_leave_time_for_moves(schedule):
    """One score a pass; the run goes on while moves have something untried, for `FRESH` passes at most."""
    settings = {"random_state": 0, "schedule": schedule, "n_jobs": 1, "tol": 0.5, "max_iter": 60}
    corpus = Corpus.from_matrix(plant_topics(n_documents=200, length=40, seed=2).counts)
    taken = {}
    for moves in (ONE_BY_ONE, None):
        job, state = new_run(HDP(2, moves=moves, **settings), corpus, 0, held_out=0.3)
        run(job, state, [watch := Untouched()])
        assert len(watch.scores) == watch.passes
        taken[moves] = state
    assert taken[ONE_BY_ONE].columns.given > 2, "moves had time to split topics"
    assert taken[ONE_BY_ONE].passes > taken[None].passes
    assert taken[ONE_BY_ONE].passes <= FRESH + 6
    assert taken[None].passes <= 10
    assert taken[ONE_BY_ONE].held_out[-1] > taken[None].held_out[-1] + 0.1
