"""A backoff language model whose n-grams follow the topics of a document."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Array
from stickbreaker.ngrams.backoff_model import BackoffModel, Marks, linked, nodes_of
from stickbreaker.ngrams.kernels.backoff_trigrams import BackoffArrays
from stickbreaker.ngrams.model.ngrams_by_topic import ngrams_by_topic
from stickbreaker.ngrams.model.topic_documents import marked, topic_shares
from stickbreaker.ngrams.topic_ngram_learned import TopicNgramLearned
from stickbreaker.translation.kernels.topic_mixtures import mix_topics


@dataclass(frozen=True, eq=False)
class TopicBackoffModel:
    """A topic n-gram model for a decoder: it is turned into a backoff model for each document, by the
    document's topic shares.

    N-grams of the model keep their probability given the shares, the mean over samples. For a word unseen
    after a context, each topic of the model backs off to the shorter context by itself; here all topics back
    off together, so that probabilities still sum to one (`mix_topics`). With one topic and one sample both
    are the same.
    """

    model: TopicNgramLearned
    words: tuple[str, ...]  # the decoder's words, by number
    order: int  # length of the longest n-grams
    keys: NDArray[np.int64]  # as in `fill_slots_of_nodes`
    arrays: BackoffArrays  # without probabilities, which depend on the document
    inside: NDArray[np.float32]  # nodes × topics
    outside: NDArray[np.float32]  # (nodes,) part of p that does not depend on the topics

    @classmethod
    def of(cls, model: TopicNgramLearned, words: Sequence[str]) -> "TopicBackoffModel":
        """Prepare a learned topic n-gram model for a decoder, with means over its samples.

        words: the decoder's words, by number. Raises UserError for a model of unbounded order.
        """
        if model.model.ends is not None:
            problem = "an unbounded model mixes orders, which a decoder cannot use"
            raise UserError(problem, remedy="learn one with --order 3")
        numbers, levels = model.numbers, ngrams_by_topic(model.model, model.base.log_p)
        beginning = numbers.n_words
        marks = Marks(beginning + 1 if numbers.spelled else numbers.unknown, numbers.end, beginning)
        n_words = beginning + 1 + numbers.spelled
        ngrams = [np.arange(n_words)[:, None]]
        for level in levels[1:]:
            ngrams.append(level.words.copy())
            ngrams[-1][level.words[:, 0] == numbers.end, 0] = beginning
        keys, nodes = nodes_of(ngrams, n_words)
        inside = np.zeros((len(keys) + n_words + 1, model.n_shares), np.float32)
        outside = np.zeros(len(inside), np.float32)
        for at, level in zip(nodes, levels, strict=True):
            inside[at[: len(level.words)]] = level.inside
            outside[at[: len(level.words)]] = level.outside
        if numbers.spelled:
            left = 1.0 - levels[0].inside.sum(axis=0) - levels[0].outside.sum()
            inside[marks.unknown + 1] = np.maximum(left, 0.0)
        known = _numbers_of(model)
        of_words = np.array([known.get(word, marks.unknown) for word in words], np.int64)
        empty = np.zeros(len(inside))
        arrays = linked(keys, empty, empty, of_words, n_words, marks)
        return cls(model, tuple(words), len(levels), keys, arrays, inside, outside)

    def mixed(self, shares: Array) -> BackoffModel:
        """The backoff model for a document with these topic shares (topics,)."""
        log_p, back_off = np.empty(len(self.inside)), np.empty(len(self.inside))
        arrays, topics = self.arrays, (self.inside, self.outside)
        mix_topics(self.keys, arrays.n_words, arrays.shorter, topics, shares, log_p, back_off)
        return BackoffModel(self.words, self.order, arrays._replace(log_p=log_p, back_off=back_off))

    @cached_property
    def of_no_document(self) -> BackoffModel:
        """The backoff model by the topic shares that are expected without any words; for first
        translations."""
        return self.mixed(self.shares_of([]))

    def shares_of(self, sentences: Sequence[Sequence[str]]) -> Array:
        """The expected topic shares of a document in the target language, as the language model's `transform`
        infers them (topics).

        sentences: lists of tokens; without any, the shares that the prior expects.
        """
        numbers, known = self.model.numbers, self._known
        words = [known.get(word, numbers.unknown) for sentence in sentences for word in sentence]
        starts = np.cumsum([0, *map(len, sentences)], dtype=np.int64)
        held, log_base = np.array(words, np.int64), self.model.base.log_p
        document = marked(held, starts[:-1], starts[[0, -1]], numbers.end, log_base)
        return topic_shares(self.model.model, document)[0]

    @cached_property
    def _known(self) -> dict[str, int]:
        return _numbers_of(self.model)


def _numbers_of(model: TopicNgramLearned) -> dict[str, int]:
    """The number that the model has for each known word."""
    return {word: number for number, word in enumerate(model.numbers.known)}
