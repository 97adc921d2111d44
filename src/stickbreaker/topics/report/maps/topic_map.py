"""The topic map: places in the plane for topics, chosen so that topics with similar words are near each
other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.topk import descending, largest

Floats = NDArray[np.floating]
Matrix = NDArray[np.float64]

_STRETCH = 1.5
_STEPS = 300


def topic_distances(topic_word: Floats) -> Matrix:
    """Jensen-Shannon distances (square root of the divergence) between topics.

    Args:
        topic_word: (K, V) rows that sum to one; for a large vocabulary see `display_words.apart`.

    Returns:
        (K, K) symmetric, zero on the diagonal.
    """
    p = np.asarray(topic_word, dtype=np.float64)
    n_topics = p.shape[0]
    entropy = -_x_log_x(p).sum(axis=1)
    distances = np.zeros((n_topics, n_topics))
    for k in range(n_topics - 1):
        mixture_entropy = -_x_log_x(0.5 * (p[k] + p[k + 1 :])).sum(axis=1)
        divergence = mixture_entropy - 0.5 * (entropy[k] + entropy[k + 1 :])
        distances[k, k + 1 :] = np.sqrt(np.maximum(divergence, 0.0))
    return distances + distances.T


def _x_log_x(x: Matrix) -> Matrix:
    return x * np.log(np.maximum(x, 1e-300))


def nearest_topics(distances: Floats, n: int = 4) -> list[list[int]]:
    """For each topic, the numbers of its n nearest other topics, or all if fewer, nearest first.

    distances: (K, K).
    """
    others = np.array(distances, dtype=np.float64)
    np.fill_diagonal(others, np.inf)
    return largest(-others, min(n, len(others) - 1))[0].tolist()


def place_topics(distances: Floats) -> list[tuple[float, float]]:
    """Place topics in the plane so that similar topics are near: classical scaling, improved by SMACOF. The
    same input gives the same map.

    Most topics have little in common, so their distances are nearly equal and would give an even disc.
    Differences between distances are therefore enlarged first, so that groups of topics stand apart.

    Args:
        distances: (K, K) symmetric.

    Returns:
        K pairs (x, y) in [-1, 1], the longer axis horizontal.
    """
    d = np.asarray(distances, dtype=np.float64)
    n_topics = d.shape[0]
    if n_topics == 0:
        return []
    if n_topics == 1:
        return [(0.0, 0.0)]
    target = _stretched(d)
    points = _majorised(_classical(target), target)
    points = _turned(points)
    points /= max(float(np.abs(points).max()), 1e-12)
    return [(round(float(x), 4), round(float(y), 4)) for x, y in points]


def place_used(distances: Floats, used: NDArray[np.intp]) -> list[tuple[float, float]]:
    """Places of K topics on a map that shows only those numbered in `used` (see `place_topics`); the others
    get (0, 0).
    """
    places = [(0.0, 0.0)] * len(distances)
    for k, place in zip(used.tolist(), place_topics(distances[np.ix_(used, used)]), strict=True):
        places[k] = place
    return places


def _stretched(d: Matrix) -> Matrix:
    """The distances `d` (K × K) rescaled so that their differences show on a map: from the least to the
    greatest they become 0 to 1, then to the power 1.5, plus 0.02. If all are equal, they become 1. The
    diagonal is 0.
    """
    between = d[~np.eye(len(d), dtype=bool)]
    low, high = float(between.min()), float(between.max())
    if high - low < 1e-9:
        target = np.ones_like(d)
    else:
        target = (np.clip((d - low) / (high - low), 0.0, 1.0)) ** _STRETCH + 0.02
    np.fill_diagonal(target, 0.0)
    return target


def _classical(d: Matrix) -> Matrix:
    """Classical multidimensional scaling: points in the plane (K × 2) from distances (K × K)."""
    n = len(d)
    centring = np.eye(n) - 1.0 / n
    values, vectors = np.linalg.eigh(-0.5 * centring @ (d * d) @ centring)
    points = vectors[:, [-1, -2]] * np.sqrt(np.maximum(values[[-1, -2]], 0.0))
    if n > 2 and np.ptp(points[:, 1]) < 1e-9:  # on a line: a small circle lets SMACOF leave it
        points[:, 1] += 1e-3 * np.sin(2 * np.pi * np.arange(n) / n)
    return points


def _majorised(points: Matrix, target: Matrix) -> Matrix:
    """Improve a map by SMACOF: move points (K × 2) by Guttman transforms until their distances are close to
    `target` (K × K).
    """
    n = len(points)
    for _ in range(_STEPS):
        gaps = points[:, None, :] - points[None, :, :]
        lengths = np.sqrt((gaps * gaps).sum(axis=2))
        ratio = -target / np.maximum(lengths, 1e-9)
        np.fill_diagonal(ratio, 0.0)
        np.fill_diagonal(ratio, -ratio.sum(axis=1))
        moved = ratio @ points / n
        if np.abs(moved - points).max() < 1e-6:
            return moved
        points = moved
    return points


def _turned(points: Matrix) -> Matrix:
    """Points rotated so that their longer axis is horizontal. The signs of both axes are fixed by a rule, so
    that the same points are never mirrored.
    """
    centred = points - points.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    turned = centred @ axes.T
    if turned.shape[1] < 2:
        turned = np.column_stack([turned, np.zeros(len(turned))])
    for axis in range(2):
        if turned[descending(np.abs(turned[:, axis]), 1)[0], axis] < 0:
            turned[:, axis] = -turned[:, axis]
    return turned
