"""Shared by formats of bags: word numbers, weights, and files with one entry per line."""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from stickbreaker.corpus.document import Document
from stickbreaker.corpus.matrix import LARGEST
from stickbreaker.corpus.readers.base import ReadingOptions
from stickbreaker.corpus.readers.problems import Bad, Problems
from stickbreaker.corpus.readers.sources import Source

_CUT_OFF = "the file was cut off, or its header belongs to another file"
_FLOAT = re.compile(rb"[0-9]{1,20}(\.[0-9]{0,40})?([eE]\+?[0-9]{1,3})?")
_OUT_OF_ORDER = "entries out of order"


class Bag:
    """A document's words and weights while its entries are read. Word numbers begin at `first`.

    `kind`: the category under which problems with its entries are reported.
    """

    def __init__(self, words: Sequence[str], first: int, kind: str) -> None:
        self.words, self.first, self.kind = words, first, kind
        self.weights: dict[int, float] = {}

    def add(self, number: int, weight: float) -> None:
        """Add a word by its number. Raises Bad if it is not in the vocabulary, or in the bag already."""
        if not 0 <= number - self.first < len(self.words):
            problem = f"word {number} is past the vocabulary of {len(self.words)} words"
            raise Bad(self.kind, problem, f"words are numbered from {self.first}; check --vocab")
        if number in self.weights:
            raise Bad(self.kind, f"word {number} occurs twice", "add its counts up")
        self.weights[number] = weight

    def document(self, identity: str, where: str, line: int | None) -> Document:
        """The bag as a document."""
        words = [self.words[number - self.first] for number in self.weights]
        return Document(identity, words=words, weights=list(self.weights.values()), where=where, line=line)


@dataclass(frozen=True)
class BagShape:
    """The header of a file of entries: its numbers of documents, words and entries."""

    documents: int
    words: int
    entries: int


def number_of(text: bytes, what: str, remedy: str, kind: str = "bad entry") -> int:
    """Parse a whole number below 1e15, also as a float (3.0, and 3.0000000e+00 of MATLAB, 1e+05 of R).

    what: what the number is, for the message; remedy: its remedy. Raises Bad of category `kind` for other
    text.

    >>> number_of(b"12", "the word", "words are numbered from 1")
    12
    """
    if text.isdigit() and len(text) <= 15:
        return int(text)
    number = float(text) if _FLOAT.fullmatch(text) else math.nan
    if not (number < 1e15 and number.is_integer()):
        found = text[:30].decode("utf-8", "replace")
        raise Bad(kind, f"{what} is not a whole number ({found!r})", remedy)
    return int(number)


def count_of(text: bytes, what: str = "the count", kind: str = "bad entry") -> float:
    """Parse a count, a whole number from 1 to 1e9, also written as a float. Raises Bad for other text.

    what: what the count is, for the message; kind: the category of problems.
    """
    count = number_of(text, what, "counts are whole numbers above zero", kind)
    if count == 0:
        raise Bad(kind, f"{what} is zero", "leave out words that do not occur")
    return checked_weight(float(count), text, kind)


def weight_of(text: bytes) -> float:
    """Parse a weight, a number from 0 to 1e9. Raises Bad for other text."""
    try:
        weight = float(text) if b"_" not in text else math.nan
    except ValueError:
        weight = math.nan
    return checked_weight(weight, text)


def checked_weight(weight: float, text: bytes, kind: str = "bad entry") -> float:
    """The weight, if it is from 0 to 1e9; otherwise raises Bad of category `kind`, showing `text`."""
    if not 0 <= weight <= LARGEST:
        found = text[:30].decode("utf-8", "replace")
        remedy = f"weights are numbers from 0 to {LARGEST:g}"
        raise Bad(kind, f"the weight {found!r} cannot be used", remedy)
    return weight


def consecutive(lines: Iterator[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    """Yield (number, line) from line 1 up to the first missing number, and stop there.

    A line is missing if it could not be read, which was reported; the rest may depend on what it said.
    """
    for expected, (number, content) in enumerate(lines, 1):
        if number != expected:
            return
        yield number, content


class BagEntries:
    """Reads documents from lines `document word weight`, ordered by document, both numbered from 1.

    `weigh` parses a weight. Documents without an entry are empty; one with a wrong entry is left out. An
    entry out of order raises an error even if problems are skipped, since its document may have been yielded
    without it.
    """

    def __init__(
        self, source: Source, options: ReadingOptions, problems: Problems, weigh: Callable[[bytes], float]
    ) -> None:
        self.source, self.words, self.problems, self.weigh = source, options.words, problems, weigh
        self.longest_gap = options.longest_gap
        self.number = 0  # the document being read
        self._begin(None)

    def documents(self, lines: Iterator[tuple[int, bytes]], shape: BagShape) -> Iterator[Document]:
        """Yield the documents of a file, also empty ones. lines: those after the header, with their numbers.

        Wrong entries are reported to `problems`; after an error that concerns the header, reading stops.
        """
        entries = 0
        for line, content in lines:
            parts = content.split()
            if not parts:
                continue
            entries += 1
            try:
                if entries > shape.entries:
                    raise _wrong_file(f"more entries than the {shape.entries} that the header says")
                number = self._document_number(parts, shape)
                if number != self.number:
                    yield from self._up_to(number, line)
                self._take(parts)
            except Bad as bad:
                if bad.kind == _OUT_OF_ORDER:
                    raise bad.at(self.source.name, line) from None
                self.spoiled = True
                self.problems.tell(bad, self.source.name, line)
                if bad.kind != "bad entry":
                    return
        try:
            if entries < shape.entries:
                raise _wrong_file(f"the header says {shape.entries} entries, and the file has {entries}")
            yield from self._up_to(shape.documents + 1, None)
        except Bad as bad:
            self.problems.tell(bad, self.source.name)

    def _document_number(self, parts: list[bytes], shape: BagShape) -> int:
        number = number_of(parts[0], "the document", "documents are numbered from 1")
        if not 1 <= number <= shape.documents:
            remedy = f"documents are numbered from 1 to {shape.documents}"
            raise Bad("bad entry", f"there is no document {number}", remedy)
        if number < self.number:
            problem = f"document {number} comes after document {self.number}"
            raise Bad(_OUT_OF_ORDER, problem, "sort the entries by document")
        return number

    def _take(self, parts: list[bytes]) -> None:
        if len(parts) != 3:
            raise Bad("bad entry", "the line is not three numbers", "write document, word and weight")
        word = number_of(parts[1], "the word", "words are numbered from 1")
        weight = self.weigh(parts[2])
        if weight:
            self.bag.add(word, weight)

    def _up_to(self, number: int, line: int | None) -> Iterator[Document]:
        """Begin document `number`, whose entries begin at `line`; yield the documents before it.

        These are the one being read, unless it has a wrong entry, and an empty one for each number skipped.
        Raises Bad if there would be more than `longest_gap` empty ones.
        """
        if number - self.number - 1 > self.longest_gap:
            problem = f"documents {self.number + 1} to {number - 1} have no entry"
            remedy = f"{_CUT_OFF}; if not, raise --longest-gap, {self.longest_gap} now"
            raise Bad("wrong header", problem, remedy)
        while self.number < number:
            if self.number and not self.spoiled:
                identity = f"{self.source.label}:{self.number}"
                yield self.bag.document(identity, self.source.name, self.line)
            self.number += 1
            self._begin(line if self.number == number else None)

    def _begin(self, line: int | None) -> None:
        self.bag, self.line, self.spoiled = Bag(self.words, 1, "bad entry"), line, False


def _wrong_file(problem: str) -> Bad:
    return Bad("wrong header", problem, _CUT_OFF)
