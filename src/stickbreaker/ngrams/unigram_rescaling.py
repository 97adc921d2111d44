"""Language models whose probabilities are rescaled by the topics of a document (Gildea and Hofmann 1999)."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.core.random_streams import numbered_keys
from stickbreaker.core.records import Array
from stickbreaker.corpus import Corpus
from stickbreaker.estimators.unigram_topics import UnigramTopics
from stickbreaker.ngrams import purposes
from stickbreaker.ngrams.kernels.particles import Particles, Words, predict_with_shares
from stickbreaker.ngrams.kernels.pitman_yor import find_ways
from stickbreaker.ngrams.kernels.rescaling import Words as WordsOfContexts
from stickbreaker.ngrams.kernels.rescaling import (
    fill_excess,
    sum_down_restaurants,
    sum_down_unbounded,
    sum_empty_context,
)
from stickbreaker.ngrams.model.contexts import Integers
from stickbreaker.ngrams.model.language_model import LanguageModel, text_before
from stickbreaker.ngrams.sentence_scores import Scores, all_scores
from stickbreaker.ngrams.word_numbers import Base, WordNumbers

LARGEST_EXPONENT = 10.0
STEPS = 32  # rows of topic shares whose ratios are in memory at a time


class Ratios(NamedTuple):
    """The ratios (p(word | topics of a document) / p(word))^exponent by which a language model is rescaled.

    Both probabilities come from a topic model, and only its words have a ratio. p(word) is the mean of p(word
    | topic), weighted by the topics' shares of the training words.
    """

    words: Integers  # (words,) their numbers in the language model
    topic_words: Array  # words × topics: p(word | topic)
    lifts: Array  # words × topics: p(word | topic) / p(word)
    alpha: Array  # (topics,) prior of topics in documents
    exponent: float

    @classmethod
    def of(cls, topics: UnigramTopics, numbers: WordNumbers, exponent: float) -> "Ratios":
        """The ratios for the known words of a language model that the topic model has too; marks have none.

        Raises UserError for an exponent out of range.
        """
        if isinstance(exponent, bool | str) or not 0.0 <= exponent <= LARGEST_EXPONENT:
            remedy = f"exponent is a number from 0 to {LARGEST_EXPONENT:g}"
            raise UserError(f"exponent={exponent!r}", remedy=remedy)
        rows = {word: row for row, word in enumerate(topics.words)}
        found = np.array([rows.get(word, -1) for word in numbers.known], np.int64)
        p = topics.topic_word.T @ (topics.topic_shares / topics.topic_shares.sum())
        words = np.flatnonzero((found >= 0) & (np.append(p, 0.0)[found] > 0.0))
        rows_of_words = found[words]
        topic_words = np.ascontiguousarray(topics.topic_word.T[rows_of_words], np.float64)
        lifts = topic_words / p[rows_of_words, None]
        return cls(words, topic_words, lifts, np.asarray(topics.alpha, np.float64), float(exponent))

    def excess(self, shares: Array, n_words: int) -> Array:
        """The ratio minus one of every word, for each row of topic shares (steps × all words); 0 for words
        without a ratio. shares (steps × topics)."""
        found = np.empty((len(shares), n_words))
        fill_excess(shares, self.lifts, self.words, self.exponent, found)
        return found


class TopicPath(NamedTuple):
    """The topic shares along a document, which change after each word that has a ratio; events are its words
    and ends."""

    shares: Array  # steps × topics
    steps: Integers  # (events,) the row of each event's shares, ascending


@dataclass(frozen=True, eq=False)
class UnigramRescaling:
    """A language model rescaled by topics: p(w | h, d) ~ (p(w | d) / p(w))^exponent p(w | h) for a word w
    after the context h in document d.

    Noji, Mochihashi and Miyao (2013), equation 14. p(w | h) is by the language model, the mean over its
    samples. p(w | d) is the mean over particles, which sample the topics of the earlier words of the document
    that both models know.
    """

    model: LanguageModel
    base: Base
    ratios: Ratios

    @cached_property
    def p_base(self) -> Array:
        """G0 of every word, by number (words)."""
        return np.exp(self.base.log_p)

    @cached_property
    def words_of_contexts(self) -> WordsOfContexts:
        """The words that were seen after each context."""
        contexts = self.model.contexts
        return WordsOfContexts(contexts.first_slots, contexts.slot_keys % contexts.n_words)

    @cached_property
    def place_of_words(self) -> Integers:
        """Each word's index among the words with a ratio; -1 if it has none (words + 1: the last entry is for
        word number -1)."""
        places = np.full(self.model.contexts.n_words + 1, -1, np.int64)
        places[self.ratios.words] = np.arange(len(self.ratios.words))
        return places

    def topic_path(self, events: Integers, key: np.uint64, particles: Particles) -> TopicPath:
        """The topic shares before each word and end of a document, inferred from the words before it.

        events: the words and ends, by number; key: of the random stream (uint64).
        """
        places = self.place_of_words[events]
        having = places >= 0
        inside = np.zeros((int(having.sum()) + 1, len(self.ratios.alpha)))  # and a last row: no topic
        inside[:-1] = self.ratios.topic_words[places[having]]
        outside = np.zeros(len(inside))
        outside[-1] = 1.0
        words = Words(np.array([0, len(inside)]), inside, outside)
        p, shares = np.empty(len(inside)), np.empty(inside.shape)
        predict_with_shares(words, self.ratios.alpha, particles, np.array([key]), p, shares)
        return TopicPath(shares, np.cumsum(having) - having)

    def log_factors(self, events: Integers, positions: Integers, path: TopicPath) -> Array:
        """The log of the normalised factor by which topics change p(word | context), for each word and end.

        events: words and ends by number, -1 if unknown and scored by its letters; positions: of each in its
        sentence; path: from `topic_path`.
        """
        text, places = text_before(events, positions, self.model.end)
        found = np.empty(len(events))
        for start in range(0, len(path.shares), STEPS):
            part = slice(*np.searchsorted(path.steps, [start, start + STEPS]))
            excess = self.ratios.excess(path.shares[start : start + STEPS], self.model.contexts.n_words)
            steps, numbers = path.steps[part] - start, events[part]
            own = np.where(numbers < 0, 0.0, excess[steps, numbers])
            found[part] = np.log1p(own) - np.log1p(self.sums(text, places[part], excess, steps))
        return found

    def sums(self, text: Integers, places: Integers, excess: Array, steps: Integers) -> Array:
        """The sum over all words w of p(w | context) excess_w, for the contexts before these places of a text
        (places).

        excess (steps × words); steps (places): the row of `excess` for each place. The sum is built up from
        the empty context, for which it is computed once per row, to longer ones.
        """
        restaurants, slots = np.empty((2, len(places), self.model.longest + 1), np.int64)
        find_ways(text, places, self.model.trie, restaurants, slots)
        shares = self.model.shares
        empty, found = np.empty((len(excess), shares.left.shape[1])), np.empty(len(places))
        sum_empty_context(excess, self.p_base, shares, empty)
        sum_down = sum_down_restaurants if self.model.ends is None else sum_down_unbounded
        sum_down(restaurants, steps, excess, empty, self.words_of_contexts, shares, found)
        return found

    def sums_over_all_words(self, text: Integers, places: Integers, excess: Array, steps: Integers) -> Array:
        """The same as `sums`, from the probability of every word in every context: slow, for tests."""
        words = np.arange(self.model.contexts.n_words)
        found = np.empty(len(places))
        for i, place in enumerate(places.tolist()):
            before = text[max(0, place - self.model.longest) : place][::-1]
            symbols = [np.full(len(words), symbol) for symbol in before.tolist()]
            found[i] = self.model.probabilities(words, symbols, self.p_base) @ excess[steps[i]]
        return found


class RescaledScores(NamedTuple):
    """Scores of documents by a language model, without and with rescaling."""

    plain: Scores
    nats: Array  # (words and ends,) log p with rescaling
    same_ratio: NDArray[np.bool_]  # (words and ends,) whether the topic model lacks the word: its ratio is 1


class RescaledSums(NamedTuple):
    """Rescaled scores summed over documents: for each part of the words, the sum of log p (nats) and their
    number.

    The parts: "all" and "known" words without rescaling, "rescaled_all" and "rescaled_known" with it.
    """

    parts: dict[str, tuple[float, float]]
    same_ratio: int  # number of words and ends with ratio 1

    @classmethod
    def of(cls, scores: Iterator[RescaledScores]) -> "RescaledSums":
        """The sums of scores over blocks."""
        parts = {name: np.zeros(2) for name in ("all", "known", "rescaled_all", "rescaled_known")}
        same_ratio = 0
        for plain, rescaled, same in scores:
            for prefix, nats in (("", plain.nats), ("rescaled_", rescaled)):
                parts[f"{prefix}all"] += nats.sum(), len(nats)
                parts[f"{prefix}known"] += nats[plain.known].sum(), plain.known.sum()
            same_ratio += int(same.sum())
        return cls({name: (float(nats), float(n)) for name, (nats, n) in parts.items()}, same_ratio)


def rescaled_scores(
    corpus: Corpus, rescaling: UnigramRescaling, seed: int, particles: Particles
) -> Iterator[RescaledScores]:
    """The rescaled scores of a corpus, block by block, each document independently.

    All documents use the same random numbers, so that p of all possible next words sums to one.
    """
    blocks = all_scores(corpus, rescaling.model, rescaling.base)
    for plain, size in zip(blocks, corpus.block_sizes, strict=True):
        keys = numbered_keys(seed, purposes.NGRAM_RESCALING, 0, np.zeros(size, np.int64))
        yield _rescaled(plain, rescaling, keys, particles)


def _rescaled(
    plain: Scores, rescaling: UnigramRescaling, keys: NDArray[np.uint64], particles: Particles
) -> RescaledScores:
    nats = plain.nats.copy()
    positions = np.arange(len(nats)) - np.concatenate([[0], np.flatnonzero(plain.ends) + 1])[plain.sentences]
    offsets = np.searchsorted(plain.documents[plain.sentences], np.arange(len(keys) + 1))
    for key, start, stop in zip(keys, offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        events = plain.words[start:stop]
        path = rescaling.topic_path(events, key, particles)
        nats[start:stop] += rescaling.log_factors(events, positions[start:stop], path)
    return RescaledScores(plain, nats, rescaling.place_of_words[plain.words] < 0)
