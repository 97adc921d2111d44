"""Sentences as numbers of a grammar's terminals, and the readers that make them from documents."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.corpus.sequences import Sequences
from stickbreaker.grammars.kernels.sentence_cutting import cut_symbols
from stickbreaker.grammars.model.compiled import Integers

UNKNOWN, BOUNDARY = -1, -2  # in place of a terminal: unknown to the grammar; end of a sentence


class Sentences(NamedTuple):
    """Sentences as numbers of terminals, concatenated: sentence s is letters[starts[s]:starts[s + 1]]."""

    letters: Integers  # terminals, or UNKNOWN
    starts: NDArray[np.int64]  # sentences + 1
    documents: NDArray[np.int64]  # sentences: their documents

    def take(self, kept: NDArray[np.bool_]) -> "Sentences":
        """The sentences for which `kept` (sentences) is true."""
        sizes = np.diff(self.starts)
        return Sentences(
            self.letters[np.repeat(kept, sizes)],
            np.concatenate([[0], np.cumsum(sizes[kept])]),
            self.documents[kept],
        )

    def with_unknown(self) -> NDArray[np.bool_]:
        """Whether each sentence has unknown symbols."""
        return self.unknown() > 0

    def unknown(self) -> NDArray[np.int64]:
        """The number of unknown symbols of each sentence."""
        places = np.flatnonzero(self.letters == UNKNOWN)
        sentences = np.searchsorted(self.starts, places, side="right") - 1
        return np.bincount(sentences, minlength=len(self.documents))

    def numbered(self, new_symbol: int) -> Integers:
        """The terminals of all sentences, with the terminal `new_symbol` in place of unknown symbols."""
        return np.where(self.letters == UNKNOWN, np.int32(new_symbol), self.letters)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of symbols of each sentence, unknown ones included."""
        return np.diff(self.starts)

    def __getitem__(self, number: int) -> Integers:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.letters[self.starts[number] : self.starts[number + 1]]


class SentenceReader(ABC):
    """Turns documents of a corpus into sentences of a grammar's terminals."""

    @abstractmethod
    def read(
        self, content: Sequences, rows: NDArray[np.int64] | None = None, *, documents: NDArray[np.int64]
    ) -> Sentences:
        """The sentences of some documents; their field `documents` counts these documents from 0.

        content: the documents' words by number; rows: the vocabulary row of each word number (None: word
        numbers are rows); documents: the documents' numbers in the corpus.
        """


@dataclass(frozen=True)
class SymbolReader(SentenceReader):
    """Reads documents whose words are the symbols: a sentence of the text is one of the grammar.

    Sentences also end at words that are a BOUNDARY, which are left out. `numbers` (words + 1): the terminal
    of each word of the vocabulary, UNKNOWN or BOUNDARY; the last is for words outside the vocabulary.
    """

    numbers: NDArray[np.int64]

    def read(
        self, content: Sequences, rows: NDArray[np.int64] | None = None, *, documents: NDArray[np.int64]
    ) -> Sentences:
        numbers = self.numbers if rows is None else self.numbers[np.append(rows, -1)]
        starts = content.starts.astype(np.int64, copy=False)
        return Sentences(*cut_symbols(content.words, content.offsets, starts, numbers, BOUNDARY))


@dataclass(frozen=True)
class WordReader(SentenceReader):
    """Reads each word of a document as a sentence of its characters, for the grammar "topic".

    letters: the characters of all words of the vocabulary, as terminals, concatenated; starts (words + 1):
    where each word begins in them; marks (documents): the terminal with which all sentences of a document
    begin (UNKNOWN for documents beyond the array); None: no such terminal. Words that are not in the
    vocabulary are left out.
    """

    letters: Integers
    starts: NDArray[np.int64]
    marks: Integers | None = None

    def read(
        self, content: Sequences, rows: NDArray[np.int64] | None = None, *, documents: NDArray[np.int64]
    ) -> Sentences:
        words = content.words.astype(np.int64) if rows is None else np.append(rows, -1)[content.words]
        owners = np.repeat(np.arange(len(content.offsets) - 1), np.diff(content.offsets))
        known = words >= 0
        words, owners = words[known], owners[known]
        firsts, sizes = self.starts[words], np.diff(self.starts)[words]
        before = np.cumsum(sizes) - sizes
        letters = self.letters[np.repeat(firsts - before, sizes) + np.arange(int(sizes.sum()))]
        if self.marks is None:
            return Sentences(letters, np.append(before, sizes.sum()).astype(np.int64), owners)
        starts = np.concatenate([[0], np.cumsum(sizes + 1)])
        found = np.empty(int(starts[-1]), np.int32)
        marked = np.zeros(len(found), np.bool_)
        marked[starts[:-1]] = True
        found[~marked] = letters
        numbers = documents[owners]
        inside = numbers < len(self.marks)
        found[marked] = np.where(inside, self.marks[np.where(inside, numbers, 0)], UNKNOWN)
        return Sentences(found, starts, owners)
