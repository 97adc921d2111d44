"""Topics' most probable words."""

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array
from stickbreaker.core.topk import largest
from stickbreaker.models.topics.topic_words import TopicWords, parts_of


def leading_words(topics: TopicWords, n: int, within: slice = slice(None)) -> tuple[NDArray[np.int64], Array]:
    """The `n` most probable words of each topic and their probabilities (both topics × n), first of equals
    first; `within`: among these. Fewer where there are fewer words.

    >>> from stickbreaker.models.topics.topic_words import Dense
    >>> [found.tolist() for found in leading_words(Dense(np.array([[0.2, 0.5, 0.3]])), 2)]
    [[[1, 2]], [[0.5, 0.3]]]
    """
    places, values = np.zeros((topics.shape[0], 0), np.int64), np.zeros((topics.shape[0], 0))
    for rows, part in parts_of(topics, within):
        own, best = largest(part, n)
        places, values = np.hstack([places, own + rows.start]), np.hstack([values, best])
        order, values = largest(values, n)  # earlier parts stand first, so that ties stay in order
        places = np.take_along_axis(places, order, axis=1)
    return places, values
