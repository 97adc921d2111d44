"""The n-grams of a topic n-gram model with their probabilities by topic, to be mixed by topic shares."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array
from stickbreaker.ngrams.kernels.pitman_yor import find_ways
from stickbreaker.ngrams.kernels.topic_predictions import Ways
from stickbreaker.ngrams.model.contexts import Integers, context_words
from stickbreaker.ngrams.model.topic_documents import CHUNK, add_predictions
from stickbreaker.ngrams.model.topic_language_model import TopicLanguageModel


class NgramsByTopic(NamedTuple):
    """N-grams of one order, with the probabilities of their last words by topic, given the other words.

    In a document with given topic shares, the last word has p = outside + sum_k shares_k inside_k. Both are
    means over samples.
    """

    words: Integers  # n-grams × order; the end-of-sentence mark in first place is a beginning
    inside: NDArray[np.float32]  # n-grams × topics
    outside: NDArray[np.float32]  # (n-grams,)


def ngrams_by_topic(model: TopicLanguageModel, log_base: Array) -> list[NgramsByTopic]:
    """All n-grams that occur in the model, a table for each order (1 first), with the probability of the last
    word given the others, in each topic and outside topics.

    log_base (words): log G0 of each word, in nats.
    """
    contexts = model.contexts
    depths, symbols = contexts.depths[contexts.restaurants], context_words(contexts)
    found: list[NgramsByTopic] = []
    for depth in range(int(contexts.depths.max()) + 1):
        slots = np.flatnonzero(depths == depth)
        before = symbols[contexts.restaurants[slots], :depth][:, ::-1]
        words = np.column_stack([before, contexts.slot_keys[slots] % contexts.n_words])
        inside, outside = np.empty((len(slots), model.n_topics), np.float32), np.empty(len(slots), np.float32)
        for start in range(0, len(slots), CHUNK):
            part = slice(start, start + CHUNK)
            inside[part], outside[part] = _predictions(model, words[part], log_base)
        found.append(NgramsByTopic(words, inside, outside))
    return found


def _predictions(model: TopicLanguageModel, words: Integers, log_base: Array) -> tuple[Array, Array]:
    """Predict the last word of each n-gram from the words before it, averaged over the model's samples.

    words (n-grams × order): the n-grams by word number; log_base (words): log G0 in nats. Returns the
    probabilities `inside` (n-grams × topics) and `outside` (n-grams), as defined in `NgramsByTopic`.
    """
    n, order = words.shape
    text = np.column_stack([np.full(n, -1), words]).ravel()
    restaurants, slots = np.empty((2, n, model.longest + 1), np.int64)
    find_ways(text, np.arange(1, n + 1) * (order + 1) - 1, model.trie, restaurants, slots)
    ways = Ways(np.exp(log_base[words[:, -1]]), restaurants, slots, np.full(n, order - 1))
    inside, outside = np.zeros((n, model.n_topics)), np.zeros(n)
    for number in range(model.n_samples):
        add_predictions(model, number, ways, inside, outside)
    return inside / model.n_samples, outside / model.n_samples
