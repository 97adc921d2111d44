"""Splits documents into parts: paragraphs, or pieces of at most a number of sentences or words."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple, Self

from stickbreaker.core.errors import UserError
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.text.analysis import default_analysis

WHOLE, NUMBER = "part_of", "part"  # metadata of a part: its document's id, and its number, from 1
UNITS = ("paragraphs", "sentences", "words")
REMEDY = "give paragraphs, sentences:20, words:300 or the like"
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
_WORD = re.compile(r"\S+")


class Split(NamedTuple):
    """How a document is split: into paragraphs, or into parts of at most `size` sentences or words."""

    unit: str
    size: int = 1

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse "paragraphs", "sentences:20", "words:300" or the like. Raises UserError for other texts.

        >>> Split.parse("words:300")
        Split(unit='words', size=300)
        """
        unit, colon, size = text.partition(":")
        if unit in UNITS and (unit == "paragraphs") == (not colon) and (not colon or size.isdecimal()):
            made = cls(unit, int(size)) if colon else cls(unit)
            if 0 < made.size < 1 << 31:
                return made
        raise UserError(f"unknown split {text!r}", remedy=REMEDY)

    def parts(self, text: str) -> list[str]:
        """The parts of a text in order, without spaces around them and without empty ones.

        Parts by sentences or words are of about equal size.

        >>> Split.parse("words:3").parts("one two three four")
        ['one two', 'three four']
        """
        if self.unit == "paragraphs":
            places = [0, *(found.end() for found in _PARAGRAPH.finditer(text))]
        else:
            places = _evenly(_sentences(text) if self.unit == "sentences" else _words(text), self.size)
        found = [text[a:b].strip() for a, b in pairwise([*places, len(text)])]
        return [part for part in found if part]


def _words(text: str) -> list[int]:
    """The character positions at which the words of a text begin; spaces separate words."""
    return [found.start() for found in _WORD.finditer(text)]


def _sentences(text: str) -> list[int]:
    """The character positions at which sentences begin, including quotes and brackets before a word."""
    analysed = default_analysis().analyse(text)
    found: list[int] = []
    for token in analysed.sentences:
        place = int(analysed.starts[token])
        while place > 0 and not text[place - 1].isspace():  # quotes and brackets before the first word
            place -= 1
        if not found or place > found[-1]:
            found.append(place)
    return found


def _evenly(places: list[int], size: int) -> list[int]:
    """The characters at which parts of a text begin, so that each part has at most `size` units.

    places: the characters at which the units (words or sentences) begin. The first part begins at 0; parts
    are as few as possible and differ by at most one unit.
    """
    n_parts = -(-len(places) // size)
    return [0, *(places[len(places) * part // n_parts] for part in range(1, n_parts))]


def split_documents(documents: Iterable[Document], split: Split) -> Iterator[Document]:
    """Split each document into parts, which are documents with the ids "ID#1", "ID#2" and so on.

    ID is the document's id or, if it has none, its number from 0. Parts have the document's metadata, ID in
    "part_of" and their number from 1 in "part". A document with an empty text becomes one part. Raises
    UserError for documents with tokens, words or several languages instead of one text.
    """
    for number, document in enumerate(documents):
        if document.text is None or document.tokens is not None or document.language is not None:
            problem = "only texts in one language are split; these have tokens, words or several languages"
            raise UserError(problem, where=document.where, remedy="leave --split out")
        whole = str(number) if document.id is None else document.id
        for part, text in enumerate(split.parts(document.text) or [""], 1):
            metadata = {**document.metadata, WHOLE: whole, NUMBER: part}
            yield replace(document, id=f"{whole}#{part}", text=text, metadata=metadata)
