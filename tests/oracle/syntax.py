"""Syntactic topic models by definition: sums over all topics of all nodes, with loops."""

import itertools

import numpy as np


def configurations(words, heads, theta, pi, beta):
    """p(topics, words) of one document for every assignment of topics: {topics: p}.

    Raises nothing; words of -1 are nodes without a word.
    """
    k = len(theta)
    found = {}
    for topics in itertools.product(range(k), repeat=len(words)):
        p = 1.0
        for node, (word, head) in enumerate(zip(words, heads, strict=True)):
            row = pi[k if head < 0 else topics[head]]
            p *= theta[topics[node]] * row[topics[node]] / sum(theta[i] * row[i] for i in range(k))
            if word >= 0:
                p *= beta[word][topics[node]]
        found[topics] = p
    return found


def log_p(words, heads, theta, pi, beta):
    """log p of one document's words."""
    return float(np.log(sum(configurations(words, heads, theta, pi, beta).values())))
