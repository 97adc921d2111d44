"""The section on how well a stream was predicted before it was learned from, and the warnings of its run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stickbreaker.core.json_checks import JsonObject
from stickbreaker.learning.schedules import Online
from stickbreaker.learning.trace import TraceRecord
from stickbreaker.pages.learning_curves import MOST_NATS
from stickbreaker.pages.page import Section
from stickbreaker.pages.text_values import clean
from stickbreaker.pages.views import Lines, Series, Tabs
from stickbreaker.topics.report.learning import CURVES, TIMES, time_unit
from stickbreaker.topics.runs.stream_warnings import large_minibatches, warning_text

if TYPE_CHECKING:
    from stickbreaker.topics.report.topic_page import TopicReport

HEADING = "How the stream was predicted"
MOST_POINTS = 150  # of predictions: of longer runs each is a mean over several minibatches


@dataclass(frozen=True, slots=True)
class Prediction:
    """A point of the curve of predictions: how well documents of a stream were predicted before they were
    learned from.

    `documents`, `seconds`: the moment of the point, counted from the start of the stream. Scores are in nats
    per word: `score` of the topics, `unigram` of a unigram model whose older counts fade.
    """

    documents: int
    seconds: float
    score: float
    unigram: float


def predictions(report: TopicReport) -> Section | None:
    several = len(report.predictions) > 1
    if not several and not report.warnings:
        return None
    text = [f"Note: {clean(warning)}." for warning in report.warnings]
    if not several:
        return Section("prediction", HEADING, text)
    text.append(
        "Before the model learned from the next documents, it was asked to guess half of the words of "
        "each, given the other half. The dashed line are word frequencies alone, of the documents before, "
        "of which old ones count less and less. Lower is better; topics are worth something where their "
        "line is below the dashed one. Both jump where documents are of another kind."
    )
    timed = any(point.seconds > 0 for point in report.predictions)
    tabs = [(f"by {TIMES[axis]}", _chart(report, axis)) for axis in TIMES if timed or axis == "documents"]
    return Section("prediction", HEADING, text, [Tabs(tabs)], figures=[chart for _, chart in tabs[1:]])


def _chart(report: TopicReport, axis: str) -> Lines:
    """The chart of predictions, by documents read or by time, as numbers of equally likely words."""
    found = [p for p in report.predictions if math.isfinite(p.score + p.unigram)]
    unit, size = time_unit([p.seconds for p in found]) if axis == "seconds" else ("documents read", 1.0)
    series = [
        Series(
            [(getattr(p, axis) / size, math.exp(min(-p.score, MOST_NATS))) for p in found],
            CURVES[0],
            "topics",
        ),
        Series(
            [(getattr(p, axis) / size, math.exp(min(-p.unigram, MOST_NATS))) for p in found],
            name="word frequencies alone",
            dashed=True,
        ),
    ]
    title, said = (
        "The next documents, before learning from them",
        "as unsure as among this many equally likely words",
    )
    return Lines(
        series, unit, log="y", title=title, said=said, figure=f"prediction-by-{TIMES[axis]}", tall=300
    )


def predictions_of(trace: Sequence[TraceRecord]) -> list[Prediction]:
    """The scores of a stream's predictions for the report's curve, from the trace of its run. At most 150
    points: in longer runs each is a mean over several minibatches.
    """
    records = [record for record in trace if "prequential" in record]
    size = -(-len(records) // MOST_POINTS) or 1
    return [_mean_prediction(records[start : start + size]) for start in range(0, len(records), size)]


def _mean_prediction(records: Sequence[TraceRecord]) -> Prediction:
    """Join the prediction scores of several minibatches into one point: means, weighted by tokens, at the
    time of the last.
    """
    found, last = [record["prequential"] for record in records], records[-1]
    tokens = sum(each["tokens"] for each in found) or 1.0
    score, unigram = (
        sum(each[name] * each["tokens"] for each in found) / tokens for name in ("score", "unigram")
    )
    return Prediction(int(last["documents"]), last.get("seconds", 0.0), score, unigram)


def warnings_of_run(trace: Sequence[TraceRecord], manifest: JsonObject, schedule: object) -> list[str]:
    """The warnings of a run as lines of text for the report.

    For a stream that has ended, they include one if its minibatches were too large for its length. manifest:
    of the saved model; schedule: of the run.
    """
    warnings = [warning for record in trace for warning in record.get("warnings", ())]
    ended = manifest["status"] == "done" if "stream" in manifest else "arriving" in manifest
    if ended and isinstance(schedule, Online):
        warnings += large_minibatches(schedule.batch_size, manifest["corpus"]["documents"])
    return [warning_text(warning) for warning in warnings]
