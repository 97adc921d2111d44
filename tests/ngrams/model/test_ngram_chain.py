"""The seating of n-gram models: laws of samplers, enumeration, and planted discounts."""

import itertools
from collections import defaultdict

import numpy as np
import pytest
from tests.oracle.pitman_yor import Restaurants, Table, log_restaurant, words_of

from stickbreaker.ngrams.model.chain import (
    CONCENTRATION,
    DISCOUNT,
    GO_ON,
    STOP,
    PitmanYorChain,
    events_of,
)
from stickbreaker.ngrams.model.contexts import contexts_of
from stickbreaker.testing.samplers import ExactSamplerTests

BASE = np.array([0.5, 0.3, 0.2])
# of eight words, the symbols before each, the nearest first: they stand by themselves, whatever the words are
BEFORE = np.array([[0, 1], [0, 1], [0, 2], [1, -1], [1, 0], [1, 0], [2, -1], [-1, -1]])


def events(words, before=BEFORE, *, unbounded=False, base=BASE):
    found, deepest = contexts_of(
        words, lambda d: before[:, d - 1], len(base), before.shape[1], shared=unbounded
    )
    return events_of(found, deepest, base, unbounded=unbounded), deepest


def restaurant_of(contexts, context):
    at = np.zeros(1, np.int64)
    for symbol in context:
        at = contexts.find_restaurants(at, np.array([symbol]))
    return at


def longest_contexts(before, n_words, *, unbounded):
    """Of each word, the context of its deepest slot."""
    words = np.zeros(len(before), np.int64)
    found, deepest = contexts_of(
        words, lambda d: before[:, d - 1], n_words, before.shape[1], shared=unbounded
    )
    lengths = found.depths[found.restaurants[deepest]]
    return [tuple(row[:length].tolist()) for row, length in zip(before, lengths, strict=True)]


def chain_of(words, tables, hyper, *, unbounded, lengths, seed=0):
    """A chain of words in a seating with tables."""
    made, deepest = events(words, unbounded=unbounded)
    chain = PitmanYorChain(made, seed)
    arrays = chain.snapshot()
    seats, sizes = np.zeros_like(arrays["seats"]), np.zeros_like(arrays["sizes"])
    found, places = defaultdict(list), chain._layout.places

    def word_of(customer):
        return word_of(customer.customers[0]) if isinstance(customer, Table) else words[customer]

    for context, there in tables.items():
        for table in there:
            slot = made.contexts.find_slots(
                restaurant_of(made.contexts, context), np.array([word_of(table)])
            )[0]
            found[slot].append(len(table.customers))
    for slot, held in found.items():
        seats[slot, :2] = sum(held), len(held)
        if places[slot + 1] > places[slot]:
            kinds = sorted(set(held))
            seats[slot, 2] = len(kinds)
            for i, size in enumerate(kinds):
                sizes[places[slot] + i] = size, held.count(size)
    arrays |= {
        "seats": seats,
        "sizes": sizes,
        "discounts": hyper[0].copy(),
        "concentrations": hyper[1].copy(),
    }
    if unbounded:
        arrays["depths"] = np.array(lengths, np.int32)[np.argsort(deepest, kind="stable")]
    chain.restore(arrays)
    return chain


def tables_of(words, chain, generator, *, unbounded):
    """Tables with customers, drawn evenly among those that a seating may be, and contexts' lengths."""
    made, deepest = events(words, unbounded=unbounded)
    arrays, places = chain.snapshot(), chain._layout.places
    longest = longest_contexts(BEFORE, len(BASE), unbounded=unbounded)
    lengths = np.array([len(context) for context in longest])
    if unbounded:
        lengths[np.argsort(deepest, kind="stable")] = arrays["depths"]
    waiting = defaultdict(list)
    for event, word in enumerate(words):
        context = longest[event][: lengths[event]]
        waiting[context, word].append(event)
    tables = defaultdict(list)
    for length in range(BEFORE.shape[1], -1, -1):
        for context, word in [key for key in waiting if len(key[0]) == length]:
            slot = made.contexts.find_slots(restaurant_of(made.contexts, context), np.array([word]))[0]
            held = range(places[slot], places[slot] + arrays["seats"][slot, 2])
            sizes = [size for size, n in arrays["sizes"][list(held)].tolist() for _ in range(n)] or [1]
            customers = waiting[context, word]
            order = generator.permutation(len(customers))
            starts = np.cumsum([0, *sizes])
            assert starts[-1] == len(customers)
            for start, stop in itertools.pairwise(starts):
                table = Table(context, [customers[i] for i in order[start:stop]])
                tables[context].append(table)
                if context:
                    waiting[context[:-1], word].append(table)
    return tables, lengths


class FixedLaws(ExactSamplerTests):
    """Contexts of at most two words."""

    unbounded = False
    draws, sweeps = 5_000, 8_000  # 50,000 sweeps passed too, in minutes

    def sampler(self, seed):
        generator = np.random.default_rng(0)
        words = generator.integers(3, size=60)
        before = np.stack([np.roll(words, 1), np.roll(words, 2)], axis=1)
        before[:1], before[1:2, 1] = -1, -1
        return PitmanYorChain(events(words, before, unbounded=self.unbounded)[0], seed)

    def another(self):
        words = np.arange(70) % 3
        before = np.stack([np.roll(words, 1), np.roll(words, 2)], axis=1)
        return PitmanYorChain(events(words, before, unbounded=self.unbounded)[0], 0)

    def log_joint(self, sampler):
        arrays, layout = sampler.snapshot(), sampler._layout
        nats = -arrays["concentrations"].sum()
        by_restaurant = defaultdict(list)
        for slot, restaurant in enumerate(layout.restaurants):
            customers, _, kinds = arrays["seats"][slot]
            entries = arrays["sizes"][layout.places[slot] : layout.places[slot] + kinds].tolist()
            tables = [size for size, n in entries for _ in range(n)]
            tables = tables or [1] * customers
            by_restaurant[restaurant] += tables
            nats += len(tables) * np.log(BASE[slot]) if layout.parents[slot] < 0 else 0.0
        for restaurant, sizes in by_restaurant.items():
            depth = layout.depths[restaurant]
            nats += log_restaurant(sizes, arrays["discounts"][depth], arrays["concentrations"][depth])
        for stops, passes in sampler._stops.counts.tolist():
            for i in range(stops):
                nats += np.log((STOP + i) / (STOP + GO_ON + i))
            for i in range(passes):
                nats += np.log((GO_ON + i) / (STOP + GO_ON + stops + i))
        return nats

    def draw(self, generator):
        hyper = generator.random(3), generator.gamma(1.0, 1.0, 3)
        seats = Restaurants(*hyper)
        longest = longest_contexts(BEFORE, 3, unbounded=self.unbounded)
        lengths = []
        for event, context in enumerate(longest):
            lengths.append(seats.draw_length(context, generator) if self.unbounded else len(context))
            seats.seat(event, context[: lengths[-1]], generator)
        words = words_of(seats.tables, len(BEFORE), BASE, generator)
        return words, chain_of(words, seats.tables, hyper, unbounded=self.unbounded, lengths=lengths)

    def redraw(self, data, sampler, generator):
        tables, lengths = tables_of(data, sampler, generator, unbounded=self.unbounded)
        words = words_of(tables, len(BEFORE), BASE, generator)
        arrays = sampler.snapshot()
        hyper = arrays["discounts"], arrays["concentrations"]
        return words, chain_of(words, tables, hyper, unbounded=self.unbounded, lengths=lengths)

    def functions(self, data, sampler):
        arrays, layout = sampler.snapshot(), sampler._layout
        depths = layout.depths[layout.restaurants]
        tables = np.bincount(depths, arrays["seats"][:, 1], 3)
        counts = np.bincount(data, minlength=3)
        customers = np.bincount(depths, arrays["seats"][:, 0] ** 2, 3)
        a, b = arrays["discounts"], arrays["concentrations"]
        stops = [arrays["depths"].sum(), (arrays["depths"] ** 2).sum()] if self.unbounded else []
        return [*tables, *tables**2, *customers, *counts, *counts**2, *a, *a**2, *np.log(b), *b, *stops]


class TestFixed(FixedLaws):
    pass


class TestUnbounded(FixedLaws):
    unbounded = True


@pytest.mark.parametrize("unit", [1.0, 1e-250])
def test_perplexity_of_words_that_differ(unit):
    """Without contexts, each has what two others with a table each leave: (b + 2 a) G0 / (2 + b)."""
    base = unit * BASE
    contexts, deepest = contexts_of(np.arange(3), lambda d: None, 3, 0)
    chain = PitmanYorChain(events_of(contexts, deepest, base, unbounded=False), 0)
    assert "perplexity" not in chain.figures()
    chain.sweep(0, 1)
    left = np.log((CONCENTRATION + 2 * DISCOUNT) * base / (2 + CONCENTRATION))
    assert np.isclose(chain.figures()["perplexity"], np.exp(-left.mean()), rtol=1e-12)


@pytest.mark.parametrize("unbounded", [False, True])
def test_perplexity_of_a_word_that_comes_twice(unbounded):
    """In one context of one word: given the other, which sits there, or in an unbounded model before."""
    a, b = DISCOUNT, CONCENTRATION
    without = (1 - a + (b + a) * BASE[2]) / (1 + b)
    within = (1 - a + (b + a) * without) / (1 + b)
    share = (STOP / (STOP + GO_ON + 1)) if unbounded else 0.0
    goes_on = share * without + (1.0 - share) * within
    drawn = set()
    for seed in range(20):
        chain = PitmanYorChain(
            events(np.array([2, 2]), np.zeros((2, 1), np.int64), unbounded=unbounded)[0], seed
        )
        chain.sweep(0, 1)
        length = int(chain.snapshot()["depths"][0]) if unbounded else 1
        drawn.add(length)
        nats = np.log(goes_on) + np.log(goes_on if length else without)
        assert np.isclose(chain.figures()["perplexity"], np.exp(-nats / 2), rtol=1e-12)
    assert drawn == ({0, 1} if unbounded else {1})


def test_a_base_too_small_for_a_number_has_a_finite_score():
    """A word of a thousand letters, whose G0 is rounded to 0."""
    base = np.array([1.0, 0.0, 0.0])
    chain = PitmanYorChain(events(np.arange(8) % 3, base=base)[0], 0)
    for number in range(3):
        chain.sweep(number, 1)
        assert np.isfinite(chain.score().nats)
        assert np.isfinite(chain.figures()["perplexity"])


@pytest.mark.parametrize("nats", [np.zeros(2), np.array([np.nan]), np.array([1]), np.array(-1.0)])
def test_a_score_that_is_none_is_refused(nats):
    chain = PitmanYorChain(events(np.arange(8) % 3)[0], 0)
    with pytest.raises(ValueError):
        chain.restore({**chain.snapshot(), "nats": nats})
