"""New documents in a topic n-gram model: the probability of their words, and their topics."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from stickbreaker.core.random_streams import numbered_keys
from stickbreaker.core.records import Array
from stickbreaker.ngrams import purposes
from stickbreaker.ngrams.kernels.particles import (
    Particles,
    Rounds,
    Words,
    posterior_shares,
    predict_left_to_right,
)
from stickbreaker.ngrams.kernels.pitman_yor import find_ways
from stickbreaker.ngrams.kernels.topic_predictions import (
    Ways,
    predict_mixed,
    predict_topics,
    predict_unbounded_mixed,
    predict_unbounded_topics,
)
from stickbreaker.ngrams.model.contexts import Integers, with_ends
from stickbreaker.ngrams.model.language_model import LEAST, text_before
from stickbreaker.ngrams.model.topic_language_model import TopicLanguageModel

CHUNK = 2**14  # words of documents processed together; a longer document is processed alone


class MarkedDocuments(NamedTuple):
    """The words of documents with end-of-sentence marks, as the function `marked` returns them."""

    words: Integers  # by number; -1: not in the model
    positions: Integers  # of each word in its sentence
    offsets: Integers  # documents + 1: the first word of each
    log_base: Array  # log G0 of each, in nats


def marked(
    words: Integers, starts: Integers, offsets: Integers, end: int, log_base: Array
) -> MarkedDocuments:
    """Add an end-of-sentence mark after each sentence of documents.

    words: without marks; starts: the first word of each sentence; offsets (documents + 1): the first word of
    each document; end: the number of the mark; log_base: log G0 in nats, either by word number (the mark
    last) or one for each word and mark of the documents.

    >>> found = marked(np.array([5, 6, 7]), np.array([0, 2]), np.array([0, 2, 3]), 9, np.zeros(10))
    >>> found.words.tolist(), found.offsets.tolist()
    ([5, 6, 9, 7, 9], [0, 3, 5])
    """
    every, positions = with_ends(words, starts, end)
    own = log_base[every] if len(log_base) == end + 1 else log_base
    return MarkedDocuments(every, positions, offsets + np.searchsorted(starts, offsets), own)


class _Part(NamedTuple):
    """A group of complete documents whose words are predicted together."""

    words: slice
    documents: slice
    offsets: Integers  # from 0
    ways: Ways


def _parts(model: TopicLanguageModel, documents: MarkedDocuments) -> Iterator[_Part]:
    """Split documents into groups of about `CHUNK` words, with the words' contexts looked up."""
    offsets, first = documents.offsets, 0
    text, places = text_before(documents.words, documents.positions, model.end)
    while first < len(offsets) - 1:
        after = int(np.searchsorted(offsets, offsets[first] + CHUNK, side="right")) - 1
        after = min(max(after, first + 1), len(offsets) - 1)
        words = slice(int(offsets[first]), int(offsets[after]))
        restaurants, slots = np.empty((2, words.stop - words.start, model.longest + 1), np.int64)
        find_ways(text, places[words], model.trie, restaurants, slots)
        lengths = np.minimum(documents.positions[words] + 1, model.longest)
        base = np.exp(np.maximum(documents.log_base[words], LEAST))
        own = offsets[first : after + 1]
        ways = Ways(base, restaurants, slots, lengths)
        yield _Part(words, slice(first, after), own - own[0], ways)
        first = after


def _words(model: TopicLanguageModel, number: int, part: _Part) -> Words:
    """The words of a group of documents with p(word | context, topic) by sample `number`, as the kernels in
    `particles` take them."""
    inside = np.zeros((part.words.stop - part.words.start, model.n_topics))
    outside = np.zeros(len(inside))
    add_predictions(model, number, part.ways, inside, outside)
    return Words(part.offsets, inside, outside)


def add_predictions(
    model: TopicLanguageModel, number: int, ways: Ways, inside_out: Array, outside_out: Array
) -> None:
    """Add one sample's predictions of words to inside_out (words × topics) and outside_out (words).

    In a document with topic shares `shares`, a word has p = outside + sum_k shares_k inside_k. ways: the
    words with their contexts, as looked up in the model.
    """
    if model.prior_name == "hierarchical":
        predict = predict_mixed if model.ends is None else predict_unbounded_mixed
    else:
        predict = predict_topics if model.ends is None else predict_unbounded_topics
    predict(ways, model.samples[number], inside_out, outside_out)


def log_probabilities(
    model: TopicLanguageModel, documents: MarkedDocuments, seed: int, seen: Array | None = None
) -> Array:
    """log p in nats of each word and end mark given those before it in its document (samples × words and
    marks).

    Topics are updated word by word, by `Particles`. All documents use the same random numbers, so draws
    before a word depend only on the words before it, and p of all possible next words sums to one. seen
    (samples × topics): counts of words by topic that precede each document, if any. `mean_of` turns the
    result into the model's predictions.
    """
    found = np.empty((model.n_samples, len(documents.words)))
    for part in _parts(model, documents):
        for number in range(model.n_samples):
            keys = numbered_keys(
                seed, purposes.TOPIC_NGRAM_PARTICLES, number, np.zeros(len(part.offsets) - 1, np.int64)
            )
            alpha = model.prior[number, 1:] + (0.0 if seen is None else seen[number])
            words = _words(model, number, part)
            predict_left_to_right(words, alpha, Particles(), keys, found[number, part.words])
    small = (documents.words < 0) & (documents.log_base < LEAST)
    return np.log(found) + np.where(small, documents.log_base - LEAST, 0.0)


def mean_of(nats: Array) -> Array:
    """The log of the mean over samples of probabilities (words), from their logarithms (samples × words)."""
    most = nats.max(axis=0)
    return most + np.log(np.exp(nats - most).mean(axis=0))


def word_topics(model: TopicLanguageModel, documents: MarkedDocuments, number: int) -> Array:
    """p(topic | word, document) of each word and end mark by sample `number` (words and marks × topics).

    The rest to one is the common topic. It is a fixed point (`posterior_shares`), not a draw.
    """
    gamma = np.empty((len(documents.words), model.n_topics))
    for part in _parts(model, documents):
        _find_topics(model, number, part, gamma[part.words])
    return gamma


def _find_topics(model: TopicLanguageModel, number: int, part: _Part, gamma_out: Array) -> None:
    """Fill gamma_out (words × topics) with p(topic | word, document) for a group of documents, by sample
    `number`."""
    posterior_shares(_words(model, number, part), model.prior[number, 1:].copy(), Rounds(), gamma_out)


def topic_shares(
    model: TopicLanguageModel, documents: MarkedDocuments, samples: Sequence[int] | None = None
) -> Array:
    """Expected topic shares of documents given their words (documents × topics).

    They are the mean over `samples`, given by number (None: all). Rows sum to one; words of the common topic
    do not count. A document without words gets the prior mean.
    """
    found = np.zeros((len(documents.offsets) - 1, model.n_topics))
    numbers = range(model.n_samples) if samples is None else samples
    for part in _parts(model, documents):
        gamma = np.empty((part.words.stop - part.words.start, model.n_topics))
        shares = found[part.documents]
        for number in numbers:
            _find_topics(model, number, part, gamma)
            for document, (first, last) in enumerate(pairwise(part.offsets.tolist())):
                weights = gamma[first:last].sum(axis=0) + model.prior[number, 1:]
                shares[document] += weights / weights.sum()
    return found / len(numbers)
