"""The section on how sound the topics are: coherence, and similarity to those of another run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stickbreaker.core.json_checks import JsonObject
from stickbreaker.pages.page import Section
from stickbreaker.pages.text_values import clean
from stickbreaker.pages.views import Column, Table
from stickbreaker.topics.report_documents import IN_HALVES, LEARNED, SMOOTHED

if TYPE_CHECKING:
    from stickbreaker.topics.report.topic_page import TopicReport
    from stickbreaker.topics.report.topics_of_page import Topic


def coherence_counted_in(figures: JsonObject) -> str:
    """Where the words of topics were counted for their coherence, for readers of the report. figures: those
    of the model's documents.

    >>> coherence_counted_in({"coherence_in": [1200, 1, 2, 1]})
    '1,200 windows of 200 words, each half of the documents for words chosen by the other half (smoothed)'
    >>> coherence_counted_in({"coherence_in": [1200, 1, 0]})
    '1,200 windows of 200 words of the documents learned from'
    >>> coherence_counted_in({})
    'the documents'
    """
    counted = figures.get("coherence_in", ())
    if len(counted) < 3:
        return "the documents"  # of an older version
    number, windows, where = counted[:3]
    smoothed = " (smoothed)" if SMOOTHED in counted[3:] else ""
    if where == IN_HALVES:
        unit = "windows of 200 words" if windows else "documents (their words have no order)"
        return f"{number:,} {unit}, each half of the documents for words chosen by the other half{smoothed}"
    unit = "windows of 200 words of the documents" if windows else "documents (their words have no order)"
    return f"{number:,} {unit} {'learned from' if where == LEARNED else 'not learned from'}{smoothed}"


def measures(report: TopicReport) -> Section | None:
    topics = report.topics
    coherent, matched = (
        any(topic.coherence is not None for topic in topics),
        any(topic.match for topic in topics),
    )
    if not coherent and not matched:
        return None
    counted_in = coherence_counted_in(report.figures)
    text: list[str] = []
    columns = [Column("topic", "item", of="topic", sorts=True), Column("share", "share", sorts=True)]
    rows: list[list[object]] = [[k, topic.share] for k, topic in enumerate(topics)]
    if coherent:
        text.append(
            f"Coherence (NPMI) says how much the ten leading words of a topic keep company in {counted_in}: "
            "1 always, 0 as chance has it, below 0 less than that. Topics near 0 deserve a second look."
        )
        columns.append(Column("coherence", "number", 3, sorts=True, meter=True))
        rows = [[*row, topic.coherence] for row, topic in zip(rows, topics, strict=True)]
    if report.compared or matched:
        other = clean(report.compared)
        text.append(
            f"Likeness is that of the topic’s partner in the model {other}; a topic that comes back in "
            "another run is not an accident of this one."
        )
        columns += [Column("likeness", "share", sorts=True, meter=True), Column(f"partner in {other}")]
        rows = [[*row, *_partner(topic)] for row, topic in zip(rows, topics, strict=True)]
    table = Table(columns, rows, (2 if coherent else 1, True), title="")
    return Section("measures", "How sound the topics are", " ".join(text), [table], "How sound they are")


def _partner(topic: Topic) -> tuple[float | None, str]:
    return (topic.match[1], topic.match[0]) if topic.match else (None, "no partner")
