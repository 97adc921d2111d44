"""The section with the topics: their words, the map, and which documents are typical of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from stickbreaker.core.errors import UserError
from stickbreaker.core.topk import descending
from stickbreaker.pages.colour import topic_colours
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
from stickbreaker.topics.learned_topics import LearnedTopics
from stickbreaker.topics.names.given_names import FILE_WORDS
from stickbreaker.topics.names.named_topics import NamedTopics
from stickbreaker.topics.report.display_words import WordFigures, choose_words
from stickbreaker.topics.report.document_entries import DocumentEntry
from stickbreaker.topics.topic_estimator import TopicEstimator

if TYPE_CHECKING:
    from stickbreaker.topics.report.topic_page import TopicReport

WordList = Sequence[tuple[str, float, float]]  # (word, probability in the topic, in the whole collection)

REPRESENTATIVE = 6  # documents shown with a topic
LEAST_SHARE = 0.05  # of a document that a topic has, if it is to represent the topic
LEAST_WORDS = 10  # a document shorter than this represents nothing
CONCEPTS = "concepts"  # stands in place of a language
TYPICAL, LEADING, MOST_BARS = 5, 20, 16  # documents, words marked in them, and words as bars, of a topic
SHOWN = 12  # words of a language, or concepts, that stand side by side
UNUSED = "unused"  # the label of a topic that has next to no tokens
MOST_SPREAD = 16_000  # words whose topics are listed
SPREAD_AT_ONCE = 1000
SPREAD_TOPICS = 12  # of a word, those with most of it
LEAST_SPREAD = 0.01  # of a word that a topic has, to be listed
_MOST_SPREAD = 400_000  # characters of how words divide over topics
_GREY = "#848a94"  # of topics not in use


@dataclass(frozen=True, slots=True)
class TopicMember:
    """A topic of the model that is shown on the page, alone or merged with others of the same name.

    number: in the model; id: stays the same while the model continues learning; words: its first words.
    """

    number: int
    id: int
    words: Sequence[str]


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic as the page shows it: one of the model's topics, or several with the same name.

    `id`: for links such as `#topic-7`. `share`: its part of all tokens. `words`: those that it can be shown
    with, see `choose_words`; `sides`: (language, words) if the model has several languages, and ("concepts",
    names) if it has concepts. `unused`: it has hardly any tokens, and is listed last, without words, and not
    drawn.

    `given`: the name that users gave it, `guided`: its name in the guide (seed words), "" without one;
    `named`: it has one of these. `documents` indexes `TopicReport.documents`, the most typical first;
    `similar`: ids of other topics, the nearest first. `coherence` is NPMI in [-1, 1]; `match`: its partner in
    another model, as (label, similarity in [0, 1]).

    `members`: the model's topics that it stands for, the largest first; without them, a reader of the page
    cannot name it.
    """

    id: int
    label: str
    share: float
    words: WordList
    documents: Sequence[int] = ()
    similar: Sequence[int] = ()
    named: bool = False
    coherence: float | None = None
    match: tuple[str, float] | None = None
    sides: Sequence[tuple[str, WordList]] = ()
    given: str = ""
    guided: str = ""
    members: Sequence[TopicMember] = ()
    unused: bool = False


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
    views.append(Row(pane, 12.0))
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
        views.append(Row(own, 12.0))
    return Row([Chosen("topic", views), *(Note(text, muted=True) for text in help)], 12.0)


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


def colours_of(topics: Sequence[Topic], positions: Sequence[tuple[float, float]]) -> list[str]:
    """A colour for each topic, by its position on the map so that similar topics have similar colours; unused
    topics are grey.
    """
    used = [k for k, topic in enumerate(topics) if not topic.unused]
    colours = topic_colours([positions[k] for k in used] if positions else [], len(used))
    given = dict(zip(used, colours, strict=True))
    return [given.get(k, _GREY) for k in range(len(topics))]


def topics_of(
    named: NamedTopics,
    seen: WordFigures,
    leading: str,
    documents: list[DocumentEntry],
    near: list[list[int]],
    coherence: list[float] | None,
    partners: Sequence[tuple[str, float] | None],
) -> list[Topic]:
    share = np.zeros((len(documents), len(named.members)))
    for d, document in enumerate(documents):
        if document.n_tokens >= LEAST_WORDS:
            for topic, part in document.mix:
                share[d, topic] = part
    topics: list[Topic] = []
    concepts = _concepts(named)
    members = _members(named, leading)
    for k, (words, sides) in enumerate(_shown(named.model, leading, seen)):
        most = descending(share[:, k], REPRESENTATIVE).tolist()
        order = [d for d in most if share[d, k] > LEAST_SHARE]
        unused = k in named.unused
        if unused:
            words, sides = (), ()
        given = "" if unused else named.given[k] or ""
        guided = "" if unused else named.guided[k] or ""
        topics.append(
            Topic(
                id=named.members[k][0],
                label=UNUSED if unused else given or guided or ", ".join(word for word, _, _ in words[:3]),
                share=float(named.shares[k]),
                words=words,
                documents=order,
                similar=[] if unused else [named.members[j][0] for j in near[k] if j not in named.unused],
                unused=unused,
                named=bool(given or guided),
                coherence=coherence[k] if coherence and not unused else None,
                match=partners[k],
                sides=sides if unused else (*sides, *concepts[k]),
                given=given,
                guided=guided,
                members=[] if unused else members[k],
            )
        )
    return topics


def _members(named: NamedTopics, leading: str) -> list[list[TopicMember]]:
    """For each topic on the page, the model's topics that it stands for, with first words by which a file of
    names can identify them.

    leading: the language of these words, "" if there is only one.
    """
    model = named.model
    vocabulary = model.vocabulary_
    side = vocabulary.ranges[leading] if leading else slice(0, len(vocabulary))
    first = model._ranked_words(FILE_WORDS, side).words.tolist()
    return [
        [TopicMember(k, model.topic_ids_[k], [vocabulary.spelled[row] for row in first[k]]) for k in group]
        for group in named.members
    ]


def _shown(
    model: LearnedTopics, leading: str, seen: WordFigures
) -> Iterator[tuple[WordList, Sequence[tuple[str, WordList]]]]:
    """For each topic on the page: the words that it can be shown with, and its first words in each language
    as (language, words).

    With several languages, the words to show are those of the language `leading`. With one, `leading` is "",
    and there are no words by language.
    """
    vocabulary = model.vocabulary_
    for likely, first in zip(seen.likely, seen.first, strict=True):
        sides: dict[str, WordList] = {}
        codes = vocabulary.languages or ("",)
        for code, (rows, probabilities), own in zip(codes, likely, first, strict=True):
            spelled = [vocabulary.spelled[row] for row in rows.tolist()]
            sides[code] = choose_words(probabilities, seen.overall[rows], spelled, own)
        if not vocabulary.languages:
            yield sides[""], ()
            continue
        yield sides[leading], tuple((code, words[:SHOWN]) for code, words in sides.items())


def spread_of(
    named: NamedTopics, leading: str, topics: Sequence[Topic]
) -> list[tuple[str, list[tuple[int, float]]]]:
    """How the tokens of words are divided among topics: for each word, p(k|w) ∝ p(k) p(w|k), as (word,
    [(topic, share)]).

    The words are the topics' `words`, at most 16,000, those that come first in some topic first. Each has at
    most its twelve largest topics, and only shares of 1 % or more. leading: their language, "" if there is
    only one.
    """
    vocabulary = named.model.vocabulary_
    side = vocabulary.ranges[leading] if leading else slice(0, len(vocabulary))
    place = {vocabulary.spelled[row]: row for row in range(side.start, side.stop)}
    ranks: dict[str, int] = {}
    for topic in topics:
        for rank, (word, _, _) in enumerate(topic.words):
            ranks[word] = min(rank, ranks.get(word, rank))
    words = sorted(ranks, key=lambda word: ranks[word])[:MOST_SPREAD]
    found: list[tuple[str, list[tuple[int, float]]]] = []
    for start in range(0, len(words), SPREAD_AT_ONCE):
        part = words[start : start + SPREAD_AT_ONCE]
        joint = named.words.of(np.array([place[word] for word in part])) * named.shares[:, None]
        shares = joint / np.maximum(joint.sum(axis=0), 1e-300)
        for word, column in zip(part, shares.T, strict=True):
            most = descending(column, SPREAD_TOPICS)
            found.append((word, [(int(k), float(column[k])) for k in most if column[k] >= LEAST_SPREAD]))
    return found


def _concepts(named: NamedTopics) -> list[Sequence[tuple[str, WordList]]]:
    """For each topic, its largest concepts in the form of `Topic.sides`: one pair ("concepts", their names
    with shares); empty if it has none.
    """
    tops = named.top_concepts(SHOWN)
    shares = named.shares / max(float(named.shares.sum()), 1e-300)
    names, by_topic = named.concept_shares
    overall = dict(zip(names, (by_topic @ shares).tolist(), strict=True))
    return [
        ((CONCEPTS, [(name, share, overall[name]) for name, share in own]),) if own else () for own in tops
    ]


def leading_language(model: TopicEstimator, wanted: str | None) -> str:
    """The language whose words label topics: `wanted`, or else the one with the most tokens in the corpus; ""
    if the model has only one.

    Raises UserError for a language that the model does not have.
    """
    languages = model.vocabulary_.languages
    if wanted is not None and wanted not in languages:
        available = ", ".join(languages) or "one language"
        raise UserError(f"there is no language {wanted!r}", remedy=f"the model has {available}")
    if wanted is not None:
        return wanted
    tokens = {code: model.vocabulary_.tokens[rows].sum() for code, rows in model.vocabulary_.ranges.items()}
    return max(tokens, key=lambda code: tokens[code], default="")
