"""Sentence pairs that translate each other: reading them from files, and turning them into documents."""

import dataclasses
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from stickbreaker.core.errors import UserError, counted, shown
from stickbreaker.corpus import ReadingOptions
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.readers import READERS, read_inputs
from stickbreaker.corpus.readers.line_ends import without_end
from stickbreaker.corpus.readers.problems import Bad, Problems, ReadingWarning
from stickbreaker.corpus.readers.sources import CarriageReturns, decoded, one_source, raw_lines_of
from stickbreaker.corpus.text.languages import language_code
from stickbreaker.corpus.vocabulary import LONGEST_WORD, tagged
from stickbreaker.translation.sentence_tokens import plain, tokens_of

DOCUMENT, DOMAIN = "document", "domain"  # metadata of the corpus
LINES_PER_DOCUMENT = 20
WITH_FIELDS = ("jsonl", "csv", "tsv", "parquet", "arrow")
NO_WORDS = "no words on one side"  # why pairs are left out
BETWEEN = "\n"  # between the two sides, in the text of a pair


class Pair(NamedTuple):
    """A sentence and its translation, with the names of its document and of the document's domain (None:
    unknown)."""

    source: str
    target: str
    document: str | None = None
    domain: str | None = None

    @classmethod
    def of(cls, given: Sequence[str | None]) -> "Pair":
        """A pair from (sentence, translation), optionally followed by its document and domain. Raises
        UserError for anything else."""
        texts = [] if isinstance(given, str) else list(given)
        if not 2 <= len(texts) <= 4 or not all(isinstance(text, str) for text in texts[:2]):
            remedy = "give (sentence, translation), or these with the document and its domain"
            raise UserError(f"{shown(str(given))} is not a pair of sentences", remedy=remedy)
        return cls(*texts)  # pyright: ignore[reportArgumentType]


DOCUMENT_FIELD, SECOND_FIELD = "doc", "document"


@dataclasses.dataclass(frozen=True)
class BitextFields:
    """The two languages of a bitext, and the names of the fields in its input files (JSON Lines or tables).

    `source` and `target` are languages, by code or English name; they become codes. `text_field` names the
    fields of their texts, as in "de=german,en=english"; by default, these fields have the languages' codes as
    names. The document is that of the field "doc", or else "document", if no other is named. Pairs without a
    document are grouped into documents of `lines_per_document` pairs. Raises UserError for invalid or equal
    languages.
    """

    source: str
    target: str
    text_field: str | None = None
    document_field: str = DOCUMENT_FIELD
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
        """The names of the text fields, in the form that readers take: "de=german,en=english"."""
        return self.text_field or f"{self.source}={self.source},{self.target}={self.target}"


def pairs_of(
    inputs: Sequence[str], fields: BitextFields, reading: ReadingOptions, problems: Problems
) -> Iterator[Pair]:
    """Read sentence pairs in order from JSON Lines or tables, or from two files of lines.

    A missing side is an empty text. Lines that cannot be read are reported to `problems`. Issues a
    ReadingWarning if no row of a table names its document, which makes documents of equal numbers of pairs.
    Raises UserError for unreadable input, and if no row has both sides.
    """
    if len(inputs) == 2 and not any(has_fields(name, reading.format) for name in inputs):
        yield from _line_pairs(inputs[0], inputs[1], reading, problems)
        return
    met = named = False
    for texts, document, domain in rows_of(inputs, fields, reading, problems):
        met = met or (fields.source in texts and fields.target in texts)
        named = named or document is not None
        yield Pair(texts.get(fields.source, ""), texts.get(fields.target, ""), document, domain)
    if not met:
        problem = f"no row has a text in {fields.source} and one in {fields.target}"
        raise UserError(problem, where=" ".join(inputs), remedy="name their fields with text_field")
    if not named:
        expected = fields.document_field + f" or {SECOND_FIELD}" * (fields.document_field == DOCUMENT_FIELD)
        problem = f"no row names its document in a field {expected}"
        warnings.warn(
            ReadingWarning(f"{problem}: each {fields.lines_per_document} pairs are one"), stacklevel=2
        )


def rows_of(
    inputs: Sequence[str], fields: BitextFields, reading: ReadingOptions, problems: Problems
) -> Iterator[tuple[Mapping[str, str], str | None, str | None]]:
    """Read the rows of JSON Lines or tables, as (texts by language code, document or None, domain or None).

    A row may lack the text of a language. Rows that cannot be read are reported to `problems`. Issues a
    ReadingWarning if documents are those of the field "document", in place of "doc".
    """
    options = dataclasses.replace(reading, text_field=fields.texts, met=set(), dated=set())
    rows, _, _ = read_inputs(list(inputs), options, problems)
    second = False
    for row in rows:
        document, domain = (
            _value_of(row.metadata, name) for name in (fields.document_field, fields.domain_field)
        )
        if document is None and fields.document_field == DOCUMENT_FIELD:
            document = _value_of(row.metadata, SECOND_FIELD)
            second = second or document is not None
        yield row.texts or {}, document, domain
    if second:
        problem = f"documents are those of the field {SECOND_FIELD}, if there is no {DOCUMENT_FIELD}"
        warnings.warn(ReadingWarning(problem), stacklevel=2)


def with_documents(pairs: Iterable[Pair], lines_per_document: int) -> Iterator[tuple[Pair, str]]:
    """Sentence pairs, each with the name of its document.

    Pairs that do not name a document are counted on their own and grouped into documents of
    `lines_per_document` pairs, with names like "pairs 1-20".
    """
    unnamed = 0
    for pair in pairs:
        name = pair.document
        if name is None:
            start = unnamed - unnamed % lines_per_document
            name, unnamed = f"pairs {start + 1}-{start + lines_per_document}", unnamed + 1
        yield pair, name


def documents_of(
    pairs: Iterable[Pair], fields: BitextFields, problems: Problems, where: str | None = None
) -> Iterator[Document]:
    """Turn sentence pairs into documents of a corpus, one per pair; those without words on one side are left
    out and counted in `problems`.

    Raises UserError, naming the inputs `where`, if no pair is left.
    """
    room = LONGEST_WORD - max(len(fields.source), len(fields.target)) - 1
    empty = True
    for number, (pair, name) in enumerate(with_documents(pairs, fields.lines_per_document)):
        tokens = [
            [tagged(code, token[:room]) for token in tokens_of(text, code)]
            for code, text in ((fields.source, pair.source), (fields.target, pair.target))
        ]
        if not all(tokens):
            problems.counts[NO_WORDS] += 1
            problems.first.setdefault(NO_WORDS, f"pair {number + 1:,}")
            continue
        empty = False
        metadata = {DOCUMENT: name} | ({} if pair.domain is None else {DOMAIN: pair.domain})
        text = BETWEEN.join((plain(pair.source), plain(pair.target)))
        yield Document(str(number), text=text, tokens=[*tokens[0], *tokens[1]], metadata=metadata)
    if empty:
        remedy = "give sentences and their translations"
        raise UserError("no pair of sentences has words on both sides", where=where, remedy=remedy)


def _value_of(metadata: Mapping[str, object], field: str) -> str | None:
    """The value of a field in a row's metadata, as text; None if it is missing or empty."""
    value = metadata.get(field)
    return None if value is None or value == "" else str(value)


def has_fields(name: str, form: str | None) -> bool:
    """Whether an input has fields: it is JSON Lines or a table, not lines of text.

    form: the format if the user gave one; otherwise the name decides. Standard input ("-") has fields.
    """
    if form is not None:
        return form in WITH_FIELDS
    plain_name = one_source(name, "name files").plain_name if name != "-" else ".jsonl"
    return any(READERS[kind].fits(plain_name) for kind in WITH_FIELDS if kind in READERS)


def _line_pairs(first: str, second: str, reading: ReadingOptions, problems: Problems) -> Iterator[Pair]:
    """Pairs of the lines with the same number in two files; lines that cannot be read in either file are left
    out.

    Raises UserError if one file has more lines.
    """
    remedy = "give two files with one sentence per line, in which equal line numbers translate each other"
    sides = [_numbered_lines(name, remedy, problems, reading.largest_text) for name in (first, second)]
    here = [next(side, None) for side in sides]
    last = 0
    while here[0] is not None and here[1] is not None:
        last = min(here[0][0], here[1][0])
        text, translation = (line if number == last else None for number, line in (here[0], here[1]))
        if text is not None and translation is not None:
            yield Pair(text, translation)
        here = [
            next(side, None) if one is not None and one[0] == last else one
            for side, one in zip(sides, here, strict=True)
        ]
    if here[0] is not None or here[1] is not None:
        short, long = (first, second) if here[0] is None else (second, first)
        raise UserError(f"has {counted(last, 'line')}, but {long} has more", where=short, remedy=remedy)


def _numbered_lines(
    name: str, remedy: str, problems: Problems, largest: int
) -> Iterator[tuple[int, str | None]]:
    """The number and text of each line of a file; None for a line that is not valid text. Lines of more than
    `largest` bytes are left out.

    Both are reported to `problems`. remedy: what a UserError advises if `name` is not one file.
    """
    source = one_source(name, remedy)
    returns = CarriageReturns(source.name)
    for number, line in raw_lines_of(source, problems, largest):
        try:
            yield number, without_end(returns.replaced(decoded(line), number))
        except Bad as bad:
            problems.tell(bad, source.name, number)
            yield number, None
    returns.warn()
