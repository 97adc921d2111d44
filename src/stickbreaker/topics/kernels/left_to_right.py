"""Left-to-right evaluation of documents (Wallach et al. 2009), by particles or by expected counts."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART
from stickbreaker.kernels.random import seeded, uniform
from stickbreaker.kernels.sparse_topics import InUse, add_one, remove_one

BELOW_ONE = 1.0 - 2.0**-53


class Documents(NamedTuple):
    """Documents as sequences of tokens, which are predicted in this order.

    `offsets` (documents + 1): first token of each; `tokens`: rows of the topics' weights; `keys` (documents):
    seeds of random numbers.
    """

    offsets: NDArray[np.int64]  # documents + 1
    tokens: NDArray[np.int32]  # tokens: row of the weights
    keys: NDArray[np.uint64]  # documents: seeds of random numbers


@kernel_part(**PART)
def _prior_sums(weights, alpha, sums_out):
    """Fill sums_out (words × topics) with the running sums over topics of alpha_k phi_kw, from which topics
    are drawn.
    """
    for w in range(len(weights)):
        total = 0.0
        for k in range(len(alpha)):
            total += alpha[k] * weights[w, k]
            sums_out[w, k] = total


@kernel_part(**PART)
def _weigh(size, weights, w, used):
    """The sum of n_k phi_kw for word w over the topics in use, which have tokens so far; fills used.sums with
    the running sums.
    """
    total = 0.0
    for j in range(size):
        total += used.counts[j] * weights[w, used.topics[j]]
        used.sums[j] = total
    return total


@njit(**PART)
def _choose(x, size, in_use, prior, w, used):
    """The topic that a random number x selects: the first one whose running sum is above x.

    The sums go first over the `size` topics in use, up to the total in_use (see `_weigh`), then over all
    topics by the prior of word w (see `_prior_sums`).
    """
    if x < in_use:
        j = 0
        while j < size - 1 and used.sums[j] <= x:
            j += 1
        return used.topics[j]
    low, high = 0, prior.shape[1] - 1
    x = min(x - in_use, prior[w, high] * BELOW_ONE)  # so that rounding never selects a topic without the word
    while low < high:
        middle = (low + high) // 2
        if prior[w, middle] > x:
            high = middle
        else:
            low = middle + 1
    return low


@kernel_part(**PART)
def _run_particle(tokens, weights, prior, alpha_total, state, z, used, sums_out):
    """Run a particle through a document from left to right, to estimate the probability of its words.

    Before each position n the topics of all earlier tokens are drawn again; then p(w_n | z_<n) is added to
    sums_out[n], and z_n is drawn. The run ends at a word that has probability zero in all topics. z, used:
    working memory; `state` of the random numbers advances.
    """
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
    """Add to sums_out (tokens) the sum over particles of p(w_n | w_<n, z_<n, phi, alpha), to score unseen
    documents.

    documents: Documents; weights (words × topics, double) phi; alpha (topics, double). Before each position,
    every earlier topic of the particle is redrawn, so time is quadratic in the tokens and depends on the
    topics in use. Nothing is added from a word of probability zero on. Algorithm 3 of Wallach, Murray,
    Salakhutdinov and Mimno (2009), one particle after the other, with the sum over the topics split into
    those in use and the prior (Yao et al. 2009).
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


class Orders(NamedTuple):
    """Documents as sequences of units, in the order of prediction.

    A unit is a token, or a part of a token or several tokens of the same word that are scored together.
    `offsets` (documents + 1): first unit of each; `entries` (units): the word, as an index among the
    document's distinct words; `sizes` (units): tokens. Document d has the distinct
    words[first_words[d]:first_words[d + 1]].
    """

    offsets: NDArray[np.int64]  # documents + 1: first unit of each
    entries: NDArray[np.int32]  # units: index among the document's distinct words
    sizes: NDArray[np.float64]  # units: tokens, 1 where counts are whole
    first_words: NDArray[np.int64]  # documents + 1: first distinct word of each
    words: NDArray[np.int32]  # distinct words of all documents: row of the topics


@kernel_part(**PART)
def _assign(size, word, topic_words, gamma, scale, assigned_out):
    """Divide `size` tokens of a word among topics in proportion to gamma_k phi_kw; fills assigned_out
    (topics).

    Returns p(word) = sum_k scale gamma_k phi_kw, where scale is 1 / sum of gamma.
    """
    for k in range(len(gamma)):
        assigned_out[k] = gamma[k] * scale * topic_words[word, k]
    total = 0.0  # a separate loop: tests/array_places.py
    for k in range(len(gamma)):
        total += assigned_out[k]
    if total > 0.0:
        for k in range(len(gamma)):
            assigned_out[k] *= size / total
    return total


@kernel_part(**PART)
def _revise(words, seen, topic_words, alpha, scale, assigned, gamma, without):
    """Divide the tokens of each word so far among topics again, given those of all other words: one round of
    CVB0.

    seen (words): tokens so far; assigned (words × topics), the tokens by topic, and gamma (topics), alpha
    plus their sums, are changed; without: working memory.
    """
    for u in range(len(words)):
        if seen[u] > 0.0:
            one = min(1.0, 1.0 / seen[u])  # the share of one token in the word's counts
            for k in range(len(gamma)):
                without[k] = max(gamma[k] - assigned[u, k] * one, alpha[k])
                gamma[k] = max(gamma[k] - assigned[u, k], alpha[k])
            _assign(seen[u], words[u], topic_words, without, scale, assigned[u])
            for k in range(len(gamma)):
                gamma[k] += assigned[u, k]


@kernel_part(**OPTIONS)
def _log_probability(entries, sizes, words, topic_words, alpha):
    """An estimate of log p of one document, in nats (see `log_probabilities`); -inf if no topic has one of
    its words.

    entries, sizes: of its units, as in `Orders`; words: the row of each distinct word.
    """
    n_topics = len(alpha)
    assigned, seen = np.zeros((len(words), n_topics)), np.zeros(len(words))
    gamma, without, share = alpha.copy(), np.empty(n_topics), np.empty(n_topics)
    total, nats, revised = alpha.sum(), 0.0, 2
    for n in range(len(entries)):
        if n == revised:
            _revise(words, seen, topic_words, alpha, 1.0 / total, assigned, gamma, without)
            revised = 2 * n
        u, size = entries[n], sizes[n]
        probability = _assign(size, words[u], topic_words, gamma, 1.0 / total, share)
        if probability <= 0.0:  # no topic has the word
            return -np.inf
        nats += size * np.log(probability)
        for k in range(n_topics):
            assigned[u, k] += share[k]
            gamma[k] += share[k]
        seen[u] += size
        total += size
    return nats


@njit(**OPTIONS)
def log_probabilities(orders, topic_words, alpha, nats_out):
    """Fill nats_out (documents) with an estimate of log p of each document, read from left to right; -inf if
    no topic has one of its words.

    It is the sum over units n (tokens of a word w) of size_n log(sum_k gamma_k phi_wk / sum_k gamma_k).
    orders: Orders; topic_words (words × topics, double) phi; alpha (topics, double). gamma is alpha plus the
    expected topic counts of the units before n: each is divided among topics in proportion to gamma_k phi_wk
    when it comes, and all are divided again, once, after 2, 4, 8, … units (CVB0: Asuncion, Welling, Smyth and
    Teh 2009), so that time is linear in the units. Given the words before it, the probabilities of the next
    word sum to one. This is the left-to-right scheme of Wallach, Murray, Salakhutdinov and Mimno (2009)
    without particles.
    """
    for d in range(len(nats_out)):
        start, stop = orders.offsets[d], orders.offsets[d + 1]
        words = orders.words[orders.first_words[d] : orders.first_words[d + 1]]
        nats_out[d] = _log_probability(
            orders.entries[start:stop], orders.sizes[start:stop], words, topic_words, alpha
        )
