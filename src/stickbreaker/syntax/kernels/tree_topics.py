"""Topics of the words of dependency trees: sums over all assignments, and draws from the posterior.

Notation follows Zhai, Boyd-Graber and Blei (Syntactic topic models, equation 1): theta are documents' shares,
pi a head's topic's preferences, beta topics' words. A word's topic i given its head's topic j has the
probability theta_i pi_ji / x_j, x_j = sum_i theta_i pi_ji; the row of pi after the last topic is for roots.

A document's words are nodes in preorder: heads before their dependents, and subtrees contiguous.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART, exp64, log64
from stickbreaker.kernels.random import seeded, uniform

TINY = 1e-100


class Nodes(NamedTuple):
    """Consecutive documents as nodes (words of trees) in preorder.

    offsets (documents + 1): where documents begin in the other arrays, which have an entry per node.
    """

    offsets: NDArray[np.int64]
    words: NDArray[np.int32]  # rows of beta; -1: a node without a word, which only connects its dependents
    heads: NDArray[np.int32]  # the head's index in its document, from 0; -1: a root


class Weights(NamedTuple):
    """The parameters with which topics are drawn: documents' shares theta, the preferences pi of heads'
    topics, and topics' words beta.

    theta and pi are logarithms, since their products could underflow; their scales do not matter.
    """

    log_theta: NDArray[np.float64]  # documents × topics
    log_pi: NDArray[np.float64]  # topics + 1 × topics, roots last
    beta: NDArray[np.float64]  # words × topics


@kernel_part(**PART)
def transitions(log_theta, log_pi, chances_out):
    """Fill chances_out with p(topic i | head's topic j), which is theta_i pi_ji normalised, for one document.

    chances_out (topics + 1 × topics): rows are j, the last for roots; log_theta (topics): of the document.
    """
    for j in range(log_pi.shape[0]):
        most = -np.inf
        for i in range(log_pi.shape[1]):
            chances_out[j, i] = log_theta[i] + log_pi[j, i]
            most = max(most, chances_out[j, i])
        total = 0.0
        for i in range(log_pi.shape[1]):
            chances_out[j, i] = exp64(chances_out[j, i] - most)
            total += chances_out[j, i]
        for i in range(log_pi.shape[1]):
            chances_out[j, i] /= total


@kernel_part(**PART)
def gather(words, beta, first, n, below_out):
    """Fill below_out (n × topics) with p(word | topic) of n nodes, from node `first` on.

    For nodes without a word it is 1.
    """
    for node in range(n):
        word = words[first + node]
        for i in range(beta.shape[1]):
            below_out[node, i] = beta[word, i] if word >= 0 else 1.0


@kernel_part(**PART)
def inside(heads, first, n, chances, below_out):
    """log p of all words of a document, in nats, summed over the topics of its n nodes.

    heads (nodes of all documents): each node's head, as a position in its document, which is before its own;
    -1 for roots; first: the document's first node. below_out (n × topics): p(own word | topic) of
    each node on input; then p(words at and below the node | topic), up to a factor per node. chances (topics
    + 1 × topics): p(topic | head's topic), the last row for roots.
    """
    nats = 0.0
    k = chances.shape[1]
    for back in range(n):
        node = n - 1 - back
        most = below_out[node, 0]
        for i in range(1, k):
            most = max(most, below_out[node, i])
        for i in range(k):
            below_out[node, i] /= most
        nats += log64(most)
        head = heads[first + node]
        if head >= 0:
            most = 0.0
            for j in range(k):
                total = 0.0
                for i in range(k):
                    total += chances[j, i] * below_out[node, i]
                below_out[head, j] *= total
                most = max(most, below_out[head, j])
            if most < TINY:  # a head of thousands of words
                for j in range(k):
                    below_out[head, j] /= most
                nats += log64(most)
        else:
            total = 0.0
            for i in range(k):
                total += chances[k, i] * below_out[node, i]
            nats += log64(total)
    return nats


@kernel_part(**PART)
def draw_nodes(heads, n, chances, below, state, topics_out):
    """Draw the topics of all `n` nodes of a document from their joint posterior, heads first.

    heads (n): of this document alone; chances (topics + 1 × topics): p(topic | head's topic), the last row
    for roots; below (n × topics): as filled by `inside`; state: of the random stream.
    """
    k = chances.shape[1]
    for node in range(n):
        head = heads[node]
        row = k if head < 0 else topics_out[head]
        total = 0.0
        for i in range(k):
            total += chances[row, i] * below[node, i]
        target, chosen = total * uniform(state), k - 1
        for i in range(k):
            target -= chances[row, i] * below[node, i]
            if target < 0.0:
                chosen = i
                break
        topics_out[node] = chosen


@kernel_part(**PART)
def longest(offsets):
    """The number of nodes of the document with the most nodes."""
    most = 0
    for d in range(len(offsets) - 1):
        most = max(most, offsets[d + 1] - offsets[d])
    return most


@njit(**OPTIONS)
def draw_topics(nodes, weights, keys, topics_out):
    """Draw the topics of all nodes from the joint posterior of each document, given the weights.

    They are written to topics_out (nodes, int32). keys (documents, uint64): seeds, from `numbered_keys`.
    """
    k = weights.log_pi.shape[1]
    chances = np.empty((k + 1, k))
    below = np.empty((longest(nodes.offsets), k))
    state = np.empty(2, np.uint64)
    for d in range(len(nodes.offsets) - 1):
        first = nodes.offsets[d]
        n = nodes.offsets[d + 1] - first
        transitions(weights.log_theta[d], weights.log_pi, chances)
        gather(nodes.words, weights.beta, first, n, below)
        inside(nodes.heads, first, n, chances, below)
        seeded(keys[d], state)
        last = first + n
        draw_nodes(nodes.heads[first:last], n, chances, below, state, topics_out[first:last])


@njit(**OPTIONS)
def sum_topics(nodes, weights, nats_out):
    """Compute log p of each document's words given the weights, in nats, with topics summed out.

    They are written to nats_out (documents).
    """
    k = weights.log_pi.shape[1]
    chances = np.empty((k + 1, k))
    below = np.empty((longest(nodes.offsets), k))
    for d in range(len(nodes.offsets) - 1):
        first = nodes.offsets[d]
        n = nodes.offsets[d + 1] - first
        transitions(weights.log_theta[d], weights.log_pi, chances)
        gather(nodes.words, weights.beta, first, n, below)
        nats_out[d] = inside(nodes.heads, first, n, chances, below)
