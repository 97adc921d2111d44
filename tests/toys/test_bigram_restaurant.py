"""The toy sampler is held to the laws of samplers, and to its definition by loops and enumeration."""

from itertools import product

import numpy as np
import pytest
from tests.toys.bigram_restaurant import BigramRestaurant, Bigrams, bigrams_of

from stickbreaker.learning.chains import Chains
from stickbreaker.testing import ExactSamplerTests, chain_deviations

CONTEXTS, WORDS = np.array([3, 0, 0, 1, 3, 0, 2, 3]), 3
ALPHA, GAMMA = 0.8, 1.5


def log_joint(bigrams, tables, alpha=ALPHA, gamma=GAMMA):
    """log p(words, seating): customers come in one after the other; `tables` has a name for each's table."""
    nats, customers, seated, dishes = 0.0, {}, {}, []
    for context, word, table in zip(bigrams.contexts.tolist(), bigrams.words.tolist(), tables, strict=True):
        before = customers.get(context, 0)
        if table in seated:
            nats += np.log(seated[table])
        else:
            served = dishes.count(word) + gamma / bigrams.n_words
            nats += np.log(alpha * served / (len(dishes) + gamma))
            dishes.append(word)
        nats -= np.log(before + alpha)
        customers[context], seated[table] = before + 1, seated.get(table, 0) + 1
    return nats


def names_of(bigrams, seats):
    """A name for each token's table."""
    return list(zip(bigrams.contexts.tolist(), bigrams.words.tolist(), seats.tolist(), strict=True))


def chain_at(bigrams, tables, seed=1):
    """A chain whose tokens sit at tables of such names, each with one dish."""
    numbers = {}
    for context, word, table in zip(bigrams.contexts.tolist(), bigrams.words.tolist(), tables, strict=True):
        numbers.setdefault((context, word), {}).setdefault(table, len(numbers.get((context, word), ())))
    keys = zip(bigrams.contexts.tolist(), bigrams.words.tolist(), tables, strict=True)
    sampler = BigramRestaurant(bigrams, ALPHA, GAMMA, seed)
    seats = np.array([numbers[context, word][table] for context, word, table in keys])
    sampler.restore({**sampler.snapshot(), "seats": seats})
    return sampler


class TestBigramRestaurant(ExactSamplerTests):
    def sentences(self, n):
        generator = np.random.default_rng(0)
        starts = np.sort(generator.choice(np.arange(1, 40 * n), n - 1, replace=False))
        return bigrams_of(generator.integers(0, 5, 40 * n), np.append(0, starts), 6)

    def sampler(self, seed):
        return BigramRestaurant(self.sentences(5), ALPHA, GAMMA, seed)

    def another(self):
        return BigramRestaurant(self.sentences(4), ALPHA, GAMMA, 3)

    def log_joint(self, sampler):
        bigrams = self.sentences(5)
        return log_joint(bigrams, names_of(bigrams, sampler.snapshot()["seats"]))

    def draw(self, generator):
        """Contexts are given; customers come in one after the other."""
        tables, dishes, sizes = [], {}, {}
        for i, context in enumerate(CONTEXTS.tolist()):
            own = [table for table in sizes if table[0] == context]
            odds = np.array([*(sizes[table] for table in own), ALPHA])
            chosen = generator.choice(len(odds), p=odds / odds.sum())
            if chosen == len(own):
                own.append((context, i))
                served = np.bincount(list(dishes.values()), minlength=WORDS) + GAMMA / WORDS
                dishes[own[-1]] = generator.choice(WORDS, p=served / served.sum())
            tables.append(own[chosen])
            sizes[own[chosen]] = sizes.get(own[chosen], 0) + 1
        bigrams = Bigrams(CONTEXTS, np.array([dishes[table] for table in tables]), WORDS)
        return bigrams, chain_at(bigrams, tables)

    def redraw(self, bigrams, sampler, generator):
        """The same tables with other dishes."""
        tables, dishes = names_of(bigrams, sampler.snapshot()["seats"]), {}
        for table in tables:
            if table not in dishes:
                served = np.bincount(list(dishes.values()), minlength=WORDS) + GAMMA / WORDS
                dishes[table] = generator.choice(WORDS, p=served / served.sum())
        bigrams = bigrams._replace(words=np.array([dishes[table] for table in tables]))
        return bigrams, chain_at(bigrams, tables)

    def functions(self, bigrams, sampler):
        tables = names_of(bigrams, sampler.snapshot()["seats"])
        sizes = np.array([tables.count(table) for table in set(tables)])
        counts = np.bincount(bigrams.words, minlength=WORDS)
        same = [tables[0] == tables[4], tables[1] == tables[2], bigrams.words[1] == bigrams.words[3]]
        return [len(sizes), (sizes == 1).sum(), (sizes**2).sum(), *counts, (counts**2).sum(), *same]


def test_a_long_run_has_the_posterior_by_enumeration():
    """Six tokens of two restaurants: every seating that the words allow."""
    bigrams = Bigrams(np.array([0, 0, 0, 0, 1, 1]), np.array([1, 1, 1, 0, 1, 1]), 2)
    chances = {}
    for names in product(range(3), repeat=6):
        tables = list(zip(bigrams.contexts.tolist(), bigrams.words.tolist(), names, strict=True))
        chances[shape(tables)] = np.exp(log_joint(bigrams, tables))
    whole = sum(chances.values())
    states = list(chances)
    sampler, seen = BigramRestaurant(bigrams, ALPHA, GAMMA, 2), np.zeros((6_000, len(states)))
    for number in range(len(seen)):
        sampler.sweep(number, 1)
        seen[number, states.index(shape(names_of(bigrams, sampler.snapshot()["seats"])))] = 1.0
    expected = np.array([chances[state] / whole for state in states])
    assert len(states) == 10, "partitions of three, of one, and of two"
    assert chain_deviations(seen, expected).max() < 4.0


def shape(tables):
    """Which tokens sit together."""
    return tuple(tables.index(table) for table in tables)


def test_every_restaurant_predicts_with_probabilities_that_sum_to_one():
    sampler = TestBigramRestaurant().sampler(0)
    for number in range(3):
        sampler.sweep(number, 1)
        sampler.keep()
    mean = sampler.fitted().params["predictive"].values
    assert mean.shape == (7, 6)
    assert mean.sum(axis=1) == pytest.approx(np.ones(7))


def test_planted_successors_are_predicted():
    """Words that follow each other in a ring, with noise: the model learns whom each is followed by."""
    generator, words = np.random.default_rng(1), [0]
    for _ in range(400):
        words.append((words[-1] + 1) % 8 if generator.random() < 0.8 else generator.integers(8))
    bigrams = bigrams_of(np.array(words), np.array([0]), 8)
    chains = Chains([BigramRestaurant(bigrams, 1.0, 1.0, seed) for seed in (0, 1)], 5, 5, 1)
    for number in range(20):
        chains.sweep(number, last=number == 19)
    found = chains.fitted().params["predictive"].values[:8]
    assert found.argmax(axis=1).tolist() == [1, 2, 3, 4, 5, 6, 7, 0]
    assert found.max(axis=1).mean() == pytest.approx(0.825, abs=0.05)
