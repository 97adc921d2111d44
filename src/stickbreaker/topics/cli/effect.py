"""`stickbreaker effect`: how topic shares depend on metadata."""

from pathlib import Path
from typing import Any

import click

from stickbreaker.console.console import PATH, command, inputs_argument, model_argument, option
from stickbreaker.console.faces import result_for, show, verb_options
from stickbreaker.console.inputs import GivenFiles, ReadingChoice, reading_options
from stickbreaker.console.table_files import refuse_table, write_tables
from stickbreaker.core.files import refuse_file, write_atomic


@click.command(epilog='Example: stickbreaker effect model speeches.corpus --formula "party + year"')
@model_argument
@inputs_argument
@verb_options(
    "effect",
    formula={"required": True, "default": None},
    topics={"type": int, "multiple": True, "default": ()},
)
@option("--out", type=PATH, help="A table of all effects: .csv, .parquet or .xlsx.")
@option("--picture", type=PATH, metavar="FILE.svg", help="A picture of the effects of each term.")
@option("--overwrite", is_flag=True, help="Replace what is at --out and --picture.")
@reading_options
@command
def effect(
    model: Path,
    inputs: tuple[str, ...],
    out: Path | None,
    picture: Path | None,
    overwrite: bool,
    reading: ReadingChoice,
    as_json: bool,
    **options: object,
) -> None:
    """Regress the shares of each topic on metadata of the documents.

    An effect is how much larger the share is, as a part of the document, if the field is larger by one, or
    has that value instead of the most frequent one, which is named. Its bounds contain 95 % of what the data
    leave possible, including the uncertainty of the shares themselves (method of composition, as R's stm).
    These are differences between documents, not causes. Without --topic, shows for each term the topics whose
    bounds exclude zero.
    """
    if out is not None:
        refuse_table(out, overwrite)
    if picture is not None:
        refuse_file(picture, overwrite)
        if picture.suffix != ".svg":
            raise click.UsageError("--picture needs a file that ends in .svg")
    from stickbreaker.topics.formula_grammar import read_formula

    read_formula(str(options["formula"]))  # refuses it before documents are read
    found: Any = result_for("effect", model, options, GivenFiles(inputs, reading))
    if out is not None:
        table = found.table()
        write_tables([table], table.schema, out, overwrite=overwrite)
    if picture is not None:
        write_atomic(picture, found.picture().encode(), overwrite=overwrite)
    show(found, as_json)
