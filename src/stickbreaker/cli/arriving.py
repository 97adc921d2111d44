"""`stickbreaker stream`: learn from files as they arrive in a directory, on Spark."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stickbreaker.cli.console import (
    command,
    emit,
    fail,
    gathering,
    note,
    tell_of_compiling,
    threads_option,
    written,
)
from stickbreaker.cli.engine import EngineChoice, engine_options
from stickbreaker.cli.fit import model_options
from stickbreaker.cli.inputs import AnalysisChoice, analysis_options
from stickbreaker.cli.open_words import OpenChoice, open_options
from stickbreaker.cli.params import params_of
from stickbreaker.core.errors import UserError

if TYPE_CHECKING:
    from stickbreaker.estimators.plain_hdp import PlainHDP
    from stickbreaker.estimators.plain_lda import PlainLDA
    from stickbreaker.estimators.topics import TopicEstimator
    from stickbreaker.spark.arriving import Arriving

OPTIONS = (
    click.option("--text-field", default="text", show_default=True, help="Field with the text."),
    click.option("--date-field", default="date", show_default=True, help="Field with a document's date."),
    click.option("--files", type=click.IntRange(1), help="Take so many files at a time.  [default: all new]"),
    click.option(
        "--on-error",
        type=click.Choice(["fail", "skip"]),
        default="fail",
        show_default=True,
        help="What to do about a line that is no JSON object with a text.",
    ),
    click.option("--once", is_flag=True, help="Learn from what is there, and end."),
)
WITHOUT = ("--schedule", "--iterations", "--tol", "--keep-local", "--held-out", "--init", "--burn-in")
REFUSED = ("min_documents", "max_share", "vocabulary_size", "hash")
SAMPLED = {"--inference": {"type": click.Choice(["mean-field", "hybrid"])}}


@dataclass(frozen=True)
class ArrivalChoice:
    """What is read, and for how long."""

    text_field: str
    date_field: str
    files: int | None
    on_error: str
    once: bool


arrival_options = gathering(OPTIONS, ArrivalChoice, "arrivals")


@click.group(epilog="Example: stickbreaker stream lda incoming/ --engine spark --out model --words open")
def stream() -> None:
    """Learn from files as they arrive in a directory, on Spark."""


def of_streams(function: Callable[..., None]) -> Callable[..., None]:
    """The options that streams of every model have after the model's own."""
    for option in reversed([open_options, arrival_options, engine_options, analysis_options, threads_option]):
        function = option(function)
    return function


@stream.command(epilog="Example: stickbreaker stream lda incoming/ --engine spark --out model --words open")
@model_options(
    (*WITHOUT, "--concentration", "--every", "--chains"),
    {"--topics": {"default": 100}, "--kappa": {"default": 0.7}, "--tau0": {"default": 64.0}, **SAMPLED},
)
@of_streams
@command
def lda(**options: Any) -> None:
    """Learn topics by latent Dirichlet allocation from JSON Lines files that are put into a directory.

    Each document counts once, whatever is killed and when: give the command again to go on. With --words open
    words enter as documents bring them; else give --vocabulary. `stickbreaker topics` reads the model
    meanwhile.
    """
    from stickbreaker.estimators.plain_lda import PlainLDA

    _stream(PlainLDA, options)


@stream.command(epilog="Example: stickbreaker stream hdp incoming/ --engine spark --out model --words open")
@model_options(
    (*WITHOUT, "--every", "--chains"),
    {
        "--topics": {"default": 50, "help": "Topics to start with."},
        "--kappa": {"default": 0.5},
        "--tau0": {"default": 1.0},
        "--alpha": {"help": 'How alike documents are to the weights of all: a number or "learned".'},
        **SAMPLED,
    },
)
@of_streams
@command
def hdp(**options: Any) -> None:
    """Learn topics and their number from JSON Lines files that are put into a directory.

    As `stream lda`; where words are known, topics split and merge.
    """
    from stickbreaker.estimators.plain_hdp import PlainHDP

    _stream(PlainHDP, options)


def _stream(kind: "type[PlainLDA | PlainHDP]", options: dict[str, Any]) -> None:
    """Learn until stopped, or with --once until no file is left."""
    from stickbreaker.spark.arriving import Arrivals, Arriving, wait

    arrivals, where, opened = options.pop("arrivals"), options.pop("where"), options.pop("opened")
    choice, out, as_json = options.pop("choice"), options.pop("out"), options.pop("as_json")
    directory = _one_directory(options.pop("inputs"))
    settings = {**options, "schedule": "online"}
    model, analysis = _model(kind, settings, opened, choice, where)
    told = Arrivals(
        str(directory.resolve()),
        arrivals.text_field,
        arrivals.date_field,
        arrivals.files,
        arrivals.on_error,
    )
    vocabulary = _vocabulary(choice)
    tell_of_compiling()
    with _asked() as asked:
        arriving = Arriving(model, told, analysis, out, vocabulary, _say)
        try:
            ended = wait(arriving.start(once=arrivals.once), arriving, asked)
        finally:
            arriving.close()
    if arriving.skipped:
        note(f"skipped {arriving.skipped} lines that are no JSON objects with a text")
    if not ended:
        fail(f"interrupted; the model is saved; give the command again to go on with {out}")
    emit(_told(out, arriving), as_json, _as_text)


def _model(
    kind: "type[PlainLDA | PlainHDP]",
    settings: dict[str, Any],
    opened: OpenChoice,
    choice: AnalysisChoice,
    where: EngineChoice,
) -> "tuple[TopicEstimator, Any]":
    """The estimator, and how texts are analysed. Raises a usage error for options that do not fit."""
    if where.engine != "spark":
        raise click.UsageError(
            "this stream runs on Spark: give --engine spark (without it: stickbreaker fit lda - --words open)"
        )
    for name in written(REFUSED):
        raise click.UsageError(f"--{name.replace('_', '-')} has no meaning for a stream")
    analysis = choice.analysis()
    params = params_of({"burn_in": None, "every": None, **settings}, opened=opened.is_open)
    return kind(**params, words=opened.made(analysis), engine=where.made()), analysis


def _one_directory(inputs: tuple[str, ...]) -> Path:
    if len(inputs) != 1:
        raise click.UsageError("give one directory, into which files are put")
    return Path(inputs[0])


def _vocabulary(choice: AnalysisChoice) -> Any:
    """The words that are known beforehand, where some are given."""
    from stickbreaker.corpus import Vocabulary
    from stickbreaker.corpus.readers import read_words

    return None if choice.vocabulary is None else Vocabulary.of(read_words(choice.vocabulary))


@contextmanager
def _asked() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C or SIGTERM asked to stop; a second one leaves at once."""
    came: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def handler(number: int, _frame: object) -> None:
        for each in before:
            signal.signal(each, signal.SIG_DFL)
        note("stopping; what a micro-batch has not ended is learned the next time")
        came.append(number)

    for number in before:
        signal.signal(number, handler)
    try:
        yield lambda: bool(came)
    finally:
        for number, was in before.items():
            signal.signal(number, was)


def _say(record: dict[str, Any]) -> None:
    """A line about a step."""
    words = f", {record['vocabulary']['size']:,} words" if "vocabulary" in record else ""
    note(f"{int(record['documents']):,} documents, step {record['step']}{words}")


def _told(out: Path, arriving: "Arriving") -> dict[str, Any]:
    if not arriving.is_open and not out.exists():
        raise UserError("no document came", where=arriving.arrivals.directory, remedy="put files into it")
    state, known = arriving.state, arriving.fixed["corpus"]
    return {
        "model": str(out),
        "documents": known["documents"],
        "without_words": known["empty"],
        "steps": state.step,
        "batch": arriving.fixed["arriving"]["batch"],
        "score": state.scores[-1] if state.scores else None,
        "seed": arriving.job.seed,
    }


def _as_text(told: dict[str, Any]) -> str:
    score = "" if told["score"] is None else f", documents given topics {told['score']:.4f} nats/word"
    return (
        f"{told['model']}: {told['documents']:,} documents in {told['steps']:,} steps and "
        f"{told['batch'] + 1:,} micro-batches{score}\nNext: stickbreaker topics {told['model']}"
    )
