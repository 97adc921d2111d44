"""`stickbreaker transform`: the topic shares of documents, as a table."""

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
    threads_option,
    writing_output,
)
from stickbreaker.console.engine_options import EngineChoice, engine_options
from stickbreaker.console.inputs import ReadingChoice, open_documents_for, reading_options
from stickbreaker.console.table_files import STANDARD_OUTPUT, refuse_table, write_tables
from stickbreaker.core.errors import counted
from stickbreaker.core.json_checks import JsonObject


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
@option(
    "--metadata",
    is_flag=True,
    help="Also write the documents' metadata, a column for each field, and their main topic.",
)
@option(
    "--by",
    choices=["document"],
    help="For documents read with --split: one row for each whole document, not for each part.",
)
@option("--overwrite", is_flag=True, help="Replace the file or directory at --out.")
@option(
    "--raw-text",
    is_flag=True,
    help="CSV: write text unchanged, even if a spreadsheet would run it as a formula.",
)
@engine_options
@threads_option
@reading_options
@command
def transform(
    model: Path,
    inputs: tuple[str, ...],
    out: Path,
    metadata: bool,
    by: str | None,
    overwrite: bool,
    raw_text: bool,
    where: EngineChoice,
    threads: int | None,
    reading: ReadingChoice,
    as_json: bool,
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
        if metadata or by:
            name = "--metadata" if metadata else "--by"
            raise click.UsageError(f"{name} is not available on Spark; join the corpus's metadata by id")
        result = shares_on_spark(model, inputs, out, where, overwrite)
        emit(result, as_json, lambda r: f"{r['out']}: {_size(r)}")
        return
    where.refuse_spark_options()
    refuse_table(out, overwrite, printed=True)
    if out == STANDARD_OUTPUT and as_json:
        raise click.UsageError("--json needs a file at --out: standard output has the table")
    from stickbreaker.estimators.document_tables import ALL_UNSEEN, DocumentTable, WholeTable
    from stickbreaker.estimators.learned import HasShares
    from stickbreaker.estimators.model_files import load

    tell_of_compiling()
    learned = load(model, threads, verb="transform")
    assert isinstance(learned, HasShares)  # of all kinds that have this verb
    corpus = open_documents_for(learned, inputs, reading)
    table = (DocumentTable if by is None else WholeTable)(learned, corpus, metadata=metadata)
    with writing_output():
        write_tables(table, table.schema, out, raw=raw_text, overwrite=overwrite)
    remark = learned.remark_on_documents(corpus)
    if remark is not None:
        note(f"note: {remark}")
    if corpus.n_empty == corpus.n_documents:
        note(f"note: {ALL_UNSEEN}; are the language and the field (--text-field) those of the model?")
    result = {
        "out": str(out),
        "documents": corpus.n_documents,
        "topics": learned.n_shares,
        "empty_documents": corpus.n_empty,
        "unseen_share": corpus.unseen_share,
    }
    if out == STANDARD_OUTPUT:
        note(_as_text(result))
    else:
        emit(result, as_json, _as_text)


def _as_text(result: JsonObject) -> str:
    return (
        f"{result['out']}: {_size(result)}; {result['empty_documents']} without a known word, "
        f"{100 * result['unseen_share']:.1f} % of the words unseen"
    )


def _size(result: JsonObject) -> str:
    """The size of a table of topic shares as text, such as "1,000 documents × 20 topics"."""
    return f"{counted(result['documents'], 'document')} × {counted(result['topics'], 'topic')}"
