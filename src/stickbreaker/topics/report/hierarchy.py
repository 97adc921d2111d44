"""How topics relate: their similarities, and a tree made by joining the two nearest topics or clusters again
and again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stickbreaker.pages.packed import base36_pairs
from stickbreaker.pages.page import Section
from stickbreaker.pages.text_values import rounded
from stickbreaker.pages.views import Matrix, Row, View

if TYPE_CHECKING:
    from stickbreaker.topics.report.topic_page import TopicReport


Floats = NDArray[np.floating]

_MOST = np.log(2.0)  # the divergence of topics without a common word


@dataclass(frozen=True, slots=True)
class Relations:
    """How topics relate to each other: `similarity` (K × K), from 0 to 1, and a tree of topics.

    The tree is given by `merges`, each (left, right, height), from the bottom up: numbers below K are topics,
    and K + i is the cluster made by merge i. `order`: the topics as leaves of the tree, from one side to the
    other. Topics not in use are not in the tree.
    """

    similarity: Sequence[Sequence[float]]
    merges: Sequence[tuple[int, int, float]]
    order: Sequence[int]


@dataclass(frozen=True, slots=True)
class TopicTree(View):
    """A tree of things of the choice `of`: its leaves in order, and `merges` as `Relations` has them."""

    of: str
    order: Sequence[int]
    merges: Sequence[tuple[int, int, float]]


def how_they_relate(report: TopicReport) -> Section | None:
    found = report.relations
    if found is None:
        return None
    text = (
        "The tree joins the topics whose words are most alike, then the groups so made, up to all of them: "
        "the further right two branches meet, the more alike they are. The square shows every pair in the "
        "order of the tree; the stronger its colour, the more alike. Alike is measured by the words: 100% "
        "for the same words as often, 0% for none in common."
    )
    tree = TopicTree("topic", found.order, found.merges, figure="tree")
    square = Matrix("topic", found.order, _triangle(found), figure="similarity")
    return Section(
        "relations", "How the topics relate", text, [Row([tree, square], 24.0, panel=True)], "How they relate"
    )


def _triangle(relations: Relations) -> str:
    order = relations.order
    likeness = (relations.similarity[k][other] for place, k in enumerate(order) for other in order[:place])
    return base36_pairs(round(1000 * (rounded(value) or 0)) for value in likeness)


def relate(distances: Floats) -> Relations:
    """Similarities and tree of topics, computed from their Jensen-Shannon distances (K × K).

    Similarity is one minus the divergence in bits: 1 for the same words, 0 for none in common.
    """
    d = np.asarray(distances, np.float64)
    similarity = np.clip(1.0 - d * d / _MOST, 0.0, 1.0)
    merges = agglomerate(d)
    return Relations(similarity.tolist(), merges, leaf_order(merges, d))


def relate_used(distances: Floats, used: NDArray[np.intp]) -> Relations:
    """Relations of K topics, of which only those numbered in `used` are in use: the others have similarity 0
    to all topics but themselves, and are not in the tree.

    distances (K × K): Jensen-Shannon distances.
    """
    n, n_used = len(distances), len(used)
    inner = relate(distances[np.ix_(used, used)])
    similarity = np.eye(n)
    similarity[np.ix_(used, used)] = inner.similarity
    number = [*used.tolist(), *(n + i for i in range(n_used - 1))]
    merges = [(number[left], number[right], height) for left, right, height in inner.merges]
    return Relations(similarity.tolist(), merges, [number[k] for k in inner.order])


def agglomerate(distances: Floats) -> list[tuple[int, int, float]]:
    """Cluster items by average linkage: join the two nearest clusters until one is left.

    Args:
        distances: (K, K) symmetric.

    Returns:
        K - 1 merges (left, right, height) from the bottom up; numbers below K are items, K + i is the cluster
        made by merge i. Among equal distances the first is taken, so the same input gives the same tree.

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
    """The leaves of a tree of topics from one side to the other. Branches are turned so that neighbouring
    leaves are similar.

    merges: as `agglomerate` returns them; distances (K × K). For each merge, in order, the two branches are
    joined at the ends that are nearest to each other.

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
