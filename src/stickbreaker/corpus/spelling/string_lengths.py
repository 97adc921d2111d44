"""The distribution of words' lengths, zeta, in the character model (Zhai 2014, section 7.2.1)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array


class Lengths(NamedTuple):
    """The log probability of each word length, log zeta: a table up to the longest, then a geometric tail."""

    log_p: Array  # lengths
    log_tail: float  # for length 1, extrapolated from the tail
    log_decay: float  # from one length to the next

    def log_probability(self, lengths: NDArray[np.int64]) -> Array:
        """log zeta of each of these lengths (from 1 up), in nats; always finite."""
        known = self.log_p[np.minimum(lengths, len(self.log_p)) - 1]
        return np.where(lengths <= len(self.log_p), known, self.log_tail + (lengths - 1) * self.log_decay)


def lengths_of(sizes: NDArray[np.int64], times: Array) -> Lengths:
    """Estimate zeta, the distribution of word lengths, from how often each length occurs; smoothed.

    sizes, times (words): each word's number of letters, and how often it occurs.

    >>> zeta = lengths_of(np.array([2, 2, 2]), np.ones(3))
    >>> np.exp(zeta.log_probability(np.array([1, 2, 3]))).round(3).tolist()
    [0.083, 0.806, 0.037]
    """
    counts = np.bincount(sizes - 1, times).astype(np.float64)
    return _smoothed(counts, int(np.count_nonzero(counts)))


def nearest_lengths(sizes: NDArray[np.int64], times: Array, log_letters: Array) -> Lengths:
    """Estimate zeta, the distribution of word lengths, by `least_squares`; smoothed as in `lengths_of`.

    sizes, times (words): length and count of each; log_letters (words): log probability of its letters, in
    nats.
    """
    shares = least_squares(sizes, times / times.sum(), log_letters)
    return _smoothed(shares * times.sum(), len(np.unique(sizes)))


def _smoothed(counts: Array, n_lengths: int) -> Lengths:
    """zeta from the total counts of words of length 1, 2, …, interpolated with a geometric distribution.

    The geometric distribution has the weight n_lengths / (total + n_lengths), with n_lengths the number of
    distinct lengths (Witten and Bell 1991). Its mean is one above the mean length, so that there is a tail
    even if all words have one letter.
    """
    lengths, total = np.arange(1, len(counts) + 1), counts.sum()
    mean = (lengths * counts).sum() / total
    log_tail = np.log(n_lengths) - np.log(total + n_lengths) - np.log1p(mean)
    log_decay = np.log(mean) - np.log1p(mean)
    with np.errstate(divide="ignore"):  # lengths without a count
        seen = np.log(counts) - np.log(total + n_lengths)
    log_p = np.logaddexp(seen, log_tail + (lengths - 1) * log_decay)
    return Lengths(log_p, float(log_tail), float(log_decay))


def least_squares(sizes: NDArray[np.int64], p: Array, log_letters: Array) -> Array:
    """The zeta >= 0 (by length from 1 to the longest, sum 1) that is nearest to the words' own probabilities.

    argmin of the sum over words of (p - zeta[length] c)²; for each word, sizes is its length, p its share of
    all word counts (sum 1), log_letters the log of c, the probability of its letters. Zhai (2014), section
    7.2.1. The constraint zeta >= 0 is not printed there; without it, values reach ±1e12. Lengths without
    words have zeta 0.

    The sum is one parabola per length, a zeta² - 2 b zeta, so the answer is max(0, b - level) / a: the level
    falls from the largest b until zeta sums to one. Steps are computed in logarithms, since c² underflows.
    """
    log_a, log_b = np.full((2, int(sizes.max())), -np.inf)
    np.logaddexp.at(log_a, sizes - 1, 2.0 * log_letters)
    np.logaddexp.at(log_b, sizes - 1, np.log(p) + log_letters)
    order = np.argsort(-log_b, kind="stable")[: len(np.unique(sizes))]
    below = np.append(log_b[order[1:]], -np.inf)
    with np.errstate(divide="ignore"):  # two that are equal
        log_steps = log_b[order] + np.log(-np.expm1(below - log_b[order]))
    log_steps[-1] = np.inf  # the level may fall below zero
    zeta, missing, log_room = np.zeros(len(log_a)), 1.0, -np.inf
    for place, at in enumerate(order):
        taking = order[: place + 1]
        log_room = np.logaddexp(log_room, -log_a[at])  # what zeta gains as the level falls by one
        added = missing * np.exp(min(log_steps[place] + log_room - np.log(missing), 0.0))
        zeta[taking] += added * np.exp(-log_a[taking] - log_room)
        missing -= added
        if missing <= 0.0:
            break
    return zeta / zeta.sum()
