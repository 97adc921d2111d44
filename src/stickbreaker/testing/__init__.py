"""Conformance suites for models and engines, shipped so that a new one is held to the laws in a few lines.

Subclass a suite in a pytest file:

    class TestLDA(ModelTests):
        def make(self, **settings):
            return LDA(n_topics=5, random_state=0, **settings)
"""

from stickbreaker.testing.engines import EngineTests
from stickbreaker.testing.models import ModelTests
from stickbreaker.testing.planted import Planted, plant_topics

__all__ = ["EngineTests", "ModelTests", "Planted", "plant_topics"]
