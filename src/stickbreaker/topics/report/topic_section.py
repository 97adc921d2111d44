"""The common base of the sections of the page about topics. One chosen topic is shown in all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stickbreaker.pages.template_page import Section

if TYPE_CHECKING:
    from stickbreaker.topics.report.topic_page import TopicReport

CHARTS = ("relations", "flows", "topic_names", "pieces", "tables", "growth", "search")
MORE_CHARTS = ("spread", "time_lines", "document_map", "topic_figures")
VIEWS = ("naming_views", "document_map_view", "views", "report_view")


class TopicSection(Section["TopicReport"]):
    """Base of the sections of the page about topics. The page loads the scripts listed here once; when the
    reader chooses a topic, all sections show it.
    """

    scripts = tuple(f"{name}.js" for name in (*CHARTS, *MORE_CHARTS, *VIEWS))


def sample_note(report: TopicReport, sampled: bool) -> str:
    """A sentence for a section whose numbers are from a sample: how many documents were counted, of how many.
    It is "" if `sampled` is False, or if the report has all documents.
    """
    if not sampled or report.documents_total <= len(report.documents):
        return ""
    return (
        f" Counted are the {len(report.documents):,} documents that the model has for its report, a sample "
        f"of {report.documents_total:,}."
    )
