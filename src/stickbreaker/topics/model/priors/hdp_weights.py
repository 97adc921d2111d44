"""Estimation of topics' weights and the documents' concentration, from expectations over documents."""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import gammaln, psi

from stickbreaker.core.records import Array

FLOOR = 1e-12  # of a mass
ALPHA = (1e-3, 1e4)


class FittedWeights(NamedTuple):
    """The result of `fit_weights`: topics' weights, the last one for all unused topics together (topics + 1),
    and alpha.

    The weights (masses) sum to one.
    """

    masses: Array
    alpha: float


def objective(masses: Array, alpha: float, mean_log: Array, pull: float) -> float:
    """The part of the bound that depends on topics' weights and alpha, in nats per document.

    lnG(alpha) - sum lnG(alpha b_k) + sum alpha b_k E[log theta_k] + pull log b_rest. masses (topics + 1): b,
    the weights, the last for all unused topics; mean_log: E[log theta] averaged over documents. The last term
    is the sticks' prior, with pull = (gamma - 1) / D for D documents.
    """
    a = alpha * masses
    return float(gammaln(alpha) - gammaln(a).sum() + (a * mean_log).sum() + pull * np.log(masses[-1]))


def fit_weights(
    masses: Array, alpha: float, mean_log: Array, pull: float, alpha_learned: bool
) -> FittedWeights:
    """Maximise `objective` over topics' weights (masses) and alpha, by L-BFGS over their logarithms. Returns
    the given values if that does not improve them.

    masses, mean_log (topics + 1): present weights, the last for unused topics, and E[log theta] averaged over
    documents; pull: see `objective`; alpha stays as it is unless `alpha_learned`.
    """
    start = np.append(np.log(np.maximum(masses, FLOOR)), np.log(alpha))
    bounds = [(None, None)] * len(masses) + [tuple(np.log(ALPHA)) if alpha_learned else (start[-1],) * 2]

    def fall(point: Array) -> tuple[float, Array]:
        found, a = _from(point)
        slopes = a * (mean_log - psi(a * found))
        slopes[-1] += pull / found[-1]
        by_alpha = psi(a) + (found * (mean_log - psi(a * found))).sum()
        down = found * (slopes - (found * slopes).sum())
        return -objective(found, a, mean_log, pull), -np.append(down, a * by_alpha)

    best = minimize(fall, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 100})
    if not np.isfinite(best.fun) or best.fun > fall(start)[0]:
        return FittedWeights(masses, alpha)
    return FittedWeights(*_from(best.x))


def _from(point: Array) -> tuple[Array, float]:
    logits = point[:-1] - point[:-1].max()
    masses = np.maximum(np.exp(logits), FLOOR)
    return masses / masses.sum(), float(np.exp(point[-1]))
