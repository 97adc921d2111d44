"""`stickbreaker over-time`: topic shares by period of time."""

from pathlib import Path
from typing import Any

import click

from stickbreaker.console.console import PATH, command, inputs_argument, model_argument, option
from stickbreaker.console.faces import result_for, show, verb_options
from stickbreaker.console.inputs import GivenFiles, ReadingChoice, reading_options
from stickbreaker.topics.cli.table_and_picture import refuse_outputs, write_outputs


@click.command(epilog="Example: stickbreaker over-time model news.corpus --by month --out months.csv")
@model_argument
@inputs_argument
@verb_options("over-time", topics={"type": int, "multiple": True, "default": ()})
@option("--out", type=PATH, help="A table of all shares: .csv, .parquet or .xlsx.")
@option("--picture", type=PATH, metavar="FILE.svg", help="A picture with a panel for each topic.")
@option("--overwrite", is_flag=True, help="Replace what is at --out and --picture.")
@reading_options
@command
def over_time(
    model: Path,
    inputs: tuple[str, ...],
    out: Path | None,
    picture: Path | None,
    overwrite: bool,
    reading: ReadingChoice,
    as_json: bool,
    **options: object,
) -> None:
    """Show how large topics are in each year, month or other period.

    Each document counts once. A share changes from one period to the next by a random walk, whose steps are
    learned for each topic, so that a period of few documents is near its neighbours and has wide bounds. The
    table also has the plain means. Without --topic, the text and the picture show the ten topics that change
    most.
    """
    refuse_outputs(out, picture, overwrite=overwrite)
    found: Any = result_for("over-time", model, options, GivenFiles(inputs, reading))
    write_outputs(found, out, picture, overwrite=overwrite)
    show(found, as_json)
