"""The page about a language model with topics: its sections, its template's words, what its scripts draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from stickbreaker.ngrams.report.language_page import learning_payload, percent_of, shaded_word
from stickbreaker.ngrams.report.language_page_data import LengthRow
from stickbreaker.ngrams.report.topic_language_page_data import (
    ContextShare,
    ExcerptRow,
    LanguageTopicRow,
    MixedDocument,
    SharesAlong,
    TopicsByContext,
)
from stickbreaker.ngrams.word_numbers import END, UNKNOWN
from stickbreaker.pages.colour import distinct_colours
from stickbreaker.pages.learning_curves import LearningCurve, curves_payload
from stickbreaker.pages.page import Assets, Page
from stickbreaker.pages.text_values import clean, cut_short, one_line, rounded

ASSETS = Assets(
    folder="stickbreaker.ngrams.report",
    template="topic_language.html.j2",
    styles=["report.css", "topic_cards.css", "sentences.css", "topic_language.css"],
    charts=["base.js", "charts.js", "length_charts.js", "topic_language_charts.js"],
    views=["dom.js", "chart_sections.js", "topic_language_report.js"],
    figures=["figures.js", "topic_language_figures.js"],
)
LEVELS = (
    0.05,
    0.25,
    0.5,
    0.75,
    0.95,
)  # probabilities of not being common, from which on a word is shaded more
COLOURED = 0.5  # such a probability from which on a word has the colour of its topic
DOCUMENTS = 5  # of a topic, those with the largest share of it
LEAST_VISIBLE = 0.005  # of a document, that a topic is explained for beside its strip
FIRST = 3  # topics of a document in its line
_LONGEST_TEXT = 400  # characters of a phrase or a drawn sentence
_LONGEST_ID = 80  # characters


@dataclass(frozen=True, slots=True)
class TopicLanguagePage(Page):
    """Everything the report of a language model with topics shows; sections without data are left out.

    `topics` are those in use, the largest first. `common`: words can be of a topic that is common to all
    documents, which has `common_share` of them; else each is of a topic of its document. `unbounded`: show
    how many words stop at each length of context. `spelled`: words that are not known have a probability by
    their letters. `documents` are some of `n_documents`, of which those with an excerpt are "held-out",
    "learned" from or "other" ones (`whose`); `no_documents` says why none has an excerpt.
    """

    assets = ASSETS

    curves: Sequence[LearningCurve] = ()
    lengths: Sequence[LengthRow] = ()
    unbounded: bool = False
    spelled: bool = False
    common: bool = True
    common_share: float = 0.0
    topics: Sequence[LanguageTopicRow] = ()
    contexts: TopicsByContext | None = None
    documents: Sequence[MixedDocument] = ()
    n_documents: int = 0
    whose: str = ""
    no_documents: str = ""

    def payload(self) -> dict[str, Any]:
        """Everything that the charts are drawn from, as JSON values; topics are meant by their places."""
        places = {topic.number: place for place, topic in enumerate(self.topics)}
        histograms = self.contexts.histograms if self.contexts else ()
        return {
            **learning_payload(self.curves, self.lengths, unbounded=self.unbounded),
            "common": self.common,
            "topics": [
                {"label": _label(topic), "colour": colour}
                for topic, colour in zip(self.topics, distinct_colours(len(self.topics)), strict=True)
            ],
            "strips": [_strip(row.excerpt, places) for row in self.documents if row.excerpt],
            "histograms": [
                [row.length, int(row.longer), [rounded(n) or 0.0 for n in row.customers]]
                for row in histograms
            ],
        }

    def context(self) -> dict[str, Any]:
        colours = distinct_colours(len(self.topics))
        seen = {topic.number: _Seen(topic, hue) for topic, hue in zip(self.topics, colours, strict=True)}
        contexts = self.contexts
        return {
            "listed": [_listed(topic, seen, self.documents) for topic in self.topics],
            "excerpts": [self._excerpt(row, seen) for row in self.documents if row.excerpt],
            "levels": _legend(),
            "has_curves": bool(curves_payload(self.curves)),
            "n_read": len(self.documents),
            "lists": [
                ("Mostly common", "the lowest share of topics", _contexts(contexts.low)),
                ("In between", "a share near one half", _contexts(contexts.middle)),
                ("Mostly topics", "the highest share of topics", _contexts(contexts.high)),
            ]
            if contexts
            else [],
            "mean_share": percent_of(contexts.mean) if contexts else "",
            "common_part": percent_of(self.common_share),
            "end": END,
            "unknown": UNKNOWN,
        }

    def _excerpt(self, row: MixedDocument, seen: Mapping[int, _Seen]) -> dict[str, Any]:
        """A document with an excerpt as the page shows it."""
        assert row.excerpt is not None
        excerpt, n = row.excerpt, len(row.excerpt.tokens)
        along = [k for k in _visible(excerpt.along) if k in seen]
        return {
            "id": cut_short(clean(row.id), _LONGEST_ID),
            "words": row.words,
            "held_out": row.held_out,
            "first": [(k, seen[k].colour, percent_of(share)) for k, share in row.topics[:FIRST] if k in seen],
            "legend": [(seen[k].colour, seen[k].label) for k in along],
            "others": len(self.topics) > len(along),
            "shaded": [self._word(excerpt, i, seen) for i in range(n)],
            "starts_late": excerpt.first > 0,
            "stops_early": excerpt.first + n < excerpt.read,
        }

    def _word(self, row: ExcerptRow, i: int, seen: Mapping[int, _Seen]) -> dict[str, Any]:
        k, specific, bits = row.best[i], row.specific[i], row.bits[i]
        label = seen[k].label if k in seen else f"topic {k}, which is hardly used"
        parts = [f"{label} ({percent_of(row.sure[i])})"]
        if self.common:
            parts = [f"{percent_of(specific)} not common", f"of topics most probably {parts[0]}"]
        if row.ends[i]:
            parts.insert(0, "the end of the sentence")
        elif not row.known[i]:
            parts.insert(0, "not known, by its letters" if self.spelled else f"not known, {UNKNOWN}")
        note = "; ".join([*parts, f"{bits:.1f} bits"])
        level = sum(specific >= least for least in LEVELS) if self.common else 0
        colour = seen[k].colour if k in seen and specific >= COLOURED else ""
        token = END if row.ends[i] else one_line(row.tokens[i])
        return shaded_word(token, level, bits, note, known=row.known[i], end=row.ends[i], colour=colour)


class _Seen:
    """How a topic is seen everywhere on the page: its colour and its label."""

    def __init__(self, topic: LanguageTopicRow, colour: str) -> None:
        self.colour, self.label = colour, _label(topic)


def _label(topic: LanguageTopicRow) -> str:
    words = " ".join(one_line(word) for word, _ in topic.words[:3])
    return f"topic {topic.number}: {words}" if words else f"topic {topic.number}"


def _listed(
    topic: LanguageTopicRow, seen: Mapping[int, _Seen], documents: Sequence[MixedDocument]
) -> dict[str, Any]:
    """A topic as the list shows it, with the documents that have the largest share of it."""
    shares = [
        (share, place)
        for place, row in enumerate(documents)
        for k, share in row.topics
        if k == topic.number and row.words
    ]
    top = sorted(shares, key=lambda pair: (-pair[0], pair[1]))[:DOCUMENTS]
    return {
        "number": topic.number,
        "colour": seen[topic.number].colour,
        "share": percent_of(topic.share),
        "words": [(one_line(word), percent_of(p)) for word, p in topic.words],
        "phrases": [cut_short(clean(phrase), _LONGEST_TEXT) for phrase in topic.phrases],
        "sentences": [cut_short(clean(text), _LONGEST_TEXT) for text in topic.sentences],
        "documents": [
            (cut_short(clean(documents[place].id), _LONGEST_ID), percent_of(share), documents[place].words)
            for share, place in top
        ],
    }


def _strip(row: ExcerptRow, places: Mapping[int, int]) -> dict[str, Any]:
    """Shares along a document, and which part of it the excerpt is."""
    along = row.along
    return {
        "size": along.size,
        "read": row.read,
        "excerpt": [row.first, row.first + len(row.tokens)],
        "topics": [places.get(k, -1) for k in along.topics],
        "shares": [[rounded(share, 3) or 0.0 for share in shares] for shares in along.shares],
    }


def _visible(along: SharesAlong) -> list[int]:
    """The topics of a strip that can be seen in it."""
    n = max(len(along.shares), 1)
    means = [sum(row[place] for row in along.shares) / n for place in range(len(along.topics))]
    return [k for k, mean in zip(along.topics, means, strict=True) if mean >= LEAST_VISIBLE]


def _contexts(rows: Sequence[ContextShare]) -> list[dict[str, Any]]:
    return [
        {
            "words": row.words,
            "customers": row.customers,
            "share": row.share,
            "percent": percent_of(row.share),
        }
        for row in rows
    ]


def _legend() -> list[tuple[int, str]]:
    """Each shade and what it means."""
    between = [f"{100 * low:.0f} to {100 * high:.0f}%" for low, high in pairwise(LEVELS)]
    return list(enumerate([f"under {100 * LEVELS[0]:.0f}%", *between, f"{100 * LEVELS[-1]:.0f}% and more"]))
