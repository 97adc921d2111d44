"""Bitexts: pairs of sentences that translate each other, with their documents and domains."""

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stickbreaker.core.untrusted import making_sense_of
from stickbreaker.corpus import Corpus, ReadingOptions, VocabularyRule
from stickbreaker.corpus.metadata import metadata_from
from stickbreaker.corpus.readers.problems import Problems
from stickbreaker.corpus.store import REBUILD
from stickbreaker.corpus.vocabulary import language_of, untagged
from stickbreaker.translation.alignment.aligned_words import Sentences
from stickbreaker.translation.sentence_pairs import (
    BETWEEN,
    DOCUMENT,
    DOMAIN,
    LINES_PER_DOCUMENT,
    BitextFields,
    Pair,
    documents_of,
    pairs_of,
)


@dataclasses.dataclass(frozen=True, eq=False)
class Bitext:
    """Sentence pairs that translate each other, in order, stored as a corpus whose documents are the pairs.

    The tokens of a pair are those of the source, then those of the target, each with its language
    ("de:haus"); its text has one side per line. Its metadata have the name of the document it is from, and
    that document's domain.

    >>> bitext = Bitext.of([("Die Bank.", "The bank.", "news")], "de", "en")
    >>> bitext.names, bitext.words[0]
    (('news',), ('.', 'bank', 'die'))
    """

    corpus: Corpus
    fields: BitextFields  # its languages, and the fields of the files that it was read from

    @property
    def source(self) -> str:
        """The code of the source language."""
        return self.fields.source

    @property
    def target(self) -> str:
        """The code of the target language."""
        return self.fields.target

    @classmethod
    def of(
        cls,
        pairs: Iterable[Sequence[str | None]],
        source: str,
        target: str,
        lines_per_document: int = LINES_PER_DOCUMENT,
    ) -> "Bitext":
        """A bitext of pairs in memory: each is (sentence, translation), optionally followed by the name of
        its document and the document's domain. Pairs without words on one side are left out.

        Pairs without a document are grouped into documents of `lines_per_document` pairs. Raises UserError if
        no pair has words on both sides, and for invalid languages.
        """
        fields = BitextFields(source, target, lines_per_document=lines_per_document)
        return cls._of_pairs(map(Pair.of, pairs), fields, Problems(skip=False))

    @classmethod
    def read(
        cls,
        inputs: Sequence[str],
        fields: BitextFields,
        reading: ReadingOptions | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> "Bitext":
        """Read pairs from JSON Lines or tables, or from two files of lines, the source and the target.

        Pairs without words on one side are skipped; `corpus.skipped` counts them. `progress` is called with
        the number of pairs read so far. Raises UserError for unreadable input, and for files with different
        numbers of lines.
        """
        reading = reading or ReadingOptions()
        problems = Problems(skip=reading.on_error == "skip")
        pairs = pairs_of(inputs, fields, reading, problems)
        return cls._of_pairs(pairs, fields, problems, " ".join(inputs), progress)

    @classmethod
    def _of_pairs(
        cls,
        pairs: Iterable[Pair],
        fields: BitextFields,
        problems: Problems,
        where: str | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> "Bitext":
        """A bitext from pairs; its corpus records how many were left out, by kind of problem (`problems`).

        where: the input's name in messages; progress: called with the number of pairs so far. Raises
        UserError if no pair has words on both sides.
        """
        documents = documents_of(pairs, fields, problems, where)
        rule = VocabularyRule(min_documents=1, max_share=1.0)
        made = Corpus.from_documents(documents, rule=rule, progress=progress)
        about = dataclasses.replace(made.about, skipped=problems.counts, first_skipped=problems.first)
        return cls(Corpus(made.source, made.vocabulary, made.analysis, about), fields)

    @cached_property
    def sides(self) -> tuple[Sentences, Sentences]:
        """The sentences of the source and of the target, as word numbers (positions in `words`)."""
        blocks = [self.corpus.source.entries(block) for block in range(len(self.corpus.block_sizes))]
        found = [self.corpus.vocabulary.lookup(block.words()) for block in blocks]  # starts without numba
        rows = np.concatenate([found_in[block.codes] for found_in, block in zip(found, blocks, strict=True)])
        lengths = np.concatenate([np.diff(block.offsets) for block in blocks])
        pair_of = np.repeat(np.arange(len(lengths)), lengths)
        numbers, sides = self._numbers
        made: list[Sentences] = []
        for side in range(2):
            here = sides[rows] == side
            counts = np.bincount(pair_of[here], minlength=len(lengths))
            offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
            made.append(Sentences(numbers[rows[here]].astype(np.int32), offsets))
        return made[0], made[1]

    @cached_property
    def words(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The source words and the target words, by descending frequency; a word's number is its position
        there."""
        spelled = self.corpus.vocabulary.words
        source, target = (
            tuple(untagged(word) for word in spelled if language_of(word) == code)
            for code in (self.source, self.target)
        )
        return source, target

    @cached_property
    def _numbers(self) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
        """For each word of the corpus's vocabulary, which has both languages: its number among the words of
        its own language, and its side (0: source, 1: target)."""
        sides = np.array([language_of(word) == self.target for word in self.corpus.vocabulary.words], np.int8)
        numbers = np.zeros(len(sides), np.int64)
        for side in range(2):
            here = sides == side
            numbers[here] = np.arange(here.sum())
        return numbers, sides

    @property
    def n_pairs(self) -> int:
        return self.corpus.n_documents

    @cached_property
    def _metadata(self) -> tuple[list[str], list[str]]:
        """For each pair, the name of its document, and its domain ("" if unknown). Raises UserError for
        damaged metadata."""
        held: dict[str | None, tuple[str, str]] = {}  # pairs of a document share their metadata
        found: list[tuple[str, str]] = []
        with making_sense_of(self.corpus.path, REBUILD):
            for block in range(len(self.corpus.block_sizes)):
                for text in self._column(block, "metadata").to_pylist():
                    if text not in held:
                        fields = metadata_from(text)
                        held[text] = str(fields[DOCUMENT]), str(fields.get(DOMAIN) or "")
                    found.append(held[text])
        return [name for name, _ in found], [domain for _, domain in found]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the documents, in order of their first pairs."""
        return tuple(dict.fromkeys(self._metadata[0]))

    @cached_property
    def document_of(self) -> NDArray[np.int64]:
        """The document of each pair, as an index into `names` (pairs,)."""
        numbers = {name: number for number, name in enumerate(self.names)}
        return np.array([numbers[name] for name in self._metadata[0]], np.int64)

    @cached_property
    def domains(self) -> tuple[str, ...]:
        """The domain of each document, which is that of its first pair; "" if unknown."""
        first: dict[str, str] = {}
        for name, domain in zip(*self._metadata, strict=True):
            first.setdefault(name, domain)
        return tuple(first[name] for name in self.names)

    def texts(self, pairs: Iterable[int]) -> list[tuple[str, str]]:
        """The original (source, target) texts of the pairs with these numbers, in the order given.

        Each block of the corpus is read once.
        """
        wanted = np.fromiter(pairs, np.int64)
        starts = np.cumsum([0, *self.corpus.block_sizes])
        blocks = np.searchsorted(starts, wanted, side="right") - 1
        texts = [""] * len(wanted)
        for block in np.unique(blocks).tolist():
            here = np.flatnonzero(blocks == block)
            column = self._column(block, "text").take(wanted[here] - starts[block])
            for place, text in zip(here.tolist(), column.to_pylist(), strict=True):
                texts[place] = text or ""
        sides = [text.partition(BETWEEN) for text in texts]
        return [(source, target) for source, _, target in sides]

    def _column(self, block: int, name: str) -> pa.ChunkedArray:
        return self.corpus.source.columns(block, [name]).column(name)

    @cached_property
    def document_texts(self) -> tuple[list[str], list[str]]:
        """The texts of all documents, in the source language and in the target language, with one sentence
        per line."""
        sides: tuple[list[list[str]], list[list[str]]] = ([[] for _ in self.names], [[] for _ in self.names])
        for number, pair in zip(self.document_of.tolist(), self.texts(range(self.n_pairs)), strict=True):
            for side, text in zip(sides, pair, strict=True):
                side[number].append(text)
        return ["\n".join(lines) for lines in sides[0]], ["\n".join(lines) for lines in sides[1]]

    def seen_by(self, other: "Bitext") -> tuple[Sentences, Sentences]:
        """The sentences of both sides as word numbers of another bitext (`other`); -1 for words that are not
        in it."""
        made: list[Sentences] = []
        for own, theirs, side in zip(self.words, other.words, self.sides, strict=True):
            index = {word: number for number, word in enumerate(theirs)}
            numbers = np.array([index.get(word, -1) for word in own], np.int32)
            made.append(Sentences(numbers[side.words], side.offsets))
        return made[0], made[1]

    def write(self, directory: Path) -> None:
        """Save the bitext as a corpus in a directory."""
        self.corpus.write(directory)

    @classmethod
    def open(cls, directory: Path, fields: BitextFields) -> "Bitext":
        """Open what `write` saved. Raises UserError for a file that is missing or altered."""
        return cls(Corpus.open(directory), fields)
