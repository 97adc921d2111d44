"""The section on how learning went: the scores of a run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stickbreaker.core.json_checks import JsonObject
from stickbreaker.learning.trace import TraceRecord
from stickbreaker.pages.colour import hue_hex
from stickbreaker.pages.learning_curves import MOST_NATS
from stickbreaker.pages.page import Section
from stickbreaker.pages.text_values import MOST_POINTS
from stickbreaker.pages.views import Lines, Note, Row, Series, Tabs, View
from stickbreaker.topics.learned import TopicsLearned
from stickbreaker.topics.report_documents import nats_by_word_shares

if TYPE_CHECKING:
    from stickbreaker.topics.report.topic_page import TopicReport


CURVES = (hue_hex(255), hue_hex(45))  # training, held out
TIMES = {"documents": "documents", "seconds": "time"}
SCORES = {  # what the model's own scores are, by their kind
    "bound": "Bound on the documents it learns from",
    "estimate": "Estimate of the bound on the documents it learns from",
    "documents": "Documents of each step, given the topics",
    "joint": "Words and their topics together",
}


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


def learning(report: TopicReport) -> Section | None:
    charts = {axis: _charts(report, axis) for axis in ("documents", "seconds")}
    if not charts["documents"]:
        return None
    with_unigram = report.unigram is not None or report.unigram_held_out is not None
    text = (
        "As it learns, the model gets better at guessing the words of a document. The curve says how "
        "unsure it still is: at 250, as unsure as if it had to pick one of 250 equally likely words. Lower "
        "is better; a flat curve has little left to learn."
    )
    if with_unigram:
        text += (
            " The dashed line is a model without topics, which knows nothing but how frequent each word is."
        )
    if with_unigram and report.score_kind != "documents":
        text += (
            " On the documents that the model learns from, the curve pays for the topics themselves as "
            "well, and may end above the line; documents held out decide."
        )
    if report.score_kind == "documents":
        text += (
            " For the documents of each step it is the score given the topics of that moment: higher than "
            "the bound, which pays for the topics themselves too."
        )
    if report.search is not None:
        text += " The runs of the search before this one are not drawn."
    timed = any(point.seconds > 0 for point in report.trace)
    tabs = [
        (f"by {TIMES[axis]}", Row(own))
        for axis, own in charts.items()
        if own and (timed or axis == "documents")
    ]
    views: list[View] = [Tabs(tabs)]
    if len(charts["documents"]) > 1:
        views.append(Note(_scales(report.score_kind), muted=True))
    return Section(
        "learning",
        "How learning went",
        text,
        views,
        figures=[chart for _, row in tabs[1:] for chart in row.views],
    )


def time_unit(seconds: Sequence[float]) -> tuple[str, float]:
    """The unit in which times are drawn, and how many seconds it has.

    >>> time_unit([10.0, 400.0]), time_unit([3.0])
    (('minutes', 60.0), ('seconds', 1.0))
    """
    longest = max(seconds, default=0.0)
    if longest > 3 * 3600:
        return "hours", 3600.0
    return ("minutes", 60.0) if longest > 300 else ("seconds", 1.0)


def _charts(report: TopicReport, axis: str) -> list[Lines]:
    """A chart for each kind of score that has two points or more, by documents read or by time."""
    trace = drawn_trace(report.trace)
    unit, size = (
        time_unit([point.seconds for point in trace]) if axis == "seconds" else ("documents read", 1.0)
    )
    kinds = (
        ("training", "score", SCORES.get(report.score_kind, ""), report.unigram),
        ("held-out", "held_out", "On documents held out, never learned from", report.unigram_held_out),
    )
    found: list[Lines] = []
    for (kind, field, name, unigram), colour in zip(kinds, CURVES, strict=True):
        points = [
            (getattr(point, axis) / size, math.exp(-score))
            for point in trace
            if (score := getattr(point, field)) is not None and -MOST_NATS < score <= 0.0
        ]
        if len(points) < 2:
            continue
        known = unigram is not None and -MOST_NATS < unigram <= 0.0
        found.append(
            Lines(
                [Series(points, colour)],
                unit,
                baseline=("word frequencies alone (unigram)", math.exp(-unigram))
                if known and unigram is not None
                else None,
                title=name,
                said=_said(points[0][1], points[-1][1]),
                figure=f"learning-{kind}-by-{TIMES[axis]}",
            )
        )
    return found


def _said(first: float, last: float) -> str:
    return f"as unsure as among {first:,.0f} words at first, {last:,.0f} at the end"


def _scales(kind: str) -> str:
    """Why two curves of learning are no one chart."""
    paid = (
        "The first pays for the topics themselves, too"
        if kind == "bound"
        else "The first is of the documents that the model learns from"
    )
    return (
        f"Each chart has a scale of its own. {paid}; the second only predicts words, of other documents: "
        "compare each curve with itself and its dashed line, not one with the other."
    )


def drawn_trace(trace: Sequence[TracePoint]) -> list[TracePoint]:
    """The points of a trace to draw: 600 at most that are evenly spaced, the last one, and all with a
    held-out score.
    """
    stride, last = -(-len(trace) // MOST_POINTS), len(trace) - 1
    return [
        point for i, point in enumerate(trace) if i % stride == 0 or i == last or point.held_out is not None
    ]


def unigram_of(model: TopicsLearned, manifest: JsonObject, figures: JsonObject) -> float | None:
    """The score of a unigram model (word shares, no topics) on the documents learned from, in nats per word,
    as a baseline for the curve.

    None if it is not exactly known, or cannot be compared with the model's scores. manifest, figures: of the
    saved model.
    """
    if not model.facts.trace or any(record["kind"] == "joint" for record in model.facts.trace):
        return None  # such scores are of words and topics together
    if "unigram" in figures:
        return figures["unigram"]
    vocabulary = model.vocabulary
    if manifest["held_out"] or not vocabulary.is_counted:
        return None
    return nats_by_word_shares(vocabulary.tokens, vocabulary.tokens, vocabulary.ranges)


def scores_of(model: TopicsLearned) -> tuple[list[TracePoint], str]:
    """The scores of a run for the report's curve, and their kind (see `TopicReport.score_kind`).

    In a memoised run, a step's score is only that of its own documents given the topics, and there is a bound
    after each pass: the points are then passes, not steps.
    """
    records = model.facts.trace
    if records and model.plan.schedule.keeps_reports and "pass_score" in records[-1]:
        passes = [record for record in records if "pass_score" in record]
        return [_point(record, "pass_score") for record in passes], model.state.kind
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
