"""Pages of made-up topics: what their sections are made of, instead of a saved model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from tests.pages import made_up

from stickbreaker.corpus.document import Scalar
from stickbreaker.pages.changes import Changes
from stickbreaker.pages.page import Page
from stickbreaker.topics.report.dates_and_groups import Breakdown
from stickbreaker.topics.report.document_entries import DocumentEntry
from stickbreaker.topics.report.genealogy import Growth, SearchFacts
from stickbreaker.topics.report.hierarchy import Relations
from stickbreaker.topics.report.learning import TracePoint
from stickbreaker.topics.report.predictions import Prediction
from stickbreaker.topics.report.topic_page import TopicReport
from stickbreaker.topics.report.topics_of_page import Topic
from stickbreaker.topics.report.vocabulary_table import WordRow


@dataclass(frozen=True)
class TopicPage:
    """What a `TopicReport` has, by name, and the page of it."""

    title: str
    subtitle: str = ""
    facts: Sequence[tuple[str, Scalar]] = ()
    settings: Sequence[tuple[str, Scalar]] = ()
    topics: Sequence[Topic] = ()
    positions: Sequence[tuple[float, float]] = ()
    relations: Relations | None = None
    times: Breakdown | None = None
    groups: Sequence[Breakdown] = ()
    documents: Sequence[DocumentEntry] = ()
    documents_total: int = 0
    words: Sequence[WordRow] = ()
    words_total: int = 0
    trace: Sequence[TracePoint] = ()
    score_kind: str = "bound"
    unigram: float | None = None
    unigram_held_out: float | None = None
    compared: str = ""
    growth: Growth | None = None
    search: SearchFacts | None = None
    changes: Changes | None = None
    spread: Sequence[tuple[str, Sequence[tuple[int, float]]]] = ()
    predictions: Sequence[Prediction] = ()
    warnings: Sequence[str] = ()
    document_places: Sequence[tuple[float, float] | None] = ()

    @cached_property
    def page(self) -> Page:
        known = {field.name: getattr(self, field.name) for field in fields(self)}
        return made_up.page_of(TopicReport, **known, _saved_documents=([], {}))

    @property
    def payload(self) -> dict[str, Any]:
        return self.page.payload

    def html(self) -> str:
        return self.page.html()

    def figure_payload(self) -> dict[str, Any]:
        return self.page.figure_payload()

    def figure_script(self) -> str:
        return self.page.figure_script()
