from stickbreaker.engines import LocalEngine
from stickbreaker.testing import EngineTests


class TestLocalEngine(EngineTests):
    def engine(self, n_jobs):
        return LocalEngine(n_jobs)
