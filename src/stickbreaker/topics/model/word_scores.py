"""Scores by which a topic's words are ranked, and the order of those that occur together."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array
from stickbreaker.core.topk import SAME, largest

SPREADS = 2.0  # s: spreads that are subtracted for the lower bound
OUTSIDE = 2000.0  # more than any difference of logs of doubles


def divergence_scores(q: Array, p: Array) -> Array:
    """Scores by which words are ranked in each topic: log of the word's term in KL(q || p), q log (q / p).

    q (topics × words): the words' shares in each topic; p (words, or topics × words): their shares overall. A
    word that is no more frequent in a topic than overall has no positive term; such words come after all
    others, sorted by q.

    >>> divergence_scores(np.array([[0.5, 0.3, 0.2]]), np.array([0.25, 0.25, 0.5])).round(1).tolist()
    [[-1.1, -2.9, -2001.6]]
    """
    with np.errstate(divide="ignore"):
        shares = np.log(q)
        excess = shares - np.log(np.maximum(p, 1e-300))
        above = np.log(np.maximum(excess, SAME))
    return np.where(excess > SAME, shares + above, shares - OUTSIDE)


def support_scores(weights: Array, spreads: Array, total: float, p: Array) -> Array:
    """Scores by which a topic's words are ranked: as `divergence_scores`, with the lower bound of a word's
    share as q.

    weights (words): Σ_d O_dkw; spreads (words): S; total: Σ_d W_dk; p (words): their shares overall. q is
    max(0, weights - 2 spreads) / total. Words of which q is not above p come after all others, sorted by
    their weights.

    >>> one = np.array([0.5, 0.5])
    >>> support_scores(np.array([6.0, 4.0]), np.array([3.0, 0.0]), 10.0, one).round(1).tolist()
    [-2000.5, -2000.9]
    >>> support_scores(np.array([6.0, 4.0]), np.array([0.2, 2.0]), 10.0, one).round(1).tolist()
    [-2.8, -2000.9]
    """
    total = max(total, 1e-300)
    q = np.maximum(weights - SPREADS * spreads, 0.0) / total
    scores = divergence_scores(q, p)
    with np.errstate(divide="ignore"):
        return np.where(scores > -0.5 * OUTSIDE, scores, np.log(weights / total) - OUTSIDE)


def order_by_company(words: NDArray[np.int64], company: Array) -> NDArray[np.int64]:
    """Words of topics (K × n), of which each topic's first ones are reordered: those that often occur
    together with the others come earlier.

    They are sorted by ½ z(-log rank) + ½ z(company), largest first, where z are standard scores within the
    topic; `company` (K × at most 30) is that of the first words. All later words keep their places.

    >>> order_by_company(np.array([[0, 1, 2]]), np.array([[0.0, 0.1, 0.9]])).tolist()
    [[0, 2, 1]]
    """
    n = company.shape[1]
    if n == 0:
        return words
    ranks = -np.log(np.arange(1, n + 1, dtype=np.float64))
    scores = 0.5 * (_standard(ranks[None]) + _standard(company))
    # scores differ by hundredths; `logs` makes ties of those nearer than 1e-5
    order = largest(scores, n, logs=True)[0]
    first = np.take_along_axis(words[:, :n], order, axis=1)
    return np.hstack([first, words[:, n:]])


def _standard(values: Array) -> Array:
    """Standard scores of each row; zeros if all values are equal."""
    deviations = values.std(axis=1, keepdims=True)
    return (values - values.mean(axis=1, keepdims=True)) / np.where(deviations > 1e-12, deviations, 1.0)


def company_of(alike: Array) -> Array:
    """How often each of a topic's first words occurs together with the others (K × n), in [-1, 1].

    It is the mean of `alike` (K × n × n: NPMI of pairs of words) over the other words, with weights 1 / log2
    (r + 1) for the other word's rank r.
    """
    n = alike.shape[1]
    weights = np.tile(1.0 / np.log2(np.arange(n) + 2.0), (n, 1))
    np.fill_diagonal(weights, 0.0)
    sums = (alike * weights).sum(axis=2)
    return np.clip(sums / np.maximum(weights.sum(axis=1), 1e-300), -1.0, 1.0)


def joined_company(
    members: Sequence[tuple[NDArray[np.int64], Array, float]], words: NDArray[np.int64]
) -> Array:
    """How often each of the given first words of a group of topics occurs together with the others.

    members: for each topic its words, best first, the company of the first ones, and its weight. A word's
    value is the mean over the topics that have one, by weight. A word without any gets the mean of the
    group's other words, or 0.
    """
    sums, weights = np.zeros((2, len(words)))
    for own, company, weight in members:
        known = dict(zip(own.tolist(), company.tolist(), strict=False))
        for place, word in enumerate(words.tolist()):
            if word in known:
                sums[place] += weight * known[word]
                weights[place] += weight
    found = weights > 0.0
    means = sums / np.where(found, weights, 1.0)
    means[~found] = means[found].mean() if found.any() else 0.0
    return means
