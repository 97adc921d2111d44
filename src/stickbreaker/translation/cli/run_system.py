"""`stickbreaker translate run`: sentences translated by the phrases of a lexicon."""

from pathlib import Path

import click

from stickbreaker.console.console import MODEL, PATH, command, emit, option, tell_of_compiling
from stickbreaker.console.faces import options_of_settings, settings_in
from stickbreaker.console.inputs import warnings_as_notes
from stickbreaker.core.files import refuse_file
from stickbreaker.translation.verbs.settings import RunSettings


@click.command(epilog="Example: stickbreaker translate run lexicon letters.jsonl --out translated.txt")
@click.argument("lexicon", type=MODEL)
@click.argument("source", type=PATH, metavar="FILE")
@option("--out", type=PATH, required=True, help="The file to write, a translation a line.")
@options_of_settings(RunSettings)
@option("--overwrite", is_flag=True, help="Replace the file at --out.")
@command
def run(lexicon: Path, source: Path, out: Path, overwrite: bool, as_json: bool, **options: object) -> None:
    """Translate sentences by a lexicon with phrases (translate learn --phrases, then translate tune).

    FILE has a sentence a line, or is JSON Lines or a table with documents as the lexicon was learned from.
    Translations are tokens in lower case with spaces between them. If the language model has topics, those of
    a document are seen in a first, quick translation of it.
    """
    refuse_file(out, overwrite)
    settings = settings_in(RunSettings, options)
    RunSettings(**settings)  # reports wrong settings before anything is read
    tell_of_compiling()
    from stickbreaker import translation

    with warnings_as_notes(UserWarning):
        found = translation.run(lexicon, source, **settings)
    found.write(out, n_best=options["n_best"] is not None, overwrite=overwrite)
    emit({"out": str(out), **found.as_json()}, as_json, lambda _: f"{out}: {found}")
