"""Compiled loops of the printed inference; letters as in `syntax_printed.py`."""

from typing import NamedTuple

import numpy as np
from numba import njit

from stickbreaker.core.records import Array
from stickbreaker.kernels.math import OPTIONS, digamma64, exp64, log64, log_gamma64, trigamma64


class Expected(NamedTuple):
    """What documents are inferred from: logarithms' and plain expectations of pi, and of beta."""

    log_pi: Array  # topics + 1 × topics
    mean_pi: Array
    log_beta: Array  # words × topics


class Counts(NamedTuple):
    """Sums over documents under q."""

    topics: Array  # documents × topics: expected words of each topic
    slack: Array  # documents × topics + 1: s
    transitions: Array  # topics + 1 × topics: expected words by the head's topic and their own
    words: Array  # words × topics
    rest: Array  # (1,) entropy of phi, less the sum of log omega - 1


def new_counts(documents: int, k: int, words: int) -> Counts:
    """Room for sums."""
    return Counts(
        np.zeros((documents, k)), np.zeros((documents, k + 1)), np.zeros((k + 1, k)),
        np.zeros((words, k)), np.zeros(1),
    )  # fmt: skip


@njit(**OPTIONS)
def update_words(words, heads, log_theta, x, expected, below, phi, omega):
    """Equation 3 for each word of a document in turn, heads first, then omega; x_j = sum_i E[theta_i pi_ji].

    below (words × topics) is room for the sum of phi over the words below each.
    """
    k = phi.shape[1]
    below[:] = 0.0
    pulls = np.zeros(len(words))
    for n in range(len(words)):
        if heads[n] >= 0:
            below[heads[n]] += phi[n]
            pulls[heads[n]] += 1.0 / omega[n]
    logs = np.empty(k)
    for n in range(len(words)):
        head, most = heads[n], -np.inf
        for i in range(k):
            logs[i] = log_theta[i] - pulls[n] * x[i]
            for j in range(k):
                logs[i] += below[n, j] * expected.log_pi[i, j]
            if words[n] >= 0:
                logs[i] += expected.log_beta[words[n], i]
            if head < 0:
                logs[i] += expected.log_pi[k, i]
        if head >= 0:
            for j in range(k):
                share = phi[head, j]
                for i in range(k):
                    logs[i] += share * expected.log_pi[j, i]
            below[head] -= phi[n]
        total = 0.0
        for i in range(k):
            most = max(most, logs[i])
        for i in range(k):
            phi[n, i] = exp64(logs[i] - most)
            total += phi[n, i]
        phi[n] /= total
        if head >= 0:
            below[head] += phi[n]
    for n in range(len(words)):
        omega[n] = x[k] if heads[n] < 0 else (phi[heads[n]] * x[:k]).sum()


@njit(**OPTIONS)
def count_words(words, heads, d, phi, omega, counts):
    """Add a document's words to the sums."""
    k = phi.shape[1]
    counts.topics[d], counts.slack[d] = 0.0, 0.0
    for n in range(len(words)):
        head, word = heads[n], words[n]
        counts.topics[d] += phi[n]
        counts.rest[0] += 1.0 - log64(omega[n])
        for i in range(k):
            if phi[n, i] > 0.0:
                counts.rest[0] -= phi[n, i] * log64(phi[n, i])
        if head < 0:
            counts.slack[d, k] += 1.0 / omega[n]
            counts.transitions[k] += phi[n]
        else:
            for j in range(k):
                counts.slack[d, j] += phi[head, j] / omega[n]
                for i in range(k):
                    counts.transitions[j, i] += phi[head, j] * phi[n, i]
        if word >= 0:
            counts.words[word] += phi[n]


@njit(**OPTIONS)
def share_part(logs, c, b, slope_out):
    """Minus the part of the bound that `syntax_printed.py` describes, and its slope in log x.

    The slope in x is that of equations 4 and 5: the sums that leave one out leave out i, and the denominator
    is that of x itself.
    """
    k, total, excess, sum_b = len(logs), 0.0, 0.0, 0.0
    x = np.empty(k)
    for i in range(k):
        x[i] = exp64(logs[i])
        total += x[i]
        excess += c[i] - x[i]
        sum_b += b[i] * x[i]
    psi_total, slope_total = digamma64(total), trigamma64(total)
    value = -log_gamma64(total) - sum_b / total
    for i in range(k):
        value += (c[i] - x[i]) * (digamma64(x[i]) - psi_total) + log_gamma64(x[i])
        others = b[i] * (total - x[i]) - (sum_b - b[i] * x[i])
        slope = trigamma64(x[i]) * (c[i] - x[i]) - slope_total * excess - others / (total * total)
        slope_out[i] = -slope * x[i]
    return -value
