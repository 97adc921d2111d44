"""log p of each word of a tree given those before it, heads first; notation of `tree_topics.py`."""

import numpy as np
from numba import njit

from stickbreaker.kernels.math import OPTIONS, PART, log64
from stickbreaker.syntax.kernels.tree_topics import gather, longest, transitions


@njit(**PART)
def _pass_down(chances, own, above, above_out):
    """Fill above_out (topics) with p of a node's topic given the words before it, its head among them.

    It is sum_j above_j own_j chances_ji, normalised, where `above` and `own` are those of its head.
    """
    k = len(above_out)
    above_out[:] = 0.0
    for j in range(k):
        weight = above[j] * own[j]
        for i in range(k):
            above_out[i] += weight * chances[j, i]
    total = above_out.sum()
    for i in range(k):
        above_out[i] /= total


@njit(**PART)
def _pass_up(chances, own, own_of_head):
    """Multiply own_of_head (topics) by p(words of a finished subtree | topic of its head), and rescale it to
    a maximum of one. own: of the subtree's top node."""
    k, most = len(own), 0.0
    for j in range(k):
        total = 0.0
        for i in range(k):
            total += chances[j, i] * own[i]
        own_of_head[j] *= total
        most = max(most, own_of_head[j])
    for j in range(k):
        own_of_head[j] /= most


@njit(**OPTIONS)
def predict_words(nodes, weights, nats_out):
    """Fill nats_out (nodes) with log p of each node's word given those before it in its document (in
    preorder); 0 for a node without a word.

    weights: theta has one row per document. A finished subtree is passed up to its head once, since subtrees
    are contiguous.
    """
    k = weights.log_pi.shape[1]
    chances = np.empty((k + 1, k))
    most = longest(nodes.offsets)
    own, above = np.empty((most, k)), np.empty((most, k))
    for d in range(len(nodes.offsets) - 1):
        first = nodes.offsets[d]
        n = nodes.offsets[d + 1] - first
        heads = nodes.heads[first : first + n]
        transitions(weights.log_theta[d], weights.log_pi, chances)
        gather(nodes.words, weights.beta, first, n, own)
        for node in range(n):
            head, over = heads[node], node - 1
            while over >= 0 and over != head:
                if heads[over] >= 0:
                    _pass_up(chances, own[over], own[heads[over]])
                over = heads[over]
            if head < 0:
                above[node] = chances[k]
            else:
                _pass_down(chances, own[head], above[head], above[node])
            total, whole = 0.0, 0.0
            for i in range(k):
                total += above[node, i] * own[node, i]
                whole += above[node, i]
            nats_out[first + node] = log64(total / whole) if nodes.words[first + node] >= 0 else 0.0
