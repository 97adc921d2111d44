"""`stickbreaker evaluate`: scores a saved model on documents that it has not seen."""

from pathlib import Path

import click

from stickbreaker.console.console import (
    MODEL,
    PATH,
    NumberRange,
    Outcome,
    command,
    emit,
    inputs_argument,
    model_argument,
    option,
    refuse_written,
    threads_option,
)
from stickbreaker.console.engine_options import EngineChoice, engine_options
from stickbreaker.console.inputs import ReadingChoice, reading_options
from stickbreaker.console.requests import ScoringRequest
from stickbreaker.estimators.kinds import Saved, kind_at, object_at
from stickbreaker.ngrams.cli.word_scorers import INTERPOLATE, TUNE_ON, WEIGHT
from stickbreaker.topics.cli.ranking import ranking_option
from stickbreaker.topics.cli.unseen import unseen_options

ALONE = (  # not available on Spark
    *("left_to_right", "particles", "bound", "diagnostics", "reference", "by", "labels"),
    *("unseen", "spelling_of", "rescale", "exponent"),
    *("interpolate", "weight", "tune_on"),
    "alignments",
)


@click.command(epilog="Example: stickbreaker evaluate model test.jsonl")
@model_argument
@inputs_argument
@option(
    "--completion",
    default=0.5,
    type=NumberRange(0.0, 1.0, max_open=True),
    help="Share of each document's words that the model sees; it predicts the rest.",
)
@option(
    "--left-to-right",
    is_flag=True,
    help="Also score whole documents. Slow: the time grows with the square of a document's length.",
)
@option(
    "--particles",
    default=20,
    least=1,
    help="Particles for --left-to-right: more reduce the variance, and take longer.",
)
@option(
    "--bound",
    is_flag=True,
    help="Also print the bound on log p that inference maximises, to compare runs on the same documents.",
)
@option(
    "--diagnostics",
    type=PATH,
    metavar="FILE",
    help="Also write a table with one row per topic, like MALLET's diagnostics: .csv, .parquet or .xlsx.",
)
@option("--overwrite", is_flag=True, help="Replace the file at --diagnostics.")
@option(
    "--reference",
    metavar="CORPUS|FILE",
    help="Corpus in which co-occurrences are counted for coherence.  [default: the documents scored]",
)
@ranking_option
@option(
    "--labels",
    metavar="FIELD",
    help="Predict this metadata field from the topics of documents; if it has several values, the first.",
)
@option(
    "--nonterminal",
    metavar="SYMBOL",
    help="Grammars: symbol whose strings are compared with words.  [default: Word, or the last adapted one]",
)
@option(
    "--rescale",
    type=MODEL,
    metavar="TOPICS",
    help="Language models: rescale probabilities by the topics of each document, from a saved LDA or HDP.",
)
@option(
    "--exponent",
    default=0.7,
    type=NumberRange(0.0, 10.0),
    help="Exponent of p(word | document) / p(word) for --rescale.",
)
@option("--interpolate", **INTERPOLATE)
@option("--weight", **WEIGHT)
@option("--tune-on", **TUNE_ON)
@option(
    "--alignments",
    type=PATH,
    metavar="FILE",
    help="Lexicons: word links of these sentences, as in the lexicon's training data: 0-0 1-2 on each line.",
)
@unseen_options
@engine_options
@threads_option
@reading_options
@command
def evaluate(
    model: Path,
    inputs: tuple[str, ...],
    where: EngineChoice,
    threads: int | None,
    reading: ReadingChoice,
    as_json: bool,
    **options: object,
) -> None:
    """Score a model on documents that it has not seen, by document completion.

    Topics of a document are inferred from one part of its words and predict the rest. The result is compared
    with the unigram model, which uses word frequencies and no topics: a good model scores well above it.
    Also: do the top words of each topic occur together (coherence), and do topics differ (diversity)?

    For syntactic topics: the perplexity of even-numbered sentences given the odd-numbered ones of their
    document, also by part of speech.

    For a language model: the perplexity of words and ends of sentences, of all words and of the known ones;
    with --rescale also that of unigram rescaling, normalised at every word. Topics, if it has any, adapt to
    the words of a document so far. The model may be a file in the ARPA format.

    For a grammar: how well its segmentation agrees with the words of sentences that are separated by spaces
    (two spaces, if single spaces separate symbols), and log p of sentences.

    For a lexicon by topic (translate learn): nats per linked word in other pairs of sentences, with and
    without topics, in both directions and by domain; for one with phrases, also BLEU, TER and chrF.

    If the model has learned from some of the documents, the output says so.

    On Spark (--engine spark), executors score a corpus, by completion only.
    """
    asked = ScoringRequest(model, inputs, reading, threads, options)
    result, text = _on_spark(asked, where) if where.engine == "spark" else _here(asked, where)
    emit(result, as_json, text)


def _on_spark(asked: ScoringRequest, where: EngineChoice) -> Outcome:
    from stickbreaker.cli.spark_scoring import completion_on_spark

    refuse_written(ALONE, "does not go with --engine spark")
    if "engine" not in kind_at(asked.model, "evaluate").evaluate_options:
        raise click.UsageError("--engine spark only scores models of topics: leave it out")
    return completion_on_spark(asked.model, asked.inputs, asked.options["completion"], where)


def _here(asked: ScoringRequest, where: EngineChoice) -> Outcome:
    from stickbreaker.console.document_scores import score_documents

    where.refuse_spark_options()
    if not asked.options["left_to_right"]:
        refuse_written(("particles",), "needs --left-to-right")
    kind = kind_at(asked.model, "evaluate")
    _refuse_others(kind)
    score = score_documents if kind.evaluate is None else object_at(kind.evaluate)
    return score(asked)


def _refuse_others(kind: Saved) -> None:
    """Raise a usage error if an option was given that does not apply to this kind of model."""
    of_others = dict.fromkeys(("completion", "threads", *ALONE), f"does not apply to a {kind.noun}")
    for name, problem in {"nonterminal": "is for grammars", **of_others}.items():
        if name not in kind.evaluate_options:
            refuse_written((name,), problem)
