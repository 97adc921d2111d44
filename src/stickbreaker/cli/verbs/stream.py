"""`stickbreaker stream`: learns from files as they arrive in a directory, on Spark."""

import threading
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stickbreaker.console.console import (
    OptionSettings,
    command,
    emit,
    fail,
    from_option,
    inputs_argument,
    note,
    options_into,
    refuse_written,
    stop_signals,
    tell_of_compiling,
)
from stickbreaker.console.inputs import DATE_FORMAT, AnalysisChoice, analysis_options
from stickbreaker.console.options import EngineChoice, chained, engine_options, option_table, options_of
from stickbreaker.console.suggestions import SuggestingGroup
from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.option_names import ParameterValues
from stickbreaker.topics.cli.fit_options import params_from_options
from stickbreaker.topics.cli.new_run import tell_of_topics
from stickbreaker.topics.cli.streams import (
    format_prequential,
    note_large_minibatches,
    note_warnings,
    stream_summary,
    stream_text,
)
from stickbreaker.topics.cli.word_options import OpenChoice, open_options
from stickbreaker.topics.settings import HDPSettings, LDASettings

if TYPE_CHECKING:
    from stickbreaker.corpus import Vocabulary
    from stickbreaker.corpus.text.analysis import Analysis
    from stickbreaker.spark.streaming import StreamingModel

WITHOUT = (  # what streams do not have, and the words, whose options stand by themselves
    *("words", "max_iter", "tol", "keep_local", "init", "burn_in", "every", "chains"),
    *("judge", "representation", "tables"),
)
REFUSED = (
    "min_documents",
    "max_share",
    "vocabulary_size",
    "hash",
    "phrases",
)  # options about a corpus as a whole
MOVES = {
    "default": "none",
    "choices": ["none", "births"],
    "help": "Births: topics open for new subjects, and close when these are gone.",
}
CHANGED = {  # for models that streams learn
    "inference": {
        "choices": ["mean-field", "hybrid"],
        "help": "How to infer: by variational bound, or sampled documents.",
    },
    "total": {
        "help": "Documents that should count, of a stream that drifts.  [default: those of the stream so far]"
    },
}
STOPPING_STREAM = "stopping; the remaining documents are learned from next time"
EXAMPLE = "Example: stickbreaker stream {} incoming/ --engine spark --out model --words open"


@dataclass(frozen=True)
class ArrivalChoice:
    """The options on which files are learned from and how they are read."""

    text_field: str = from_option(default="text", help="Field with the text.")
    date_field: str = from_option(default="date", help="Field with a document's date, if there is one.")
    date_format: str | None = from_option(**DATE_FORMAT)
    files: int | None = from_option(least=1, help="Files taken at a time, at most.  [default: all new]")
    on_error: str = from_option(
        choices=["fail", "skip"],
        default="fail",
        help="What to do with a line that is not a JSON object with a text.",
    )
    once: bool = from_option(is_flag=True, help="Learn from the files that are there, and end.")


arrival_options = options_into(ArrivalChoice, "arrivals")


@click.group(cls=SuggestingGroup, epilog=EXAMPLE.format("lda"))
def stream() -> None:
    """Learn from files as they arrive in a directory, on Spark."""


of_streams = chained(open_options, arrival_options, engine_options, analysis_options)


def fitted(verb: click.Command) -> click.Command:
    """Adapt a command to streams, in place: the help of shared options is changed, unused ones are hidden."""
    changes: dict[str, OptionSettings] = {
        "inputs": {"metavar": "DIRECTORY"},
        "engine": {
            "type": click.Choice(["spark"]),
            "default": None,
            "show_default": False,
            "help": "To be given: directory and model lie where all machines of Spark see them.",
        },
        "vocabulary": {"help": "The words of a closed vocabulary, one per line."},
        **{name: {"hidden": True} for name in REFUSED},
    }
    for param in verb.params:
        for attribute, value in changes.get(param.name or "", {}).items():
            setattr(param, attribute, value)
    return verb


@fitted
@stream.command(epilog=EXAMPLE.format("lda"))
@inputs_argument
@options_of(
    {"--out": {}, **option_table(LDASettings, without=WITHOUT, fixed={"schedule": "online"}, **CHANGED)}
)
@of_streams
@command
def lda(**options: object) -> None:
    """Learn topics by latent Dirichlet allocation from JSON Lines files (.gz too) that are put into a
    directory.

    Files must be complete when they appear: write them elsewhere, or under a name that begins with a dot, and
    rename them. The model is saved after each round of new files, and `stickbreaker topics` can read it
    meanwhile. Ctrl-C stops. Give the command again to continue; each document counts exactly once, whatever
    was killed and when.

    With --words open, the vocabulary grows with new words; otherwise give --vocabulary.
    """
    _stream(LDASettings, options)


@fitted
@stream.command(epilog=EXAMPLE.format("hdp"))
@inputs_argument
@options_of(
    {
        "--out": {},
        **option_table(HDPSettings, without=WITHOUT, fixed={"schedule": "online"}, moves=MOVES, **CHANGED),
    }
)
@of_streams
@command
def hdp(**options: object) -> None:
    """Learn topics and their number by a hierarchical Dirichlet process from JSON Lines files (.gz too) that
    are put into a directory.

    Works like `stickbreaker stream lda`. With --moves births topics open for new subjects, and close when
    these are gone; otherwise their number stays.
    """
    if options["moves"] == "none":
        del options["moves"]  # what the model has by itself makes none in a stream
    _stream(HDPSettings, options)


def _stream(kind: type[LDASettings | HDPSettings], options: ParameterValues) -> None:
    """Learn from the files in a directory until stopped or, with --once, until none is left."""
    from stickbreaker.spark.file_stream import Arrivals
    from stickbreaker.spark.streaming import StreamingModel, wait

    arrivals, where, opened = options.pop("arrivals"), options.pop("where"), options.pop("opened")
    choice, out, as_json = options.pop("choice"), options.pop("out"), options.pop("as_json")
    directory, *others = map(Path, options.pop("inputs"))
    if others:
        raise click.UsageError("give one directory, in which the files arrive")
    settings, analysis = _settings_and_analysis(
        kind, {**options, "schedule": "online"}, opened, choice, where
    )
    arriving_files = Arrivals(
        str(directory.resolve()),
        **{one.name: getattr(arrivals, one.name) for one in fields(Arrivals) if one.name != "directory"},
    )
    vocabulary = _vocabulary(choice)
    tell_of_topics(settings, stream=True)
    tell_of_compiling()
    with where.host(_remedy(out)) as host:
        asked = threading.Event()
        with stop_signals(asked.set, STOPPING_STREAM):
            arriving = StreamingModel(
                settings.but(engine=host.engine), arriving_files, analysis, out, vocabulary, _say
            )
            try:
                ended = wait(arriving.start(once=arrivals.once), arriving, asked.is_set)
            finally:
                arriving.close()
                host.remedy = _remedy(out)
        if arriving.skipped:
            note(f"skipped {counted(arriving.skipped, 'line')} that are not JSON objects with a text")
        if not ended:
            saved = "the model is saved" if out.exists() else "nothing was learned yet"
            fail(f"interrupted; {saved}; give the command again to continue {out}")
        if out.exists():
            note_large_minibatches(arriving.run)
        emit(_summarize(out, arriving), as_json, stream_text)


def _remedy(out: Path) -> str:
    """The advice if Spark fails during a stream into the model `out`."""
    from stickbreaker.spark.streaming import AGAIN

    return AGAIN if out.exists() else "nothing was learned yet; give the command again"


def _settings_and_analysis(
    kind: type[LDASettings | HDPSettings],
    options: ParameterValues,
    opened: OpenChoice,
    choice: AnalysisChoice,
    where: EngineChoice,
) -> "tuple[LDASettings | HDPSettings, Analysis]":
    """The settings and the analysis that the options describe. Raises a usage error if they do not fit."""
    if where.engine != "spark":
        raise click.UsageError(
            "give --engine spark; on this machine only: stickbreaker fit lda FILE... --stream --words open"
        )
    refuse_written(REFUSED, "does not apply to a stream")
    analysis = choice.analysis()
    params = params_from_options(kind, options, opened=opened.is_open)
    words = opened.build(analysis)
    if not opened.is_open and choice.vocabulary is None:
        raise click.UsageError("give --words open, or the words to count: --vocabulary FILE")
    if opened.is_open and choice.vocabulary is not None:
        raise click.UsageError("--vocabulary does not go with --words open")
    return kind(**params, words=words), analysis


def _vocabulary(choice: AnalysisChoice) -> "Vocabulary | None":
    """The vocabulary in the file of --vocabulary; None if that is not given."""
    from stickbreaker.corpus import Vocabulary
    from stickbreaker.corpus.readers import read_words

    return None if choice.vocabulary is None else Vocabulary.of(read_words(choice.vocabulary))


def _say(record: JsonObject) -> None:
    """Print on standard error what a step of a stream has done, and its warnings. record: from the trace."""
    words = f", {counted(record['vocabulary']['size'], 'word')}" if "vocabulary" in record else ""
    documents = counted(int(record["documents"]), "document")
    note(f"{documents}, step {record['step']}{words}{format_prequential(record)}")
    note_warnings(record.get("warnings", ()))


def _summarize(out: Path, arriving: "StreamingModel") -> JsonObject:
    if not out.exists():
        raise UserError("no document arrived", where=arriving.arrivals.directory, remedy="put files into it")
    return {"model": str(out), **stream_summary(arriving.run, arriving.skipped)}
