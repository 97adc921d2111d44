"""Turns expected counts of words into the weights that the local step multiplies by, and into terms of the
bound.
"""

import numpy as np
from numba import njit

from stickbreaker.kernels.math import OPTIONS, digamma64, exp64, exp_digamma_exponent64, log64, log_gamma64

FLUSH = 9.4e-14  # exp(-30): smaller weights become zero, since subnormal numbers make single precision slow


@njit(**OPTIONS)
def expected_log_weights(concentration, log_totals, weights_out, log_scale_out):
    """Fill weights_out with exp E[log beta] of words (Dirichlet), each row divided by its largest weight.

    concentration (words × topics, double): the Dirichlet parameters; log_totals (topics): psi of their column
    totals; weights_out (words × topics, single): in [0, 1], 0 below exp(-30); log_scale_out (words): the
    logarithm of what each row was divided by. Thesis of Zhai (2014), section 3.2.1 with exp E[log beta] where
    it prints E[beta]; Hoffman et al. (2010), eq. 5.
    """
    n_words, n_topics = concentration.shape
    row = np.empty(n_topics)
    for w in range(n_words):
        for k in range(n_topics):
            x = concentration[w, k]
            row[k] = exp_digamma_exponent64(x) - log_totals[k]
        shift = row[0] + log64(concentration[w, 0] + 6.0)
        for k in range(n_topics):
            shift = max(shift, row[k])
        largest = 0.0
        for k in range(n_topics):
            row[k] = (concentration[w, k] + 6.0) * exp64(row[k] - shift)
            largest = max(largest, row[k])
        log_scale_out[w] = shift + log64(largest)
        for k in range(n_topics):
            weight = row[k] / largest
            weights_out[w, k] = np.float32(weight if weight >= FLUSH else 0.0)


@njit(**OPTIONS)
def mean_weights(concentration, totals, weights_out, log_scale_out):
    """Fill weights_out with the MAP of beta (prior Dirichlet(1 + eta)), each row divided by its largest.

    concentration (words × topics, double): eta plus counts; totals (topics): their column sums; weights_out
    (words × topics, single): in [0, 1], 0 below exp(-30); log_scale_out (words): the logarithm of what each
    row was divided by. docs/models/point-topics.md derives it.
    """
    n_words, n_topics = concentration.shape
    for w in range(n_words):
        largest = 0.0
        for k in range(n_topics):
            largest = max(largest, concentration[w, k] / totals[k])
        log_scale_out[w] = log64(largest)
        for k in range(n_topics):
            weight = concentration[w, k] / totals[k] / largest
            weights_out[w, k] = np.float32(weight if weight >= FLUSH else 0.0)


@njit(**OPTIONS)
def add_dirichlet_terms(concentration, counts, log_gammas_out, expected_out, digammas_out):
    """Add to each output (topics) a sum over words: of log Gamma(c), of counts · psi(c), and of psi(c).

    concentration (c) and counts are words × topics. The bound and the optimum of eta (the prior's parameter)
    are computed from these sums.
    """
    n_words, n_topics = concentration.shape
    for w in range(n_words):
        for k in range(n_topics):
            x = concentration[w, k]
            psi = digamma64(x)
            log_gammas_out[k] += log_gamma64(x)
            expected_out[k] += counts[w, k] * psi
            digammas_out[k] += psi


@njit(**OPTIONS)
def add_log_gammas(concentration, sums_out):
    """Add to sums_out (topics) the sum of log Gamma(c) over words. concentration (c): topics × words."""
    for k in range(len(concentration)):
        total = 0.0
        for w in range(concentration.shape[1]):
            total += log_gamma64(concentration[k, w])
        sums_out[k] += total


@njit(**OPTIONS)
def add_bends(concentration, counts, prior, bends_out):
    """Add to bends_out (topics) the sum over words of prior × counts / concentration², which a step of a
    learned prior needs. concentration and counts: words × topics.
    """
    n_words, n_topics = concentration.shape
    for w in range(n_words):
        for k in range(n_topics):
            bends_out[k] += prior * counts[w, k] / (concentration[w, k] * concentration[w, k])


@njit(**OPTIONS)
def fill_digammas(values, out):
    """Fill out with psi of values, all of them above zero."""
    for i in range(len(values)):
        out[i] = digamma64(values[i])


@njit(**OPTIONS)
def add_rows(target_out, positions, values, factor):
    """Add factor × values[i] to the row target_out[positions[i]], for every i."""
    for i in range(len(positions)):
        w = positions[i]
        for k in range(values.shape[1]):
            target_out[w, k] += factor * values[i, k]


@njit(**OPTIONS)
def add_cells(target_out, positions, columns, times, factor):
    """Add factor × times[i] to the cell target_out[positions[i], columns[i]], for every i."""
    for i in range(len(positions)):
        target_out[positions[i], columns[i]] += factor * times[i]
