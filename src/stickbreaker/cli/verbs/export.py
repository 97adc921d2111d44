"""`stickbreaker export`: writes a model, or what it says of documents, in formats of other programs."""

from collections.abc import Iterable
from pathlib import Path

import click

from stickbreaker.console.console import (
    PATH,
    command,
    emit,
    model_argument,
    option,
    refuse_written,
    threads_option,
)
from stickbreaker.console.requests import ExportRequest
from stickbreaker.core.errors import UserError
from stickbreaker.core.files import refuse_file
from stickbreaker.estimators.kinds import Export, kind_at, kinds, object_at

ZIP = Export(  # for every kind
    "stickbreaker.console.zip_export:write_zip",
    "the model as one file, which `load` and the commands\nthat do not change a model read as its directory",
)


def formats() -> dict[str, Export]:
    """All formats of `stickbreaker export` by name: those of the kinds of models, and zip."""
    own = {name: export for kind in kinds().values() for name, export in kind.exports.items()}
    return {**own, "zip": ZIP}


class FormatChoice(click.Choice):
    """The type of the option --format: one of `formats()`, which is called only when it is needed."""

    def __init__(self) -> None:
        super().__init__(())

    @property
    def choices(self) -> Iterable[str]:
        return tuple(formats())

    @choices.setter
    def choices(self, value: Iterable[str]) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Ignore the value, which click sets: the choices are always `formats()`."""


def _list_formats() -> str:
    """The part of `--help` that lists the formats, and says which are about documents."""
    room = max(map(len, formats())) + 3
    lines = [
        f"{'' if i else name:<{room}}{line}"
        for name, export in formats().items()
        for i, line in enumerate(export.help.splitlines())
    ]
    of_documents = " and ".join(name for name, export in formats().items() if export.of_documents)
    listed = "\n".join(lines)
    return f"\b\n{listed}\n\n{of_documents} are about documents, and need a CORPUS."


@click.command(
    help=f"Write a model for another program.\n\n{_list_formats()}",
    epilog="Example: stickbreaker export model posts.corpus --format pyldavis --out posts.json",
)
@model_argument
@click.argument("corpus", required=False, type=PATH)
@option("--format", "format", required=True, type=FormatChoice(), help="Format to write.")
@option("--out", required=True, type=PATH, help="File to write.")
@option("--top", default=20, least=1, help="Words per topic, for the first two formats.")
@option("--language", help="pyldavis: language of a polylingual model to show.")
@option(
    "--sample",
    default=-1,
    show_default=False,
    help="arpa: number of the sample, from 0.  [default: the last]",
)
@option("--topic", metavar="N|common", help="arpa: topic of a language model with topics.")
@option("--overwrite", is_flag=True, help="Replace the file at --out.")
@threads_option
@command
def export(
    model: Path,
    corpus: Path | None,
    format: str,
    out: Path,
    top: int,
    language: str | None,
    sample: int,
    topic: str | None,
    overwrite: bool,
    threads: int | None,
    as_json: bool,
) -> None:
    chosen = formats()[format]
    if corpus is None and chosen.of_documents:
        raise click.UsageError(f"{format} is about documents: give a corpus after the model")
    if corpus is not None and not chosen.of_documents:
        raise click.UsageError(f"{format} is about the model only: leave {corpus} out")
    _refuse_others(format, chosen)
    own = ZIP if chosen is ZIP else _own_export(format, chosen, model)
    refuse_file(out, overwrite)
    figures, line = object_at(own.write)(
        ExportRequest(model, corpus, format, out, top, language, sample, topic, overwrite, threads)
    )
    emit({"out": str(out), "format": format, **figures}, as_json, lambda result: f"{result['out']}: {line}")


def _own_export(format: str, chosen: Export, model: Path) -> Export:
    """The export to `format` of the model's own kind; `chosen` may be another kind's of the same name.

    Raises UserError if the kind does not have the format, and a usage error for options that do not apply to
    the kind.
    """
    kind = kind_at(model, "export")
    if format not in kind.exports:
        problem = f"{kind.said} cannot be written as {format}"
        raise UserError(problem, where=model, remedy=f"use one of {', '.join((*kind.exports, 'zip'))}")
    for name in chosen.options:
        if name not in kind.exports[format].options:
            refuse_written((name,), f"does not apply to a {kind.noun}")
    return kind.exports[format]


def _refuse_others(format: str, chosen: Export) -> None:
    """Raise a usage error for an option that does not apply to the format."""
    for option_name in ("sample", "language", "topic"):
        if option_name not in chosen.options:
            owner = " or ".join(name for name, one in formats().items() if option_name in one.options)
            refuse_written((option_name,), f"belongs to --format {owner}")
    for option_name in ("top", "threads"):
        if option_name not in chosen.options:
            refuse_written((option_name,), f"does not apply to --format {format}")
