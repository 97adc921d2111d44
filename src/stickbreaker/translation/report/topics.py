"""The topics of a lexicon, with the words that are typical of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stickbreaker.core.records import Array
from stickbreaker.core.topk import descending
from stickbreaker.pages.page import Section
from stickbreaker.pages.text_values import one_line, percent
from stickbreaker.pages.views import Bars, Card, Cards, Each, Item, Mix, Text, muted, number, serif
from stickbreaker.translation.lexicon.domains import KnownDomains
from stickbreaker.translation.lexicon.terms import ContentWords
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon
from stickbreaker.translation.report.example_sentences import probability

if TYPE_CHECKING:
    from stickbreaker.translation.report.lexicon_page import LexiconReport

TYPICAL_WORDS = 8  # of a topic
FIRST_DOMAINS = 3  # of a topic, that are named below its bar
LEAST_SHARE = 0.01  # of a domain among the links of a topic


@dataclass(frozen=True, slots=True)
class TopicDomainRow:
    """A topic of the lexicon (or a domain, if the lexicon adapts to domains) as the report shows it.

    `share` is its share of all links. `words` are (source word, its translation there, p(translation | word;
    topic)), the most typical of the topic first. `domains` are (number of a known domain of the documents,
    its share of the topic's links), the largest first.
    """

    name: str
    share: float
    words: Sequence[tuple[str, str, float]] = ()
    domains: Sequence[tuple[int, float]] = ()


def topics(report: "LexiconReport") -> Section | None:
    rows, noun, of_domains = report.topics, report.noun, bool(report.domains)
    if not rows:
        return None
    text = (
        f"All {len(rows):,} {noun}s with their shares of the links, the largest first. Then the source "
        "words that are most typical of each, with their most probable translations there."
    )
    if of_domains:
        text += f" The bar is the part that each known domain of the documents has in the {noun}’s links."
    order = sorted(range(len(rows)), key=lambda k: -rows[k].share if rows[k].share == rows[k].share else 0.0)
    cards = Cards([_card(k, rows[k]) for k in order])
    figures = [_by_domain_figure(report, order)] if of_domains else []
    return Section(
        "topics", f"{noun.capitalize()}s of the lexicon", text, [cards], f"{noun.capitalize()}s", figures
    )


def _card(place: int, row: TopicDomainRow) -> Card:
    words: list[Text] = [
        [serif(one_line(source)), " → ", serif(one_line(translation)), " ", number(probability(p))]
        for source, translation, p in row.words
    ]
    lines: list[Text] = [Each(words)]
    if row.domains:
        parts: list[Text] = [
            [Item("domain", k), f" {percent(part)}"] for k, part in row.domains[:FIRST_DOMAINS]
        ]
        lines += [Mix("domain", row.domains), muted(Each(parts))]
    return Card(Item("topic", place), f"{percent(row.share)} of the links", lines)


def _by_domain_figure(report: "LexiconReport", order: Sequence[int]) -> Bars:
    return Bars(
        [report.label_of(k) for k in order],
        parts=[report.topics[k].domains for k in order],
        of="domain",
        title="Known domains in topics",
        figure="topics-by-domain",
    )


def topic_rows(
    lexicon: TopicLexicon, content: ContentWords, domains: tuple[str, ...]
) -> list[TopicDomainRow]:
    """A row for each topic of a lexicon, by number, with typical words.

    `domains`: those that documents state; empty if they are the lexicon's topics.
    """
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
    """The content words that are most typical of a topic, at most `TYPICAL_WORDS`, as (word, its most
    probable translation in the topic, p).

    They are those with the largest links · log(p(topic | word) / p(topic)). A word without a content word as
    translation is left out. links (words × topics): expected links of each word.
    """
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
    """The domains that documents state, sorted; empty if the lexicon's topics are these domains, or if there
    is only one, of which every topic has all."""
    if isinstance(lexicon.domains, KnownDomains):
        return ()
    found = sorted({domain for domain in lexicon.bitext.domains if domain})
    return tuple(found) if len(found) > 1 else ()


def _by_domain(lexicon: TopicLexicon, domains: tuple[str, ...]) -> Array:
    """The share of each known domain in the links of each topic (topics × domains); documents without a known
    domain are left out."""
    links = np.bincount(lexicon.linked.document, minlength=len(lexicon.bitext.names))
    places = {name: place for place, name in enumerate(domains)}
    sums = np.zeros((lexicon.shares.shape[1], len(domains)))
    for document, domain in enumerate(lexicon.bitext.domains):
        if domain in places:
            sums[:, places[domain]] += links[document] * lexicon.shares[document]
    return sums / np.maximum(sums.sum(axis=1, keepdims=True), 1e-300)
