"""The choice of the words that the report shows for each topic."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.topk import descending
from stickbreaker.topics.model.topic_words import TopicWords, parts_of
from stickbreaker.topics.model.word_ranking import (
    TENTH,
    WEIGHT,
    RankedWords,
    leading_words,
    least_probability,
    relevance,
)

Floats = NDArray[np.floating]

FREQUENT = 30  # words of a topic that it is always shown with
_MOST_WORDS = 6000  # that tell topics apart
_LEAST_WORDS = 500  # if there are very many topics
_MOST_PAIRS = 500_000_000  # of topics, a word each
_WEIGHTS = (0.0, 0.2, 0.4, 0.6, 0.8)


def choose_words(
    topic: Floats,
    overall: Floats,
    vocabulary: Sequence[str],
    first: NDArray[np.int64] | None = None,
    n_frequent: int = FREQUENT,
    n_special: int = 20,
) -> list[tuple[str, float, float]]:
    """Choose the words that the report can show for a topic, at any position of its slider.

    The slider is the λ of LDAvis: words are ranked by their relevance λ log p(w|k) + (1 - λ) log p(w|k)/p(w)
    (Sievert and Shirley, 2014), from the most frequent (λ = 1) to those with the highest lift (λ = 0). Below
    λ = 1, rare words are not used, since lift would favour accidents: a word needs a tenth of the probability
    of the topic's tenth word.

    Args:
        topic: (V,) probabilities of the words in the topic.
        overall: (V,) probabilities of the words in the whole collection.
        vocabulary: (V,) the words.
        first: the numbers of words to put first, as those that describe the topic best; None: no such words.
        n_frequent: how many of the most frequent words to include.
        n_special: how many of the most relevant words to add to them, for each of five other λ.

    Returns:
        (word, probability in the topic, probability overall): the words of `first`, then the others by
        relevance at λ = `WEIGHT`, then those too rare to be ranked by it.
    """
    p = np.asarray(topic, dtype=np.float64)
    q = np.asarray(overall, dtype=np.float64)
    order = descending(p)
    leading = np.empty(0, np.int64) if first is None else first
    chosen = [order[:n_frequent], leading]
    likely = np.flatnonzero((p > 0) & (p >= least_probability(p[None, order[:TENTH]])[0]))
    frequency, overall_logs = np.log(p[likely]), np.log(np.maximum(q[likely], 1e-300))
    for weight in _WEIGHTS:
        relevant = relevance(frequency, overall_logs, weight)
        chosen.append(likely[descending(relevant, n_special, logs=True)])
    places = np.unique(np.concatenate(chosen))
    likely = likely[descending(relevance(frequency, overall_logs, WEIGHT), logs=True)]
    relevant = likely[np.isin(likely, places) & ~np.isin(likely, leading)]
    rest = order[np.isin(order, places) & ~np.isin(order, relevant) & ~np.isin(order, leading)]
    return [(vocabulary[int(i)], float(p[i]), float(q[i])) for i in np.concatenate([leading, relevant, rest])]


class WordFigures(NamedTuple):
    """Numbers about topics' words for the report, collected by `look_at` in one pass over the vocabulary.

    `overall` (V): each word's probability in the collection; `most` (V): its largest probability in any
    topic; `sums` (K): the sum of each topic's probabilities. `likely`: for each topic and language, the words
    from which those shown are chosen, as their numbers (ascending) and probabilities in the topic. `first`:
    for each topic and language, the positions in `likely` of the words that describe the topic best, in
    order.
    """

    overall: Floats
    most: Floats
    sums: Floats
    likely: list[list[tuple[NDArray[np.int64], Floats]]]
    first: list[list[NDArray[np.int64]]]


def look_at(
    topics: TopicWords, shares: Floats, sides: Sequence[slice], ranked: Callable[[int, slice], RankedWords]
) -> WordFigures:
    """Collect the numbers from which a report's words are chosen, in one pass over parts of the vocabulary,
    so that topics need not fit in memory.

    `shares` (K): the topics' shares of all tokens; `sides`: the rows of each language, or all rows. `ranked`
    is called with a number of words and a range of rows, and returns the words that describe each topic best.
    """
    n_topics, n_words = topics.shape
    overall, most, sums = np.zeros(n_words), np.zeros(n_words), np.zeros(n_topics)
    likely: list[list[tuple[NDArray[np.int64], Floats]]] = [[] for _ in range(n_topics)]
    first: list[list[NDArray[np.int64]]] = [[] for _ in range(n_topics)]
    for side in sides:
        frequent, probabilities = leading_words(topics, FREQUENT, side)
        leading = ranked(FREQUENT, side)
        found = [
            [one, other] for one, other in zip(_pairs(frequent, probabilities), _pairs(*leading), strict=True)
        ]
        least = least_probability(probabilities)
        for rows, part in parts_of(topics, side):
            overall[rows], most[rows] = shares @ part, part.max(axis=0)
            sums += part.sum(axis=1)
            for k, row in enumerate(part):
                here = np.flatnonzero((row > 0) & (row >= least[k]))
                found[k].append((here + rows.start, row[here]))
        for k, parts in enumerate(found):
            words, values = (np.concatenate(each) for each in zip(*parts, strict=True))
            words, places = np.unique(words, return_index=True)
            likely[k].append((words, values[places]))
            first[k].append(np.searchsorted(words, leading.words[k]))
    return WordFigures(overall, most, sums, likely, first)


def _pairs(words: NDArray[np.int64], probabilities: Floats) -> Iterator[tuple[NDArray[np.int64], Floats]]:
    """Iterates over topics: the numbers of a topic's words, and their probabilities. Both arguments: topics ×
    n.
    """
    return zip(words, probabilities, strict=True)


def apart(topics: TopicWords, seen: WordFigures, most: int = _MOST_WORDS) -> Floats:
    """Word probabilities of topics for computing distances between topics (topics × words); rows sum to one.

    If the vocabulary is large, only the words with the largest probability in some topic have columns, at
    most `most`, fewer if there are very many topics, and one more column has the sum of all others. This
    limits the cost of distances, and can only shorten them a little.
    """
    rows = np.arange(len(seen.most))
    n_words = min(most, max(_LEAST_WORDS, _MOST_PAIRS // topics.shape[0] ** 2))
    if len(rows) > n_words:
        rows = np.sort(np.argpartition(seen.most, -n_words)[-n_words:])
    kept = topics.of(rows) / seen.sums[:, None]
    if len(rows) == len(seen.most):
        return kept
    return np.column_stack([kept, np.maximum(1.0 - kept.sum(axis=1), 0.0)])
