"""`stickbreaker translate export`: a lexicon as a table, as Moses's lexical weights, or a phrase table."""

from pathlib import Path

import click

from stickbreaker.console.console import MODEL, PATH, command, option
from stickbreaker.console.faces import options_of_settings, settings_in, show
from stickbreaker.translation.verbs.settings import ExportSettings


@click.command(epilog="Example: stickbreaker translate export lexicon --format moses --out lex")
@click.argument("lexicon", type=MODEL)
@options_of_settings(ExportSettings, form={"required": True, "default": None}, document={"type": PATH})
@option(
    "--out",
    type=PATH,
    required=True,
    help="The file to write, compressed if it ends with .gz; of moses, how two names begin.",
)
@option("--overwrite", is_flag=True, help="Replace files of the same names.")
@command
def export(lexicon: Path, out: Path, overwrite: bool, as_json: bool, **options: object) -> None:
    """Write a lexicon for another program; with --document adapted to the topics of a text."""
    from stickbreaker import translation

    settings = settings_in(ExportSettings, options)
    show(translation.export(lexicon, out, overwrite=overwrite, **settings), as_json)
