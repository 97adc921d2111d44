"""All seatings of eight words, one by one: how often a sweep comes to each."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from tests.ngrams.topic_states import names_of
from tests.tiers import chosen_of

from stickbreaker.ngrams.kernels.pitman_yor import (
    Layout,
    Priors,
    Seating,
    Stops,
    seat_all,
    sweep,
    sweep_unbounded,
)
from stickbreaker.ngrams.model.chain import GO_ON, STOP, events_of
from stickbreaker.ngrams.model.contexts import contexts_of
from stickbreaker.ngrams.model.seatings import places_of

BASE = np.array([0.5, 0.3, 0.2])
DISCOUNTS, CONCENTRATIONS = np.array([0.4, 0.7, 0.3]), np.array([0.8, 1.5, 0.5])
WORDS = np.array([0, 0, 1, 0, 0, 1, 0, 2])
BEFORE = np.array([[0, 1], [0, 1], [0, 1], [0, 2], [1, 0], [1, 0], [1, 0], [-1, -1]])
SWEEPS = 40_000


class Walk:
    """The tables of each context, and what it took to get there."""

    def __init__(self):
        self.sizes = defaultdict(list)  # (context, word): sizes of tables, in the order of their opening
        self.stops = defaultdict(lambda: [0, 0])

    def copy(self):
        other = Walk()
        other.sizes.update({key: list(sizes) for key, sizes in self.sizes.items()})
        other.stops.update({key: list(counts) for key, counts in self.stops.items()})
        return other


def enter(walk, context, word):
    """Every way in which a customer sits down, with its probability."""
    a, b = DISCOUNTS[len(context)], CONCENTRATIONS[len(context)]
    there = [size for (place, _), sizes in walk.sizes.items() if place == context for size in sizes]
    total = sum(there) + b
    for table, size in enumerate(walk.sizes[context, word]):
        after = walk.copy()
        after.sizes[context, word][table] += 1
        yield (size - a) / total, after
    opening = (b + a * len(there)) / total
    ways = enter(walk, context[:-1], word) if context else [(BASE[word], walk.copy())]
    for p, after in ways:
        after.sizes[context, word].append(1)
        yield opening * p, after


def lengths_of(walk, deepest):
    """Every length of context that a word may use, with its probability."""
    left = 1.0
    for length in range(len(deepest)):
        stops, passes = walk.stops[deepest[:length]]
        share = (stops + STOP) / (stops + passes + STOP + GO_ON)
        after = walk.copy()
        for shorter in range(length):
            after.stops[deepest[:shorter]][1] += 1
        after.stops[deepest[:length]][0] += 1
        yield left * share, length, after
        left *= 1.0 - share
    after = walk.copy()
    for shorter in range(len(deepest)):
        after.stops[deepest[:shorter]][1] += 1
    yield left, len(deepest), after


def state_of(walk, lengths=()):
    """What is kept of a seating: of each slot, how many tables there are of each size; lengths by slot."""
    tables = {key: tuple(sorted(sizes)) for key, sizes in walk.sizes.items() if sizes}
    return tuple(sorted(tables.items())), tuple(sorted(lengths))


def enumerated(contexts, *, unbounded):
    """The probability of each state given the words."""
    ways = Counter({(): 1.0})
    walks = {(): (Walk(), ())}
    for event, (word, deepest) in enumerate(zip(WORDS.tolist(), contexts, strict=True)):
        following, found = Counter(), {}
        for key, p in ways.items():
            walk, lengths = walks[key]
            choices = lengths_of(walk, deepest) if unbounded else [(1.0, len(deepest), walk)]
            for share, length, then in choices:
                for step, after in enter(then, deepest[:length], word):
                    known = (*lengths, ((deepest, word), length))
                    # ways that come to the same tables, however they are numbered, go on alike
                    state = (event, *state_of(after, known))
                    following[state] += p * share * step
                    found[state] = after, known
        ways, walks = following, found
    total = sum(ways.values())
    return {state[1:]: p / total for state, p in ways.items()}


@pytest.mark.parametrize("unbounded", chosen_of([False, True], [False]))
def test_sweeps_come_to_every_seating_as_often_as_they_should(unbounded):
    found, deepest = contexts_of(WORDS, lambda d: BEFORE[:, d - 1], 3, 2, shared=unbounded)
    events = events_of(found, deepest, BASE, unbounded=unbounded)
    names = names_of(found)
    contexts = [names[found.restaurants[slot]] for slot in deepest]
    exact = enumerated(contexts, unbounded=unbounded)
    assert sum(exact.values()) == pytest.approx(1.0)
    counted = Counter(states(events, names, deepest, unbounded=unbounded))
    assert set(counted) <= set(exact)
    p = np.array(list(exact.values()))
    found_p = np.array([counted[state] for state in exact]) / SWEEPS
    errors = np.sqrt(p * (1.0 - p) / (SWEEPS / 5))  # as if every fifth sweep were a draw by itself
    assert (np.abs(found_p - p) < 5.0 * errors + 1e-4).all()
    assert np.abs(found_p - p).sum() < errors.sum()
    assert len(exact) > 100


def states(events, names, deepest, *, unbounded):
    """The states after many sweeps."""
    found = events.contexts
    layout = Layout(found.parents, found.restaurants, found.depths, places_of(found, events.own))
    seating = Seating(
        np.zeros((len(found.slot_keys), 3), np.int32),
        np.zeros((int(layout.places[-1]), 2), np.int32),
        np.zeros((len(found.depths), 2), np.int32),
    )
    priors = Priors(BASE, DISCOUNTS, CONCENTRATIONS)
    n, counted = (len(WORDS), len(found.depths)) if unbounded else (0, 0)
    stops = Stops(np.zeros(n, np.int32), np.zeros((counted, 2), np.int32), STOP, GO_ON)
    seat_all(events.own, 3, layout, seating, priors, stops, np.uint64(1))
    slots = np.sort(deepest)
    for number in range(SWEEPS):
        key = np.uint64(number * 7919 + 13)
        if unbounded:
            sweep_unbounded(events.own, layout, seating, priors, stops, key)
        else:
            sweep(events.own, layout, seating, priors, key)
        tables = {}
        for slot, (customers, opened, kinds) in enumerate(seating.seats.tolist()):
            first = layout.places[slot]
            entries = seating.sizes[first : first + kinds].tolist()
            sizes = [size for size, times in entries for _ in range(times)] or [1] * opened
            if customers:
                tables[names[found.restaurants[slot]], slot_word(found, slot)] = tuple(sorted(sizes))
        at = [(names[found.restaurants[slot]], slot_word(found, slot)) for slot in slots]
        lengths = stops.depths.tolist() if unbounded else [len(context) for context, _ in at]
        yield tuple(sorted(tables.items())), tuple(sorted(zip(at, lengths, strict=True)))


def slot_word(contexts, slot):
    return int(contexts.slot_keys[slot] % contexts.n_words)
