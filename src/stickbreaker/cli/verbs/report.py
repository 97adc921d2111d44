"""`stickbreaker report`: writes a page about a model, and its figures as files."""

from pathlib import Path
from typing import Any

import click

from stickbreaker.console.console import MODEL, PATH, GivenPath, command, emit, model_argument, option
from stickbreaker.core.errors import UserError
from stickbreaker.core.files import refuse_file, write_atomic
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.estimators.kinds import page_of_saved


@click.command(epilog="Example: stickbreaker report model --out report.html --figures figures")
@model_argument
@option("--out", type=PATH, help="HTML file to write.")
@option(
    "--figures",
    type=GivenPath(path_type=Path, file_okay=False),
    help="Directory for all figures as SVG and PNG.",
)
@option("--title", help="Title of the page.  [default: the model's name]")
@option("--date-field", help="Metadata field with the documents' dates.  [default: found by name]")
@option("--group-field", help="Metadata field to divide documents by.  [default: those found]")
@option(
    "--language", help="Language whose words name topics.  [default: the first that the text was read in]"
)
@option("--compare", type=MODEL, help="Another model, whose topics are matched with these.")
@option("--overwrite", is_flag=True, help="Replace the file at --out, and figures with the same names.")
@command
def report(
    model: Path,
    out: Path | None,
    figures: Path | None,
    title: str | None,
    date_field: str | None,
    group_field: str | None,
    language: str | None,
    compare: Path | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Write one HTML page about a model: its topics, how they relate, over time and by group, documents,
    words, how the run went; and if topics were split and merged, their history. For a language model:
    sentences by surprise, fixed expressions, its longest contexts; with topics: words in their colours, and
    the words that topics follow. For a grammar: segmented sentences, the subtrees that it remembers, trees.
    For syntactic topics: a graph of which topics stand below which, sentences as trees in the topics'
    colours. For a lexicon by topic: words whose translation depends on the topic, two topics side by side,
    and what changes in documents.

    The page is one file, and needs no network. Figures need: pip install 'stickbreaker[figures]'.
    """
    if out is None and figures is None:
        raise click.UsageError("give --out report.html, --figures DIR or both")
    if out is not None:
        refuse_file(out, overwrite)
    if figures is not None:
        _refuse_figures(figures, overwrite)
    options = {"date_field": date_field, "group_field": group_field, "language": language, "compare": compare}
    page = page_of_saved(model, title or model.resolve().name, options)
    emit(_written(page, out, figures, overwrite), as_json, _as_text)


def _written(page: Any, out: Path | None, figures: Path | None, overwrite: bool) -> JsonObject:
    """Write the page and its figures, each if a path is given for it; returns the command's result."""
    from stickbreaker.pages.figures import write_figures

    result: JsonObject = {}
    if figures is not None:
        result = {"figures": str(figures), "files": write_figures(page, figures)}
    if out is not None:
        html = page.html().encode("utf-8")
        write_atomic(out, html, overwrite=overwrite)
        result = {"out": str(out), "bytes": len(html), **result}
    return result


def _as_text(result: JsonObject) -> str:
    lines: list[str] = []
    if "out" in result:
        lines.append(f"{result['out']}: {result['bytes'] / 1e6:.2f} MB; open it in a browser")
    if "figures" in result:
        lines.append(f"{result['figures']}: {len(result['files'])} files, each figure as SVG and PNG")
    return "\n".join(lines)


def _refuse_figures(directory: Path, overwrite: bool) -> None:
    """Raise UserError if a directory for figures cannot be made, or has files and not `overwrite`."""
    if not directory.parent.is_dir():
        raise UserError("there is no such directory", where=directory.parent, remedy="make it first")
    if directory.is_dir() and any(directory.iterdir()) and not overwrite:
        remedy = "choose another directory or give --overwrite"
        raise UserError("is not empty", where=directory, remedy=remedy)
