"""Terms: words whose translation depends on the topic, with their translations by topic."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array
from stickbreaker.core.topk import descending
from stickbreaker.corpus.text.languages import has_stop_words, stop_words_of
from stickbreaker.translation.lexicon.directed_lexicon import AT_ONCE, DirectedLexicon
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon
from stickbreaker.translation.sentence_tokens import tokens_of

LEAST_COUNT = 10  # links of a term
LEAST_GAIN = 0.1  # nats
SHOWN_TOPICS = 3  # of a term
LEAST_P = 0.1  # of a translation shown for a topic


class TermInTopic(NamedTuple):
    """How a term is translated in one topic."""

    topic: int
    share: float  # of the term's links
    translation: str  # among those with p of at least 0.1, the one that adds most to the gain
    p: float  # p(translation | term; topic)
    p_all: float  # p(translation | term)


class Term(NamedTuple):
    """A word whose translation depends on the topic, with its translations in the topics that matter most."""

    word: str
    links: float  # number of links
    gain: float  # nats: mutual information of translation and topic, given the word
    topics: tuple[TermInTopic, ...]  # topics that add most to the gain


class ContentWords(NamedTuple):
    """Whether each word is a content word: it has a letter and is not a stop word."""

    source: NDArray[np.bool_]  # (words of the source,)
    target: NDArray[np.bool_]  # (words of the target,)

    @classmethod
    def of(cls, lexicon: TopicLexicon) -> "ContentWords":
        """The content words of a lexicon's two vocabularies.

        Languages without a list of stop words are treated as having none.
        """
        bitext = lexicon.bitext
        codes = (bitext.source, bitext.target)
        source, target = (_with_content(words, code) for words, code in zip(bitext.words, codes, strict=True))
        return cls(source, target)

    @classmethod
    def all_of(cls, lexicon: TopicLexicon) -> "ContentWords":
        """All words of a lexicon, as if each were a content word."""
        return cls(*(np.ones(len(words), bool) for words in lexicon.bitext.words))


def _with_content(words: Sequence[str], language: str) -> NDArray[np.bool_]:
    listed = stop_words_of(language) if has_stop_words(language) else ()
    stop = {token for word in listed for token in tokens_of(word, language)}
    return np.array([word not in stop and any(map(str.isalpha, word)) for word in words], bool)


def gains_of(lexicon: DirectedLexicon) -> tuple[Array, Array]:
    """How much topics reveal about each word's translation, by topic (words × topics), and the topics' shares
    of each word's links (words × topics).

    The gain of topic k is its share times the divergence of p(e | f; k) from p(e | f), in nats; the sum over
    topics is how much a link gains on average if its topic is known. Translations that were never linked have
    the same probability in each topic as overall, and add nothing.
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


def terms_of(
    lexicon: TopicLexicon,
    min_gain: float = LEAST_GAIN,
    min_count: float = LEAST_COUNT,
    *,
    all_words: bool = False,
) -> list[Term]:
    """The source words whose translation depends on the topic, the largest gains first.

    They have a gain of at least `min_gain` nats per link, and at least `min_count` links. Only content words
    count, as terms and as translations, and the translations listed for a term's topics must not all be the
    same; with `all_words`, neither is required.
    """
    content = ContentWords.all_of(lexicon) if all_words else ContentWords.of(lexicon)
    forward = lexicon.forward
    by_topic, shares = gains_of(forward)
    gains = by_topic.sum(axis=1)
    chosen = np.flatnonzero((gains >= min_gain) & (forward.word_counts >= min_count) & content.source)
    chosen = chosen[np.argsort(-gains[chosen], kind="stable")]
    found: list[Term] = []
    for word in chosen.tolist():
        topics = tuple(_in_topics(lexicon, word, by_topic[word], shares[word], content.target))
        if all_words or len({one.translation for one in topics}) > 1:
            links, gain = float(forward.word_counts[word]), float(gains[word])
            found.append(Term(lexicon.bitext.words[0][word], links, gain, topics))
    return found


def _in_topics(
    lexicon: TopicLexicon, word: int, gains: Array, shares: Array, wanted: NDArray[np.bool_]
) -> Iterator[TermInTopic]:
    """How a word is translated in those topics that add most to its gain, at most `SHOWN_TOPICS`.

    The translation shown is the one that adds most to the gain. Topics without gain, or without a wanted
    translation of p >= `LEAST_P`, are skipped. gains, shares (topics): of the word; wanted (target words):
    whether a translation may be shown.
    """
    found = lexicon.forward.translations_of(word)
    left = SHOWN_TOPICS
    for topic in descending(gains).tolist():
        if gains[topic] <= 0.0 or not left:
            return
        p = found.topic_p[:, topic]
        chosen = np.flatnonzero(wanted[found.words] & (p >= LEAST_P))
        if len(chosen):
            best = chosen[np.argmax(p[chosen] * np.log(p[chosen] / found.p[chosen]))]
            name, left = lexicon.bitext.words[1][found.words[best]], left - 1
            yield TermInTopic(topic, float(shares[topic]), name, float(p[best]), float(found.p[best]))
