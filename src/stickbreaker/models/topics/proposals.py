"""What topic moves propose: which topics to hand over to which, and how a topic's words part.

scipy is imported on use: a model is loaded without it.
"""

from collections.abc import Iterator

import numpy as np

from stickbreaker.core.records import Array, Rows, Stats

SMOOTH = 1.0  # tokens of a word, shared as the whole topic is, that its share starts from
PARTS, LEAST_PART = 6, 0.02  # topics that one may be handed over to, and the least share of each


def centred(told: Rows, n_words: int) -> Array:
    """Scores of words from what documents' scores make of them: mean zero, variance one by tokens."""
    sums, tokens = told.values.T
    scores = sums / (tokens + 1.0)
    total = max(float(tokens.sum()), 1e-300)
    scores = scores - (tokens * scores).sum() / total
    scores /= max(float(np.sqrt((tokens * scores**2).sum() / total)), 1e-300)
    out = np.zeros(n_words)
    out[told.positions] = scores
    return out


def shares(told: Rows, n_words: int, smooth: float = SMOOTH) -> Array:
    """The second part's share of each word (words), where it was seen; elsewhere that of all words."""
    values = told.values
    total = float(values.sum())
    part = float(values[:, 1].sum()) / total if total > 0.0 else 0.5
    out = np.full(n_words, part)
    tokens = values.sum(axis=1) + smooth
    here = tokens > 0.0
    out[told.positions[here]] = (values[here, 1] + smooth * part) / tokens[here]
    return out


def likeness(columns: Array) -> Array:
    """Cosines of topics' counts."""
    length = np.sqrt((columns**2).sum(axis=0))
    return np.asarray((columns.T @ columns) / np.maximum(length[:, None] * length, 1e-300))


def correlation(latest: Stats) -> Array:
    """Correlation of documents' shares of topics; of sampled documents it is not told."""
    if "together" not in latest.usage:
        return np.zeros((0, 0))
    n = max(latest.documents, 1.0)
    mean = latest.usage["shares"].values / n
    covariance = latest.usage["together"].values / n - mean[:, None] * mean
    spread = np.sqrt(np.maximum(np.diag(covariance), 1e-300))
    return np.asarray(covariance / (spread[:, None] * spread))


def pairs(likeness: Array, columns: Array) -> list[tuple[int, ...]]:
    """Pairs of topics whose likeness is above zero, the most alike first; the smaller topic of each first."""
    one, other = np.triu_indices(len(likeness), 1)
    values = likeness[one, other]
    order = np.argsort(-values, kind="stable")
    order = order[values[order] > 0.0]
    totals = columns.sum(axis=0)
    pairs = zip(one[order].tolist(), other[order].tolist(), strict=True)
    return [pair if totals[pair[0]] <= totals[pair[1]] else pair[::-1] for pair in pairs]


def mixtures(columns: Array, wanted: list[int]) -> Iterator[tuple[int, ...]]:
    """Each wanted topic with those that it is most nearly a mixture of, the largest part first.

    Non-negative least squares of its word shares on those of all other topics, words weighted as chi-squared
    weights them.
    """
    from scipy.optimize import nnls

    totals = columns.sum(axis=0)
    mean = np.maximum(columns.sum(axis=1) / max(float(totals.sum()), 1e-300), 1e-12)
    scaled = columns / np.maximum(totals, 1e-3) / np.sqrt(mean)[:, None]
    products = scaled.T @ scaled
    products += (1e-9 * np.trace(products) + 1e-300) * np.eye(len(totals))
    for topic in wanted:
        others = np.delete(np.arange(len(totals)), topic)
        if not len(others):
            return
        root = np.linalg.cholesky(products[np.ix_(others, others)])
        parts, _ = nnls(root.T, np.linalg.solve(root, products[others, topic]))
        largest = np.argsort(-parts, kind="stable")[:PARTS]
        chosen = largest[parts[largest] > LEAST_PART] if parts.max() > LEAST_PART else largest[:1]
        yield (topic, *others[chosen].tolist())
