"""Words whose translation follows the topic: how much topics tell of it, and what it is where."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array
from stickbreaker.translation.lexicon.directed_lexicon import AT_ONCE, DirectedLexicon
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon

LEAST_COUNT = 10  # links of a term
SHOWN_TOPICS = 3  # of a term
LEAST_P = 0.1  # of a translation that stands for a topic


class TermInTopic(NamedTuple):
    """How a term is translated in one topic."""

    topic: int
    share: float  # of the term's links
    translation: str  # that which the topic makes most likelier, of those with p of at least a tenth
    p: float  # p(translation | term; topic)
    p_all: float  # p(translation | term)


class Term(NamedTuple):
    """A word whose translation follows the topic."""

    word: str
    links: float  # how often it was linked
    gain: float  # nats: mutual information of translation and topic, given the word
    topics: tuple[TermInTopic, ...]  # those that add most to the gain


def gains_of(lexicon: DirectedLexicon) -> tuple[Array, Array]:
    """How much topics tell of each word's translation: by topic (words × topics) and the topics' share of its
    links (words × topics).

    A gain is share of k times the divergence of p(e | f; k) from p(e | f), in nats: their sum over topics is
    what an event gains where its topic is known. Translations that were never linked are as probable in each
    topic as in all, and add nothing.
    """
    counts, topic_counts = lexicon.counts, lexicon.word_topic_counts
    shares = topic_counts / np.maximum(topic_counts.sum(axis=1, keepdims=True), 1e-300)
    divergence = np.zeros_like(shares)
    for start in range(0, len(counts.words), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        of, plain = counts.words[part], lexicon.p_plain(counts.words[part], counts.translations[part])
        by_topic = lexicon.p_topics(of, counts.translations[part])
        np.add.at(divergence, of, by_topic * np.log(by_topic / plain[:, None]))
    return shares * np.maximum(divergence, 0.0), shares


def terms_of(lexicon: TopicLexicon, min_gain: float = 0.1, min_count: float = LEAST_COUNT) -> list[Term]:
    """The words of the source language whose translation follows the topic, the largest gains first."""
    forward = lexicon.forward
    by_topic, shares = gains_of(forward)
    gains = by_topic.sum(axis=1)
    chosen = np.flatnonzero((gains >= min_gain) & (forward.word_counts >= min_count))
    chosen = chosen[np.lexsort((chosen, -gains[chosen]))]
    return [
        Term(
            lexicon.bitext.words[0][word],
            float(forward.word_counts[word]),
            float(gains[word]),
            tuple(_in_topics(lexicon, word, by_topic[word], shares[word])),
        )
        for word in chosen.tolist()
    ]


def _in_topics(lexicon: TopicLexicon, word: int, gains: Array, shares: Array) -> Iterator[TermInTopic]:
    """How a word is translated in the topics that add most to its gain."""
    found = lexicon.forward.translations_of(word)
    order: NDArray[np.int64] = np.lexsort((np.arange(len(gains)), -gains))[:SHOWN_TOPICS]
    for topic in order.tolist():
        if gains[topic] <= 0.0:
            return
        likely = np.flatnonzero(found.topic_p[:, topic] >= min(LEAST_P, found.topic_p[:, topic].max()))
        best = likely[np.argmax(found.topic_p[likely, topic] / found.p[likely])]
        yield TermInTopic(
            topic,
            float(shares[topic]),
            lexicon.bitext.words[1][found.words[best]],
            float(found.topic_p[best, topic]),
            float(found.p[best]),
        )
