"""Drawing the topic of a block of tables, by the probability of its seating and words in each topic (Noji et
al. 2013, 4.2).

Weights are products of factors, turned into logarithms before they underflow.
"""

from math import lgamma
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.math import PART, exp64, log64
from stickbreaker.ngrams.kernels.topic_sweeps import drawn
from stickbreaker.ngrams.kernels.topic_tables import CUSTOMERS, TABLES, TOPIC

FEW = 16  # customers up to which a seating is multiplied out; with more, log gamma
FACTORS = 10  # multiplied before logarithms are taken


class Block(NamedTuple):
    """Working memory for a block: a table with all tables and words below it.

    A part is a slot that has some of these tables.
    """

    slots: NDArray[np.int64]  # parts
    tables: NDArray[np.int64]  # parts + 1: where the table sizes of each part begin
    sizes: NDArray[np.int64]
    words: NDArray[np.int64]
    weights: NDArray[np.float64]  # topics: products of factors not yet added to `nats`
    nats: NDArray[np.float64]  # topics
    seen: NDArray[np.int32]  # documents: their words in the block


@njit(**PART)
def _take_logarithms(block):
    """Add the logarithms of the products `block.weights` to `block.nats`, and reset the products to 1."""
    for k in range(len(block.weights)):
        block.nats[k] += log64(max(block.weights[k], 1e-300))
        block.weights[k] = 1.0


@njit(**PART)
def _product(a, b, customers, tables, more_customers, more_tables):
    """The factor of p(seating) for t more tables with c more customers in a restaurant with T tables and C.

    It is prod_{i < t} (b + a (T + i)) / prod_{j < c} (b + C + j) (equation 11), up to a factor that is the
    same in all restaurants.
    """
    found = 1.0
    for i in range(more_tables):
        found *= (b + a * (tables + i)) / (b + customers + i)
    for j in range(more_tables, more_customers):
        found /= b + customers + j
    return found


@njit(**PART)
def _log_product(a, b, customers, tables, more_customers, more_tables):
    """The logarithm of `_product` up to a constant, by log Gamma functions: for many customers."""
    c, t = b + customers, b / a + tables
    opened = more_tables * log64(a) + lgamma(t + more_tables) - lgamma(t)
    return opened - lgamma(c + more_customers) + lgamma(c)


@njit(**PART)
def weigh_parts(n_parts, rooms, seats, priors, block):
    """Multiply each topic's weight by p of seating the block's tables in it, relative to empty restaurants.

    n_parts: the number of the block's parts.
    """
    factors = 0
    for part in range(n_parts):
        slot, customers = block.slots[part], np.int64(0)
        tables = block.tables[part + 1] - block.tables[part]
        for table in range(block.tables[part], block.tables[part + 1]):
            customers += block.sizes[table]
        restaurant = rooms.restaurants[slot]
        depth = rooms.depths[restaurant]
        a, b = priors.discounts[depth], priors.concentrations[depth]
        first = rooms.totals[restaurant]
        last = first + seats.n_totals[restaurant]
        if customers <= FEW:
            empty = _product(a, b, 0, 0, customers, tables)
            for place in range(first, last):
                c, t = seats.totals[place, CUSTOMERS], seats.totals[place, TABLES]
                if c > 0:
                    k = seats.totals[place, TOPIC]
                    block.weights[k] *= _product(a, b, c, t, customers, tables) / empty
            factors += customers
        else:
            empty = _log_product(a, b, 0, 0, customers, tables)
            for place in range(first, last):
                c, t = seats.totals[place, CUSTOMERS], seats.totals[place, TABLES]
                if c > 0:
                    k = seats.totals[place, TOPIC]
                    block.nats[k] += _log_product(a, b, c, t, customers, tables) - empty
        if factors >= FACTORS:
            _take_logarithms(block)
            factors = 0


@njit(**PART)
def weigh_words(n_words, words, total, block):
    """Multiply each topic's weight, from 1 on, by p that all words of the block have it (equation 13).

    total: the sum of the Dirichlet parameters of documents' topics.
    """
    counts, prior = words.counts, words.prior
    for place in range(n_words):
        document = words.documents[block.words[place]]
        before = block.seen[document]
        block.seen[document] += 1
        inverse = 1.0 / (words.sizes[document] + before + total)
        for k in range(1, len(prior)):
            block.weights[k] *= (counts[document, k] + before + prior[k]) * inverse
        if place % FACTORS == FACTORS - 1:
            _take_logarithms(block)
    for place in range(n_words):
        block.seen[words.documents[block.words[place]]] = 0


@njit(**PART)
def weigh_switches(n_words, words, rooms, shares, block):
    """Multiply the weight of topic 0 by (1 - lambda) / lambda for each of a block's words.

    lambda is the probability, in the word's context, that it comes from a topic of its document, and 1 -
    lambda that it comes from topic 0, which is common to all: all weights are then right up to a common
    factor. shares (restaurants): lambda.
    """
    common, topics = 0.0, 0.0
    for place in range(n_words):
        share = shares[rooms.restaurants[words.slots[block.words[place]]]]
        common += log64(1.0 - share)
        topics += log64(share)
    block.nats[0] += common - topics


@njit(**PART)
def _start_weights(p, block):
    """Set the weight of each topic to p (topics), the probability of the first table's customer in the
    shorter context.

    They are divided by the largest, because G0 of a long word may be so small that products underflow.
    """
    most = 0.0
    for k in range(len(p)):
        most = max(most, p[k])
    for k in range(len(p)):
        block.weights[k], block.nats[k] = p[k] / most, 0.0


@njit(**PART)
def weigh_block(p, n_parts, n_words, total, words, rooms, seats, priors, block):
    """Fill the weight of each topic for a block: the product of p (of the first table's customer), of all its
    tables, and of all its words.

    Switches are not included: see `weigh_switches`.
    """
    _start_weights(p, block)
    weigh_parts(n_parts, rooms, seats, priors, block)
    weigh_words(n_words, words, total, block)


@njit(**PART)
def draw_topic(first, block, state):
    """Draw a topic, at least `first`, in proportion to the weights of a block."""
    _take_logarithms(block)
    most = block.nats[first]
    for k in range(first, len(block.nats)):
        most = max(most, block.nats[k])
    for k in range(len(block.nats)):
        block.weights[k] = exp64(block.nats[k] - most) if k >= first else 0.0
    total = 0.0  # a separate loop: tests/array_places.py
    for k in range(len(block.nats)):
        total += block.weights[k]
    return drawn(block.weights, total, state)
