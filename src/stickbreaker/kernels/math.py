"""Digamma, log gamma and exponentials in forms that compilers vectorise (no table, no library call).

Recurrence to a larger argument, then the asymptotic series (Abramowitz & Stegun 6.3.18, 6.1.40). The double
forms agree with the exact functions to 1e-10 relative, the single forms to 5e-6.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part

Bytes = NDArray[np.uint8]  # arguments of kernels that typed modules call
Integers = NDArray[np.integer]

OPTIONS = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"reassoc", "contract", "nsz", "arcp"},
}

# Functions that kernels call are compiled into their callers. If they stayed calls, the choice between
# several compiled copies would depend on whether the caller came from numba's cache, and so would the last
# digits.
PART = {**OPTIONS, "forceinline": True, "_nrt": False}

LOG2E = 1.4426950408889634
LN2_HIGH = 0.6931471803691238
LN2_LOW = 1.9082149292705877e-10
HALF_LOG_2PI = 0.9189385332046727


@kernel_part(**PART)
def copy_numbers(numbers, out):
    """Copy numbers: out[i] = numbers[i].

    For `out[:] = numbers`, numba would spend two seconds on compiling an error message about sizes.
    """
    for i in range(len(numbers)):
        out[i] = numbers[i]


@njit(**PART)
def exp64(x):
    """exp(x) in double for x at most 700; 0 below -700."""
    x = max(x, -700.0)
    n = np.floor(x * LOG2E + 0.5)
    r = (x - n * LN2_HIGH) - n * LN2_LOW
    p = 1.0 / 3628800.0
    p = p * r + 1.0 / 362880.0
    p = p * r + 1.0 / 40320.0
    p = p * r + 1.0 / 5040.0
    p = p * r + 1.0 / 720.0
    p = p * r + 1.0 / 120.0
    p = p * r + 1.0 / 24.0
    p = p * r + 1.0 / 6.0
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    power = np.int64((np.int64(n) + np.int64(1023)) << np.int64(52)).view(np.float64)
    return p * power if x > -700.0 else 0.0


@njit(**PART)
def exp32(x):
    """exp(x) in single for x at most 80; 0 below -80."""
    one = np.float32(1.0)
    x = max(x, np.float32(-80.0))
    n = np.floor(x * np.float32(LOG2E) + np.float32(0.5))
    r = x - n * np.float32(0.6931471805599453)
    p = np.float32(1.0 / 720.0)
    p = p * r + np.float32(1.0 / 120.0)
    p = p * r + np.float32(1.0 / 24.0)
    p = p * r + np.float32(1.0 / 6.0)
    p = p * r + np.float32(0.5)
    p = p * r + one
    p = p * r + one
    power = np.int32((np.int32(n) + np.int32(127)) << np.int32(23)).view(np.float32)
    return p * power if x > np.float32(-80.0) else np.float32(0.0)


@njit(**PART)
def log64(x):
    """Natural logarithm in double of a normal positive number."""
    bits = np.float64(x).view(np.int64)
    exponent = np.float64((bits >> np.int64(52)) - np.int64(1022))
    half = np.int64((bits & np.int64(0x000FFFFFFFFFFFFF)) | np.int64(0x3FE0000000000000)).view(np.float64)
    low = half < 0.7071067811865476
    m = half + half if low else half
    exponent = exponent - 1.0 if low else exponent
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    p = 1.0 / 19.0
    p = p * z + 1.0 / 17.0
    p = p * z + 1.0 / 15.0
    p = p * z + 1.0 / 13.0
    p = p * z + 1.0 / 11.0
    p = p * z + 1.0 / 9.0
    p = p * z + 1.0 / 7.0
    p = p * z + 1.0 / 5.0
    p = p * z + 1.0 / 3.0
    p = p * z + 1.0
    return exponent * LN2_HIGH + (2.0 * s * p + exponent * LN2_LOW)


@kernel_part(**PART)
def _recurrence64(x):
    """P = x (x + 1) … (x + 5) and its derivative P', since psi(x + 6) - psi(x) = P' / P."""
    a = x * (x + 5.0)
    b = a + 4.0
    c = a + 6.0
    slope = 2.0 * x + 5.0
    return a * b * c, slope * (b * c + a * c + a * b)


@kernel_part(**PART)
def _digamma_tail64(y):
    """psi(y) - log(y) for y of at least 6."""
    i = 1.0 / y
    z = i * i
    p = 1.0 / 132.0 - z * (691.0 / 32760.0)
    p = 1.0 / 240.0 - z * p
    p = 1.0 / 252.0 - z * p
    p = 1.0 / 120.0 - z * p
    p = 1.0 / 12.0 - z * p
    return -0.5 * i - z * p


@njit(**PART)
def digamma64(x):
    """psi(x) for x > 0."""
    product, derivative = _recurrence64(x)
    y = x + 6.0
    return log64(y) + _digamma_tail64(y) - derivative / product


@njit(**PART)
def trigamma64(x):
    """psi'(x) for x > 0."""
    total = 0.0
    for i in range(6):
        total += 1.0 / ((x + i) * (x + i))
    r = 1.0 / (x + 6.0)
    z = r * r
    p = 5.0 / 66.0
    p = p * z - 1.0 / 30.0
    p = p * z + 1.0 / 42.0
    p = p * z - 1.0 / 30.0
    p = p * z + 1.0 / 6.0
    return total + r + 0.5 * z + r * z * p


@njit(**PART)
def log_gamma64(x):
    """log Gamma(x) for x > 0."""
    product, _ = _recurrence64(x)
    y = x + 6.0
    i = 1.0 / y
    z = i * i
    p = 1.0 / 1188.0
    p = 1.0 / 1680.0 - z * p
    p = 1.0 / 1260.0 - z * p
    p = 1.0 / 360.0 - z * p
    p = 1.0 / 12.0 - z * p
    return (y - 0.5) * log64(y) - y + HALF_LOG_2PI + i * p - log64(product)


@njit(**PART)
def exp_digamma_exponent64(x):
    """e such that exp(psi(x)) = (x + 6) exp(e); it is about -1 / x near zero and never above zero."""
    product, derivative = _recurrence64(x)
    return _digamma_tail64(x + 6.0) - derivative / product


@njit(**PART)
def exp_digamma_exponent32(x):
    """e such that exp(psi(x)) = (x + 4) exp(e), in single precision, for x from 1e-30 to 1e9."""
    one = np.float32(1.0)
    a = x * (x + np.float32(3.0))
    b = a + np.float32(2.0)
    slope = np.float32(2.0) * x + np.float32(3.0)
    recurrence = slope * (a + b) / (a * b)
    i = one / (x + np.float32(4.0))
    z = i * i
    p = np.float32(1.0 / 12.0) - z * (np.float32(1.0 / 120.0) - z * np.float32(1.0 / 252.0))
    return -np.float32(0.5) * i - z * p - recurrence
