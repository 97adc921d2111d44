"""Minka's fixed point over histograms, against its definition and planted values."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import gammaln, polygamma, psi
from tests.tiers import sampled

from stickbreaker.topics.model.priors.dirichlet_newton import (
    CEILING,
    FLOOR,
    fit_symmetric_dirichlet,
)
from stickbreaker.topics.model.priors.polya import (
    CellSums,
    PolyaSums,
    climb_eta,
    digamma_sums,
    fit_alpha,
    fit_eta,
    histogram,
    log_gamma_sum,
    polya_newton,
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
        eta = fit_eta(eta, np.array([50]), cells, lengths)
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


def sums_of(counts, alpha):
    total, lengths = alpha.sum(), counts.sum(1)
    return PolyaSums(
        (psi(counts + alpha) - psi(alpha)).sum(0),
        (polygamma(1, alpha) - polygamma(1, counts + alpha)).sum(0),
        float((psi(lengths + total) - psi(total)).sum()),
        float((polygamma(1, total) - polygamma(1, lengths + total)).sum()),
    )


@pytest.mark.parametrize("symmetric", [False, True])
def test_newton_steps_reach_the_maximum_quickly(symmetric):
    counts = drawn(7, np.array([0.8, 0.4, 0.2, 0.1, 0.05]), 1_000)
    alpha = np.full(5, 0.2)
    for _ in range(8):
        alpha = polya_newton(alpha, sums_of(counts, alpha), symmetric)
    best = log_likelihood(counts, alpha)
    steps = [np.full(5, 1e-3)] if symmetric else 1e-3 * np.eye(5)
    assert all(
        log_likelihood(counts, alpha + sign * step * alpha) < best for step in steps for sign in (-1, 1)
    )


def test_a_newton_step_is_that_of_the_full_hessian():
    counts, alpha = drawn(8, np.array([1.0, 0.5, 0.3]), 200), np.array([0.8, 0.5, 0.4])
    sums = sums_of(counts, alpha)
    hessian = sums.spread_bend - np.diag(sums.bends)
    wanted = alpha - np.linalg.solve(hessian, sums.gains - sums.spread)
    assert polya_newton(alpha, sums, False) == pytest.approx(wanted)


def test_a_symmetric_newton_step_is_that_of_the_likelihood_along_the_diagonal():
    """Its slope and curvature by differences."""
    counts, start, h = drawn(8, np.array([1.0, 0.5, 0.3]), 200), 0.6, 1e-3
    below, at, above = (log_likelihood(counts, np.full(3, start + shift)) for shift in (-h, 0.0, h))
    slope, curve = (above - below) / (2.0 * h), (above - 2.0 * at + below) / h**2
    assert curve < 0.0
    alpha = np.full(3, start)
    assert polya_newton(alpha, sums_of(counts, alpha), True) == pytest.approx(start - slope / curve, rel=1e-4)


def test_an_unused_topic_fades_and_the_others_go_on_as_without_it():
    counts = drawn(9, np.array([0.8, 0.4, 0.2]), 500)
    dead = np.column_stack([counts, np.zeros(500, int)])
    alpha = np.array([0.3, 0.3, 0.3, 0.2])
    for _ in range(12):
        before, alpha = alpha, polya_newton(alpha, sums_of(dead, alpha), False)
        assert alpha[3] == pytest.approx(max(FLOOR, before[3] / 3))
    alone = np.full(3, 0.3)
    for _ in range(12):
        alone = polya_newton(alone, sums_of(counts, alone), False)
    assert alpha[:3] == pytest.approx(alone, rel=1e-3)


# eta of a table of expected counts


def evidence_of(eta, counts, firsts=(0,)):
    """sum_k log B(eta + n_k) - log B(eta) of counts (words × topics), over groups of words."""
    nats = 0.0
    for group in np.split(counts, firsts[1:]):
        for column in group.T:
            nats += (gammaln(column + eta) - gammaln(eta)).sum()
            nats += gammaln(len(column) * eta) - gammaln(len(column) * eta + column.sum())
    return nats


def climbed(eta, counts, firsts=(0,)):
    """eta after one step, its sums by their definitions."""
    groups = np.split(counts, firsts[1:])
    cells = CellSums((psi(counts + eta) - psi(eta)).sum(), (eta * counts / (eta + counts) ** 2).sum())
    totals = np.array([group.sum(axis=0) for group in groups])
    return climb_eta(eta, np.array([len(group) for group in groups]), totals, cells)


def expected_counts(seed):
    """Counts (words × topics) of every size: many far below one, as mean-field documents give them."""
    rng = np.random.default_rng(seed)
    counts = rng.dirichlet(np.full(40, rng.choice([0.02, 0.3, 2.0])), 3).T * rng.choice([5.0, 300.0, 1e4])
    return counts + rng.choice([0.0, 1e-3, 0.2]) * rng.random(counts.shape)


@pytest.mark.parametrize("firsts", [(0,), (0, 15)])
@pytest.mark.parametrize("seed", sampled(range(12), 2))
def test_a_step_of_eta_never_lowers_the_evidence(seed, firsts):
    """From far below and far above; and it rests where the evidence is largest."""
    counts = expected_counts(seed)

    def fall(log_eta):
        return -evidence_of(np.exp(log_eta), counts, firsts)

    for start in (1e-4, 0.01, 0.3, 5.0, 200.0):
        after = climbed(start, counts, firsts)
        before, value = evidence_of(start, counts, firsts), evidence_of(after, counts, firsts)
        assert value >= before - 1e-9 * abs(before)
    best = minimize_scalar(fall, bounds=np.log([FLOOR, CEILING]), method="bounded", options={"xatol": 1e-10})
    if FLOOR * 1.01 < np.exp(best.x) < CEILING / 1.01:
        assert climbed(np.exp(best.x), counts, firsts) == pytest.approx(np.exp(best.x), rel=1e-4)


@pytest.mark.parametrize("truth", [0.01, 0.05])
def test_a_few_steps_of_eta_reach_the_maximum(truth):
    """With lambda held, as many go a part of the way only, the less of it the fewer words a topic has."""
    rng = np.random.default_rng(4)
    counts = rng.dirichlet(np.full(600, truth), 8).T * 4000.0
    eta = held = 0.125
    for _ in range(8):
        eta = climbed(eta, counts)
        log_beta = psi(held + counts) - psi(600 * held + counts.sum(axis=0))
        held = fit_symmetric_dirichlet(held, 600, 8, float(log_beta.sum()))
    best = minimize_scalar(lambda s: -evidence_of(np.exp(s), counts), bounds=(-9, 3), method="bounded").x
    assert np.log(eta) == pytest.approx(best, abs=0.02)
    assert abs(np.log(held) - best) > 5.0 * abs(np.log(eta) - best)


def test_eta_of_a_table_without_counts_stays():
    assert climbed(0.3, np.zeros((4, 2))) == 0.3
