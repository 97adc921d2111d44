"""`stickbreaker translate export`: a lexicon as a table, or as Moses's lexical weights."""

from pathlib import Path
from typing import Any

import click

from stickbreaker.console.console import PATH, NumberRange, command, emit, option
from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.files import refuse_file, write_atomic


@click.command(epilog="Example: stickbreaker translate export lexicon --format moses --out lex")
@click.argument("lexicon", type=PATH)
@option(
    "--format",
    "form",
    choices=["lexicon", "moses"],
    required=True,
    help="lexicon: a table of word, translation, links, p both ways. moses: two files, OUT.f2e (target, "
    "source, p of the target) and OUT.e2f, as Moses's training reads them.",
)
@option("--document", type=PATH, metavar="FILE", help="As words are translated in this text.")
@option("--min-p", default=0.0001, type=NumberRange(0.0, 1.0), help="Least probability that is written.")
@option("--out", type=PATH, required=True, help="The file to write; of moses, how two names begin.")
@option("--overwrite", is_flag=True, help="Replace files of the same names.")
@command
def export(
    lexicon: Path,
    form: str,
    document: Path | None,
    min_p: float,
    out: Path,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Write a lexicon for another program; with --document adapted to the topics of a text."""
    files = [out] if form == "lexicon" else [out.with_name(out.name + end) for end in (".f2e", ".e2f")]
    for file in files:
        refuse_file(file, overwrite)
    from stickbreaker.translation.cli.document_text import text_of_document
    from stickbreaker.translation.lexicon.lexicon_files import moses_lines, table_lines
    from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon

    held = TopicLexicon.load(lexicon)
    shares = None if document is None else held.shares_of([text_of_document(document)])[0]
    makers = (
        [table_lines(held, shares, min_p)]
        if form == "lexicon"
        else [moses_lines(held, shares, min_p, side) for side in range(2)]
    )
    found = [list(lines) for lines in makers]
    written = {
        str(file): len(lines) - (form == "lexicon")  # which has a heading
        for file, lines in zip(files, found, strict=True)
    }
    if not any(written.values()):
        raise UserError("no pair of words is as probable", where=lexicon, remedy="lower --min-p")
    for file, lines in zip(files, found, strict=True):
        write_atomic(file, "".join(f"{line}\n" for line in lines).encode("utf-8"), overwrite=overwrite)
    emit({"files": written, "adapted": document is not None}, as_json, _as_text)


def _as_text(result: dict[str, Any]) -> str:
    return "\n".join(
        f"{file}: {counted(number, 'pair')} of words" for file, number in result["files"].items()
    )
