"""The records that the report of topics is made of: plain data, knowing nothing of models or corpora."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from stickbreaker.corpus.document import Scalar

WordList = Sequence[tuple[str, float, float]]  # (word, probability in the topic, in the whole collection)


@dataclass(frozen=True, slots=True)
class TopicMember:
    """A learned topic, alone or with others of its name shown as one: its number in the model, the id that
    lasts while the model goes on learning, and its first words."""

    number: int
    id: int
    words: Sequence[str]


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic as the reader sees it.

    `id` lasts for the life of the model (`#topic-7` links to it). `share` is the part of all tokens that
    belongs to the topic. `words` are those it may be shown with, see `choose_words`; `sides` holds
    (language, words) where a topic has words in several, and ("concepts", names) where it has these. `named`
    tells that somebody gave it its label, `unused` that it has next to no tokens: it is listed last, and is
    neither counted nor drawn.
    `documents` indexes `TopicPage.documents`, the most typical first; `similar` holds ids of other topics,
    the nearest first. `coherence` is NPMI in [-1, 1]; `match` is (label, similarity in [0, 1]) of its
    partner in another model. `given` is the name that a reader gave it and `guided` that of a guide; ""
    without one.
    `members` are the learned topics that are shown as this one, the largest first; a topic without them is
    one that the page's reader cannot name.
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
class DocumentEntry:
    """One document: a snippet of its text and its leading topics.

    `mix` holds (index into `TopicPage.topics`, share of the document's tokens), the largest first; it need
    not sum to one. `marks` holds (first character, length, index into `TopicPage.topics`) of words of the
    snippet.
    """

    id: str
    title: str
    text: str
    mix: Sequence[tuple[int, float]]
    n_tokens: int
    metadata: Mapping[str, Scalar] = field(default_factory=dict)
    marks: Sequence[tuple[int, int, int]] = ()


@dataclass(frozen=True, slots=True)
class TracePoint:
    """One evaluation during learning; scores are natural logarithms per word, so at most zero."""

    step: int
    documents: int
    seconds: float
    score: float | None = None
    held_out: float | None = None
    passes: float | None = None


@dataclass(frozen=True, slots=True)
class Prediction:
    """How documents of a stream were predicted before they were learned from, up to so many documents and
    seconds: nats a word of the topics, and of a unigram whose counts fade."""

    documents: int
    seconds: float
    score: float
    unigram: float


@dataclass(frozen=True, slots=True)
class Relations:
    """How topics relate. `similarity` (K × K) is in [0, 1].

    `merges` are (left, right, height) from the bottom up: numbers below K are topics, K + i is the
    i-th merge. `order` lists the topics as the leaves of that tree; those not in use are not among them.
    """

    similarity: Sequence[Sequence[float]]
    merges: Sequence[tuple[int, int, float]]
    order: Sequence[int]


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Topic shares of parts of the collection: `shares` (parts × K), and the documents of each part.

    `field` is the metadata field that divides the collection; `names` are its parts, in order of time, of
    size or of name. `left_out` documents are in no part. `sampled`: only the documents of the page count.
    """

    field: str
    names: Sequence[str]
    documents: Sequence[int]
    shares: Sequence[Sequence[float]]
    left_out: int = 0
    sampled: bool = False


@dataclass(frozen=True, slots=True)
class WordRow:
    """A word of the vocabulary: its tokens and documents in the collection, and its most probable topic.

    Where nobody counted them, as of a stream, both are None, and `share` is the word's share of all words by
    the model.
    """

    word: str
    tokens: float | None
    documents: int | None
    topic: int
    language: str = ""
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Life:
    """A topic that took part in a move, from its birth to its end; times are in the unit of `Growth`.

    `id` lasts from step to step. `parent` is the topic that it was split from, `into` the one that it was
    merged into; `end` is None where it lasted. `topic` indexes `TopicPage.topics`, None for one not in it.
    `words` are its first words when last seen.
    """

    id: int
    born: float = 0.0
    end: float | None = None
    parent: int | None = None
    into: int | None = None
    topic: int | None = None
    words: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class TopicMove:
    """A split (`topic` stayed, `other` is new) or a merge (`other` is gone into `topic`): lasting ids.

    `gain` is what the bound gained, in nats; None where no bound judged the move.
    """

    kind: str
    at: float
    topic: int
    other: int
    gain: float | None = None


@dataclass(frozen=True, slots=True)
class Refinement:
    """What a split made of a topic: its first words before, and the (time, its own, the new one's) after."""

    split: TopicMove
    before: Sequence[str]
    after: Sequence[tuple[float, Sequence[str], Sequence[str]]]


@dataclass(frozen=True, slots=True)
class SearchFacts:
    """The runs by which the number of topics was searched for.

    `points` are (topics to start with, topics in use, bound, held-out score or None, whether it ran to its
    end) of each run, the model's the last; scores in nats per word. `judge` is "bound" or "held-out". Numbers
    of topics from `fewest` to `most` are as good but for 0.005 nats per word; `at_most`: the best run began
    with the largest number that was tried. `few`: the number that the bound asked for, if documents held out
    overruled it.
    """

    judge: str
    points: Sequence[tuple[int, int, float, float | None, bool]]
    fewest: int
    most: int
    at_most: bool = False
    few: int | None = None


@dataclass(frozen=True, slots=True)
class Growth:
    """How the topics of a model came about by splits and merges.

    `learned`: the model learns how many topics there are; else their number stays, and each merge is followed
    by a split. `unit` of all times is "pass" or "step". `counts` are (time, topics in the table, topics in
    use, splits, merges since the row before). `lives` are of all topics that are mentioned, `lines` the ids
    of those drawn, from the top. `moves`, `lines` and `refinements` may be parts: `splits`, `merges`,
    `changed` (topics in a move) and `refined` (splits whose words are known) are of the whole run, as is
    `began`, the number of topics at first.
    """

    unit: str
    counts: Sequence[tuple[float, int, int, int, int]]
    lives: Sequence[Life] = ()
    lines: Sequence[int] = ()
    moves: Sequence[TopicMove] = ()
    refinements: Sequence[Refinement] = ()
    learned: bool = True
    began: int = 0
    splits: int = 0
    merges: int = 0
    changed: int = 0
    refined: int = 0
