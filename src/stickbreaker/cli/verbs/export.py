"""`stickbreaker export`: writes a model, or what it says of documents, in formats of other programs."""

from collections.abc import Iterable
from pathlib import Path

import click

from stickbreaker.console.console import (
    PATH,
    command,
    model_argument,
    note,
    option,
    refuse_written,
    tell_of_compiling,
)
from stickbreaker.console.faces import options_of_settings, settings_in, show
from stickbreaker.core.files import refuse_file
from stickbreaker.estimators.kinds import Export, export_of, kind_at, kinds
from stickbreaker.estimators.verb_settings import ExportSettings

ZIP = Export(  # for every kind
    "",
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
@options_of_settings(ExportSettings, sample={"show_default": False})
@option("--overwrite", is_flag=True, help="Replace the file at --out.")
@command
def export(
    model: Path,
    corpus: Path | None,
    format: str,
    out: Path,
    overwrite: bool,
    as_json: bool,
    **options: object,
) -> None:
    chosen = formats()[format]
    if corpus is None and chosen.of_documents:
        raise click.UsageError(f"{format} is about documents: give a corpus after the model")
    if corpus is not None and not chosen.of_documents:
        raise click.UsageError(f"{format} is about the model only: leave {corpus} out")
    _refuse_others(format, chosen)
    if chosen is not ZIP:
        _refuse_options_of_others(format, chosen, model)
    refuse_file(out, overwrite)
    tell_of_compiling()
    from stickbreaker.corpus import Corpus
    from stickbreaker.estimators.exports import export

    documents = None if corpus is None else Corpus.open(corpus)
    settings = ExportSettings(**settings_in(ExportSettings, options))
    found = export(model, format, out, documents, settings, overwrite=overwrite)
    for remark in found.remarks:
        note(remark)
    show(found, as_json)


def _refuse_options_of_others(format: str, chosen: Export, model: Path) -> None:
    """Raise a usage error for options that do not apply to the model's own kind; `chosen` may be another
    kind's export of the same name. Raises UserError if the kind does not have the format."""
    kind = kind_at(model, "export")
    own = export_of(kind, format, model)
    for name in chosen.options:
        if name not in own.options:
            refuse_written((name,), f"does not apply to a {kind.noun}")


def _refuse_others(format: str, chosen: Export) -> None:
    """Raise a usage error for an option that does not apply to the format."""
    for option_name in ("sample", "language", "topic"):
        if option_name not in chosen.options:
            owner = " or ".join(name for name, one in formats().items() if option_name in one.options)
            refuse_written((option_name,), f"belongs to --format {owner}")
    for option_name in ("top", "threads"):
        if option_name not in chosen.options:
            refuse_written((option_name,), f"does not apply to --format {format}")
