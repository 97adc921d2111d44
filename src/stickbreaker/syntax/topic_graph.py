"""Which topics stand below which, as the edges of a graph that a reader can take in."""

from typing import NamedTuple

from stickbreaker.core.topk import descending
from stickbreaker.syntax.plain_syntactic_topics import PlainSyntacticTopics

LEAST, MOST = 0.1, 3  # share of the words below a topic that an edge has, and edges from a topic


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
