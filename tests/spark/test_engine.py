"""The laws of engines, on Spark."""

import pytest

from stickbreaker.engines import Engine
from stickbreaker.engines.spark import ReplicatedEngine, ShardedEngine, SparkEngine
from stickbreaker.testing import ClosedEngineTests, EngineTests, OrderedEngineTests


class OnSpark:
    """Gives engines whose portions are of one shard each; workers are the session's, whatever `n_jobs`.

    Those of one test share a folder, as a run does with one that goes on with it.
    """

    kind: type[ShardedEngine] | type[ReplicatedEngine] = ReplicatedEngine
    workers = (2,)  # the session's in any case: a run again, whose tasks may end in another order

    @pytest.fixture(autouse=True)
    def _with(self, spark, tmp_path):
        self.session, self.folder = spark, tmp_path

    def engine(self, n_jobs: int) -> Engine:
        return self.kind(SparkEngine(self.session, portion=128, blocks=3), folder=self.folder)


class TestBlocks(OnSpark, ClosedEngineTests):
    """A table in blocks of files."""

    kind = ShardedEngine


class TestEverywhere(OnSpark, EngineTests):
    """A table with keys, sent to every task."""


class TestOrdered(OnSpark, OrderedEngineTests):
    """A sparse table whose cells have an order, sent to every task."""
