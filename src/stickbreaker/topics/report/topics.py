"""The section with the topics: their words, the map, and which documents are typical of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from stickbreaker.core.topk import descending
from stickbreaker.pages.packed import MOST_PAIR, base36_pairs
from stickbreaker.pages.page import Choice, Section
from stickbreaker.pages.text_values import clean, percent, rounded
from stickbreaker.pages.views import (
    Bars,
    Chosen,
    Documents,
    Each,
    Grid,
    Index,
    Item,
    Map,
    Note,
    Row,
    View,
    WordBars,
)
from stickbreaker.topics.report.topics_of_page import CONCEPTS, Topic

if TYPE_CHECKING:
    from stickbreaker.topics.report.topic_page import TopicReport


BELOW = "minmax(0, 1fr)"  # views below each other
TYPICAL, LEADING, MOST_BARS = 5, 20, 16  # documents, words marked in them, and words as bars, of a topic
_MOST_SPREAD = 400_000  # characters of how words divide over topics


@dataclass(frozen=True, slots=True)
class TopicHead(View):
    """The head of the chosen topic: its numbers, name and size, and the field in which a reader names it.

    topics: (share, first words, given name, guided name, members as (number, id, words)); used: how many are
    in use, which are first in the order of the choice `of`.
    """

    of: str
    topics: Sequence[tuple[float, str, str, str, Sequence[tuple[int, int, Sequence[str]]]]]
    used: int


def topics(report: TopicReport) -> Section | None:
    found = report.topics
    if not found:
        return None
    n_used = sum(not topic.unused for topic in found)
    has_map, single = bool(report.positions) and n_used > 1, len(found) == 1
    with_words = [topic.words for topic in found]
    places = {word: place for place, word in enumerate(report.shown_words)}
    words = [[places[word] for word, _, _ in own] for own in with_words]
    pane = [TopicHead("topic", [_head(topic) for topic in found], n_used), _chosen_words(report, words)]
    views: list[View] = [] if single else [_index(report, words)]
    views.append(Row(pane, widths=BELOW))
    views += [_map(report)] if has_map else []
    widths = "16.5rem 24.5rem minmax(0, 1fr)" if has_map else "20rem minmax(0, 1fr)"
    shown: list[View] = [Row(views, panel=True, widths="minmax(0, 44rem)" if single else widths)]
    if any(topic.sides for topic in found):
        shown += [_sides(report), Chosen("topic", [_side_bars(report, k) for k in range(len(found))])]
    if report.documents and any(topic.documents for topic in found):
        shown.append(_typical(report))
    return Section(
        "topics", "Topics", _about(found, n_used, has_map), shown, figures=[_figure(report, words)]
    )


def _about(found: Sequence[Topic], n_used: int, has_map: bool) -> Markup:
    namer = _namers(found)
    text = Markup("A topic is a set of words that tend to turn up in the same documents. ")
    if n_used < 2:
        words = "" if namer else "; nobody named it, so it goes by its words"
        return text + f"This one was found from the words alone{words}."
    named = {
        "guide": "; some were given a name and a few words to begin with, the others go",
        "reader": "; some were given a name, the others go",
        "": " alone; nobody named them, so each goes",
    }
    keys = Markup('<span class="keys">, or step through them with the keys <kbd>←</kbd> <kbd>→</kbd></span>')
    return (
        text
        + (
            f"These {n_used} were found from the words{named[namer]} by the words that set "
            f"{'them' if namer else 'it'} apart. Choose one from the list{' or the map' if has_map else ''}"
        )
        + keys
        + "."
    )


def _head(topic: Topic) -> tuple[float, str, str, str, list[tuple[int, int, Sequence[str]]]]:
    words = ", ".join(word for word, _, _ in topic.words[:3])
    members = [(one.number, one.id, one.words) for one in topic.members]
    return (
        topic.share,
        words,
        topic.given or (topic.label if topic.named and not topic.guided else ""),
        topic.guided,
        members,
    )


def _index(report: TopicReport, words: Sequence[Sequence[int]]) -> Index:
    sizes = [topic.share for topic in report.topics]
    elsewhere = ("vocabulary", "Words") if report.words else None
    find = "Find a word in the topics"
    return Index(of="topic", sizes=sizes, find=find, words=words, words_of="word", elsewhere=elsewhere)


def _map(report: TopicReport) -> Map:
    points = [
        None if topic.unused else place for topic, place in zip(report.topics, report.positions, strict=True)
    ]
    text = (
        "Each circle is a topic; larger circles have more words of the collection. Near circles, of similar "
        "colour, share words; directions have no meaning."
    )
    if report.spread:
        text += " Point at a word, or choose one, to see in which topics it is used."
    sizes, uses = [topic.share for topic in report.topics], "word" if report.spread else ""
    return Map(of="topic", points=points, sizes=sizes, uses=uses, help=text, figure="map")


def _chosen_words(report: TopicReport, words: Sequence[Sequence[int]]) -> Row:
    """The words of the chosen topic as bars, and the topics nearest to it."""
    help = [
        "At first, words that many of the topic's documents have, more than others do, stand in front; they "
        "name the topic. Move the slider to rank by relevance: λ = 1 by how frequent words are in the topic, "
        "λ = 0 by how much more frequent than elsewhere.",
        "Bar: how much of the topic is this word. Upright tick: how much of the whole collection it is. "
        "× 12: it is twelve times as common here as overall.",
    ]
    if any(code != CONCEPTS for topic in report.topics for code, _ in topic.sides):
        language = f"the language {report.leading}" if report.leading else "one language"
        help = [f"These are words of {language}; all languages stand below.", *help]
    index = {topic.id: k for k, topic in enumerate(report.topics)}
    views: list[View] = []
    for k, topic in enumerate(report.topics):
        near = [Item("topic", index[other]) for other in topic.similar[:4] if other in index]
        own: list[View] = [_bars(report, k, words[k])]
        if near:
            own.append(Note(["Topics that share most words with it: ", Each(near)], muted=True))
        views.append(Row(own, widths=BELOW))
    return Row([Chosen("topic", views), *(Note(text, muted=True) for text in help)], widths=BELOW)


def _bars(report: TopicReport, k: int, words: Sequence[int]) -> WordBars:
    own = report.topics[k].words
    values, marks, points = [p for _, p, _ in own], [q for _, _, q in own], bool(report.spread)
    return WordBars(
        values=values,
        marks=marks,
        colour=report.colours[k],
        places=words,
        of="word",
        points=points,
        mixes_of="topic",
        ranked=True,
        most=MOST_BARS,
    )


def _figure(report: TopicReport, words: Sequence[Sequence[int]]) -> Grid:
    order = descending(np.array([topic.share for topic in report.topics])).tolist()
    bars = [
        replace(
            _bars(report, k, words[k]),
            title=f"{report.topics[k].id}  {clean(report.topics[k].label)}",
            ranked=False,
        )
        for k in order
    ]
    bars = [
        replace(one, values=one.values[:8], marks=one.marks[:8], places=one.places[:8], points=False)
        for one in bars
    ]
    return Grid(bars, min(4, len(bars)), title="Words of the topics, the largest first", figure="words")


def _sides(report: TopicReport) -> Note:
    codes = {code for topic in report.topics for code, _ in topic.sides}
    text: list[str] = []
    if codes - {CONCEPTS}:
        text.append(
            "A document in several languages has one mix of topics, so these words stand for one another."
        )
    if CONCEPTS in codes:
        text.append(
            "Words of a concept rise and fall together; its share is that of the topic's words that come by "
            "it."
        )
    title = "The topic in each language" if codes - {CONCEPTS} else "Its concepts"
    return Note(" ".join(text), muted=True, title=title)


def _side_bars(report: TopicReport, k: int) -> Row:
    """The first words of a topic in each language, or its concepts, side by side."""
    return Row(
        [
            Bars(
                [word for word, _, _ in own],
                [p for _, p, _ in own],
                report.colours[k],
                [[percent(p)] for _, p, _ in own],
                title=code,
            )
            for code, own in report.topics[k].sides
        ],
        16.0,
    )


def _typical(report: TopicReport) -> Documents:
    n = len(report.documents)
    typical = [[d for d in topic.documents if 0 <= d < n][:TYPICAL] for topic in report.topics]
    if any(document.marks for document in report.documents):
        text = (
            "Each known word is underlined in the colour of its most probable topic; words of this topic are "
            "shaded too. Choose a word to go to its topic."
        )
    else:
        text = "Open one to read it; words that lead this topic are shaded."
    return Documents(
        of="topic", documents="document", typical=typical, open=1, help=text, **leading_words_of(report)
    )


def leading_words_of(report: TopicReport) -> dict[str, Any]:
    """Of documents without marked words: the words of each topic that are marked in them."""
    if any(document.marks for document in report.documents):
        return {}
    places = {word: place for place, word in enumerate(report.shown_words)}
    leading = [[places[word] for word, _, _ in topic.words[:LEADING]] for topic in report.topics]
    return {"leading": leading, "words_of": "word"}


def words_choice(report: TopicReport) -> Choice:
    """The words of topics, and of the table of words, as what views are about."""
    homes = {word: parts[0][0] for word, parts in report.spread if parts}
    known = {row.word: row.topic for row in report.words}
    spread, n = dict(report.spread), len(report.topics)
    mixes: list[str] = []
    room = _MOST_SPREAD
    for word in report.shown_words:
        parts = [(k, share) for k, share in spread.get(word, ()) if 0 <= k < n and k <= MOST_PAIR]
        mixes.append(base36_pairs(n for k, share in parts for n in (k, round(1000 * (rounded(share) or 0)))))
        room -= len(mixes[-1]) + 3
        if room < 0 or len(mixes) >= len(spread):
            break
    places = [homes.get(word, known.get(word, MOST_PAIR)) for word in report.shown_words]
    return Choice(report.shown_words, mixes=mixes, homes=base36_pairs(places))


def _namers(topics: Sequence[Topic]) -> str:
    """Who named the topics, for the text of the page: "reader" if users named any, else "guide" if the guide
    (seed words) did, "" if nobody did.
    """
    if any(topic.given for topic in topics):
        return "reader"
    return "guide" if any(topic.named for topic in topics) else ""
