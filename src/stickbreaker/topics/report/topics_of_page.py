"""Topics as the report shows them: their words, documents and neighbours, and how words divide over them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from stickbreaker.core.errors import UserError
from stickbreaker.core.topk import descending
from stickbreaker.corpus.text.polylingual import PolylingualAnalysis
from stickbreaker.pages.colour import topic_colours
from stickbreaker.topics.learned import TopicsLearned
from stickbreaker.topics.names.given_names import FILE_WORDS
from stickbreaker.topics.names.named_topics import NamedTopics
from stickbreaker.topics.report.display_words import WordFigures, choose_words
from stickbreaker.topics.report.document_entries import DocumentEntry

WordList = Sequence[tuple[str, float, float]]  # (word, probability in the topic, in the whole collection)

REPRESENTATIVE = 6  # documents shown with a topic
LEAST_SHARE = 0.05  # of a document that a topic has, if it is to represent the topic
LEAST_WORDS = 10  # a document shorter than this represents nothing
CONCEPTS = "concepts"  # stands in place of a language
SHOWN = 12  # words of a language, or concepts, that stand side by side
UNUSED = "unused"  # the label of a topic that has next to no tokens
MOST_SPREAD = 16_000  # words whose topics are listed
SPREAD_AT_ONCE = 1000
SPREAD_TOPICS = 12  # of a word, those with most of it
LEAST_SPREAD = 0.01  # of a word that a topic has, to be listed
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
    vocabulary = model.vocabulary
    side = vocabulary.ranges[leading] if leading else slice(0, len(vocabulary))
    first = model.ranked_words(FILE_WORDS, side).words.tolist()
    return [
        [TopicMember(k, model.topic_ids[k], [vocabulary.spelled[row] for row in first[k]]) for k in group]
        for group in named.members
    ]


def _shown(
    model: TopicsLearned, leading: str, seen: WordFigures
) -> Iterator[tuple[WordList, Sequence[tuple[str, WordList]]]]:
    """For each topic on the page: the words that it can be shown with, and its first words in each language
    as (language, words).

    With several languages, the words to show are those of the language `leading`. With one, `leading` is "",
    and there are no words by language.
    """
    vocabulary = model.vocabulary
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
    vocabulary = named.model.vocabulary
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


def leading_language(model: TopicsLearned, wanted: str | None) -> str:
    """The language whose words label topics: `wanted`, or else the first that the text was read
    in (the first of --text-field); "" if the model has only one.

    Raises UserError for a language that the model does not have.
    """
    languages = model.vocabulary.languages
    if wanted is not None and wanted not in languages:
        available = ", ".join(languages) or "one language"
        raise UserError(f"there is no language {wanted!r}", remedy=f"the model has {available}")
    if wanted is not None:
        return wanted
    analysis = model.facts.analysis
    order = analysis.languages if isinstance(analysis, PolylingualAnalysis) else ()
    return next((code for code in (*order, *languages) if code in languages), "")


def colours_of(topics: Sequence[Topic], positions: Sequence[tuple[float, float]]) -> list[str]:
    """A colour for each topic, by its position on the map so that similar topics have similar colours; unused
    topics are grey.
    """
    used = [k for k, topic in enumerate(topics) if not topic.unused]
    colours = topic_colours([positions[k] for k in used] if positions else [], len(used))
    given = dict(zip(used, colours, strict=True))
    return [given.get(k, _GREY) for k in range(len(topics))]
