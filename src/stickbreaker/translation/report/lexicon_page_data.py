"""The records that the report of a lexicon is made of: plain data, knowing nothing of lexicons."""

from collections.abc import Sequence
from dataclasses import dataclass

NO_EXAMPLE = -1  # in place of the number of an example


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence and its translation, each in pieces: by turns without a mark and marked, first without."""

    source: Sequence[str]
    target: Sequence[str]


@dataclass(frozen=True, slots=True)
class TopicDomainRow:
    """A topic, or a domain of the documents, as translations follow it.

    `share` is of the links. `words` are (source word, its translation there, p(translation | word; topic)),
    those first that are most typical of it. `domains` are (number of a known domain of the documents, its
    share of the topic's links), the largest first.
    """

    name: str
    share: float
    words: Sequence[tuple[str, str, float]] = ()
    domains: Sequence[tuple[int, float]] = ()


@dataclass(frozen=True, slots=True)
class WordInTopic:
    """How a word is translated in one topic: how many of its links are there, p(translation | word; topic) of
    each translation that its `WordAcrossTopics` lists, and the number of an example of the likeliest."""

    topic: int
    links: float
    p: Sequence[float]
    example: int = NO_EXAMPLE


@dataclass(frozen=True, slots=True)
class WordAcrossTopics:
    """A word with those translations, (translation, p(translation | word)), that are the likeliest in some
    topic, and the topics in which it is linked often enough."""

    word: str
    links: float
    translations: Sequence[tuple[str, float]]
    topics: Sequence[WordInTopic]


@dataclass(frozen=True, slots=True)
class ChangedTranslation:
    """A translation, and how probable it is in all documents, p(e | f), and in one, p(e | f, d)."""

    translation: str
    p_all: float
    p_here: float


@dataclass(frozen=True, slots=True)
class ChangedWord:
    """A word whose translation changes in a document: the likeliest in all documents and the one that the
    document makes likelier, which may be the same; the number of an example from the document.

    `nats` is the divergence of p(e | f, d) from p(e | f).
    """

    word: str
    nats: float
    usual: ChangedTranslation
    here: ChangedTranslation
    another_is_best: bool  # the likeliest translation is not that of all documents
    example: int = NO_EXAMPLE


@dataclass(frozen=True, slots=True)
class ChangedDocument:
    """A document of the bitext: its domain ("": not known), pairs of sentences, how much translations change,
    in nats per linked word that has content, (topic, share), the largest first, and the words that change
    most."""

    name: str
    domain: str
    pairs: int
    nats: float
    topics: Sequence[tuple[int, float]]
    words: Sequence[ChangedWord]
