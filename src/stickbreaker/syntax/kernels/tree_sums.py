"""Exact expected counts of topics over dependency trees, given expectations of the parameters.

Notation is that of `tree_topics`: theta are documents' shares, pi a head's topic's preferences, x_j = sum_i
theta_i pi_ji. The bound needs E[-log x_j], which is at least -log xi_j - (E[x_j] - xi_j) / xi_j for every
xi_j; this is greatest at xi_j = E[x_j], where the last term is zero. With the best joint distribution of a
document's topics z, its words contribute

    log sum_z prod_nodes A[topic of the head, topic] exp E[log beta of the word],
    A[j, i] = exp(E[log theta_i] + E[log pi_ji]) / xi_j

to the bound. The scale of pi's rows does not matter: their means sum to one.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART, digamma64, exp64, log64
from stickbreaker.syntax.kernels.tree_topics import TINY

LEAST_LOG = -300.0  # log of the least weight of a word or topic, so that products of two do not underflow
SMALL = 1e-13  # least probability of a head's topic that is passed down


class TreeNodes(NamedTuple):
    """Consecutive documents as nodes (words of trees) in preorder, heads before dependents.

    Document d has the nodes offsets[d] to offsets[d + 1] - 1; heads (nodes): the head's index in its
    document, -1 for a root. `rows` maps word numbers to rows of `Expected.words`, which may have only some
    words.
    """

    offsets: NDArray[np.int64]
    words: NDArray[np.int32]  # word numbers; -1: a node without a word
    heads: NDArray[np.int32]
    rows: NDArray[np.int64]  # (words,) row of `Expected.words`


class Expected(NamedTuple):
    """The parameters with which documents are inferred: expectations under q(pi) and q(beta).

    shapes: alpha_D tau, of the Gamma prior of a document's shares.
    """

    log_pi: NDArray[
        np.float64
    ]  # topics + 1 × topics, roots last: E[log pi_ji] - log of its row's sum of means
    mean_pi: NDArray[np.float64]  # the same for E[pi]; rows sum to one
    shapes: NDArray[np.float64]  # (topics,)
    words: NDArray[np.float64]  # rows × topics: exp E[log beta], the largest of a row is one
    log_scale: NDArray[np.float64]  # (rows,) log of the divisor


class TreeReport(NamedTuple):
    """The results of inferring documents, filled by kernels; some are sums over documents.

    For documents that are `known`, `counts` and `rates` are also the starting point of inference.
    """

    known: NDArray[np.bool_]  # (documents,)
    counts: NDArray[np.float64]  # documents × topics: n, expected nodes
    rates: NDArray[np.float64]  # documents × topics: rates of q(theta)
    pulls: NDArray[
        np.float64
    ]  # documents × topics + 1: expected nodes whose head has the topic, divided by xi
    transitions: NDArray[np.float64]  # topics + 1 × topics: expected nodes by the head's topic; added to
    words: NDArray[np.float64]  # words × topics: expected nodes; added to
    scores: NDArray[np.float64]  # (documents,) their part of the bound, in nats


class TreeRoom(NamedTuple):
    """Working memory to infer one document at a time.

    n: expected nodes of each topic; m: those whose head has each topic (last: roots); xi_j: E[sum_i theta_i
    pi_ji]; chances_ji: weight of topic i below a head's topic j, exp(E[log theta_i] + E[log pi_ji]) / xi_j.
    """

    chances: NDArray[np.float64]  # topics + 1 × topics: A
    pairs: NDArray[np.float64]  # topics + 1 × topics
    below: NDArray[np.float64]  # nodes × topics: p(words at and below a node | topic), up to a factor
    ups: NDArray[np.float64]  # nodes × topics: the same given the head's topic
    posterior: NDArray[np.float64]  # nodes × topics
    n: NDArray[np.float64]  # (topics,)
    m: NDArray[np.float64]  # (topics + 1,)
    log_theta: NDArray[np.float64]  # (topics,) E[log theta]
    theta: NDArray[np.float64]  # (topics,) E[theta]
    xi: NDArray[np.float64]  # (topics + 1,)


def room_for(offsets, k):
    """Allocate working memory (`TreeRoom`) to infer documents one by one.

    offsets (documents + 1): where their nodes begin; k: number of topics.
    """
    most = int(np.diff(offsets).max(initial=0))
    shapes = [(k + 1, k), (k + 1, k), (most, k), (most, k), (most, k), (k,), (k + 1,), (k,), (k,), (k + 1,)]
    return TreeRoom(*(np.empty(shape) for shape in shapes))


@njit(**OPTIONS)
def expected_words(concentration, log_totals, words_out, log_scale_out):
    """Fill words_out (rows × topics) with exp E[log beta], scaled so that the maximum of each row is one.

    log_scale_out (rows) gets the log of what each row was divided by. concentration: Dirichlet parameters
    (rows × topics); log_totals (topics): psi of their sums over all words. Values are at least
    exp(LEAST_LOG).
    """
    for w in range(concentration.shape[0]):
        most = -np.inf
        for i in range(concentration.shape[1]):
            words_out[w, i] = digamma64(concentration[w, i]) - log_totals[i]
            most = max(most, words_out[w, i])
        log_scale_out[w] = most
        for i in range(concentration.shape[1]):
            words_out[w, i] = exp64(max(words_out[w, i] - most, LEAST_LOG))


@kernel_part(**PART)
def mean_products(expected, room):
    """Fill room.xi with xi_j = E[x_j] = sum_i E[pi_ji] E[theta_i], given room.theta, E[theta]."""
    for j in range(len(room.xi)):
        total = 0.0
        for i in range(len(room.theta)):
            total += expected.mean_pi[j, i] * room.theta[i]
        room.xi[j] = total


@kernel_part(**PART)
def weigh(expected, room):
    """Fill room.xi and room.chances (see `TreeRoom`), given room.theta, E[theta], and room.log_theta.

    chances_ji = exp(E[log theta_i] + E[log pi_ji]) / xi_j, at least exp(LEAST_LOG); xi_j = E[sum_i theta_i
    pi_ji].
    """
    mean_products(expected, room)
    for j in range(len(room.xi)):
        log_xi = log64(room.xi[j])
        for i in range(len(room.theta)):
            room.chances[j, i] = exp64(max(room.log_theta[i] + expected.log_pi[j, i] - log_xi, LEAST_LOG))


@kernel_part(**PART)
def _sum_inside(heads, n, room):
    """Sum over the topics of all n nodes of a document, from the leaves up; returns the log of the sum.

    heads: of its nodes. room.below (nodes × topics): on input the weights of each node's own word by topic,
    afterwards those of all words at and below the node, up to a factor; room.ups is filled with the same by
    the topic of the node's head.
    """
    nats, k = 0.0, len(room.n)
    below, ups, chances = room.below, room.ups, room.chances
    for back in range(n):
        node = n - 1 - back
        most = 0.0
        for i in range(k):
            most = max(most, below[node, i])
        scale = 1.0 / most
        for i in range(k):
            below[node, i] *= scale
        nats += log64(most)
        head = heads[node]
        if head < 0:
            total = 0.0
            for i in range(k):
                total += chances[k, i] * below[node, i]
            nats += log64(total)
            continue
        for j in range(k):
            total = 0.0
            for i in range(k):
                total += chances[j, i] * below[node, i]
            ups[node, j] = total
        most = 0.0
        for j in range(k):
            below[head, j] *= ups[node, j]
            most = max(most, below[head, j])
        if most < TINY:
            for j in range(k):
                below[head, j] /= most
            nats += log64(most)
    return nats


@kernel_part(**PART)
def _pass_down(heads, n, room):
    """Fill room.posterior, the posterior topics of each node, from the roots down; after `_sum_inside`.

    Also fills room.n, the expected nodes of each topic, and room.m, those whose head has each topic.
    """
    k = len(room.n)
    room.n[:] = 0.0
    room.m[:] = 0.0
    below, ups, chances, posterior = room.below, room.ups, room.chances, room.posterior
    for node in range(n):
        head = heads[node]
        if head < 0:
            room.m[k] += 1.0
            for i in range(k):
                posterior[node, i] = chances[k, i]
        else:
            for i in range(k):
                posterior[node, i] = 0.0
            for j in range(k):
                share = posterior[head, j]
                room.m[j] += share
                if share > SMALL:
                    share /= ups[node, j]
                    for i in range(k):
                        posterior[node, i] += share * chances[j, i]
        total = 0.0
        for i in range(k):
            posterior[node, i] *= below[node, i]
            total += posterior[node, i]
        scale = 1.0 / total
        for i in range(k):
            posterior[node, i] *= scale
            room.n[i] += posterior[node, i]


@kernel_part(**PART)
def sum_trees(nodes, d, expected, room):
    """Sum over the topics of all nodes of document `d`, given room.chances; returns the log of the sum, the
    part of its words in the bound, in nats.

    Fills room.posterior (nodes × topics), and the expected nodes of each topic (room.n) and of each topic of
    a head (room.m).
    """
    first = nodes.offsets[d]
    n = nodes.offsets[d + 1] - first
    heads, nats = nodes.heads[first : first + n], 0.0
    for node in range(n):
        word = nodes.words[first + node]
        if word >= 0:
            row = nodes.rows[word]
            for i in range(expected.words.shape[1]):
                room.below[node, i] = expected.words[row, i]
            nats += expected.log_scale[row]
        else:
            room.below[node] = 1.0
    nats += _sum_inside(heads, n, room)
    _pass_down(heads, n, room)
    return nats


@kernel_part(**PART)
def add_counts(nodes, d, room, report):
    """Add a document's expected counts of (head's topic, topic) and of (word, topic) to report.transitions
    and report.words.

    Called after `sum_trees`, whose results are in the room.
    """
    k = len(room.n)
    first = nodes.offsets[d]
    room.pairs[:] = 0.0
    for node in range(nodes.offsets[d + 1] - first):
        head, word = nodes.heads[first + node], nodes.words[first + node]
        if head < 0:
            for i in range(k):
                report.transitions[k, i] += room.posterior[node, i]
        else:
            for j in range(k):
                share = room.posterior[head, j]
                if share > SMALL:
                    share /= room.ups[node, j]
                    for i in range(k):
                        room.pairs[j, i] += share * room.below[node, i]
        if word >= 0:
            for i in range(k):
                report.words[word, i] += room.posterior[node, i]
    for j in range(k):
        for i in range(k):
            report.transitions[j, i] += room.chances[j, i] * room.pairs[j, i]


@njit(**OPTIONS)
def sum_documents(nodes, expected, room, report):
    """Infer documents in the limit "itic", without shares of their own (theta = 1), and fill the report.

    room: working memory, from `room_for`.
    """
    room.theta[:], room.log_theta[:] = 1.0, 0.0
    weigh(expected, room)
    for d in range(len(nodes.offsets) - 1):
        report.scores[d] = sum_trees(nodes, d, expected, room)
        report.counts[d] = room.n
        report.rates[d] = 1.0
        for j in range(len(room.m)):
            report.pulls[d, j] = room.m[j] / room.xi[j]
        add_counts(nodes, d, room, report)
