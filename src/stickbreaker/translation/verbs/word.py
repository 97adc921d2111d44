"""How a word is translated: everywhere, by topic, and in a document."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import counted
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.parameter_fields import naming_settings
from stickbreaker.core.records import Array
from stickbreaker.core.topk import descending
from stickbreaker.estimators.verb_results import VerbResult
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon, WordEntry, sentences_with
from stickbreaker.translation.verbs.document_text import shares_in
from stickbreaker.translation.verbs.given_lexicons import lexicon_in
from stickbreaker.translation.verbs.settings import WordSettings

LEAST_LINKS = 0.5  # of a topic that is shown
LEAST_SHARE = 0.01  # of a document's topic that is shown
LONGEST = 100  # characters of a sentence that is printed


class WordTranslation(NamedTuple):
    """A translation of a word: its probability, and how often the two are linked."""

    translation: str
    p: float
    links: float


class TopicTranslation(NamedTuple):
    """A translation of a word in a topic, with an example: a sentence, and its translation."""

    translation: str
    p: float
    links: float
    sentence: tuple[str, str]


class WordInTopic(NamedTuple):
    """A topic with its expected links of a word, and the word's most probable translations there."""

    topic: int
    name: str
    links: float
    translations: tuple[TopicTranslation, ...]


class DocumentTopic(NamedTuple):
    """A topic of a document, and its share."""

    topic: int
    name: str
    share: float


class DocumentTranslation(NamedTuple):
    """A translation of a word: its probability in a document, and everywhere."""

    translation: str
    p: float
    p_everywhere: float


class WordInDocument(NamedTuple):
    """The largest topics of a document, and the most probable translations of a word there."""

    topics: tuple[DocumentTopic, ...]
    translations: tuple[DocumentTranslation, ...]


@dataclass(frozen=True, repr=False)
class WordTranslations(VerbResult):
    """How a word is translated: in all documents, in those topics that have most of its links, and in a
    document, if one was given."""

    word: str
    language: str
    links: float
    translations: tuple[WordTranslation, ...]
    topics: tuple[WordInTopic, ...]
    document: WordInDocument | None = None

    def as_json(self) -> JsonObject:
        values = super().as_json()
        return values if self.document is not None else {k: v for k, v in values.items() if k != "document"}

    def __str__(self) -> str:
        everywhere = ", ".join(f"{one.translation} {one.p:.2f}" for one in self.translations)
        lines = [
            f"{self.word} ({self.language}), {counted(round(self.links), 'link')}",
            f"in all documents:  {everywhere}",
        ]
        for topic in self.topics:
            lines += [f"topic {topic.topic}, {topic.name} ({counted(round(topic.links), 'link')}):"]
            for one in topic.translations:
                first, second = map(_cut, one.sentence)
                lines += [f"  {one.p:.2f}  {one.translation:<16} {first}", f"{'':24} {second}"]
        if self.document is not None:
            topics = ", ".join(f"{one.name} {one.share:.2f}" for one in self.document.topics)
            lines += [f"in the document, by its topics ({topics}):"]
            lines += [
                f"  {one.p:.2f}  {one.translation:<16} (everywhere {one.p_everywhere:.2f})"
                for one in self.document.translations
            ]
        return "\n".join(lines)


@naming_settings(WordSettings)
def word(lexicon: object, word: str, **settings: Any) -> WordTranslations:
    """How a word is translated in all documents and in each topic, with a sentence of each.

    lexicon: a `TopicLexicon`, one with phrases, or the path of a saved one. settings: the options of
    `stickbreaker translate word`: the `document` (a text, or the Path of a file) in which it is translated,
    the `language` of the word, and `top`, the number of translations and topics. Raises UserError for a word
    without links.
    """
    made = WordSettings(**settings)
    known = lexicon_in(lexicon)
    entry = known.entry(word, made.language)
    figures = entry.translations[: made.top], entry.found.p.tolist(), entry.found.links.tolist()
    translations = tuple(WordTranslation(*one) for one in zip(*figures, strict=False))
    topics = _in_topics(known, entry, made.top)
    shares = shares_in(known, made.document)
    document = None if shares is None else _in_document(known, entry, shares, made.top)
    return WordTranslations(entry.word, entry.language, entry.links, translations, topics, document)


def _in_topics(lexicon: TopicLexicon, entry: WordEntry, top: int) -> tuple[WordInTopic, ...]:
    """The topics in which a word has most links (at most `top`), each with its most probable translations.

    Topics and translations with fewer than `LEAST_LINKS` expected links are left out; a topic may have no
    translation left.
    """
    order = descending(entry.word_topic_counts, top)
    places = sentences_with(lexicon, entry.word, entry.language, entry.translations)
    found: list[WordInTopic] = []
    for topic in order.tolist():
        if entry.word_topic_counts[topic] < LEAST_LINKS:
            break
        p, links = entry.found.topic_p[:, topic], entry.found.topic_links[:, topic]
        best = [e for e in descending(p, top).tolist() if links[e] >= LEAST_LINKS]
        names = [entry.translations[e] for e in best]
        examples = lexicon.bitext.texts([_example(lexicon, places[name], topic) for name in names])
        rows = zip(names, p[best].tolist(), links[best].tolist(), examples, strict=True)
        own = tuple(TopicTranslation(e, p_of, n, (first, second)) for e, p_of, n, (first, second) in rows)
        name, count = str(lexicon.domains.names[topic]), float(entry.word_topic_counts[topic])
        found.append(WordInTopic(topic, name, count, own))
    return tuple(found)


def _example(lexicon: TopicLexicon, pairs: NDArray[np.int64], topic: int) -> int:
    """Choose an example among these sentence pairs: returns the number of the one whose document has the
    largest share of a topic; among equals, the one with the shortest source sentence."""
    shares = lexicon.shares[lexicon.bitext.document_of[pairs], topic]
    lengths = np.diff(lexicon.bitext.sides[0].offsets)[pairs]
    return int(pairs[np.lexsort((pairs, lengths, -shares))[0]])


def _in_document(lexicon: TopicLexicon, entry: WordEntry, shares: Array, top: int) -> WordInDocument:
    """How a word is translated in a document with these topic shares; at most `top` topics and
    translations."""
    p, names = entry.found.topic_p @ shares, lexicon.domains.names
    topics = tuple(
        DocumentTopic(k, str(names[k]), float(shares[k]))
        for k in descending(shares, top).tolist()
        if shares[k] >= LEAST_SHARE
    )
    translations = tuple(
        DocumentTranslation(entry.translations[e], float(p[e]), float(entry.found.p[e]))
        for e in descending(p, top).tolist()
    )
    return WordInDocument(topics, translations)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
