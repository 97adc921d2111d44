import numpy as np
import pytest

from stickbreaker import LDA
from stickbreaker.testing import ModelTests, plant_topics
from stickbreaker.testing.planted import matched


class TestMeanFieldLDA(ModelTests):
    def make(self, **settings):
        return LDA(n_topics=5, random_state=0, **settings)


class TestOnlineLDA(ModelTests):
    def make(self, **settings):
        return LDA(n_topics=5, random_state=0, **{"eta": 0.05, **settings})


def test_planted_asymmetric_alpha_is_recovered():
    truth = np.array([0.8, 0.4, 0.2, 0.1, 0.05])
    planted = plant_topics(n_documents=1500, length=120, alpha=truth, seed=4)
    model = LDA(n_topics=5, random_state=1, max_iter=80, doc_max_iter=60).fit(planted.counts)
    chosen, cosines = matched(model.topic_word_, planted.topics)
    assert cosines.min() > 0.97
    assert model.alpha_[chosen] == pytest.approx(truth, rel=0.2, abs=0.02)


def test_planted_eta_is_recovered():
    planted = plant_topics(n_documents=800, length=150, eta=0.3, n_words=120, seed=2)
    model = LDA(n_topics=5, eta="learned", random_state=0, max_iter=80).fit(planted.counts)
    assert model.eta_ == pytest.approx(0.3, rel=0.25)
