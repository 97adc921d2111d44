"""Topic shares of new documents: a short chain over a document's topics and shares, all else fixed."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.math import OPTIONS, PART, exp64
from stickbreaker.kernels.random import seeded
from stickbreaker.syntax.kernels.random_gammas import log_gamma_number
from stickbreaker.syntax.kernels.tree_topics import draw_nodes, gather, inside, longest, transitions

LEAST = 1e-150


class Learned(NamedTuple):
    """What was learned, of one sample: pi as it is (no row is normalised), beta, and alpha tau."""

    pi: NDArray[np.float64]  # topics + 1 × topics; roots last
    beta: NDArray[np.float64]  # words × topics
    shapes: NDArray[np.float64]  # (topics,) of the Gamma prior of a document's shares


class Room(NamedTuple):
    """Where a document is worked on."""

    chances: NDArray[np.float64]  # topics + 1 × topics
    words: NDArray[np.float64]  # nodes × topics: of the nodes' own words
    below: NDArray[np.float64]  # nodes × topics
    topics: NDArray[np.int32]  # (nodes,)
    n: NDArray[np.float64]  # (topics,)
    m: NDArray[np.float64]  # (topics + 1,)
    rates: NDArray[np.float64]  # (topics,)
    log_theta: NDArray[np.float64]  # (topics,)


@njit(**PART)
def _scale(log_theta, theta_out):
    """theta up to its scale, the largest at one."""
    most = log_theta[0]
    for i in range(1, len(log_theta)):
        most = max(most, log_theta[i])
    for i in range(len(log_theta)):
        theta_out[i] = max(exp64(log_theta[i] - most), LEAST)


@njit(**PART)
def _draw_shares(learned, room, state):
    """log_theta given the topics: U for each topic of heads, then Gammas."""
    k = len(room.n)
    for i in range(k):
        room.rates[i] = 1.0
    for j in range(k + 1):
        if room.m[j] > 0.0:
            x = 0.0
            for i in range(k):
                x += exp64(room.log_theta[i]) * learned.pi[j, i]
            u = exp64(min(log_gamma_number(room.m[j], state), 600.0)) / max(x, 1e-290)
            for i in range(k):
                room.rates[i] += u * learned.pi[j, i]
    for i in range(k):
        drawn = log_gamma_number(learned.shapes[i] + room.n[i], state)
        room.log_theta[i] = min(drawn - np.log(room.rates[i]), 600.0)


@njit(**PART)
def _count(heads, first, n, room):
    room.n[:] = 0.0
    room.m[:] = 0.0
    k = len(room.n)
    for node in range(n):
        head = heads[first + node]
        room.n[room.topics[node]] += 1.0
        room.m[k if head < 0 else room.topics[head]] += 1.0


@njit(**OPTIONS)
def sample_shares(nodes, learned, sweeps, keys, counts_out, theta_out):
    """Sweeps over each document by itself; `sweeps` is how many before those that are kept.

    theta_out (documents × kept × topics): shares after each kept sweep, the largest of each at one.
    counts_out (documents × topics): nodes of each topic, the mean over them. A document without nodes has
    draws from the prior.
    """
    k, kept = theta_out.shape[2], theta_out.shape[1]
    most = longest(nodes.offsets)
    room = Room(
        np.empty((k + 1, k)), np.empty((most, k)), np.empty((most, k)), np.empty(most, np.int32), np.empty(k),
        np.empty(k + 1), np.empty(k), np.empty(k),
    )  # fmt: skip
    state, theta = np.empty(2, np.uint64), np.empty(k)
    for d in range(len(nodes.offsets) - 1):
        first = nodes.offsets[d]
        n = nodes.offsets[d + 1] - first
        seeded(keys[d], state)
        gather(nodes.words, learned.beta, first, n, room.words)
        counts_out[d] = 0.0
        for i in range(k):
            room.log_theta[i] = np.log(max(learned.shapes[i], LEAST))
        for sweep in range(sweeps + kept):
            _scale(room.log_theta, theta)
            transitions(theta, learned.pi, room.chances)
            room.below[:n] = room.words[:n]
            inside(nodes.heads, first, n, room.chances, room.below)
            draw_nodes(nodes.heads[first : first + n], n, room.chances, room.below, state, room.topics)
            _count(nodes.heads, first, n, room)
            _draw_shares(learned, room, state)
            if sweep >= sweeps:
                _scale(room.log_theta, theta)
                theta_out[d, sweep - sweeps] = theta
                for i in range(k):
                    counts_out[d, i] += room.n[i] / kept
