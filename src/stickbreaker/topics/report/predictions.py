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
    """How well the documents of a stream up to a moment were predicted before they were learned from.

    The moment is a number of documents and of seconds. Scores are in nats per word: those of the topics, and
    those of a unigram model whose counts fade.
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
    """The predictions during a run, per word; averaged over groups of minibatches, to have few points."""
    records = [record for record in trace if "prequential" in record]
    size = -(-len(records) // MOST_POINTS) or 1
    return [_mean_prediction(records[start : start + size]) for start in range(0, len(records), size)]


def _mean_prediction(records: Sequence[TraceRecord]) -> Prediction:
    """The mean prediction of several minibatches, at the time of the last one."""
    found, last = [record["prequential"] for record in records], records[-1]
    tokens = sum(each["tokens"] for each in found) or 1.0
    score, unigram = (
        sum(each[name] * each["tokens"] for each in found) / tokens for name in ("score", "unigram")
    )
    return Prediction(int(last["documents"]), last.get("seconds", 0.0), score, unigram)


def warnings_of_run(trace: Sequence[TraceRecord], manifest: JsonObject, schedule: object) -> list[str]:
    """The warnings of a run as lines of text; for a stream that has ended, also of minibatches too large for
    its length.
    """
    warnings = [warning for record in trace for warning in record.get("warnings", ())]
    ended = manifest["status"] == "done" if "stream" in manifest else "arriving" in manifest
    if ended and isinstance(schedule, Online):
        warnings += large_minibatches(schedule.batch_size, manifest["corpus"]["documents"])
    return [warning_text(warning) for warning in warnings]
