"""`stickbreaker effect`: how topic shares depend on metadata."""

from pathlib import Path
from typing import Any

import click

from stickbreaker.console.console import INPUT, PATH, command, model_argument, option
from stickbreaker.console.faces import result_for, show, verb_options
from stickbreaker.console.inputs import GivenFiles, ReadingChoice, reading_options
from stickbreaker.topics.cli.table_and_picture import refuse_outputs, write_outputs


@click.command(epilog='Example: stickbreaker effect model speeches.corpus --formula "party + year"')
@model_argument
@click.argument("inputs", nargs=-1, metavar="[CORPUS|FILE...]", type=INPUT)
@verb_options(
    "effect",
    formula={"default": None},
    topics={"type": int, "multiple": True, "default": ()},
)
@option(
    "--at",
    metavar="VALUES",
    help="Without documents: values of fields, as in party=A, year=1990:2020, at which to show shares.",
)
@option("--out", type=PATH, help="A table of all effects: .csv, .parquet or .xlsx.")
@option("--picture", type=PATH, metavar="FILE.svg", help="A picture of the effects of each term.")
@option("--overwrite", is_flag=True, help="Replace what is at --out and --picture.")
@reading_options
@command
def effect(
    model: Path,
    inputs: tuple[str, ...],
    at: str | None,
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

    Without documents, for a model that was fitted with --prevalence: the expected share of each topic by the
    values of the metadata that its prior depends on, with bounds, and compared with the most frequent value.
    All other fields are average. Bounds are those of the prior, with the topics held fixed.
    """
    refuse_outputs(out, picture, overwrite=overwrite)
    found: Any = None
    if inputs:
        if at is not None or options["formula"] is None:
            problem = "--at is for no documents" if at is not None else "with documents, give --formula"
            raise click.UsageError(problem)
        from stickbreaker.topics.formula_grammar import read_formula

        read_formula(str(options["formula"]))  # refuses it before documents are read
        found = result_for("effect", model, options, GivenFiles(inputs, reading))
    else:
        if options["formula"] is not None or picture is not None:
            name = "--formula" if options["formula"] is not None else "--picture"
            raise click.UsageError(f"{name} needs documents: give a corpus or files")
        from stickbreaker.estimators.given_models import model_for
        from stickbreaker.topics.verbs.expected_shares import shares_by_metadata

        topics: Any = options["topic"]
        found = shares_by_metadata(model_for("effect", model)[1], at, tuple(topics)).of_model(str(model))
    write_outputs(found, out, picture, overwrite=overwrite)
    show(found, as_json)
