"""The hierarchical Dirichlet process: the laws with and without moves, its weights, topics that are told."""

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar
from scipy.special import gammaln, psi
from scipy.stats import beta

from stickbreaker import HDP, LDA, Hybrid, Memoised, UserError
from stickbreaker.contracts.contract import Step
from stickbreaker.core.records import Field
from stickbreaker.corpus.shards import Bags, Shard
from stickbreaker.testing import MeanFieldTests, ModelTests, VariationalTests, plant_topics
from stickbreaker.testing.planted import matched
from stickbreaker.topics.model.model import TopicModel
from stickbreaker.topics.model.priors.hdp import HDPPrior
from stickbreaker.topics.model.priors.hdp_weights import fit_weights, objective
from stickbreaker.topics.model.solvers.mean_field import MeanField
from stickbreaker.topics.model.vocabularies.closed import ClosedVocabulary


class TestMeanFieldHDP(MeanFieldTests):
    """In batch, as the laws of online steps and of the bound ask, without moves."""

    def make(self, **settings):
        return HDP(n_topics=5, random_state=0, **{"schedule": "batch", "moves": None, **settings})


class TestHybridHDP(VariationalTests):
    def make(self, **settings):
        chosen = {"schedule": "batch", "moves": None, **settings}
        return HDP(n_topics=5, inference="hybrid", random_state=0, **chosen)


class TestDefaultHDP(ModelTests):
    """Memoised, with moves: five topics are found from three."""

    def make(self, **settings):
        chosen = {"schedule": Memoised(batch_size=150), **settings}
        return HDP(n_topics=3, random_state=0, **chosen)


class TestDefaultHybridHDP(TestDefaultHDP):
    def make(self, **settings):
        return super().make(inference="hybrid", **settings)


def dirichlet_terms(counts, weights, prior, gamma):
    """One document's bound by its definition, over topics that have words and one entry that has none."""
    expected = psi(gamma) - psi(gamma.sum())
    phi = weights * np.exp(expected[:-1])
    nats = (counts * np.log(phi.sum(1))).sum()
    nats += gammaln(prior.sum()) - gammaln(prior).sum() - gammaln(gamma.sum()) + gammaln(gamma).sum()
    return nats + ((prior - gamma) * expected).sum()


def test_documents_are_those_of_a_dirichlet_with_one_entry_more():
    rng = np.random.default_rng(0)
    weights = rng.random((6, 3)).astype(np.float32)
    model = TopicModel(HDPPrior(3, alpha=1.7), ClosedVocabulary(6, 0.1), MeanField(300, 1e-9))
    params = {
        **model.start(),
        "weights": Field(np.array([0.5, 0.2, 0.1]), ("topics",)),
        "rest": Field(np.array(0.2)),
    }
    offsets, codes = np.array([0, 4, 6, 6]), np.array([0, 1, 2, 5, 3, 4], np.int32)
    counts = np.array([3, 1, 2, 5, 1, 1], np.float32)
    shard = Shard(np.arange(3), Bags(offsets, codes, counts, np.zeros(3, np.float32)), np.arange(6))
    view = model.expectations(params, np.ones((6, 3)), np.full((1, 3), 6.0), None)._replace(
        weights=weights, log_scale=np.zeros(6)
    )
    local, stats = model.solver.infer(view, shard, None, 0)
    prior = 1.7 * np.array([0.5, 0.2, 0.1, 0.2])
    log_theta = np.zeros(4)
    for d in range(3):
        part = slice(offsets[d], offsets[d + 1])
        gamma = np.append(local["gamma"].values[d], prior[3])
        expected = dirichlet_terms(counts[part], weights[codes[part]].astype(float), prior, gamma)
        assert local["scores"].values[d] == pytest.approx(expected, rel=1e-5, abs=1e-5)
        log_theta += psi(gamma) - psi(gamma.sum())
    told = np.append(stats.usage["log_theta"].values, stats.usage["log_rest"].values)
    assert told == pytest.approx(log_theta, rel=1e-5)


def test_a_sampled_documents_estimate_has_the_rest_in_its_total():
    """One token: the estimate is exact, sum_k alpha_k weight_k over the whole concentration."""
    model = TopicModel(HDPPrior(2, alpha=2.0), ClosedVocabulary(1, 0.1), Hybrid())
    params = {
        **model.start(),
        "weights": Field(np.array([0.3, 0.2]), ("topics",)),
        "rest": Field(np.array(0.5)),
    }
    bags = Bags(np.array([0, 1]), np.zeros(1, np.int32), np.ones(1, np.float32), np.zeros(1, np.float32))
    shard = Shard(np.arange(1), bags, np.zeros(1, np.int64))
    view = model.expectations(params, np.ones((1, 2)), np.ones((1, 2)), None)._replace(
        weights=np.array([[0.7, 0.1]], np.float32), log_scale=np.zeros(1)
    )
    local, stats = model.solver.infer(view, shard, None, 0)
    assert local["scores"].values[0] == pytest.approx(np.log(0.3 * 0.7 + 0.2 * 0.1), rel=1e-6)
    assert stats.usage["spread"].values == pytest.approx(psi(3.0) - psi(2.0))


def test_weights_are_the_maximum_of_the_bound():
    rng = np.random.default_rng(1)
    truth, alpha = rng.dirichlet(np.ones(6)), 3.0
    mean_log = psi(alpha * truth) - psi(alpha)  # of theta drawn from the prior itself
    fitted = fit_weights(np.full(6, 1 / 6), 1.0, mean_log, 0.0, alpha_learned=True)
    assert fitted.masses == pytest.approx(truth, rel=1e-3)
    assert fitted.alpha == pytest.approx(alpha, rel=1e-3)
    pull, start = 0.3, rng.dirichlet(np.ones(6))
    held = fit_weights(start, 2.0, mean_log, pull, alpha_learned=False)
    assert held.alpha == pytest.approx(2.0)

    def fall(logits):
        masses = np.exp(logits) / np.exp(logits).sum()
        return -objective(masses, 2.0, mean_log, pull)

    slow = minimize(fall, np.log(start), method="Nelder-Mead", options={"maxiter": 20_000, "maxfev": 20_000})
    assert objective(*held, mean_log, pull) >= -slow.fun - 1e-6
    assert objective(*held, mean_log, pull) > objective(start, 2.0, mean_log, pull)


@pytest.mark.parametrize("documents", ["expected", "sampled"])
def test_the_learned_gamma_is_the_mode_given_the_sticks(documents):
    """Of prod_k Beta(b_k; 1, gamma) times Gamma(gamma; 1, 1), found by a search."""
    prior = HDPPrior(4, alpha=1.5, gamma=3.0)
    rng = np.random.default_rng(0)
    usage = {"gains": Field(rng.gamma(9.0, 1.0, 4), ("topics",)), "spread": Field(np.array(30.0))}
    if documents == "expected":
        logs = np.log(rng.dirichlet(np.array([3.0, 2.0, 1.0, 1.0, 0.5]), 50)).sum(axis=0)
        usage = {"log_theta": Field(logs[:-1], ("topics",)), "log_rest": Field(logs[-1])}
    updated = prior.update(prior.start(), usage, 50.0, Step(0, 1.0, 1.0, 0.0))
    masses = np.append(updated["weights"].values, updated["rest"].values)
    assert masses.sum() == pytest.approx(1.0)
    sticks = masses[:-1] / (1.0 - np.cumsum(np.append(0.0, masses[:-2])))

    def fall(gamma):
        return gamma - beta.logpdf(sticks, 1.0, gamma).sum()

    best = minimize_scalar(fall, bounds=(1e-2, 100.0), method="bounded", options={"xatol": 1e-9}).x
    assert updated["gamma"].values == pytest.approx(best, rel=1e-5)


def test_learning_never_lowers_what_it_climbs():
    rng = np.random.default_rng(2)
    for _ in range(20):
        masses = rng.dirichlet(np.full(8, 0.3)) + 1e-9
        masses /= masses.sum()
        mean_log = psi(rng.gamma(0.3, 1.0, 8) + 1e-3) - psi(3.0)
        before = objective(masses, 1.5, mean_log, 0.01)
        assert objective(*fit_weights(masses, 1.5, mean_log, 0.01, True), mean_log, 0.01) >= before - 1e-12


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [{"schedule": "batch"}, {}, {"inference": "hybrid"}, {"schedule": "online", "max_iter": 30}],
    ids=["batch", "memoised", "hybrid", "online"],
)
def test_more_topics_than_are_needed(settings):
    """Five planted topics of twelve: they are found (and some of them more than once, without merges)."""
    planted = plant_topics(n_documents=600, length=120, alpha=0.2, seed=3)
    model = HDP(12, random_state=0, moves=None, **settings).fit(planted.counts)
    _, cosines = matched(model.topic_word_, planted.topics)
    assert cosines.min() > 0.95
    assert model.n_topics_ == len(model.alpha_) == len(model.topic_weights_) == len(model.components_)
    theta = model.transform(planted.counts)
    assert theta.shape == (600, model.n_topics_)
    assert theta.sum(axis=1) == pytest.approx(np.ones(600))
    assert 0 < model.topic_weights_.sum() < 1


@pytest.mark.slow
def test_planted_concentration_is_recovered():
    """theta ~ Dirichlet(alpha beta): alpha and beta of the drawing."""
    beta = np.array([0.4, 0.3, 0.15, 0.1, 0.05])
    planted = plant_topics(n_documents=1500, length=120, alpha=1.5 * beta, seed=4)
    for inference in ("mean-field", "hybrid"):
        settings = {"random_state": 0, "max_iter": 150, "doc_max_iter": 60}
        model = HDP(5, inference=inference, **settings).fit(planted.counts)
        assert model.n_topics_ == 5
        chosen, _ = matched(model.topic_word_, planted.topics)
        assert model.alpha_[chosen] == pytest.approx(1.5 * beta, rel=0.25, abs=0.03)


def test_topics_without_use_are_not_told(tmp_path):
    X = plant_topics(n_documents=40, length=10, seed=1).counts
    model = HDP(120, random_state=0, max_iter=60, tol=0.0, schedule="batch", moves=None).fit(X)
    totals = model.engine_.table.totals()[0]
    used = (totals >= 1.0) & (totals >= 1e-4 * totals.sum())
    assert 5 <= model.n_topics_ == used.sum() < 120
    assert model.topic_shares_ == pytest.approx(totals[used] / totals[used].sum())
    assert HDP(5, random_state=0).fit([[1, 2]]).n_topics_ == 1, "0.6 tokens each: the largest is told"
    model.save(tmp_path / "model")
    loaded = HDP.load(tmp_path / "model")
    assert loaded.n_topics_ == model.n_topics_
    assert loaded.transform(X).tobytes() == model.transform(X).tobytes()
    with pytest.raises(UserError, match="kind HDP"):
        LDA.load(tmp_path / "model")


def test_a_stream_and_small_inputs():
    X = plant_topics(n_documents=90).counts
    model = HDP(8, random_state=0, schedule="online")
    for start in range(0, 90, 30):
        model.partial_fit(X[start : start + 30])
    assert model.transform(X).sum(axis=1) == pytest.approx(np.ones(90))
    assert HDP(5, random_state=0, max_iter=3, tol=0.0).fit([[1, 2]]).n_topics_ >= 1
    same = HDP(5, random_state=0, max_iter=20, tol=0.0).fit([[3, 1, 0]] * 20)
    assert same.transform([[3, 1, 0]]).sum() == pytest.approx(1.0)


def test_parameters_that_make_no_sense():
    X = [[1, 2], [2, 1]]
    for settings, told in [
        ({"alpha": 0.0}, "alpha=0.0; alpha is above 0"),
        ({"alpha": "learned-symmetric"}, "alpha="),
        ({"concentration": "much"}, "concentration="),
        ({"inference": "gibbs-delayed"}, "does not go with"),
        ({"n_topics": 0}, "n_topics"),
    ]:
        with pytest.raises(UserError, match=told):
            HDP(**settings).fit(X)


def test_topics_in_use_as_lda(tmp_path):
    X = plant_topics(n_documents=120).counts
    model = HDP(5, random_state=0, max_iter=30, tol=0.0).fit(X)
    lda = model.to_lda()
    assert lda.transform(X) == pytest.approx(model.transform(X), abs=1e-6)
    assert lda.topic_word_ == pytest.approx(model.topic_word_)
    assert lda.alpha_ == pytest.approx(model.alpha_)
    lda.save(tmp_path / "lda")
    assert LDA.load(tmp_path / "lda").transform(X).tobytes() == lda.transform(X).tobytes()
    fewer = HDP(60, random_state=0, max_iter=30, tol=0.0).fit(X[:20])
    assert fewer.to_lda().topic_word_ == pytest.approx(fewer.topic_word_)
