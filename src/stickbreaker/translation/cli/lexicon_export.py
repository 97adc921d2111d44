"""`stickbreaker translate export`: a lexicon as a table, as Moses's lexical weights, or a phrase table."""

import gzip
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

import click

from stickbreaker.console.console import MODEL, PATH, NumberRange, command, emit, option
from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.files import atomic_file, refuse_file
from stickbreaker.core.json_checks import JsonObject

if TYPE_CHECKING:
    from stickbreaker.core.records import Array
    from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon

ENDINGS = {"lexicon": ("",), "moses": (".f2e", ".e2f"), "phrase-table": ("",)}  # of the files of each format


@click.command(epilog="Example: stickbreaker translate export lexicon --format moses --out lex")
@click.argument("lexicon", type=MODEL)
@option(
    "--format",
    "form",
    choices=list(ENDINGS),
    required=True,
    help="lexicon: a table of word, translation, links, p both ways. moses: two files, OUT.f2e (target, "
    "source, p of the target) and OUT.e2f, as Moses's training reads them. phrase-table: the phrases of a "
    "lexicon that has some, as Moses's decoder reads them; tokens are those of translate documents --tokens, "
    "escaped as by Moses.",
)
@option("--document", type=PATH, metavar="FILE", help="As words are translated in this text.")
@option("--min-p", default=0.0001, type=NumberRange(0.0, 1.0), help="Least probability that is written.")
@option(
    "--out",
    type=PATH,
    required=True,
    help="The file to write, compressed if it ends with .gz; of moses, how two names begin.",
)
@option("--overwrite", is_flag=True, help="Replace files of the same names.")
@command
def export(
    lexicon: Path, form: str, document: Path | None, min_p: float, out: Path, overwrite: bool, as_json: bool
) -> None:
    """Write a lexicon for another program; with --document adapted to the topics of a text."""
    files = [out.with_name(out.name + end) for end in ENDINGS[form]]
    for file in files:
        refuse_file(file, overwrite)
    makers = _makers(lexicon, form, document, min_p)
    of = "phrases" if form == "phrase-table" else "words"
    written: dict[str, int] = {}
    for file, lines in zip(files, makers, strict=True):
        with atomic_file(file, overwrite=overwrite) as partial, _opened(partial, file) as stream:
            number = _write(stream, lines) - (form == "lexicon")  # which has a heading
            if number == 0:
                raise UserError(f"no pair of {of} is as probable", where=lexicon, remedy="lower --min-p")
        written[str(file)] = number
    emit({"files": written, "of": of, "adapted": document is not None}, as_json, _as_text)


def _makers(lexicon: Path, form: str, document: Path | None, min_p: float) -> list[Iterator[str]]:
    """For each file to write in the format `form`, an iterator over its lines; `min_p`: the smallest
    probability that is written.

    Raises UserError if a phrase table is asked for, and the lexicon has no phrases.
    """
    from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon

    if form == "phrase-table":
        from stickbreaker.translation.phrases.phrase_files import phrase_table_lines
        from stickbreaker.translation.phrases.saved_phrases import load_phrases

        model = load_phrases(lexicon)
        return [phrase_table_lines(model, _shares_of(model.lexicon, document), min_p)]
    from stickbreaker.translation.lexicon.lexicon_files import moses_lines, table_lines

    held = TopicLexicon.load(lexicon)
    shares = _shares_of(held, document)
    if form == "lexicon":
        return [table_lines(held, shares, min_p)]
    return [moses_lines(held, shares, min_p, side) for side in range(2)]


def _shares_of(lexicon: "TopicLexicon", document: Path | None) -> "Array | None":
    """The shares of a lexicon's topics in a document (topics,), given by its file; None without a file."""
    from stickbreaker.translation.cli.document_text import text_of_document

    return None if document is None else lexicon.shares_of([text_of_document(document)])[0]


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


def _as_text(result: JsonObject) -> str:
    return "\n".join(
        f"{file}: {counted(number, 'pair')} of {result['of']}" for file, number in result["files"].items()
    )
