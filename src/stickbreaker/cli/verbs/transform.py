"""`stickbreaker transform`: the topic shares of documents, as a table."""

import warnings
from pathlib import Path

import click

from stickbreaker.cli.spark_scoring import shares_on_spark
from stickbreaker.console.console import (
    PATH,
    command,
    emit,
    inputs_argument,
    model_argument,
    note,
    option,
    tell_of_compiling,
    writing_output,
)
from stickbreaker.console.faces import settings_for, verb_options
from stickbreaker.console.inputs import GivenFiles, ReadingChoice, reading_options, warnings_as_notes
from stickbreaker.console.options import EngineChoice, engine_options
from stickbreaker.console.table_files import STANDARD_OUTPUT, refuse_table, write_tables
from stickbreaker.core.errors import counted
from stickbreaker.estimators.kinds import kind_at


@click.command(epilog="Example: stickbreaker transform model new.jsonl --out shares.csv --metadata")
@model_argument
@inputs_argument
@option(
    "--out",
    required=True,
    type=PATH,
    help="File to write: .csv, .parquet or .xlsx, or - for CSV on standard output; on Spark a directory of "
    "Parquet files.",
)
@verb_options("transform")
@option("--overwrite", is_flag=True, help="Replace the file or directory at --out.")
@option(
    "--raw-text",
    is_flag=True,
    help="CSV: write text unchanged, even if a spreadsheet would run it as a formula.",
)
@engine_options
@reading_options
@command
def transform(
    model: Path,
    inputs: tuple[str, ...],
    out: Path,
    overwrite: bool,
    raw_text: bool,
    where: EngineChoice,
    reading: ReadingChoice,
    as_json: bool,
    **options: object,
) -> None:
    """Write the topic shares of documents, one row each: id, then a column for each topic.

    Raw files are analysed as the model's corpus was. Documents without a known word get the prior's mean.
    With --metadata, the column topic has the number of the topic with the largest share. On Spark (--engine
    spark) executors score a corpus: id, and the list of its shares.

    In CSV, text that a spreadsheet would run as a formula (=, +, -, @) gets a single quote before it.
    """
    if raw_text and (where.engine == "spark" or out.suffix in (".parquet", ".xlsx")):
        raise click.UsageError("--raw-text is for CSV; other formats need no quotes")
    if where.engine == "spark":
        if options["metadata"] or options["by"]:
            name = "--metadata" if options["metadata"] else "--by"
            raise click.UsageError(f"{name} is not available on Spark; join the corpus's metadata by id")
        result = shares_on_spark(model, inputs, out, where, overwrite)
        documents, topics = counted(result["documents"], "document"), counted(result["topics"], "topic")
        emit(result, as_json, lambda r: f"{r['out']}: {documents} × {topics}")
        return
    where.refuse_spark_options()
    refuse_table(out, overwrite, printed=True)
    if out == STANDARD_OUTPUT and as_json:
        raise click.UsageError("--json needs a file at --out: standard output has the table")
    tell_of_compiling()
    from stickbreaker.estimators.document_tables import ALL_UNSEEN
    from stickbreaker.estimators.verbs import transform as shares_of

    settings = settings_for("transform", kind_at(model, "transform"), options)
    with warnings_as_notes(UserWarning):
        warnings.filterwarnings("ignore", ALL_UNSEEN)  # the note below says what may help
        table = shares_of(model, GivenFiles(inputs, reading), **settings)
    with writing_output():
        write_tables(table, table.schema, out, raw=raw_text, overwrite=overwrite)
    remark = table.learned.remark_on_documents(table.corpus)
    if remark is not None:
        note(f"note: {remark}")
    if table.corpus.n_empty == table.corpus.n_documents:
        note(f"note: {ALL_UNSEEN}; are the language and the field (--text-field) those of the model?")
    result, text = {"out": str(out), **table.as_json()}, f"{out}: {table}"
    if out == STANDARD_OUTPUT:
        note(text)
    else:
        emit(result, as_json, lambda _: text)
