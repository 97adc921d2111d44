"""The records that the report of a language model with topics is made of: plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LanguageTopicRow:
    """A topic: its share of all words, its words with their shares of its own words, what is typical of it.

    `phrases` are n-grams, `sentences` some that were drawn from the topic.
    """

    number: int
    share: float
    words: Sequence[tuple[str, float]] = ()
    phrases: Sequence[str] = ()
    sentences: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class SharesAlong:
    """The shares of topics along a document, window by window.

    `size` words and ends are in each window but the last. `shares` (windows × topics + 1): of `topics`, and
    at the end of each row that of the common topic; what is left to one is of other topics.
    """

    size: int
    topics: Sequence[int]
    shares: Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class ExcerptRow:
    """Consecutive sentences of a document, with an item for each word and end in each list.

    `first`: the place of the first among the `read` words and ends that were looked at. `bits`: -log2 p;
    `best`: the most probable topic that is not the common one, `sure` its probability; `specific`: the
    probability of not being of the common topic.
    """

    first: int
    read: int
    tokens: Sequence[str]
    known: Sequence[bool]
    ends: Sequence[bool]
    bits: Sequence[float]
    best: Sequence[int]
    sure: Sequence[float]
    specific: Sequence[float]
    along: SharesAlong


@dataclass(frozen=True, slots=True)
class MixedDocument:
    """A document: its words, its (topic, share) pairs, the largest first, and for some an excerpt."""

    id: str
    words: int
    held_out: bool
    topics: Sequence[tuple[int, float]]
    excerpt: ExcerptRow | None = None


@dataclass(frozen=True, slots=True)
class ContextShare:
    """A context (its farthest word first), its customers, and the share of topics after it."""

    words: Sequence[str]
    customers: float
    share: float


@dataclass(frozen=True, slots=True)
class ShareHistogram:
    """Customers of contexts of one length by the share of topics: `customers` of equal bins from 0 to 1.

    `longer`: contexts that are longer are in it, too.
    """

    length: int
    longer: bool
    customers: Sequence[float]


@dataclass(frozen=True, slots=True)
class TopicsByContext:
    """The share of topics by context: frequent contexts in which it is low, in the middle and high."""

    low: Sequence[ContextShare] = ()
    middle: Sequence[ContextShare] = ()
    high: Sequence[ContextShare] = ()
    histograms: Sequence[ShareHistogram] = ()
    mean: float = 0.0
