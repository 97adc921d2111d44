import numpy as np
import pytest

from stickbreaker import LDA, Gibbs, UserError
from stickbreaker.testing import MeanFieldTests, ModelTests, VariationalTests, plant_topics
from stickbreaker.testing.planted import matched


class TestMeanField(MeanFieldTests):
    def make(self, **settings):
        return LDA(n_topics=5, random_state=0, **settings)


class TestHybrid(VariationalTests):
    def make(self, **settings):
        return LDA(n_topics=5, inference="hybrid", random_state=0, **settings)


class TestHybridFoldedInBySampling(TestHybrid):
    def make(self, **settings):
        return super().make(fold_in="sampled", **settings)


class TestGibbs(ModelTests):
    passes = 100

    def make(self, **settings):
        return LDA(n_topics=5, inference="gibbs", random_state=0, **settings)


class TestGibbsChains(TestGibbs):
    def make(self, **settings):
        return LDA(n_topics=5, inference=Gibbs(chains=3), random_state=0, **settings)


class TestDelayedGibbs(ModelTests):
    passes = 150

    def make(self, **settings):
        return LDA(n_topics=5, inference="gibbs-delayed", random_state=0, **settings)


INFERENCES = ("mean-field", "hybrid", "gibbs", "gibbs-delayed")


@pytest.mark.parametrize("inference", INFERENCES)
def test_planted_asymmetric_alpha_is_recovered(inference):
    truth = np.array([0.8, 0.4, 0.2, 0.1, 0.05])
    planted = plant_topics(n_documents=1500, length=120, alpha=truth, seed=4)
    model = LDA(n_topics=5, inference=inference, random_state=1, max_iter=150, doc_max_iter=60).fit(
        planted.counts
    )
    chosen, cosines = matched(model.topic_word_, planted.topics)
    assert cosines.min() > 0.97
    assert model.alpha_[chosen] == pytest.approx(truth, rel=0.25, abs=0.02)


@pytest.mark.parametrize("inference", INFERENCES)
def test_planted_eta_is_recovered(inference):
    planted = plant_topics(n_documents=800, length=150, eta=0.3, n_words=120, seed=2)
    model = LDA(n_topics=5, inference=inference, eta="learned", random_state=0, max_iter=120).fit(
        planted.counts
    )
    assert model.eta_ == pytest.approx(0.3, rel=0.25)


@pytest.mark.parametrize("inference", INFERENCES)
def test_planted_symmetric_alpha_is_recovered(inference):
    planted = plant_topics(n_documents=1500, length=120, alpha=0.3, seed=6)
    model = LDA(
        n_topics=5,
        inference=inference,
        alpha="learned-symmetric",
        random_state=1,
        max_iter=150,
        doc_max_iter=60,
    ).fit(planted.counts)
    assert np.ptp(model.alpha_) == 0.0
    assert model.alpha_[0] == pytest.approx(0.3, rel=0.15)


@pytest.mark.parametrize("inference", ["hybrid", "gibbs", "gibbs-delayed"])
def test_fractional_weights_are_refused_before_anything_is_done(inference):
    with pytest.raises(UserError, match="whole"):
        LDA(n_topics=2, inference=inference).fit([[0.5, 1.0], [2.0, 0.0]])
