"""The graph of topics: an edge for each topic whose words often depend on words of another topic."""

from typing import NamedTuple

import numpy as np

from stickbreaker.core.records import Array
from stickbreaker.core.topk import descending
from stickbreaker.syntax.learned import SyntaxLearned

LEAST, MOST = 0.1, 3  # least share of an edge among the words below a topic; most edges from a topic
NEARLY = 1.0 - 1e-6  # for topics unreachable from a root, so that their depth is finite


class Edge(NamedTuple):
    """An edge of the graph of topics, from the topic of heads to a topic of their dependents.

    share: that of `topic` among the words whose head has the topic `head` (None: words without a head).
    """

    head: int | None
    topic: int
    share: float


def edges_of(learned: SyntaxLearned) -> list[Edge]:
    """The edges of the graph of topics: from each topic in use to the commonest topics of its dependents.

    The first edges are to topics of words without a head. There are at most `MOST` edges from a topic, with
    shares of at least `LEAST`; topics that are not in use have none.
    """
    shares, in_use = learned.samples.head_topics, set(learned.topics_in_use)
    rows = [(None, shares[-1]), *((k, shares[k]) for k in sorted(in_use))]
    return [
        Edge(head, topic, float(row[topic]))
        for head, row in rows
        for topic in descending(row, MOST).tolist()
        if topic in in_use and row[topic] >= LEAST
    ]


def heads_of(learned: SyntaxLearned) -> Array:
    """(topics × topics + 1) Rows: topics of words; in a row, the shares of topics among their heads.

    The last column is for no head. The row of a topic without words is zero.
    """
    counted = learned.samples.of_best(learned.samples.transitions)
    return (counted / np.maximum(counted.sum(axis=0), 1e-300)).T


def depths_of(learned: SyntaxLearned) -> Array:
    """The mean depth of each topic's words in trees (topics,); 1 if all are roots.

    d_i = 1 + sum_j p(head has topic j | topic i) d_j, which is exact if words of topic j are equally deep
    with and without dependents of topic i.
    """
    heads = heads_of(learned)[:, :-1]
    depths = np.linalg.solve(np.eye(len(heads)) - NEARLY * heads, np.ones(len(heads)))
    return depths.astype(np.float64)
