"""p(word | context, topic) of all topics, by one state of a chain that stays as it is."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.math import OPTIONS, PART


class TopicShares(NamedTuple):
    """What a sample gives to predictions: a step to a longer context is p_k <- seated_k + left_k p_k.

    A slot has a number for each topic with customers there, a restaurant for each topic with customers in it;
    other topics keep the p of the shorter context.
    """

    cells: NDArray[np.int64]  # slots + 1: where each one's cells lie
    cell_topics: NDArray[np.uint16]
    seated: NDArray[np.float64]  # cells: (c - a t) / (C + b)
    totals: NDArray[np.int64]  # restaurants + 1
    total_topics: NDArray[np.uint16]
    left: NDArray[np.float64]  # totals: (b + a T) / (C + b)
    switches: NDArray[np.float64]  # restaurants: the share of topics; none of a prior without a common topic


@njit(**PART)
def _step(restaurant, slot, shares, p):
    """From p of the shorter context (topics) to p of a restaurant's context; slot: -1 if there is none."""
    for place in range(shares.totals[restaurant], shares.totals[restaurant + 1]):
        p[shares.total_topics[place]] *= shares.left[place]
    if slot >= 0:
        for cell in range(shares.cells[slot], shares.cells[slot + 1]):
            p[shares.cell_topics[cell]] += shares.seated[cell]


@njit(**OPTIONS)
def predict_topic_words(base, restaurants, slots, shares, p_out):
    """p of words in each topic (words × topics), of topics that have nothing to do with each other.

    base (words): G0; restaurants, slots (words × depths): of `find_ways`.
    """
    for i in range(len(base)):
        p = p_out[i]
        p[:] = base[i]
        for d in range(restaurants.shape[1]):
            if restaurants[i, d] < 0:
                break
            _step(restaurants[i, d], slots[i, d], shares, p)


@njit(**OPTIONS)
def predict_mixed_words(base, restaurants, slots, lengths, shares, p_out):
    """The same where a topic's base is a mixture of its shorter context and of the common topic (equation 4).

    lengths (words): words of the context that there are, of which the restaurants may know fewer: a context
    that they lack is a restaurant without anyone, whose share of topics is that of the longest one they know.
    """
    n_topics = p_out.shape[1]
    for i in range(len(base)):
        p, restaurant = p_out[i], np.int64(0)
        p[:] = base[i]
        known = True
        for d in range(lengths[i] + 1):
            known = known and restaurants[i, d] >= 0
            restaurant = restaurants[i, d] if known else restaurant
            common = p[0]
            if known:
                left = 1.0
                first = shares.totals[restaurant]
                if first < shares.totals[restaurant + 1] and shares.total_topics[first] == 0:
                    left = shares.left[first]
                common *= left
                if slots[i, d] >= 0:
                    cell = shares.cells[slots[i, d]]
                    if cell < shares.cells[slots[i, d] + 1] and shares.cell_topics[cell] == 0:
                        common += shares.seated[cell]
            share = shares.switches[restaurant]
            for k in range(1, n_topics):
                p[k] = share * p[k] + (1.0 - share) * common
            if known:
                _step(restaurant, slots[i, d], shares, p)
