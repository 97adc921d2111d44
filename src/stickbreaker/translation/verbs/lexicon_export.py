"""A lexicon as a file for other programs: a table, Moses's lexical weights, or a phrase table."""

import gzip
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.files import atomic_file, refuse_file
from stickbreaker.core.parameter_fields import naming_settings
from stickbreaker.estimators.verb_results import VerbResult
from stickbreaker.translation.lexicon.lexicon_files import moses_lines, table_lines
from stickbreaker.translation.phrases.phrase_files import phrase_table_lines
from stickbreaker.translation.verbs.document_text import shares_in
from stickbreaker.translation.verbs.given_lexicons import lexicon_in, phrases_in
from stickbreaker.translation.verbs.settings import ExportSettings

ENDINGS = {"lexicon": ("",), "moses": (".f2e", ".e2f"), "phrase-table": ("",)}  # of the files of each format


@dataclass(frozen=True, repr=False)
class LexiconFiles(VerbResult):
    """The files that were written, with the number of pairs in each; `of`: "words" or "phrases"; `adapted`:
    whether to the topics of a document."""

    files: Mapping[str, int]
    of: str
    adapted: bool

    def __str__(self) -> str:
        return "\n".join(
            f"{file}: {counted(number, 'pair')} of {self.of}" for file, number in self.files.items()
        )


@naming_settings(ExportSettings)
def export(lexicon: object, path: str | Path, *, overwrite: bool = False, **settings: Any) -> LexiconFiles:
    """Write a lexicon for another program, to a file that is compressed if its name ends with .gz.

    lexicon: a `TopicLexicon`, one with phrases, or the path of a saved one. settings: the options of
    `stickbreaker translate export`: the `form` ("lexicon", "moses", whose two files begin with the name, or
    "phrase-table"), the `document` (a text, or the Path of a file) to whose topics it is adapted, and
    `min_p`. Raises UserError if a file exists, unless `overwrite`, and if there is nothing to write.
    """
    made = ExportSettings(**settings)
    out = Path(path)
    files = [out.with_name(out.name + end) for end in ENDINGS[made.form]]
    for file in files:
        refuse_file(file, overwrite)
    of = "phrases" if made.form == "phrase-table" else "words"
    written: dict[str, int] = {}
    for file, lines in zip(files, _lines_of(lexicon, made), strict=True):
        with atomic_file(file, overwrite=overwrite) as partial, _opened(partial, file) as stream:
            number = _write(stream, lines) - (made.form == "lexicon")  # which has a heading
            if number == 0:
                where = lexicon if isinstance(lexicon, str | Path) else None
                raise UserError(f"no pair of {of} is as probable", where=where, remedy="lower --min-p")
        written[str(file)] = number
    return LexiconFiles(written, of, made.document is not None)


def _lines_of(lexicon: object, settings: ExportSettings) -> list[Iterator[str]]:
    """For each file to write, an iterator over its lines. Raises UserError if a phrase table is asked for,
    and the lexicon has no phrases."""
    if settings.form == "phrase-table":
        model = phrases_in(lexicon)
        return [phrase_table_lines(model, shares_in(model.lexicon, settings.document), settings.min_p)]
    known = lexicon_in(lexicon)
    shares = shares_in(known, settings.document)
    if settings.form == "lexicon":
        return [table_lines(known, shares, settings.min_p)]
    return [moses_lines(known, shares, settings.min_p, side) for side in range(2)]


@contextmanager
def _opened(partial: Path, name: Path) -> Iterator[BinaryIO]:
    """A context that opens the temporary file `partial` for writing, compressed if the final `name` ends in
    .gz.

    The compressed bytes depend on the lines alone, not on the time or the name.
    """
    with partial.open("wb") as file:
        if name.suffix.lower() != ".gz":
            yield file
            return
        with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=file, mtime=0) as packed:
            yield cast(BinaryIO, packed)


def _write(stream: BinaryIO, lines: Iterable[str]) -> int:
    """Write lines to a stream as UTF-8, each with a line end; returns how many there were."""
    written = 0
    for line in lines:
        stream.write(line.encode("utf-8") + b"\n")
        written += 1
    return written
