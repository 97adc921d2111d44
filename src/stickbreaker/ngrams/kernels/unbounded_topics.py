"""Gibbs sweeps that draw each word's topic and context length jointly (Mochihashi and Sumita 2008; Noji et
al. 2013).

All topics share the distribution of lengths: a restaurant ends the context with probability (stops + stop) /
(stops + passes + stop + go_on), the deepest always, uncounted.
"""

import numpy as np
from numba import njit

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART, log64
from stickbreaker.kernels.random import seeded
from stickbreaker.ngrams.kernels import pitman_yor
from stickbreaker.ngrams.kernels.mixed_topics import enter_mixed, predict_mixed
from stickbreaker.ngrams.kernels.pitman_yor import chance_to_stop, count_stop
from stickbreaker.ngrams.kernels.topic_sweeps import (
    chance_of_topics,
    count_word,
    drawn,
    enter,
    enter_switch,
    predict_topics,
    scratch_of,
    switch_of,
    weigh_topics,
)
from stickbreaker.ngrams.kernels.topic_tables import fill_path, leave


@kernel_part(**PART)
def _take_out(word, words, rooms, seats, stops, path, state):
    """Remove a word from its table and all counts, before it is drawn again.

    Fills `path` with its slots in all its contexts, from the empty one on, and returns the length of the
    longest.
    """
    leave(words.slots[word], words.topics[word], rooms, seats, state)
    count_word(word, -1, words)
    deepest = fill_path(words.deepest[word], rooms, path)
    depth = rooms.depths[rooms.restaurants[words.slots[word]]]
    count_stop(depth, deepest, rooms, stops.counts, path, -1)
    return deepest


@kernel_part(**PART)
def _put_in(word, depth, deepest, words, rooms, stops, path):
    """Add a word to all counts again, with its newly drawn topic and context length (`depth`); the caller
    then seats it at a table.

    The word gets its slot; its topic is counted in its document, and its stop along its contexts, the longest
    of which has `deepest` words.
    """
    words.slots[word] = path[depth]
    count_word(word, 1, words)
    count_stop(depth, deepest, rooms, stops.counts, path, 1)


@kernel_part(**PART)
def _fill_stops(deepest, rooms, stops, path, stopping):
    """Fill `stopping` (depths) with the probability that a word's context has each length; 0 beyond its
    longest, `deepest`."""
    left = 1.0
    for d in range(len(stopping)):
        ends = 1.0
        if d < deepest:
            ends = chance_to_stop(rooms.restaurants[path[d]], stops)
        stopping[d] = left * ends if d <= deepest else 0.0
        left *= 1.0 - ends


@kernel_part(**PART)
def _draw_depth_and_topic(word, deepest, total, words, rooms, stops, scratch, depths, state):
    """Draw the context length and the topic (from 1 on) of a word, given its p for each (`scratch.p`).

    Returns the length and p(word); the topic is written to `words.topics`. depths (2 × depths): working
    memory, the probability of each length, and of that length with the word.
    """
    document, (stopping, masses) = words.documents[word], depths
    scale, mass = 1.0 / (words.sizes[document] + total), 0.0
    _fill_stops(deepest, rooms, stops, scratch.path, stopping)
    for d in range(len(masses)):
        masses[d] = 0.0
        if d <= deepest:
            masses[d] = stopping[d] * weigh_topics(document, scratch.p[d], words, scale, scratch.weights)
        mass += masses[d]
    depth = drawn(masses, mass, state)
    own = weigh_topics(document, scratch.p[depth], words, scale, scratch.weights)
    words.topics[word] = drawn(scratch.weights, own, state)
    return depth, mass


@njit(**OPTIONS)
def sweep_unbounded_topics(words, rooms, seats, priors, stops, key):
    """Resample the topic, context length and seat of every word given all others, for independent topics.

    Returns the sum of log p(word | its document, all others), in nats, each taken when the word was
    resampled. stops: the counts of words whose contexts end at each restaurant or pass it, which are updated;
    key: of the random stream (uint64).
    """
    state = np.empty(2, np.uint64)
    seeded(key, state)
    n_depths = len(priors.discounts)
    scratch, depths = scratch_of(n_depths, rooms.n_topics), np.empty((2, n_depths))
    total, nats = words.prior.sum(), 0.0
    for word in range(len(words.slots)):
        deepest = _take_out(word, words, rooms, seats, stops, scratch.path, state)
        predict_topics(deepest, rooms, seats, priors, scratch)
        depth, mass = _draw_depth_and_topic(word, deepest, total, words, rooms, stops, scratch, depths, state)
        nats += log64(mass)
        _put_in(word, depth, deepest, words, rooms, stops, scratch.path)
        enter(depth, words.topics[word], rooms, seats, priors, scratch, state)
    return nats


@njit(**OPTIONS)
def sweep_unbounded_mixed(words, rooms, seats, priors, shares, stops, key):
    """Resample the topic, context length and seat of every word, for topics that draw on a common one.

    Returns the sum of log p(word | its document, all others), in nats, like `sweep_unbounded_topics`. shares
    (restaurants): lambda, the weight of a topic itself against the common one.
    """
    state = np.empty(2, np.uint64)
    seeded(key, state)
    n_depths = len(priors.discounts)
    scratch, depths = scratch_of(n_depths, rooms.n_topics), np.empty((2, n_depths))
    total, nats = words.prior.sum(), 0.0
    for word in range(len(words.slots)):
        deepest = _take_out(word, words, rooms, seats, stops, scratch.path, state)
        predict_mixed(deepest, rooms, seats, priors, shares, scratch)
        depth, mass = _draw_depth_and_topic(word, deepest, total, words, rooms, stops, scratch, depths, state)
        nats += log64(mass)
        _put_in(word, depth, deepest, words, rooms, stops, scratch.path)
        enter_mixed(depth, words.topics[word], rooms, seats, priors, shares, scratch, state)
    return nats


@njit(**OPTIONS)
def sweep_unbounded_switching(words, rooms, seats, priors, switches, stops, key):
    """Resample the topic, context length and seat of every word given all others, for topics with a common
    one.

    Like `sweep_unbounded_topics`, but a word comes from the common topic with a probability that depends on
    the context in use. Returns the sum of log p(word | its document, all others), in nats.
    """
    state = np.empty(2, np.uint64)
    seeded(key, state)
    n_depths = len(priors.discounts)
    scratch, (stopping, masses, chances) = scratch_of(n_depths, rooms.n_topics), np.empty((3, n_depths))
    path, openings = np.empty(n_depths, np.int64), np.empty(n_depths)
    total, nats = words.prior.sum(), 0.0
    for word in range(len(words.slots)):
        document = words.documents[word]
        switch = switch_of(rooms.restaurants[words.slots[word]], words.topics[word])
        pitman_yor.leave(switch, switches.layout, switches.seating, state)
        deepest = _take_out(word, words, rooms, seats, stops, scratch.path, state)
        predict_topics(deepest, rooms, seats, priors, scratch)
        _fill_stops(deepest, rooms, stops, scratch.path, stopping)
        scale, mass = 1.0 / (words.sizes[document] + total), 0.0
        for d in range(n_depths):
            masses[d] = 0.0
            if d <= deepest:
                p = scratch.p[d]
                chances[d] = chance_of_topics(rooms.restaurants[scratch.path[d]], switches, path, openings)
                of_topics = stopping[d] * weigh_topics(document, p, words, scale, scratch.weights)
                masses[d] = chances[d] * of_topics + stopping[d] * (1.0 - chances[d]) * p[0]
            mass += masses[d]
        nats += log64(mass)
        depth = drawn(masses, mass, state)
        mass = weigh_topics(document, scratch.p[depth], words, scale * chances[depth], scratch.weights)
        scratch.weights[0] = (1.0 - chances[depth]) * scratch.p[depth, 0]
        words.topics[word] = drawn(scratch.weights, mass + scratch.weights[0], state)
        _put_in(word, depth, deepest, words, rooms, stops, scratch.path)
        enter(depth, words.topics[word], rooms, seats, priors, scratch, state)
        restaurant = rooms.restaurants[scratch.path[depth]]
        enter_switch(restaurant, words.topics[word], switches, path, openings, state)
    return nats
