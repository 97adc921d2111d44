"""Topic n-gram models in plain Python: tables of topics that know their customers, and switches."""

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from tests.oracle import pitman_yor
from tests.oracle.pitman_yor import log_restaurant

COMMON = 0  # the topic that all documents share


@dataclass(eq=False)
class Table:
    """A table of a topic after a context: its customers are words of the text or other tables.

    `shared`: whether its customer went to the common topic in the same context.
    """

    topic: int
    context: tuple
    shared: bool = False
    customers: list = field(default_factory=list)


@dataclass
class Hyper:
    """What is drawn besides: discounts and concentrations by depth, and alpha of topics from 1 on."""

    discounts: np.ndarray
    concentrations: np.ndarray
    switches: np.ndarray  # concentrations by depth
    alpha: np.ndarray

    @classmethod
    def draw(cls, n_depths, n_topics, generator):
        """From the prior."""
        alpha = generator.gamma(1.0) * generator.dirichlet(np.ones(n_topics))
        return cls(
            generator.random(n_depths),
            generator.gamma(1.0, 1.0, n_depths),
            generator.gamma(1.0, 1.0, n_depths),
            np.maximum(alpha, 1e-12),
        )


class Switches:
    """Restaurants of the labels 0 (common) and 1 (topics): a Dirichlet process by context, lambda integrated
    out."""

    def __init__(self, concentrations):
        self.concentrations = concentrations
        self.tables = defaultdict(list)  # context: [label, customers]

    def draw(self, context, generator):
        """A customer's label after a context."""
        tables = self.tables[context]
        masses = np.array([size for _, size in tables] + [self.concentrations[len(context)]], np.float64)
        place = generator.choice(len(masses), p=masses / masses.sum())
        if place == len(tables):
            label = self.draw(context[:-1], generator) if context else int(generator.integers(2))
            tables.append([label, 0])
        tables[place][1] += 1
        return tables[place][0]


class Restaurants:
    """Tables by topic and context; `prior`: "none", "switching" or "hierarchical"."""

    def __init__(self, prior, hyper):
        self.prior, self.hyper = prior, hyper
        self.tables = defaultdict(list)
        self.switches = Switches(hyper.switches)
        self.stops = defaultdict(lambda: [0, 0])

    def seat(self, customer, topic, context, generator):
        """A customer sits down by the predictive rule; a new table is a customer elsewhere."""
        a, b = self.hyper.discounts[len(context)], self.hyper.concentrations[len(context)]
        tables = self.tables[topic, context]
        masses = np.array([len(table.customers) - a for table in tables] + [b + a * len(tables)])
        place = generator.choice(len(masses), p=masses / masses.sum())
        if place == len(tables):
            table = Table(topic, context)
            tables.append(table)
            if self.prior == "hierarchical" and topic != COMMON:
                table.shared = self.switches.draw(context, generator) == 0
            if table.shared:
                self.seat(table, COMMON, context, generator)
            elif context:
                self.seat(table, topic, context[:-1], generator)
        tables[place].customers.append(customer)

    draw_length = pitman_yor.Restaurants.draw_length

    def draw_topic(self, theta, context, generator):
        """A word's topic, given its document's shares of topics from 1 on."""
        if self.prior == "switching" and self.switches.draw(context, generator) == 0:
            return COMMON
        return 1 + int(generator.choice(len(theta), p=theta))


def words_of(tables, n_events, base, generator):
    """Words of the text: each table that nobody is above draws one, and all that hangs from it has it."""
    words = np.full(n_events, -1)

    def give(customer, word):
        if isinstance(customer, Table):
            for each in customer.customers:
                give(each, word)
        else:
            words[customer] = word

    for (_, context), there in tables.items():
        if not context:
            for table in there:
                if not table.shared:
                    give(table, generator.choice(len(base), p=base))
    assert (words >= 0).all()
    return words


def log_switches(tables, concentrations):
    """log p of who sits where at switches; tables (label, customers) by context."""
    nats = 0.0
    for context, there in tables.items():
        nats += log_restaurant([size for _, size in there], 0.0, concentrations[len(context)])
        nats += len(there) * np.log(0.5) if not context else 0.0
    return nats


def log_topics(topics, documents, alpha):
    """log p of words' topics (from 1 on) given alpha, word by word."""
    nats, counts = 0.0, defaultdict(lambda: np.zeros(len(alpha)))
    for topic, document in zip(topics, documents, strict=True):
        if topic != COMMON:
            here = counts[document]
            nats += np.log((here[topic - 1] + alpha[topic - 1]) / (here.sum() + alpha.sum()))
            here[topic - 1] += 1
    return nats
