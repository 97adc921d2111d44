"""`stickbreaker fit` and `stickbreaker resume`."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stickbreaker.cli.fit_stream import (
    StreamChoice,
    fit_stream,
    is_stream,
    refuse_spark,
    resume_stream,
    stream_options,
)
from stickbreaker.console.console import (
    NumberRange,
    command,
    inputs_argument,
    model_argument,
    number_or_learned,
    refuse_written,
    threads_option,
)
from stickbreaker.console.engine import EngineChoice, engine_options, resume_remedy
from stickbreaker.console.inputs import (
    AnalysisChoice,
    ReadingChoice,
    analysis_options,
    reading_options,
)
from stickbreaker.console.params import RENAMED, params_of
from stickbreaker.console.running import (
    began_on_spark,
    begin,
    begin_run,
    go_on,
    tell_of_unknown_words,
)
from stickbreaker.console.suggestions import FitGroup
from stickbreaker.core.errors import UserError
from stickbreaker.grammars.cli.fit_grammar import grammar
from stickbreaker.ngrams.cli.sentence_options import SentenceChoice, sentence_options
from stickbreaker.topics.cli.guide import GuideChoice, guide_options
from stickbreaker.topics.cli.open_vocabulary import OpenChoice, open_options

if TYPE_CHECKING:
    from stickbreaker.topics.plain_hdp import PlainHDP
    from stickbreaker.topics.plain_lda import PlainLDA

Changes = dict[str, dict[str, Any]]  # of options: their attributes that take the place of others
PRIOR = {"show_default": True, "callback": number_or_learned}
OPTIONS: Changes = {  # of every model; a command may change a default or a text
    "--out": {
        "required": True,
        "type": click.Path(path_type=Path),
        "help": "Directory of the model to make.",
    },
    "--topics": {"show_default": True, "type": click.IntRange(1), "help": "Topics to learn."},
    "--inference": {
        "default": "mean-field",
        "show_default": True,
        "help": "How to infer: by variational bound, sampled documents, or sampling throughout.",
    },
    "--schedule": {
        "default": "batch",
        "show_default": True,
        "type": click.Choice(["batch", "online"]),
        "help": "Update after a pass, or after each minibatch.",
    },
    "--burn-in": {
        "type": click.IntRange(0),
        "help": "Sweeps before samples count: 5, or half of all (Gibbs).",
    },
    "--samples": {
        "type": click.IntRange(1),
        "help": "Hybrid: sweeps of a document that count.  [default: 5, with --words open 10]",
    },
    "--every": {
        "type": click.IntRange(1),
        "help": "Gibbs: sweeps from sample to sample.  [default: 10]",
    },
    "--chains": {"type": click.IntRange(1), "help": "Gibbs: chains side by side.  [default: 1]"},
    "--batch-size": {
        "default": 256,
        "show_default": True,
        "type": click.IntRange(1),
        "help": "Documents a minibatch.",
    },
    "--kappa": {"show_default": True, "type": float, "help": "Online: how fast old counts fade."},
    "--tau0": {"show_default": True, "type": float, "help": "Online: how slow the first steps are."},
    "--total": {
        "type": NumberRange(0, min_open=True),
        "help": "Online: documents in all; of a stream that drifts, how many should count.  "
        "[default: the corpus's, or those of the stream so far]",
    },
    "--alpha": {"default": "learned", **PRIOR},
    "--concentration": {
        "default": "learned",
        **PRIOR,
        "help": 'Of topics: the larger, the more there are; a number or "learned".',
    },
    "--eta": {"default": "0.01", **PRIOR, "help": 'Prior of words in topics: a number or "learned".'},
    "--point-topics/--no-point-topics": {
        "default": None,
        "help": "Learn the most probable word shares of topics, not distributions over them; streams are "
        "predicted better.  [default: only streams of a known vocabulary]",
    },
    "--init": {
        "default": "documents",
        "show_default": True,
        "type": click.Choice(["documents", "random"]),
        "help": "Start topics from a few documents each, or from noise.",
    },
    "--iterations": {
        "type": click.IntRange(1),
        "help": "Passes at most, or sweeps.  [default: 100, or 500 with Gibbs sampling]",
    },
    "--tol": {
        "default": 1e-4,
        "show_default": True,
        "type": float,
        "help": "Relative change that ends the run (not Gibbs).",
    },
    "--keep-local": {
        "is_flag": True,
        "help": "Carry documents' state from pass to pass (batch and memoised).",
    },
    "--fold-in": {
        "default": "mean-field",
        "show_default": True,
        "type": click.Choice(["mean-field", "sampled"]),
        "help": "How new documents are inferred.",
    },
    "--held-out": {
        "default": 0.0,
        "show_default": True,
        "type": NumberRange(0.0, 0.9),
        "help": "Share never trained on, which decides when to stop (but for Gibbs sampling); the vocabulary "
        "is the whole corpus's.",
    },
    "--seed": {
        "default": 0,
        "show_default": True,
        "type": int,
        "help": "The same seed gives the same model.",
    },
}
LDA: Changes = {
    "--topics": {"default": 100},
    "--kappa": {"help": "Online: how fast old counts fade.  [default: 0.7; of streams 0.6]"},
    "--tau0": {"help": "Online: how slow the first steps are.  [default: 64; of streams 32]"},
    "--alpha": {
        "default": None,
        "help": 'Prior of topics in documents: a number, "learned" or "learned-symmetric".  '
        "[default: learned; of streams 0.2]",
    },
    "--eta": {
        "default": None,
        "show_default": False,
        "help": 'Prior of words in topics: a number or "learned".  [default: 0.01; with point topics 0.05]',
    },
}


def number_or_auto(_ctx: click.Context, _param: click.Parameter, value: str) -> int | str:
    """A number of topics from the command line, or "auto"."""
    if value == "auto":
        return value
    if value.isdecimal() and 0 < int(value) < 1 << 31:
        return int(value)
    raise click.BadParameter(f'{value!r} is no whole number above zero; give one, or "auto"')


HDP: Changes = {
    "--topics": {
        "default": "auto",
        "type": str,
        "callback": number_or_auto,
        "metavar": "K|auto",
        "help": "Search for their number, or start with K, one run.",
    },
    "--eta": {
        "default": None,
        "show_default": False,
        "help": 'Prior of words in topics: a number or "learned".  [default: learned with --topics auto, '
        "else 0.01; with point topics 0.05]",
    },
    "--kappa": {"default": 0.7},
    "--tau0": {"default": 64.0},
    "--alpha": {"help": 'How alike documents are to the weights of all: a number or "learned".'},
}
checkpoint_option = click.option(
    "--checkpoint-every",
    default=60.0,
    show_default=True,
    type=NumberRange(0.0),
    help="Seconds; 0: every step.",
)


def model_options(
    without: tuple[str, ...], *changes: Changes
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The input, and the options of `OPTIONS` but for some, with what a model and a verb change."""

    def decorated(function: Callable[..., None]) -> Callable[..., None]:
        for name in reversed([name for name in OPTIONS if name not in without]):
            settings = {**OPTIONS[name]}
            for changed in changes:
                settings |= changed.get(name, {})
            function = click.option(name, **settings)(function)
        return inputs_argument(function)

    return decorated


def run_options(function: Callable[..., None]) -> Callable[..., None]:
    """The options that runs of every model have after the model's own."""
    overwrite = click.option("--overwrite", is_flag=True, help="Replace a model at --out.")
    shared = (engine_options, threads_option, checkpoint_option, overwrite, reading_options, analysis_options)
    for option in reversed(shared):
        function = option(function)
    return function


@click.group(cls=FitGroup, epilog="Example: stickbreaker fit lda news.jsonl --out model --topics 50")
def fit() -> None:
    """Learn a model from a corpus."""


@fit.command(epilog="Example: stickbreaker fit lda news.jsonl --out model --topics 50")
@model_options(
    ("--concentration",),
    LDA,
    {"--inference": {"type": click.Choice(["mean-field", "hybrid", "gibbs", "gibbs-delayed"])}},
)
@open_options
@stream_options
@guide_options
@run_options
@command
def lda(guide: GuideChoice, **options: Any) -> None:
    """Learn topics by latent Dirichlet allocation.

    The input is a corpus (see `stickbreaker corpus build`) or raw files, from which one is built and kept
    inside the model until the run is done. Ctrl-C saves a checkpoint; `stickbreaker resume` goes on.

    With --words open, words enter as documents bring them, and the input may be a stream: standard input (-)
    or files (--stream), each document learned from once, the model saved meanwhile. With --concepts, words of
    a concept rise and fall together, also across languages.
    """
    from stickbreaker.topics.plain_lda import PlainLDA

    _fit(PlainLDA, **options, guide=guide.build())


@fit.command(epilog="Example: stickbreaker fit hdp news.jsonl --out model")
@model_options(
    (),
    HDP,
    {
        "--inference": {"type": click.Choice(["mean-field", "hybrid", "gibbs"])},
        "--batch-size": {
            "default": 256,
            "show_default": False,
            "help": "Documents a minibatch.  [default: a tenth, at least 256; online 256]",
        },
        "--tol": {"help": "Relative change that ends the run."},
        "--schedule": {
            "default": None,
            "show_default": False,
            "type": click.Choice(["memoised", "batch", "online"]),
            "help": "Update after each minibatch, exactly; after a pass; or after each, at a rate.  "
            "[default: memoised, or batch with Gibbs and the franchise]",
        },
    },
)
@click.option(
    "--judge",
    default="bound",
    show_default=True,
    type=click.Choice(["bound", "held-out"]),
    help="--topics auto: compare numbers of topics by the bound, or by documents held out (a tenth, unless "
    "--held-out says), which finds more. These check the bound where it asks for ten topics or fewer.",
)
@click.option(
    "--moves",
    default="split-merge",
    show_default=True,
    type=click.Choice(["split-merge", "exact", "halves", "paper", "none"]),
    help="Topics split and merge, judged by all documents (exact), by half a minibatch (halves), as in the "
    "paper, or as suits the schedule (split-merge): exact, and none online.",
)
@click.option(
    "--representation",
    default="direct",
    show_default=True,
    type=click.Choice(["direct", "franchise"]),
    help="Of documents: topics directly, or tables that have topics.",
)
@click.option(
    "--tables", default=15, show_default=True, type=click.IntRange(1), help="Franchise: tables a document."
)
@open_options
@stream_options
@run_options
@command
def hdp(**options: Any) -> None:
    """Learn topics and their number by a hierarchical Dirichlet process.

    Runs over a grid of numbers of topics are compared, and a last run begins at the peak of their scores.
    Topics split and merge while the run goes on (not with --words open). The input is a corpus, raw files or
    a stream, as for `fit lda`; `stickbreaker resume` goes on with a run that Ctrl-C ended.
    """
    from stickbreaker.topics.model.moves.split_merge_settings import ACCEPT, SplitMerge
    from stickbreaker.topics.plain_hdp import PlainHDP

    if options["representation"] != "franchise":
        refuse_written(("tables",), "needs --representation franchise")
    if options["topics"] != "auto":
        refuse_written(("judge",), "needs --topics auto")
    moves = options["moves"]
    options["moves"] = SplitMerge(moves) if moves in ACCEPT else None if moves == "none" else moves
    _fit(PlainHDP, **options)


NGRAM: Changes = {
    "--iterations": {"default": 100, "show_default": True, "help": "Sweeps of the sampler."},
    "--samples": {
        "default": 10,
        "show_default": True,
        "help": "About so many states of the sampler, from its second half: predictions are means over them.",
    },
    "--held-out": {
        "help": "Share of the documents that are never learned from, and scored meanwhile; the vocabulary is "
        "of all.",
    },
}


def number_or_unbounded(_ctx: click.Context, _param: click.Parameter, value: str) -> int | str:
    """An order from the command line, or "unbounded"."""
    if value == "unbounded":
        return value
    if value.isdecimal() and 0 < int(value) < 1 << 31:
        return int(value)
    raise click.BadParameter(f'{value!r} is no whole number above zero; give one, or "unbounded"')


@fit.command(epilog="Example: stickbreaker fit ngram novel.txt --out model --order 3")
@model_options(
    tuple(name for name in OPTIONS if name not in ("--out", "--seed", *NGRAM)),
    NGRAM,
)
@click.option(
    "--order",
    default="3",
    show_default=True,
    callback=number_or_unbounded,
    metavar="N|unbounded",
    help="Words of an n-gram; unbounded: each word draws how long its context is.",
)
@click.option(
    "--unknown",
    type=click.Choice(["symbol", "spelled"]),
    default="symbol",
    show_default=True,
    help="Words that are not known: all are <unk>, or have a probability by their letters.",
)
@click.option(
    "--min-count",
    default=4,
    show_default=True,
    type=click.IntRange(1),
    help="How often a known word occurs in the text, with --unknown symbol.",
)
@checkpoint_option
@click.option("--overwrite", is_flag=True, help="Replace a model at --out.")
@reading_options
@sentence_options
@command
def ngram(
    inputs: tuple[str, ...],
    out: Path,
    held_out: float,
    reading: ReadingChoice,
    choice: SentenceChoice,
    checkpoint_every: float,
    overwrite: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Learn a language model: which word comes next, by hierarchical Pitman-Yor processes.

    The input is a corpus of text with all its words, or raw files, from which one is built and kept inside
    the model until the run is done. Ctrl-C saves a checkpoint; `stickbreaker resume` goes on. A
    sampler runs on one core.
    """
    from stickbreaker.ngrams.plain_ngram import PlainNgramModel

    if settings["unknown"] == "spelled":
        refuse_written(("min_count",), "needs --unknown symbol")
    params = {RENAMED.get(name, name): value for name, value in settings.items()}
    model = PlainNgramModel(**params)
    corpus, directory = begin_run(model, inputs, out, reading, choice, held_out, overwrite)
    tell_of_unknown_words(model, corpus)
    go_on(directory, checkpoint_every, None, as_json)


fit.add_command(grammar)


def _fit(
    kind: "type[PlainLDA | PlainHDP]",
    inputs: tuple[str, ...],
    out: Path,
    reading: ReadingChoice,
    choice: AnalysisChoice,
    opened: OpenChoice,
    streamed: StreamChoice,
    where: EngineChoice,
    held_out: float,
    checkpoint_every: float,
    overwrite: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Begin a run of a kind of model, or a stream, and go on to its end."""
    on = streamed.is_on(inputs, opened, settings)
    params = params_of(settings, opened=opened.is_open)
    with where.host() as host:
        model = kind(**params, words=opened.build(), engine=host.engine)
        if on:
            refuse_spark(model)
            fit_stream(model, streamed.settings(inputs, reading), choice, opened, out, overwrite, as_json)
            return
        directory = begin(model, inputs, out, reading, choice, opened, held_out, overwrite)
        host.remedy = resume_remedy(out)
        go_on(directory, checkpoint_every, settings["threads"], as_json, model.engine)


@click.command(epilog="Example: stickbreaker resume model")
@model_argument
@engine_options
@threads_option
@checkpoint_option
@click.option(
    "--on-error",
    type=click.Choice(["fail", "skip"]),
    help="What to do about a document of a stream that cannot be read.  [default: as the run began]",
)
@command
def resume(
    model: Path,
    where: EngineChoice,
    threads: int | None,
    checkpoint_every: float,
    on_error: str | None,
    as_json: bool,
) -> None:
    """Go on with a run that was interrupted: the result is that of a run that was not.

    A stream is given again, from its beginning: the documents that were learned from are passed over. A run
    on Spark goes on with --engine spark.
    """
    if is_stream(model):
        refuse_written(("checkpoint_every",), "has no meaning for a stream")
        resume_stream(model, threads, on_error, as_json)
        return
    if on_error is not None:
        raise click.UsageError("--on-error is for a run over a stream")
    where.refuse_spark_options()
    if where.engine == "spark" and not began_on_spark(model):  # before Spark is started
        raise UserError(
            "the run began on one machine", where=model, remedy="resume it without --engine spark"
        )
    with where.host(resume_remedy(model)) as host:
        go_on(model, checkpoint_every, threads, as_json, host.engine, resumed=True)
