"""`stickbreaker translate terms`: words whose translation changes between topics."""

from pathlib import Path

import click

from stickbreaker.console.console import MODEL, PATH, command, emit, option
from stickbreaker.console.faces import options_of_settings, settings_in, show
from stickbreaker.core.errors import counted
from stickbreaker.core.files import refuse_file
from stickbreaker.translation.verbs.settings import TermsSettings


@click.command(epilog="Example: stickbreaker translate terms lexicon --min-gain 0.1 --out terms.csv")
@click.argument("lexicon", type=MODEL)
@options_of_settings(TermsSettings)
@option("--out", type=PATH, help="A .csv file to write, with a row per term and topic.  [default: printed]")
@option("--overwrite", is_flag=True, help="Replace the file at --out.")
@command
def terms(lexicon: Path, out: Path | None, overwrite: bool, as_json: bool, **options: object) -> None:
    """List the words whose translation changes most between topics.

    A term's gain is the mutual information of its translation and its topic, in nats: 0 if it is translated
    the same way in all topics, 0.69 if two topics share it equally and each has its own translation. Stop
    words, numbers and signs are left out.
    """
    if out is not None:
        refuse_file(out, overwrite)
    from stickbreaker import translation

    found = translation.terms(lexicon, **settings_in(TermsSettings, options))
    if out is None:
        show(found, as_json)
        return
    found.write(out, overwrite=overwrite)
    line = f"{out}: {counted(len(found.terms), 'term')}"
    emit({"out": str(out), **found.as_json()}, as_json, lambda _: line)
