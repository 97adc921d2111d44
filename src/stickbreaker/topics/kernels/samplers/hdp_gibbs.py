"""Gibbs sampling of a hierarchical Dirichlet process by direct assignment (Teh et al. 2006, section 5.3).

Tokens are visited as in `gibbs`, over all topics in single precision, with alpha × the topic's weight in
place of alpha. Tables have spare columns: a token can also draw the rest of the weights, which opens a new
topic in a free column.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART
from stickbreaker.kernels.random import seeded, uniform
from stickbreaker.topics.kernels.samplers.gibbs import (
    counted,
    fill_held,
    fill_weights,
    less,
    move,
    others_mass,
    search_others,
    word_at,
)

LEAST = 1e-30  # of a weight, to avoid underflow in single precision; a weight of zero is a free column


class Topics(NamedTuple):
    """The topics and their weights, by column of the table. A column of weight zero is free for a new topic.

    `numbers` (columns): a number that a topic keeps for good; `rest` (1): the weight of all topics without
    tokens; `born` (1): the number for the next new topic.
    """

    weights: NDArray[np.float64]  # columns: beta
    numbers: NDArray[np.int64]  # columns: the topic's lasting number
    rest: NDArray[np.float64]  # 1: beta of all topics without tokens
    born: NDArray[np.int64]  # 1: the next topic's number


class GrowingPrior(NamedTuple):
    alpha: float
    gamma: float
    eta: NDArray[np.float64]  # (words or 1) × 1
    eta_totals: NDArray[np.float64]  # groups × columns: sum of eta over the group's words


class Progress(NamedTuple):
    """Where a sweep is in a block, so that it can stop and continue: the next token, and the random state."""

    token: NDArray[np.int64]  # 1
    state: NDArray[np.uint64]  # 2


@kernel_part(**PART)
def _born(topics, gamma, state):
    """Open a new topic in the first free column, with the share Beta(1, gamma) of the weight of unused
    topics.

    Returns its column, or -1 if none is free.
    """
    new = 0
    while new < len(topics.weights) and topics.weights[new] > 0.0:
        new += 1
    if new == len(topics.weights):
        return -1
    logarithm = np.log(uniform(state)) / gamma  # log share of the rest that remains
    topics.weights[new] = max(-np.expm1(logarithm) * topics.rest[0], LEAST)
    topics.rest[0] = max(np.exp(logarithm) * topics.rest[0], LEAST)
    topics.numbers[new] = topics.born[0]
    topics.born[0] += 1
    return new


@kernel_part(**PART)
def _visit(i, block, table, prior, topics, inverse, weights, alpha, columns, held, progress, assignments_out):
    """Draw the topics of the tokens of a block's i-th word again, from `progress` on.

    Returns False if a new topic found no free column; `progress` then has the token's position.
    """
    word = word_at(i, block, table, prior, inverse)
    fill_weights(word, weights)
    unseen = prior.alpha * word.eta[0] / word.eta_totals[0]
    state = progress.state
    for t in range(max(block.starts[i], progress.token[0]), block.starts[i + 1]):
        counts, k = held[block.documents[t]], np.int64(assignments_out[t])
        own = np.float64(counted(counts[k], alpha[k], np.float32(-1.0))) * less(word, k)
        others = np.float64(others_mass(counts, weights, columns, np.float32(k)))
        first, second = state[0], state[1]
        target = uniform(state) * (others + topics.rest[0] * unseen + own) - own
        if target < 0.0:
            continue
        if target < others:
            new = search_others(counts, weights, columns, k, len(weights), np.float32(target))
            if topics.weights[new] == 0.0:  # rounding has led past the last topic
                continue
        else:
            new = _born(topics, prior.gamma, state)
            if new < 0:
                state[0], state[1] = first, second
                progress.token[0] = t
                return False
            alpha[new] = prior.alpha * topics.weights[new]
            held[:, new] = alpha[new]
        move(word, counts, k, new, alpha, weights)
        assignments_out[t] = new
    return True


@njit(**OPTIONS)
def sweep_growing(block, table, prior, topics, key, progress, assignments_out):
    """Draw every token's topic in a block once, and open new topics as they are drawn; returns whether all
    are drawn.

    block: Block; prior: GrowingPrior; key: of the random stream (uint64); table: Table, topics: Topics,
    progress: Progress and assignments_out (tokens, int32, in the block's order) are changed. Without the
    token itself, p(k) ~ (n_dk + alpha beta_k) (n_wk + eta_w) / (n_k + sum_w eta_w), and p(new) ~ alpha
    beta_rest eta_w / sum_w eta_w (Teh et al. 2006, section 5.3). A topic that loses its last token keeps its
    weight until the sweep ends: beta only changes by new topics. If there is no free column, the sweep stops
    before the token that needs one; call again with more columns to continue from `progress`.
    """
    width = len(topics.weights)
    weights, alpha = np.zeros(width, np.float32), np.empty(width, np.float32)
    for k in range(width):
        alpha[k] = prior.alpha * topics.weights[k]
    columns = np.arange(width).astype(np.float32)
    inverse = 1.0 / (table.totals + prior.eta_totals)
    held = np.zeros((block.n_documents, width), np.float32)
    fill_held(block, assignments_out, alpha.reshape(1, len(alpha)), held)
    if progress.token[0] == 0:
        seeded(key, progress.state)
    for i in range(len(block.words)):
        if block.starts[i + 1] > progress.token[0] and not _visit(
            i, block, table, prior, topics, inverse, weights, alpha, columns, held, progress, assignments_out
        ):
            return False
    return True
