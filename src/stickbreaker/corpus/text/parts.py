"""Splits documents into parts: paragraphs, or pieces of at most a number of sentences or words."""

import functools
import re
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple, Self

from stickbreaker.core.errors import UserError
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.readers.problems import ReadingWarning
from stickbreaker.corpus.text.analysis import Analysis, default_analysis

WHOLE, NUMBER = "part_of", "part"  # metadata of a part: its document's id, and its number, from 1
UNITS = ("paragraphs", "sentences", "words")
REMEDY = "give paragraphs, sentences:20, words:300 or the like"
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
_WORD = re.compile(r"\S+")
_ENDS = "。！？｡"  # of sentences that no space follows
_WITHOUT_STOPS = frozenset({"lo", "th"})  # languages in which no sign ends a sentence
_LINE = re.compile(r"[\r\n]\s*(?=\S)")
_LONG = 2_000  # characters of a document that is more than a sentence
_CLOSING = "」』”’）】》〉〕］｣"


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

    def parts(self, text: str, analysis: Analysis | None = None) -> list[str]:
        """The parts of a text in order, without spaces around them and without empty ones.

        Parts by sentences or words are of about equal size. Words are what spaces separate or, in a language
        that is written without spaces, what `analysis` finds: characters, or words by ICU. In Thai and Lao,
        which have no full stop, each end of a line ends a sentence too, as it does for ICU; spaces do not.

        >>> Split.parse("words:3").parts("one two three four")
        ['one two', 'three four']
        """
        if self.unit == "paragraphs":
            places = [0, *(found.end() for found in _PARAGRAPH.finditer(text))]
        else:
            find = _sentences if self.unit == "sentences" else _words
            places = _evenly(find(text, analysis_of_cuts(analysis)), self.size)
        found = [text[a:b].strip() for a, b in pairwise([*places, len(text)])]
        return [part for part in found if part]


@functools.lru_cache(8)
def analysis_of_cuts(analysis: Analysis | None) -> Analysis:
    """An analysis that finds words and sentences where another one does, without changing the words."""
    if analysis is None:
        return default_analysis()
    return Analysis(
        language=analysis.language,
        segmentation=analysis.segmentation,
        stop_words="none",
        letters=analysis.letters,
    )


def words_for_repeats(analysis: Analysis | None) -> Callable[[str], Sequence[str]] | None:
    """A function that finds the words of a text by an analysis, if its language is written without spaces.

    None if spaces separate words.
    """
    cuts = analysis_of_cuts(analysis)
    return None if cuts.resolved().segmentation == "pattern" else cuts.words_of


def _words(text: str, cuts: Analysis) -> list[int]:
    """The character positions at which the words of a text begin, with the opening brackets before them."""
    if cuts.resolved().segmentation == "pattern":
        return [found.start() for found in _WORD.finditer(text)]
    places: list[int] = []
    for place in cuts.analyse(text).starts.tolist():
        while place > 0 and unicodedata.category(text[place - 1]) in ("Ps", "Pi"):
            place -= 1
        if not places or place > places[-1]:
            places.append(place)
    return places


def _sentences(text: str, cuts: Analysis) -> list[int]:
    """The character positions at which sentences begin, including quotes and brackets before a word."""
    analysed = cuts.analyse(text)
    found: list[int] = []
    for token in analysed.sentences:
        place = int(analysed.starts[token])
        # quotes and brackets before the first word, but not those that close the sentence before it
        while place > 0 and not (text[place - 1].isspace() or text[place - 1] in _ENDS):
            place -= 1
        if place > 0 and text[place - 1] in _ENDS:
            while text[place] in _CLOSING:
                place += 1
        if not found or place > found[-1]:
            found.append(place)
    if cuts.language in _WITHOUT_STOPS:
        found = sorted({*found, *(line.end() for line in _LINE.finditer(text))})
    return found


def _evenly(places: list[int], size: int) -> list[int]:
    """The characters at which parts of a text begin, so that each part has at most `size` units.

    places: the characters at which the units (words or sentences) begin. The first part begins at 0; parts
    are as few as possible and differ by at most one unit.
    """
    n_parts = -(-len(places) // size)
    return [0, *(places[len(places) * part // n_parts] for part in range(1, n_parts))]


def split_documents(
    documents: Iterable[Document], split: Split, analysis: Analysis | None = None
) -> Iterator[Document]:
    """Split each document into parts, which are documents with the ids "ID#1", "ID#2" and so on.

    ID is the document's id or, if it has none, its number from 0. Parts have the document's metadata, ID in
    "part_of" and their number from 1 in "part". analysis: finds words and sentences (None: the default one).
    A document with an empty text becomes one part. Issues a ReadingWarning if long documents have no end of a
    sentence, and are not split by sentences. Raises UserError for documents with tokens, words or several
    languages instead of one text.
    """
    whole_ones = 0
    for number, document in enumerate(documents):
        if document.text is None or document.tokens is not None or document.language is not None:
            problem = "only texts in one language are split; these have tokens, words or several languages"
            raise UserError(problem, where=document.where, remedy="leave --split out")
        whole = str(number) if document.id is None else document.id
        parts = split.parts(document.text, analysis) or [""]
        if split.unit == "sentences" and len(parts) == 1 and len(document.text) > _LONG:
            whole_ones += len(_sentences(document.text, analysis_of_cuts(analysis))) < 2
        for part, text in enumerate(parts, 1):
            metadata = {**document.metadata, WHOLE: whole, NUMBER: part}
            yield replace(document, id=f"{whole}#{part}", text=text, metadata=metadata)
    if whole_ones:
        have, stay = ("document has", "stays") if whole_ones == 1 else ("documents have", "stay")
        problem = (
            f"{whole_ones:,} long {have} no end of a sentence, and {stay} whole; words:300 splits by words"
        )
        warnings.warn(ReadingWarning(problem), stacklevel=2)
