"""`stickbreaker topics` and `transform`: what a saved model tells."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stickbreaker.cli.spark_scoring import shares_on_spark
from stickbreaker.console.console import (
    command,
    emit,
    inputs_argument,
    model_argument,
    note,
    refuse_written,
    tell_of_compiling,
    threads_option,
)
from stickbreaker.console.engine import EngineChoice, engine_options
from stickbreaker.console.inputs import ReadingChoice, open_or_build, reading_options
from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.files import refuse_file
from stickbreaker.core.spreadsheets import text_cell
from stickbreaker.topics.cli.ranking import ranking_option

if TYPE_CHECKING:
    from stickbreaker.corpus import Corpus
    from stickbreaker.estimators.estimator import Estimator
    from stickbreaker.topics.topic_estimator import TopicEstimator


@click.command(epilog="Example: stickbreaker topics model --top 15")
@model_argument
@click.option("--top", default=10, show_default=True, type=click.IntRange(1), help="Words a topic.")
@ranking_option
@click.option(
    "--at",
    metavar="DATE|STEP",
    help="The topics as they were: 2020-05-01, 2020-05, 2020, 120 or step:120. For models with snapshots.",
)
@command
def topics(model: Path, top: int, by: str, at: str | None, as_json: bool) -> None:
    """Print the topics of a model, the largest first.

    Those that have next to no words of the text are named as unused, at the end. Topics that were given the
    same name (`stickbreaker name`) are one row, with the numbers of all and the mean of their words.

    With --at, those of the last snapshot not after a date or step, by their lasting numbers; at most 50 words
    a topic are kept there, the most frequent. A model may be asked while it is still learning.
    """
    if at is not None:
        refuse_written(("by",), "does not go with --at: snapshots keep the most frequent words")
        emit({"model": str(model), **topics_at(model, at, top)}, as_json, snapshot_as_text)
        return
    from stickbreaker.topics.topic_estimator import load_topics

    summaries = summarize_topics(load_topics(model, "topics"), top, by)
    emit({"model": str(model), "topics": summaries}, as_json, topics_as_text)


def summarize_topics(estimator: "TopicEstimator", top: int, by: str = "documents") -> list[dict[str, Any]]:
    """Each topic's number, share of the tokens, whether it is unused, and its first words; the largest topic
    first, unused ones at the end. Topics of one name are one; its number is that of the largest of `members`.
    """
    from stickbreaker.core.topk import descending
    from stickbreaker.topics.names.named_topics import NamedTopics

    named = NamedTopics(estimator)
    ranges: dict[str | None, slice] = {**estimator.vocabulary_.ranges} or {None: slice(None)}
    ranked = {code: named.ranked_words(top, rows, by) for code, rows in ranges.items()}
    spelled, concepts = estimator.vocabulary_.spelled, named.top_concepts(top)

    def list_words(g: int, code: str | None) -> dict[str, Any]:
        rows, probabilities = (found[g].tolist() for found in ranked[code])
        return {"words": [spelled[row] for row in rows], "probabilities": probabilities}

    def topic(g: int) -> dict[str, Any]:
        common = {
            "topic": named.members[g][0],
            "members": sorted(named.members[g]),
            "name": named.names[g],
            "share": float(named.shares[g]),
            "unused": g in named.unused,
        }
        if concepts[g]:
            common["concepts"] = [name for name, _ in concepts[g]]
            common["concept_shares"] = [share for _, share in concepts[g]]
        if None in ranges:
            return {**common, **list_words(g, None)}
        return {**common, "languages": {code: list_words(g, code) for code in ranges}}

    return [topic(g) for g in descending(named.shares).tolist()]


def topics_as_text(result: dict[str, Any]) -> str:
    """A line a topic: number, share of the tokens, name where topics have some, words; a line a language, and
    one of concepts where there are some. Unused topics are named on a last line."""
    shown = [t for t in result["topics"] if not t["unused"]]
    names = [t["name"] or "" for t in shown]
    width = max([4, *map(len, names)]) + 2 if any(names) else 0
    numbers = [",".join(map(str, t["members"])) for t in shown]
    room = max([5, *map(len, numbers)])
    lines = [f"{'topic':<{room}}    share  {'name' if width else '':<{width}}words"]
    for t, name, number in zip(shown, names, numbers, strict=True):
        head = f"{number:>{room}}  {100 * t['share']:5.1f} %  {_in_a_row([name]):<{width}}"
        for code, one in t.get("languages", {"": t}).items():
            lines.append(f"{head}{code + '  ' if code else ''}{_in_a_row(one['words'])}")
            head = " " * len(head)
        if "concepts" in t:
            lines.append(f"{head}concepts  {', '.join(map(_one_line, t['concepts']))}")
    return "\n".join([*lines, *unused_line(t["topic"] for t in result["topics"] if t["unused"])])


def unused_line(topics: Iterable[int], of: str = "") -> list[str]:
    """A line that names unused topics, `of` a model where there are several; none where there are none."""
    numbers = ", ".join(map(str, sorted(topics)))
    return [f"unused{of}: {numbers}"] if numbers else []


def topics_at(model: Path, when: str, top: int) -> dict[str, Any]:
    """The snapshot of a model's topics at a date or step. Raises UserError where it kept none so early."""
    from stickbreaker.saved import ModelDirectory

    evolution = ModelDirectory(model).evolution()
    if not evolution.moments:
        raise UserError(
            "there are no snapshots of its topics",
            where=model,
            remedy="leave out --at; models of open vocabularies (fit --words open) keep snapshots",
        )
    moment = evolution.at(when)
    entered = moment.entered()
    rows = [
        {
            "topic": topic,
            "words": [word for word, _ in words[:top]],
            "probabilities": [float(f"{p:.7g}") for _, p in words[:top]],  # single precision
            "entered": [word for _, word, _ in entered.get(topic, ())],
        }
        for topic, words in moment.top().items()
    ]
    return {"step": moment.step, "documents": moment.documents, "date": moment.date, "topics": rows}


def snapshot_as_text(snapshot: dict[str, Any]) -> str:
    """When it was, then a line a topic: its lasting number and its words."""
    date = f", {snapshot['date']}" if snapshot["date"] else ""
    read = counted(snapshot["documents"], "document")
    lines = [f"step {snapshot['step']:,}: {read} read{date}", "topic  words"]
    lines += [f"{t['topic']:>5}  {_in_a_row(t['words'])}" for t in snapshot["topics"]]
    return "\n".join(lines)


def _in_a_row(words: list[str]) -> str:
    """Words on one line, whatever they are made of."""
    return _one_line(" ".join(words))


def _one_line(text: str) -> str:
    return " ".join(text.split())


@click.command(epilog="Example: stickbreaker transform model new.jsonl --out shares.csv")
@model_argument
@inputs_argument
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    help="A .parquet or .csv file to write; on Spark a directory of Parquet files.",
)
@click.option("--overwrite", is_flag=True, help="Replace what is at --out.")
@click.option(
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
    from stickbreaker.topics.evaluation import unseen_share
    from stickbreaker.topics.topic_estimator import ALL_UNSEEN

    refuse_file(out, overwrite)
    estimator, corpus = open_model(model, "transform", inputs, reading, threads)
    _write_shares(estimator, corpus, out, raw_ids, overwrite)
    if corpus.n_empty == corpus.n_documents:
        note(f"note: {ALL_UNSEEN}; is it the language and the field (--text-field) that the model is of?")
    result = {
        "out": str(out),
        "documents": corpus.n_documents,
        "topics": len(estimator.alpha_),
        "empty_documents": corpus.n_empty,
        "unseen_share": unseen_share(corpus),
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
    estimator: "TopicEstimator", corpus: "Corpus", out: Path, raw_ids: bool, overwrite: bool
) -> None:
    """A table of ids and shares, block by block; ids in CSV are safe for spreadsheets unless `raw_ids`."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pyarrow.csv import CSVWriter

    from stickbreaker.core.files import atomic_file

    as_written = str if raw_ids or out.suffix == ".parquet" else text_cell
    names = ["id", *(f"topic{k}" for k in range(len(estimator.alpha_)))]
    schema = pa.schema([(names[0], pa.string()), *((name, pa.float64()) for name in names[1:])])
    with atomic_file(out, overwrite=overwrite) as partial:
        writer = pq.ParquetWriter(partial, schema) if out.suffix == ".parquet" else CSVWriter(partial, schema)
        with writer:
            for block in range(len(corpus.block_sizes)):
                theta = estimator.infer_shares(corpus.bags(block))
                ids = [as_written(identity) for identity in corpus.ids(block)]
                columns = [pa.array(ids), *(pa.array(column) for column in theta.T)]
                writer.write_table(pa.table(columns, schema=schema))


def open_model(
    model: Path, verb: str, inputs: tuple[str, ...], reading: ReadingChoice, threads: int | None
) -> "tuple[TopicEstimator, Corpus]":
    """A model of topics, for a verb, and documents seen through its vocabulary."""
    from stickbreaker.topics.topic_estimator import load_topics

    tell_of_compiling()
    estimator = load_topics(model, verb, threads)
    return estimator, open_documents(estimator, inputs, reading)


def open_documents(estimator: "Estimator", inputs: tuple[str, ...], reading: ReadingChoice) -> "Corpus":
    """Documents seen through a model's vocabulary."""
    return open_or_build(inputs, reading, analysis=estimator.analysis_, vocabulary=estimator.vocabulary_)
