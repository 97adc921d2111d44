"""Lexicons of one direction: p(e | f), the probability of a word's translations, overall and by topics."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array
from stickbreaker.translation.lexicon.link_counts import LinkCounts, LinkedWords

STRENGTHS = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)  # candidates, for the prior by word frequencies
TOPIC_STRENGTHS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1_000.0, 3_000.0, 10_000.0)
AT_ONCE = 1 << 16  # distinct word pairs whose topic counts are in memory


class Strengths(NamedTuple):
    """How strong the two priors of a lexicon are, in numbers of links that they are worth.

    `base`: the prior of p(e | f) from the frequencies of words e; `topic`: the prior of p(e | f; k) in a
    topic k from p(e | f).
    """

    base: float = 1.0
    topic: float = 100.0


BY_DEFAULT = Strengths()


class Translations(NamedTuple):
    """The translations e that are linked with one word f, the most probable first."""

    words: NDArray[np.int64]  # (n,) numbers of words of the other language
    links: Array  # (n,) number of links in all documents
    p: Array  # (n,) p(e | f)
    topic_links: Array  # n × topics: by topic, each link shared by its document's topics
    topic_p: Array  # n × topics: p(e | f; topic)


@dataclass(frozen=True, eq=False)
class DirectedLexicon:
    """A lexicon of one direction: p(e | f) of translations e of words f, and p(e | f, d) by the topics of a
    document d, from counts c_d of links.

        c_k(f, e)   = sum over d of p(k | d) c_d(f, e),    b_k = b c_k(f) / c(f)
        p(e | f)    = (c(f, e) + b p(e)) / (c(f) + b)
        p(e | f; k) = (c_k(f, e) + b_k p(e) + m p(e | f)) / (c_k(f) + b_k + m)
        p(e | f, d) = sum over k of p(k | d) p(e | f; k)

    This follows section 5.3 of the thesis, which has no equations; b and m are `strengths`. A word's prior b
    is divided among topics like its links, so that topics are smoothed like all documents: a translation e
    never linked with f has the same probability in each topic as overall, and with one topic all three are
    the same. p(e) is the share of e among linked words; words never linked share the Good-Turing mass, and
    one extra entry stands for all unknown words (number -1). Each distribution sums to one over the words of
    the other language and that entry.
    """

    counts: LinkCounts
    shares: Array  # documents × topics: p(k | d)
    strengths: Strengths = BY_DEFAULT

    @property
    def n_topics(self) -> int:
        return self.shares.shape[1]

    @cached_property
    def pair_counts(self) -> Array:
        """The number of links c(f, e) of each word pair (pairs,)."""
        return np.asarray(self.counts.by_document.sum(axis=1), np.float64).ravel()

    @cached_property
    def word_counts(self) -> Array:
        """The number of links c(f) of each word (words,)."""
        ends = np.concatenate([[0.0], np.cumsum(self.pair_counts)])
        return np.diff(ends[self.counts.offsets])

    @cached_property
    def word_topic_counts(self) -> Array:
        """The expected number of links c_k(f) of each word in each topic (words × topics); a link is divided
        among topics by its document's shares."""
        from scipy.sparse import csr_matrix

        pairs, offsets = len(self.counts.words), self.counts.offsets
        of_words = csr_matrix((np.ones(pairs), np.arange(pairs), offsets), (len(offsets) - 1, pairs))
        return np.asarray((of_words @ self.counts.by_document) @ self.shares)

    @cached_property
    def base(self) -> Array:
        """The prior p(e) of each translation; the last entry is for all unknown words together (translations
        + 1)."""
        n = self.counts.n_translations
        linked = np.bincount(self.counts.translations, self.pair_counts, minlength=n)
        total, once = linked.sum(), float((linked == 1.0).sum())
        unseen = (once + 1.0) / (total + 2.0)
        places = np.append(linked == 0.0, True)
        return np.append(linked, 0.0) * ((1.0 - unseen) / max(total, 1.0)) + np.where(
            places, (unseen if total else 1.0) / places.sum(), 0.0
        )

    def topic_counts(self, rows: NDArray[np.int64]) -> Array:
        """The expected links c_k(f, e) of word pairs in each topic k (pairs × topics).

        rows: the row of each pair in `counts`, -1: never linked (all zeros).
        """
        found = np.zeros((len(rows), self.n_topics))
        known = np.flatnonzero(rows >= 0)
        found[known] = self.counts.by_document[rows[known]] @ self.shares
        return found

    def p_plain(self, words: NDArray[np.int64], translations: NDArray[np.int64]) -> Array:
        """p(e | f), without topics, of each pair of a word f (in `words`) and a translation e; -1 stands for
        an unknown word (pairs).

        For an unknown word f, it is p(e).
        """
        return self._plain(self.counts.rows_of(words, translations), words, translations)

    def _plain(
        self, rows: NDArray[np.int64], words: NDArray[np.int64], translations: NDArray[np.int64]
    ) -> Array:
        """p(e | f), like `p_plain`, of pairs whose rows in `counts` are known already (-1: never linked)."""
        counts = np.where(rows >= 0, np.append(self.pair_counts, 0.0)[rows], 0.0)
        totals = np.where(words >= 0, np.append(self.word_counts, 0.0)[words], 0.0)
        strength = self.strengths.base
        return (counts + strength * self.base[translations]) / (totals + strength)

    def p_topics(self, words: NDArray[np.int64], translations: NDArray[np.int64]) -> Array:
        """p(e | f; k) of each pair of a word f (in `words`) and a translation e, in each topic k; -1 stands
        for an unknown word (pairs × topics)."""
        known, strengths = words >= 0, self.strengths
        rows = self.counts.rows_of(words, translations)
        counts = self.topic_counts(rows)
        totals = np.where(known[:, None], self.word_topic_counts[words], 0.0)
        links = np.where(known, np.maximum(self.word_counts[words], 1.0), 1.0)
        of_base = totals * (strengths.base / links)[:, None]
        prior = of_base * self.base[translations][:, None]
        prior += strengths.topic * self._plain(rows, words, translations)[:, None]
        return (counts + prior) / (totals + of_base + strengths.topic)

    def p_adapted(self, words: NDArray[np.int64], translations: NDArray[np.int64], shares: Array) -> Array:
        """p(e | f, d) of each pair of a word f (in `words`) and a translation e, in the document d of this
        pair (pairs).

        shares (pairs × topics): the topic shares of each pair's document; -1 stands for an unknown word.
        """
        n = self.counts.n_translations
        keys, place = np.unique((words + 1) * (n + 1) + translations + 1, return_inverse=True)
        one, other = keys // (n + 1) - 1, keys % (n + 1) - 1
        order, found = np.argsort(place, kind="stable"), np.empty(len(words))
        ends = np.searchsorted(place[order], np.arange(0, len(keys) + AT_ONCE, AT_ONCE))
        for number, (start, stop) in enumerate(pairwise(ends.tolist())):
            part = slice(number * AT_ONCE, (number + 1) * AT_ONCE)
            p, here = self.p_topics(one[part], other[part]), order[start:stop]
            found[here] = np.einsum("nk,nk->n", p[place[here] - part.start], shares[here])
        return found

    def translations_of(self, word: int) -> Translations:
        """All translations linked with a word (by number), with their probabilities, most probable first;
        ties by number. The arrays are empty for a word without links."""
        rows = np.arange(*self.counts.offsets[word : word + 2])
        translations, words = self.counts.translations[rows], np.full(len(rows), word)
        p = self.p_plain(words, translations)
        order = np.argsort(-p, kind="stable")
        return Translations(
            translations[order],
            self.pair_counts[rows[order]],
            p[order],
            self.topic_counts(rows[order]),
            self.p_topics(words, translations[order]),
        )


class EventScores(NamedTuple):
    """log p, in nats, of each word e that has a link, given the word f that it is linked with: one entry per
    occurrence of e in the text.

    If a word has several links, the mean of the probabilities is used.
    """

    document: NDArray[np.int64]  # (words,)
    plain: Array  # (words,) log p(e | f)
    adapted: Array  # (words,) log p(e | f, d)

    @property
    def gain(self) -> Array:
        """The gain from topics for each word (words,): log p(e | f, d) - log p(e | f), in nats."""
        return self.adapted - self.plain


def scores_of(lexicon: DirectedLexicon, linked: LinkedWords, shares: Array) -> EventScores:
    """log p of each target word of `linked`, with topics and without, in the order of the text.

    lexicon: of p(target | source); shares (documents × topics): of the documents that `linked` numbers.
    """
    _, first, event = np.unique(linked.target_place, return_index=True, return_inverse=True)
    plain = lexicon.p_plain(linked.source, linked.target)
    adapted = lexicon.p_adapted(linked.source, linked.target, shares[linked.document])
    links = np.bincount(event)
    return EventScores(
        linked.document[first],
        np.log(np.bincount(event, plain) / links),
        np.log(np.bincount(event, adapted) / links),
    )


Fold = tuple[LinkCounts, LinkedWords]  # counts of the training documents, and links of held-out ones


def chosen_strengths(folds: Sequence[Fold], shares: Array) -> Strengths:
    """The prior strengths that make held-out links most probable: first `base` is chosen, without topics,
    then `topic`.

    folds: (counts of the training documents, links of the held-out documents). Candidates are `STRENGTHS` and
    `TOPIC_STRENGTHS`. shares (documents × topics): of all documents. Without held-out links, both are the
    defaults; with one topic, `topic` is.
    """
    folds = [fold for fold in folds if len(fold[1].source)]
    if not folds:
        return BY_DEFAULT
    tried = [Strengths(base) for base in STRENGTHS]
    plain = [
        sum(
            float(np.log(DirectedLexicon(counts, shares, one).p_plain(own.source, own.target)).sum())
            for counts, own in folds
        )
        for one in tried
    ]
    best = tried[int(np.argmax(plain))]
    if shares.shape[1] == 1:
        return best
    tried = [best._replace(topic=topic) for topic in TOPIC_STRENGTHS]
    adapted = [
        sum(
            float(scores_of(DirectedLexicon(counts, shares, one), own, shares).adapted.sum())
            for counts, own in folds
        )
        for one in tried
    ]
    return tried[int(np.argmax(adapted))]
