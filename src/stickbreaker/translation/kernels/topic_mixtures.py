"""Backoff models of documents: the n-grams of topics, mixed by a document's topic shares."""

import numpy as np
from numba import njit

from stickbreaker.ngrams.kernels.backoff_trigrams import EXACT

LEAST = 1e-37  # p of what never occurs
LEAST_LEFT = 1e-9  # of the probability left to other words


@njit(**EXACT)
def mix_topics(keys, n_words, shorter, topics, shares, log_p_out, back_off_out):
    """Fill log_p_out and back_off_out (nodes) with the backoff model of a document, by its topic shares.

    A node is an n-gram, node 0 the empty one (`BackoffArrays`); shorter (nodes): its longest proper suffix.
    An n-gram, a word w after a context u, has p(w | u) = outside + sum_k shares_k inside_k. The backoff
    weight of u is the probability that its n-grams leave to other words, divided by the probability of these
    words after the shorter context u', as in SRILM's static mixtures (Stolcke 2002):

        (1 - sum_w p(w | u)) / (1 - sum_w p(w | u'))

    keys (n-grams of two words or more): node of the context · n_words + word; their nodes are the last ones.
    topics: (inside, nodes × topics; outside, nodes).
    """
    inside, outside = topics
    n_nodes, n_topics = inside.shape
    first = n_nodes - len(keys)
    p, left, less = np.empty(n_nodes), np.ones(n_nodes), np.ones(n_nodes)
    for node in range(1, n_nodes):
        total = np.float64(outside[node])
        for k in range(n_topics):
            total += shares[k] * inside[node, k]
        p[node] = max(total, LEAST)
        log_p_out[node] = np.log(p[node])
    for node in range(first, n_nodes):
        context = keys[node - first] // n_words
        left[context] -= p[node]
        less[context] -= p[shorter[node]]
    log_p_out[0] = 0.0
    for node in range(n_nodes):
        back_off_out[node] = np.log(max(left[node], LEAST_LEFT) / max(less[node], LEAST_LEFT))
