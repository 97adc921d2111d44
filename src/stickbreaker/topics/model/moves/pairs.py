"""Which topics to hand over (give all tokens of) to which others.

scipy is imported on use, so that models load without it.
"""

from collections.abc import Iterator

import numpy as np

from stickbreaker.core.records import Array, Stats
from stickbreaker.topics.model.moves.decisions import doublings

PARTS, LEAST_PART = 6, 0.02  # initial number of targets of a mixture, and least share of each
MOST_PARTS = 24  # most targets, however often fewer failed


def likeness(products: Array, squares: Array) -> Array:
    """Cosines between the word counts of topics (topics × topics), from their inner products and sums of
    squares.
    """
    length = np.sqrt(squares)
    return np.asarray(products / np.maximum(length[:, None] * length, 1e-300))


def correlation(latest: Stats) -> Array:
    """Correlations between topics' shares over documents (topics × topics); 0 × 0 if the report has no
    products of shares, as with sampled documents.
    """
    if "together" not in latest.usage:
        return np.zeros((0, 0))
    n = max(latest.documents, 1.0)
    mean = latest.usage["shares"].values / n
    covariance = latest.usage["together"].values / n - mean[:, None] * mean
    spread = np.sqrt(np.maximum(np.diag(covariance), 1e-300))
    return np.asarray(covariance / (spread[:, None] * spread))


def pairs(likeness: Array, totals: Array) -> list[tuple[int, ...]]:
    """Pairs of topics with positive similarity, most similar first; the smaller topic of each pair first."""
    one, other = np.triu_indices(len(likeness), 1)
    values = likeness[one, other]
    order = np.argsort(-values, kind="stable")
    order = order[values[order] > 0.0]
    pairs = zip(one[order].tolist(), other[order].tolist(), strict=True)
    return [pair if totals[pair[0]] <= totals[pair[1]] else pair[::-1] for pair in pairs]


def mixtures(products: Array, wanted: list[int], failed: Array) -> Iterator[tuple[int, ...]]:
    """For each wanted topic, find other topics of which it is approximately a mixture.

    Yields the topic followed by these (at least one), largest part first; nothing if there is only one topic.
    The parts are found by non-negative least squares of the topic's word shares on those of all others, with
    chi-squared weights of words; `products` (topics × topics) are the inner products for this. At most 6
    parts of more than 2% are used. For a topic that has failed before (`failed` (topics): how often), smaller
    parts are used too, and twice as many for each time, up to 24.
    """
    from scipy.optimize import nnls

    n_topics = len(products)
    products = products + (1e-9 * np.trace(products) + 1e-300) * np.eye(n_topics)
    for topic in wanted:
        others = np.delete(np.arange(n_topics), topic)
        if not len(others):
            return
        root = np.linalg.cholesky(products[np.ix_(others, others)])
        parts, _ = nnls(root.T, np.linalg.solve(root, products[others, topic]))
        most = int(min(PARTS * doublings(failed[topic]), MOST_PARTS))
        largest = np.argsort(-parts, kind="stable")[:most]
        chosen = largest if failed[topic] else largest[parts[largest] > LEAST_PART]
        chosen = chosen if len(chosen) else largest[:1]
        yield (topic, *others[chosen].tolist())
