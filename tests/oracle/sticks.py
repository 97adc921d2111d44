"""Sticks one by one, from the definitions: b_t ~ Beta(1, a), q(b_t) = Beta(1 + n_t, a + sum_{s > t} n_s)."""

from math import log

from scipy.special import betaln, digamma


def parameters(counts, a):
    """The two parameters of each stick (Zhai 2014, eq. 7.6 at its fixed point)."""
    return [(1.0 + n, a + sum(counts[t + 1 :])) for t, n in enumerate(counts)]


def expected_logs(counts, a):
    """E[log beta_t] of each word by eq. 7.3, and what eq. 7.4 gives beyond the last stick."""
    logs, left = [], 0.0
    for first, second in parameters(counts, a):
        both = digamma(first + second)
        logs.append(left + digamma(first) - both)
        left += digamma(second) - both
    return logs, left


def expected(counts, a):
    """E[beta_t] = E[b_t] prod E[1 - b_s], and E of what all sticks leave."""
    shares, left = [], 1.0
    for first, second in parameters(counts, a):
        shares.append(left * first / (first + second))
        left *= second / (first + second)
    return shares, left


def divergence(counts, a):
    """KL(q || p) of the sticks, in nats."""
    nats = 0.0
    for first, second in parameters(counts, a):
        both = digamma(first + second)
        nats += betaln(1.0, a) - betaln(first, second)
        nats += (first - 1.0) * (digamma(first) - both) + (second - a) * (digamma(second) - both)
    return nats


def log_prior(counts, a, under):
    """E_q[log p(sticks | a)] with q made at the concentration `under`."""
    return sum(log(a) + (a - 1.0) * (digamma(g) - digamma(f + g)) for f, g in parameters(counts, under))
