"""`stickbreaker topics`, `transform`, `evaluate` and `report`: what a saved model tells."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stickbreaker.cli.console import command, emit, tell_of_compiling, threads_option
from stickbreaker.cli.corpus import ReadingChoice, open_or_build, reading_options
from stickbreaker.core.errors import UserError

if TYPE_CHECKING:
    from stickbreaker.corpus import Corpus
    from stickbreaker.estimators.topics import TopicEstimator

model_argument = click.argument("model", type=click.Path(path_type=Path))
inputs_argument = click.argument("inputs", nargs=-1, required=True, metavar="CORPUS|FILE...")


@click.command(epilog="Example: stickbreaker topics model --top 15")
@model_argument
@click.option("--top", default=10, show_default=True, type=click.IntRange(1), help="Words a topic.")
@command
def topics(model: Path, top: int, as_json: bool) -> None:
    """Print the topics of a model, the largest first."""
    from stickbreaker.estimators.saving import load

    told = topics_told(load(model), top)
    emit({"model": str(model), "topics": told}, as_json, topics_as_text)


def topics_told(estimator: "TopicEstimator", top: int) -> list[dict[str, Any]]:
    """Each topic's number, share of the tokens and top words, the largest topic first."""
    words = estimator.top_words(top)
    return [
        {
            "topic": k,
            "share": float(estimator.topic_shares_[k]),
            "words": words[k],
            "probabilities": sorted(estimator.topic_word_[k].tolist(), reverse=True)[:top],
        }
        for k in (-estimator.topic_shares_).argsort(kind="stable").tolist()
    ]


def topics_as_text(told: dict[str, Any]) -> str:
    """One line a topic: number, share of the tokens, words."""
    lines = [f"{t['topic']:>5}  {100 * t['share']:5.1f} %  {_in_a_row(t['words'])}" for t in told["topics"]]
    return "\n".join(["topic    share  words", *lines])


def _in_a_row(words: list[str]) -> str:
    """Words on one line, whatever they are made of."""
    return " ".join(" ".join(words).split())


@click.command(epilog="Example: stickbreaker transform model new.jsonl --out shares.csv")
@model_argument
@inputs_argument
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="A .parquet or .csv file to write."
)
@click.option("--overwrite", is_flag=True, help="Replace the file at --out.")
@threads_option
@reading_options
@command
def transform(
    model: Path,
    inputs: tuple[str, ...],
    out: Path,
    overwrite: bool,
    threads: int | None,
    reading: ReadingChoice,
    as_json: bool,
) -> None:
    """Write the topic shares of documents, a row each: id, then a column a topic.

    Raw files are analysed as the model's corpus was. Documents without a known word get the prior's mean.
    """
    if out.suffix not in (".parquet", ".csv"):
        raise UserError("cannot tell the format", where=out, remedy="end the name in .parquet or .csv")
    _refuse(out, overwrite)
    estimator, corpus = _open(model, inputs, reading, threads)
    _write_shares(estimator, corpus, out)
    result = {
        "out": str(out),
        "documents": corpus.n_documents,
        "topics": len(estimator.alpha_),
        "empty_documents": corpus.n_empty,
        "unseen_share": _unseen_share(corpus),
    }
    emit(
        result,
        as_json,
        lambda r: (
            f"{r['out']}: {r['documents']} documents × {r['topics']} topics; {r['empty_documents']} without "
            f"a known word, {100 * r['unseen_share']:.1f} % of the words unseen"
        ),
    )


def _write_shares(estimator: "TopicEstimator", corpus: "Corpus", out: Path) -> None:
    """A table of ids and shares, block by block."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pyarrow.csv import CSVWriter

    from stickbreaker.core.files import atomic_file

    names = ["id", *(f"topic{k}" for k in range(len(estimator.alpha_)))]
    schema = pa.schema([(names[0], pa.string()), *((name, pa.float64()) for name in names[1:])])
    with atomic_file(out) as partial:
        writer = pq.ParquetWriter(partial, schema) if out.suffix == ".parquet" else CSVWriter(partial, schema)
        with writer:
            for block in range(len(corpus.block_sizes)):
                theta = estimator._theta(corpus.bags(block))
                columns = [pa.array(corpus.ids(block)), *(pa.array(column) for column in theta.T)]
                writer.write_table(pa.table(columns, schema=schema))


@click.command(epilog="Example: stickbreaker evaluate model test.jsonl")
@model_argument
@inputs_argument
@click.option(
    "--completion",
    default=0.5,
    show_default=True,
    type=click.FloatRange(0.0, 1.0, max_open=True),
    help="Share of each document's words that the model sees before it predicts the rest.",
)
@threads_option
@reading_options
@command
def evaluate(
    model: Path,
    inputs: tuple[str, ...],
    completion: float,
    threads: int | None,
    reading: ReadingChoice,
    as_json: bool,
) -> None:
    """Score a model on documents that it has not seen, by document completion.

    Topics of a document are inferred from one part of its words and predict the rest. Beside it stands the
    unigram model, which knows word frequencies and no topics: a good model is well above it.
    """
    estimator, corpus = _open(model, inputs, reading, threads)
    emit(_scores(estimator, corpus, completion), as_json, _scores_as_text)


def _scores(estimator: "TopicEstimator", corpus: "Corpus", share: float) -> dict[str, Any]:
    """Completion and unigram scores, block by block."""
    import numpy as np

    from stickbreaker.evaluation.completion import completion_score, split_halves, unigram_score

    unigram = estimator.vocabulary_.tokens + 0.01
    unigram = unigram / unigram.sum()
    nats = base = tokens = 0.0
    for block in range(len(corpus.block_sizes)):
        observed, rest = split_halves(corpus.bags(block), share)
        if rest.counts.sum() > 0:
            scored = completion_score(rest, estimator._theta(observed), estimator.topic_word_)
            nats += scored.nats
            tokens += scored.tokens
            base += unigram_score(rest, unigram).nats
    if tokens == 0.0:
        raise UserError(
            "there is nothing to score", remedy="no document has a word of the model's vocabulary"
        )
    return {
        "documents": corpus.n_documents,
        "empty_documents": corpus.n_empty,
        "completion": share,
        "scored_tokens": tokens,
        "nats_per_word": nats / tokens,
        "perplexity": float(np.exp(-nats / tokens)),
        "unigram_nats_per_word": base / tokens,
        "unigram_perplexity": float(np.exp(-base / tokens)),
        "unseen_share": _unseen_share(corpus),
    }


def _scores_as_text(told: dict[str, Any]) -> str:
    return (
        f"{told['documents']} documents, {told['scored_tokens']:.0f} words predicted, "
        f"{100 * told['unseen_share']:.1f} % of the words unseen\n"
        f"             nats/word  perplexity\n"
        f"  model      {told['nats_per_word']:9.4f}  {told['perplexity']:10.1f}\n"
        f"  unigram    {told['unigram_nats_per_word']:9.4f}  {told['unigram_perplexity']:10.1f}"
    )


@click.command(epilog="Example: stickbreaker report model --out report.html")
@model_argument
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The HTML file to write.")
@click.option("--title", help="Title of the page.  [default: the model's name]")
@click.option("--overwrite", is_flag=True, help="Replace the file at --out.")
@command
def report(model: Path, out: Path, title: str | None, overwrite: bool, as_json: bool) -> None:
    """Write one HTML page about a model: topics, a map of them, documents, how the run went.

    The page needs no network and nothing beside it.
    """
    from stickbreaker.core.files import write_atomic
    from stickbreaker.report import render
    from stickbreaker.report.pages import page_of

    _refuse(out, overwrite)
    html = render(page_of(model, title or model.resolve().name)).encode("utf-8")
    write_atomic(out, html)
    result = {"out": str(out), "bytes": len(html)}
    emit(result, as_json, lambda r: f"{r['out']}: {r['bytes'] / 1e6:.2f} MB; open it in a browser")


def _open(
    model: Path, inputs: tuple[str, ...], reading: ReadingChoice, threads: int | None
) -> "tuple[TopicEstimator, Corpus]":
    """A model, and documents seen through its vocabulary."""
    from stickbreaker.estimators.saving import load

    tell_of_compiling()
    estimator = load(model, threads)
    corpus = open_or_build(inputs, reading, analysis=estimator.analysis_, vocabulary=estimator.vocabulary_)
    return estimator, corpus


def _refuse(out: Path, overwrite: bool) -> None:
    """Raise UserError where the file `out` cannot be written, or is there already."""
    if not out.parent.is_dir():
        raise UserError("there is no such directory", where=out.parent, remedy="make it first")
    if out.is_dir() or (out.exists() and not overwrite):
        remedy = "choose another path" + ("" if out.is_dir() else " or give --overwrite")
        raise UserError("already exists", where=out, remedy=remedy)


def _unseen_share(corpus: "Corpus") -> float:
    """Share of the words that the vocabulary lacks."""
    unseen = sum(float(corpus.bags(b).unseen.sum(dtype="float64")) for b in range(len(corpus.block_sizes)))
    return unseen / max(1e-300, unseen + corpus.n_tokens)
