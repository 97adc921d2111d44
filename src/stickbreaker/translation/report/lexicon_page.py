"""The page about a lexicon by topic: its sections, what its template says and what its scripts draw."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stickbreaker.pages.colour import distinct_colours
from stickbreaker.pages.page import Assets, Page
from stickbreaker.pages.text_values import clean, cut_short, one_line, rounded
from stickbreaker.translation.lexicon.terms import Term
from stickbreaker.translation.report.lexicon_page_data import (
    ChangedDocument,
    ChangedTranslation,
    ChangedWord,
    Example,
    TopicDomainRow,
    WordAcrossTopics,
)

ASSETS = Assets(
    folder="stickbreaker.translation.report",
    template="lexicon.html.j2",
    styles=["report.css", "topic_cards.css", "lexicon.css"],
    charts=["base.js", "charts.js", "topic_differences.js", "lexicon_charts.js"],
    views=["dom.js", "lexicon_views.js", "lexicon_report.js"],
    figures=["figures.js", "lexicon_figures.js"],
)
_LONGEST_ID = 80  # characters
_LONGEST_PIECE = 400  # characters of a sentence


@dataclass(frozen=True, slots=True)
class LexiconPage(Page):
    """Everything the report of a lexicon shows; a section whose data are empty is left out.

    `topics` are all, by number; if `topics_of_model`, they are called by it. `domains` are the known ones of
    the documents, if these are not the topics. `languages` are the codes of the source and of the target.
    Rows name topics, domains and `examples` by number. `documents` are some of `n_documents`.
    """

    assets = ASSETS

    languages: tuple[str, str] = ("", "")
    topics_of_model: bool = True
    topics: Sequence[TopicDomainRow] = ()
    domains: Sequence[str] = ()
    terms: Sequence[Term] = ()
    words: Sequence[WordAcrossTopics] = ()
    documents: Sequence[ChangedDocument] = ()
    n_documents: int = 0
    examples: Sequence[Example] = ()

    def payload(self) -> dict[str, Any]:
        """Everything that the page is drawn from, as JSON values."""
        return {
            "languages": [one_line(code) for code in self.languages],
            "topics": [
                {
                    "label": self.label_of(k),
                    "share": rounded(row.share) or 0.0,
                    "colour": colour,
                    "words": [
                        [one_line(word), one_line(translation), _p(p)] for word, translation, p in row.words
                    ],
                    "domains": _flat(row.domains),
                }
                for k, (row, colour) in enumerate(
                    zip(self.topics, distinct_colours(len(self.topics)), strict=True)
                )
            ],
            "domains": [
                {"label": one_line(name), "colour": colour}
                for name, colour in zip(self.domains, distinct_colours(len(self.domains)), strict=True)
            ],
            "terms": [_term(term) for term in self.terms],
            "words": [_word(row) for row in self.words],
            "documents": [_document(row) for row in self.documents],
            "examples": [[_pieces(row.source), _pieces(row.target)] for row in self.examples],
        }

    def label_of(self, topic: int) -> str:
        """What the page calls a topic."""
        name = one_line(self.topics[topic].name)
        return f"topic {topic}: {name}" if self.topics_of_model else name

    def context(self) -> dict[str, Any]:
        return {
            "noun": "topic" if self.topics_of_model else "domain",
            "n_topics": len(self.topics),
            "n_terms": len(self.terms),
            "pairs_differ": len(self.topics) > 1 and bool(self.words),
            "by_domain": bool(self.domains),
        }


def _p(value: float) -> float:
    return rounded(value, 3) or 0.0


def _flat(rows: Sequence[tuple[int, float]]) -> list[float]:
    """Place and share of each row, one after another."""
    return [value for place, share in rows for value in (place, _p(share))]


def _pieces(pieces: Sequence[str]) -> list[str]:
    return [cut_short(clean(piece), _LONGEST_PIECE) for piece in pieces]


def _term(term: Term) -> list[Any]:
    """Word, links, gain, and of each topic: its number, share, translation, p there and p in all."""
    topics = [
        [one.topic, _p(one.share), one_line(one.translation), _p(one.p), _p(one.p_all)] for one in term.topics
    ]
    return [one_line(term.word), round(term.links), _p(term.gain), topics]


def _word(row: WordAcrossTopics) -> list[Any]:
    """Word, links, translations with p in all, and of each topic: its number, links, the number of the
    example, and p of each translation."""
    translations = [[one_line(name), _p(p)] for name, p in row.translations]
    topics = [[one.topic, _p(one.links), one.example, *map(_p, one.p)] for one in row.topics]
    return [one_line(row.word), round(row.links), translations, topics]


def _document(row: ChangedDocument) -> dict[str, Any]:
    return {
        "name": cut_short(clean(row.name), _LONGEST_ID),
        "domain": one_line(row.domain) if row.domain else "",
        "pairs": row.pairs,
        "nats": _p(row.nats),
        "topics": _flat(row.topics),
        "words": [_changed_word(word) for word in row.words],
    }


def _changed_word(row: ChangedWord) -> list[Any]:
    """Word, nats, usual translation, that of the document, whether it is another, number of the example."""
    return [
        one_line(row.word),
        _p(row.nats),
        _changed(row.usual),
        _changed(row.here),
        int(row.another_is_best),
        row.example,
    ]


def _changed(row: ChangedTranslation) -> list[Any]:
    return [one_line(row.translation), _p(row.p_all), _p(row.p_here)]
