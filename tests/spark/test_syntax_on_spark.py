"""The syntactic topic model on Spark: the laws of runs, and what one machine learns."""

import numpy as np
import pytest
from tests.spark.test_engine import OnSpark
from tests.syntax.model.test_syntax_model import SyntaxRuns

from stickbreaker.engines import LocalEngine
from stickbreaker.engines.spark import ShardedEngine
from stickbreaker.testing import RunTests


class Here(SyntaxRuns, RunTests):
    """The same runs on one machine."""

    __test__ = False

    def engine(self, n_jobs):
        return LocalEngine(n_jobs)


class TestSyntaxModel(OnSpark, SyntaxRuns, RunTests):
    """Trees, and a table in blocks of files."""

    kind = ShardedEngine

    def test_a_cluster_learns_what_one_machine_learns(self):
        there, here = self.whole(), Here().made(1)
        assert there.counts == pytest.approx(here.counts, rel=1e-8, abs=1e-10)
        for name, item in here.params.items():
            assert there.params[name].values == pytest.approx(item.values, rel=1e-8, abs=1e-10), name
        scores = [[record["score"] for record in whole.records] for whole in (there, here)]
        np.testing.assert_allclose(*scores, rtol=1e-8)

    def test_batch_steps_are_the_same(self):
        engine, scores = self.in_batch(3)

        other, others = Here().in_batch(3)
        assert scores == pytest.approx(others, rel=1e-9)
        assert engine.table.counts(slice(None)) == pytest.approx(other.table.counts(slice(None)), rel=1e-8)
