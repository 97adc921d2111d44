"""Topics as lists and charts of several kinds of pages show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stickbreaker.pages.text_values import one_line


@dataclass(frozen=True, slots=True)
class TopicRow:
    """A topic in use, by its lasting `number`: its share of all words, and its first words, each with its
    share of the topic and what else a kind says of it."""

    number: int
    share: float
    words: Sequence[tuple[Any, ...]] = ()

    @property
    def label(self) -> str:
        words = " ".join(one_line(word) for word, *_ in self.words[:3])
        return f"topic {self.number}: {words}" if words else f"topic {self.number}"


def places_of(topics: Sequence[TopicRow]) -> dict[int, int]:
    """The place of each topic in a list, by its number."""
    return {topic.number: place for place, topic in enumerate(topics)}
