"""Learning topics from a stream at the command line: starting, resuming, and the summary at the end."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stickbreaker.console.console import (
    NumberRange,
    ProgressLine,
    emit,
    fail,
    from_option,
    note,
    options_into,
    refuse_written,
    stop_signals,
    tell_of_compiling,
    written,
)
from stickbreaker.console.faces import show
from stickbreaker.console.inputs import ReadingChoice, warnings_as_notes
from stickbreaker.console.options import NewRun
from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.option_names import ParameterValues, as_options, command_line
from stickbreaker.topics.cli.new_run import tell_of_topics
from stickbreaker.topics.cli.word_options import OpenChoice

if TYPE_CHECKING:
    from stickbreaker.estimators.streams.stream_directory import Stream
    from stickbreaker.estimators.streams.stream_feed import Stop, StreamSettings
    from stickbreaker.estimators.streams.stream_run import StreamRun
    from stickbreaker.learning.trace import TraceRecord
    from stickbreaker.topics.runs.stream_warnings import StreamWarning
    from stickbreaker.topics.settings import TopicSettings

REMEDY = "give the stream again, from its beginning, to: stickbreaker resume"
REFUSED = (  # options that do not apply if every document is seen once and no vocabulary is chosen
    *("held_out", "iterations", "tol", "keep_local", "init", "guide", "checkpoint_every", "language_field"),
    *("min_documents", "max_share", "vocabulary_size", "vocabulary", "hash", "vocab", "longest_gap"),
    *("phrases", "split", "drop_repeats", "repeats_to", "without", "header"),
)


@dataclass(frozen=True)
class StreamChoice:
    """The options of `fit` for learning from a stream: whether the input is one, and when the model is
    saved.
    """

    stream: bool = from_option(
        is_flag=True,
        help="Learn from documents as they come, once each. So is standard input (-) read with --words open "
        "--schedule online.",
    )
    snapshot_documents: int = from_option(
        least=1, default=10_000, help="Stream: documents from one save of the model to the next."
    )
    snapshot_seconds: float = from_option(
        type=NumberRange(0.0), default=60.0, help="Stream: seconds at most; 0: every step."
    )
    date_field: str = from_option(
        default="date", metavar="FIELD", help="Stream: the field with the date of a document."
    )

    def is_on(self, inputs: tuple[str, ...], opened: OpenChoice, settings: ParameterValues) -> bool:
        """Whether documents are learned from as they come: with --stream, or from standard input with an open
        vocabulary and the online schedule.

        If the user chose no schedule, that of `settings` may become "online". Raises a usage error for
        options that do not go together.
        """
        unsaid = not written(("schedule",))
        if unsaid and (self.stream or (opened.is_open and settings["schedule"] is None)):
            settings["schedule"] = "online"
        online = settings["schedule"] == "online"
        if self.stream and not online:
            raise click.UsageError("--stream needs --schedule online")
        if self.stream or (inputs == ("-",) and opened.is_open and online):
            return True
        refuse_written(("snapshot_documents", "snapshot_seconds", "date_field"), "needs --stream")
        return False

    def settings(self, inputs: tuple[str, ...], reading: ReadingChoice) -> "StreamSettings":
        """What the options say about a stream: what is read and how, and when the model is saved.

        Raises a usage error if options were given that apply only to a corpus.
        """
        from stickbreaker.estimators.streams.stream_feed import StreamSettings

        refuse_written(REFUSED, "does not apply to a stream")
        files = tuple(name if name == "-" else str(Path(name).resolve()) for name in inputs)
        return StreamSettings(
            files,
            reading.format,
            reading.text_field,
            reading.id_field,
            reading.on_error,
            self.date_field,
            self.snapshot_documents,
            self.snapshot_seconds,
            reading.largest_bytes,
            reading.date_format,
            reading.options().separator,
            reading.quotes,
        )


stream_options = options_into(StreamChoice, "streamed", "Streams")


def fit_stream(
    settings: "TopicSettings", stream_settings: "StreamSettings", run: NewRun, opened: OpenChoice
) -> None:
    """Learn from a stream into a new directory until the stream ends, or until Ctrl-C or SIGTERM, after which
    `stickbreaker resume` can continue. A summary is printed.

    Raises UserError if the vocabulary is not open, or the directory exists and is not to be overwritten.
    """
    from stickbreaker.corpus.readers.problems import ReadingWarning
    from stickbreaker.estimators.streams import stream_directory
    from stickbreaker.estimators.streams.stream_feed import Stop, Stopped
    from stickbreaker.saved.directory import refuse_existing

    if not opened.is_open:
        remedy = "give --words open, or build a corpus first: stickbreaker corpus build"
        raise UserError("of a stream nobody knows the vocabulary beforehand", remedy=remedy)
    refuse_existing(run.out, run.overwrite)
    analysis = run.choice.analysis(stream_settings.largest_text)
    settings = settings.but(words=opened.build(analysis))
    tell_of_topics(settings, stream=True)
    tell_of_compiling()
    stop = Stop()
    with stop_signals(stop.request):
        try:
            with warnings_as_notes(ReadingWarning):
                stream = stream_directory.begin(
                    settings, stream_settings, analysis, run.out, stop, overwrite=run.overwrite
                )
        except Stopped:
            fail("interrupted before the first minibatch was there; nothing is saved")
        _continue(stream, run.out, stop, run.as_json)


def resume_stream(path: Path, threads: int | None, on_error: str | None, as_json: bool) -> None:
    """Continue learning from a stream after an interruption: the stream is read again from its beginning, and
    learned from where the model at `path` was saved. A finished model is only reported.
    """
    from stickbreaker.estimators.streams import stream_directory
    from stickbreaker.estimators.streams.stream_feed import Stop, Stopped

    tell_of_compiling()
    stop = Stop()
    with stop_signals(stop.request):
        try:
            stream = stream_directory.resume(path, stop, threads, on_error)
        except Stopped:
            fail(f"interrupted; the model is as it was saved; {REMEDY} {path}")
        if stream is None:
            from stickbreaker.estimators.run_summary import finished_before

            show(finished_before(path), as_json)
            return
        _continue(stream, path, stop, as_json)


def is_stream(path: Path) -> bool:
    """Whether the model at `path` was begun on a stream, so that it resumes by reading the stream again."""
    from stickbreaker.saved import ModelDirectory

    return "stream" in ModelDirectory(path).manifest()


def refuse_spark(settings: "TopicSettings") -> None:
    """Raise a usage error if a model on Spark is to learn from standard input or from given files as a
    stream.
    """
    if settings.engine != "local":
        raise click.UsageError("on Spark, a stream is files that arrive in a directory: stickbreaker stream")


def _continue(stream: "Stream", path: Path, stop: "Stop", as_json: bool) -> None:
    from stickbreaker.corpus.readers.problems import ReadingWarning
    from stickbreaker.estimators.streams import stream_directory

    progress = StreamProgress()
    try:
        with warnings_as_notes(ReadingWarning):
            ended = stream_directory.continue_stream(stream, stop, progress)
    except UserError:
        progress.done()
        if stream.is_saved:
            note(f"what was learned is saved; {REMEDY} {path}")
        raise
    progress.done()
    for kind, count in stream.feed.problems.counts.items():
        note(f"skipped {count} ({kind}); the first: {as_options(stream.feed.problems.first[kind])}")
    if stream.strange_date is not None:
        note(
            f"dates as {stream.strange_date[:40]!r} are not known, as 1993-04-05 is: snapshots go without "
            "them; give --date-format"
        )
    if not ended:
        fail(f"interrupted; the model is saved; {REMEDY} {path}")
    note_large_minibatches(stream.run)
    skipped = sum(stream.feed.problems.counts.values())
    emit({"model": str(path), "status": "done", **stream_summary(stream.run, skipped)}, as_json, stream_text)


class StreamProgress:
    """Shows a stream's progress on one line of the terminal: documents read, pace, vocabulary, prediction
    score. It is called with each step's trace record.
    """

    def __init__(self) -> None:
        from stickbreaker.learning.observers import Pace

        self.line = ProgressLine(changes=0.25, lines=5.0)
        self.pace = Pace()
        self.entered = self.left = 0
        self.text = ""

    def __call__(self, record: "TraceRecord") -> None:
        """Update the progress after a step: print the warnings in its trace record, and refresh the line if
        enough time has passed.
        """
        self.entered += record["vocabulary"]["entered"]
        self.left += record["vocabulary"]["left"]
        documents = int(record["documents"])
        self.pace.step(documents)
        read = ", ".join([counted(documents, "document"), *self.pace.words(documents)])
        self.text = (
            f"{read}, {record['vocabulary']['size']:,} words, {self.entered:,} entered, {self.left:,} left"
            f"{format_prequential(record)}"
        )
        note_warnings(record.get("warnings", ()))
        self.line.show(self.text)

    def done(self) -> None:
        """Show the text of the last step once more, and leave it on the screen. To be called at the end."""
        if self.text:
            self.line.show(self.text, last=True)


def format_prequential(record: "TraceRecord") -> str:
    """How well a step's minibatch was predicted before it was learned from, as a text to append to a progress
    line; "" if the record has no prediction.

    >>> format_prequential({"prequential": {"score": -7.5, "unigram": -8.0}})
    ', predicted at -7.500 nats/word (unigram -8.000)'
    """
    if "prequential" not in record:
        return ""
    found = record["prequential"]
    return f", predicted at {found['score']:.3f} nats/word (unigram {found['unigram']:.3f})"


def note_warnings(warnings: "Sequence[StreamWarning]") -> None:
    """Print a line for each warning of a stream."""
    from stickbreaker.topics.runs.stream_warnings import warning_text

    for warning in warnings:
        note(f"note: {as_options(warning_text(warning))}")


def note_large_minibatches(run: "StreamRun") -> None:
    """After the end of a stream, print a warning if its minibatches were large for its length."""
    from stickbreaker.learning.schedules import Online
    from stickbreaker.topics.runs.stream_warnings import large_minibatches

    assert isinstance(run.job.schedule, Online)
    note_warnings(large_minibatches(run.job.schedule.batch_size, run.about["documents"]))


def stream_summary(run: "StreamRun", skipped: int) -> dict[str, object]:
    """The result of learning from a stream, as values for JSON: numbers of topics, words, documents and
    steps, and the last score.

    `skipped`: the number of documents that could not be read.
    """
    engine, scores = run.job.engine, run.state.scores
    return {
        "topics": len(run.job.model.in_use(engine.table.totals().sum(axis=0))),
        "words": engine.table.shape[0],
        "documents": run.about["documents"],
        "without_words": run.about["empty"],
        "skipped": skipped,
        "steps": run.state.step,
        "score": scores[-1] if scores else None,
        "kind": "documents",
        "seed": run.job.seed,
    }


def stream_text(summary: JsonObject) -> str:
    """The summary of a stream in two lines: what was learned, and the command to run next."""
    empty = f" ({summary['without_words']:,} without words)" if summary["without_words"] else ""
    score = "" if summary["score"] is None else f", documents given topics {summary['score']:.4f} nats/word"
    topics, words = counted(summary["topics"], "topic"), counted(summary["words"], "word")
    return (
        f"{summary['model']}: {topics} and {words} from "
        f"{counted(summary['documents'], 'document')}{empty} in {counted(summary['steps'], 'step')}{score}\n"
        f"Next: {command_line('topics', summary['model'])}"
    )
