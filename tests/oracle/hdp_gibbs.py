"""The hierarchical Dirichlet process by its restaurants: loops and enumeration, never by weights of topics.

Teh et al. (2006), section 4: tokens sit at tables of their document's restaurant, tables choose dishes.
"""

import math

import numpy as np
from scipy.special import gammaln


def partitions(n):
    """All ways to divide n things, as lists of labels in the order of first use."""
    if n == 0:
        yield []
        return
    for labels in partitions(n - 1):
        for label in range(max(labels, default=-1) + 2):
            yield [*labels, label]


def log_seating(labels, concentration):
    """log probability of a division under the Chinese restaurant process."""
    sizes = [labels.count(label) for label in set(labels)]
    rising = sum(math.log(concentration + i) for i in range(len(labels)))
    return sum(math.log(concentration) + math.lgamma(size) for size in sizes) - rising


def log_words(words, topics, eta, groups):
    """log p(words | topics), the topics' distributions integrated out, by group of words."""
    total = 0.0
    for topic in set(topics):
        n = np.bincount([w for w, z in zip(words, topics, strict=True) if z == topic], minlength=len(eta))
        for group in set(groups):
            own = np.array(groups) == group
            total += gammaln(eta[own].sum()) - gammaln(eta[own].sum() + n[own].sum())
        total += (gammaln(eta + n) - gammaln(eta)).sum()
    return total


def posterior(words, documents, alpha, gamma, eta, groups):
    """Probability of every division of the tokens into topics, a dict by labels in the order of first use."""
    lengths = [list(documents).count(d) for d in range(max(documents) + 1)]
    chances = {}
    for seats, seating in _restaurants(lengths, alpha):
        n_tables = len(set(seats))
        for dishes in partitions(n_tables):
            topics = in_order_of_use([dishes[table] for table in seats])
            nats = seating + log_seating(dishes, gamma) + log_words(words, topics, eta, groups)
            chances[topics] = chances.get(topics, 0.0) + math.exp(nats)
    whole = sum(chances.values())
    return {topics: chance / whole for topics, chance in chances.items()}


def _restaurants(lengths, alpha):
    """All seatings of all documents, tables numbered throughout, and their log probabilities."""
    if not lengths:
        yield [], 0.0
        return
    for before, nats in _restaurants(lengths[:-1], alpha):
        first = max(before, default=-1) + 1
        for labels in partitions(lengths[-1]):
            yield [*before, *(first + label for label in labels)], nats + log_seating(labels, alpha)


def in_order_of_use(topics):
    """The same division, labelled in the order of first use.

    >>> in_order_of_use([7, 2, 7])
    (0, 1, 0)
    """
    labels = {}
    return tuple(labels.setdefault(topic, len(labels)) for topic in topics)


def drawn(rng, lengths, alpha, gamma, eta):
    """Words and topics of documents of such lengths, drawn seat by seat, and the tables of each topic."""
    dishes, words, topics = [], [], []  # dishes: of every table so far; topics have a distribution each
    phi = []
    for length in lengths:
        tables = []  # of this document: the dish, and the tokens there
        for _ in range(length):
            odds = np.array([*(size for _, size in tables), alpha])
            table = rng.choice(len(odds), p=odds / odds.sum())
            if table == len(tables):
                odds = np.array([*np.bincount(dishes, minlength=len(phi)), gamma])
                dish = rng.choice(len(odds), p=odds / odds.sum())
                if dish == len(phi):
                    phi.append(rng.dirichlet(eta))
                dishes.append(dish)
                tables.append([dish, 0])
            tables[table][1] += 1
            topics.append(tables[table][0])
            words.append(rng.choice(len(eta), p=phi[topics[-1]]))
    return np.array(words, np.int32), np.array(topics, np.int32), np.bincount(dishes)


def antoniak(n, mass):
    """Chances of 1 to n tables of n tokens, |s(n, m)| mass^m / rising factorial (Antoniak 1974)."""
    chances = np.array([1.0])
    for i in range(1, n):
        opened = mass / (mass + i)
        chances = np.append(chances * (1 - opened), 0.0) + np.append(0.0, chances * opened)
    return chances


def conditional(words, documents, topics, token, weights, rest, alpha, eta, groups):
    """p(topic of a token | all others, beta), one chance more for a new topic."""
    own = np.array(groups) == groups[words[token]]
    odds = []
    for k, weight in [*enumerate(weights), (-1, rest)]:
        same = [i for i in range(len(words)) if i != token and topics[i] == k]
        in_document = sum(documents[i] == documents[token] for i in same)
        of_word = sum(words[i] == words[token] for i in same)
        of_topic = sum(own[words[i]] for i in same)
        share = (of_word + eta[words[token]]) / (of_topic + eta[own].sum())
        odds.append((in_document + alpha * weight) * share)
    return np.array(odds) / sum(odds)
