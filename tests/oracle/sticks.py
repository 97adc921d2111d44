"""Sticks by definition: b_t ~ Beta(1 - b, a + t b), and q(b_t) has n_t and sum_{s > t} n_s more.

b is the discount, 0 of a Dirichlet process; `beyond` are counts after the last stick.
"""

from collections import Counter
from itertools import product
from math import lgamma, log

from scipy.special import betaln, digamma, logsumexp


def parameters(counts, a, b=0.0, beyond=0.0):
    """The two parameters of each stick (Zhai 2014, eq. 7.6 at its fixed point)."""
    return [(1.0 - b + n, a + (t + 1) * b + sum(counts[t + 1 :]) + beyond) for t, n in enumerate(counts)]


def expected_logs(counts, a, b=0.0, beyond=0.0):
    """E[log beta_t] of each word by eq. 7.3, and what eq. 7.4 gives beyond the last stick."""
    logs, left = [], 0.0
    for first, second in parameters(counts, a, b, beyond):
        both = digamma(first + second)
        logs.append(left + digamma(first) - both)
        left += digamma(second) - both
    return logs, left


def expected(counts, a, b=0.0, beyond=0.0):
    """E[beta_t] = E[b_t] prod E[1 - b_s], and E of what all sticks leave."""
    shares, left = [], 1.0
    for first, second in parameters(counts, a, b, beyond):
        shares.append(left * first / (first + second))
        left *= second / (first + second)
    return shares, left


def divergence(counts, a, b=0.0, beyond=0.0):
    """KL(q || p) of the sticks, in nats."""
    nats = 0.0
    for t, (first, second) in enumerate(parameters(counts, a, b, beyond)):
        both, prior = digamma(first + second), (1.0 - b, a + (t + 1) * b)
        nats += betaln(*prior) - betaln(first, second)
        nats += (first - prior[0]) * (digamma(first) - both) + (second - prior[1]) * (digamma(second) - both)
    return nats


def log_prior(counts, a, under):
    """E_q[log p(sticks | a)] with q made at the concentration `under`."""
    return sum(log(a) + (a - 1.0) * (digamma(g) - digamma(f + g)) for f, g in parameters(counts, under))


def urn(counts, weights, total):
    """log probability of an order of draws with so many of each kind, from an urn that begins with `weights`
    of these kinds and `total` of all kinds, and gains one of the kind that was drawn."""
    nats = lgamma(total) - lgamma(total + sum(counts))
    return nats + sum(lgamma(n + weight) - lgamma(weight) for n, weight in zip(counts, weights, strict=True))


def log_evidence(documents, n_topics, alpha, a, g0):
    """log p(w) of documents (lists of words), in nats, summed over all topics of all tokens.

    Shares of topics ~ Dirichlet(alpha, ..., alpha), topics ~ DP(a, G0), both integrated out: tokens of a
    topic are draws from the urn of Blackwell and MacQueen (1973), p(w | before) = (n_w + a G0(w)) / (n + a).
    `g0`: by word.
    """
    tokens = [(d, word) for d, document in enumerate(documents) for word in document]
    words, terms = sorted(g0), []
    for topics in product(range(n_topics), repeat=len(tokens)):
        shares = Counter((d, k) for (d, _), k in zip(tokens, topics, strict=True))
        counts = Counter((word, k) for (_, word), k in zip(tokens, topics, strict=True))
        prior, base = [alpha] * n_topics, [a * g0[word] for word in words]
        every = range(n_topics)
        nats = sum(urn([shares[d, k] for k in every], prior, sum(prior)) for d in range(len(documents)))
        terms.append(nats + sum(urn([counts[word, k] for word in words], base, a) for k in every))
    return float(logsumexp(terms))
