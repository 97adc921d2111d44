"""The section on how sound the topics are: coherence, and similarity to those of another run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stickbreaker.pages.text_values import clean
from stickbreaker.topics.report.topic_section import TopicSection

if TYPE_CHECKING:
    from stickbreaker.topics.report.topic_page import TopicReport


class Measures(TopicSection):
    anchor, heading, link = "measures", "How sound the topics are", "How sound they are"
    template = "measures.html.j2"

    def shown(self, report: TopicReport) -> bool:
        return any(topic.coherence is not None or topic.match for topic in report.topics)

    def values(self, report: TopicReport) -> dict[str, object]:
        has_coherence = any(topic.coherence is not None for topic in report.topics)
        return {"has_coherence": has_coherence, "compared": clean(report.compared)}

    def payload(self, report: TopicReport) -> dict[str, object]:
        return {"compared": clean(report.compared)}
