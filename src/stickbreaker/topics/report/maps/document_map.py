"""The map of documents: places in the plane for documents, chosen so that documents with similar topic shares
are near each other.

They are found by t-SNE (van der Maaten and Hinton, 2008), without approximation, from Hellinger distances
between the shares. It does not start at random: each document begins at the mean of its topics' places on the
topic map, weighted by their shares. So the two maps resemble each other, and the same documents always give
the same map. All sums are numpy's own, never a linear algebra library's, since those may depend on the number
of threads.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.random_streams import stream
from stickbreaker.topics import purposes
from stickbreaker.topics.report.document_entries import DocumentEntry

Floats = NDArray[np.floating]
Ints = NDArray[np.intp]
Place = tuple[float, float]

MOST = 3000  # documents: time and memory grow with their square
PERPLEXITY = 30.0  # about as many neighbours count for a document
STEPS = 80  # a hundred more keep a thousandth more of the neighbours together
LEAST_SHARE = 0.01  # of a document that a topic has; smaller ones cannot be seen either
_EXAGGERATED = 30  # the first steps, in which neighbours attract each other more strongly
_EXAGGERATION = 4.0
_BLOCK = 32  # rows of the table of distances that are in the cache at once
_HALVINGS = 40
_TIE = np.float32(1e-5)  # squared distances closer than this are as good as equal
_GOLDEN_ANGLE = np.pi * (3 - 5**0.5)


def place_documents(
    documents: Sequence[DocumentEntry], topic_positions: Sequence[Place]
) -> list[Place | None]:
    """Place documents in the plane, each axis in [-1, 1]; None for a document without words or topics, and
    for those after the first 3,000.

    Args:
        documents: with shares of K topics.
        topic_positions: the places of the K topics on the topic map.
    """
    shares = _mixes(documents, len(topic_positions))
    placed = np.flatnonzero(shares.sum(axis=1))[:MOST]
    places: list[Place | None] = [None] * len(documents)
    if not len(placed):
        return places
    mixes = shares[placed] / shares[placed].sum(axis=1, keepdims=True)
    start = np.einsum("dk,kx->dx", mixes, np.asarray(topic_positions, dtype=np.float64))
    for d, (x, y) in zip(placed.tolist(), _fitted(_embed(mixes, start)).tolist(), strict=True):
        places[d] = (round(x, 4), round(y, 4))
    return places


def _mixes(documents: Sequence[DocumentEntry], n_topics: int) -> Floats:
    """The documents' topic shares (D × K), with zeros for shares too small to be seen and for documents
    without words.
    """
    shares = np.zeros((len(documents), n_topics))
    for d, document in enumerate(documents):
        for k, share in document.mix if document.n_tokens > 0 else ():
            if 0 <= k < n_topics and LEAST_SHARE <= share < np.inf:
                shares[d, k] = share
    return shares


def _fitted(points: Floats) -> Floats:
    """Move and scale points so that each axis spans -1 to 1; an axis on which all are equal becomes 0."""
    low, high = points.min(axis=0), points.max(axis=0)
    half = (high - low) / 2
    return np.where(half > 1e-9, (points - (low + high) / 2) / np.maximum(half, 1e-9), 0.0)


def _embed(mixes: Floats, start: Floats) -> Floats:
    """Places of documents (D × 2) by t-SNE of their topic shares `mixes` (D × K), from the places `start` (D
    × 2).

    The method is gradient descent with momentum and a step size per coordinate ("gains").
    """
    n = len(mixes)
    if n == 1:
        return start
    pairs = _attractions(_squared_hellinger(mixes))
    spread = max(float(np.abs(start).max()), 1e-9)
    points = (start / spread + 0.01 * _sunflower(n)).astype(np.float32)  # no two at one place
    speed, gains = np.zeros_like(points), np.ones_like(points)
    rate = max(n / (4 * _EXAGGERATION), 20.0)
    for step in range(STEPS):
        strength = _EXAGGERATION if step < _EXAGGERATED else 1.0
        gradient = 4 * (strength * _attraction(points, pairs) - _repulsion(points))
        gains = np.clip(np.where(np.sign(gradient) == np.sign(speed), 0.8 * gains, gains + 0.2), 0.01, None)
        speed = ((0.5 if step < _EXAGGERATED // 2 else 0.8) * speed - rate * gains * gradient).astype(
            np.float32
        )
        points = points + speed
        points -= points.mean(axis=0)
    return points.astype(np.float64)


def _sunflower(n: int) -> Floats:
    """Points in a disc of radius 1 (n × 2), spaced evenly like the seeds of a sunflower."""
    i = np.arange(n)
    radius = np.sqrt((i + 0.5) / n)
    return np.column_stack([radius * np.cos(_GOLDEN_ANGLE * i), radius * np.sin(_GOLDEN_ANGLE * i)])


def _squared_hellinger(mixes: Floats) -> Floats:
    """Squared Hellinger distances between all pairs of documents (D × D), from their topic shares (D × K).

    They are summed topic by topic, which is fast, since each topic occurs in few documents.
    """
    roots = np.sqrt(mixes).astype(np.float32)
    alike = np.zeros((len(roots), len(roots)), dtype=np.float32)
    for column in roots.T:
        own = np.flatnonzero(column)
        alike[np.ix_(own, own)] += column[own, None] * column[own]
    return np.maximum(1 - alike, 0)


def _attractions(distances: Floats) -> tuple[Ints, Ints, Floats, Ints]:
    """How strongly documents attract each other in t-SNE: the probabilities p, for the pairs of neighbours
    only, as the others are zero.

    distances (D × D): squared. Each pair is listed both ways round, sorted by its first document.

    Returns:
        one, other: the two documents of each pair.
        strength: p of each pair; their sum is 1.
        first: for each document, the index of its first pair.
    """
    n = len(distances)
    perplexity = min(PERPLEXITY, max((n - 1) / 3, 1.0))
    n_near = min(int(3 * perplexity), n - 1)
    # of others as far away, each document has its own as neighbours: else all would gather about the same few
    others = distances + _TIE * stream(0, purposes.NEIGHBOURS_ON_MAP).random(
        distances.shape, dtype=np.float32
    )
    np.fill_diagonal(others, np.inf)
    near = np.argpartition(others, n_near - 1, axis=1)[:, :n_near]
    weights = _weights(np.take_along_axis(distances, near, axis=1).astype(np.float64), perplexity)
    one, other = np.repeat(np.arange(n), n_near), near.ravel()
    both, back = np.concatenate([one, other]), np.concatenate([other, one])
    order = np.lexsort((back, both))
    strength = np.tile(weights.ravel() / (2 * n), 2)[order].astype(np.float32)
    return both[order], back[order], strength, np.searchsorted(both[order], np.arange(n))


def _weights(distances: Floats, perplexity: float) -> Floats:
    """t-SNE's weights of each document's neighbours (documents × neighbours): exp(-βd) divided by their sum,
    d being the squared distance.

    Each document has a β of its own, found by bisection, for which the entropy of the weights is
    log(perplexity).
    """
    distances = distances - distances.min(axis=1, keepdims=True)
    low, high = np.zeros(len(distances)), np.full(len(distances), np.inf)
    beta = np.ones(len(distances))
    for _ in range(_HALVINGS):
        weights = np.exp(-distances * beta[:, None])
        sums = weights.sum(axis=1)
        flat = np.log(sums) + beta * (distances * weights).sum(axis=1) / sums > np.log(perplexity)
        low, high = np.where(flat, beta, low), np.where(flat, high, beta)
        beta = np.where(np.isinf(high), 2 * beta, (low + np.where(np.isinf(high), low, high)) / 2)
    weights = np.exp(-distances * beta[:, None])
    return weights / weights.sum(axis=1, keepdims=True)


def _attraction(points: Floats, pairs: tuple[Ints, Ints, Floats, Ints]) -> Floats:
    """How its neighbours pull each point in t-SNE, as a term of the gradient (D × 2): Σ p / (1 + d²) × (point
    - neighbour), where d is their distance on the map.

    pairs: as `_attractions` returns them.
    """
    one, other, strength, first = pairs
    across, up = (axis.take(one) - axis.take(other) for axis in np.ascontiguousarray(points.T))
    pull = strength / (1 + across * across + up * up)
    return np.column_stack([np.add.reduceat(pull * way, first) for way in (across, up)])


def _repulsion(points: Floats) -> Floats:
    """How all others push each point away in t-SNE, as a term of the gradient (D × 2): Σ q / (1 + d²) ×
    (point - other).

    q is 1 / (1 + d²) divided by its sum over all pairs, d the distance on the map.
    """
    n, (x, y) = len(points), np.ascontiguousarray(points.T)
    push, total = np.zeros((2, n), dtype=np.float32), 0.0
    for start in range(0, n, _BLOCK):  # each pair once: what pushes one pushes the other the opposite way
        end = min(start + _BLOCK, n)
        across, up = x[start:end, None] - x[start:], y[start:end, None] - y[start:]
        near = across * across
        near += up * up
        near += 1
        np.divide(np.float32(1), near, out=near)  # the same numbers as np.reciprocal in half the time
        own, others = near[:, : end - start], near[:, end - start :]
        total += float(own.sum(dtype=np.float64)) + 2 * float(others.sum(dtype=np.float64))
        near *= near
        for axis, way in enumerate((across, up)):
            way *= near
            push[axis, start:end] += way.sum(axis=1)
            push[axis, end:] -= way[:, end - start :].sum(axis=0)
    return push.T / np.float32(total - n)
