"""`stickbreaker export`: a model, or what it says of documents, in the formats of other programs."""

from pathlib import Path
from typing import Any

import click

from stickbreaker.console.console import (
    command,
    emit,
    model_argument,
    note,
    refuse_written,
    tell_of_compiling,
    threads_option,
)
from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.files import refuse_file

OF_TOPICS = ("mallet-topic-keys", "gensim-topics")
OF_DOCUMENTS = ("mallet-doc-topics", "pyldavis")
OF_WORDS = ("arpa",)


@click.command(epilog="Example: stickbreaker export model posts.corpus --format pyldavis --out posts.json")
@model_argument
@click.argument("corpus", required=False, type=click.Path(path_type=Path))
@click.option(
    "--format",
    "format",
    required=True,
    type=click.Choice([*OF_TOPICS, *OF_DOCUMENTS, *OF_WORDS]),
    help="What to write.",
)
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The file to write.")
@click.option(
    "--top", default=20, show_default=True, type=click.IntRange(1), help="Words a topic, of the first two."
)
@click.option("--language", help="Which language of a polylingual model pyldavis shows.")
@click.option("--sample", default=-1, help="Which sample arpa has, from 0.  [default: the last]")
@click.option("--overwrite", is_flag=True, help="Replace the file at --out.")
@threads_option
@command
def export(
    model: Path,
    corpus: Path | None,
    format: str,
    out: Path,
    top: int,
    language: str | None,
    sample: int,
    overwrite: bool,
    threads: int | None,
    as_json: bool,
) -> None:
    """Write a model for another program.

    \b
    mallet-topic-keys   a line a topic: number, alpha, top words
    gensim-topics       a line a topic: top words with probabilities (a model for gensim:
                        stickbreaker.topics.exporting.to_gensim, in Python)
    mallet-doc-topics   a line a document: number, id, topic shares
    pyldavis            JSON with the arguments of pyLDAvis.prepare
    arpa                a language model's n-grams, of one sample, which it has exactly

    mallet-doc-topics and pyldavis are about documents, and need a CORPUS.
    """
    if corpus is None and format in OF_DOCUMENTS:
        raise click.UsageError(f"{format} is about documents: give a corpus after the model")
    if corpus is not None and format not in OF_DOCUMENTS:
        raise click.UsageError(f"{format} is about the model alone: leave {corpus} out")
    if format != "arpa":
        refuse_written(("sample",), "belongs to --format arpa")
    if language is not None and format != "pyldavis":
        raise click.UsageError("--language belongs to --format pyldavis")
    if format == "arpa":
        refuse_written(("top", "threads"), "means nothing for --format arpa")
    from stickbreaker.estimators.kinds import kind_at

    kind = kind_at(model, "export")
    if format not in kind.formats:
        problem = f"{format} is no format of a model of the kind {kind.name}"
        raise UserError(problem, where=model, remedy=f"it has {', '.join(kind.formats)}")
    refuse_file(out, overwrite)
    result: dict[str, Any] = {"out": str(out), "format": format}
    if format in OF_WORDS:
        result |= _write_arpa(model, out, sample, overwrite)
    elif corpus is None:
        result |= _write_topics(model, format, out, top, overwrite)
    else:
        result |= _write_documents(model, corpus, format, out, language, threads, overwrite)
    emit(result, as_json, _as_text)


def _write_topics(model: Path, format: str, out: Path, top: int, overwrite: bool) -> dict[str, Any]:
    from stickbreaker.topics import exporting
    from stickbreaker.topics.topic_estimator import load_topics

    estimator = load_topics(model, "export")
    keys = format == "mallet-topic-keys"
    write = exporting.write_topic_keys if keys else exporting.write_gensim_topics
    write(estimator, out, top, overwrite=overwrite)
    return {"topics": len(estimator.alpha_)}


def _write_arpa(model: Path, out: Path, sample: int, overwrite: bool) -> dict[str, Any]:
    from stickbreaker.ngrams.arpa import write_arpa
    from stickbreaker.ngrams.loading import load_ngrams

    estimator = load_ngrams(model, "export")
    n_samples = len(estimator.language_model_.discounts)
    ngrams = write_arpa(estimator, out, sample, overwrite=overwrite)
    if n_samples > 1:
        note(f"one of {n_samples} samples, exactly; the model itself predicts by their mean, which is better")
    return {"ngrams": ngrams, "sample": sample % n_samples}


def _write_documents(
    model: Path,
    path: Path,
    format: str,
    out: Path,
    language: str | None,
    threads: int | None,
    overwrite: bool,
) -> dict[str, Any]:
    from stickbreaker.corpus import Corpus
    from stickbreaker.topics import exporting
    from stickbreaker.topics.evaluation import unseen_share
    from stickbreaker.topics.topic_estimator import load_topics

    tell_of_compiling()
    estimator = load_topics(model, "export", threads)
    corpus = Corpus.open(path).with_vocabulary(estimator.vocabulary_, estimator.analysis_)
    documents = corpus.n_documents
    if format == "mallet-doc-topics":
        exporting.write_doc_topics(estimator, corpus, out, overwrite=overwrite)
    else:
        documents = exporting.write_pyldavis(estimator, corpus, out, language, overwrite=overwrite)
    left_out = corpus.n_documents - documents
    if left_out:
        note(f"documents without a known word left out, which pyLDAvis refuses: {left_out:,}")
    counts = {"documents": documents, "left_out": left_out, "unseen_share": unseen_share(corpus)}
    return {"topics": len(estimator.alpha_), **counts}


def _as_text(result: dict[str, Any]) -> str:
    if "ngrams" in result:
        orders = ", ".join(f"{count:,} of order {order}" for order, count in result["ngrams"].items())
        return f"{result['out']}: n-grams, {orders}"
    line = f"{result['out']}: {counted(result['topics'], 'topic')}"
    if "documents" in result:
        unseen = 100 * result["unseen_share"]
        line += f", {counted(result['documents'], 'document')}, {unseen:.1f} % of the words unseen"
    return line
