"""Words draw their topic and the length of their context together (Mochihashi and Sumita 2008; Noji et al.
2013).

Where words stop is shared by all topics: a restaurant ends the context with chance (stops + stop) / (stops +
passes + stop + go_on), and in the deepest all stop, which is not counted.
"""

import numpy as np
from numba import njit

from stickbreaker.kernels.math import OPTIONS, PART, log64
from stickbreaker.kernels.random import seeded
from stickbreaker.ngrams.kernels import pitman_yor
from stickbreaker.ngrams.kernels.mixed_topics import enter_mixed, predict_mixed
from stickbreaker.ngrams.kernels.topic_sweeps import (
    chance_of_topics,
    count_word,
    drawn,
    enter,
    enter_switch,
    predict_topics,
    scratch_of,
    weigh_topics,
)
from stickbreaker.ngrams.kernels.topic_tables import fill_path, leave


@njit(**PART)
def _ends(restaurant, stops):
    """The chance that a restaurant ends the context."""
    stopped, passed = stops.counts[restaurant, 0], stops.counts[restaurant, 1]
    return (stopped + stops.stop) / (stopped + passed + stops.stop + stops.go_on)


@njit(**PART)
def _count_stop(depth, deepest, rooms, stops, path, change):
    """Count that a word stops at a depth (or, with change -1, no longer does)."""
    for d in range(depth):
        stops.counts[rooms.restaurants[path[d]], 1] += change
    if depth < deepest:
        stops.counts[rooms.restaurants[path[depth]], 0] += change


@njit(**PART)
def _take_out(word, words, rooms, seats, stops, path, state):
    """A word leaves, and is counted nowhere; fills its path and gives the deepest depth."""
    leave(words.slots[word], words.topics[word], rooms, seats, state)
    count_word(word, -1, words)
    deepest = fill_path(words.deepest[word], rooms, path)
    _count_stop(rooms.depths[rooms.restaurants[words.slots[word]]], deepest, rooms, stops, path, -1)
    return deepest


@njit(**PART)
def _put_in(word, depth, deepest, words, rooms, stops, path):
    """Count a word of a topic that stops at a depth of its path."""
    words.slots[word] = path[depth]
    count_word(word, 1, words)
    _count_stop(depth, deepest, rooms, stops, path, 1)


@njit(**PART)
def _weigh_depths(document, deepest, words, rooms, stops, scratch, scale, masses):
    """Fill masses: p(it stops there, word) at each depth, in topics from 1 on; gives their sum."""
    left, total = 1.0, 0.0
    for d in range(deepest + 1):
        ends = _ends(rooms.restaurants[scratch.path[d]], stops) if d < deepest else 1.0
        mass = weigh_topics(document, scratch.p[d], words, scale, scratch.weights)
        masses[d] = left * ends * mass
        left *= 1.0 - ends
        total += masses[d]
    for d in range(deepest + 1, len(masses)):
        masses[d] = 0.0
    return total


@njit(**OPTIONS)
def sweep_unbounded_topics(words, rooms, seats, priors, stops, key):
    """Every word draws its topic and the length of its context anew, given all others.

    Gives the sum of log p(word | its context, its document, all others), in nats. key: of the stream
    (uint64).
    """
    state = np.empty(2, np.uint64)
    seeded(key, state)
    n_depths = len(priors.discounts)
    scratch, masses = scratch_of(n_depths, rooms.n_topics), np.empty(n_depths)
    total, nats = words.prior.sum(), 0.0
    for word in range(len(words.slots)):
        document = words.documents[word]
        deepest = _take_out(word, words, rooms, seats, stops, scratch.path, state)
        predict_topics(deepest, rooms, seats, priors, scratch)
        scale = 1.0 / (words.sizes[document] + total)
        mass = _weigh_depths(document, deepest, words, rooms, stops, scratch, scale, masses)
        nats += log64(mass)
        depth = drawn(masses, mass, state)
        mass = weigh_topics(document, scratch.p[depth], words, scale, scratch.weights)
        words.topics[word] = drawn(scratch.weights, mass, state)
        _put_in(word, depth, deepest, words, rooms, stops, scratch.path)
        enter(depth, words.topics[word], rooms, seats, priors, scratch, state)
    return nats


@njit(**OPTIONS)
def sweep_unbounded_mixed(words, rooms, seats, priors, shares, stops, key):
    """The same of topics that draw on a common one, given lambda (restaurants)."""
    state = np.empty(2, np.uint64)
    seeded(key, state)
    n_depths = len(priors.discounts)
    scratch, masses = scratch_of(n_depths, rooms.n_topics), np.empty(n_depths)
    total, nats = words.prior.sum(), 0.0
    for word in range(len(words.slots)):
        document = words.documents[word]
        deepest = _take_out(word, words, rooms, seats, stops, scratch.path, state)
        predict_mixed(deepest, rooms, seats, priors, shares, scratch)
        scale = 1.0 / (words.sizes[document] + total)
        mass = _weigh_depths(document, deepest, words, rooms, stops, scratch, scale, masses)
        nats += log64(mass)
        depth = drawn(masses, mass, state)
        mass = weigh_topics(document, scratch.p[depth], words, scale, scratch.weights)
        words.topics[word] = drawn(scratch.weights, mass, state)
        _put_in(word, depth, deepest, words, rooms, stops, scratch.path)
        enter_mixed(depth, words.topics[word], rooms, seats, priors, shares, scratch, state)
    return nats


@njit(**OPTIONS)
def sweep_unbounded_switching(words, rooms, seats, priors, switches, stops, key):
    """The same where the context in use has its own chance of the common topic."""
    state = np.empty(2, np.uint64)
    seeded(key, state)
    n_depths = len(priors.discounts)
    scratch, masses = scratch_of(n_depths, rooms.n_topics), np.empty(n_depths)
    chances, path, openings = np.empty(n_depths), np.empty(n_depths, np.int64), np.empty(n_depths)
    total, nats = words.prior.sum(), 0.0
    for word in range(len(words.slots)):
        document, topic = words.documents[word], words.topics[word]
        switch = 2 * rooms.restaurants[words.slots[word]] + (1 if topic > 0 else 0)
        pitman_yor.leave(switch, switches.layout, switches.seating, state)
        deepest = _take_out(word, words, rooms, seats, stops, scratch.path, state)
        predict_topics(deepest, rooms, seats, priors, scratch)
        scale = 1.0 / (words.sizes[document] + total)
        _weigh_depths(document, deepest, words, rooms, stops, scratch, scale, masses)
        left, mass = 1.0, 0.0
        for d in range(deepest + 1):
            restaurant = rooms.restaurants[scratch.path[d]]
            ends = _ends(restaurant, stops) if d < deepest else 1.0
            chances[d] = chance_of_topics(restaurant, switches, path, openings)
            masses[d] = chances[d] * masses[d] + left * ends * (1.0 - chances[d]) * scratch.p[d, 0]
            left *= 1.0 - ends
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
