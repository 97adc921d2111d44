"""A model's topics as shown to readers: topics with the same name are merged.

The model itself keeps all its topics; if the common name is removed, they are separate again.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickbreaker.core.records import Array
from stickbreaker.core.topk import by_size
from stickbreaker.topics.learned import TopicsLearned, largest_concepts
from stickbreaker.topics.model.topic_words import TopicWords
from stickbreaker.topics.model.word_ranking import (
    DEFAULT,
    RankedWords,
    WordEvidence,
    joined_documents,
    ranking,
)


class NamedTopics:
    """A model's topics in groups: topics with the same name form a group, any other topic is a group of its
    own.

    `members`: the topics of each group by number, largest first; `group_of` (K): each topic's group. `names`:
    the groups' names, None without one; `given`: the names that users gave, and `guided`: those from the
    guide (seed words), None without one. `unused`: groups with hardly any tokens, which are never merged.

    With K topics in G groups: `shares` (G) are sums of the members' shares of all tokens, and `words` (G × V)
    are means of the members' word probabilities, weighted by shares.
    """

    def __init__(self, model: TopicsLearned) -> None:
        self.model = model
        self.members = groups_of_names(model.topic_names, model.topic_shares, model.unused_topics)
        firsts = [group[0] for group in self.members]
        self.group_of = np.zeros(len(model.alpha), np.int64)
        for g, group in enumerate(self.members):
            self.group_of[list(group)] = g
        self.names = [model.topic_names[k] for k in firsts]
        guided = model.guided_names
        self.guided = [guided[k] for k in firsts]
        self.given = [self._given(group) for group in self.members]
        self.unused = [g for g, k in enumerate(firsts) if k in model.unused_topics]

    def _given(self, group: Sequence[int]) -> str | None:
        """The name that users gave to topics of a group (topic numbers); None if the group has no name, or
        only one from the guide.
        """
        names = (self.model.given_names.get(self.model.topic_ids[k]) for k in group)
        return next((name for name in names if name), None)

    @property
    def joined(self) -> bool:
        """Whether any group has more than one topic, so that groups differ from the model's topics."""
        return len(self.members) < len(self.group_of)

    @cached_property
    def shares(self) -> Array:
        return self.sums(self.model.topic_shares) if self.joined else self.model.topic_shares

    @cached_property
    def words(self) -> TopicWords:
        if not self.joined:
            return self.model.topic_words
        return MeanWords(self.model.topic_words, self.members, self.model.topic_shares)

    @cached_property
    def concept_shares(self) -> tuple[Sequence[str], Array]:
        """The names of the concepts, and the share of each group's tokens that belong to them (concepts ×
        G). Both are empty for a model without concepts.
        """
        names, shares = self.model.concept_shares
        return names, self.means(shares)

    def sums(self, values: ArrayLike) -> Array:
        """Add up values of topics (… × K), such as shares, over the topics of each group (… × G)."""
        numbers = np.asarray(values, np.float64)
        return np.stack([numbers[..., list(group)].sum(axis=-1) for group in self.members], axis=-1)

    def means(self, values: ArrayLike) -> Array:
        """Average values of topics (… × K) over the topics of each group (… × G), weighted by the topics'
        shares of all tokens.
        """
        numbers = np.asarray(values, np.float64)
        weights = [_weights(group, self.model.topic_shares) for group in self.members]
        means = [
            numbers[..., group[0]] if len(group) == 1 else numbers[..., list(group)] @ weight
            for group, weight in zip(self.members, weights, strict=True)
        ]
        return np.stack(means, axis=-1)

    def mix(self, parts: Iterable[tuple[int, float]]) -> list[tuple[int, float]]:
        """Convert a document's (topic, share) pairs to (group, sum of its topics' shares), largest first."""
        sums: dict[int, float] = {}
        for topic, share in parts:
            group = int(self.group_of[topic])
            sums[group] = sums.get(group, 0.0) + share
        groups = sorted(sums.items())
        return by_size(groups, [share for _, share in groups])

    @cached_property
    def word_evidence(self) -> WordEvidence:
        """The input of the rankings of groups' words, as `TopicsLearned.word_evidence` is for topics. A
        word's number of documents in a group is the sum over its topics.
        """
        own = self.model.word_evidence
        if not self.joined:
            return own
        counted = joined_documents(own, self.members)
        return WordEvidence(self.words, self.shares, own.per_token, counted)

    def ranked_words(self, n: int, within: slice = slice(None), by: str = DEFAULT) -> RankedWords:
        """The first `n` words of each group, among the vocabulary rows `within`: their numbers and
        probabilities (both G × n).

        `by`: the name of the ranking, as for `TopicsLearned.top_words`.
        """
        return ranking(by)(self.word_evidence, n, within)

    def top_words(self, n: int) -> list[list[str]]:
        """The first `n` words of each group, of each language in turn, spelled as in the vocabulary (with the
        language's code if there are several).
        """
        vocabulary = self.model.vocabulary
        sides = [self.ranked_words(n, side).words.tolist() for side in vocabulary.parts]
        return [
            [vocabulary.words[row] for side in sides for row in side[g]] for g in range(len(self.members))
        ]

    def top_concepts(self, n: int = 10) -> list[list[tuple[str, float]]]:
        """For each group of topics, (name, share) of the `n` concepts that have most of its tokens; empty
        lists without concepts.
        """
        return largest_concepts(*self.concept_shares, n)


class MeanWords(NamedTuple):
    """The word probabilities of groups of topics, in the form of `TopicWords`: means over the topics of each
    group, weighted by their shares.

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

    def by_word(self, rows: NDArray[np.integer]) -> Array:
        return np.ascontiguousarray(self.of(rows).T)

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
    """Group topics by name, largest first in each group; topics without a name and unused ones stay single.
    Groups are in the order of the numbers of their largest topics.

    >>> groups_of_names(["a", None, "a", "a"], np.array([0.1, 0.4, 0.3, 0.2]), [3])
    [(1,), (2, 0), (3,)]
    """
    groups: dict[object, list[int]] = {}
    for k, name in enumerate(names):
        groups.setdefault((k,) if name is None or k in unused else name, []).append(k)
    ordered = [tuple(by_size(group, shares[group])) for group in groups.values()]
    return sorted(ordered)


def _weights(group: Sequence[int], shares: Array) -> Array:
    """The weights of a group's topics in means over the group: their shares, divided by the sum; equal if no
    topic has tokens.
    """
    own = shares[list(group)]
    total = float(own.sum())
    return own / total if total > 0.0 else np.full(len(group), 1.0 / len(group))
