"""The topics of a language model as cards: words, phrases, sentences drawn from them, documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from stickbreaker.core.random_streams import stream
from stickbreaker.core.topk import descending
from stickbreaker.ngrams import purposes
from stickbreaker.ngrams.model.topic_sentences import TopicSentences
from stickbreaker.ngrams.topic_ngram_learned import TopicNgramLearned
from stickbreaker.pages.colour import distinct_colours
from stickbreaker.pages.page import Section
from stickbreaker.pages.text_values import clean, cut_short, one_line, percent
from stickbreaker.pages.topic_rows import TopicRow

if TYPE_CHECKING:
    from stickbreaker.ngrams.report.topic_language_page import TopicLanguageReport
    from stickbreaker.pages.document_rows import DocumentRow

WORDS, PHRASES, SENTENCES = 12, 6, 3  # shown of a topic
LONGEST_SENTENCE = 30  # words
MOST_WITH_SENTENCES = 100  # topics, the largest
DOCUMENTS = 5  # of a topic, those with the largest share of it
_LONGEST_TEXT = 400  # characters of a phrase or a drawn sentence


@dataclass(frozen=True, slots=True)
class LanguageTopic(TopicRow):
    """A topic as the report shows it. `words`: the most typical ones, as (word, share of the topic's words).

    `phrases` are n-grams; `sentences` were drawn from the topic.
    """

    phrases: Sequence[str] = ()
    sentences: Sequence[str] = ()


class Topics(Section["TopicLanguageReport"]):
    anchor, heading = "topics", "Topics"
    needs = ("topics",)
    template = "topics.html.j2"
    styles = ("topic_cards.css", "sentences.css", "topic_language.css")

    def values(self, report: TopicLanguageReport) -> dict[str, object]:
        rows, total, _ = report.document_rows
        colours = distinct_colours(len(report.topics))
        return {
            "listed": [
                _listed(topic, colour, rows) for topic, colour in zip(report.topics, colours, strict=True)
            ],
            "common": report.common,
            "common_part": percent(report.common_share),
            "n_read": len(rows),
            "n_documents": total,
        }


def _listed(topic: LanguageTopic, colour: str, documents: Sequence[DocumentRow[Any]]) -> dict[str, object]:
    """The values of a topic's card, for the page's template, with the `DOCUMENTS` documents that have the
    largest share of the topic."""
    shares = [
        (share, place)
        for place, row in enumerate(documents)
        for k, share in row.topics
        if k == topic.number and row.words
    ]
    top = sorted(shares, key=lambda pair: (-pair[0], pair[1]))[:DOCUMENTS]
    return {
        "number": topic.number,
        "colour": colour,
        "share": percent(topic.share),
        "words": [(one_line(word), percent(p)) for word, p in topic.words],
        "phrases": [cut_short(clean(phrase), _LONGEST_TEXT) for phrase in topic.phrases],
        "sentences": [cut_short(clean(text), _LONGEST_TEXT) for text in topic.sentences],
        "documents": [
            (documents[place].name, percent(share), documents[place].words) for share, place in top
        ],
    }


def topics_payload(topics: Sequence[LanguageTopic]) -> list[dict[str, str]]:
    colours = distinct_colours(len(topics))
    return [{"label": topic.label, "colour": colour} for topic, colour in zip(topics, colours, strict=True)]


def topics_of(model: TopicNgramLearned) -> list[LanguageTopic]:
    """The topics in use as the report shows them, the largest first; only the `MOST_WITH_SENTENCES` largest
    have sentences."""
    shares, words, phrases = model.topic_shares, model.top_words(WORDS), model.top_phrases(PHRASES)
    probabilities = model.probabilities_of(words)
    in_use = [k for k in descending(shares).tolist() if shares[k] > 0.0]
    drawn = drawn_sentences(model, in_use[:MOST_WITH_SENTENCES])
    return [
        LanguageTopic(
            number=k,
            share=float(shares[k]),
            words=list(zip(words[k], probabilities[k], strict=True)),
            phrases=phrases[k],
            sentences=drawn.get(k, []),
        )
        for k in in_use
    ]


def drawn_sentences(model: TopicNgramLearned, topics: list[int]) -> dict[int, list[str]]:
    """At most `SENTENCES` sentences for each of these topics, drawn by the last sample: all words come from
    the topic, or from the common model.

    They are cut off after `LONGEST_SENTENCE` words; empty ones are left out.
    """
    found = model.model
    base, names = np.exp(model.base.log_p), model.words
    drawn: dict[int, list[str]] = {}
    generator = stream(model.facts.seed, purposes.NGRAM_SENTENCES, 1)
    sentences = TopicSentences(found, found.n_samples - 1, base, generator)
    for k in topics:
        theta = np.eye(model.n_shares)[k]
        rows = [sentences.sentence(theta, LONGEST_SENTENCE) for _ in range(SENTENCES)]
        drawn[k] = [_spelled(names, row) for row in rows if row]
    return drawn


def _spelled(names: tuple[str, ...], words: list[int]) -> str:
    more = " …" if len(words) == LONGEST_SENTENCE else ""
    return " ".join(names[word] for word in words) + more
