"""How far a Markov chain's averages are from their expected values, in standard errors.

A sampler's test draws a long chain, computes a vector of test functions after every sweep, and checks that no
entry of `chain_deviations` or `geweke_deviations` is large: below 4, for example, for some tens of functions.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from stickbreaker.core.records import Array

TINY = 1e-12  # standard error of a function that never varies


def chain_deviations(draws: Sequence[ArrayLike], expected: ArrayLike, batches: int = 50) -> Array:
    """For each test function, |mean of a chain's draws - expected| in standard errors.

    `draws` (sweeps × functions) are the functions' values along one chain, `expected` (functions) their exact
    means, known by enumeration or from a grid. Draws that follow each other are correlated: the standard
    error comes from the means of consecutive `batches`, each much longer than the chain's correlation time.

    >>> draws = np.random.default_rng(0).normal(1.0, 2.0, (5_000, 1))
    >>> bool(chain_deviations(draws, [1.0])[0] < 4.0), bool(chain_deviations(draws, [1.5])[0] > 4.0)
    (True, True)
    """
    means = _batch_means(draws, batches)
    return np.abs(means.mean(0) - np.asarray(expected)) / (np.sqrt(means.var(0, ddof=1) / batches) + TINY)


def geweke_deviations(
    independent: Sequence[ArrayLike], chain: Sequence[ArrayLike], batches: int = 50
) -> Array:
    """How two ways to draw data and state together differ: |difference of means| in standard errors.

    The test is that of Geweke (2004). `independent` (draws × functions): test functions of draws from the
    prior, of a state and then of data given it. `chain` (sweeps × functions): of a chain that alternates one
    sweep of the sampler, given the data, and new data, given the state. Both have the same joint distribution
    if each sweep leaves the posterior invariant: an error in a conditional, a forgotten factor or a stale
    count moves some mean.

    >>> rng = np.random.default_rng(0)
    >>> prior = rng.normal(size=(4_000, 2))
    >>> bool(geweke_deviations(prior, rng.normal(size=(4_000, 2))).max() < 4.0)
    True
    >>> bool(geweke_deviations(prior, rng.normal(0.3, size=(4_000, 2))).max() > 4.0)
    True
    """
    first, means = np.asarray(independent, np.float64), _batch_means(chain, batches)
    error = np.sqrt(first.var(0) / len(first) + means.var(0, ddof=1) / batches) + TINY
    return np.abs(first.mean(0) - means.mean(0)) / error


def _batch_means(draws: Sequence[ArrayLike], batches: int) -> Array:
    """Means of consecutive stretches of a chain (batches × functions). draws: sweeps × functions."""
    return np.array([part.mean(0) for part in np.array_split(np.asarray(draws, np.float64), batches)])
