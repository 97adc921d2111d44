"""Maximum-likelihood Dirichlet parameters, given expected logs of the draws."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, polygamma, psi

from stickbreaker.core.records import Array

FLOOR = 1e-5  # an empty topic's alpha would go to zero and never come back
CEILING = 1e4


def dirichlet_objective(alpha: Array, mean_log: Array) -> float:
    """The expected log density of Dirichlet(alpha) per document: lnG(sum a) - sum lnG(a_k) + sum (a_k - 1)
    m_k.

    mean_log (topics): m, the mean of E[log theta] over documents.
    """
    return float(gammaln(alpha.sum()) - gammaln(alpha).sum() + ((alpha - 1.0) * mean_log).sum())


def fit_dirichlet(alpha: Array, mean_log: Array, max_iter: int = 50, tol: float = 1e-8) -> Array:
    """The alpha (topics) that maximises `dirichlet_objective`, given the mean of E[log theta_k] over
    documents (topics).

    Newton's method with the diagonal-plus-rank-one Hessian, in O(topics) per step (Zhai 2014, eq. 3.1-3.3;
    Minka 2000). Eq. 3.2 is printed with the opposite sign; derived again, per document, H = psi'(sum a) -
    delta psi'(a_k), which is negative definite. Steps are halved until the objective rises.

    >>> fit_dirichlet(np.ones(2), psi(np.array([2.0, 3.0])) - psi(5.0)).round(3)
    array([2., 3.])
    """
    alpha = np.clip(alpha, FLOOR, CEILING)
    if len(alpha) == 1:  # theta is always 1, so that alpha does not matter
        return alpha
    value = dirichlet_objective(alpha, mean_log)
    for _ in range(max_iter):
        gradient = psi(alpha.sum()) - psi(alpha) + mean_log
        step = newton_direction(gradient, -polygamma(1, alpha), polygamma(1, alpha.sum()))
        alpha, gain = _climb(alpha, step, gradient, mean_log, value)
        value += gain
        if gain <= tol * (1.0 + abs(value)):
            break
    return alpha


def newton_direction(gradient: Array, diagonal: Array, constant: float) -> Array:
    """The Newton step for a Hessian that is a diagonal matrix plus a constant, without inverting it.

    -(diag(diagonal) + constant 1 1')^-1 gradient, by the Sherman-Morrison formula.
    """
    shared = (gradient / diagonal).sum() / (1.0 / constant + (1.0 / diagonal).sum())
    return -(gradient - shared) / diagonal


def _climb(alpha: Array, step: Array, gradient: Array, mean_log: Array, value: float) -> tuple[Array, float]:
    """alpha after a step that raises `dirichlet_objective`, found by halving the step (line search), and by
    how much it raises it; (alpha, 0) if no step does.

    It tries the direction `step`, then that of the gradient. value: the objective at alpha. A coordinate
    changes by at most a factor of five, which keeps it positive.
    """
    for direction in (step, alpha * gradient):
        for halvings in range(30):
            trial = np.clip(alpha + direction * 0.5**halvings, alpha / 5.0, alpha * 5.0)
            trial = np.clip(trial, FLOOR, CEILING)
            gain = dirichlet_objective(trial, mean_log) - value
            if gain > 0.0:
                return trial, gain
    return alpha, 0.0


def fit_symmetric_dirichlet(eta: float, sizes: NDArray[np.int64] | int, number: int, sum_log: float) -> float:
    """The parameter eta of symmetric Dirichlets that has the largest likelihood, given `sum_log`, the sum of
    E[log beta] over `number` draws and all words; between FLOOR and CEILING.

    `eta`: where to start; `sizes`: the number of words, or of each group of words with a distribution of its
    own. Newton's method on log eta maximises number × sum over sizes of (lnG(size eta) - size lnG(eta)) + eta
    sum_log.
    """
    sizes = np.atleast_1d(sizes)
    for _ in range(50):
        slope = number * (sizes * (psi(sizes * eta) - psi(eta))).sum() + sum_log
        curvature = number * (sizes * (sizes * polygamma(1, sizes * eta) - polygamma(1, eta))).sum()
        bend = eta * slope + eta * eta * curvature
        move = -eta * slope / bend if bend < 0.0 else np.sign(slope)
        updated = float(np.clip(eta * np.exp(np.clip(move, -1.0, 1.0)), FLOOR, CEILING))
        if abs(updated - eta) <= 1e-9 * eta:
            return updated
        eta = updated
    return eta
