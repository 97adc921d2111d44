"""log p of each word of a tree given those before it, heads first; notation of `tree_topics.py`."""

import numpy as np
from numba import njit

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART, log64
from stickbreaker.syntax.kernels.tree_topics import gather, longest, transitions


@kernel_part(**PART)
def _pass_down(chances, own, above, above_out):
    """Fill above_out with p(topic i) of a node given the words before it, its head among them.

    It is sum_j above_j own_j chances_ji, normalised. above (topics): the same of its head; own (topics):
    p(the head's word and the finished subtrees below it | the head's topic).
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


@kernel_part(**PART)
def _pass_up(chances, own, own_of_head):
    """Multiply own_of_head (topics) by p(words of a finished subtree | topic of its head).

    The result is rescaled to a maximum of one. own (topics): p(words of the subtree | topic of its top node).
    """
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
    """Predict each word of documents from the document's words before it, in preorder: its log p in nats.

    They are written to nats_out (nodes); 0 for a node without a word. weights.log_theta has a row per
    document.
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
