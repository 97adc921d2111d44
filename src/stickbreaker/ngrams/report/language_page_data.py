"""The records that the report of a language model is made of: plain data, knowing nothing of models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spread:
    """A number's mean, least and most over samples."""

    mean: float
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class LengthRow:
    """Contexts of one length, in words; `words` of the text stop at it."""

    length: int
    discount: Spread
    concentration: Spread
    words: Spread


@dataclass(frozen=True, slots=True)
class ContextRow:
    """A context (its farthest word first), who sits in it, and (word, probability) of what may follow."""

    words: Sequence[str]
    customers: int
    following: Sequence[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class SentenceRow:
    """A sentence of the document `id`: its tokens, which of them are known, and -log2 p of each.

    `bits` has one more for the end, where the sentence is whole.
    """

    id: str
    tokens: Sequence[str]
    known: Sequence[bool]
    bits: Sequence[float]
