"""The Chinese restaurant franchise: the laws, its bound, sticks and concentrations, and what is refused."""

import json

import numpy as np
import pytest
from scipy.stats import beta as Beta
from tests.oracle import franchise as oracle
from tests.running import SMALL, StopAfter

from stickbreaker import HDP, LDA, Online, UserError
from stickbreaker.contracts.contract import Step
from stickbreaker.core.records import Field
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.shards import Bags, Shard
from stickbreaker.engines import Interrupted
from stickbreaker.estimators import model_runs
from stickbreaker.testing import MeanFieldTests, plant_topics
from stickbreaker.testing.estimators import contents
from stickbreaker.testing.planted import matched
from stickbreaker.topics.model.model import TopicModel
from stickbreaker.topics.model.priors.franchise import FranchisePrior, _fit_gamma
from stickbreaker.topics.model.solvers.franchise import Franchise
from stickbreaker.topics.model.vocabularies.closed import ClosedVocabulary


def franchise(n_topics=5, **settings):
    return HDP(n_topics, representation="franchise", **{"random_state": 0, **settings})


class TestFranchise(MeanFieldTests):
    def make(self, **settings):
        return franchise(**settings)


def fields(tables, alpha=0.7, gamma=1.9):
    return {
        "tables": Field(np.array(tables, float), ("topics",)),
        "alpha": Field(np.array(alpha)),
        "gamma": Field(np.array(gamma)),
    }


def test_the_bound_equals_its_definition():
    """Documents, sticks and topics, at a state that a step left."""
    rng = np.random.default_rng(0)
    K, V, eta = 3, 6, 0.4
    model = TopicModel(
        FranchisePrior(K, 0.7, 1.9, gamma_learned=False),
        ClosedVocabulary(V, eta),
        Franchise(50, 1e-9, keep_local=True, tables=2),
    )
    params = {**model.start(), **fields([2.0, 5.0, 0.3])}
    documents = [
        (np.array([0, 1, 5]), np.array([3.0, 1.0, 2.0])),
        (np.array([2, 3]), np.array([1.0, 4.0])),
        (np.empty(0, np.int64), np.empty(0)),
    ]
    counts = rng.gamma(0.5, 2.0, (V, K))
    shard = Shard(
        np.arange(3),
        Bags(
            np.array([0, 3, 5, 5]),
            np.array([0, 1, 5, 2, 3], np.int32),
            np.array([3, 1, 2, 1, 4], np.float32),
            np.zeros(3, np.float32),
        ),
        np.arange(V),
    )
    totals = model.words.totals(counts)
    view = model.expectations(params, counts, totals, None)
    local, stats = model.local_step(view, shard, None, 0)
    states = list(zip(local["sizes"].values, local["zeta"].values, strict=True))
    expected = oracle.bound(documents, states, [2.0, 5.0, 0.3], 0.7, 1.9, eta, (counts + eta).T)
    score = model.score(params, stats, totals, model.words.summary(params, counts, 0))
    assert score.kind == "bound"
    assert score.nats == pytest.approx(expected, rel=1e-6)
    served = sum(zeta.sum(0) for _, zeta in states)
    assert stats.usage["served"].values == pytest.approx(served, rel=1e-6)
    assert stats.usage["sticks"].values == sum((sizes > 0).sum() for sizes, _ in states)


@pytest.mark.parametrize(("alpha", "gamma", "tables"), [(0.8, 1.2, 3), (3.0, 0.5, 3), (0.8, 1.2, 1)])
def test_the_bound_is_below_the_evidence_by_enumeration(alpha, gamma, tables):
    """Over every seating and serving, topics without end."""
    documents = [(np.array([0, 1]), np.array([2.0, 1.0])), (np.array([1, 2]), np.array([1.0, 1.0]))]
    evidence = oracle.log_evidence(documents, alpha, gamma, 0.5, 3)
    X = np.array([[2, 1, 0], [0, 1, 1]])
    bounds = []
    for n_topics in (1, 2, 6):
        model = franchise(
            n_topics,
            alpha=alpha,
            concentration=gamma,
            eta=0.5,
            tables=tables,
            keep_local=True,
            doc_max_iter=300,
            doc_tol=1e-8,
            max_iter=80,
            tol=0.0,
        ).fit(X)
        bounds.append(model.bound_ * X.sum())
    assert bounds == sorted(bounds), "more topics never lower the best bound"
    assert evidence - 6.0 < bounds[-1] <= evidence  # mean field is loose here, not absurd


def test_evidence_sums_to_one():
    """The oracle itself: over every text of three tokens in two documents."""
    nats = []
    for text in np.ndindex(2, 2, 2):
        documents = [(np.array([w]), np.ones(1)) for w in text[:1]]
        words, counts = np.unique(text[1:], return_counts=True)
        documents.append((words, counts.astype(float)))
        nats.append(oracle.log_evidence(documents, 0.7, 1.3, 0.4, 2))
    assert np.exp(nats).sum() == pytest.approx(1.0)


def test_weights_and_score_are_those_of_random_sticks():
    """E[sigma] and E[log sigma] by drawing V; the largest topic's stick comes first."""
    slot, params = FranchisePrior(4), fields([3.0, 40.0, 0.0, 11.0])
    order, u, v = slot.sticks(params)
    assert order.tolist() == [1, 3, 0, 2]
    assert u == pytest.approx([41.0, 12.0, 4.0, 1.0])
    assert v == pytest.approx([1.9 + 14.0, 1.9 + 3.0, 1.9, 1.9])
    draws = np.random.default_rng(0).beta(u, v, (200_000, 4))
    shares = draws * np.cumprod(np.column_stack([np.ones(len(draws)), 1 - draws[:, :-1]]), axis=1)
    weights, logs = slot.weights(params), slot.log_weights(params)
    assert weights[order] == pytest.approx(shares.mean(0), rel=0.02)
    assert logs[order] == pytest.approx(np.log(shares).mean(0), abs=0.02)
    assert slot.prior(params) == pytest.approx(0.7 * weights)
    assert slot.rest(params) == pytest.approx(0.7 * (1.0 - weights.sum()))
    terms = Beta.logpdf(draws, 1.0, 1.9) - Beta.logpdf(draws, u, v)
    assert slot.score(params) == pytest.approx(terms.sum(1).mean() - 1.9, abs=0.02)  # and log p(gamma)


def test_topics_that_no_table_has_cost_nothing():
    few, many = FranchisePrior(2, gamma_learned=False), FranchisePrior(9, gamma_learned=False)
    served = fields([5.0, 3.0]), fields([5.0, 0.0, 3.0, *[0.0] * 6])
    assert many.score(served[1]) == pytest.approx(few.score(served[0]))


def test_learned_concentrations_are_maxima():
    rng = np.random.default_rng(1)
    for _ in range(10):
        tables = rng.gamma(0.3, 20.0, 12)
        best = _fit_gamma(tables, 1.0)
        found = oracle.stick_evidence(tables, best) - best
        for gamma in (0.1, 0.5, 1.0, 5.0, best * 0.98, best * 1.02):
            assert oracle.stick_evidence(tables, gamma) - gamma <= found + 1e-5
    slot, params = FranchisePrior(3), fields([1.0, 2.0, 3.0])
    sizes = [[4.0, 1.0], [9.0, 0.0], [2.0, 0.5]]
    behind = [oracle.sticks(each, 0.7)[2] for each in sizes]
    usage = {
        "served": Field(np.array([2.0, 2.0, 1.0]), ("topics",)),
        "sticks": Field(np.array(5.0)),
        "log_rests": Field(np.array(sum(behind))),
    }
    moved = slot.update(params, usage, 3.0, Step(0, 1.0, 1.0, 0.0))
    alpha = float(moved["alpha"].values)

    def value(a):
        return 5.0 * np.log(a) + (a - 1.0) * sum(behind)

    assert value(alpha) >= max(value(alpha * 0.99), value(alpha * 1.01), value(0.7))
    assert moved["tables"].values.tolist() == [2.0, 2.0, 1.0]
    half = slot.update(params, usage, 3.0, Step(0, 0.5, 4.0, 0.0))
    assert half["tables"].values.tolist() == [4.5, 5.0, 3.5], "blended: half of before, half of four times"
    fixed = FranchisePrior(3, alpha_learned=False, gamma_learned=False).update(
        params, usage, 3.0, Step(0, 1.0, 1.0, 0.0)
    )
    assert (fixed["alpha"].values, fixed["gamma"].values) == (0.7, 1.9)


@pytest.mark.parametrize("settings", [{}, {"schedule": Online(batch_size=150), "max_iter": 30}])
def test_more_topics_than_are_needed(settings):
    planted = plant_topics(n_documents=600, length=120, alpha=0.2, seed=3)
    model = franchise(12, **settings).fit(planted.counts)
    chosen, cosines = matched(model.topic_word_, planted.topics)
    assert cosines.min() > 0.95
    assert model.n_topics_ == len(model.alpha_) == len(model.topic_weights_) == len(model.components_)
    theta = model.transform(planted.counts)
    assert theta.sum(axis=1) == pytest.approx(np.ones(600))
    assert np.abs(theta[:, chosen] - planted.theta).mean() < 0.06
    assert 0 < model.topic_weights_.sum() < 1


def test_expected_shares_are_of_the_tokens_and_the_weights():
    """gamma = alpha E[sigma] + tokens, as under every other solver."""
    X = plant_topics(n_documents=50).counts
    model = franchise(max_iter=5, tol=0.0).fit(X)
    gamma = np.concatenate(
        [local["gamma"].values for local in model.learned_.infer_documents(Corpus.from_matrix(X).bags(0))]
    )
    assert gamma.sum(1) == pytest.approx(60.0 + model.alpha_.sum())
    assert model.alpha_ / model.params_["alpha"].values == pytest.approx(model.topic_weights_)


def test_one_table_a_document_is_a_mixture():
    """With one table all of a document's tokens have one topic."""
    X = plant_topics(n_documents=60, alpha=0.01).counts
    model = franchise(tables=1, alpha=1e-3, max_iter=20).fit(X)
    assert model.transform(X).max(axis=1) == pytest.approx(np.ones(60), abs=1e-3)


def test_a_stream_and_small_inputs():
    X = plant_topics(n_documents=90).counts
    model = franchise(8, schedule="online")
    for start in range(0, 90, 30):
        model.partial_fit(X[start : start + 30])
    assert model.transform(X).sum(axis=1) == pytest.approx(np.ones(90))
    assert franchise(max_iter=3, tol=0.0).fit([[1, 2]]).n_topics_ >= 1
    same = franchise(max_iter=20, tol=0.0).fit([[3, 1, 0]] * 20)
    assert same.transform([[3, 1, 0]]).sum() == pytest.approx(1.0)
    assert same.transform([[0, 0, 0]])[0] == pytest.approx(same.alpha_ / same.alpha_.sum())
    assert franchise(max_iter=2, tol=0.0).fit([[0.25, 0.5, 0.0], [0.0, 0.1, 2.5]]).n_topics_ >= 1
    with_empty = franchise(max_iter=5, tol=0.0).fit([[3, 1, 0], [0, 0, 0], [0, 2, 2]])
    assert np.isfinite(with_empty.bound_)


def test_parameters(tmp_path):
    X = [[1, 2], [2, 1]]
    for settings, told in [
        ({"representation": "restaurant"}, "representation='restaurant'"),
        ({"tables": 0}, "tables=0"),
        ({"inference": "hybrid"}, "representation='franchise' does not go with inference='hybrid'"),
        ({"inference": "gibbs"}, "there inference is 'mean-field'"),
        ({"alpha": "much"}, "alpha="),
    ]:
        with pytest.raises(UserError, match=told) as refused:
            HDP(5, **{"representation": "franchise", **settings}).fit(X)
        assert "\n" not in str(refused.value)
    model = franchise(3, tables=4, max_iter=3, tol=0.0).fit(X)
    model.save(tmp_path / "model")
    loaded = HDP.load(tmp_path / "model")
    assert (loaded.representation, loaded.tables) == ("franchise", 4)
    assert loaded.topic_weights_.tobytes() == model.topic_weights_.tobytes()


def test_as_lda_and_sampled_fold_in(tmp_path):
    X = plant_topics(n_documents=120).counts
    model = franchise(max_iter=30, tol=0.0).fit(X)
    lda = model.to_lda()
    assert lda.topic_word_ == pytest.approx(model.topic_word_)
    assert lda.alpha_ == pytest.approx(model.alpha_)
    assert np.abs(lda.transform(X) - model.transform(X)).mean() < 0.01
    lda.save(tmp_path / "lda")
    assert LDA.load(tmp_path / "lda").transform(X).tobytes() == lda.transform(X).tobytes()
    sampled = model.set_params(fold_in="sampled").transform(X)
    assert sampled.sum(axis=1) == pytest.approx(np.ones(120))
    assert np.abs(sampled - lda.transform(X)).mean() < 0.03


ONLINE = ("--schedule", "online", "--batch-size", 7)


@pytest.mark.parametrize("kind", [(), ("--keep-local",), ("--tables", 2, *ONLINE), ("--held-out", 0.2)])
def test_an_interrupted_run_goes_on_alike(cli, planted, tmp_path, monkeypatch, kind):
    options = (planted, *SMALL, "--representation", "franchise", *kind)
    options = (*options, "--iterations", 6, "--tol", 0, "--checkpoint-every", 0)
    cli("fit", "hdp", *options, "--out", tmp_path / "whole")
    path = tmp_path / "model"
    with monkeypatch.context() as patched:
        patched.setattr("stickbreaker.console.running.watcher", lambda: StopAfter(2))
        cli("fit", "hdp", *options, "--out", path, code=1)
    with pytest.raises(Interrupted):
        model_runs.resume(path, every=0, threads=2, watch=[StopAfter(1)])
    cli("resume", path, "--threads", 3)
    assert contents(path) == contents(tmp_path / "whole")
    settings = json.loads((path / "model.json").read_text())["settings"]
    assert settings["representation"] == "franchise"


def test_the_program_wants_tables_with_the_franchise_alone(cli, planted, tmp_path):
    told = cli("fit", "hdp", planted, *SMALL, "--tables", 3, "--out", tmp_path / "model", code=2).stderr
    assert "--tables needs --representation franchise" in told
    assert not (tmp_path / "model").exists()
