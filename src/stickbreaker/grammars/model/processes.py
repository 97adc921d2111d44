"""Discounts and concentrations of adapted symbols' Pitman-Yor processes: sampled, or optimised for sticks."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, psi

from stickbreaker.core.records import AnyArray, Array

SHAPE, RATE = 1.0, 1e-3  # of the Gamma prior of a concentration: vague; a discount is uniform in [0, 1)
LEAST, MOST = 1e-9, 1.0 - 1e-9  # of a sampled discount
FEWEST, HIGHEST = 1e-9, 1e9  # of a sampled concentration
WIDTH = 1.0  # of a step out of a slice, on the log or logit scale
STEPS = 50  # out of a slice, at most
LOGARITHMS = -5.0, 16.0  # of an optimised concentration
LOGITS = -7.0, 4.0  # of an optimised discount
LARGE = 1e6  # from which on a difference of log gammas is computed by Stirling's series
STEEP = 1e10  # b / a from which on log gammas have too few digits for their difference


def log_gamma_ratio(high: AnyArray | float, low: AnyArray | float, difference: AnyArray | float) -> Array:
    """log gamma(high) - log gamma(low), also for large numbers; high = low + difference.

    The log gammas of large numbers have too few digits to be subtracted; for these, Stirling's series is
    subtracted term by term.

    >>> float(log_gamma_ratio(1e18 + 2.0, 1e18, 2.0))  # 2 log(1e18)
    82.89306334778564
    """
    high, low, difference = (np.asarray(x, np.float64) for x in (high, low, difference))
    large = low > LARGE
    above, below = np.where(large, high, 1.0), np.where(large, low, 1.0)
    stirling = (below - 0.5) * np.log1p(np.where(large, difference, 0.0) / below)
    stirling += difference * (np.log(above) - 1.0) + (1.0 / above - 1.0 / below) / 12.0
    exact = gammaln(np.where(large, 1.0, high)) - gammaln(np.where(large, 1.0, low))
    return np.where(large, stirling, exact)


def log_seating(discount: float, concentration: float, sizes: NDArray[np.int64]) -> float:
    """log p(seating) in nats of a restaurant with a Pitman-Yor process; a: discount, b: concentration.

    sizes[m]: the number of tables with m customers; in all T tables and C customers. p is

    prod_{t=1}^{T - 1} (b + a t) / prod_{c=1}^{C - 1} (b + c) prod_{tables of m} prod_{j=1}^{m - 1} (j - a).
    (Johnson, Griffiths & Goldwater 2007, equation 2.)

    >>> round(float(np.exp(log_seating(0.5, 1.0, np.array([0, 1, 1])))), 6)  # of 1, then 1 more, then 2
    0.125
    """
    n_tables, n = int(sizes.sum()), float(sizes @ np.arange(len(sizes)))
    if n_tables == 0:
        return 0.0
    a, b = discount, concentration
    if a * STEEP > b:
        nats = (n_tables - 1) * np.log(a)
        nats += float(log_gamma_ratio(b / a + n_tables, b / a + 1.0, n_tables - 1.0))
    elif a > 0.0:
        nats = np.log(b + a * np.arange(1, n_tables)).sum()
    else:
        nats = (n_tables - 1) * np.log(b)
    nats -= float(log_gamma_ratio(b + n, b + 1.0, n - 1.0))
    steps = np.arange(1, len(sizes))
    return float(nats + sizes[1:] @ (gammaln(steps - a) - gammaln(1.0 - a)))


def log_prior(concentration: float) -> float:
    """The log density of a concentration's Gamma prior; that of a discount is 0."""
    return float(
        SHAPE * np.log(RATE) - gammaln(SHAPE) + (SHAPE - 1) * np.log(concentration) - RATE * concentration
    )


def draw_process(
    discount: float, concentration: float, sizes: NDArray[np.int64], generator: np.random.Generator
) -> tuple[float, float]:
    """Resample a Pitman-Yor process's concentration, then its discount, given its seating.

    sizes[m]: the number of tables with m customers. Uses slice sampling of log concentration and of logit
    discount. Returns discount and concentration.
    """

    def of_concentration(x: float) -> float:
        b = float(np.exp(x))
        if not FEWEST < b < HIGHEST:
            return -np.inf
        return log_seating(discount, b, sizes) + log_prior(b) + x

    def of_discount(x: float) -> float:
        a = float(1.0 / (1.0 + np.exp(-x)))
        if not LEAST < a < MOST:
            return -np.inf
        return log_seating(a, concentration, sizes) + np.log(a) + np.log1p(-a)

    within = min(max(concentration, 2.0 * FEWEST), 0.5 * HIGHEST)
    concentration = float(np.exp(_slice(of_concentration, float(np.log(within)), generator)))
    inside = min(max(discount, 2.0 * LEAST), 1.0 - 2e-9)
    x = _slice(of_discount, float(np.log(inside) - np.log1p(-inside)), generator)
    return float(1.0 / (1.0 + np.exp(-x))), concentration


def _slice(log_density: Callable[[float], float], x: float, generator: np.random.Generator) -> float:
    """One step of slice sampling from x: the next value (Neal 2003: step out, then shrink)."""
    level = log_density(x) + np.log(generator.random())
    low = x - WIDTH * generator.random()
    high = low + WIDTH
    left = int(STEPS * generator.random())
    right = STEPS - 1 - left
    while left > 0 and log_density(low) > level:
        low, left = low - WIDTH, left - 1
    while right > 0 and log_density(high) > level:
        high, right = high + WIDTH, right - 1
    while True:
        drawn = low + (high - low) * generator.random()
        if log_density(drawn) > level:
            return drawn
        low, high = (drawn, high) if drawn < x else (low, drawn)


def predictive(a: float, b: float, uses: Array, tried: Array, fresh: float) -> float:
    """E[log p] in nats, summed over draws of trees, under stick-breaking weights of the remembered trees.

    a: concentration, b: discount. uses (trees, at least one, in the order of their sticks): the counts that
    define the posterior of the sticks; tried: how often each tree was drawn; fresh: how often a tree was
    drawn that is not remembered.
    """
    tails = np.cumsum(uses[::-1])[::-1]
    steps = 1.0 / (a + b * np.arange(1, len(uses)) + tails[1:])
    before = np.concatenate([[0.0], np.cumsum(steps)])
    logs = psi(1.0 - b + uses) - before
    rest = psi(a + b * len(uses)) - before[-1]
    return float(tried @ logs + fresh * rest - (tried.sum() + fresh) * psi(1.0 + a + tails[0]))


def best_process(
    score: Callable[[float, float], float], discount: float, concentration: float
) -> tuple[float, float]:
    """The discount and concentration that maximise a score, by a local search from the given values.

    score: takes concentration and discount, in this order. The search is within `LOGITS` and `LOGARITHMS`; if
    the given values are outside, the result may score lower than they do.
    """
    from scipy.optimize import minimize

    def turned(x: Array) -> float:
        return -score(float(np.exp(x[0])), float(1.0 / (1.0 + np.exp(-x[1]))))

    inside = min(max(discount, 0.01), 0.95)
    start = [np.log(max(concentration, 0.01)), np.log(inside / (1.0 - inside))]
    bounds = [LOGARITHMS, LOGITS]
    found = minimize(turned, np.clip(start, *np.transpose(bounds)), method="L-BFGS-B", bounds=bounds).x
    return float(1.0 / (1.0 + np.exp(-found[1]))), float(np.exp(found[0]))
