"""The section with a card for each topic in use, and what other sections use of topics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from stickbreaker.core.records import Array
from stickbreaker.core.topk import descending
from stickbreaker.pages import text_values
from stickbreaker.pages.colour import topic_colours
from stickbreaker.pages.page import Section
from stickbreaker.pages.text_values import one_line
from stickbreaker.pages.topic_rows import TopicRow, places_of
from stickbreaker.pages.views import Card, Cards, Each, Item, Text, muted, number, serif, strong
from stickbreaker.syntax.topic_graph import depths_of, heads_of

if TYPE_CHECKING:
    from stickbreaker.syntax.learned import SyntaxLearned
    from stickbreaker.syntax.report.syntax_page import SyntaxReport

T = TypeVar("T")
WORDS, TAGS, NEIGHBOURS = 20, 5, 6  # shown of a topic
LISTED_WORDS = 10  # of a topic in the list
LEAST_SHARE = 0.005  # of a tag or a neighbour
NO_HEAD = -1  # a place among topics that is none of them


@dataclass(frozen=True, slots=True)
class SyntaxTopic(TopicRow):
    """A topic as the report shows it: its words, tags, and the topics above and below it in trees.

    Its `words` are (word, probability, its probability in all topics), the most probable first.

    `tags` are (tag, share of the topic's words), the commonest first. `below` are (topic, share): how the
    words whose head has this topic are divided among topics. `above` are the same for the heads of this
    topic's words; None: no head. `depth` is the mean depth of its words in trees; 1: roots.
    """

    tags: Sequence[tuple[str, float]] = ()
    below: Sequence[tuple[int, float]] = ()
    above: Sequence[tuple[int | None, float]] = ()
    depth: float = 1.0


def topics(report: SyntaxReport) -> Section | None:
    if not report.topics:
        return None
    text = (
        "All topics in use, the largest first: the share of the words, the parts of speech of these, and "
        "the most probable words. Below: of the words whose head has the topic, the shares of topics. "
        "Above: of the topic’s own words, the shares of their heads’ topics. What is less than half a "
        "percent is left out."
    )
    places = {None: NO_HEAD, **places_of(report.topics)}
    cards = [_card(topic, places) for topic in report.topics]
    return Section("topics", "Topics", text, [Cards(cards)])


def _card(topic: SyntaxTopic, places: dict[int | None, int]) -> Card:
    tags: list[Text] = [[one_line(tag), " ", number(percent(share))] for tag, share in topic.tags]
    words: list[Text] = [
        [serif(one_line(word)), " ", number(percent(p))] for word, p, _ in topic.words[:LISTED_WORDS]
    ]
    lines: list[Text] = [
        muted(Each(tags)),
        Each(words),
        _neighbours("below", topic.below, places),
        _neighbours("above", topic.above, places),
    ]
    title = Item("topic", places[topic.number], topic.label.capitalize())
    return Card(title, percent(topic.share), lines, anchor=f"topic-{topic.number}")


def _neighbours(side: str, rows: Sequence[tuple[int | None, float]], places: dict[int | None, int]) -> Text:
    """Topics above or below, by their names; those that the report does not show are left out."""
    shown: list[Text] = [
        ["no head" if k is None else Item("topic", places[k]), " ", number(percent(share))]
        for k, share in rows
        if k in places
    ]
    return muted([strong(side), " ", Each(shown) if shown else "none"])


def topics_of(learned: SyntaxLearned) -> list[SyntaxTopic]:
    """The topics in use as the report shows them, the largest first."""
    samples, spelled = learned.samples, learned.words.names
    shares, words, tags = samples.topic_shares, samples.topic_words, samples.topic_tags
    overall = shares @ words
    below, above, depths = samples.head_topics, heads_of(learned), depths_of(learned)
    names = range(learned.n_shares)
    return [
        SyntaxTopic(
            number=k,
            share=float(shares[k]),
            words=[
                (spelled[row], float(words[k, row]), float(overall[row]))
                for row in descending(words[k], WORDS).tolist()
            ],
            tags=_largest(tags[k], learned.words.tags, TAGS),
            below=_largest(below[k], names, NEIGHBOURS),
            above=_largest(above[k], [*names, None], NEIGHBOURS),
            depth=float(depths[k]),
        )
        for k in learned.topics_in_use
    ]


def _largest(shares: Array, names: Sequence[T], n: int) -> list[tuple[T, float]]:
    """(name, share) of the n largest shares, the largest first; those below `LEAST_SHARE` are left out."""
    return [(names[k], float(shares[k])) for k in descending(shares, n).tolist() if shares[k] >= LEAST_SHARE]


def colours_of(topics: Sequence[SyntaxTopic]) -> list[str]:
    """A colour for each topic (hex); topics with the same most frequent tag have similar hues."""
    order = sorted(range(len(topics)), key=lambda i: (topics[i].tags[0][0] if topics[i].tags else "", i))
    hues = dict(zip(order, topic_colours([], len(topics)), strict=True))
    return [hues[place] for place in range(len(topics))]


def percent(share: float) -> str:
    """A share as a percentage with two digits; "<0.1%" if it is very small, "–" if it is not finite.

    >>> percent(0.123), percent(0.0123), percent(0.00001)
    ('12%', '1.2%', '<0.1%')
    """
    if not math.isfinite(share):
        return "–"
    return "<0.1%" if 0.0 < share < 0.001 else text_values.percent(share)
