"""Readers: from files to documents. A new reader is one small file and one line of `READERS`."""

import dataclasses
from collections.abc import Iterator, Sequence

from stickbreaker.core.errors import UserError
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.readers import files, json_lines, lda_c, lines, sniffing
from stickbreaker.corpus.readers.base import Reader, ReadingOptions
from stickbreaker.corpus.readers.problems import Problems
from stickbreaker.corpus.readers.sources import Source, sources_of
from stickbreaker.corpus.readers.word_list import read_words

READERS: dict[str, Reader] = {
    reader.name: reader
    for reader in (
        json_lines.READER,
        lines.READER,
        files.READER,
        lda_c.READER,
    )
}

__all__ = ["READERS", "Problems", "Reader", "ReadingOptions", "read_inputs", "read_words"]


def read_inputs(
    given: Sequence[str], options: ReadingOptions, problems: Problems
) -> tuple[Iterator[Document], str, tuple[str, ...] | None]:
    """The documents of inputs, one after another; their kind, "text" or "bag"; the words of `--vocab`.

    Raises UserError at once for an input that is missing or of no known format; while documents are taken,
    for those that are wrong, unless `problems` skips them.
    """
    if not given:
        raise UserError("no input was given", remedy="give files, directories, globs or -")
    if options.format is not None and options.format not in READERS:
        raise UserError(f"unknown format {options.format!r}", remedy="known: " + ", ".join(READERS))
    chosen = [(source, _reader_of(source, options)) for source in sources_of(list(given))]
    kinds = {reader.kind for _, reader in chosen}
    if len(kinds) > 1:
        raise UserError("text and bags of words cannot be mixed", remedy="build one corpus from each")
    kind = kinds.pop()
    if kind == "text":
        return _documents(chosen, options, problems), kind, None
    if options.vocab is None:
        remedy = "name the file of its words, one a line, by --vocab"
        raise UserError("LDA-C holds numbers of words", where=chosen[0][0].name, remedy=remedy)
    options = dataclasses.replace(options, words=read_words(options.vocab))
    return _documents(chosen, options, problems), kind, options.words


def _documents(
    chosen: Sequence[tuple[Source, Reader]], options: ReadingOptions, problems: Problems
) -> Iterator[Document]:
    for source, reader in chosen:
        yield from reader.read(source, options, problems)


def _reader_of(source: Source, options: ReadingOptions) -> Reader:
    if options.format is not None:
        return READERS[options.format]
    if source.within:
        return READERS["files"]
    if source.is_stream:
        return sniffing.READER
    for reader in READERS.values():
        if source.plain_name.endswith(reader.endings):
            return reader
    endings = ", ".join(ending for reader in READERS.values() for ending in reader.endings)
    remedy = (
        f"name it by --format ({', '.join(READERS)}), or end the name in one of {endings} (and .gz or .zst)"
    )
    raise UserError("the name does not tell the format", where=source.name, remedy=remedy)
