"""`stickbreaker topics`: prints what a model has found."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from stickbreaker.console.console import (
    PATH,
    command,
    model_argument,
    note,
    option,
    refuse_written,
    writing_output,
)
from stickbreaker.console.faces import result_for, show, verb_options
from stickbreaker.console.table_files import STANDARD_OUTPUT, refuse_table, write_tables
from stickbreaker.core.errors import counted, naming

if TYPE_CHECKING:
    from stickbreaker.estimators.verb_results import VerbResult


@click.command(epilog="Example: stickbreaker topics model --top 15")
@model_argument
@verb_options("topics")
@option(
    "--out",
    type=PATH,
    help="Write a table with one row per topic: .csv, .parquet or .xlsx; - for CSV on standard output.",
)
@option("--overwrite", is_flag=True, help="Replace the file at --out.")
@command
def topics(model: Path, out: Path | None, overwrite: bool, as_json: bool, **options: object) -> None:
    """Print the topics of a model, the largest first.

    Topics with almost no words of the text are listed as unused, at the end. Topics with the same name
    (`stickbreaker name`) are merged into one row, with all their numbers and the mean of their words. For
    syntactic topics, their parts of speech are printed before their most probable words.

    NPMI says whether a topic holds in documents other than those that its words were chosen by: words chosen
    in one half of the documents are counted in the other half; below 0 they do not go together there, and the
    topic is marked.

    With --at, the topics of the last snapshot not after a date or step, by their lasting numbers; snapshots
    have at most 50 words per topic, the most frequent ones. This also works while a model is still learning.
    """
    if options["at"] is not None:
        refuse_written(("by",), "does not go with --at: snapshots keep the most frequent words")
    if out is not None:
        if options["prompt"]:
            raise click.UsageError("--prompt does not go with --out, which writes a table")
        if as_json:
            raise click.UsageError("--json does not go with --out, which writes the same topics as a table")
        refuse_table(out, overwrite, printed=True)
    if options["at"] is None:
        found = result_for("topics", model, options)
    else:
        with naming(model):
            found = result_for("topics", model, options)
    if out is None:
        show(found, as_json)
    else:
        _write_table(found, out, overwrite)


def _write_table(found: "VerbResult", out: Path, overwrite: bool) -> None:
    """Write topics as a table with a row each."""
    from stickbreaker.estimators.topic_lines import ListOfTopics

    assert isinstance(found, ListOfTopics)
    table = found.table()
    with writing_output():
        write_tables([table], table.schema, out, overwrite=overwrite)
    if out != STANDARD_OUTPUT:
        note(f"{out}: {counted(table.num_rows, 'topic')}")
