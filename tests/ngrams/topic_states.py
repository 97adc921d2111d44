"""States of chains of topic n-gram models, made from tables that know their customers; and the way back."""

import itertools
from collections import Counter, defaultdict

import numpy as np
from tests.oracle.topic_ngrams import COMMON, Restaurants, Table

from stickbreaker.ngrams.model.chain import TextEvents, events_of
from stickbreaker.ngrams.model.contexts import contexts_of
from stickbreaker.ngrams.model.topic_priors import HierarchicalTopics, IndependentTopics, SwitchingTopics
from stickbreaker.ngrams.model.topic_rooms import empty_seats
from stickbreaker.ngrams.model.topic_seating import seats_to_arrays

CHAINS = {"none": IndependentTopics, "switching": SwitchingTopics, "hierarchical": HierarchicalTopics}
BASE = np.array([0.5, 0.3, 0.2])
# of eight words, the symbols before each, the nearest first: they stand by themselves, whatever the words are
BEFORE = np.array([[0, 1], [0, 1], [0, 2], [1, -1], [1, 0], [1, 0], [2, -1], [-1, -1]])
DOCUMENTS = np.array([0, 0, 1, 0, 1, 1, 0, 2])


def topic_events(words, documents, before, base=BASE, *, unbounded=False):
    """A text whose words' contexts are given: `before` (words × places)."""
    found, deepest = contexts_of(
        words, lambda d: before[:, d - 1], len(base), before.shape[1], shared=unbounded
    )
    events = events_of(found, deepest, base, unbounded=unbounded)
    return TextEvents(events, deepest, documents, int(documents.max()) + 1)


def names_of(contexts):
    """The context of each restaurant, the nearest word first."""
    names = [()]
    for key in contexts.restaurant_keys.tolist():
        names.append((*names[key // contexts.n_words], key % contexts.n_words))
    return names


def slots_of(contexts):
    """The slot of each context and word."""
    names, n = names_of(contexts), contexts.n_words
    return {(names[key // n], key % n): slot for slot, key in enumerate(contexts.slot_keys.tolist())}


def longest_contexts(text):
    """Of each word, the context of its deepest slot."""
    contexts = text.events.contexts
    names = names_of(contexts)
    return [names[contexts.restaurants[slot]] for slot in text.deepest.tolist()]


def seats_of(rooms, tables, words, slots):
    """Cells and entries of tables: arrays of a checkpoint."""
    seats = empty_seats(rooms)
    there = defaultdict(Counter)

    def word_of(customer):
        return word_of(customer.customers[0]) if isinstance(customer, Table) else int(words[customer])

    for table in itertools.chain(*tables.values()):
        key = table.topic + rooms.n_topics * table.shared
        there[slots[table.context, word_of(table)]][key, len(table.customers)] += 1
    for slot, entries in there.items():
        cells = defaultdict(lambda: np.zeros(3, np.int64))
        for (key, size), number in entries.items():
            cells[key % rooms.n_topics] += number * np.array([size, 1, key >= rooms.n_topics])
        first, room = rooms.cells[slot], rooms.cells[slot + 1] - rooms.cells[slot]
        for place, (topic, counts) in enumerate(cells.items()):
            seats.cells[first + (topic if room == rooms.n_topics else place)] = topic, *counts
        seats.n_cells[slot] = rooms.n_topics if room == rooms.n_topics else len(cells)
        if rooms.entries[slot + 1] > rooms.entries[slot]:
            for place, ((key, size), number) in enumerate(entries.items()):
                seats.entries[rooms.entries[slot] + place] = key, size, number
            seats.n_entries[slot] = len(entries)
        else:
            assert all(size == 1 for _, size in entries)
    return seats_to_arrays(rooms, seats)


def switches_of(held, tables, names):
    """Seats and sizes of switches, given tables (label, customers) by context: arrays of a checkpoint."""
    seats, sizes = np.zeros_like(held.seating.seats), np.zeros_like(held.seating.sizes)
    places = held.layout.places
    for restaurant, name in enumerate(names):
        for label in (0, 1):
            slot, found = 2 * restaurant + label, [size for of, size in tables.get(name, []) if of == label]
            seats[slot, :2] = sum(found), len(found)
            if places[slot + 1] > places[slot]:
                kinds = sorted(Counter(found).items())
                seats[slot, 2] = len(kinds)
                for place, kind in enumerate(kinds):
                    sizes[places[slot] + place] = kind
    return seats, sizes


class Study:
    """A text of fixed contexts whose words, topics and seating are drawn."""

    def __init__(
        self, prior, n_topics, *, unbounded, moves="tables", before=BEFORE, documents=DOCUMENTS, base=BASE
    ):
        self.prior, self.n_topics, self.unbounded, self.moves = prior, n_topics, unbounded, moves
        self.before, self.documents, self.base = before, documents, base
        self.longest = longest_contexts(self.text(np.zeros(len(before), np.int64)))

    def text(self, words):
        return topic_events(words, self.documents, self.before, self.base, unbounded=self.unbounded)

    def chain(self, words, seed=0):
        """A chain of the words in a state of its own."""
        return CHAINS[self.prior](self.text(words), self.n_topics, seed, moves=self.moves)

    def draw(self, hyper, generator):
        """Topics, contexts in use and tables, from the prior: those of each word, and the restaurants."""
        restaurants, contexts, topics = Restaurants(self.prior, hyper), [], []
        thetas = [_shares(hyper.alpha, generator) for _ in range(int(self.documents.max()) + 1)]
        for event, context in enumerate(self.longest):
            length = restaurants.draw_length(context, generator) if self.unbounded else len(context)
            contexts.append(context[:length])
            topics.append(restaurants.draw_topic(thetas[self.documents[event]], contexts[-1], generator))
            restaurants.seat(event, topics[-1], contexts[-1], generator)
        return restaurants, contexts, np.array(topics)

    def put(self, chain, words, tables, contexts, topics, more):
        """Put a chain of the words in a state."""
        text = self.text(words)
        order, slots = np.argsort(text.deepest, kind="stable"), slots_of(text.events.contexts)
        at = np.array([slots[context, int(word)] for context, word in zip(contexts, words, strict=True)])
        chain.restore(
            {
                **chain.snapshot(),
                "topics": topics[order].astype(np.int32),
                "at": at[order],
                **seats_of(chain._rooms, tables, words, slots),
                **more,
            }
        )
        return chain

    def state(self, words, restaurants, contexts, topics):
        """A chain of the words in the state of restaurants."""
        hyper, chain = restaurants.hyper, self.chain(words)
        more = {
            "discounts": hyper.discounts.copy(),
            "concentrations": hyper.concentrations.copy(),
            "prior": np.append(0.0, hyper.alpha),
        }
        if self.prior != "none":
            names = names_of(self.text(words).events.contexts)
            seats, sizes = switches_of(chain._switches.held, restaurants.switches.tables, names)
            more |= {"switch_seats": seats, "switch_sizes": sizes}
            more["switch_concentrations"] = hyper.switches.copy()
        return self.put(chain, words, restaurants.tables, contexts, topics, more)

    def another(self, words, chain, tables, contexts, topics):
        """A chain of other words, of the same tables, with all that a chain has drawn besides."""
        names = ("discounts", "concentrations", "prior", "switch_seats", "switch_sizes")
        arrays = chain.snapshot()
        more = {name: arrays[name] for name in (*names, "switch_concentrations") if name in arrays}
        return self.put(self.chain(words), words, tables, contexts, topics, more)

    def tables(self, words, chain, generator):
        """Tables with customers, drawn evenly among those that a chain's seating may be; contexts and topics
        of words."""
        text, arrays = self.text(words), chain.snapshot()
        found, n_topics = text.events.contexts, self.n_topics + 1
        names, order = names_of(found), np.argsort(text.deepest, kind="stable")
        topics, at = np.empty(len(words), np.int64), np.empty(len(words), np.int64)
        topics[order], at[order] = arrays["topics"], arrays["at"]
        contexts = [names[found.restaurants[slot]] for slot in at]
        waiting = defaultdict(list)
        for event, (topic, slot) in enumerate(zip(topics.tolist(), at.tolist(), strict=True)):
            waiting[topic, slot].append(event)
        entries = entries_of(chain._rooms, arrays)
        tables = defaultdict(list)
        for slot in range(len(found.slot_keys) - 1, -1, -1):
            for topic in (*range(1, n_topics), COMMON):
                customers, start = waiting[topic, slot], 0
                shuffled = generator.permutation(len(customers))
                for shared, size in entries[topic, slot]:
                    here = [customers[i] for i in shuffled[start : start + size]]
                    table = Table(topic, names[found.restaurants[slot]], shared, here)
                    start += size
                    tables[topic, table.context].append(table)
                    waiting[(COMMON, slot) if shared else (topic, int(found.parents[slot]))].append(table)
                assert start == len(customers)
        return tables, contexts, topics


def entries_of(rooms, arrays):
    """Of each topic and slot, whether each table is shared and its size."""
    found = defaultdict(list)
    starts = np.cumsum([0, *arrays["n_entries"]])
    cells = np.cumsum([0, *arrays["n_cells"]])
    for slot in range(len(rooms.parents)):
        for key, size, number in arrays["entries"][starts[slot] : starts[slot + 1]].tolist():
            found[key % rooms.n_topics, slot] += [(key >= rooms.n_topics, size)] * number
        if rooms.entries[slot + 1] == rooms.entries[slot]:
            for topic, _, tables, shared in arrays["cells"][cells[slot] : cells[slot + 1]].tolist():
                found[topic, slot] += [(bool(shared), 1)] * tables
    return found


def _shares(alpha, generator):
    """Dirichlet shares, whose alpha may be so small that all Gamma numbers are 0."""
    logs = np.log(generator.random(len(alpha))) / alpha + np.log(generator.gamma(alpha + 1.0))
    shares = np.exp(logs - logs.max())
    return shares / shares.sum()
