"""The exact chain: its stationary law, its hyperparameters, its snapshots."""

import numpy as np
import pytest
from tests.oracle import gibbs as oracle
from tests.tiers import sampled

from stickbreaker.core.errors import UserError
from stickbreaker.testing import ExactSamplerTests, chain_deviations
from stickbreaker.topics.model.priors.dirichlet import DirichletPrior
from stickbreaker.topics.model.samplers import gibbs
from stickbreaker.topics.model.samplers.gibbs import CollapsedGibbs
from stickbreaker.topics.model.samplers.tokens import TokensInOrder
from stickbreaker.topics.model.vocabularies.closed import ClosedVocabulary


@pytest.fixture(params=["lists", "all topics"])
def kernel(request, monkeypatch):
    """Both kernels, whatever the number of topics."""
    monkeypatch.setattr(gibbs, "FEW_TOPICS", 0 if request.param == "lists" else 10**6)


def tokens_of(words, lengths, n_words):
    return TokensInOrder(np.array(words, np.int32), np.cumsum([0, *lengths]).astype(np.int64), n_words)


def categories(rng, shares):
    """One draw from each row."""
    return (rng.random(len(shares))[:, None] > shares.cumsum(1)[:, :-1]).sum(1).astype(np.int32)


def drawn(seed, alpha, eta, lengths, n_words):
    """A corpus of the model itself, and its topics."""
    rng = np.random.default_rng(seed)
    full = np.broadcast_to(np.reshape(eta, (-1, 1)) if np.ndim(eta) == 1 else eta, (n_words, len(alpha)))
    beta = np.array([rng.dirichlet(column) for column in full.T])
    theta = rng.dirichlet(alpha, len(lengths))
    z = categories(rng, np.repeat(theta, lengths, axis=0))
    return tokens_of(categories(rng, beta[z]), lengths, n_words), z


def chain(tokens, z, alpha, eta, learned=False, symmetric=False, firsts=(0,), seed=1):
    documents = DirichletPrior(tuple(alpha), learned, symmetric)
    return CollapsedGibbs(tokens, z, documents, ClosedVocabulary(tokens.n_words, eta, learned, firsts), seed)


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("form", sampled(["number", "words", "words × topics", "two languages"], 1))
def test_long_run_averages_equal_the_posterior(form):
    firsts = (0, 1) if form == "two languages" else (0,)
    groups = np.array([0, 1, 1]) if form == "two languages" else np.zeros(3, int)
    words, lengths = [0, 0, 1, 2, 2, 1], [3, 0, 1, 2]
    documents = np.repeat(range(4), lengths)
    alpha, rng = np.array([0.3, 0.8]), np.random.default_rng(1)
    eta = {"number": 0.4, "words": rng.gamma(2.0, 0.3, 3)}.get(form, rng.gamma(2.0, 0.3, (3, 2)))
    full = np.broadcast_to(eta[:, None] if np.ndim(eta) == 1 else eta, (3, 2))

    def shares(z):
        n = np.zeros((3, 2))
        np.add.at(n, (words, z), 1)
        same = [z[0] == z[1], z[0] == z[3], z[4] == z[5]]
        return np.concatenate([((n + full) / (n + full).sum(0)).ravel(), z, same])

    expected = oracle.posterior_mean(words, documents, alpha, full, shares, groups)
    sampler = chain(tokens_of(words, lengths, 3), np.zeros(6, np.int32), alpha, eta, firsts=firsts)
    seen = []
    for number in range(6_000):
        sampler.sweep(number, 1)
        seen.append(shares(sampler.snapshot()["assignments"].astype(int)))
    assert chain_deviations(seen, expected).max() < 4.0


LENGTHS, ALPHA, WORDS = [5, 1, 3, 4], np.array([0.2, 1.0, 0.5]), 4
ETA = np.array([[0.1, 0.6, 0.4], [0.5, 0.2, 0.3], [1.0, 0.3, 0.2], [0.2, 0.4, 0.9]])


def moments(words, z):
    """Test functions of a corpus and its topics."""
    n_wk, n_dk = np.zeros((WORDS, 3)), np.zeros((4, 3))
    np.add.at(n_wk, (words, z), 1)
    np.add.at(n_dk, (np.repeat(range(4), LENGTHS), z), 1)
    squares = [(n_wk**2).sum(), (n_dk**2).sum(), (n_wk.sum(0) ** 2).sum(), (n_wk.sum(1) ** 2).sum()]
    return np.concatenate([n_wk.ravel(), n_dk[0] ** 2, n_wk.sum(0), n_wk.sum(1), squares])


@pytest.mark.usefixtures("kernel")
class TestCollapsedGibbs(ExactSamplerTests):
    """Forty documents in several blocks, all priors learned; Geweke's test with priors that stay."""

    @pytest.fixture(autouse=True)
    def blocks(self, monkeypatch):
        monkeypatch.setattr(gibbs, "BLOCK_TOKENS", 200)

    def sampler(self, seed):
        tokens, _ = self.corpus(40)
        return chain(tokens, np.zeros(len(tokens.words), np.int32), np.full(5, 0.2), 0.1, True, seed=seed)

    def another(self):
        tokens, z = self.corpus(39)
        return chain(tokens, z, np.full(5, 0.2), 0.1, learned=True)

    def corpus(self, documents):
        lengths = np.random.default_rng(0).integers(0, 30, documents)
        return drawn(5, np.full(5, 0.2), 0.1, lengths, 60)

    def log_joint(self, sampler):
        tokens, _ = self.corpus(40)
        state = sampler.snapshot()
        documents = np.repeat(range(40), np.diff(tokens.offsets))
        eta = np.full((60, 5), float(state["eta"]))
        return oracle.log_joint(tokens.words, documents, state["assignments"], state["alpha"], eta)

    def draw(self, generator):
        tokens, z = drawn(generator, ALPHA, ETA, LENGTHS, WORDS)
        return tokens, chain(tokens, z, ALPHA, ETA)

    def redraw(self, tokens, sampler, generator):
        z = sampler.snapshot()["assignments"].astype(np.int32)
        beta = np.array([generator.dirichlet(column) for column in (sampler.counts() + ETA).T])
        tokens = tokens._replace(words=categories(generator, beta[z]))
        return tokens, chain(tokens, z, ALPHA, ETA)

    def functions(self, tokens, sampler):
        return moments(tokens.words, sampler.snapshot()["assignments"])


@pytest.mark.parametrize("firsts", [(0,), (0, 2)])
@pytest.mark.parametrize("eta", [0.3, ETA[:, 0].copy(), ETA])
def test_score_is_log_p_of_words_and_topics(eta, firsts):
    tokens, z = drawn(3, ALPHA, 0.3 if np.isscalar(eta) else eta, [5, 0, 3, 7], WORDS)
    full = np.broadcast_to(eta[:, None] if np.ndim(eta) == 1 else eta, ETA.shape)
    documents = np.repeat(range(4), [5, 0, 3, 7])
    score = chain(tokens, z, ALPHA, eta, firsts=firsts).score()
    groups = np.repeat(range(len(firsts)), WORDS // len(firsts))
    expected = oracle.log_joint(tokens.words, documents, z, ALPHA, full, groups)
    assert score.nats == pytest.approx(expected, rel=1e-12)
    assert (score.tokens, score.kind) == (15.0, "joint")


@pytest.fixture(scope="module")
def corpus():
    alpha = np.array([0.1, 0.2, 0.4, 0.8, 1.5])
    return alpha, *drawn(5, alpha, 0.1, np.random.default_rng(0).integers(0, 90, 500), 60)


@pytest.mark.usefixtures("kernel")
def test_counts_are_kept(corpus):
    _, tokens, z = corpus
    sampler = chain(tokens, z, np.full(5, 0.1), 0.1)
    occurrences = np.bincount(tokens.words, minlength=tokens.n_words)
    for number in range(10):
        sampler.sweep(number, 1)
        assert (sampler.counts().sum(1) == occurrences).all()
        assert sampler.counts().min() >= 0
    assert not (sampler.snapshot()["assignments"] == z).all()


@pytest.mark.parametrize("symmetric", [False, True])
def test_learning_raises_the_score_and_recovers_what_was_planted(corpus, symmetric):
    alpha, tokens, z = corpus
    sampler = chain(tokens, z, np.full(5, 1.0), 1.0, learned=True, symmetric=symmetric)
    before = sampler.score().nats
    for _ in range(8):
        sampler.learn()
        assert sampler.score().nats >= before
        before = sampler.score().nats
    params = sampler.params()
    assert float(params["eta"].values) == pytest.approx(0.1, rel=0.25)
    if symmetric:
        assert len(set(params["alpha"].values)) == 1
    else:
        assert params["alpha"].values == pytest.approx(alpha, rel=0.2)


def test_small_is_laid_out_as_the_slots_lay_it_out():
    tokens, z = drawn(1, ALPHA, ETA, LENGTHS, WORDS)
    assert list(chain(tokens, z, ALPHA, ETA).params()) == ["alpha"]
    params = chain(tokens, z, ALPHA, 0.2).params()
    assert params["alpha"].axes == ("topics",)
    assert params["eta"].values.shape == ()


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize(("n_topics", "lengths"), [(1, [3, 0, 1]), (40, [1, 1, 1]), (4, []), (3, [0, 0])])
def test_corners(n_topics, lengths):
    tokens = tokens_of([6] * sum(lengths), lengths, 9)
    z = np.zeros(sum(lengths), np.int32)
    sampler = chain(tokens, z, np.full(n_topics, 0.1), 0.1, learned=True)
    for number in range(3):
        sampler.sweep(number, 2)
        sampler.learn()
    assert np.isfinite(sampler.score().nats)
    assert sampler.counts().sum() == sum(lengths)


def test_topics_of_another_corpus_are_refused(corpus):
    _, tokens, z = corpus
    with pytest.raises(UserError, match="tokens"):
        chain(tokens, z[1:], np.full(5, 0.1), 0.1)
    with pytest.raises(UserError, match="not one of the 3"):
        chain(tokens, z, np.full(3, 0.1), 0.1)
