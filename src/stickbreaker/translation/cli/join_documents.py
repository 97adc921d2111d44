"""`stickbreaker translate documents`: pairs of sentences joined into documents, to learn topics of."""

from pathlib import Path

import click

from stickbreaker.console.console import PATH, command, emit, option
from stickbreaker.core.files import refuse_file
from stickbreaker.core.option_names import quoted_path
from stickbreaker.translation.cli.bitext_options import (
    BitextChoice,
    bitext_argument,
    bitext_options,
    language_options,
)


@click.command(
    epilog="Example: stickbreaker translate documents pairs.jsonl --from de --to en --out documents.jsonl"
)
@bitext_argument
@language_options
@option("--out", type=PATH, required=True, help="The JSON Lines to write.")
@option(
    "--tokens",
    type=PATH,
    metavar="FILE",
    help="Write the tokens of pairs too, one pair per line as source ||| target, for another aligner.",
)
@option("--overwrite", is_flag=True, help="Replace the files.")
@bitext_options
@command
def documents(
    bitext: tuple[str, ...],
    source: str,
    target: str,
    out: Path,
    tokens: Path | None,
    overwrite: bool,
    reading: BitextChoice,
    as_json: bool,
) -> None:
    """Write the texts of each document, joined from its pairs, to learn topics from: a line per document.

    A line has the text in each language. Topics are learned from these, in both languages or from the source
    alone, for `translate learn --topics`.
    """
    for file in (out, tokens):
        if file is not None:
            refuse_file(file, overwrite)
    from stickbreaker import translation
    from stickbreaker.translation.cli.bitext_reading import read_bitext

    pairs = read_bitext(bitext, source, target, reading)
    found = translation.documents(pairs)
    found.write(out, overwrite=overwrite)
    if tokens is not None:
        found.write_tokens(tokens, overwrite=overwrite)
    fields = f"{pairs.source}={pairs.source},{pairs.target}={pairs.target}"
    following = f"Next: stickbreaker fit lda {quoted_path(out)} --text-field {fields} --out model"
    emit({"out": str(out), **found.as_json()}, as_json, lambda _: f"{out}: {found}\n{following}")
