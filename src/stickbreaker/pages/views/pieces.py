"""Text in views: strings, and pieces of text that have a look or a meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias


class Piece:
    """A piece of text. `held`: its values by name, the first of which says what it is, for the scripts."""

    __slots__ = ()

    def held(self) -> dict[str, object]:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Item(Piece):
    """A link that chooses one of the things of a `Choice`, with its colour and label.

    of: the choice, such as "topic"; place: of the thing in it; text: in place of its label; plain: it cannot
    be chosen here.
    """

    of: str
    place: int
    text: str = ""
    plain: bool = False

    def held(self) -> dict[str, object]:
        return {"item": self.place, "of": self.of, "text": self.text, "plain": self.plain}


@dataclass(frozen=True, slots=True)
class Styled(Piece):
    """Text with a look: "small", "strong", "share" (numbers), "mark" (a badge), "word" (of the data, in
    serif), "marked" (highlighted), "phrase" or "sentence" (on a line of its own); "below" is small, on a line
    of its own. note: what is said when it is pointed at; language: its code.
    """

    text: Text
    style: str
    note: str = ""
    language: str = ""
    colour: str = ""

    def held(self) -> dict[str, object]:
        return {self.style: self.text, "note": self.note, "lang": self.language, "colour": self.colour}


@dataclass(frozen=True, slots=True)
class Mix(Piece):
    """A bar whose parts are (place, share) of things of the choice `of`."""

    of: str
    shares: Sequence[tuple[int, float]]

    def held(self) -> dict[str, object]:
        return {"mix": self.shares, "of": self.of}


@dataclass(frozen=True, slots=True)
class Meter(Piece):
    """A share as a bar; with a colour and a mark, the mark is a line at another share."""

    share: float
    mark: float | None = None
    colour: str = ""

    def held(self) -> dict[str, object]:
        return {"meter": self.share, "mark": self.mark, "colour": self.colour}


@dataclass(frozen=True, slots=True)
class Each(Piece):
    """Texts that stand together, each kept in one piece. across: below each other, in this many columns."""

    texts: Sequence[Text]
    across: int = 0

    def held(self) -> dict[str, object]:
        return {"each": self.texts, "across": self.across}


Text: TypeAlias = "str | Item | Styled | Mix | Meter | Each | Sequence[Text]"


def muted(text: Text) -> Styled:
    return Styled(text, "small")


def strong(text: Text) -> Styled:
    return Styled(text, "strong")


def number(text: str) -> Styled:
    return Styled(text, "share")


def badge(text: str) -> Styled:
    return Styled(text, "mark")


def serif(text: str) -> Styled:
    return Styled(text, "word")
