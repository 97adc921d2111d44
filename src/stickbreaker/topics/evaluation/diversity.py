"""Diversity: whether topics have different words, and how many topics are effectively used."""

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickbreaker.core.arguments import numbers_in, refuse_other_number, rows_in
from stickbreaker.core.errors import UserError
from stickbreaker.core.topk import largest

TOP = 25  # top words per topic (Dieng et al. 2020)


def top_words_of(topic_word: ArrayLike, n: int, rows: slice = slice(None)) -> NDArray[np.int64]:
    """The `n` most probable words of each topic (K × n), or fewer if there are fewer words; ties by number.

    `rows`: only among these.

    >>> top_words_of([[0.2, 0.5, 0.3]], 2).tolist()
    [[1, 2]]
    """
    refuse_other_number("n", n)
    matrix = numbers_in("topic_word", topic_word, "topics × words")
    if matrix.ndim != 2:
        raise UserError(f"topic_word is {matrix.shape}", remedy="give topics × words")
    places = np.arange(matrix.shape[1])[rows]
    return places[largest(matrix[:, rows], n)[0]]


def topic_diversity(top_words: Sequence[Sequence[Hashable]] | NDArray[np.int64]) -> float:
    """Share of distinct words among the top words of all topics, usually 25 of each (Dieng et al. 2020).

    1: no word is in two topics; 1 / K: all K topics have the same words. `top_words`: words or their numbers.
    Raises UserError if there are none.

    >>> topic_diversity([["river", "bank"], ["money", "bank"]])
    0.75
    """
    rows = top_words.tolist() if isinstance(top_words, np.ndarray) else top_words
    words = [word for topic in rows_in("top_words", rows, "the top words of each topic") for word in topic]
    if not words:
        raise UserError("diversity needs at least one top word")
    return len(set(words)) / len(words)


def effective_topics(shares: ArrayLike) -> float:
    """The effective number of topics: exp of the entropy of their shares (K).

    Shares can have any sum. Raises UserError unless they are finite, not negative and not all zero.

    >>> round(effective_topics([0.5, 0.5, 0.0]), 6)
    2.0
    """
    p = _shares(shares)
    p = p[p > 0]
    return float(np.exp(-(p * np.log(p)).sum()))


def _shares(shares: ArrayLike) -> NDArray[np.float64]:
    p = numbers_in("shares", shares, "a share for each topic")
    if p.ndim != 1 or not (np.isfinite(p).all() and (p >= 0).all() and p.sum() > 0):
        raise UserError("topic shares must be finite, not negative, and above zero for some topic")
    return p / p.sum()
