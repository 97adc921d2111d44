"""Topics in reports, as lists and charts show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stickbreaker.pages.text_values import one_line


@dataclass(frozen=True, slots=True)
class TopicRow:
    """A topic in a report.

    number: its lasting number; share: of all words; words: its top words as tuples: the word, its share of
    the topic, and more values that depend on the kind of model.
    """

    number: int
    share: float
    words: Sequence[tuple[Any, ...]] = ()

    @property
    def label(self) -> str:
        words = " ".join(one_line(word) for word, *_ in self.words[:3])
        return f"topic {self.number}: {words}" if words else f"topic {self.number}"


def places_of(topics: Sequence[TopicRow]) -> dict[int, int]:
    """The index of each topic in a list, by its number."""
    return {topic.number: place for place, topic in enumerate(topics)}
