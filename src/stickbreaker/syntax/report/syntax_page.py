"""The page about syntactic topics: its sections, what its template says and what its scripts draw."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stickbreaker.pages.colour import hue_hex, topic_colours
from stickbreaker.pages.learning_curves import LearningCurve, curves_payload
from stickbreaker.pages.page import Assets, Page
from stickbreaker.pages.text_values import clean, cut_short, one_line, rounded
from stickbreaker.syntax.report.syntax_page_data import (
    DocumentRow,
    GraphEdge,
    ParsedSentence,
    TopicRow,
)

ASSETS = Assets(
    folder="stickbreaker.syntax.report",
    template="syntax.html.j2",
    styles=["report.css", "topic_cards.css", "syntax.css"],
    charts=[
        "base.js",
        "charts.js",
        "length_charts.js",
        "topic_graph.js",
        "sentence_arcs.js",
        "syntax_charts.js",
    ],
    views=["dom.js", "chart_sections.js", "syntax_views.js", "syntax_report.js"],
    figures=["figures.js", "syntax_figures.js"],
)
MOST_NODES = 48  # topics in the graph, the largest
LISTED_WORDS = 10  # of a topic in the list
LEAST_PART = 0.002  # of a document, that is drawn
NO_HEAD = -1  # in the payload: a place among topics that is none of them
_COLOURS = {"held-out": hue_hex(45), "text": hue_hex(255)}
PLURALS = {"sweep": "sweeps", "pass": "passes", "step": "steps"}
_LONGEST_ID = 80  # characters


@dataclass(frozen=True, slots=True)
class SyntaxPage(Page):
    """Everything the report of syntactic topics shows; a section whose data are empty is left out.

    `unit` is what curves count: "sweep", "pass" or "step". `topics` are those in use, the largest first;
    `edges` name them by their numbers. `documents` are some of `n_documents`. `whose`: the sentences are of
    "held-out" documents, of those "learned" from or of "other" ones; `no_sentences` says why there is none.
    """

    assets = ASSETS

    curves: Sequence[LearningCurve] = ()
    unit: str = "sweep"
    topics: Sequence[TopicRow] = ()
    edges: Sequence[GraphEdge] = ()
    documents: Sequence[DocumentRow] = ()
    n_documents: int = 0
    sentences: Sequence[ParsedSentence] = ()
    whose: str = ""
    no_sentences: str = ""

    def payload(self) -> dict[str, Any]:
        """Everything that the charts are drawn from, as JSON values.

        Topics are meant by their places in the list `topics`; `NO_HEAD` is no topic, or one that is not in
        use.
        """
        places = {topic.number: place for place, topic in enumerate(self.topics)}
        colours = colours_of(self.topics)
        return {
            "colours": _COLOURS,
            "unit": PLURALS[self.unit],
            "curves": curves_payload(self.curves),
            "topics": [
                _topic(topic, colour, places) for topic, colour in zip(self.topics, colours, strict=True)
            ],
            "edges": [
                [
                    places.get(edge.head, NO_HEAD) if edge.head is not None else NO_HEAD,
                    places[edge.topic],
                    share,
                ]
                for edge in self.edges
                if edge.topic in places
                and (edge.head is None or edge.head in places)
                and (share := rounded(edge.share)) is not None
            ],
            "most": MOST_NODES,
            "documents": [_document(row, places) for row in self.documents],
            "sentences": [_sentence(row, places) for row in self.sentences],
        }

    def context(self) -> dict[str, Any]:
        colours = colours_of(self.topics)
        by_number = {topic.number: colour for topic, colour in zip(self.topics, colours, strict=True)}
        return {
            "listed": [
                _listed(topic, colour, by_number) for topic, colour in zip(self.topics, colours, strict=True)
            ],
            "coloured": [_coloured(row, by_number) for row in self.sentences],
            "has_curves": bool(curves_payload(self.curves)),
            "n_drawn": min(len(self.topics), MOST_NODES),
            "any_held_out": any(row.held_out for row in self.documents),
        }


def colours_of(topics: Sequence[TopicRow]) -> list[str]:
    """Colours of topics: hues go round by the commonest tag, so that kindred topics have kindred ones."""
    order = sorted(range(len(topics)), key=lambda i: (_tag(topics[i]), i))
    hues = topic_colours([], len(topics))
    found = [""] * len(topics)
    for hue, place in zip(hues, order, strict=True):
        found[place] = hue
    return found


def _tag(topic: TopicRow) -> str:
    return topic.tags[0][0] if topic.tags else ""


def _label(topic: TopicRow) -> str:
    words = " ".join(one_line(word) for word, _, _ in topic.words[:3])
    return f"topic {topic.number}: {words}" if words else f"topic {topic.number}"


def _topic(topic: TopicRow, colour: str, places: Mapping[int, int]) -> dict[str, Any]:
    return {
        "number": topic.number,
        "label": _label(topic),
        "share": rounded(topic.share) or 0.0,
        "colour": colour,
        "tags": [[one_line(tag), rounded(share) or 0.0] for tag, share in topic.tags],
        "words": [
            [one_line(word), rounded(p) or 0.0, rounded(overall) or 0.0] for word, p, overall in topic.words
        ],
        "below": [[places[k], rounded(share) or 0.0] for k, share in topic.below if k in places],
        "above": [
            [NO_HEAD if k is None else places[k], rounded(share) or 0.0]
            for k, share in topic.above
            if k is None or k in places
        ],
        "depth": rounded(topic.depth, 6) or 0.0,
    }


def _document(row: DocumentRow, places: Mapping[int, int]) -> list[Any]:
    """Id, words, held out (1) or not, and place and share of each topic in a row."""
    mix = [(places[k], rounded(share, 3) or 0.0) for k, share in row.topics if k in places]
    flat = [value for place, share in mix if share >= LEAST_PART for value in (place, share)]
    return [cut_short(clean(row.id), _LONGEST_ID), row.words, int(row.held_out), flat]


def _sentence(row: ParsedSentence, places: Mapping[int, int]) -> dict[str, Any]:
    return {
        "tokens": [one_line(token) for token in row.tokens],
        "known": [int(known) for known in row.known],
        "heads": list(row.heads),
        "topics": [places.get(k, NO_HEAD) for k in row.topics],
        "sure": [rounded(sure, 3) or 0.0 for sure in row.sure],
    }


def _listed(topic: TopicRow, colour: str, colours: Mapping[int, str]) -> dict[str, Any]:
    """A topic as the list shows it; of its neighbours those in use."""
    return {
        "number": topic.number,
        "colour": colour,
        "share": percent(topic.share),
        "tags": [(one_line(tag), percent(share)) for tag, share in topic.tags],
        "words": [(one_line(word), percent(p)) for word, p, _ in topic.words[:LISTED_WORDS]],
        "below": [(k, percent(share)) for k, share in topic.below if k in colours],
        "above": [(k, percent(share)) for k, share in topic.above if k is None or k in colours],
    }


def _coloured(row: ParsedSentence, colours: Mapping[int, str]) -> dict[str, Any]:
    """A sentence as its line of text shows it."""
    return {
        "id": cut_short(clean(row.id), _LONGEST_ID),
        "more": row.size - len(row.tokens),
        "words": [
            (one_line(token), colours.get(k, "")) for token, k in zip(row.tokens, row.topics, strict=True)
        ],
    }


def percent(share: float) -> str:
    """A share as the page writes it: two digits, or that it is next to nothing.

    >>> percent(0.123), percent(0.0123), percent(0.00001)
    ('12%', '1.2%', '<0.1%')
    """
    if not math.isfinite(share):
        return "–"
    if 0.0 < share < 0.001:
        return "<0.1%"
    return f"{100.0 * share:.{0 if share >= 0.0995 else 1}f}%"
