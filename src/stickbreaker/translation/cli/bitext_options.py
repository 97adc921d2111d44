"""The options by which commands read pairs of sentences."""

import dataclasses
from typing import TYPE_CHECKING

import click

from stickbreaker.console.console import INPUT, F, from_option, option, options_into
from stickbreaker.console.inputs import FORMATS

if TYPE_CHECKING:
    pass


@dataclasses.dataclass(frozen=True)
class BitextChoice:
    """The command's options on how sentence pairs are read. `given`: the names of those that the user set."""

    text_field: str | None = from_option(
        metavar="FIELDS",
        help="Fields or columns with the texts, as de=german,en=english.  [default: those named by --from "
        "and --to]",
    )
    document_field: str = from_option(
        default="doc",
        metavar="FIELD",
        help="Field or column with the name of the document that a pair belongs to.  "
        "[default: doc, or else document]",
    )
    domain_field: str = from_option(
        default="domain", metavar="FIELD", help="Field or column with a document's domain."
    )
    lines_per_document: int = from_option(
        least=1, default=20, help="Pairs without a document: this many make one."
    )
    format: str | None = from_option(choices=FORMATS[:5], help="[default: by the file's name]")
    on_error: str = from_option(
        choices=["fail", "skip"], default="fail", help="What to do about a pair that cannot be read."
    )
    given: tuple[str, ...] = ()


def language_options(function: F) -> F:
    """Give a command `--from` and `--to`, which it receives as `source` and `target`."""
    source = option(
        "--from", "source", metavar="LANGUAGE", required=True, help="Language that is translated."
    )
    target = option(
        "--to", "target", metavar="LANGUAGE", required=True, help="Language that it is translated into."
    )
    return source(target(function))


bitext_options = options_into(BitextChoice, "reading")
bitext_argument = click.argument("bitext", nargs=-1, required=True, metavar="BITEXT...", type=INPUT)
