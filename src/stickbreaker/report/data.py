"""The records a report is made of: plain data, knowing nothing of models or corpora."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic as the reader sees it.

    `id` lasts for the life of the model (`#topic-7` links to it). `share` is the part of all tokens that
    belongs to the topic. `words` holds (word, probability in the topic, probability in the whole
    collection); see `choose_words`. `documents` indexes `Page.documents`, the most typical first;
    `similar` holds ids of other topics, the nearest first.
    """

    id: int
    label: str
    share: float
    words: Sequence[tuple[str, float, float]]
    documents: Sequence[int] = ()
    similar: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """One document: a snippet of its text and its leading topics.

    `mix` holds (index into `Page.topics`, share of the document's tokens), the largest first; it need not
    sum to one.
    """

    id: str
    title: str
    text: str
    mix: Sequence[tuple[int, float]]
    n_tokens: int
    metadata: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TracePoint:
    """One evaluation during learning; scores are natural logarithms per word, so at most zero."""

    step: int
    documents: int
    seconds: float
    score: float | None = None
    held_out: float | None = None
    passes: float | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """Everything a report shows; a section whose data are empty is left out.

    `facts` are the (label, value) cards at the top and `settings` the (name, value) rows at the end.
    `positions` holds an (x, y) for each topic, in [-1, 1], or nothing. `documents_total` is the size of
    the collection: where it exceeds `len(documents)`, the page says that it shows a sample.
    """

    title: str
    subtitle: str = ""
    facts: Sequence[tuple[str, Scalar]] = ()
    settings: Sequence[tuple[str, Scalar]] = ()
    topics: Sequence[Topic] = ()
    positions: Sequence[tuple[float, float]] = ()
    documents: Sequence[DocumentEntry] = ()
    documents_total: int = 0
    trace: Sequence[TracePoint] = ()
