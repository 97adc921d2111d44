"""The tree of topics: the two nearest are joined, again and again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stickbreaker.topics.report.page_data import Relations

Floats = NDArray[np.floating]

_MOST = np.log(2.0)  # the divergence of topics without a common word


def relate(distances: Floats) -> Relations:
    """Similarity and tree of topics from their Jensen-Shannon distances (K × K).

    Similarity is one minus the divergence in bits: 1 for the same words, 0 for none in common.
    """
    d = np.asarray(distances, np.float64)
    similarity = np.clip(1.0 - d * d / _MOST, 0.0, 1.0)
    merges = agglomerate(d)
    return Relations(similarity.tolist(), merges, leaf_order(merges, d))


def relate_used(distances: Floats, used: NDArray[np.intp]) -> Relations:
    """Relations of topics (K × K) of which some are in use: the others are similar to none and in no tree."""
    n, n_used = len(distances), len(used)
    inner = relate(distances[np.ix_(used, used)])
    similarity = np.eye(n)
    similarity[np.ix_(used, used)] = inner.similarity
    number = [*used.tolist(), *(n + i for i in range(n_used - 1))]
    merges = [(number[left], number[right], height) for left, right, height in inner.merges]
    return Relations(similarity.tolist(), merges, [number[k] for k in inner.order])


def agglomerate(distances: Floats) -> list[tuple[int, int, float]]:
    """Average linkage: join the two nearest clusters until one is left.

    Args:
        distances: (K, K) symmetric.

    Returns:
        K - 1 merges (left, right, height) from the bottom up; numbers below K are topics, K + i is merge i.
        Equal distances are settled by order, so the same input gives the same tree.

    >>> agglomerate(np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 6.0], [4.0, 6.0, 0.0]]))
    [(0, 1, 1.0), (3, 2, 5.0)]
    """
    d = np.array(distances, np.float64)
    n = len(d)
    np.fill_diagonal(d, np.inf)
    names, sizes = list(range(n)), np.ones(n)
    merges: list[tuple[int, int, float]] = []
    for step in range(n - 1):
        i, j = divmod(int(np.argmin(d)), n)  # i < j, for the first of equal places is taken
        merges.append((names[i], names[j], float(d[i, j])))
        joined = (sizes[i] * d[i] + sizes[j] * d[j]) / (sizes[i] + sizes[j])
        d[i], d[:, i] = joined, joined
        d[j], d[:, j], d[i, i] = np.inf, np.inf, np.inf
        sizes[i] += sizes[j]
        names[i] = n + step
    return merges


def leaf_order(merges: list[tuple[int, int, float]], distances: Floats) -> list[int]:
    """The topics from one side of the tree to the other, branches turned so that near ones meet.

    >>> leaf_order([(0, 1, 1.0), (3, 2, 5.0)], np.array([[0, 1, 4.0], [1, 0, 6], [4, 6, 0]]))
    [1, 0, 2]
    """
    n = len(distances)
    if not merges:
        return list(range(n))
    leaves: dict[int, list[int]] = {k: [k] for k in range(n)}
    for i, (left, right, _) in enumerate(merges):
        one, other = leaves.pop(left), leaves.pop(right)
        ways = [(a, b) for a in (one, one[::-1]) for b in (other, other[::-1])]
        gaps = [float(distances[a[-1], b[0]]) for a, b in ways]
        a, b = ways[gaps.index(min(gaps))]
        leaves[n + i] = a + b
    return leaves[n + len(merges) - 1]
