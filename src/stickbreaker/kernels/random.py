"""Random numbers inside compiled loops: xoroshiro128++ (Blackman & Vigna 2021), started from one key.

A document, a word or a chain has its own key (`core.random_streams.numbered_keys`), and so its own stream:
its draws depend neither on threads nor on the draws of others.
"""

import numpy as np
from numba import njit

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import PART

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)
TO_UNIT = 1.0 / 4503599627370496.0  # 2^-52: one bit less than a double holds, or 1.0 could come out


@kernel_part(**PART)
def _mixed(x):
    """Mix the bits of x as SplitMix64 does, so that consecutive numbers give unrelated values."""
    x = (x ^ (x >> np.uint64(30))) * FIRST
    x = (x ^ (x >> np.uint64(27))) * SECOND
    return x ^ (x >> np.uint64(31))


@njit(**PART)
def seeded(key, state_out):
    """Fill state_out (2, uint64): the state of a random stream that starts from a key (uint64)."""
    state_out[0] = _mixed(key + GOLDEN)
    state_out[1] = _mixed(key + GOLDEN + GOLDEN) | np.uint64(1)  # never all zero


@kernel_part(**PART)
def bits(state):
    """64 random bits; advances `state` (2, uint64)."""
    s0, s1 = state[0], state[1]
    x = s0 + s1
    result = ((x << np.uint64(17)) | (x >> np.uint64(47))) + s0
    s1 ^= s0
    state[0] = ((s0 << np.uint64(49)) | (s0 >> np.uint64(15))) ^ s1 ^ (s1 << np.uint64(21))
    state[1] = (s1 << np.uint64(28)) | (s1 >> np.uint64(36))
    return result


@njit(**PART)
def uniform(state):
    """A number in (0, 1), double precision; advances `state`."""
    return (np.float64(np.int64(bits(state) >> np.uint64(12))) + 0.5) * TO_UNIT
