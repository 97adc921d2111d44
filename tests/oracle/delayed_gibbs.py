"""Delayed Gibbs sampling written from its definition, and the posterior of a tiny corpus by enumeration."""

import itertools

import numpy as np
from scipy.special import gammaln


def conditional(here, other, totals):
    """The target of one token's topic: (n_dk + alpha_k) (n_wk + eta_wk) / (n_k + eta_k), summing to one."""
    weights = here * other / totals
    return weights / weights.sum()


def move(z, proposals, prior, totals, uniform):
    """Accept or reject one document's (or word's) proposals, one after the other; counts are made anew.

    prior (topics): alpha, or eta of the word; totals (tokens × topics): n_k + eta_k of the token's group of
    words when the phase began.
    """
    z = list(z)
    for i, proposed in enumerate(proposals):
        others = prior + np.bincount(np.array(z[:i] + z[i + 1 :], int), minlength=len(prior))
        total = totals[i] - (np.arange(len(prior)) == z[i])  # the token is still where the phase found it
        ratio = others[proposed] / total[proposed] / (others[z[i]] / total[z[i]])
        if proposed != z[i] and uniform() < ratio:
            z[i] = proposed
    return z


def draw(z, prior, uniform):
    """A proposal for each token from n_k + prior_k, counts of the others, as pieces of one line."""
    proposals = []
    for i in range(len(z)):
        others = z[:i] + z[i + 1 :]
        weights = np.concatenate([np.ones(len(others)), prior])
        place = np.searchsorted(np.cumsum(weights), uniform() * weights.sum(), side="right")
        proposals.append(others[place] if place < len(others) else int(place) - len(others))
    return proposals


def phase(groups, z, proposals, priors, totals, streams):
    """Visit groups of token numbers (documents, or words), each with its prior and its random numbers.

    totals (tokens × topics)
    """
    z, proposals = list(z), list(proposals)
    for group, prior, uniform in zip(groups, priors, streams, strict=True):
        here = [totals[i] for i in group]
        inside = move([z[i] for i in group], [proposals[i] for i in group], prior, here, uniform)
        drawn = draw(inside, prior, uniform)
        for i, topic, proposed in zip(group, inside, drawn, strict=True):
            z[i], proposals[i] = topic, proposed
    return z, proposals


def log_joint(documents, z, alpha, eta, groups=None):
    """log p(w, z | alpha, eta), theta and beta integrated out; groups: of words."""
    groups = np.zeros(len(eta), int) if groups is None else groups
    counts, value, n = np.zeros(eta.shape), 0.0, 0
    for words in documents:
        topics = np.array(z[n : n + len(words)], int)
        n += len(words)
        np.add.at(counts, (words, topics), 1)
        own = np.bincount(topics, minlength=len(alpha))
        value += gammaln(alpha.sum()) - gammaln(alpha.sum() + len(words))
        value += (gammaln(alpha + own) - gammaln(alpha)).sum()
    for own in (groups == group for group in set(groups.tolist())):
        value += (gammaln(eta[own].sum(0)) - gammaln(eta[own].sum(0) + counts[own].sum(0))).sum()
    return value + (gammaln(eta + counts) - gammaln(eta)).sum()


def posterior(documents, alpha, eta, groups=None):
    """p(z | w) of every assignment: (assignments × tokens, probabilities)."""
    tokens = sum(len(words) for words in documents)
    every = list(itertools.product(range(len(alpha)), repeat=tokens))
    logs = np.array([log_joint(documents, z, alpha, eta, groups) for z in every])
    weights = np.exp(logs - logs.max())
    return np.array(every), weights / weights.sum()
