"""`stickbreaker transform`: the topic shares of documents."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

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
)
from stickbreaker.console.engine_options import EngineChoice, engine_options
from stickbreaker.console.inputs import ReadingChoice, open_documents, reading_options
from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.files import refuse_file
from stickbreaker.core.spreadsheets import text_cell

if TYPE_CHECKING:
    from stickbreaker.corpus import Corpus
    from stickbreaker.estimators.estimator import Estimator


@click.command(epilog="Example: stickbreaker transform model new.jsonl --out shares.csv")
@model_argument
@inputs_argument
@option(
    "--out",
    required=True,
    type=PATH,
    help="A .parquet or .csv file to write; on Spark a directory of Parquet files.",
)
@option("--overwrite", is_flag=True, help="Replace what is at --out.")
@option(
    "--raw-ids",
    is_flag=True,
    help="Of .csv: write ids as they are, also those that a spreadsheet would run as formulas.",
)
@engine_options
@threads_option
@reading_options
@command
def transform(
    model: Path,
    inputs: tuple[str, ...],
    out: Path,
    overwrite: bool,
    raw_ids: bool,
    where: EngineChoice,
    threads: int | None,
    reading: ReadingChoice,
    as_json: bool,
) -> None:
    """Write the topic shares of documents, a row each: id, then a column a topic.

    Raw files are analysed as the model's corpus was. Documents without a known word get the prior's mean. On
    Spark (--engine spark) executors score a corpus: id, and the list of its shares.

    In .csv an id that a spreadsheet would run as a formula (=, +, -, @) stands behind a single quote.
    """
    if raw_ids and (where.engine == "spark" or out.suffix == ".parquet"):
        raise click.UsageError("--raw-ids is for .csv; in Parquet ids are as they are")
    if where.engine == "spark":
        result = shares_on_spark(model, inputs, out, where, overwrite)
        emit(result, as_json, lambda r: f"{r['out']}: {_size(r)}")
        return
    where.refuse_spark_options()
    if out.suffix not in (".parquet", ".csv"):
        raise UserError("cannot tell the format", where=out, remedy="end the name in .parquet or .csv")
    from stickbreaker.estimators.saving import load
    from stickbreaker.topics.learned_topics import ALL_UNSEEN

    refuse_file(out, overwrite)
    tell_of_compiling()
    estimator = load(model, threads, verb="transform")
    corpus = open_documents(estimator, inputs, reading)
    _write_shares(estimator, corpus, out, raw_ids, overwrite)
    if corpus.n_empty == corpus.n_documents:
        note(f"note: {ALL_UNSEEN}; is it the language and the field (--text-field) that the model is of?")
    result = {
        "out": str(out),
        "documents": corpus.n_documents,
        "topics": estimator.n_shares,
        "empty_documents": corpus.n_empty,
        "unseen_share": corpus.unseen_share,
    }
    emit(
        result,
        as_json,
        lambda r: (
            f"{r['out']}: {_size(r)}; {r['empty_documents']} without "
            f"a known word, {100 * r['unseen_share']:.1f} % of the words unseen"
        ),
    )


def _size(result: dict[str, Any]) -> str:
    """How large a table of shares is."""
    return f"{counted(result['documents'], 'document')} × {counted(result['topics'], 'topic')}"


def _write_shares(
    estimator: "Estimator", corpus: "Corpus", out: Path, raw_ids: bool, overwrite: bool
) -> None:
    """A table of ids and shares, block by block; ids in CSV are safe for spreadsheets unless `raw_ids`."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pyarrow.csv import CSVWriter

    from stickbreaker.core.files import atomic_file

    as_written = str if raw_ids or out.suffix == ".parquet" else text_cell
    names = ["id", *(f"topic{k}" for k in range(estimator.n_shares))]
    schema = pa.schema([(names[0], pa.string()), *((name, pa.float64()) for name in names[1:])])
    with atomic_file(out, overwrite=overwrite) as partial:
        writer = pq.ParquetWriter(partial, schema) if out.suffix == ".parquet" else CSVWriter(partial, schema)
        with writer:
            for block in range(len(corpus.block_sizes)):
                ids = [as_written(identity) for identity in corpus.ids(block)]
                shares = estimator.block_shares(corpus, block)
                columns = [pa.array(ids), *(pa.array(column) for column in shares.T)]
                writer.write_table(pa.table(columns, schema=schema))
