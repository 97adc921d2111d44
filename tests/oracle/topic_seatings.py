"""Every seating of a few words of topics, one by one, with its probability."""

from collections import Counter, defaultdict
from typing import NamedTuple

import numpy as np

from tests.oracle.topic_ngrams import COMMON


class Given(NamedTuple):
    """What stays: `shares` (by context) of topics that draw on the common one, None of others."""

    base: np.ndarray
    discounts: np.ndarray
    concentrations: np.ndarray
    shares: dict | None = None


def _with(state, key, old, new):
    """A state (tuple of (topic, context, word), table) with a table more, and one less."""
    found = dict(state)
    tables = list(found.get(key, ()))
    if old is not None:
        tables.remove(old)
    found[key] = tuple(sorted([*tables, new]))
    return tuple(sorted(found.items()))


def enter(state, topic, context, word, given):
    """Every way in which a customer sits down, with its probability. A table is (shared, size)."""
    a, b = given.discounts[len(context)], given.concentrations[len(context)]
    there = [t for (k, h, _), tables in state if (k, h) == (topic, context) for t in tables]
    total = sum(size for _, size in there) + b
    key = (topic, context, word)
    for (shared, size), number in Counter(dict(state).get(key, ())).items():
        yield number * (size - a) / total, _with(state, key, (shared, size), (shared, size + 1))
    opening = (b + a * len(there)) / total
    share = 1.0
    if given.shares is not None and topic != COMMON:
        share = given.shares[context]
        for p, after in enter(state, COMMON, context, word, given):
            yield opening * (1.0 - share) * p, _with(after, key, None, (True, 1))
    ways = enter(state, topic, context[:-1], word, given) if context else [(given.base[word], state)]
    for p, after in ways:
        yield opening * share * p, _with(after, key, None, (False, 1))


def seatings(customers, given):
    """The joint probability of words and each seating; customers: (topic, context, word), one by one."""
    ways = {(): 1.0}
    for topic, context, word in customers:
        following = defaultdict(float)
        for state, p in ways.items():
            for step, after in enter(state, topic, context, word, given):
                following[after] += p * step
        ways = following
    return ways


def log_labels(labels, concentrations):
    """p of labels 0 and 1 at switches (context, label), lambda integrated out: sums over all seatings."""
    base = np.full(2, 0.5)
    given = Given(base, np.zeros(len(concentrations)), concentrations)
    return np.log(sum(seatings([(1, context, label) for context, label in labels], given).values()))
