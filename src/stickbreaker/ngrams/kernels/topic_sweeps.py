"""Gibbs sweeps over words for independent topics, with or without switches (Noji et al. 2013, section 4.1).

Each topic has restaurants of its own, a hierarchical Pitman-Yor language model. A word's topic is drawn given
all others.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART, log64
from stickbreaker.kernels.random import seeded, uniform
from stickbreaker.ngrams.kernels import pitman_yor
from stickbreaker.ngrams.kernels.topic_tables import (
    CUSTOMERS,
    TABLES,
    TOPIC,
    fill_path,
    joins,
    leave,
    opens,
    totals_of,
)


class Words(NamedTuple):
    """The words of a text and their topics, sorted by their deepest slots (the word in its longest
    context)."""

    deepest: NDArray[np.int64]  # words: the slot of the longest context
    slots: NDArray[np.int64]  # words: the slot in which each sits
    topics: NDArray[np.int32]  # words
    documents: NDArray[np.int64]  # words
    counts: NDArray[np.int32]  # documents × topics: words
    sizes: NDArray[np.int32]  # documents: number of words with topics other than the common one
    prior: NDArray[np.float64]  # topics: alpha; 0 for the common one


class Scratch(NamedTuple):
    """Working memory of a kernel that sweeps over words."""

    path: NDArray[np.int64]  # depths: slots from the empty context on
    p: NDArray[np.float64]  # depths × topics: p(word | context, topic)
    inverse: NDArray[np.float64]  # topics: 1 / (customers + concentration) of a restaurant
    weights: NDArray[np.float64]  # topics


@njit(**OPTIONS)
def scratch_of(n_depths, n_topics):
    """Allocate the working memory of a kernel that sweeps over words."""
    return Scratch(
        np.empty(n_depths, np.int64), np.empty((n_depths, n_topics)), np.empty(n_topics), np.empty(n_topics)
    )


@kernel_part(**PART)
def step(slot, d, rooms, seats, priors, inverse, p):
    """Update p (topics) of a slot's word from the shorter context to the slot's own, at depth d (Teh 2006,
    equation 7).

    A topic without customers in the restaurant keeps its p. inverse (topics): working memory.
    """
    restaurant = rooms.restaurants[slot]
    a, b = priors.discounts[d], priors.concentrations[d]
    totals, first = seats.totals, rooms.totals[restaurant]
    for place in range(first, first + seats.n_totals[restaurant]):
        k = totals[place, TOPIC]
        share = 1.0 / (totals[place, CUSTOMERS] + b)
        inverse[k] = share
        p[k] *= (b + a * totals[place, TABLES]) * share
    cells, first = seats.cells, rooms.cells[slot]
    for cell in range(first, first + seats.n_cells[slot]):
        k = cells[cell, TOPIC]
        p[k] += (cells[cell, CUSTOMERS] - a * cells[cell, TABLES]) * inverse[k]


@njit(**PART)
def predict_topics(depth, rooms, seats, priors, scratch):
    """Fill `scratch.p` (depths × topics) with p(word | context, topic) in each context of a word, up to the
    length `depth`.

    `scratch.path` must have the word's slots.
    """
    p, path = scratch.p, scratch.path
    base = priors.base[path[0]]
    for d in range(depth + 1):
        for k in range(rooms.n_topics):
            p[d, k] = p[d - 1, k] if d > 0 else base
        step(path[d], d, rooms, seats, priors, scratch.inverse, p[d])


@kernel_part(**PART)
def enter(depth, topic, rooms, seats, priors, scratch, state):
    """Seat a word as a customer of a topic in its context of the length `depth`, after `predict_topics`.

    Each table that opens sends a customer to the next shorter context.
    """
    for d in range(depth, -1, -1):
        slot = scratch.path[d]
        a, b = priors.discounts[d], priors.concentrations[d]
        _, tables = totals_of(rooms.restaurants[slot], topic, rooms, seats)
        shorter = scratch.p[d - 1, topic] if d > 0 else priors.base[slot]
        if joins(slot, topic, a, (b + a * tables) * shorter, rooms, seats, state):
            return
        opens(slot, topic, rooms, seats)


@kernel_part(**PART)
def drawn(weights, total, state):
    """Draw an index in proportion to weights, whose sum is `total`, never one of weight zero; advances
    `state`."""
    target = uniform(state) * total
    for k in range(len(weights) - 1):
        target -= weights[k]
        if target < 0.0:
            return k
    k = len(weights) - 1
    while weights[k] == 0.0 and k > 0:
        k -= 1
    return k


@kernel_part(**PART)
def count_word(word, change, words):
    """Add `change` (1 or -1) to the counts of a word's topic in its document."""
    document, topic = words.documents[word], words.topics[word]
    words.counts[document, topic] += change
    if topic > 0:
        words.sizes[document] += change


@kernel_part(**PART)
def weigh_topics(document, p, words, scale, weights_out):
    """Fill weights_out (topics) with scale (n + alpha) p, in proportion to the probability of each topic for
    a word of a document; 0 for the common topic. Returns the sum.

    n: how many words of the document have the topic; p (topics): the word's probability in each.
    """
    counts, prior = words.counts[document], words.prior
    weights_out[0] = 0.0
    found = 0.0
    for k in range(1, len(prior)):
        weight = (counts[k] + prior[k]) * scale * p[k]
        weights_out[k] = weight
        found += weight
    return found


@kernel_part(**PART)
def _sit_down(word, total, words, rooms, seats, priors, scratch, state):
    """Draw the topic of a word that has no seat, and seat the word in it; returns p(word | all others).

    total: the sum of the Dirichlet parameters of documents' topics.
    """
    document = words.documents[word]
    depth = fill_path(words.slots[word], rooms, scratch.path)
    predict_topics(depth, rooms, seats, priors, scratch)
    scale = 1.0 / (words.sizes[document] + total)
    mass = weigh_topics(document, scratch.p[depth], words, scale, scratch.weights)
    words.topics[word] = drawn(scratch.weights, mass, state)
    count_word(word, 1, words)
    enter(depth, words.topics[word], rooms, seats, priors, scratch, state)
    return mass


@njit(**OPTIONS)
def start_topics(order, words, rooms, seats, priors, key):
    """Seat words in empty restaurants, one by one, each in a topic drawn given the words seated before.

    For independent topics. order: indexes of the words; key: of the random stream (uint64).
    """
    state = np.empty(2, np.uint64)
    seeded(key, state)
    scratch, total = scratch_of(len(priors.discounts), rooms.n_topics), words.prior.sum()
    for word in order:
        _sit_down(word, total, words, rooms, seats, priors, scratch, state)


@njit(**OPTIONS)
def sweep_topics(words, rooms, seats, priors, key):
    """Resample the topic and seat of every word given all others (Wallach 2006, equations 6 to 8).

    Returns the sum of log p(word | its context, its document, all others), in nats, each taken when the word
    was resampled. key: of the random stream (uint64).
    """
    state = np.empty(2, np.uint64)
    seeded(key, state)
    scratch = scratch_of(len(priors.discounts), rooms.n_topics)
    total, nats = words.prior.sum(), 0.0
    for word in range(len(words.slots)):
        leave(words.slots[word], words.topics[word], rooms, seats, state)
        count_word(word, -1, words)
        nats += log64(_sit_down(word, total, words, rooms, seats, priors, scratch, state))
    return nats


@kernel_part(**PART)
def switch_of(restaurant, topic):
    """The slot of the switches (`switch_tables`) in which words of a topic are counted in restaurant r: 2 r
    for the common topic, 2 r + 1 for all others."""
    return 2 * restaurant + (1 if topic > 0 else 0)


@kernel_part(**PART)
def chance_of_topics(restaurant, switches, path, openings):
    """The probability, in a restaurant's context, that a word has a topic other than the common one.

    Fills `path` and `openings`, as `pitman_yor.predict` does.
    """
    return pitman_yor.predict(
        2 * restaurant + 1, switches.layout, switches.seating, switches.priors, path, openings
    )


@kernel_part(**PART)
def enter_switch(restaurant, topic, switches, path, openings, state):
    """Seat a customer in a restaurant of the switches, for a word with this topic (in the slot `switch_of`).

    path, openings: working memory.
    """
    slot, layout = switch_of(restaurant, topic), switches.layout
    pitman_yor.predict(slot, layout, switches.seating, switches.priors, path, openings)
    pitman_yor.enter(
        layout.depths[restaurant], layout, switches.seating, switches.priors, path, openings, state
    )


@kernel_part(**PART)
def _sit_down_switching(word, total, words, rooms, seats, priors, switches, scratch, path, openings, state):
    """Draw the topic of a word that has no seat, and seat the word in it and in the switches; returns
    p(word | all others).

    The word comes from the common topic with a probability that depends on the context (equation 9). path,
    openings: working memory for the switches.
    """
    slot, document, weights = words.slots[word], words.documents[word], scratch.weights
    restaurant = rooms.restaurants[slot]
    depth = fill_path(slot, rooms, scratch.path)
    predict_topics(depth, rooms, seats, priors, scratch)
    chance = chance_of_topics(restaurant, switches, path, openings)
    scale = chance / (words.sizes[document] + total)
    mass = weigh_topics(document, scratch.p[depth], words, scale, weights)
    weights[0] = scratch.p[depth, 0] * (1.0 - chance)
    mass += weights[0]
    words.topics[word] = drawn(weights, mass, state)
    count_word(word, 1, words)
    enter(depth, words.topics[word], rooms, seats, priors, scratch, state)
    enter_switch(restaurant, words.topics[word], switches, path, openings, state)
    return mass


@njit(**OPTIONS)
def start_switching(order, words, rooms, seats, priors, switches, key):
    """Seat words in empty restaurants, one by one, each in a topic drawn given the words seated before.

    For topics with a common one, from which a word comes with a probability that depends on the context.
    order: indexes of the words; key: of the random stream (uint64).
    """
    state = np.empty(2, np.uint64)
    seeded(key, state)
    scratch, total = scratch_of(len(priors.discounts), rooms.n_topics), words.prior.sum()
    path, openings = np.empty(len(priors.discounts), np.int64), np.empty(len(priors.discounts))
    for word in order:
        _sit_down_switching(
            word, total, words, rooms, seats, priors, switches, scratch, path, openings, state
        )


@njit(**OPTIONS)
def sweep_switching(words, rooms, seats, priors, switches, key):
    """Resample the topic and seat of every word given all others, for topics with a common one.

    Like `sweep_topics`, but a word comes from the common topic with a probability that depends on its
    context. Returns the sum of log p(word | its context, its document, all others), in nats.
    """
    state = np.empty(2, np.uint64)
    seeded(key, state)
    scratch = scratch_of(len(priors.discounts), rooms.n_topics)
    path, openings = np.empty(len(priors.discounts), np.int64), np.empty(len(priors.discounts))
    total, nats = words.prior.sum(), 0.0
    for word in range(len(words.slots)):
        slot, topic = words.slots[word], words.topics[word]
        leave(slot, topic, rooms, seats, state)
        count_word(word, -1, words)
        switch = switch_of(rooms.restaurants[slot], topic)
        pitman_yor.leave(switch, switches.layout, switches.seating, state)
        nats += log64(
            _sit_down_switching(
                word, total, words, rooms, seats, priors, switches, scratch, path, openings, state
            )
        )
    return nats
