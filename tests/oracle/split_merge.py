"""Topics in two, and topics handed over, written from what they mean: loops, scipy, double precision.

A document's tokens of some topics are a matrix (entries × topics); its bound is taken before and after.
"""

import numpy as np
from scipy.special import gammaln, psi

from tests.oracle import lda

FEW = 0.01  # tokens: a document with fewer of a topic has them parted as the priors are


def topic_parts(documents, gammas, lam, topics):
    """Expected tokens of some topics, all documents' entries one below another."""
    parts = []
    for (words, counts), gamma in zip(documents, gammas, strict=True):
        for word, count in zip(words, counts, strict=True):
            phi = lda.phi_of(gamma, lam, word)
            parts.append([count * phi[topic] for topic in topics])
    return np.array(parts).reshape(-1, len(topics))


def own_terms(tokens, gamma, total):
    """A document's terms of the bound but for priors and words: E[log p(z)] - E[log q(z)] - E[log q(theta)].

    tokens (entries × topics) are counts times phi; counts, whose sums by entry stay, are left out.
    """
    nats = 0.0
    for k in range(len(gamma)):
        nats += (tokens[:, k].sum() - gamma[k]) * (psi(gamma[k]) - psi(total)) + gammaln(gamma[k])
        nats -= sum(x * np.log(x) for x in tokens[:, k] if x > 0.0)
    return nats


def direction(documents, parts, scores, ease, hard):
    """Of each word: tokens times its documents' scores, and tokens; or tokens on the two sides."""
    out = {}
    row = 0
    for words, _ in documents:
        mine = parts[row : row + len(words)]
        row += len(words)
        score = sum(x * scores[w] for x, w in zip(mine, words, strict=True)) / (sum(mine) + ease)
        for x, w in zip(mine, words, strict=True):
            first, second = out.get(int(w), (0.0, 0.0))
            told = ((0.0, x) if score <= 0.0 else (x, 0.0)) if hard else (x * score, x)
            out[int(w)] = first + told[0], second + told[1]
    return out


def halves(words, tokens, gamma, total, log_odds, priors, rounds, close):
    """One document's topic in two: its share of the second in gamma, tokens (entries × 2), gammas (2)."""
    whole = tokens.sum()
    if whole < FEW:
        share = priors[1] / sum(priors)
        first = tokens * priors[0] / sum(priors)
        return share, np.stack([first, tokens - first], 1), gamma * np.array([1.0 - share, share])
    held = 0.5 * whole
    for _ in range(rounds):
        odds = np.array([log_odds[w] for w in words])
        odds = odds + psi(priors[0] + held) - psi(priors[1] + whole - held)
        now = (tokens / (1.0 + np.exp(-odds))).sum()
        change, held = abs(now - held), now
        if change < close:
            break
    share = (priors[1] + whole - held) / (sum(priors) + whole)
    apart = gamma * np.array([1.0 - share, share])
    odds = np.array([log_odds[w] for w in words]) + psi(apart[0]) - psi(apart[1])
    first = tokens / (1.0 + np.exp(-odds))
    return share, np.stack([first, tokens - first], axis=1), apart


def handover(words, tokens, gamma, total, log_words, prior, rounds, close, mixing=False):
    """One document's last topic handed over: what each target gains (entries × targets), and the targets'
    gammas afterwards. tokens (entries × targets + 1). Where `mixing`, all tokens are parted anew."""
    leaving, everything = tokens[:, -1], tokens.sum(axis=1)
    n = len(prior)

    def widened(moved):
        return gamma[:-1] + gamma[-1] * (prior + moved) / (prior.sum() + leaving.sum())

    def mixed(moved):
        beside = np.maximum(gamma[:-1] - tokens[:, :-1].sum(axis=0), 0.0) + prior
        wide = beside + max(gamma.sum() - beside.sum(), 0.0) * moved / moved.sum()
        return wide * min(1.0, gamma.sum() / beside.sum())

    def leaning(wide, what):
        odds = np.array([log_words[w] for w in words]).reshape(-1, n) + psi(wide) - psi(total)
        weights = np.exp(odds - odds.max(axis=1, keepdims=True, initial=-1e300))
        return what[:, None] * weights / weights.sum(axis=1, keepdims=True)

    def settled(wide, moved, what, spread):
        """gamma once tokens of `what` are parted as they ask for, and those tokens."""
        for _ in range(rounds):
            now = leaning(wide, what).sum(axis=0)
            change, moved = np.abs(now - moved).sum(), now
            wide = spread(moved)
            if change < close:
                break
        return wide, moved

    moved = np.full(n, leaving.sum() / n)
    wide = widened(moved)
    chosen = leaving.sum() >= FEW and n > 1
    if chosen:
        wide, moved = settled(wide, moved, leaving, widened)
    if not (chosen and mixing):
        return leaning(wide, leaving), wide
    wide, _ = settled(wide, moved, everything, mixed)
    return leaning(wide, everything) - tokens[:, :-1], wide
