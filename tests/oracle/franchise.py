"""The Chinese restaurant franchise written from its definition: loops, scipy, double precision."""

from itertools import product

import numpy as np
from scipy.special import betaln, gammaln, logsumexp, psi
from scipy.stats import beta as Beta


def sticks(sizes, concentration):
    """Beta parameters of sticks in order of size, the largest first, with E[log share] of each size."""
    order = sorted((t for t in range(len(sizes)) if sizes[t] > 0), key=lambda t: -sizes[t])
    pairs, log_shares, behind = [], {}, 0.0
    for place, t in enumerate(order):
        a, b = 1.0 + sizes[t], concentration + sum(sizes[s] for s in order[place + 1 :])
        pairs.append((a, b))
        log_shares[t] = behind + psi(a) - psi(a + b)
        behind += psi(b) - psi(a + b)
    return pairs, log_shares, behind


def seated(words, counts, logs, sizes, zeta, alpha):
    """q(z) of each word (a dict of tables), at its optimum."""
    _, log_shares, _ = sticks(sizes, alpha)
    phi = []
    for w in words:
        logits = {t: log_shares[t] + zeta[t] @ logs[:, w] for t in log_shares}
        norm = logsumexp(list(logits.values()))
        phi.append({t: np.exp(value - norm) for t, value in logits.items()})
    return phi


def one_round(words, counts, logs, log_weights, sizes, zeta, alpha):
    """q(z), then sizes, then q(c); logs (topics × words) E[log beta]."""
    phi = seated(words, counts, logs, sizes, zeta, alpha)
    sizes, zeta = np.zeros(len(sizes)), np.zeros(zeta.shape)
    for t in phi[0]:
        sizes[t] = sum(n * each[t] for n, each in zip(counts, phi, strict=True))
        logits = log_weights + sum(
            n * each[t] * logs[:, w] for w, n, each in zip(words, counts, phi, strict=True)
        )
        zeta[t] = np.exp(logits - logsumexp(logits))
    return sizes, zeta


def stick_terms(pairs, concentration):
    """E[log p] of Beta(1, concentration) sticks, plus the entropy of q."""
    nats = 0.0
    for a, b in pairs:
        log_left = psi(b) - psi(a + b)
        nats += np.log(concentration) + (concentration - 1) * log_left + Beta(a, b).entropy()
    return nats


def document_bound(words, counts, logs, log_weights, sizes, zeta, alpha):
    """A document's terms, each by its definition, with q(z) at its optimum."""
    if len(words) == 0:
        return 0.0
    pairs, log_shares, _ = sticks(sizes, alpha)
    phi = seated(words, counts, logs, sizes, zeta, alpha)
    nats = stick_terms(pairs, alpha)
    for t in log_shares:
        for k, share in enumerate(zeta[t]):
            if share > 0:
                nats += share * (log_weights[k] - np.log(share))  # E log p(c) - E log q(c)
    for w, n, each in zip(words, counts, phi, strict=True):
        for t, share in each.items():
            if share > 0:
                nats += n * share * (log_shares[t] - np.log(share))  # E log p(z) - E log q(z)
                nats += n * share * (zeta[t] @ logs[:, w])  # E log p(w | c, z)
    return nats


def bound(documents, states, tables, alpha, gamma, eta, lam):
    """The whole bound: documents are (words, counts), states (sizes, zeta); lam topics × words."""
    logs = psi(lam) - psi(lam.sum(1, keepdims=True))
    pairs, log_weights, _ = sticks(tables, gamma)
    log_weights = np.array([log_weights[k] for k in range(len(tables))])
    nats = stick_terms(pairs, gamma)
    for row, expected in zip(lam, logs, strict=True):  # E log p(beta) - E log q(beta)
        size = len(row)
        nats += gammaln(size * eta) - size * gammaln(eta) + ((eta - 1) * expected).sum()
        nats -= gammaln(row.sum()) - gammaln(row).sum() + ((row - 1) * expected).sum()
    for (words, counts), (sizes, zeta) in zip(documents, states, strict=True):
        nats += document_bound(words, counts, logs, log_weights, sizes, zeta, alpha)
    return nats


def stick_evidence(tables, gamma):
    """log p(tables | gamma), sticks integrated out, in order of size."""
    ordered = sorted(tables, reverse=True)
    return sum(
        betaln(1 + n, gamma + sum(ordered[place + 1 :])) - betaln(1, gamma) for place, n in enumerate(ordered)
    )


def partitions(n):
    """Every way to seat n customers: a table for each, numbered by first use."""
    ways = [()]
    for _ in range(n):
        ways = [(*way, t) for way in ways for t in range(max(way, default=-1) + 2)]
    return ways


def log_seating(way, concentration):
    """log probability of a seating under the Chinese restaurant process."""
    sizes = np.bincount(way)
    nats = len(sizes) * np.log(concentration) + gammaln(sizes).sum()
    return nats + gammaln(concentration) - gammaln(concentration + len(way))


def log_evidence(documents, alpha, gamma, eta, n_words):
    """log p(words) exactly, topics without end: every seating, and every serving of the tables."""
    tokens = [
        [w for w, n in zip(words, counts, strict=True) for _ in range(int(n))] for words, counts in documents
    ]
    logs = []
    for ways in product(*(partitions(len(each)) for each in tokens)):
        prior = sum(log_seating(way, alpha) for way in ways)
        first = np.cumsum([0] + [max(way) + 1 for way in ways])
        for dishes in partitions(int(first[-1])):
            counts = np.zeros((max(dishes) + 1, n_words))
            for d, (each, way) in enumerate(zip(tokens, ways, strict=True)):
                for w, t in zip(each, way, strict=True):
                    counts[dishes[first[d] + t], w] += 1
            words = (gammaln(n_words * eta) - gammaln(n_words * eta + counts.sum(1))).sum()
            words += (gammaln(eta + counts) - gammaln(eta)).sum()
            logs.append(prior + log_seating(dishes, gamma) + words)
    return logsumexp(logs)
