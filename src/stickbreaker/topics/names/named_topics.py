"""A model's topics as a reader sees them: those of one name are one.

Nothing is lost: the model keeps all its topics, and without their common name they are apart again.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickbreaker.core.records import Array
from stickbreaker.core.topk import by_size
from stickbreaker.topics.learned_topics import LearnedTopics, largest_concepts
from stickbreaker.topics.model.topic_words import TopicWords
from stickbreaker.topics.model.word_ranking import (
    DOCUMENTS,
    RankedWords,
    WordEvidence,
    joined_documents,
    ranking,
)


class NamedTopics:
    """Topics of one name as one: a group of topics, numbered by its largest.

    `members` has the topics of each group by number, the largest first; groups stand in the order of their
    largest topics. `group_of` (K) is each topic's group. `names` are the groups' names, of which a reader
    gave those in `given`; `guided` are the guide's. `unused` are the groups with next to no tokens, which
    are never joined.

    With G groups of K topics: `shares` (G) are sums of the members' shares of all tokens, and `words` (G × V)
    the means of their words, each member weighing as its share.
    """

    def __init__(self, model: LearnedTopics) -> None:
        self.model = model
        self.members = groups_of_names(model.topic_names_, model.topic_shares_, model.unused_topics_)
        firsts = [group[0] for group in self.members]
        self.group_of = np.zeros(len(model.alpha_), np.int64)
        for g, group in enumerate(self.members):
            self.group_of[list(group)] = g
        self.names = [model.topic_names_[k] for k in firsts]
        guided = model.guided_names
        self.guided = [guided[k] for k in firsts]
        self.given = [self._given(group) for group in self.members]
        self.unused = [g for g, k in enumerate(firsts) if k in model.unused_topics_]

    def _given(self, group: Sequence[int]) -> str | None:
        """The name that a reader gave a group, or a part of one that bears the same name by the guide."""
        names = (self.model.given_names_.get(self.model.topic_ids_[k]) for k in group)
        return next((name for name in names if name), None)

    @property
    def joined(self) -> bool:
        """Whether any topics are one to the reader."""
        return len(self.members) < len(self.group_of)

    @cached_property
    def shares(self) -> Array:
        return self.sums(self.model.topic_shares_) if self.joined else self.model.topic_shares_

    @cached_property
    def words(self) -> TopicWords:
        if not self.joined:
            return self.model.topic_words
        return MeanWords(self.model.topic_words, self.members, self.model.topic_shares_)

    @cached_property
    def concept_shares(self) -> tuple[Sequence[str], Array]:
        """Names of concepts, and the share that each has of a group's tokens (concepts × G)."""
        names, shares = self.model.concept_shares
        return names, self.means(shares)

    def sums(self, values: ArrayLike) -> Array:
        """Figures of topics (… × K), such as shares, added up by group (… × G)."""
        numbers = np.asarray(values, np.float64)
        return np.stack([numbers[..., list(group)].sum(axis=-1) for group in self.members], axis=-1)

    def means(self, values: ArrayLike) -> Array:
        """The mean of figures of topics (… × K) by group (… × G), each topic weighing as its share."""
        numbers = np.asarray(values, np.float64)
        weights = [_weights(group, self.model.topic_shares_) for group in self.members]
        means = [
            numbers[..., group[0]] if len(group) == 1 else numbers[..., list(group)] @ weight
            for group, weight in zip(self.members, weights, strict=True)
        ]
        return np.stack(means, axis=-1)

    def mix(self, parts: Iterable[tuple[int, float]]) -> list[tuple[int, float]]:
        """A document's (topic, share), as (group, sum of the shares), the largest first."""
        sums: dict[int, float] = {}
        for topic, share in parts:
            group = int(self.group_of[topic])
            sums[group] = sums.get(group, 0.0) + share
        groups = sorted(sums.items())
        return by_size(groups, [share for _, share in groups])

    @cached_property
    def word_evidence(self) -> WordEvidence:
        """As `LearnedTopics.word_evidence`, of groups: the documents of a group are those of its members."""
        own = self.model.word_evidence
        if not self.joined:
            return own
        counted = joined_documents(own, self.members)
        return WordEvidence(self.words, self.shares, own.per_token, counted)

    def ranked_words(self, n: int, within: slice = slice(None), by: str = DOCUMENTS) -> RankedWords:
        """As `LearnedTopics.ranked_words`, of groups (both G × n)."""
        return ranking(by)(self.word_evidence, n, within)

    def top_words(self, n: int) -> list[list[str]]:
        """The first words of each group, of each language in turn."""
        vocabulary = self.model.vocabulary_
        sides = [self.ranked_words(n, side).words.tolist() for side in vocabulary.parts]
        return [
            [vocabulary.words[row] for side in sides for row in side[g]] for g in range(len(self.members))
        ]

    def top_concepts(self, n: int = 10) -> list[list[tuple[str, float]]]:
        """As `LearnedTopics.top_concepts`, of groups."""
        return largest_concepts(*self.concept_shares, n)


class MeanWords(NamedTuple):
    """Words of groups of topics, each topic weighing as its share: `TopicWords` of the groups.

    >>> from stickbreaker.topics.model.topic_words import Dense
    >>> words = Dense(np.array([[0.2, 0.8], [0.5, 0.5], [0.6, 0.4]]))
    >>> MeanWords(words, [(2, 0), (1,)], np.array([0.25, 0.0, 0.75])).of(np.array([0])).round(6).tolist()
    [[0.5], [0.5]]
    """

    topics: TopicWords
    members: Sequence[tuple[int, ...]]
    shares: Array  # of each topic

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.members), self.topics.shape[1]

    def of(self, rows: NDArray[np.integer]) -> Array:
        return self._means(self.topics.of(rows))

    def dense(self) -> Array:
        return self._means(self.topics.dense())

    def _means(self, part: Array) -> Array:
        means = part[[group[0] for group in self.members]]
        for g, group in enumerate(self.members):
            if len(group) > 1:
                means[g] = _weights(group, self.shares) @ part[list(group)]
        return means


def groups_of_names(
    names: Sequence[str | None], shares: Array, unused: Sequence[int]
) -> list[tuple[int, ...]]:
    """Topics by name, the largest of each name first; those without a name and those unused are by
    themselves.

    >>> groups_of_names(["a", None, "a", "a"], np.array([0.1, 0.4, 0.3, 0.2]), [3])
    [(1,), (2, 0), (3,)]
    """
    groups: dict[object, list[int]] = {}
    for k, name in enumerate(names):
        groups.setdefault((k,) if name is None or k in unused else name, []).append(k)
    ordered = [tuple(by_size(group, shares[group])) for group in groups.values()]
    return sorted(ordered)


def _weights(group: Sequence[int], shares: Array) -> Array:
    """How much each topic of a group weighs in its means; all alike where none has a token."""
    own = shares[list(group)]
    total = float(own.sum())
    return own / total if total > 0.0 else np.full(len(group), 1.0 / len(group))
