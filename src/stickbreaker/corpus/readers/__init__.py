"""Readers: from files to documents. A new reader is one small file and one line in `READERS`."""

import dataclasses
from collections.abc import Iterator, Sequence

from stickbreaker.core.errors import UserError
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.readers import (
    arrow_tables,
    conllu,
    counted_lines,
    json_lines,
    lda_c,
    lines,
    mallet,
    matrix_market,
    office_files,
    sniffing,
    tables,
    text_files,
    uci,
)
from stickbreaker.corpus.readers.base import (
    Reader,
    ReadingOptions,
    date_format_of,
    refuse_plain_text,
    refuse_unmet_parts,
    text_fields,
)
from stickbreaker.corpus.readers.packing import PACKINGS
from stickbreaker.corpus.readers.problems import Problems
from stickbreaker.corpus.readers.sources import Source, refuse_several_files, sources_of
from stickbreaker.corpus.readers.word_list import read_numbered_words, read_words

READERS: dict[str, Reader] = {
    reader.name: reader
    for reader in (
        json_lines.READER,
        tables.CSV,
        tables.TSV,
        arrow_tables.PARQUET,
        arrow_tables.ARROW,
        conllu.READER,
        mallet.READER,
        lda_c.READER,
        uci.READER,  # before lines, which has the same ending
        matrix_market.READER,
        counted_lines.READER,
        lines.READER,
        office_files.READER,
        text_files.READER,
    )
}

__all__ = [
    "READERS",
    "Problems",
    "Reader",
    "ReadingOptions",
    "date_format_of",
    "read_inputs",
    "read_words",
    "refuse_unmet_parts",
    "text_fields",
]


def read_inputs(
    given: Sequence[str], options: ReadingOptions, problems: Problems
) -> tuple[Iterator[Document], str, tuple[str, ...] | None]:
    """Read inputs; returns (documents, their kind "text" or "bag", for bags the words by number, else None).

    Raises UserError at once for an input that is missing, of unknown format or does not fit the options; and
    during iteration for documents that are wrong, unless `problems` skips them.
    """
    if not given:
        raise UserError("no input was given", remedy="give files, directories, globs or -")
    if "" in given:  # which would be the present directory
        problem = "the name of a file or directory is empty"
        raise UserError(problem, remedy='give its name, or "." for the present directory')
    if options.format is not None and options.format not in READERS:
        raise UserError(f"unknown format {options.format!r}", remedy="known: " + ", ".join(READERS))
    chosen = [(source, _reader_of(source, options)) for source in _watched(sources_of(list(given)), options)]
    kinds = {reader.kind for _, reader in chosen}
    if len(kinds) > 1:
        raise UserError("text and bags of words cannot be mixed", remedy="build one corpus from each")
    strange = next((source for source, reader in chosen if reader is not conllu.READER), None)
    if options.trees and strange is not None:
        problem = "the format has no trees"
        raise UserError(problem, where=strange.name, remedy="give CoNLL-U; of another name, --format conllu")
    if options.upos and strange is not None:
        problem = f"the format has no parts of speech, so {', '.join(options.upos)} cannot be selected"
        raise UserError(problem, where=strange.name, remedy="give CoNLL-U, or --upos all for all words")
    _refuse_fields(chosen, options)
    kind = kinds.pop()
    if kind == "text":
        return _documents(chosen, options, problems), kind, None
    options = dataclasses.replace(options, words=_numbered_words(chosen, options))
    return _documents(chosen, options, problems), kind, options.words


def _watched(sources: list[Source], options: ReadingOptions) -> list[Source]:
    """Copies of the sources that record in `options.position`, if given, how far they have been read."""
    if options.position is None:
        return sources
    options.position.expect([source.path for source in sources])
    return [dataclasses.replace(source, position=options.position) for source in sources]


def _refuse_fields(chosen: Sequence[tuple[Source, Reader]], options: ReadingOptions) -> None:
    """Raise UserError if the options name a text field, but inputs are plain text, which has no fields.

    A name that comes from a model fits no plain text; one that the user gave is an error only if all inputs
    are plain text.
    """
    without = [source for source, reader in chosen if reader.name in ("lines", "files", "documents")]
    if options.text_field == ReadingOptions().text_field or not without:
        return
    if options.of_model or len(without) == len(chosen):
        refuse_plain_text(without[0].name, options)


def _numbered_words(chosen: Sequence[tuple[Source, Reader]], options: ReadingOptions) -> tuple[str, ...]:
    """The vocabulary of bags, by word number, from the file `--vocab` or the word lists next to the sources.

    Raises UserError if a source has no such file, or the files differ.
    """
    if options.vocab is not None:
        return read_numbered_words(options.vocab, options.largest_text)
    words: tuple[str, ...] = ()
    for source, reader in chosen:
        beside = reader.vocab_beside(source) if reader.vocab_beside is not None else None
        if beside is None:
            remedy = "name the file of its words, one per line, by --vocab"
            problem = f"the format {reader.name} has numbers instead of words"
            raise UserError(problem, where=source.name, remedy=remedy)
        found = read_numbered_words(beside, options.largest_text)
        if words and found != words:
            remedy = "build one corpus from each, or give the words of all by --vocab"
            raise UserError("words other than those of the files before", where=beside, remedy=remedy)
        words = found
    return words


def _documents(
    chosen: Sequence[tuple[Source, Reader]], options: ReadingOptions, problems: Problems
) -> Iterator[Document]:
    for source, reader in chosen:
        yield from reader.read(source, options, problems)
    options.notes.warn()


def _reader_of(source: Source, options: ReadingOptions) -> Reader:
    """The reader for a source: by the option `format`, or by its name or (for streams) its content.

    Files found in a directory are office files, or texts, whatever their names; the reader of texts refuses
    names of other formats. Raises UserError if the name does not show the format.
    """
    if options.format is not None:
        return READERS[options.format]
    if source.within:
        return READERS["documents" if office_files.is_office_file(source.plain_name) else "files"]
    if source.is_stream:
        return sniffing.READER
    name = source.plain_name
    for reader in READERS.values():
        if reader.fits(name):
            return reader
    if text_files.is_marked_up(name):
        return text_files.READER
    refuse_several_files(source)
    endings = ", ".join(dict.fromkeys(ending for reader in READERS.values() for ending in reader.endings))
    formats, packed = ", ".join(READERS), ", ".join(PACKINGS)
    remedy = f"name it by --format ({formats}), or end the name in one of {endings} (and {packed})"
    raise UserError("the name does not show the format", where=source.name, remedy=remedy)
