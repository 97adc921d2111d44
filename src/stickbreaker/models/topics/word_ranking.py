"""Which words stand for a topic: the most relevant ones, or the most probable ones.

A topic's most probable words are in part those of the whole collection. Relevance (Sievert and Shirley 2014,
eq. 1),

    λ log p(w|k) + (1 - λ) log (p(w|k) / p(w)),    λ = 0.6,

also asks how much more frequent a word is in the topic than elsewhere. p(w) is the mixture of the topics,
each with its share of the tokens: what the model says of the collection, in each language by itself, as
p(w|k) is. No corpus is read for it: a stream, a table in files and a model without its corpus have it too.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Array
from stickbreaker.core.topk import SAME, largest
from stickbreaker.models.topics.topic_words import TopicWords, parts_of

RELEVANCE, PROBABILITY = "relevance", "probability"
WEIGHT = 0.6  # λ
LEAST_OF_TENTH = 0.1  # a relevant word is at least so frequent beside the topic's tenth word
TENTH = 10
OUTSIDE = 2000.0  # more than relevance can differ by: what logs of doubles differ by


class RankedWords(NamedTuple):
    """Words of each topic in order, by number, and their probabilities in it (both topics × n)."""

    words: NDArray[np.int64]
    probabilities: Array


def leading_words(topics: TopicWords, n: int, within: slice = slice(None)) -> RankedWords:
    """The `n` most probable words of each topic, ties by number; `within`: among these. Fewer where
    there are fewer words.

    >>> from stickbreaker.models.topics.topic_words import Dense
    >>> [found.tolist() for found in leading_words(Dense(np.array([[0.2, 0.5, 0.3]])), 2)]
    [[[1, 2]], [[0.5, 0.3]]]
    """
    places, values = np.zeros((topics.shape[0], 0), np.int64), np.zeros((topics.shape[0], 0))
    for rows, part in parts_of(topics, within):
        own, best = largest(part, n)
        places, values = np.hstack([places, own + rows.start]), np.hstack([values, best])
        order, values = largest(values, n, places)
        places = np.take_along_axis(places, order, axis=1)
    return RankedWords(places, values)


def relevant_words(topics: TopicWords, shares: ArrayLike, n: int, within: slice = slice(None)) -> RankedWords:
    """The `n` most relevant words of each topic, ties by number; `within`: among these. Fewer where
    there are fewer words. The table is read twice, part by part.

    `shares` (topics) are the topics' parts of all tokens. Words less than a tenth as frequent in the topic as
    its tenth word stand last, by probability: there lift would favour accidents.

    >>> from stickbreaker.models.topics.topic_words import Dense
    >>> words = Dense(np.array([[0.5, 0.4, 0.1], [0.5, 0.1, 0.4]]))
    >>> relevant_words(words, [0.5, 0.5], 2).words.tolist()
    [[1, 0], [2, 0]]
    """
    weights = np.asarray(shares, np.float64)
    least = least_probability(leading_words(topics, TENTH, within).probabilities)
    places, values = np.zeros((topics.shape[0], 0), np.int64), np.zeros((topics.shape[0], 0))
    scores = np.zeros((topics.shape[0], 0))
    for rows, part in parts_of(topics, within):
        own, best = largest(_scores(part, weights @ part, least), n, logs=True)
        places, scores = np.hstack([places, own + rows.start]), np.hstack([scores, best])
        values = np.hstack([values, np.take_along_axis(part, own, axis=1)])
        order, scores = largest(scores, n, places, logs=True)
        places = np.take_along_axis(places, order, axis=1)
        values = np.take_along_axis(values, order, axis=1)
    return RankedWords(places, values)


def _scores(part: Array, overall: Array, least: Array) -> Array:
    """Relevance of words (topics × words); below all of these, log probability of those that are too rare."""
    with np.errstate(divide="ignore"):
        frequency = np.log(part)
    relevant = relevance(frequency, np.log(np.maximum(overall, 1e-300)), WEIGHT)
    return np.where(part >= least[:, None], relevant, frequency - OUTSIDE)


def relevance(log_probability: Array, log_overall: Array, weight: float) -> Array:
    """λ log p(w|k) + (1 - λ) log p(w|k) / p(w), from the logs of both."""
    return log_probability - (1 - weight) * log_overall


def least_probability(leading: Array) -> Array:
    """How probable relevant words are at least (topics), from those of each topic's first (topics × n)."""
    if not leading.shape[1]:
        return np.zeros(len(leading))
    return LEAST_OF_TENTH * (1.0 - SAME) * leading[:, min(TENTH, leading.shape[1]) - 1]


def _by_probability(
    topics: TopicWords, shares: ArrayLike, n: int, within: slice = slice(None)
) -> RankedWords:
    return leading_words(topics, n, within)


Ranking = Callable[[TopicWords, ArrayLike, int, slice], RankedWords]
RANKINGS: Mapping[str, Ranking] = {RELEVANCE: relevant_words, PROBABILITY: _by_probability}


def ranking(by: str) -> Ranking:
    """How words are ranked, by its name. Raises UserError for any other.

    >>> ranking("relevance") is relevant_words
    True
    """
    found = RANKINGS.get(by)
    if found is None:
        raise UserError(f"by={by!r}", remedy=f"words are ranked by {' or by '.join(RANKINGS)}")
    return found
