"""Normalisers of language models that are rescaled by unigrams (Gildea and Hofmann 1999): sums over all words
of p(word | context) times a ratio, which depends on the topics of the document.

They are computed context by context from the empty one on, since most words occur only in the shorter ones.
The excess of a word is its ratio - 1, so words without a ratio add nothing. The normaliser is 1 + the sum of
p times excess, also if unknown words are scored by their letters, since they have no ratio.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART, exp64, log64

LEAST = 1e-300  # smallest ratio whose logarithm is finite


class Words(NamedTuple):
    """The words that were seen after each context, by slot (a word in a context)."""

    first: NDArray[np.int64]  # restaurants + 1: the first slot of each
    of_slots: NDArray[np.int64]  # slots: their words


@njit(**OPTIONS)
def fill_excess(shares, lifts, words, exponent, excess_out):
    """Fill excess_out (steps × all words) with ratio - 1, where the ratio is (sum_k shares_k
    lifts_wk)^exponent.

    A step is a row of topic shares. shares (steps × topics): theta; lifts (words × topics): p(word | topic) /
    p(word); words: the numbers of these words; all other words have the ratio 1.
    """
    excess_out[:] = 1.0
    for i in range(len(words)):
        for t in range(len(shares)):
            ratio = 0.0
            for k in range(lifts.shape[1]):
                ratio += shares[t, k] * lifts[i, k]
            excess_out[t, words[i]] = max(ratio, LEAST)
    for t in range(len(shares)):
        row = excess_out[t]
        for w in range(len(row)):
            row[w] = exp64(exponent * log64(row[w])) - 1.0


@njit(**OPTIONS)
def sum_empty_context(excess, base, shares, sums_out):
    """Set sums_out (steps × samples) to the sum over words of excess × p(word | the empty context).

    A step is a row of topic shares. excess (steps × words): ratio - 1; base (words): G0; shares:
    `pitman_yor.Shares`, where slot w is word w.
    """
    for t in range(len(excess)):
        rest = 0.0
        for w in range(len(base)):
            rest += excess[t, w] * base[w]
        for s in range(sums_out.shape[1]):
            sums_out[t, s] = shares.left[0, s] * rest
        for w in range(len(base)):
            for s in range(sums_out.shape[1]):
                sums_out[t, s] += excess[t, w] * shares.seated[w, s]


@kernel_part(**PART)
def _lengthen(restaurant, excess, words, shares, sums):
    """Update sums over words of excess × p(word | context), one per sample, from a context to one that is one
    word longer.

    restaurant: of the longer context; excess (words): ratio - 1; words: the words seen after each context.
    """
    for s in range(len(sums)):
        sums[s] *= shares.left[restaurant, s]
    for slot in range(words.first[restaurant], words.first[restaurant + 1]):
        more = excess[words.of_slots[slot]]
        if more != 0.0:
            for s in range(len(sums)):
                sums[s] += more * shares.seated[slot, s]


@njit(**OPTIONS)
def sum_down_restaurants(restaurants, steps, excess, empty, words, shares, out):
    """Set out (places) to the sum over words of excess × p(word | context), averaged over samples, for the
    context at each place of a text.

    restaurants (places × depths): from `find_ways`; steps (places): for each place, the row of topic shares
    that applies, as a row of `excess` (steps × words) and of `empty` (steps × samples, from
    `sum_empty_context`); words: `Words`; shares: `pitman_yor.Shares`.
    """
    n_samples = empty.shape[1]
    sums = np.empty(n_samples)
    for i in range(len(steps)):
        row = excess[steps[i]]
        for s in range(n_samples):
            sums[s] = empty[steps[i], s]
        for d in range(1, restaurants.shape[1]):
            if restaurants[i, d] < 0:
                break
            _lengthen(restaurants[i, d], row, words, shares, sums)
        out[i] = sums.sum() / n_samples


@njit(**OPTIONS)
def sum_down_unbounded(restaurants, steps, excess, empty, words, shares, out):
    """Set out (places) to the sum over words of excess × p(word | the words before each place), averaged over
    samples, for contexts of any length.

    Like `sum_down_restaurants`, but summed over context lengths: at each restaurant but the last, the context
    ends there with the probability `shares.ends`.
    """
    n_samples = empty.shape[1]
    sums, going = np.empty(n_samples), np.empty(n_samples)
    for i in range(len(steps)):
        row, total, d = excess[steps[i]], 0.0, 0
        for s in range(n_samples):
            sums[s], going[s] = empty[steps[i], s], 1.0
        while d + 1 < restaurants.shape[1] and restaurants[i, d + 1] >= 0:
            for s in range(n_samples):
                stop = shares.ends[restaurants[i, d], s]
                total += going[s] * stop * sums[s]
                going[s] *= 1.0 - stop
            d += 1
            _lengthen(restaurants[i, d], row, words, shares, sums)
        for s in range(n_samples):
            total += going[s] * sums[s]
        out[i] = total / n_samples
