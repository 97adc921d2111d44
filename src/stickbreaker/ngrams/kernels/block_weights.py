"""Drawing the topic of a block of tables, by the probability of its seating and words in each topic (Noji et
al. 2013, 4.2).

Weights are products of factors, turned into logarithms before they underflow.
"""

from math import lgamma
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import PART, exp64, log64
from stickbreaker.ngrams.kernels.topic_sweeps import drawn
from stickbreaker.ngrams.kernels.topic_tables import CUSTOMERS, TABLES, TOPIC

FEW = 16  # customers up to which a seating is multiplied out; with more, log gamma
FACTORS = 10  # multiplied before logarithms are taken


class Block(NamedTuple):
    """Working memory for a block: a table, all tables of longer contexts that are its customers, directly or
    through others, and their words.

    Its tables are grouped into parts: a part is a slot (a word in a context) that has some of them.
    """

    slots: NDArray[np.int64]  # parts
    tables: NDArray[np.int64]  # parts + 1: where the table sizes of each part begin
    sizes: NDArray[np.int64]
    words: NDArray[np.int64]
    weights: NDArray[np.float64]  # topics: products of factors not yet added to `nats`
    nats: NDArray[np.float64]  # topics
    seen: NDArray[np.int32]  # documents: their words in the block


@kernel_part(**PART)
def _take_logarithms(block):
    """Add the logarithms of the products `block.weights` to `block.nats`, before they underflow, and reset
    the products to 1."""
    for k in range(len(block.weights)):
        block.nats[k] += log64(max(block.weights[k], 1e-300))
        block.weights[k] = 1.0


@kernel_part(**PART)
def _product(a, b, customers, tables, more_customers, more_tables):
    """The factor by which p(seating) of a restaurant changes if `more_tables` tables with `more_customers`
    customers in all are added to its T tables and C customers.

    It is prod_{i < t} (b + a (T + i)) / prod_{j < c} (b + C + j) (equation 11), up to a factor that is the
    same in all restaurants. a, b: discount and concentration.
    """
    found = 1.0
    for i in range(more_tables):
        found *= (b + a * (tables + i)) / (b + customers + i)
    for j in range(more_tables, more_customers):
        found /= b + customers + j
    return found


@kernel_part(**PART)
def _log_product(a, b, customers, tables, more_customers, more_tables):
    """The logarithm of `_product` by log Gamma functions, up to a constant; used if there are many
    customers."""
    c, t = b + customers, b / a + tables
    opened = more_tables * log64(a) + lgamma(t + more_tables) - lgamma(t)
    return opened - lgamma(c + more_customers) + lgamma(c)


@njit(**PART)
def weigh_parts(n_parts, rooms, seats, priors, block):
    """Multiply each topic's weight in `block` by p of seating the block's tables in that topic, relative to
    empty restaurants.

    n_parts: the number of the block's parts (slots with some of its tables).
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
    """Multiply each topic's weight in `block` by p that all words of the block have this topic in their
    documents (equation 13); topic 0, which is common to all documents, is skipped.

    n_words: words of the block; total: the sum of the Dirichlet parameters of documents' topics.
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
    """Multiply the weight of topic 0, the common one, by (1 - lambda) / lambda for each of a block's words.

    lambda is the probability, in the word's context, that it comes from a topic of its document, not from
    topic 0. All weights are then right up to a common factor. n_words: words of the block; shares
    (restaurants): lambda.
    """
    common, topics = 0.0, 0.0
    for place in range(n_words):
        share = shares[rooms.restaurants[words.slots[block.words[place]]]]
        common += log64(1.0 - share)
        topics += log64(share)
    block.nats[0] += common - topics


@kernel_part(**PART)
def _start_weights(p, block):
    """Set the weight of each topic to p (topics): the probability of the word that the block's first table
    sends, as a customer, to the shorter context.

    All are divided by the largest, because G0 of a long word may be so small that products underflow.
    """
    most = 0.0
    for k in range(len(p)):
        most = max(most, p[k])
    for k in range(len(p)):
        block.weights[k], block.nats[k] = p[k] / most, 0.0


@kernel_part(**PART)
def weigh_block(p, n_parts, n_words, total, words, rooms, seats, priors, block):
    """Fill a block's weight for each topic: p that the block, which has been removed, is seated in that
    topic.

    It is the product of p (topics), the probability of the customer that the first table sends, and of the
    factors of all tables and words. Switches are not included: see `weigh_switches`.
    """
    _start_weights(p, block)
    weigh_parts(n_parts, rooms, seats, priors, block)
    weigh_words(n_words, words, total, block)


@njit(**PART)
def draw_topic(first, block, state):
    """Draw a block's topic in proportion to the topics' weights; those below number `first` are left out.

    The weights are overwritten. Advances `state`.
    """
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
