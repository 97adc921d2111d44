"""Left-to-right evaluation of documents under fixed topics (Wallach et al. 2009), with sparse draws."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.math import OPTIONS, PART
from stickbreaker.kernels.random import seeded, uniform
from stickbreaker.kernels.sparse_topics import InUse, add_one, remove_one

BELOW_ONE = 1.0 - 2.0**-53


class Documents(NamedTuple):
    """Documents token by token, in the order in which the tokens are to be predicted."""

    offsets: NDArray[np.int64]  # documents + 1
    tokens: NDArray[np.int32]  # tokens: row of the weights
    keys: NDArray[np.uint64]  # documents: start of the random numbers


@njit(**PART)
def _prior_sums(weights, alpha, sums_out):
    """Running sums of alpha_k phi_kw over the topics, words × topics."""
    for w in range(len(weights)):
        total = 0.0
        for k in range(len(alpha)):
            total += alpha[k] * weights[w, k]
            sums_out[w, k] = total


@njit(**PART)
def _weigh(size, weights, w, used):
    """Sum of n_k phi_kw over the topics in use, for word w; leaves the running sums in `used`."""
    total = 0.0
    for j in range(size):
        total += used.counts[j] * weights[w, used.topics[j]]
        used.sums[j] = total
    return total


@njit(**PART)
def _choose(x, size, in_use, prior, w, used):
    """The topic at x in [0, in_use + prior's last): topics in use come first, then all by the prior."""
    if x < in_use:
        j = 0
        while j < size - 1 and used.sums[j] <= x:
            j += 1
        return used.topics[j]
    low, high = 0, prior.shape[1] - 1
    x = min(x - in_use, prior[w, high] * BELOW_ONE)  # rounding never reaches a topic without the word
    while low < high:
        middle = (low + high) // 2
        if prior[w, middle] > x:
            high = middle
        else:
            low = middle + 1
    return low


@njit(**PART)
def _run_particle(tokens, weights, prior, alpha_total, state, z, used, sums_out):
    """One particle from left to right: add p(w_n | z_<n) of each position to sums_out."""
    n_topics = weights.shape[1]
    size = 0
    used.places[:] = -1
    for n in range(len(tokens)):
        for i in range(n):
            w = tokens[i]
            size = remove_one(z[i], size, used)
            in_use = _weigh(size, weights, w, used)
            x = uniform(state) * (in_use + prior[w, n_topics - 1])
            z[i] = _choose(x, size, in_use, prior, w, used)
            size = add_one(z[i], size, used)
        w = tokens[n]
        in_use = _weigh(size, weights, w, used)
        total = in_use + prior[w, n_topics - 1]
        if total <= 0.0:  # no topic has the word: probability zero, whatever follows
            break
        sums_out[n] += total / (alpha_total + n)
        z[n] = _choose(uniform(state) * total, size, in_use, prior, w, used)
        size = add_one(z[n], size, used)


@njit(**OPTIONS)
def left_to_right(documents, weights, alpha, particles, sums_out):
    """Add to sums_out (tokens) the sum over the particles of p(w_n | w_<n, z_<n, phi, alpha).

    documents: Documents; weights (words × topics, double) phi; alpha (topics, double). Before each
    position every earlier topic of the particle is drawn anew, so time is quadratic in the tokens and
    follows the topics in use. From a word of probability zero on nothing is added. Algorithm 3 of Wallach,
    Murray, Salakhutdinov and Mimno (2009), one particle after the other, with the sum over the topics
    split into those in use and the prior (Yao et al. 2009).
    """
    n_topics = len(alpha)
    prior = np.empty(weights.shape)
    _prior_sums(weights, alpha, prior)
    alpha_total = 0.0
    for k in range(n_topics):
        alpha_total += alpha[k]
    used = InUse(
        np.empty(n_topics, np.int64), np.empty(n_topics), np.empty(n_topics, np.int64), np.empty(n_topics)
    )
    state = np.empty(2, np.uint64)
    for d in range(len(documents.keys)):
        start, stop = documents.offsets[d], documents.offsets[d + 1]
        tokens, sums = documents.tokens[start:stop], sums_out[start:stop]
        z = np.empty(stop - start, np.int64)
        seeded(documents.keys[d], state)
        for _ in range(particles):
            _run_particle(tokens, weights, prior, alpha_total, state, z, used, sums)
