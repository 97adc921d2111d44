"""The chains of topic n-gram models: laws of samplers, by tables that know their customers."""

from collections import defaultdict

import numpy as np
import pytest
from scipy.special import gammaln
from tests.ngrams.topic_states import (
    BASE,
    BEFORE,
    CHAINS,
    DOCUMENTS,
    Study,
    entries_of,
    names_of,
    topic_events,
)
from tests.oracle.pitman_yor import log_restaurant
from tests.oracle.topic_ngrams import Hyper, log_switches, log_topics, words_of
from tests.tiers import EXHAUSTIVE

from stickbreaker.ngrams.model.chain import GO_ON, STOP
from stickbreaker.testing.samplers import ExactSamplerTests

N_TOPICS = 3


def tables_of_switches(held, names, arrays):
    """Tables (label, customers) by context."""
    found = defaultdict(list)
    for slot, (customers, _, kinds) in enumerate(arrays["switch_seats"].tolist()):
        first = held.layout.places[slot]
        sizes = [s for s, n in arrays["switch_sizes"][first : first + kinds].tolist() for _ in range(n)]
        found[names[slot // 2]] += [(slot % 2, size) for size in sizes or [1] * customers]
    return found


class TopicLaws(ExactSamplerTests):
    """Contexts of at most two words, three topics."""

    prior, unbounded, moves = "none", False, "tables"
    draws, sweeps = 10_000, 15_000
    states = 10_000 if EXHAUSTIVE else 300

    @property
    def study(self):
        return Study(self.prior, N_TOPICS, unbounded=self.unbounded, moves=self.moves)

    def sampler(self, seed):
        return self._chain(np.tile([0, 1, 0, 2, 1, 0, 0, 1], 4), seed)

    def another(self):
        return self._chain(np.array([0, 1, 1, 0, 1]), 0)

    def _chain(self, words, seed):
        before = np.stack([np.roll(words, 1), np.roll(words, 2)], axis=1)
        documents = np.arange(len(words)) // 5
        documents[-1] += 1  # after a document without words
        study = Study(
            self.prior,
            N_TOPICS,
            unbounded=self.unbounded,
            moves=self.moves,
            before=before,
            documents=documents,
        )
        return study.chain(words, seed)

    def log_joint(self, sampler):
        arrays, rooms, contexts = sampler.snapshot(), sampler._rooms, sampler._events.contexts
        names = names_of(contexts)
        alpha = arrays["prior"][1:]
        nats = -arrays["concentrations"].sum() - alpha.sum()
        nats += gammaln(N_TOPICS) - (N_TOPICS - 1) * np.log(alpha.sum())
        by_restaurant = defaultdict(list)
        for (topic, slot), tables in entries_of(rooms, arrays).items():
            by_restaurant[topic, names[contexts.restaurants[slot]]] += [size for _, size in tables]
            if slot < contexts.n_words:
                nats += sum(not shared for shared, _ in tables) * np.log(BASE[slot])
        for (_, context), sizes in by_restaurant.items():
            a, b = arrays["discounts"][len(context)], arrays["concentrations"][len(context)]
            nats += log_restaurant(sizes, a, b)
        nats += log_topics(arrays["topics"].tolist(), sampler._words.documents.tolist(), alpha)
        for stops, passes in sampler._stops.counts.tolist():
            for i in range(stops):
                nats += np.log((STOP + i) / (STOP + GO_ON + i))
            for i in range(passes):
                nats += np.log((GO_ON + i) / (STOP + GO_ON + stops + i))
        if self.prior != "none":
            held = sampler._switches.held
            masses = arrays["switch_concentrations"]
            nats += log_switches(tables_of_switches(held, names, arrays), masses) - masses.sum()
        return nats

    def draw(self, generator):
        study = self.study
        restaurants, contexts, topics = study.draw(Hyper.draw(3, N_TOPICS, generator), generator)
        words = words_of(restaurants.tables, len(BEFORE), BASE, generator)
        return words, study.state(words, restaurants, contexts, topics)

    def redraw(self, data, sampler, generator):
        study = self.study
        tables, contexts, topics = study.tables(data, sampler, generator)
        words = words_of(tables, len(BEFORE), BASE, generator)
        return words, study.another(words, sampler, tables, contexts, topics)

    def functions(self, data, sampler):
        arrays, rooms = sampler.snapshot(), sampler._rooms
        depths = rooms.depths[rooms.restaurants]
        slots = np.repeat(np.arange(len(depths)), arrays["n_cells"])
        topic, customers, tables, shared = arrays["cells"].astype(np.float64).T
        found = [*np.bincount(data, minlength=3), *np.bincount(data, minlength=3) ** 2]
        for each in (topic == 0, topic > 0):
            here = [np.bincount(depths[slots], each * n, 3) for n in (tables, customers**2, shared)]
            found += [*here[0], *here[0] ** 2, *here[1], *here[2]]
        counts = np.zeros((3, N_TOPICS + 1))
        order = np.argsort(self.study.text(data).deepest, kind="stable")
        np.add.at(counts, (DOCUMENTS[order], arrays["topics"]), 1)
        found += [(counts[:, 1:] ** 2).sum(), (counts[:, 1:].sum(axis=0) ** 2).sum(), counts[:, 0].sum()]
        found += [(counts[:, 0] ** 2).sum(), counts[:, 0].sum() ** 2, (counts[0, 1:] * counts[1, 1:]).sum()]
        found += [sum(data[i] == data[j] for i, j in self._alike(arrays["topics"], order))]
        a, b, alpha = arrays["discounts"], arrays["concentrations"], arrays["prior"][1:]
        found += [*a, *a**2, *np.log(b), *b, alpha.sum(), np.log(alpha.sum()), (alpha**2).sum()]
        found += [np.log(alpha + 1e-3).sum()]
        if self.prior != "none":
            masses, seats = arrays["switch_concentrations"], arrays["switch_seats"].astype(np.float64)
            of = np.repeat(rooms.depths, 2)
            found += [*np.log(masses), *masses, *np.bincount(of, seats[:, 1], 3)]
            found += [*np.bincount(of, seats[:, 0] ** 2, 3)]
            found += [*np.bincount(of[1::2], seats[1::2, 0], 3), *np.bincount(of[1::2], seats[1::2, 1], 3)]
        if self.unbounded:
            lengths = depths[arrays["at"]]
            found += [lengths.sum(), (lengths**2).sum(), (lengths * (arrays["topics"] > 0)).sum()]
        return found

    def _alike(self, topics, order):
        """Pairs of words of one topic."""
        return [(order[i], order[j]) for i in range(8) for j in range(i) if topics[i] == topics[j]]


@pytest.mark.slow
class TestIndependent(TopicLaws):
    pass


class TestSwitching(TopicLaws):
    prior = "switching"


class TestHierarchical(TopicLaws):
    prior = "hierarchical"


@pytest.mark.slow
class TestIndependentUnbounded(TopicLaws):
    unbounded = True


@pytest.mark.slow
class TestSwitchingUnbounded(TopicLaws):
    prior, unbounded = "switching", True


class TestHierarchicalUnbounded(TopicLaws):
    prior, unbounded = "hierarchical", True


class TestSwitchingByWords(TopicLaws):
    prior, moves = "switching", "tokens"


@pytest.mark.parametrize("word", range(len(BASE)))
def test_a_single_word_has_the_probability_of_its_base(word):
    """Whatever its topic, as no other word is seated; shares of topics sum to one over the document."""
    text = topic_events(np.array([word]), np.array([0]), np.full((1, 2), -1))
    chain = CHAINS["none"](text, N_TOPICS, 5)
    chain._words.prior[1:] = 0.4, 0.9, 0.6
    assert np.isclose(chain._sweep_words(0), np.log(BASE[word]))
