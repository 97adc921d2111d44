"""Which topics stand below which, as a graph that a reader can take in."""

from typing import NamedTuple

import numpy as np

from stickbreaker.core.records import Array
from stickbreaker.core.topk import descending
from stickbreaker.syntax.plain_syntactic_topics import PlainSyntacticTopics

LEAST, MOST = 0.1, 3  # share of the words below a topic that an edge has, and edges from a topic
NEARLY = 1.0 - 1e-6  # of a topic that no way leads to from a root, so that its depth is finite


class Edge(NamedTuple):
    """Of the words whose head has the topic `head` (None: of those without a head), the share that has
    `topic`."""

    head: int | None
    topic: int
    share: float


def edges_of(model: PlainSyntacticTopics) -> list[Edge]:
    """The edges from the topics in use and from no head, each's largest ones."""
    shares, in_use = model.head_topics_, set(model.topics_in_use)
    rows = [(None, shares[-1]), *((k, shares[k]) for k in sorted(in_use))]
    return [
        Edge(head, topic, float(row[topic]))
        for head, row in rows
        for topic in descending(row, MOST).tolist()
        if topic in in_use and row[topic] >= LEAST
    ]


def heads_of(model: PlainSyntacticTopics) -> Array:
    """topics × topics + 1: of a topic's words, the shares of their heads' topics (last: of no head). A row of
    which nothing was counted is zero."""
    counted = model.learned_.of_best(model.learned_.transitions)
    return (counted / np.maximum(counted.sum(axis=0), 1e-300)).T


def depths_of(model: PlainSyntacticTopics) -> Array:
    """(topics,) how far below the root a topic's words stand: 1 of a topic of roots alone.

    d_i = 1 + sum_j p(head has topic j | topic i) d_j: exact if the words of topic j with one of topic i below
    them stand as deep as others of topic j.
    """
    heads = heads_of(model)[:, :-1]
    depths = np.linalg.solve(np.eye(len(heads)) - NEARLY * heads, np.ones(len(heads)))
    return depths.astype(np.float64)
