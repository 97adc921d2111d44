"""What Spark learns is what one machine learns."""

import numpy as np
import pytest
from tests.spark.running_on_spark import RUNS, fitted

from stickbreaker.engines.spark import SparkEngine

SMOKE = ("batch", "online")
CASES = [pytest.param(run, marks=pytest.mark.smoke) if run in SMOKE else run for run in RUNS]


@pytest.mark.parametrize("run", CASES)
def test_a_cluster_learns_what_one_machine_learns(spark, corpora, tmp_path, run):
    learns_the_same(SparkEngine(spark, portion=128, blocks=3, folder=tmp_path), corpora, run)


@pytest.mark.parametrize("run", ["batch", "languages", "growing, exact moves", "growing, halves"])
def test_rows_that_are_viewed_a_few_at_a_time_change_nothing(spark, corpora, tmp_path, run):
    """Most portions read most of the words, and would see all rows at once if they fitted in `task_bytes`."""
    learns_the_same(SparkEngine(spark, portion=128, folder=tmp_path, task_bytes=1000), corpora, run)


def learns_the_same(engine, corpora, run):
    """What it learns is what one machine learns."""
    there, here = fitted(run, corpora, engine), fitted(run, corpora, "local")
    assert changes(there) == changes(here)
    if run in ("hybrid", "growing, hybrid"):  # whole numbers; online they are weighted, in another order
        assert there.components_.tobytes() == here.components_.tobytes()
    np.testing.assert_allclose(there.components_, here.components_, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(there.alpha_, here.alpha_, rtol=1e-8)
    assert here.word_documents_ is not None
    assert (there.word_documents_ is not None) == (engine.task_bytes > 1000)
    if there.word_documents_ is not None:
        for ours, theirs in zip(here.word_documents_.sides, there.word_documents_.sides, strict=True):
            np.testing.assert_allclose(theirs.totals, ours.totals, rtol=1e-6)
            assert (theirs.words[:, :5] == ours.words[:, :5]).all()
    scores = [[record["score"] for record in model.trace_] for model in (there, here)]
    np.testing.assert_allclose(*scores, rtol=1e-8)


def changes(model) -> list[tuple]:
    """Which edits were made of which topics, and in which step; their gains differ in the last digits."""
    made = ((record["step"], edit) for record in model.trace_ for edit in record.get("edits", ()))
    return [(step, *(value for name, value in edit.items() if name != "gain")) for step, edit in made]


@pytest.mark.parametrize("run", [run for run in RUNS if run.startswith("growing, ") and "hybrid" not in run])
def test_runs_with_moves_make_some(corpora, run):
    assert changes(fitted(run, corpora, "local"))
