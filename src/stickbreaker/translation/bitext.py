"""Pairs of sentences that translate each other, with the documents and domains that they are of."""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Corpus, ReadingOptions, VocabularyRule
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.readers import READERS, read_inputs
from stickbreaker.corpus.readers.problems import Problems
from stickbreaker.corpus.readers.sources import lines_of, one_source
from stickbreaker.corpus.text.languages import language_code
from stickbreaker.corpus.vocabulary import LONGEST_WORD, language_of, tagged, untagged
from stickbreaker.translation.alignment.aligned_words import Sentences
from stickbreaker.translation.sentence_tokens import plain, tokens_of

DOCUMENT, DOMAIN = "document", "domain"  # metadata of the corpus
LINES_PER_DOCUMENT = 20
WITH_FIELDS = ("jsonl", "csv", "tsv", "parquet", "arrow")
BETWEEN = "\n"  # of the two sides, in the text of a pair


class Pair(NamedTuple):
    """A sentence and its translation; `document` None where nobody says of which they are."""

    source: str
    target: str
    document: str | None = None
    domain: str | None = None


@dataclasses.dataclass(frozen=True)
class BitextFields:
    """Which fields of JSON Lines and tables have what. `source` and `target` are languages; `text_field`
    names the fields of their texts, "de=german,en=english", by default those called as the languages are.

    Pairs without a document are made documents of `lines_per_document` pairs one after another.
    """

    source: str
    target: str
    text_field: str | None = None
    document_field: str = "doc"
    domain_field: str = "domain"
    lines_per_document: int = LINES_PER_DOCUMENT

    def __post_init__(self) -> None:
        for name in ("source", "target"):
            object.__setattr__(self, name, language_code(getattr(self, name)))
        if self.source == self.target:
            raise UserError(f"source and target are both {self.source}", remedy="name two languages")
        if self.lines_per_document < 1:
            raise UserError(f"lines_per_document={self.lines_per_document}", remedy="it is at least 1")

    @property
    def texts(self) -> str:
        """The fields of text, as readers want them."""
        return self.text_field or f"{self.source}={self.source},{self.target}={self.target}"


@dataclasses.dataclass(frozen=True, eq=False)
class Bitext:
    """Pairs of sentences, in order, as a corpus: a document of it is a pair.

    Its tokens are those of the source, then those of the target, each with its language ("de:haus"); its text
    is both sides, a line each. Its metadata say of which document and domain a pair is.

    >>> bitext = Bitext.of([Pair("Die Bank.", "The bank.", "news")], "de", "en")
    >>> bitext.names, bitext.words[0]
    (('news',), ('.', 'bank', 'die'))
    """

    corpus: Corpus
    fields: BitextFields  # of its languages, and of the files that it was read from

    @property
    def source(self) -> str:
        """The code of the language that is translated."""
        return self.fields.source

    @property
    def target(self) -> str:
        """The code of the language that it is translated into."""
        return self.fields.target

    @classmethod
    def of(cls, pairs: Iterable[Pair], source: str, target: str, lines_per_document: int = 20) -> "Bitext":
        """Pairs in memory. Raises UserError where there is none, and for languages that are none."""
        fields = BitextFields(source, target, lines_per_document=lines_per_document)
        documents = _documents(pairs, fields)
        rule = VocabularyRule(min_documents=1, max_share=1.0)
        return cls(Corpus.from_documents(documents, rule=rule), fields)

    @classmethod
    def read(
        cls,
        inputs: Sequence[str],
        fields: BitextFields,
        reading: ReadingOptions | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> "Bitext":
        """Pairs of JSON Lines or tables, or of two files of lines, the source's and the target's.

        Rows without one of the sides are left out. Raises UserError for what cannot be read, and for files
        that have different numbers of lines.
        """
        reading = reading or ReadingOptions()
        problems = Problems(skip=reading.on_error == "skip")
        pairs = _pairs_of(inputs, fields, reading, problems)
        rule = VocabularyRule(min_documents=1, max_share=1.0)
        corpus = Corpus.from_documents(_documents(pairs, fields), rule=rule, progress=progress)
        return cls(corpus, fields)

    @cached_property
    def sides(self) -> tuple[Sentences, Sentences]:
        """The sentences of the source and of the target, by the numbers of `words`."""
        blocks = [self.corpus.sequences(block) for block in range(len(self.corpus.block_sizes))]
        rows = np.concatenate([block.words for block in blocks])
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
        """The words of the source and of the target, the most frequent first."""
        spelled = self.corpus.vocabulary.words
        source, target = (
            tuple(untagged(word) for word in spelled if language_of(word) == code)
            for code in (self.source, self.target)
        )
        return source, target

    @cached_property
    def _numbers(self) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
        """Of each word of the corpus: its number on its side, and the side, 0 or 1."""
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
        """The document and the domain of each pair."""
        names: list[str] = []
        domains: list[str] = []
        for block in range(len(self.corpus.block_sizes)):
            for document in self.corpus.documents(block):
                names.append(str(document.metadata[DOCUMENT]))
                domains.append(str(document.metadata.get(DOMAIN) or ""))
        return names, domains

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The documents, in the order in which they begin."""
        return tuple(dict.fromkeys(self._metadata[0]))

    @cached_property
    def document_of(self) -> NDArray[np.int64]:
        """(pairs,) the document of each pair, a number of `names`."""
        numbers = {name: number for number, name in enumerate(self.names)}
        return np.array([numbers[name] for name in self._metadata[0]], np.int64)

    @cached_property
    def domains(self) -> tuple[str, ...]:
        """The domain of each document, "" where none is known: that of its first pair."""
        first: dict[str, str] = {}
        for name, domain in zip(*self._metadata, strict=True):
            first.setdefault(name, domain)
        return tuple(first[name] for name in self.names)

    def texts(self, pairs: Iterable[int]) -> list[tuple[str, str]]:
        """The two sides of some pairs, by number, as they are written."""
        wanted, starts = list(pairs), np.cumsum([0, *self.corpus.block_sizes])
        held: dict[int, list[Document]] = {}
        found: list[tuple[str, str]] = []
        for pair in wanted:
            block = int(np.searchsorted(starts, pair, side="right")) - 1
            if block not in held:
                held = {block: self.corpus.documents(block)}
            source, _, target = (held[block][pair - int(starts[block])].text or "").partition(BETWEEN)
            found.append((source, target))
        return found

    @cached_property
    def document_texts(self) -> tuple[list[str], list[str]]:
        """The sources and the targets of the documents, a sentence a line."""
        sides: tuple[list[list[str]], list[list[str]]] = ([[] for _ in self.names], [[] for _ in self.names])
        for number, pair in zip(self.document_of.tolist(), self.texts(range(self.n_pairs)), strict=True):
            for side, text in zip(sides, pair, strict=True):
                side[number].append(text)
        return ["\n".join(lines) for lines in sides[0]], ["\n".join(lines) for lines in sides[1]]

    def seen_by(self, other: "Bitext") -> tuple[Sentences, Sentences]:
        """The sentences by the numbers of another bitext's words, -1 for words that it does not have."""
        made: list[Sentences] = []
        for own, theirs, side in zip(self.words, other.words, self.sides, strict=True):
            index = {word: number for number, word in enumerate(theirs)}
            numbers = np.array([index.get(word, -1) for word in own], np.int32)
            made.append(Sentences(numbers[side.words], side.offsets))
        return made[0], made[1]

    def write(self, directory: Path) -> None:
        """Save as a corpus of its own."""
        self.corpus.write(directory)

    @classmethod
    def open(cls, directory: Path, fields: BitextFields) -> "Bitext":
        """What `write` saved. Raises UserError for a file that is missing or altered."""
        return cls(Corpus.open(directory), fields)


def with_documents(pairs: Iterable[Pair], lines_per_document: int) -> Iterator[tuple[Pair, str]]:
    """Pairs and the document that each is of: of those that nobody names, so many make one."""
    unnamed = 0
    for pair in pairs:
        name = pair.document
        if name is None:
            start = unnamed - unnamed % lines_per_document
            name, unnamed = f"pairs {start + 1}-{start + lines_per_document}", unnamed + 1
        yield pair, name


def _documents(pairs: Iterable[Pair], fields: BitextFields) -> Iterator[Document]:
    """Pairs as documents of a corpus; those without a word on one of the sides are left out."""
    room = LONGEST_WORD - max(len(fields.source), len(fields.target)) - 1
    for number, (pair, name) in enumerate(with_documents(pairs, fields.lines_per_document)):
        texts = plain(pair.source), plain(pair.target)
        tokens = [
            [tagged(code, token[:room]) for token in tokens_of(text, code)]
            for code, text in zip((fields.source, fields.target), texts, strict=True)
        ]
        if all(tokens):
            metadata = {DOCUMENT: name} | ({} if pair.domain is None else {DOMAIN: pair.domain})
            text = BETWEEN.join(texts)
            yield Document(str(number), text=text, tokens=[*tokens[0], *tokens[1]], metadata=metadata)


def _pairs_of(
    inputs: Sequence[str], fields: BitextFields, reading: ReadingOptions, problems: Problems
) -> Iterator[Pair]:
    """The pairs of inputs, in order."""
    if len(inputs) == 2 and not any(has_fields(name, reading.format) for name in inputs):
        yield from _line_pairs(inputs[0], inputs[1], reading, problems)
        return
    options = dataclasses.replace(reading, text_field=fields.texts, met=set(), dated=set())
    documents, _, _ = read_inputs(list(inputs), options, problems)
    met = False
    for document in documents:
        texts, metadata = document.texts or {}, document.metadata
        if fields.source in texts and fields.target in texts:
            met = True
            yield Pair(
                texts[fields.source],
                texts[fields.target],
                value_of(metadata, fields.document_field),
                value_of(metadata, fields.domain_field),
            )
    if not met:
        problem = f"no row has a text in {fields.source} and one in {fields.target}"
        raise UserError(problem, where=" ".join(inputs), remedy="name their fields by --text-field")


def value_of(metadata: Mapping[str, object], field: str) -> str | None:
    """A field of a row as text; None where it is missing or empty."""
    value = metadata.get(field)
    return None if value is None or value == "" else str(value)


def has_fields(name: str, form: str | None) -> bool:
    """Whether an input is JSON Lines or a table, by its format or its name."""
    if form is not None:
        return form in WITH_FIELDS
    plain_name = one_source(name, "name files").plain_name if name != "-" else ".jsonl"
    return any(READERS[kind].fits(plain_name) for kind in WITH_FIELDS if kind in READERS)


def _line_pairs(first: str, second: str, reading: ReadingOptions, problems: Problems) -> Iterator[Pair]:
    """The lines of two files, side by side. Raises UserError where one has more."""
    remedy = "give two files with a sentence a line, of which equal lines translate each other"
    sides = [lines_of(one_source(name, remedy), problems, reading.largest_text) for name in (first, second)]
    number = 0
    while True:
        found = [next(side, None) for side in sides]
        if found[0] is None and found[1] is None:
            return
        number += 1
        if found[0] is None or found[1] is None:
            short, long = (first, second) if found[0] is None else (second, first)
            raise UserError(f"has {number - 1:,} lines, {long} has more", where=short, remedy=remedy)
        yield Pair(found[0][1], found[1][1])
