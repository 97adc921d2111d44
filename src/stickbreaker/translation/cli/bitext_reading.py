"""Reads what commands are given about pairs of sentences, with progress and notes on standard error."""

import math
from functools import partial
from pathlib import Path

from stickbreaker.console.console import ProgressLine, note
from stickbreaker.console.inputs import bar_of, warnings_as_notes
from stickbreaker.core.errors import counted
from stickbreaker.core.option_names import as_options
from stickbreaker.corpus import ReadingOptions
from stickbreaker.corpus.readers.position import Position
from stickbreaker.corpus.readers.problems import ReadingWarning
from stickbreaker.translation.alignment.aligned_words import Links
from stickbreaker.translation.alignment.pharaoh import read_pharaoh
from stickbreaker.translation.bitext import Bitext, BitextFields
from stickbreaker.translation.cli.bitext_options import BitextChoice
from stickbreaker.translation.phrases.phrase_files import read_phrase_table
from stickbreaker.translation.phrases.phrase_table import PhraseTable


def read_bitext(inputs: tuple[str, ...], source: str, target: str, reading: BitextChoice) -> Bitext:
    """Read a command's sentence pairs, and show progress and the number of skipped pairs on standard error.

    Raises UserError for unreadable input.
    """
    line, position = ProgressLine(changes=0.2, lines=math.inf), Position()
    fields = BitextFields(
        source,
        target,
        reading.text_field,
        reading.document_field,
        reading.domain_field,
        reading.lines_per_document,
    )
    options = ReadingOptions(reading.format, on_error=reading.on_error, position=position)
    with warnings_as_notes(ReadingWarning):
        bitext = Bitext.read(inputs, fields, options, partial(_show, line, position))
    pairs, documents = counted(bitext.n_pairs, "pair"), counted(len(bitext.names), "document")
    line.show(f"{pairs} of sentences read, {documents}", last=True)
    for kind, count in bitext.corpus.skipped.items():
        note(f"skipped {count} ({kind}); the first: {as_options(bitext.corpus.about.first_skipped[kind])}")
    return bitext


def given_links(alignments: Path | None, bitext: Bitext) -> Links | None:
    """Read the links between a bitext's words from a file in Pharaoh's format; None without a file.

    Raises UserError if they do not fit the bitext.
    """
    if alignments is None:
        return None
    source, target = bitext.sides
    return read_pharaoh(str(alignments), source.lengths, target.lengths)


def given_phrases(path: Path, bitext: Bitext) -> PhraseTable:
    """Read a phrase table from a file.

    Prints notes on what is left out of it, and on how many of its words the bitext does not have. Raises
    UserError for an unreadable file.
    """
    given = read_phrase_table(path, bitext.words)
    for count, why in (
        (given.too_long, "of phrases of more than 5 words"),
        (given.too_many, "beyond the 20 most probable of a phrase"),
    ):
        if count:
            note(f"left out {counted(count, 'translation')} {why}")
    for code, words in zip((bitext.source, bitext.target), given.table.more_words, strict=True):
        if words:
            note(f"{counted(len(words), 'word')} ({code}) that the pairs of sentences do not have")
    return given.table


def _show(line: ProgressLine, position: object, pairs: int) -> None:
    if line.due:
        line.show(f"{bar_of(getattr(position, 'share', None))}{counted(pairs, 'pair')} read")
