"""Mean-field LDA written from its definition: loops, scipy, double precision."""

import itertools

import numpy as np
from scipy.special import gammaln, psi


def expected_log(concentration):
    """E[log p] under Dirichlets in the last axis."""
    return psi(concentration) - psi(concentration.sum(-1, keepdims=True))


def phi_of(gamma, lam, word):
    """The optimal q(z) of a word, proportional to exp(E log theta + E log beta); lam: topics × words."""
    logits = expected_log(gamma) + expected_log(lam)[:, word]
    weights = np.exp(logits - logits.max())
    return weights / weights.sum()


def infer(words, counts, alpha, lam, rounds, start):
    """gamma of a document after so many rounds of coordinate ascent."""
    gamma = start.copy()
    for _ in range(rounds):
        gamma = alpha + sum(n * phi_of(gamma, lam, w) for w, n in zip(words, counts, strict=True))
    return gamma


def dirichlet_log_normaliser(a):
    return gammaln(a).sum(-1) - gammaln(a.sum(-1))


def bound(documents, gammas, alpha, eta, lam):
    """The ELBO of eq. 2.4, term by term, with phi at its optimum: documents are (words, counts) pairs."""
    log_beta = expected_log(lam)
    prior = np.broadcast_to(eta, lam.shape)
    total = 0.0
    for k in range(len(lam)):  # E log p(beta) - E log q(beta)
        total += -dirichlet_log_normaliser(prior[k]) + ((prior[k] - 1) * log_beta[k]).sum()
        total -= -dirichlet_log_normaliser(lam[k]) + ((lam[k] - 1) * log_beta[k]).sum()
    for (words, counts), gamma in zip(documents, gammas, strict=True):
        log_theta = expected_log(gamma)
        total += -dirichlet_log_normaliser(alpha) + ((alpha - 1) * log_theta).sum()
        total -= -dirichlet_log_normaliser(gamma) + ((gamma - 1) * log_theta).sum()
        for w, n in zip(words, counts, strict=True):
            phi = phi_of(gamma, lam, w)
            inside = phi > 0
            total += n * (phi * (log_beta[:, w] + log_theta)).sum()  # E log p(w | z) + E log p(z | theta)
            total -= n * (phi[inside] * np.log(phi[inside])).sum()  # - E log q(z)
    return total


def log_evidence(documents, alpha, eta, n_words):
    """log p(words) exactly: the sum over every assignment of topics to tokens (theta, beta integrated)."""
    n_topics = len(alpha)
    tokens = [
        (d, w)
        for d, (words, counts) in enumerate(documents)
        for w, n in zip(words, counts, strict=True)
        for _ in range(int(n))
    ]
    logs = []
    for assignment in itertools.product(range(n_topics), repeat=len(tokens)):
        in_document = np.zeros((len(documents), n_topics))
        in_topic = np.zeros((n_topics, n_words))
        for (d, w), k in zip(tokens, assignment, strict=True):
            in_document[d, k] += 1
            in_topic[k, w] += 1
        value = (dirichlet_log_normaliser(in_document + alpha) - dirichlet_log_normaliser(alpha)).sum()
        prior = np.full(n_words, eta)
        value += (dirichlet_log_normaliser(in_topic + prior) - dirichlet_log_normaliser(prior)).sum()
        logs.append(value)
    return np.logaddexp.reduce(logs)
