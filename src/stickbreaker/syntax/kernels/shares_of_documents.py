"""Topic shares of new documents: a short Gibbs chain over a document's topics and shares, all else fixed."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART, exp64, log64
from stickbreaker.kernels.random import seeded
from stickbreaker.kernels.random_gammas import log_gamma_number
from stickbreaker.syntax.kernels.tree_topics import draw_nodes, gather, inside, longest, transitions

LEAST = 1e-150


class Learned(NamedTuple):
    """The learned parameters of one sample, with which new documents are inferred."""

    log_pi: NDArray[np.float64]  # topics + 1 × topics; roots last
    beta: NDArray[np.float64]  # words × topics
    shapes: NDArray[np.float64]  # (topics,) of the Gamma prior of a document's shares


class Room(NamedTuple):
    """Working memory to sample the topics and shares of one document at a time."""

    chances: NDArray[np.float64]  # topics + 1 × topics
    words: NDArray[np.float64]  # nodes × topics: p(own word | topic)
    below: NDArray[np.float64]  # nodes × topics
    topics: NDArray[np.int32]  # (nodes,)
    n: NDArray[np.float64]  # (topics,)
    m: NDArray[np.float64]  # (topics + 1,)
    log_rates: NDArray[np.float64]  # (topics,)
    sums: NDArray[np.float64]  # (topics,)
    log_theta: NDArray[np.float64]  # (topics,)


@kernel_part(**PART)
def _log_sum(values):
    """log(sum(exp(values))) without overflow; the largest value must be finite."""
    most = values[0]
    for i in range(1, len(values)):
        most = max(most, values[i])
    total = 0.0
    for i in range(len(values)):
        total += exp64(values[i] - most)
    return most + log64(total)


@kernel_part(**PART)
def _draw_shares(learned, room, state):
    """Draw a document's log shares given its topics, from their last values: update room.log_theta.

    room.n: nodes of each topic; room.m: nodes whose head has each topic. For each topic j of a head, U_j is
    drawn from Gamma(m_j) / sum_i theta_i pi_ji, then theta_i from Gamma(shapes_i + n_i, 1 + sum_j U_j pi_ji),
    all in logarithms against underflow. state: of the random stream.
    """
    k = len(room.n)
    room.log_rates[:] = 0.0  # log(1 + B)
    for j in range(k + 1):
        if room.m[j] > 0.0:
            for i in range(k):
                room.sums[i] = room.log_theta[i] + learned.log_pi[j, i]
            log_u = log_gamma_number(room.m[j], state) - _log_sum(room.sums)
            for i in range(k):
                more, so_far = log_u + learned.log_pi[j, i], room.log_rates[i]
                most = max(more, so_far)
                room.log_rates[i] = most + log64(exp64(more - most) + exp64(so_far - most))
    for i in range(k):
        drawn = log_gamma_number(learned.shapes[i] + room.n[i], state)
        room.log_theta[i] = drawn - room.log_rates[i]


@kernel_part(**PART)
def _count(heads, first, n, room):
    room.n[:] = 0.0
    room.m[:] = 0.0
    k = len(room.n)
    for node in range(n):
        head = heads[first + node]
        room.n[room.topics[node]] += 1.0
        room.m[k if head < 0 else room.topics[head]] += 1.0


@njit(**OPTIONS)
def sample_shares(nodes, learned, sweeps, keys, counts_out, log_theta_out):
    """Draw the topic shares of new documents by a short Gibbs chain over the topics and shares of each.

    It makes `sweeps` sweeps of burn-in, then one for each draw that is stored. Filled: log_theta_out
    (documents × draws × topics), log shares, not normalised; counts_out (documents × topics), the mean number
    of nodes of each topic. keys (documents): of random streams. A document without nodes gets draws from the
    prior.
    """
    k, kept = log_theta_out.shape[2], log_theta_out.shape[1]
    most = longest(nodes.offsets)
    room = Room(
        np.empty((k + 1, k)), np.empty((most, k)), np.empty((most, k)), np.empty(most, np.int32), np.empty(k),
        np.empty(k + 1), np.empty(k), np.empty(k), np.empty(k),
    )  # fmt: skip
    state = np.empty(2, np.uint64)
    for d in range(len(nodes.offsets) - 1):
        first = nodes.offsets[d]
        n = nodes.offsets[d + 1] - first
        seeded(keys[d], state)
        gather(nodes.words, learned.beta, first, n, room.words)
        counts_out[d] = 0.0
        for i in range(k):
            room.log_theta[i] = np.log(max(learned.shapes[i], LEAST))
        for sweep in range(sweeps + kept):
            transitions(room.log_theta, learned.log_pi, room.chances)
            room.below[:n] = room.words[:n]
            inside(nodes.heads, first, n, room.chances, room.below)
            draw_nodes(nodes.heads[first : first + n], n, room.chances, room.below, state, room.topics)
            _count(nodes.heads, first, n, room)
            _draw_shares(learned, room, state)
            if sweep >= sweeps:
                log_theta_out[d, sweep - sweeps] = room.log_theta
                for i in range(k):
                    counts_out[d, i] += room.n[i] / kept
