"""The section on how well a stream was predicted before it was learned from, and the warnings of its run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stickbreaker.core.json_checks import JsonObject
from stickbreaker.learning.schedules import Online
from stickbreaker.learning.trace import TraceRecord
from stickbreaker.pages.text_values import clean, rounded
from stickbreaker.topics.report.topic_section import TopicSection
from stickbreaker.topics.runs.stream_warnings import large_minibatches, warning_text

if TYPE_CHECKING:
    from stickbreaker.topics.report.topic_page import TopicReport

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


class Predictions(TopicSection):
    anchor, heading = "prediction", "How the stream was predicted"
    template = "prediction.html.j2"

    def shown(self, report: TopicReport) -> bool:
        return len(report.predictions) > 1 or bool(report.warnings)

    def values(self, report: TopicReport) -> dict[str, object]:
        warnings = [clean(warning) for warning in report.warnings]
        return {"has_predictions": len(report.predictions) > 1, "warnings": warnings}

    def payload(self, report: TopicReport) -> dict[str, object]:
        rows = [
            [int(p.documents), rounded(p.seconds), rounded(p.score, 6), rounded(p.unigram, 6)]
            for p in report.predictions
        ]
        return {"predictions": [row for row in rows if None not in row]}


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
