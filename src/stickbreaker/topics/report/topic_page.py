"""The page about topics: its sections, what its template says and what its scripts draw."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stickbreaker.pages.changes import Changes
from stickbreaker.pages.colour import hue_hex, topic_colours
from stickbreaker.pages.page import Assets, Page
from stickbreaker.pages.text_values import MOST_POINTS, clean, rounded
from stickbreaker.topics.report.page_data import (
    Breakdown,
    DocumentEntry,
    Growth,
    Prediction,
    Relations,
    SearchFacts,
    Topic,
    TracePoint,
    WordRow,
)
from stickbreaker.topics.report.payload import (
    breakdown_payload,
    documents_payload,
    growth_payload,
    lexicon_payload,
    places_payload,
    predictions_payload,
    relations_payload,
    search_payload,
    size_of,
    spread_payload,
    topic_payload,
    trace_payload,
)

ASSETS = Assets(
    folder="stickbreaker.topics.report",
    template="topics.html.j2",
    styles=["report.css"],
    charts=[
        "base.js",
        "charts.js",
        "relations.js",
        "flows.js",
        "topic_names.js",
        "pieces.js",
        "tables.js",
        "growth.js",
        "search.js",
        "evolution.js",
        "predictions.js",
        "spread.js",
        "time_lines.js",
        "document_map.js",
    ],
    views=[
        "dom.js",
        "change_views.js",
        "naming_views.js",
        "document_map_view.js",
        "views.js",
        "report.js",
    ],
    figures=["figures.js", "topic_figures.js"],
)
CURVES = [hue_hex(255), hue_hex(45)]  # training, held out
_GREY = "#848a94"  # of topics not in use
_MOST_BYTES = 1_900_000  # of all documents but for their mixes, and changes: a page is to stay below 3 MB
_FEW_TOPICS = 400_000  # bytes of topics and how they relate, for which there is room beside these


@dataclass(frozen=True, slots=True)
class TopicPage(Page):
    """Everything a report shows; a section whose data are empty is left out.

    `positions` holds an (x, y) for each topic, in [-1, 1], or nothing. `documents_total` and `words_total`
    are the sizes of the collection: where they exceed what is here, the page says that it shows a part.
    `score_kind` is what the scores of `trace` are: a "bound", an "estimate" of it, of the "documents" of each
    step given the topics, or "joint" ones of words and topics.
    `unigram` and `unigram_held_out` are what a model without topics scores beside `trace`. `compared` names
    the model of the topics' matches. `growth` is of a model whose topics were split and merged, or
    whose number of them is learned, `search` of one whose number was searched for, `changes` of one that
    learns new words. `spread` tells how the tokens of words divide over topics: (word, (index into `topics`,
    share) of those with most, the largest first), the words that lead topics first. `predictions` and
    `warnings` (lines) are of one that learns from a stream. `document_places` holds an (x, y) for each of
    `documents`, in [-1, 1], None for one without a place; or nothing.
    """

    assets = ASSETS

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

    def payload(self) -> dict[str, Any]:
        if self.positions and len(self.positions) != len(self.topics):
            raise ValueError(f"{len(self.positions)} positions for {len(self.topics)} topics")
        if self.document_places and len(self.document_places) != len(self.documents):
            raise ValueError(f"{len(self.document_places)} places for {len(self.documents)} documents")
        n_topics = len(self.topics)
        colours = self._colours()
        changes = self.changes.payload() if self.changes else None
        spread = spread_payload(self.spread, n_topics)
        index = {topic.id: k for k, topic in enumerate(self.topics)}
        topics = [
            topic_payload(topic, colour, index, len(self.documents))
            for topic, colour in zip(self.topics, colours, strict=True)
        ]
        relations = relations_payload(self.relations) if self.relations else None
        taken = size_of([changes, spread]) + max(0, size_of([topics, relations]) - _FEW_TOPICS)
        return {
            "topics": topics,
            "positions": [[rounded(x) or 0, rounded(y) or 0] for x, y in self.positions],
            "relations": relations,
            "times": breakdown_payload(self.times) if self.times else None,
            "groups": [breakdown_payload(group) for group in self.groups],
            "documents": documents_payload(self.documents, n_topics, _MOST_BYTES - taken),
            "documentPlaces": places_payload(self.document_places),
            "spread": spread,
            "total": max(self.documents_total, len(self.documents)),
            "words": lexicon_payload(self.words),
            "curves": CURVES,
            "trace": [trace_payload(point) for point in self._drawn_trace()],
            "predictions": predictions_payload(self.predictions),
            "scoreKind": clean(self.score_kind),
            "unigram": {"score": rounded(self.unigram, 6), "heldOut": rounded(self.unigram_held_out, 6)},
            "compared": clean(self.compared),
            "growth": growth_payload(self.growth, len(self.topics)) if self.growth else None,
            "search": search_payload(self.search) if self.search else None,
            "changes": changes,
        }

    def context(self) -> dict[str, Any]:
        return {
            "n_topics": len(self.topics),
            "n_used": sum(not topic.unused for topic in self.topics),
            "named_by": self._namers(),
            "can_name": any(topic.members for topic in self.topics),
            "has_map": bool(self.positions) and sum(not topic.unused for topic in self.topics) > 1,
            "has_sides": any(topic.sides for topic in self.topics),
            "has_languages": any(side[0] != "concepts" for topic in self.topics for side in topic.sides),
            "has_concepts": any(side[0] == "concepts" for topic in self.topics for side in topic.sides),
            "times": clean(self.times.field) if self.times else "",
            "times_left_out": _left_out(self.times),
            "times_note": self._sample_note(self.times.sampled if self.times else False),
            "groups_note": self._sample_note(any(group.sampled for group in self.groups)),
            "n_documents": len(self.documents),
            "n_places": sum(place is not None for place in self.document_places),
            "documents_total": max(self.documents_total, len(self.documents)),
            "has_measures": any(topic.coherence is not None or topic.match for topic in self.topics),
            "has_coherence": any(topic.coherence is not None for topic in self.topics),
            "compared": clean(self.compared),
            "n_words": len(self.words),
            "words_counted": all(row.documents is not None for row in self.words),
            "words_total": max(self.words_total, len(self.words)),
            "has_trace": self._has_curve(),
            "has_predictions": len(self.predictions) > 1,
            "warnings": [clean(warning) for warning in self.warnings],
            "has_unigram": self.unigram is not None or self.unigram_held_out is not None,
        }

    def _colours(self) -> list[str]:
        """A colour for each topic; those not in use are grey."""
        used = [k for k, topic in enumerate(self.topics) if not topic.unused]
        colours = topic_colours([self.positions[k] for k in used] if self.positions else [], len(used))
        given = dict(zip(used, colours, strict=True))
        return [given.get(k, _GREY) for k in range(len(self.topics))]

    def _drawn_trace(self) -> list[TracePoint]:
        """Few enough points to draw, and among them the last and all with a held-out score."""
        stride, last = -(-len(self.trace) // MOST_POINTS), len(self.trace) - 1
        return [
            point
            for i, point in enumerate(self.trace)
            if i % stride == 0 or i == last or point.held_out is not None
        ]

    def _has_curve(self) -> bool:
        """Whether the trace has two points to draw a line between."""
        for scores in ([p.score for p in self.trace], [p.held_out for p in self.trace]):
            if sum(score is not None and math.isfinite(score) for score in scores) > 1:
                return True
        return False

    def _namers(self) -> str:
        """Who named topics: "" for nobody, "guide", "reader"."""
        if any(topic.given for topic in self.topics):
            return "reader"
        return "guide" if any(topic.named for topic in self.topics) else ""

    def _sample_note(self, sampled: bool) -> str:
        """Where not all documents were counted: how many were."""
        if not sampled or self.documents_total <= len(self.documents):
            return ""
        return (
            f" Counted are the {len(self.documents):,} documents that the model has for its report, a sample "
            f"of {self.documents_total:,}."
        )


def _left_out(times: Breakdown | None) -> str:
    if times is None or not times.left_out:
        return ""
    return f" Left out: {times.left_out:,} without a date, or far from all others."
