"""Collapsed Gibbs for LDA written from its definition: loops, SciPy, double precision."""

import itertools

import numpy as np
from scipy.special import gammaln


def conditional(words, documents, z, token, alpha, eta, groups=None):
    """p(z of a token | all other z) by eq. 4.6; eta: words × topics; groups: of words."""
    groups = np.zeros(len(eta), int) if groups is None else groups
    own = groups == groups[words[token]]
    weights = np.empty(len(alpha))
    for k in range(len(alpha)):
        in_document = of_word = of_topic = 0
        for other in range(len(z)):
            if other != token and z[other] == k:
                in_document += documents[other] == documents[token]
                of_word += words[other] == words[token]
                of_topic += own[words[other]]
        weights[k] = (
            (in_document + alpha[k]) * (of_word + eta[words[token], k]) / (of_topic + eta[own, k].sum())
        )
    return weights / weights.sum()


def after_a_sweep(words, documents, start, order, alpha, eta, groups=None):
    """Probability of every z (a dict) after the tokens were drawn once in this order."""
    chances = {tuple(start): 1.0}
    for token in order:
        following = {}
        for z, chance in chances.items():
            for k, p in enumerate(conditional(words, documents, z, token, alpha, eta, groups)):
                moved = (*z[:token], k, *z[token + 1 :])
                following[moved] = following.get(moved, 0.0) + chance * p
        chances = following
    return chances


def log_joint(words, documents, z, alpha, eta, groups=None):
    """log p(w, z | alpha, eta) with theta and beta integrated out: eq. 4.4 × eq. 4.5, by group of words.

    alpha: topics, or documents × topics.
    """
    groups = np.zeros(len(eta), int) if groups is None else groups
    n_documents, n_topics = max(documents, default=-1) + 1, np.shape(alpha)[-1]
    total = 0.0
    for d in range(n_documents):
        own = alpha[d] if np.ndim(alpha) == 2 else alpha
        n = np.array([sum(documents[i] == d and z[i] == k for i in range(len(z))) for k in range(n_topics)])
        total += gammaln(own.sum()) - gammaln(own.sum() + n.sum())
        total += (gammaln(own + n) - gammaln(own)).sum()
    for k in range(n_topics):
        n = np.array([sum(words[i] == w and z[i] == k for i in range(len(z))) for w in range(len(eta))])
        for group in set(groups.tolist()):
            of, prior = n[groups == group].sum(), eta[groups == group, k].sum()
            total += gammaln(prior) - gammaln(prior + of)
        total += (gammaln(eta[:, k] + n) - gammaln(eta[:, k])).sum()
    return total


def posterior_mean(words, documents, alpha, eta, function, groups=None):
    """E[function(z)] under p(z | w), by enumeration."""
    states = list(itertools.product(range(np.shape(alpha)[-1]), repeat=len(words)))
    logs = np.array([log_joint(words, documents, z, alpha, eta, groups) for z in states])
    weights = np.exp(logs - logs.max())
    return np.average([function(np.array(z)) for z in states], axis=0, weights=weights)
