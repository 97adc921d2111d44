"""Levels that change from period to period by a random walk, estimated from means of unequal precision.

Means of few values vary by chance. If the level of a period is near those of its neighbours, they say what
the period's own values do not: how much is learned from the data (Durbin and Koopman 2012, chapter 2).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array

RATIOS = np.logspace(-7.0, 1.0, 49)  # variances of a walk's step tried, by the variance of a value
DIFFUSE = 1e4  # variance of the first level, before a value was seen, by the same


class Levels(NamedTuple):
    """The levels of a walk (periods × series), and their standard errors."""

    values: Array
    errors: Array


def walk_through(means: Array, counts: NDArray[np.integer], variances: Array) -> Levels:
    """The levels of series that walk at random, given means of some values in each period.

    level_t = level_t-1 + a step, mean_t = level_t + noise; the variance of the noise is that of a value
    divided by their number.

    means (periods × series): any number in periods without a value; counts (periods): how many values a mean
    is of; variances (series): of a single value. The variance of a step is chosen by likelihood from a grid,
    for each series; levels are those given all periods (Kalman filter and smoother).

    >>> found = walk_through(np.array([[0.2], [0.0], [0.2]]), np.array([100, 0, 100]), np.array([0.01]))
    >>> found.values.round(3).ravel().tolist(), bool(found.errors[1] > found.errors[0])
    ([0.2, 0.2, 0.2], True)
    """
    n_periods, n_series = means.shape
    scale = np.maximum(variances, 1e-12)
    nats = np.zeros((len(RATIOS), n_series))
    for place, ratio in enumerate(RATIOS):
        nats[place] = _filtered(means, counts, np.full(n_series, ratio), scale)[2]
    ratios = RATIOS[nats.argmax(axis=0)]
    levels, spreads, _ = _filtered(means, counts, ratios, scale)
    values, errors = levels.copy(), spreads.copy()
    for t in range(n_periods - 2, -1, -1):
        gain = spreads[t] / (spreads[t] + ratios)
        values[t] = levels[t] + gain * (values[t + 1] - levels[t])
        errors[t] = spreads[t] + gain**2 * (errors[t + 1] - spreads[t] - ratios)
    return Levels(values, np.sqrt(np.maximum(errors, 0.0) * scale))


def _filtered(
    means: Array, counts: NDArray[np.integer], ratios: Array, scale: Array
) -> tuple[Array, Array, Array]:
    """The level and its variance in each period (periods × series), given the periods up to it, and the log
    likelihood (series). Variances are in units of `scale`.
    """
    n_periods, n_series = means.shape
    levels, spreads, nats = np.zeros(means.shape), np.zeros(means.shape), np.zeros(n_series)
    first = int(np.flatnonzero(counts)[0])
    level, spread = means[first].copy(), np.full(n_series, DIFFUSE)
    for t in range(n_periods):
        if t > 0:
            spread = spread + ratios
        if counts[t] > 0:
            whole = spread + 1.0 / counts[t]
            error = means[t] - level
            if t > first:
                nats -= 0.5 * (np.log(whole) + error**2 / (whole * scale))
            gain = spread / whole
            level, spread = level + gain * error, spread * (1.0 - gain)
        levels[t], spreads[t] = level, spread
    return levels, spreads, nats
