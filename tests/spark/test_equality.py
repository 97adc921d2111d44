"""What Spark learns is what one machine learns, and every master gives the same bytes."""

from pathlib import Path

import numpy as np
import pytest
from tests.spark.processes import standalone, start
from tests.spark.running_on_spark import RUNS, digest, fitted, write_corpora

from stickbreaker.engines.spark import SparkEngine


@pytest.fixture(scope="module")
def corpora(tmp_path_factory) -> Path:
    return write_corpora(tmp_path_factory.mktemp("corpora"))


@pytest.mark.parametrize("run", RUNS)
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
    scores = [[record["score"] for record in model.trace_] for model in (there, here)]
    np.testing.assert_allclose(*scores, rtol=1e-8)


ACROSS = ("carried records", "online", "hybrid")  # runs that are compared between masters


@pytest.fixture(scope="module")
def digests(spark, corpora) -> dict[str, str]:
    """Of tables that two threads of a master of this process made."""
    engine = SparkEngine(spark, portion=128, blocks=3)
    return {run: digest(fitted(run, corpora, engine)) for run in ACROSS}


def told(master: str, corpora: Path) -> dict[str, str]:
    """Digests of tables that a program made with a master."""
    program = start("digests", master, corpora, *ACROSS)
    lines, _ = program.communicate(timeout=300)
    assert program.returncode == 0
    return dict(line.split("\t") for line in lines.splitlines())


@pytest.mark.parametrize("master", ["local[1]", "local-cluster[2,1,600]"])
def test_every_master_gives_the_same_bytes(corpora, digests, master):
    assert told(master, corpora) == digests


def test_a_standalone_cluster_gives_the_same_bytes(corpora, digests, tmp_path):
    with standalone(tmp_path) as master:
        assert told(master, corpora) == digests


def changes(model) -> list[tuple]:
    """Which edits were made of which topics, and in which step; their gains differ in the last digits."""
    made = ((record["step"], edit) for record in model.trace_ for edit in record.get("edits", ()))
    return [(step, *(value for name, value in edit.items() if name != "gain")) for step, edit in made]


@pytest.mark.parametrize("run", [run for run in RUNS if run.startswith("growing, ") and "hybrid" not in run])
def test_runs_with_moves_make_some(corpora, run):
    assert changes(fitted(run, corpora, "local"))
