"""Conformance suites for models and engines, shipped so that a new one is tested in a few lines.

Subclass a suite in a pytest file:

    class TestLDA(MeanFieldTests):
        def make(self, **settings):
            return LDA(n_topics=5, random_state=0, **settings)

`SamplerTests` hold for every Gibbs sampler, `ExactSamplerTests` for those whose chain is exact. `ModelTests`
hold for every estimator of topics, `VariationalTests` for those that also learn online, `MeanFieldTests` for
those whose bound is exact. `ClosedEngineTests` hold for engines' tables with fixed rows, `EngineTests` for
those whose rows have keys, `OrderedEngineTests` for those whose columns have an order.
"""

from stickbreaker.testing.engines import ClosedEngineTests, EngineTests, RunTests
from stickbreaker.testing.estimators import EstimatorTests, TopicEstimatorTests
from stickbreaker.testing.geweke import chain_deviations, geweke_deviations
from stickbreaker.testing.models import MeanFieldTests, ModelTests, VariationalTests
from stickbreaker.testing.planted import Planted, plant_languages, plant_topics
from stickbreaker.testing.samplers import ExactSamplerTests, SamplerTests
from stickbreaker.testing.truncated_table import OrderedEngineTests

__all__ = [
    "ClosedEngineTests",
    "EngineTests",
    "EstimatorTests",
    "ExactSamplerTests",
    "MeanFieldTests",
    "ModelTests",
    "OrderedEngineTests",
    "Planted",
    "RunTests",
    "SamplerTests",
    "TopicEstimatorTests",
    "VariationalTests",
    "chain_deviations",
    "geweke_deviations",
    "plant_languages",
    "plant_topics",
]
