"""Logarithms of Gamma random numbers inside compiled loops: with tiny shapes, the numbers themselves would
underflow.
"""

import numpy as np

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import PART, log64
from stickbreaker.kernels.random import uniform

LEAST_SHAPE = 1e-300


@kernel_part(**PART)
def _normal(state):
    """A standard normal random number, by Marsaglia's polar method; advances `state` (`kernels.random`)."""
    while True:
        x, y = 2.0 * uniform(state) - 1.0, 2.0 * uniform(state) - 1.0
        r = x * x + y * y
        if 0.0 < r < 1.0:
            return x * np.sqrt(-2.0 * log64(r) / r)


@kernel_part(**PART)
def log_gamma_number(shape, state):
    """The logarithm of a Gamma(shape, 1) number (Marsaglia and Tsang 2000); advances `state`."""
    large = shape if shape >= 1.0 else shape + 1.0
    d = large - 1.0 / 3.0
    c = 1.0 / np.sqrt(9.0 * d)
    while True:
        x = _normal(state)
        v = 1.0 + c * x
        if v > 0.0:
            log_v = 3.0 * log64(v)
            if log64(uniform(state)) < 0.5 * x * x + d * (1.0 - v * v * v + log_v):
                break
    result = log64(d) + log_v
    return result if shape >= 1.0 else result + log64(uniform(state)) / max(shape, LEAST_SHAPE)
