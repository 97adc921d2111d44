from stickbreaker.engines import LocalEngine
from stickbreaker.testing import ClosedEngineTests, EngineTests


class TestLocalEngine(EngineTests):
    def engine(self, n_jobs):
        return LocalEngine(n_jobs)


class TestClosed(ClosedEngineTests):
    def engine(self, n_jobs):
        return LocalEngine(n_jobs)
