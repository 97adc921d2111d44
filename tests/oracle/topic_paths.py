"""What can be summed over all topics of a document's words, where a word may come from no topic."""

import itertools

import numpy as np


def urn(path, alpha):
    """p(topics) of the words that have one (None: the word has none), theta integrated out."""
    product, seen = 1.0, []
    for k in path:
        if k is not None:
            product *= (alpha[k] + seen.count(k)) / (alpha.sum() + len(seen))
            seen.append(k)
    return product


def weighted_paths(inside, outside, alpha):
    """All topics of all words with p(topics, words): inside (words × topics), outside (words)."""
    topics = [None, *range(len(alpha))]
    for path in itertools.product(topics, repeat=len(inside)):
        product = urn(path, alpha)
        for n, k in enumerate(path):
            product *= outside[n] if k is None else inside[n][k]
        yield path, product


def probability(inside, outside, alpha):
    """p of all words."""
    return sum(p for _, p in weighted_paths(inside, outside, alpha))


def shares(inside, outside, alpha):
    """E[theta | words]."""
    total, found = 0.0, np.zeros(len(alpha))
    for path, p in weighted_paths(inside, outside, alpha):
        counts = np.array([path.count(k) for k in range(len(alpha))])
        found += p * (alpha + counts) / (alpha + counts).sum()
        total += p
    return found / total


def expected_topics(inside, outside, alpha, rounds):
    """CVB0's shares of words (words × topics, then none) after some rounds from a start left to right."""
    gamma = np.zeros((len(inside), len(alpha) + 1))

    def revise(n):
        others = gamma.sum(axis=0) - gamma[n]
        weights = np.append(inside[n] * (alpha + others[:-1]), outside[n] * (alpha + others[:-1]).sum())
        gamma[n] = weights / weights.sum()

    for _ in range(rounds + 1):
        for n in range(len(inside)):
            revise(n)
    return gamma
