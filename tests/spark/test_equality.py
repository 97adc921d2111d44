"""What Spark learns is what one machine learns, and every master gives the same bytes."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.spark.running_on_spark import RUNS, fitted, write_corpora

from stickbreaker.engines.spark import SparkEngine


@pytest.fixture(scope="module")
def corpora(tmp_path_factory) -> Path:
    return write_corpora(tmp_path_factory.mktemp("corpora"))


@pytest.mark.parametrize("run", RUNS)
def test_a_cluster_learns_what_one_machine_learns(spark, corpora, tmp_path, run):
    engine = SparkEngine(spark, portion=128, blocks=4, folder=tmp_path)
    there, here = fitted(run, corpora, engine), fitted(run, corpora, "local")
    edits = [[record.get("edits") for record in model.trace_] for model in (there, here)]
    assert edits[0] == edits[1]
    if "hybrid" in run:
        assert there.components_.tobytes() == here.components_.tobytes()
    np.testing.assert_allclose(there.components_, here.components_, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(there.alpha_, here.alpha_, rtol=1e-8)
    scores = [[record["score"] for record in model.trace_] for model in (there, here)]
    np.testing.assert_allclose(*scores, rtol=1e-8)
