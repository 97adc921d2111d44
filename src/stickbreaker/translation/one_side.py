"""Sentences in one language with their documents: texts to translate, or references."""

from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, cast

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import ReadingOptions
from stickbreaker.corpus.readers.problems import Problems
from stickbreaker.corpus.readers.sources import lines_of, one_source
from stickbreaker.translation.sentence_pairs import BitextFields, Pair, has_fields, rows_of, with_documents

REMEDY = "give one sentence per line, or JSON Lines or a table like the lexicon's input"

SENTENCES = "give the path of a file, or a list of sentences"


class SourceText(NamedTuple):
    """The sentences of a text in one language, in order, with the documents that they belong to."""

    sentences: list[str]
    documents: list[str]  # the text of each document, one sentence per line
    domains: list[str]  # of each document, "" if unknown
    document_of: list[int]  # the document number of each sentence


def read_source(path: Path, fields: BitextFields) -> SourceText:
    """Read the sentences of a file in the source language, with their documents.

    The file has a sentence per line (an empty line is a sentence too), or it is a table or JSON Lines with
    the names in `fields`; a row with the other language only is an empty sentence. Sentences that do not name
    a document are grouped by `fields.lines_per_document`. Raises UserError if the file cannot be read or has
    no sentence.
    """
    numbers: dict[str, int] = {}
    text = SourceText([], [], [], [])
    lines: list[list[str]] = []
    for pair, name in with_documents(_pairs(path, fields, fields.source), fields.lines_per_document):
        if name not in numbers:
            numbers[name] = len(numbers)
            lines.append([])
            text.domains.append(pair.domain or "")
        text.sentences.append(pair.source)
        text.document_of.append(numbers[name])
        lines[numbers[name]].append(pair.source)
    if not text.sentences:
        raise UserError("holds no sentence", where=path, remedy=REMEDY)
    text.documents.extend("\n".join(own) for own in lines)
    return text


def read_references(path: Path, fields: BitextFields) -> list[str]:
    """The sentences of a file of reference translations, in the target language, in order.

    A row with the source language only is "". Raises UserError if the file cannot be read, or if no row of a
    table or of JSON Lines has a text in the target language.
    """
    return [pair.source for pair in _pairs(path, fields, fields.target)]


def as_source(given: object, fields: BitextFields) -> SourceText:
    """Sentences in the source language with their documents, in the forms that users have.

    given: the path of a file (`read_source`), a list of sentences, or lists of the sentences of each
    document. Sentences without documents are grouped by `fields.lines_per_document`. Raises UserError for
    anything else.
    """
    if isinstance(given, str | PathLike):
        return read_source(Path(given), fields)
    rows = _rows_of(given, "the source")
    if all(isinstance(one, str) for one in rows):
        size = fields.lines_per_document
        documents = [rows[start : start + size] for start in range(0, len(rows), size)]
    else:
        documents = [_rows_of(one, "a document of the source") for one in rows]
    sentences = [sentence for own in documents for sentence in own]
    if not sentences or not all(isinstance(one, str) for one in sentences):
        raise UserError("the source has no sentences", remedy=SENTENCES)
    numbers = [number for number, own in enumerate(documents) for _ in own]
    return SourceText(sentences, ["\n".join(own) for own in documents], [""] * len(documents), numbers)


def as_references(given: object, fields: BitextFields) -> list[str]:
    """Reference translations, in order: those of a file (`read_references`), or a list of them."""
    if isinstance(given, str | PathLike):
        return read_references(Path(given), fields)
    return _rows_of(given, "the references")


def _rows_of(given: object, what: str) -> list[Any]:
    """A list of what is given. Raises UserError for what cannot be iterated over, and for a string."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise UserError(f"{what} is of the class {type(given).__name__}, not a list", remedy=SENTENCES)
    return list(cast("Iterable[Any]", given))


def _pairs(path: Path, fields: BitextFields, language: str) -> Iterator[Pair]:
    """Read the sentences of one language from a file, each as the source of a pair without translation.

    A row with the other language only is an empty sentence. Raises UserError if all rows of a table or of
    JSON Lines are such.
    """
    problems = Problems(skip=False, skippable=False)
    if not has_fields(str(path), None):
        for _, line in lines_of(one_source(str(path), REMEDY), problems):
            yield Pair(line, "")
        return
    met = False
    for texts, document, domain in rows_of([str(path)], fields, ReadingOptions(), problems):
        met = met or language in texts
        yield Pair(texts.get(language, ""), "", document, domain)
    if not met:
        remedy = f"name the fields like those that the lexicon was learned from: {fields.texts}"
        raise UserError(f"no row has a text in {language}", where=path, remedy=remedy)
