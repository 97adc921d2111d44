"""The HDP's exact chain: its stationary law, its concentrations, its topics that come and go."""

import numpy as np
import pytest
from scipy.stats import gamma as gamma_law
from scipy.stats import kstest
from tests.oracle import hdp_gibbs as oracle
from tests.tiers import sampled
from tests.topics.model.test_gibbs import categories, tokens_of

from stickbreaker import HDP, Gibbs, UserError
from stickbreaker.testing import ExactSamplerTests, ModelTests, chain_deviations, plant_topics
from stickbreaker.testing.planted import matched
from stickbreaker.topics.kernels.samplers.gibbs import CHUNK
from stickbreaker.topics.model.priors.hdp import HDPPrior
from stickbreaker.topics.model.samplers import hdp_gibbs
from stickbreaker.topics.model.samplers.hdp_gibbs import DirectAssignment, draw_concentration
from stickbreaker.topics.model.vocabularies.closed import ClosedVocabulary


class TestGibbsHDP(ModelTests):
    passes = 150

    def make(self, **settings):
        return HDP(n_topics=5, inference="gibbs", random_state=0, **settings)


class TestGibbsHDPChains(TestGibbsHDP):
    def make(self, **settings):
        return HDP(n_topics=5, inference=Gibbs(chains=3), random_state=0, **settings)


def chain(tokens, z, n_topics=1, eta=0.4, alpha=None, gamma=None, eta_learned=False, firsts=(0,), seed=1):
    """A chain; concentrations without a number are learned."""
    documents = HDPPrior(n_topics, alpha or 1.0, gamma or 1.0, alpha is None, gamma is None)
    words = ClosedVocabulary(tokens.n_words, eta, eta_learned, firsts)
    return DirectAssignment(tokens, np.array(z, np.int32), documents, words, seed)


def topics_of(sampler):
    return sampler.snapshot()["assignments"].astype(np.int32)


@pytest.mark.long("6,000 sweeps, so that every state comes often enough")
@pytest.mark.parametrize("form", sampled(["number", "words", "two languages"], 1))
def test_long_run_shares_equal_the_posterior(form):
    words, lengths, documents = [0, 1, 0, 2, 0], [3, 2], [0, 0, 0, 1, 1]
    firsts, groups = ((0, 1), [0, 1, 1]) if form == "two languages" else ((0,), [0, 0, 0])
    eta = np.array([0.2, 0.7, 0.4]) if form == "words" else 0.3
    full = np.broadcast_to(eta, 3)
    expected = oracle.posterior(words, documents, 1.3, 0.8, full, groups)
    places = {topics: i for i, topics in enumerate(expected)}
    sampler = chain(tokens_of(words, lengths, 3), [0] * 5, 1, eta, alpha=1.3, gamma=0.8, firsts=firsts)
    seen = np.zeros((6_000, len(places)))
    for number in range(len(seen)):
        sampler.sweep(number, 1)
        seen[number, places[oracle.in_order_of_use(topics_of(sampler))]] = 1.0
    chances = np.array(list(expected.values()))
    common = chances * len(seen) > 20
    assert common.sum() > 12
    assert chain_deviations(seen[:, common], chances[common]).max() < 4.0
    assert chain_deviations(seen[:, ~common].sum(1), chances[~common].sum()).max() < 4.0


LENGTHS, ETA = [5, 1, 0, 3, 4], np.array([0.2, 0.6, 0.4, 0.9])


def moments(words, z, alpha, gamma):
    """Test functions of concentrations, topics and words that do not know topics' labels."""
    z = np.unique(z, return_inverse=True)[1]
    n_kw = np.zeros((z.max() + 1, len(ETA)))
    n_kd = np.zeros((z.max() + 1, len(LENGTHS)))
    np.add.at(n_kw, (z, words), 1)
    np.add.at(n_kd, (z, np.repeat(range(len(LENGTHS)), LENGTHS)), 1)
    sizes = n_kw.sum(1)
    concentrations = [alpha, gamma, np.sqrt(alpha), np.sqrt(gamma), alpha * gamma]
    counts = [len(n_kw), (sizes == 1).sum(), (sizes**2).sum(), (n_kw**2).sum(), (n_kd**2).sum()]
    same = [z[0] == z[1], z[0] == z[6], words[0] == words[1], words[0] == words[6]]
    return np.array([*concentrations, *counts, alpha * len(n_kw), gamma * len(n_kw), *same])


class TestDirectAssignment(ExactSamplerTests):
    """Planted topics in several blocks, which a chain from one topic must open; everything learned."""

    sweeps = 6_000

    @pytest.fixture(autouse=True)
    def blocks(self, monkeypatch):
        monkeypatch.setattr(hdp_gibbs, "BLOCK_TOKENS", 500)

    def sampler(self, seed):
        tokens = planted_tokens(60, 30)
        return chain(tokens, np.zeros(len(tokens.words)), eta=0.1, eta_learned=True, seed=seed)

    def another(self):
        tokens = planted_tokens(59, 30)
        return chain(tokens, np.zeros(len(tokens.words)), eta=0.1, eta_learned=True)

    def log_joint(self, sampler):
        assert sampler.figures()["topics"] > 3, "topics were born"
        state = sampler.snapshot()
        eta = np.full(300, float(state["eta"]))
        return log_joint(planted_tokens(60, 30), state, eta, [0] * 300) - float(state["gamma"])  # its prior

    def draw(self, generator):
        alpha, gamma = generator.gamma(1.0, 1.0, 2)
        words, z, tables = oracle.drawn(generator, LENGTHS, alpha, gamma, ETA)
        tokens = tokens_of(words, LENGTHS, len(ETA))
        sampler = chain(tokens, z, z.max() + 1, ETA)
        state = sampler.snapshot()
        masses = generator.dirichlet([*tables, gamma])  # beta, of topics in order of use and of the rest
        state["weights"][: len(tables)], state["rest"][0] = masses[:-1], masses[-1]
        sampler.restore({**state, "alpha": np.array(alpha), "gamma": np.array(gamma)})
        return tokens, sampler

    def redraw(self, tokens, sampler, generator):
        state = sampler.snapshot()
        z = state["assignments"].astype(np.int32)
        counts = np.zeros((z.max() + 1, len(ETA)))
        np.add.at(counts, (z, tokens.words), 1)
        phi = np.array([generator.dirichlet(row) for row in counts + ETA])
        tokens = tokens._replace(words=categories(generator, phi[z]))
        sampler = chain(tokens, z, z.max() + 1, ETA)
        sampler.restore(state)
        return tokens, sampler

    def functions(self, tokens, sampler):
        params = sampler.params()
        return moments(
            tokens.words, topics_of(sampler), *(float(params[n].values) for n in ("alpha", "gamma"))
        )


def test_concentrations_are_drawn_from_their_posterior():
    """A long chain over one concentration, against the density on a grid."""
    customers, tables = np.array([7, 1, 0, 12, 3]), 8
    grid = np.linspace(0.005, 30.0, 6_000)
    logs = tables * np.log(grid) - grid
    for n in customers:
        logs -= np.log(grid[:, None] + np.arange(n)).sum(1)
    density = np.exp(logs - logs.max())
    rng, value, seen = np.random.default_rng(0), 1.0, []
    for _ in range(20_000):
        value = draw_concentration(value, customers, tables, rng)
        seen.append([value, value**2, value < 1.0])
    expected = [np.average(f, weights=density) for f in (grid, grid**2, grid < 1.0)]
    assert chain_deviations(seen, expected).max() < 4.0


def test_without_documents_a_concentration_is_drawn_from_its_prior():
    rng = np.random.default_rng(0)
    seen = [draw_concentration(1.0, np.zeros(2, int), 0, rng) for _ in range(2_000)]
    assert kstest(seen, gamma_law(1.0).cdf).pvalue > 1e-3


@pytest.mark.parametrize("firsts", [(0,), (0, 2)])
def test_score_is_log_p_of_words_topics_and_weights(firsts):
    rng = np.random.default_rng(1)
    words, z, _ = oracle.drawn(rng, LENGTHS, 2.0, 1.5, ETA)
    tokens = tokens_of(words, LENGTHS, 4)
    sampler = chain(tokens, z, z.max() + 1, ETA, alpha=2.0, gamma=1.5, firsts=firsts)
    sampler.sweep(0, 1)
    groups = [0] * 4 if len(firsts) == 1 else [0, 0, 1, 1]
    score = sampler.score()
    assert score.nats == pytest.approx(log_joint(tokens, sampler.snapshot(), ETA, groups), rel=1e-12)
    assert (score.tokens, score.kind) == (13.0, "joint")


def log_joint(tokens, state, eta, groups):
    """log p(words, topics, weights) of a chain's snapshot, token by token."""
    z, weights, alpha = state["assignments"], state["weights"], float(state["alpha"])
    documents = np.repeat(range(len(tokens.offsets) - 1), np.diff(tokens.offsets))
    nats = oracle.log_words(tokens.words, z.tolist(), eta, groups)
    for i, d in enumerate(documents):
        before = documents[:i] == d
        nats += np.log((before & (z[:i] == z[i])).sum() + alpha * weights[z[i]]) - np.log(
            before.sum() + alpha
        )
    gamma, rest = float(state["gamma"]), float(state["rest"][0])
    nats += len(set(z.tolist())) * np.log(gamma) + (gamma - 1.0) * np.log(rest)
    return nats


def planted_tokens(n_documents, length):
    """Tokens of twelve planted topics."""
    planted = plant_topics(n_documents, n_topics=12, n_words=300, length=length, alpha=0.05, seed=2)
    counts = planted.counts.toarray().astype(int)
    words = np.concatenate([np.repeat(np.arange(300), row) for row in counts])
    return tokens_of(words, counts.sum(1), 300)


@pytest.fixture(scope="module")
def tokens():
    """Twelve planted topics, which a chain from one topic must open."""
    return planted_tokens(300, 80)


def test_topics_come_and_go_and_what_is_told_fits(tokens):
    """More topics than the first table has columns, then few again; numbers are never given twice."""
    sampler = chain(tokens, np.zeros(len(tokens.words)), eta=0.05, alpha=20.0, gamma=60.0)
    occurrences = np.bincount(tokens.words, minlength=tokens.n_words)
    widths, gone, present = [], set(), {0}
    for number in range(12):
        if number == 6:
            fewer = chain(tokens, np.zeros(len(tokens.words)), eta=0.05, alpha=0.2, gamma=0.2)
            fewer.restore({**sampler.snapshot(), "alpha": np.array(0.2), "gamma": np.array(0.2)})
            sampler = fewer
        sampler.sweep(number, 2)
        counts, params = sampler.counts(), sampler.params()
        ids = params["ids"].values
        assert (counts.sum(1) == occurrences).all()
        assert counts.sum(0).min() > 0
        assert counts.shape[1] == len(ids) == len(params["weights"].values)
        assert params["weights"].values.sum() + params["rest"].values == pytest.approx(1.0)
        assert (np.diff(ids) > 0).all()
        gone |= present - set(ids)
        present = set(ids)
        assert not gone & present
        widths.append(len(sampler.snapshot()["weights"]))
    assert widths[0] > CHUNK
    assert widths[-1] < max(widths)


@pytest.mark.slow
@pytest.mark.parametrize(("start", "sweeps"), [(1, 300), (20, 2_400)])
def test_planted_topics_and_their_number_are_found(start, sweeps):
    planted = plant_topics(n_documents=300, n_topics=8, length=80, alpha=0.3, seed=2)
    model = HDP(start, inference="gibbs", random_state=0, max_iter=sweeps, eta=0.05).fit(planted.counts)
    _, cosines = matched(model.topic_word_, planted.topics)
    assert cosines.min() > 0.97
    assert (model.topic_shares_ > 0.01).sum() == 8
    assert 8 <= model.n_topics_ <= 10, "a sample may have some topics of a few tokens"
    assert model.n_topics_ == len(model.alpha_) == len(model.topic_weights_) == len(model.components_)
    assert model.alpha_.sum() == pytest.approx(8 * 0.3, rel=0.2)
    assert 0.8 < model.topic_weights_.sum() < 1.0
    assert model.transform(planted.counts).sum(1) == pytest.approx(np.ones(300))


@pytest.mark.parametrize(("n_topics", "lengths"), [(1, [3, 0, 1]), (40, [1, 1, 1]), (4, []), (3, [0, 0])])
def test_corners(n_topics, lengths):
    tokens = tokens_of([6] * sum(lengths), lengths, 9)
    sampler = chain(tokens, np.zeros(sum(lengths)), n_topics, 0.1, eta_learned=True)
    params = sampler.params()
    assert params["weights"].values.sum() + params["rest"].values == pytest.approx(1.0)
    for number in range(5):
        sampler.sweep(number, 2)
        sampler.learn()
        assert np.isfinite(sampler.score().nats)
        assert sampler.counts().sum() == sum(lengths)
        assert sampler.counts().shape[1] >= 1


@pytest.mark.parametrize("X", [[[1, 2]], [[0, 0], [0, 1]], [[3, 1, 0]] * 20])
def test_small_inputs(X):
    model = HDP(3, inference="gibbs", random_state=0, max_iter=20).fit(X)
    assert model.n_topics_ >= 1
    assert model.transform(X).sum(1) == pytest.approx(np.ones(len(X)))


def test_what_cannot_be():
    X = [[1, 2], [2, 1]]
    with pytest.raises(UserError, match="new topics would have none"):
        HDP(2, inference="gibbs", eta=np.ones((2, 2))).fit(X)
    with pytest.raises(UserError, match="does not go with"):
        HDP(2, inference="gibbs-delayed").fit(X)
    with pytest.raises(UserError, match="tokens"):
        chain(tokens_of([1, 2], [2], 3), [0])
