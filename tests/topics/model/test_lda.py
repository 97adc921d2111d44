import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from tests.tiers import sampled

from stickbreaker import HDP, LDA, Corpus, Gibbs, Hybrid, Online, UserError
from stickbreaker.core.records import Field
from stickbreaker.learning.schedules import FRESH
from stickbreaker.testing import MeanFieldTests, ModelTests, VariationalTests, plant_topics
from stickbreaker.testing.estimators import new_run
from stickbreaker.testing.planted import matched
from stickbreaker.topics.model.vocabularies.closed import DRIFT, ClosedVocabulary


class TestMeanField(MeanFieldTests):
    def make(self, **settings):
        return LDA(n_topics=5, random_state=0, **settings)


class TestPointTopics(MeanFieldTests):
    def make(self, **settings):
        return LDA(n_topics=5, point_topics=True, random_state=0, **settings)


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


@pytest.mark.parametrize("inference", sampled(INFERENCES, 1))
def test_planted_asymmetric_alpha_is_recovered(inference):
    truth = np.array([0.8, 0.4, 0.2, 0.1, 0.05])
    planted = plant_topics(n_documents=1500, length=120, alpha=truth, seed=4)
    model = LDA(n_topics=5, inference=inference, random_state=1, max_iter=150, doc_max_iter=60).fit(
        planted.counts
    )
    chosen, cosines = matched(model.topic_word_, planted.topics)
    assert cosines.min() > 0.97
    rel, least = (0.3, 0.03) if inference == "hybrid" else (0.25, 0.025)  # its chains are short
    assert model.alpha_[chosen] == pytest.approx(truth, rel=rel, abs=least)


@pytest.mark.parametrize("eta", sampled([0.05, 0.1], 1))
def test_a_run_that_has_converged_has_its_eta(eta):
    """Ten times as many passes would not move it by a tenth."""
    data = plant_topics(n_documents=300, n_words=400, length=80, alpha=0.2, eta=eta, seed=1).counts
    settings = {"eta": "learned", "alpha": "learned", "random_state": 0, "n_jobs": 1}
    model = LDA(5, **settings).fit(data)
    assert model.converged_
    longer = LDA(5, max_iter=10 * model.n_iter_, tol=0.0, **settings).fit(data)
    assert model.eta_ == pytest.approx(longer.eta_, rel=0.1)
    assert model.eta_ == pytest.approx(eta, rel=0.25)


def test_eta_has_settled_when_it_hardly_moves_while_counts_are_replaced():
    """Its drift: all of a batch step's move; of small steps a sum in which moves fade as counts do."""
    words = ClosedVocabulary(30, 0.2, learned=True)
    counts = np.random.default_rng(0).dirichlet(np.full(30, 0.1), 3).T * 500.0
    start = words.start()
    assert not words.is_settled(start), "nothing is known of its moves"
    for rate in (1.0, 0.25):
        before = {**start, DRIFT: Field(np.array(0.4), (), additive=False)}
        summary = words.summary(before, counts, 0)
        after = words.update(before, words.totals(counts), summary, 3, rate)
        move = np.log(after["eta"].values / 0.2)
        assert abs(move) > 0.1
        assert after[DRIFT].values == pytest.approx((1.0 - rate) * 0.4 + move)
        assert not words.is_settled({**before, **after})
    params = dict(start)
    for _ in range(40):
        params |= words.update(params, words.totals(counts), words.summary(params, counts, 0), 3, 0.5)
    assert words.is_settled(params), "the counts have not changed for long"
    assert ClosedVocabulary(30, 0.2).is_settled(start)


def test_a_run_whose_eta_moves_on_says_so():
    """Passes of a small rate change the score little, and eta too, but steadily."""
    data = plant_topics(n_documents=300, length=40).counts
    settings = {"schedule": Online(batch_size=150), "max_iter": 40, "tol": 1e-3, "random_state": 1}
    assert LDA(5, eta=0.1, **settings).fit(data).converged_
    with pytest.warns(ConvergenceWarning, match="a learned prior still changes"):
        model = LDA(5, eta="learned", **settings).fit(data)
    assert not model.converged_
    assert not model.learned_.model.is_settled(model.params_, model.engine_.table.totals())


@pytest.mark.parametrize("inference", sampled(INFERENCES, 1))
def test_planted_eta_is_recovered(inference):
    planted = plant_topics(n_documents=800, length=150, eta=0.3, n_words=120, seed=2)
    model = LDA(n_topics=5, inference=inference, eta="learned", random_state=0, max_iter=120).fit(
        planted.counts
    )
    assert model.eta_ == pytest.approx(0.3, rel=0.25)


@pytest.mark.parametrize("inference", sampled(INFERENCES, 1))
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


def test_a_prior_is_learned_from_where_it_is_told_to_start():
    X = plant_topics(n_documents=60).counts
    settings = {"max_iter": 3, "tol": 0.0, "random_state": 0}
    same = LDA(5, alpha="learned:0.2", eta="learned:0.2", **settings).fit(X)
    assert (
        same.components_.tobytes()
        == LDA(5, alpha="learned", eta="learned", **settings).fit(X).components_.tobytes()
    )
    other = LDA(5, alpha="learned:2", eta="learned:0.7", **settings).fit(X)
    assert other.alpha_.sum() > 1.5 * same.alpha_.sum()
    assert other.eta_ > same.eta_
    assert np.ptp(LDA(5, alpha="learned-symmetric:2", **settings).fit(X).alpha_) == 0.0
    model = HDP(5, alpha="learned:3", concentration="learned:7", **settings)
    _, state = new_run(model, Corpus.from_matrix(X), 0)
    assert float(state.params["alpha"].values) == 3.0
    assert float(state.params["gamma"].values) == 7.0


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("learned:", "initial value"),
        ("learned:x", "initial value"),
        ("learned:0", "=0.0; [a-z]* is above 0 and at most 1,000,000"),
        ("learned:nan", "=nan; [a-z]* is above 0"),
        ("learn:1", "is a number"),
    ],
)
def test_a_start_that_makes_no_sense(value, told):
    for name in ("alpha", "eta"):
        with pytest.raises(UserError, match=told):
            LDA(2, **{name: value}).fit([[1, 2], [2, 1]])


@pytest.mark.parametrize("inference", ["hybrid", "gibbs", "gibbs-delayed"])
def test_fractional_weights_are_refused_before_anything_is_done(inference):
    X = [[0.5, 1.0], [2.0, 0.0]]
    with pytest.raises(UserError, match="whole"):
        LDA(n_topics=2, inference=inference).fit(X)
    with pytest.raises(UserError, match="whole"):
        LDA(n_topics=2, fold_in="sampled").fit(X)


def test_a_callback_ends_a_gibbs_run_with_a_score_and_a_sample():
    X = plant_topics(n_documents=60).counts
    for stop in (3, 17):
        model = LDA(
            5, inference=Gibbs(burn_in=10), random_state=0, callbacks=[lambda r, n=stop: r["step"] == n]
        ).fit(X)
        assert model.n_iter_ == stop
        scores = [record["score"] for record in model.trace_ if "score" in record]
        assert model.bound_ > scores[0], "of the last sweep, not of the first"
        assert (model.components_ - model.eta_).sum() == pytest.approx(X.sum())


def test_new_documents_are_inferred_as_the_parameter_says_now():
    X = plant_topics(n_documents=80).counts
    model = LDA(5, max_iter=3, tol=0.0, random_state=0).fit(X)
    by_formula = model.transform(X)
    drawn = model.set_params(fold_in="sampled").transform(X)
    assert not np.array_equal(drawn, by_formula)
    assert np.abs(drawn - by_formula).mean() < 0.05
    assert model.transform(X[::-1])[::-1].tobytes() == drawn.tobytes()
    assert model.set_params(fold_in="mean-field").transform(X).tobytes() == by_formula.tobytes()


def test_a_burn_in_without_a_sample_is_refused():
    with pytest.raises(UserError, match="leaves no sample"):
        LDA(2, inference=Gibbs(burn_in=50), max_iter=20).fit([[1, 2], [2, 1]])


@pytest.mark.parametrize(
    "make", [lambda: Gibbs(every=2.5), lambda: Gibbs(chains=2.0), lambda: Hybrid(samples="5")]
)
def test_settings_that_are_no_whole_numbers_are_refused(make):
    with pytest.raises(UserError, match="whole number"):
        make()


@pytest.mark.parametrize("alpha", [0.1, "learned"])
def test_a_memoised_run_never_falls_and_ends_where_batch_does(alpha):
    """Pass by pass, after the last fresh starts; with the same bytes for any number of threads."""
    X = plant_topics(n_documents=400).counts
    settings = {"alpha": alpha, "random_state": 0, "max_iter": 30, "tol": 0.0}
    runs = [LDA(5, schedule="memoised", n_jobs=n, **settings).fit(X) for n in (1, 2)]
    assert runs[0].components_.tobytes() == runs[1].components_.tobytes()
    scores = np.array([record["pass_score"] for record in runs[0].trace_ if "pass_score" in record])
    carried = scores[FRESH - 1 :]
    assert len(carried) == 11
    assert (np.diff(carried) > -1e-6 * np.abs(carried[1:])).all()
    batch = LDA(5, schedule="batch", **settings).fit(X)
    assert runs[0].bound_ == pytest.approx(batch.bound_, rel=2e-3)
