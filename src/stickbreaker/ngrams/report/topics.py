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
from stickbreaker.pages.page import Section
from stickbreaker.pages.text_values import clean, cut_short, one_line, percent
from stickbreaker.pages.topic_rows import TopicRow
from stickbreaker.pages.views import (
    Card,
    Cards,
    Column,
    Each,
    Item,
    Note,
    Styled,
    Table,
    Text,
    View,
    number,
    serif,
)

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


def topics(report: TopicLanguageReport) -> Section | None:
    if not report.topics:
        return None
    rows, total, _ = report.document_rows
    common = f"; {percent(report.common_share)} are of the common topic, which all documents have"
    opened = " and the documents with the largest share of it" if rows else ""
    text = (
        "All topics in use, the largest first, with their share of the words learned "
        f"from{common if report.common else ''}. Then the words that distinguish each most from all words, "
        "with their shares of the topic’s own words, and phrases: n-grams whose words come together there "
        f"more often than they would by chance. Open a topic to read sentences drawn from it{opened}."
    )
    views: list[View] = [Cards([_card(place, topic, rows) for place, topic in enumerate(report.topics)])]
    if rows and len(rows) < total:
        sample = f"The shares of {len(rows):,} documents of {total:,} are known here; they were drawn evenly."
        views.append(Note(sample, muted=True))
    return Section("topics", "Topics", text, views)


def _card(place: int, topic: LanguageTopic, documents: Sequence[DocumentRow[Any]]) -> Card:
    """A topic with its words and phrases; opened, with sentences and documents."""
    words: list[Text] = [[serif(one_line(word)), " ", number(percent(p))] for word, p in topic.words]
    phrases: list[Text] = [serif(_cut(phrase)) for phrase in topic.phrases]
    sentences: list[Text] = [Styled(_cut(text), "sentence") for text in topic.sentences]
    hidden: list[View] = [Note(sentences)] if sentences else []
    own = _largest(topic, documents)
    if own:
        columns = [Column("document"), Column("words", "number"), Column("share", "share", meter=True)]
        hidden.append(Table(columns, own))
    more = ["Sentences drawn from it"] * bool(sentences) + ["documents"] * bool(own)
    lines: list[Text] = [Each(words), *([Each(phrases)] if phrases else [])]
    said = ", and ".join(more).capitalize()
    title = Item("topic", place, topic.label.capitalize())
    return Card(title, percent(topic.share), lines, more=said, hidden=hidden, anchor=f"topic-{topic.number}")


def _cut(text: str) -> str:
    return cut_short(clean(text), _LONGEST_TEXT)


def _largest(topic: LanguageTopic, documents: Sequence[DocumentRow[Any]]) -> list[list[object]]:
    shares = [
        (share, place)
        for place, row in enumerate(documents)
        for k, share in row.topics
        if k == topic.number and row.words
    ]
    top = sorted(shares, key=lambda pair: (-pair[0], pair[1]))[:DOCUMENTS]
    return [[documents[place].name, documents[place].words, share] for share, place in top]


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
