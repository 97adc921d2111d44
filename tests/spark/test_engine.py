"""The laws of engines, on Spark; and that it learns what one machine learns."""

import pytest

from stickbreaker.engines import Engine
from stickbreaker.engines.spark import SparkEngine, SparkEverywhere
from stickbreaker.testing.engines import EngineTests
from stickbreaker.testing.ordered import OrderedEngineTests


class OnSpark:
    """Gives engines whose table is sent to every task; `n_jobs` documents' portions differ in size."""

    @pytest.fixture(autouse=True)
    def _with(self, spark, tmp_path):
        self.session, self.folder = spark, tmp_path

    def engine(self, n_jobs: int) -> Engine:
        return SparkEverywhere(SparkEngine(self.session, portion=128), folder=self.folder)


class TestEverywhere(OnSpark, EngineTests):
    """A table with keys."""


class TestOrdered(OnSpark, OrderedEngineTests):
    """A sparse table whose cells have an order."""
