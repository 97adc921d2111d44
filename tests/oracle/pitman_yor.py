"""Pitman-Yor restaurants in plain Python: tables that know their customers."""

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

STOP, GO_ON = 4.0, 1.0


@dataclass(eq=False)
class Table:
    """A table of a context's restaurant: its customers are words of the text or tables of longer contexts."""

    context: tuple
    customers: list = field(default_factory=list)


@dataclass
class Restaurants:
    """Tables by context, and how many words stop in each context or go on."""

    discounts: np.ndarray
    concentrations: np.ndarray
    tables: dict = field(default_factory=lambda: defaultdict(list))
    stops: dict = field(default_factory=lambda: defaultdict(lambda: [0, 0]))

    def seat(self, customer, context, generator):
        """A customer sits down by the predictive rule; a new table is a customer of the shorter context."""
        a, b = self.discounts[len(context)], self.concentrations[len(context)]
        tables = self.tables[context]
        masses = [len(table.customers) - a for table in tables] + [b + a * len(tables)]
        place = generator.choice(len(masses), p=np.array(masses) / sum(masses))
        if place == len(tables):
            tables.append(Table(context))
            if context:
                self.seat(tables[-1], context[:-1], generator)
        tables[place].customers.append(customer)

    def draw_length(self, deepest, generator):
        """How many words of a context a word uses, by sticks that are shared by all words."""
        for length in range(len(deepest)):
            stops, passes = self.stops[deepest[:length]]
            if generator.random() < (stops + STOP) / (stops + passes + STOP + GO_ON):
                self.stops[deepest[:length]][0] += 1
                return length
            self.stops[deepest[:length]][1] += 1
        return len(deepest)


def words_of(tables, n_events, base, generator):
    """Words of the text: each table of the empty context draws one, and all that hangs from it has it."""
    words = np.zeros(n_events, np.int64)

    def give(customer, word):
        if isinstance(customer, Table):
            for each in customer.customers:
                give(each, word)
        else:
            words[customer] = word

    for table in tables[()]:
        give(table, generator.choice(len(base), p=base))
    return words


def log_restaurant(sizes, a, b):
    """log p of the tables of one restaurant, customer by customer."""
    nats, seated = 0.0, 0
    for opened, size in enumerate(sizes):
        for j in range(size):
            mass = (b + a * opened) if j == 0 else (j - a)
            nats += np.log(mass / (b + seated)) if seated else 0.0
            seated += 1
    return nats
