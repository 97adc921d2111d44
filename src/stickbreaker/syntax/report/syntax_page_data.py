"""The records that the report of syntactic topics is made of: plain data, knowing nothing of models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TopicRow:
    """A topic in use, by its lasting `number`.

    `share` is of the words learned from. `tags` are (tag, share of the topic's words), the commonest first;
    `words` are (word, probability, its probability in all topics), the most probable first. `below` are
    (number of a topic, share): of the words whose head has this topic, the share that has that one; `above`
    likewise of the topics that heads of this topic's words have, None for no head. `depth` is how far below
    the root its words stand, in words.
    """

    number: int
    share: float
    tags: Sequence[tuple[str, float]] = ()
    words: Sequence[tuple[str, float, float]] = ()
    below: Sequence[tuple[int, float]] = ()
    above: Sequence[tuple[int | None, float]] = ()
    depth: float = 1.0


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """An edge of the graph, from the topic of heads (None: no head) to one below it, by their numbers."""

    head: int | None
    topic: int
    share: float


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document, how many words it has, and (number of a topic, share of the words), the largest first."""

    id: str
    words: int
    topics: Sequence[tuple[int, float]]
    held_out: bool = False


@dataclass(frozen=True, slots=True)
class ParsedSentence:
    """A sentence of `size` words, of which the first are here: whether each is known, the place of its head,
    its most probable topic and that one's probability.

    A head is -1 for a root, -2 where it stands after the words that are here.
    """

    id: str
    size: int
    tokens: Sequence[str]
    known: Sequence[bool]
    heads: Sequence[int]
    topics: Sequence[int]
    sure: Sequence[float]
