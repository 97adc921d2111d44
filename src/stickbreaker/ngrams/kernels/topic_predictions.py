"""p(word | context, topic) of documents' words, given one fixed state of a chain.

Word n has probability outside_n + sum_k theta_k inside_nk, where theta are the topic shares of its document.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.math import OPTIONS, PART


class TopicShares(NamedTuple):
    """A sample of a chain prepared for predictions: from a context to a longer one, p of topic k becomes
    seated_k + left_k p_k.

    A slot has a cell for each topic with customers there, a restaurant a total for each topic with customers
    in it, both sorted by topic; other topics keep the p of the shorter context.
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
    """Words to predict, with the restaurants of their contexts and their slots there."""

    base: NDArray[np.float64]  # words: G0
    restaurants: NDArray[np.int64]  # words × depths: from `find_ways`
    slots: NDArray[np.int64]  # words × depths
    lengths: NDArray[np.int64]  # words: length of the context, which may exceed the known restaurants


@njit(**PART)
def step(restaurant, slot, shares, p):
    """Update p (topics) of a word from the shorter context to that of a restaurant.

    slot: the word's there; -1 if it has none.
    """
    for place in range(shares.totals[restaurant], shares.totals[restaurant + 1]):
        p[shares.total_topics[place]] *= shares.left[place]
    if slot >= 0:
        for cell in range(shares.cells[slot], shares.cells[slot + 1]):
            p[shares.cell_topics[cell]] += shares.seated[cell]


@njit(**PART)
def _common(restaurant, slot, shares, shorter):
    """p(word) in the common topic after a restaurant's context, given `shorter`, p after the shorter one."""
    p, first = shorter, shares.totals[restaurant]
    if first < shares.totals[restaurant + 1] and shares.total_topics[first] == 0:
        p *= shares.left[first]
    if slot >= 0:
        cell = shares.cells[slot]
        if cell < shares.cells[slot + 1] and shares.cell_topics[cell] == 0:
            p += shares.seated[cell]
    return p


@njit(**PART)
def mix(restaurant, common, shares, p):
    """Mix p (topics), of the shorter context, with `common`, p in the common topic, by lambda of a
    restaurant: the base of its context (equation 4)."""
    share = shares.switches[restaurant]
    for k in range(1, len(p)):
        p[k] = share * p[k] + (1.0 - share) * common


@njit(**PART)
def _known(ways, i):
    """The number of contexts of word i that have a restaurant; at least 1, for the empty context."""
    d = 1
    while d < ways.restaurants.shape[1] and ways.restaurants[i, d] >= 0:
        d += 1
    return d


@njit(**PART)
def _start(base, p):
    for k in range(len(p)):
        p[k] = base


@njit(**PART)
def _add(weight, share, p, i, inside_out, outside_out):
    """Add p (topics) of word i in a context, times `weight`, to inside_out and, for the common topic, to
    outside_out; share: lambda there."""
    outside_out[i] += weight * (1.0 - share) * p[0]
    for k in range(1, len(p)):
        inside_out[i, k - 1] += weight * share * p[k]


@njit(**OPTIONS)
def predict_topics(ways, shares, inside_out, outside_out):
    """Add each word's p in every topic, times lambda, to inside_out (words × topics), and p in the common
    topic, times 1 - lambda, to outside_out (words).

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
    """`predict_topics` for unbounded contexts: one ends at a restaurant, unless the last, with p = `ends`."""
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
    """`predict_topics` for topics that draw on a common one, which is in inside_out then.

    A context without a restaurant has no customers; its lambda is that of the longest known context.
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
    """`predict_mixed` for unbounded contexts: one ends at a restaurant, unless the last, with p = `ends`."""
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
