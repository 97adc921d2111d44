"""The section on words that topics translate differently: two topics side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stickbreaker.core.records import Array
from stickbreaker.core.topk import descending
from stickbreaker.pages.page import Section
from stickbreaker.pages.text_values import one_line
from stickbreaker.pages.views import Text, View
from stickbreaker.translation.lexicon.terms import LEAST_COUNT, LEAST_P, ContentWords
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon
from stickbreaker.translation.report.example_sentences import NO_EXAMPLE, Examples, short

if TYPE_CHECKING:
    from stickbreaker.translation.report.lexicon_page import LexiconReport

LEAST_LINKS = 3.0  # of a word in a topic
SEEN = 0.5  # links in a topic from which on a translation has an example there
MOST_EXAMPLES = 4000  # pairs of sentences


@dataclass(frozen=True, slots=True)
class WordInTopic:
    """How a word is translated in one topic.

    links: expected links of the word in the topic; p: p(translation | word; topic) of each translation that
    its `WordAcrossTopics` lists; example: the number of an example of the most probable one.
    """

    topic: int
    links: float
    p: Sequence[float]
    example: int = NO_EXAMPLE


@dataclass(frozen=True, slots=True)
class WordAcrossTopics:
    """A word whose most probable translation depends on the topic.

    translations: (translation, p(translation | word)) for each one that is the most probable in some topic;
    topics: those in which the word is linked often enough.
    """

    word: str
    links: float
    translations: Sequence[tuple[str, float]]
    topics: Sequence[WordInTopic]


@dataclass(frozen=True, slots=True)
class TwoSides(View):
    """Words of two things of the choice `of` side by side, each with its translation and an example.

    words: [word, links, translations, topics]; a translation is [translation, p over all topics], a topic
    [topic, links, number of the example, p of each translation]. shares: of the things; examples: two texts
    each.
    """

    of: str
    words: Sequence[Sequence[object]]
    shares: Sequence[float]
    examples: Sequence[Sequence[Text]]


def two_topics(report: "LexiconReport") -> Section | None:
    if len(report.topics) < 2 or not report.words:
        return None
    noun = report.noun
    text = (
        "Words whose most probable translation is not the same in both, those first whose links separate the "
        f"two best. The bar is the translation’s probability in the {noun}, the line its probability "
        f"in all documents. The sentences come from documents with much of the {noun}; what is linked is "
        f"marked. The page begins with the two {noun}s that differ most."
    )
    shares = [row.share if row.share == row.share else 0.0 for row in report.topics]
    examples = [row.lines(report.languages) for row in report.examples]
    said, words = (
        "bars: p of the translation in the topic; lines: in all documents",
        list(map(_word, report.words)),
    )
    view = TwoSides("topic", words, shares, examples, said=said, figure="two-topics")
    return Section("two", f"Two {noun}s side by side", text, [view], f"Two {noun}s")


def _word(row: WordAcrossTopics) -> list[object]:
    translations = [[one_line(name), short(p)] for name, p in row.translations]
    topics = [[one.topic, short(one.links), one.example, *map(short, one.p)] for one in row.topics]
    return [one_line(row.word), round(row.links), translations, topics]


def words_across_topics(
    lexicon: TopicLexicon, content: ContentWords, gains: Array, examples: Examples
) -> list[WordAcrossTopics]:
    """The content words whose most probable translation differs between topics, by descending gain times
    links, until `examples` has `MOST_EXAMPLES`.

    gains (words,): how much topics help to predict the translation of each source word, in nats per link.
    Words without gain, or with fewer than `LEAST_COUNT` links, are left out.
    """
    counts = lexicon.forward.word_counts
    wanted = np.flatnonzero(content.source & (counts >= LEAST_COUNT) & (gains > 0.0))
    found: list[WordAcrossTopics] = []
    for word in wanted[descending((gains * counts)[wanted])].tolist():
        if len(examples) >= MOST_EXAMPLES:
            break
        row = _across_topics(lexicon, content, word, examples)
        if row is not None:
            found.append(row)
    return found


def _across_topics(
    lexicon: TopicLexicon, content: ContentWords, word: int, examples: Examples
) -> WordAcrossTopics | None:
    """A word's translations in the topics in which it is linked often enough; None if the most probable one
    is the same in all of them.

    Example sentences are added to `examples`.
    """
    forward = lexicon.forward
    links, found = forward.word_topic_counts[word], forward.translations_of(word)
    chosen = np.flatnonzero(content.target[found.words])
    likeliest = found.topic_p[chosen].max(axis=0, initial=0.0)
    topics = np.flatnonzero((links >= LEAST_LINKS) & (likeliest >= LEAST_P))
    if not len(topics):
        return None
    best = chosen[np.argmax(found.topic_p[chosen][:, topics], axis=0)]
    shown = np.unique(best)
    if len(shown) < 2:
        return None
    rows = [
        WordInTopic(
            topic,
            float(links[topic]),
            found.topic_p[shown, topic].tolist(),
            examples.in_topic(word, int(found.words[e]), topic)
            if found.topic_links[e, topic] >= SEEN
            else NO_EXAMPLE,
        )
        for topic, e in zip(topics.tolist(), best.tolist(), strict=True)
    ]
    names = [lexicon.bitext.words[1][e] for e in found.words[shown].tolist()]
    translations = list(zip(names, found.p[shown].tolist(), strict=True))
    return WordAcrossTopics(
        lexicon.bitext.words[0][word], float(forward.word_counts[word]), translations, rows
    )
