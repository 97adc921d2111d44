"""Minka's fixed point over histograms, against its definition and planted values."""

import numpy as np
import pytest
from scipy.special import gammaln, psi

from stickbreaker.models.topics.dirichlet import FLOOR
from stickbreaker.models.topics.polya import (
    digamma_sums,
    fit_alpha,
    fit_eta,
    histogram,
    log_gamma_sum,
    polya_step,
)


def drawn(seed, alpha, n_documents=3_000, length=60):
    """Tokens by document and topic under Dirichlet-multinomials."""
    rng = np.random.default_rng(seed)
    return np.array([rng.multinomial(length, rng.dirichlet(alpha)) for _ in range(n_documents)])


def histograms(counts):
    d, k = np.nonzero(counts)
    lengths = counts.sum(1)
    return histogram(k, counts[d, k]), histogram(np.zeros(len(counts), np.int64), lengths)


def log_likelihood(counts, alpha):
    inner = (gammaln(counts + alpha) - gammaln(alpha)).sum()
    return inner + (gammaln(alpha.sum()) - gammaln(alpha.sum() + counts.sum(1))).sum()


def test_sums_equal_their_definitions():
    counts, alpha = drawn(0, np.array([0.3, 1.0, 2.0]), 50), np.array([0.2, 0.7, 3.0])
    topics, lengths = histograms(counts)
    assert digamma_sums(topics, alpha, 3) == pytest.approx((psi(counts + alpha) - psi(alpha)).sum(0))
    found = log_gamma_sum(topics, alpha, 3) - log_gamma_sum(lengths, alpha.sum(), 1)
    assert found == pytest.approx(log_likelihood(counts, alpha))


def test_sparse_keys_give_the_same_histogram():
    groups, counts = np.array([0, 900_000_000, 900_000_000]), np.array([2, 5, 5])
    seen = histogram(groups, counts)
    assert [a.tolist() for a in seen] == [[0, 900_000_000], [2, 5], [1, 2]]


@pytest.mark.parametrize("symmetric", [False, True])
def test_a_step_never_lowers_the_likelihood(symmetric):
    counts, alpha = drawn(1, np.array([0.1, 0.5, 2.0]), 200), np.full(3, 1.0)
    topics, lengths = histograms(counts)
    for _ in range(10):
        denominator = float(digamma_sums(lengths, alpha.sum(), 1)[0])
        updated = polya_step(alpha, digamma_sums(topics, alpha, 3), denominator, symmetric)
        assert log_likelihood(counts, updated) > log_likelihood(counts, alpha)
        alpha = updated
    assert (len(set(alpha)) == 1) == symmetric


def test_planted_alpha_is_recovered():
    planted = np.array([0.1, 0.3, 1.0, 2.0])
    topics, lengths = histograms(drawn(2, planted))
    alpha = np.ones(4)
    for _ in range(20):
        alpha = fit_alpha(alpha, topics, lengths, symmetric=False)
    assert alpha == pytest.approx(planted, rel=0.08)


def test_planted_symmetric_alpha_and_eta_are_recovered():
    counts = drawn(3, np.full(50, 0.2), 300, 500)
    topics, lengths = histograms(counts)
    alpha, eta = np.full(50, 1.0), 1.0
    cells = histogram(np.zeros((counts > 0).sum(), np.int64), counts[counts > 0])
    for _ in range(10):
        alpha = fit_alpha(alpha, topics, lengths, symmetric=True)
        eta = fit_eta(eta, 50, cells, lengths)
    assert alpha == pytest.approx(np.full(50, 0.2), rel=0.05)
    assert eta == pytest.approx(alpha[0], rel=1e-3)


def test_corners():
    nothing = histogram(np.zeros(0, np.int64), np.zeros(0, np.int64))
    alpha = np.array([0.5, 0.5])
    assert (fit_alpha(alpha, nothing, nothing, False) == alpha).all()
    topics, lengths = histograms(np.array([[3, 0], [1, 0]]))  # nobody has topic 1
    assert fit_alpha(alpha, topics, lengths, False)[1] == FLOOR
    topics, lengths = histograms(np.array([[3], [1]]))
    assert fit_alpha(np.array([0.7]), topics, lengths, False) == pytest.approx([0.7])
