"""Words that topics translate differently, and the topics with the words that are typical of them."""

from collections.abc import Iterator

import numpy as np

from stickbreaker.core.records import Array
from stickbreaker.core.topk import descending
from stickbreaker.translation.lexicon.domains import KnownDomains
from stickbreaker.translation.lexicon.terms import LEAST_COUNT, LEAST_P, ContentWords
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon
from stickbreaker.translation.report.example_sentences import Examples
from stickbreaker.translation.report.lexicon_page_data import (
    NO_EXAMPLE,
    TopicDomainRow,
    WordAcrossTopics,
    WordInTopic,
)

LEAST_LINKS = 3.0  # of a word in a topic
SEEN = 0.5  # links in a topic from which on a translation has an example there
MOST_EXAMPLES = 4000  # pairs of sentences
TYPICAL_WORDS = 8  # of a topic
LEAST_SHARE = 0.01  # of a domain among the links of a topic


def words_across_topics(
    lexicon: TopicLexicon, content: ContentWords, gains: Array, examples: Examples
) -> list[WordAcrossTopics]:
    """The words whose likeliest translation is not the same in all topics, as long as there is room for
    examples; those first of whose links the topics tell most in all. `gains` (words,): nats per link."""
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
    """A word in the topics that it is linked in; None if these have one likeliest translation."""
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


def topic_rows(
    lexicon: TopicLexicon, content: ContentWords, domains: tuple[str, ...]
) -> list[TopicDomainRow]:
    """All topics by number. `domains` are known of the documents: none if these are the topics."""
    links = lexicon.forward.word_topic_counts
    totals = links.sum(axis=0)
    shares = totals / max(totals.sum(), 1.0)
    by_domain = _by_domain(lexicon, domains)
    return [
        TopicDomainRow(
            name,
            float(shares[topic]),
            list(_typical_words(lexicon, content, links, topic)),
            [
                (one, float(by_domain[topic, one]))
                for one in descending(by_domain[topic]).tolist()
                if by_domain[topic, one] >= LEAST_SHARE
            ],
        )
        for topic, name in enumerate(lexicon.domains.names)
    ]


def _typical_words(
    lexicon: TopicLexicon, content: ContentWords, links: Array, topic: int
) -> Iterator[tuple[str, str, float]]:
    """The words that are most typical of a topic by `links` (words × topics), with their translations."""
    here, everywhere = links[:, topic], lexicon.forward.word_counts
    known = np.flatnonzero(content.source & (here >= 1.0))
    ratios = here[known] / everywhere[known] * (everywhere.sum() / max(here.sum(), 1e-300))
    for word in known[descending(here[known] * np.log(ratios), TYPICAL_WORDS)].tolist():
        found = lexicon.forward.translations_of(word)
        chosen = np.flatnonzero(content.target[found.words])
        if len(chosen):
            best = chosen[np.argmax(found.topic_p[chosen, topic])]
            name = lexicon.bitext.words[1][found.words[best]]
            yield lexicon.bitext.words[0][word], name, float(found.topic_p[best, topic])


def known_domains(lexicon: TopicLexicon) -> tuple[str, ...]:
    """The domains that the documents say, by name; none if the lexicon's topics are these."""
    if isinstance(lexicon.domains, KnownDomains):
        return ()
    return tuple(sorted({domain for domain in lexicon.bitext.domains if domain}))


def _by_domain(lexicon: TopicLexicon, domains: tuple[str, ...]) -> Array:
    """Shares (topics × domains) of known domains among the links of each topic."""
    links = np.bincount(lexicon.linked.document, minlength=len(lexicon.bitext.names))
    places = {name: place for place, name in enumerate(domains)}
    sums = np.zeros((lexicon.shares.shape[1], len(domains)))
    for document, domain in enumerate(lexicon.bitext.domains):
        if domain in places:
            sums[:, places[domain]] += links[document] * lexicon.shares[document]
    return sums / np.maximum(sums.sum(axis=1, keepdims=True), 1e-300)
