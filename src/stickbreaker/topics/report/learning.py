"""The section on how learning went: the scores of a run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stickbreaker.core.json_checks import JsonObject
from stickbreaker.learning.trace import TraceRecord
from stickbreaker.pages.text_values import MOST_POINTS, clean, rounded
from stickbreaker.topics.report.topic_section import TopicSection
from stickbreaker.topics.report_documents import nats_by_word_shares
from stickbreaker.topics.topic_estimator import TopicEstimator

if TYPE_CHECKING:
    from stickbreaker.topics.report.topic_page import TopicReport


@dataclass(frozen=True, slots=True)
class TracePoint:
    """One evaluation during learning, a point of the report's curves.

    `documents`: read so far; `seconds`, `passes`: passed so far. `score` and `held_out` are in nats (natural
    logarithms of probabilities) per word, so at most zero; None if not computed.
    """

    step: int
    documents: int
    seconds: float
    score: float | None = None
    held_out: float | None = None
    passes: float | None = None


class Learning(TopicSection):
    anchor, heading = "learning", "How learning went"
    template = "learning.html.j2"

    def shown(self, report: TopicReport) -> bool:
        """Whether the section is shown: if one of the curves has two points or more, which a line can
        join.
        """
        curves = [p.score for p in report.trace], [p.held_out for p in report.trace]
        return any(sum(y is not None and math.isfinite(y) for y in curve) > 1 for curve in curves)

    def values(self, report: TopicReport) -> dict[str, object]:
        return {
            "has_unigram": report.unigram is not None or report.unigram_held_out is not None,
            "score_kind": report.score_kind,
            "search": report.search is not None,
        }

    def payload(self, report: TopicReport) -> dict[str, object]:
        return {
            "trace": [trace_payload(point) for point in drawn_trace(report.trace)],
            "scoreKind": clean(report.score_kind),
            "unigram": {"score": rounded(report.unigram, 6), "heldOut": rounded(report.unigram_held_out, 6)},
        }


def drawn_trace(trace: Sequence[TracePoint]) -> list[TracePoint]:
    """The points of a trace to draw: 600 at most that are evenly spaced, the last one, and all with a
    held-out score.
    """
    stride, last = -(-len(trace) // MOST_POINTS), len(trace) - 1
    return [
        point for i, point in enumerate(trace) if i % stride == 0 or i == last or point.held_out is not None
    ]


def trace_payload(point: TracePoint) -> dict[str, object]:
    record = {
        "step": int(point.step),
        "documents": int(point.documents),
        "seconds": rounded(point.seconds),
        "score": rounded(point.score, 6),
        "heldOut": rounded(point.held_out, 6),
        "passes": rounded(point.passes),
    }
    return {name: value for name, value in record.items() if value is not None}


def unigram_of(model: TopicEstimator, manifest: JsonObject, figures: JsonObject) -> float | None:
    """The score of a unigram model (word shares, no topics) on the documents learned from, in nats per word,
    as a baseline for the curve.

    None if it is not exactly known, or cannot be compared with the model's scores. manifest, figures: of the
    saved model.
    """
    if not model.trace_ or any(record["kind"] == "joint" for record in model.trace_):
        return None  # such scores are of words and topics together
    if "unigram" in figures:
        return figures["unigram"]
    vocabulary = model.vocabulary_
    if manifest["held_out"] or not vocabulary.is_counted:
        return None
    return nats_by_word_shares(vocabulary.tokens, vocabulary.tokens, vocabulary.ranges)


def scores_of(model: TopicEstimator) -> tuple[list[TracePoint], str]:
    """The scores of a run for the report's curve, and their kind (see `TopicReport.score_kind`).

    In a memoised run, a step's score is only that of its own documents given the topics, and there is a bound
    after each pass: the points are then passes, not steps.
    """
    records = model.trace_
    if records and model._learning_schedule().keeps_reports and "pass_score" in records[-1]:
        passes = [record for record in records if "pass_score" in record]
        return [_point(record, "pass_score") for record in passes], model.state_.kind
    kind = next((record["kind"] for record in reversed(records) if "score" in record), "bound")
    return [_point(record) for record in records], kind


def _point(record: TraceRecord, score: str = "score") -> TracePoint:
    return TracePoint(
        step=record["step"],
        documents=int(record["documents"]),
        seconds=record.get("seconds", 0.0),
        score=record.get(score),
        held_out=record.get("held_out"),
        passes=record["pass"],
    )
