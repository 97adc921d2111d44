"""The local step against the oracle, and the bound against brute force."""

import numpy as np
import pytest
from scipy.special import psi
from tests.oracle import lda as oracle
from tests.tiers import sampled

from stickbreaker.kernels.dirichlet import add_dirichlet_terms, add_rows, expected_log_weights
from stickbreaker.kernels.document_words import Words
from stickbreaker.topics.kernels.mean_field import Report, Rule, infer_documents

pytestmark = pytest.mark.kernels


def random_corpus(seed, n_documents=4, n_words=7, longest=5):
    rng = np.random.default_rng(seed)
    documents = []
    for _ in range(n_documents):
        words = np.sort(rng.choice(n_words, rng.integers(1, longest + 1), replace=False))
        documents.append((words, rng.integers(1, 4, len(words)).astype(float)))
    return documents


def packed(documents, lam):
    """Documents and topics (topics × words) as the kernel reads them."""
    offsets = np.cumsum([0] + [len(words) for words, _ in documents]).astype(np.int64)
    codes = np.concatenate([words for words, _ in documents]).astype(np.int32)
    counts = np.concatenate([counts for _, counts in documents]).astype(np.float32)
    n_words = lam.shape[1]
    weights, log_scale = np.empty((n_words, len(lam)), np.float32), np.empty(n_words)
    expected_log_weights(np.ascontiguousarray(lam.T), psi(lam.sum(1)), weights, log_scale)
    return Words(offsets, codes, counts, np.arange(n_words), weights, log_scale)


def run(documents, alpha, lam, rule, start=None):
    words = packed(documents, lam)
    n_topics = len(alpha)
    if start is None:
        start = np.array([alpha + counts.sum() / n_topics for _, counts in documents])
    report = Report(
        start.copy(),
        np.zeros((lam.shape[1], n_topics), np.float32),
        np.zeros(n_topics),
        np.zeros(len(documents)),
        np.zeros(len(documents), np.int64),
    )
    infer_documents(words, alpha[None, :], rule, report)
    return report


@pytest.mark.parametrize("seed", sampled(range(5), 2))
def test_gamma_statistics_and_log_theta_equal_the_oracle(seed):
    rng = np.random.default_rng(seed)
    documents = random_corpus(seed)
    alpha, lam = rng.gamma(1.0, 0.5, 3) + 0.05, rng.gamma(0.5, 1.0, (3, 7)) + 0.02
    report = run(documents, alpha, lam, Rule(6, 0.0))
    expected_counts, expected_log_theta = np.zeros((7, 3)), np.zeros(3)
    for d, (words, counts) in enumerate(documents):
        start = alpha + counts.sum() / 3
        gamma = oracle.infer(words, counts, alpha, lam, 6, start)
        assert report.gamma[d] == pytest.approx(gamma, rel=2e-4)
        exact = report.gamma[d]
        for w, n in zip(words, counts, strict=True):
            expected_counts[w] += n * oracle.phi_of(exact, lam, w)
        expected_log_theta += oracle.expected_log(exact)
    assert report.counts == pytest.approx(expected_counts, rel=1e-4, abs=1e-6)
    assert report.log_theta == pytest.approx(expected_log_theta, rel=1e-8)


@pytest.mark.parametrize("seed", sampled(range(5), 2))
def test_bound_equals_its_definition_term_by_term(seed):
    rng = np.random.default_rng(seed)
    documents = random_corpus(seed)
    alpha, eta, lam = rng.gamma(1.0, 0.5, 3) + 0.05, 0.3, rng.gamma(0.5, 1.0, (3, 7)) + 0.3
    report = run(documents, alpha, lam, Rule(20, 1e-6))
    log_gammas, expected, digammas = np.zeros((3, 3))
    counts = np.ascontiguousarray(lam.T - eta)
    add_dirichlet_terms(np.ascontiguousarray(lam.T), counts, log_gammas, expected, digammas)
    terms = log_gammas - expected
    assert digammas == pytest.approx(psi(lam).sum(1), rel=1e-9)
    table = -oracle.dirichlet_log_normaliser(np.full(7, eta)) * 3
    table += (terms + (lam.sum(1) - 7 * eta) * psi(lam.sum(1))).sum()
    table -= sum(np.real(oracle.gammaln(lam.sum(1))))
    expected = oracle.bound(documents, report.gamma, alpha, eta, lam)
    assert report.scores.sum() + table == pytest.approx(expected, rel=2e-6)


def test_bound_is_below_the_evidence_by_enumeration():
    documents = [(np.array([0, 1]), np.array([2.0, 1.0])), (np.array([1, 2]), np.array([1.0, 2.0]))]
    alpha, eta = np.array([0.4, 0.7]), 0.5
    lam = np.random.default_rng(3).gamma(5.0, 0.2, (2, 3)) + eta
    best = -np.inf
    for _ in range(60):
        report = run(documents, alpha, lam, Rule(100, 1e-7))
        best = oracle.bound(documents, report.gamma, alpha, eta, lam)
        lam = eta + report.counts.T
    evidence = oracle.log_evidence(documents, alpha, eta, 3)
    assert best <= evidence
    assert best > evidence - 2.0  # mean field is loose here, not absurd


def test_coordinate_ascent_never_lowers_the_exact_bound():
    documents = random_corpus(11, n_documents=8)
    rng = np.random.default_rng(1)
    alpha, eta, lam = np.array([0.2, 0.5, 0.3]), 0.1, rng.gamma(1.0, 1.0, (3, 7)) + 0.1
    start, bounds = None, []
    for _ in range(25):
        report = run(documents, alpha, lam, Rule(300, 1e-7), start)
        bounds.append(oracle.bound(documents, report.gamma, alpha, eta, lam))
        lam, start = eta + report.counts.T, report.gamma
    assert (np.diff(bounds) > -1e-6 * abs(bounds[-1])).all()


@pytest.mark.parametrize("tokens", [1.0, 3.0, 1e6])
def test_many_topics_and_tiny_alpha_stay_finite(tokens):
    """exp(psi(gamma)) underflows in single precision here unless it is shifted."""
    documents = [(np.array([0]), np.array([tokens])), (np.array([1, 2]), np.array([tokens, 1.0]))]
    lam = np.random.default_rng(0).gamma(1.0, 1.0, (600, 3)) + 1e-4
    alpha = np.full(600, 1e-4)
    report = run(documents, alpha, lam, Rule(50, 1e-3))
    for part in report:
        assert np.isfinite(part).all()
    assert report.gamma.sum(1) == pytest.approx([tokens + 0.06, tokens + 1.06], rel=1e-4)
    assert report.counts.sum() == pytest.approx(2 * tokens + 1, rel=1e-6)


def test_a_word_that_no_topic_has_is_shared_by_prior_alone():
    lam = np.full((2, 3), 1e-3)
    lam[:, 0] = [50.0, 60.0]
    report = run([(np.array([2]), np.array([4.0]))], np.array([0.5, 0.5]), lam, Rule(20, 1e-3))
    assert np.isfinite(report.scores).all()
    assert report.counts[2].sum() == pytest.approx(4.0)


@pytest.mark.parametrize("seed", sampled(range(3), 2))
def test_no_count_is_lost_to_rounding_even_of_light_words(seed):
    """A word of little weight whose only topic the rest of the document does not use."""
    rng = np.random.default_rng(seed)
    lam = np.full((10, 11), 0.01)
    lam[np.arange(10), np.arange(10)] = 300.0
    lam[9, 10] = 200.0
    documents = []
    for light in (0.02, 0.1, 1e-3):
        words = np.append(np.sort(rng.choice(9, 4, replace=False)), 10)
        documents.append((words, np.append(rng.integers(5, 30, 4).astype(float), light)))
    alpha = np.full(10, 0.01)
    report = run(documents, alpha, lam, Rule(50, 1e-3))
    tokens = np.array([counts.sum() for _, counts in documents])
    assert report.gamma.sum(1) - alpha.sum() == pytest.approx(tokens, rel=1e-5)
    assert report.counts.sum(1)[10] == pytest.approx(0.121, rel=1e-4)
    expected = [
        oracle.bound([d], [g], alpha, 0.01, lam) for d, g in zip(documents, report.gamma, strict=True)
    ]
    table = oracle.bound([], [], alpha, 0.01, lam)
    assert report.scores == pytest.approx(np.array(expected) - table, rel=1e-4)


def test_an_empty_document_gets_the_prior():
    words = packed([(np.array([0]), np.array([1.0]))], np.ones((2, 3)))
    words = words._replace(offsets=np.array([0, 0, 1]))
    report = Report(
        np.ones((2, 2)), np.zeros((3, 2), np.float32), np.zeros(2), np.zeros(2), np.zeros(2, np.int64)
    )
    infer_documents(words, np.array([[0.3, 0.6]]), Rule(10, 1e-3), report)
    assert report.gamma[0].tolist() == [0.3, 0.6]
    assert report.scores[0] == pytest.approx(0.0, abs=1e-12)


def test_weights_are_scaled_by_row_and_flushed():
    lam = np.random.default_rng(2).gamma(0.3, 1.0, (4, 50)) + 1e-2
    weights, log_scale = np.empty((50, 4), np.float32), np.empty(50)
    expected_log_weights(np.ascontiguousarray(lam.T), psi(lam.sum(1)), weights, log_scale)
    assert weights.max(axis=1).tolist() == [1.0] * 50
    exact = oracle.expected_log(lam).T
    seen = weights > 0
    rebuilt = np.log(weights, where=seen, out=np.full(weights.shape, -1e9, np.float32)) + log_scale[:, None]
    assert rebuilt[seen] == pytest.approx(exact[seen], rel=1e-5, abs=1e-5)
    assert (exact - log_scale[:, None])[~seen].max(initial=-99.0) < -29.9


def test_add_rows():
    target = np.zeros((4, 2))
    add_rows(target, np.array([2, 0, 2]), np.arange(6.0).reshape(3, 2), 1.0)
    assert target.tolist() == [[2.0, 3.0], [0.0, 0.0], [4.0, 6.0], [0.0, 0.0]]
