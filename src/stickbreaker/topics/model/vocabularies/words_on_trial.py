"""The weights that words of some documents have in the topics of a table, and in new topics that are tried.

A closed vocabulary's words have counts and eta. A topic of an open vocabulary is an order of words, each with
a stick: with counts n_1, n_2, ... in that order and the concentration a,

    q(stick t) = Beta(1 + n_t, a + n_>t),
    E[log beta_t] = psi(1 + n_t) - psi(1 + a + n_>=1) - sum_{2 <= s <= t} 1 / (a + n_>=s),
    E[log of the stick left] = psi(a) - psi(1 + a + n_>=1) - sum_{2 <= s <= T} 1 / (a + n_>=s).

A topic that is tried has no order yet. It gets the one that it will have in the table, the word with most
counts first. No order gives the counts more evidence: of this only -sum_{t >= 2} log(a + n_>=t) depends on
the order, and here all tails n_>=t are as small as they can be. Words beyond the truncation share the stick
that is left with all words that the topic lacks. The sticks of a topic do not depend on other topics, so
nothing is recomputed when a topic is removed or added.

A topic with few counts has much of its stick left. By itself that would be a reason to open topics that have
next to no words: each would explain whatever words the others lack, or nearly lack, better than they do. So
the stick left of a topic that is tried is capped at the smallest one of the table's topics.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array, Record, TruncatedCounts
from stickbreaker.topics.model.slots import WordsOnTrial, WordWeights

if TYPE_CHECKING:
    from stickbreaker.topics.model.vocabularies.closed import ClosedVocabulary
    from stickbreaker.topics.model.vocabularies.open import OpenWords


@dataclass(frozen=True, slots=True)
class KnownWordsOnTrial(WordsOnTrial):
    """Words of a closed vocabulary, with which changes of topics are tried on documents.

    `rows` (n, ascending): their rows of the table; `table_counts` (n × topics): their counts; `totals`
    (groups × topics): sums of counts over the whole table, by language.
    """

    spelled = None

    words: "ClosedVocabulary"
    params: Record
    rows: NDArray[np.int64]
    table_counts: Array
    totals: Array

    @property
    def counts(self) -> Array:
        return self.table_counts

    def without(self, topic: int) -> "KnownWordsOnTrial":
        counts, totals = (np.delete(values, topic, axis=1) for values in (self.table_counts, self.totals))
        return replace(self, table_counts=counts, totals=totals)

    def merged(self, topic: int, into: int) -> "KnownWordsOnTrial":
        counts, totals = self.table_counts.copy(), self.totals.copy()
        for values in (counts, totals):
            values[:, into] += values[:, topic]
        return replace(self, table_counts=counts, totals=totals).without(topic)

    def plus(self, counts: Array) -> "KnownWordsOnTrial":
        sums = np.stack([counts[part].sum(axis=0) for part in self.words.ranges(self.rows)])
        more = np.hstack([self.table_counts, counts])
        return replace(self, table_counts=more, totals=np.hstack([self.totals, sums]))

    def weights(self, words: NDArray[np.int64]) -> WordWeights:
        counts, totals = np.ascontiguousarray(self.table_counts[words]), np.ascontiguousarray(self.totals)
        return self.words.weights(self.params, counts, totals, self.rows[words])

    def topic_words(self) -> Array:
        totals = self.totals + self.words.prior_totals(self.params)
        shares = self.table_counts + self.words.prior(self.params, self.rows)
        for group, part in enumerate(self.words.ranges(self.rows)):
            shares[part] /= totals[group]
        return shares.T


@dataclass(frozen=True, slots=True)
class OpenWordsOnTrial(WordsOnTrial):
    """Words with which changes of topics are tried on documents under an open vocabulary, whether the table
    has them or not.

    `table_counts`, `logs` (E[log beta]) and `shares` (E[beta]), all n × columns, and `left` (columns), E[log]
    of the stick left, have a column for each topic, also for removed ones; `topics`: the columns of those
    present. For a word that a topic lacks, `outside` (n) is the log of its share of the stick left, and
    `spelling` (n) its probability among all strings.
    """

    words: "OpenWords"
    params: Record
    spelled: Sequence[str]  # pyright: ignore[reportIncompatibleVariableOverride]
    outside: Array
    spelling: Array
    table_counts: Array
    left: Array
    logs: Array
    shares: Array
    topics: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        words: "OpenWords",
        params: Record,
        counts: TruncatedCounts,
        positions: NDArray[np.int64],
        spelled: Sequence[str],
    ) -> "OpenWordsOnTrial":
        """These words in all topics of a table. `positions`: their rows, -1 if the table lacks them."""
        outside = np.full(len(spelled), words.log_outside(params))
        if words.settings.outside == "spelling":
            outside = words.log_spelling(params, spelled)
        nothing = np.empty((len(spelled), 0))
        empty = cls(
            words,
            params,
            spelled,
            outside,
            words.spelling(params, spelled),
            nothing,
            np.empty(0),
            nothing,
            nothing,
            np.arange(0),
        )
        return empty._with_topics(counts, positions)

    @property
    def counts(self) -> Array:
        return self.table_counts[:, self.topics]

    def without(self, topic: int) -> "OpenWordsOnTrial":
        return replace(self, topics=np.delete(self.topics, topic))

    def merged(self, topic: int, into: int) -> "OpenWordsOnTrial":
        both = self.plus(self.counts[:, [topic, into]].sum(axis=1, keepdims=True))
        topics = self.topics.copy()
        topics[into] = both.topics[-1]
        return replace(both, topics=np.delete(topics, topic))

    def plus(self, counts: Array) -> "OpenWordsOnTrial":
        ordered = counts_by_rank(counts, self.words.settings.truncation, self.spelled)
        return self._with_topics(ordered, np.arange(len(self.spelled)))

    def _with_topics(self, counts: TruncatedCounts, positions: NDArray[np.int64]) -> "OpenWordsOnTrial":
        """The same words with more topics, which have these counts; positions: each word's row in the counts,
        -1 if it has none.

        The stick left of the new topics is at most the smallest of the topics before them.
        """
        logs, left = self.words.expected_logs(self.params, counts)
        left = np.minimum(left, self.left.min(initial=np.inf))  # of topics of the table: as it is
        probabilities, rests = self.words.expected(self.params, counts)
        inside = counts.read(positions, counts.inside.astype(np.float64)) > 0.0
        logs = np.where(inside, counts.read(positions, logs), left + self.outside[:, None])
        shares = counts.read(positions, probabilities) + self.spelling[:, None] * rests
        tokens = counts.scale * counts.read(positions, counts.values)
        before = self.table_counts.shape[1]
        return replace(
            self,
            table_counts=np.hstack([self.table_counts, tokens]),
            left=np.concatenate([self.left, left]),
            logs=np.hstack([self.logs, logs]),
            shares=np.hstack([self.shares, shares]),
            topics=np.concatenate([self.topics, before + np.arange(len(left))]),
        )

    def weights(self, words: NDArray[np.int64]) -> WordWeights:
        from stickbreaker.kernels.dirichlet import FLUSH

        logs = self.logs[words[:, None], self.topics]
        scale = logs.max(axis=1, initial=-np.inf)
        weights = np.exp(logs - scale[:, None])
        weights[weights < FLUSH] = 0.0
        return WordWeights(weights.astype(np.float32), scale)

    def topic_words(self) -> Array:
        return self.shares[:, self.topics].T


def counts_by_rank(counts: Array, truncation: int, spelled: Sequence[str]) -> TruncatedCounts:
    """Counts (words × topics) as a truncated table: each topic's words sorted by count, largest first,
    without zeros.

    Only the first `truncation` words of a topic have sticks of their own.
    """
    from stickbreaker.kernels.truncated_table import by_row

    sizes = np.count_nonzero(counts, axis=0).astype(np.int64)
    slots = int(sizes.max(initial=0))
    rows = np.ascontiguousarray(np.argsort(-counts, axis=0, kind="stable")[:slots].T.astype(np.int32))
    values = np.take_along_axis(counts.T, rows.astype(np.int64), axis=1)
    inside = np.arange(slots) < np.minimum(sizes, truncation)[:, None]
    return TruncatedCounts(
        rows, values, inside, sizes, 1.0, lambda: by_row(rows, sizes, len(counts)), spelled
    )
