"""The section on how sound the topics are: coherence, and similarity to those of another run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stickbreaker.core.json_checks import JsonObject
from stickbreaker.pages.text_values import clean
from stickbreaker.topics.report.topic_section import TopicSection
from stickbreaker.topics.report_documents import IN_HALVES, LEARNED

if TYPE_CHECKING:
    from stickbreaker.topics.report.topic_page import TopicReport


def coherence_counted_in(figures: JsonObject) -> str:
    """Where the words of topics were counted for their coherence, for readers of the report. figures: those
    of the model's documents.

    >>> coherence_counted_in({"coherence_in": [1200, 1, 2]})
    '1,200 windows of 200 words, each half of the documents for words chosen by the other half'
    >>> coherence_counted_in({"coherence_in": [1200, 1, 0]})
    '1,200 windows of 200 words of the documents learned from'
    >>> coherence_counted_in({})
    'the documents'
    """
    counted = figures.get("coherence_in", ())
    if len(counted) != 3:
        return "the documents"  # of an older version
    number, windows, where = counted
    if where == IN_HALVES:
        unit = "windows of 200 words" if windows else "documents (their words have no order)"
        return f"{number:,} {unit}, each half of the documents for words chosen by the other half"
    unit = "windows of 200 words of the documents" if windows else "documents (their words have no order)"
    return f"{number:,} {unit} {'learned from' if where == LEARNED else 'not learned from'}"


class Measures(TopicSection):
    anchor, heading, link = "measures", "How sound the topics are", "How sound they are"
    template = "measures.html.j2"

    def shown(self, report: TopicReport) -> bool:
        return any(topic.coherence is not None or topic.match for topic in report.topics)

    def values(self, report: TopicReport) -> dict[str, object]:
        has_coherence = any(topic.coherence is not None for topic in report.topics)
        counted_in = coherence_counted_in(report.figures)
        return {
            "has_coherence": has_coherence,
            "counted_in": counted_in,
            "compared": clean(report.compared),
        }

    def payload(self, report: TopicReport) -> dict[str, object]:
        return {"compared": clean(report.compared)}
