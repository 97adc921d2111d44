"""p(word | context, topic) of documents' words, given one fixed state of a chain.

Word n has probability outside_n + sum_k theta_k inside_nk, where theta are the topic shares of its document.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART


class TopicShares(NamedTuple):
    """A sample of a chain prepared for predictions: if p_k is a word's probability in a context and topic k,
    seated_k + left_k p_k is that in the context one word longer.

    A slot (a word in a context) has a cell for each topic with customers there, and a restaurant (a context)
    has a total for each topic with customers in it, both sorted by topic; other topics keep the p of the
    shorter context. In the comments, c and t are customers and tables of a cell, C and T those of a total.
    """

    cells: NDArray[np.int64]  # slots + 1: where each slot's cells begin
    cell_topics: NDArray[np.uint16]
    seated: NDArray[np.float64]  # cells: (c - a t) / (C + b)
    totals: NDArray[np.int64]  # restaurants + 1
    total_topics: NDArray[np.uint16]
    left: NDArray[np.float64]  # totals: (b + a T) / (C + b)
    switches: NDArray[np.float64]  # restaurants: lambda; 1 without a common topic
    ends: NDArray[np.float64]  # restaurants: share of words that stop; or empty


class Ways(NamedTuple):
    """Words to predict, each with its contexts in the model: their restaurants, and the word's slots
    there."""

    base: NDArray[np.float64]  # words: G0
    restaurants: NDArray[np.int64]  # words × depths: from `find_ways`
    slots: NDArray[np.int64]  # words × depths
    lengths: NDArray[np.int64]  # words: length of the context, which may exceed the known restaurants


@kernel_part(**PART)
def step(restaurant, slot, shares, p):
    """Update p (topics) of a word from the context one word shorter to that of a restaurant.

    slot: the word there; -1 if it has none.
    """
    for place in range(shares.totals[restaurant], shares.totals[restaurant + 1]):
        p[shares.total_topics[place]] *= shares.left[place]
    if slot >= 0:
        for cell in range(shares.cells[slot], shares.cells[slot + 1]):
            p[shares.cell_topics[cell]] += shares.seated[cell]


@kernel_part(**PART)
def _common(restaurant, slot, shares, shorter):
    """p(word | context) in the common topic, given `shorter`, its p in the context one word shorter.

    restaurant, slot: of the context, and of the word there (-1 if it has none).
    """
    p, first = shorter, shares.totals[restaurant]
    if first < shares.totals[restaurant + 1] and shares.total_topics[first] == 0:
        p *= shares.left[first]
    if slot >= 0:
        cell = shares.cells[slot]
        if cell < shares.cells[slot + 1] and shares.cell_topics[cell] == 0:
            p += shares.seated[cell]
    return p


@kernel_part(**PART)
def mix(restaurant, common, shares, p):
    """Turn each topic's p (topics) of a word in the shorter context into the base distribution in a
    restaurant, lambda p + (1 - lambda) common (equation 4).

    common: the word's p in the common topic there. p[0], of the common topic, stays as it is.
    """
    share = shares.switches[restaurant]
    for k in range(1, len(p)):
        p[k] = share * p[k] + (1.0 - share) * common


@kernel_part(**PART)
def _known(ways, i):
    """How many of the contexts of word i are in the model; at least 1, the empty context."""
    d = 1
    while d < ways.restaurants.shape[1] and ways.restaurants[i, d] >= 0:
        d += 1
    return d


@kernel_part(**PART)
def _start(base, p):
    for k in range(len(p)):
        p[k] = base


@kernel_part(**PART)
def _add(weight, share, p, i, inside_out, outside_out):
    """Add p (topics) of word i in a context to the sums inside_out (topics, times weight · share) and
    outside_out (the common topic, times weight · (1 - share)).

    weight: the probability that the context is the one in use; share: lambda there, the probability that a
    word comes from topics. p[0] belongs to the common topic.
    """
    outside_out[i] += weight * (1.0 - share) * p[0]
    for k in range(1, len(p)):
        inside_out[i, k - 1] += weight * share * p[k]


@njit(**OPTIONS)
def predict_topics(ways, shares, inside_out, outside_out):
    """Add each word's p in the topics and in the common topic to two arrays, weighted by lambda.

    Row i is for the word whose path through the restaurants, from the shortest context to the longest, is row
    i of `ways`. Its p in every topic, times lambda, is added to inside_out (words × topics), and its p in the
    common topic, times 1 - lambda, to outside_out (words). lambda is the switch, in `shares`, of the longest
    known context of the path; `shares` also has what restaurants leave to the shorter context.

    For independent topics, and those that have only switches in common.
    """
    p = np.empty(inside_out.shape[1] + 1)
    for i in range(len(ways.base)):
        _start(ways.base[i], p)
        last = _known(ways, i)
        for d in range(last):
            step(ways.restaurants[i, d], ways.slots[i, d], shares, p)
        share = shares.switches[ways.restaurants[i, last - 1]]
        _add(1.0, share, p, i, inside_out, outside_out)


@njit(**OPTIONS)
def predict_unbounded_topics(ways, shares, inside_out, outside_out):
    """Add each word's p in the topics and in the common topic to two arrays, for contexts of any length.

    Like `predict_topics`, but summed over context lengths: at each restaurant but the last, the context ends
    there with the probability `shares.ends`.
    """
    p = np.empty(inside_out.shape[1] + 1)
    for i in range(len(ways.base)):
        _start(ways.base[i], p)
        last, going = _known(ways, i), 1.0
        for d in range(last):
            restaurant = ways.restaurants[i, d]
            step(restaurant, ways.slots[i, d], shares, p)
            stop = shares.ends[restaurant] if d < last - 1 else 1.0
            _add(going * stop, shares.switches[restaurant], p, i, inside_out, outside_out)
            going *= 1.0 - stop


@njit(**OPTIONS)
def predict_mixed(ways, shares, inside_out, outside_out):
    """Add each word's p in the topics to inside_out (words × topics), for topics that draw on a common one.

    p in a topic includes the common one, so nothing is added to outside_out. A context that is not in the
    model has no customers; its lambda is that of the longest known context.
    """
    p = np.empty(inside_out.shape[1] + 1)
    for i in range(len(ways.base)):
        _start(ways.base[i], p)
        last = _known(ways, i)
        for d in range(last):
            restaurant, slot = ways.restaurants[i, d], ways.slots[i, d]
            mix(restaurant, _common(restaurant, slot, shares, p[0]), shares, p)
            step(restaurant, slot, shares, p)
        for _ in range(last, ways.lengths[i] + 1):
            mix(ways.restaurants[i, last - 1], p[0], shares, p)
        _add(1.0, 1.0, p, i, inside_out, outside_out)


@njit(**OPTIONS)
def predict_unbounded_mixed(ways, shares, inside_out, outside_out):
    """Add each word's p in the topics to inside_out (words × topics), for topics that draw on a common one
    and contexts of any length.

    Like `predict_mixed`, but summed over context lengths: at each restaurant but the last, the context ends
    there with the probability `shares.ends`.
    """
    p = np.empty(inside_out.shape[1] + 1)
    for i in range(len(ways.base)):
        _start(ways.base[i], p)
        last, going = _known(ways, i), 1.0
        for d in range(last):
            restaurant, slot = ways.restaurants[i, d], ways.slots[i, d]
            mix(restaurant, _common(restaurant, slot, shares, p[0]), shares, p)
            step(restaurant, slot, shares, p)
            stop = shares.ends[restaurant] if d < last - 1 else 1.0
            _add(going * stop, 1.0, p, i, inside_out, outside_out)
            going *= 1.0 - stop
