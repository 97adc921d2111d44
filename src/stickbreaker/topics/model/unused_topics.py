"""Unused topics: columns of the table that hardly any document uses."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickbreaker.core.arguments import numbers_in
from stickbreaker.core.errors import UserError

TOKENS = 20.0  # an unused topic has fewer expected tokens, too few for ten words
SHARE = 0.01  # of an even share: and also fewer than this, so that small collections keep their topics


def unused_topics(tokens: ArrayLike) -> NDArray[np.int64]:
    """The numbers of topics with hardly any tokens, given every topic's expected tokens (K).

    An unused topic has fewer than 20 expected tokens, and also fewer than a hundredth of the mean over
    topics; its words only follow the prior. The largest topic never counts as unused.

    >>> unused_topics([5000.0, 4000.0, 3.0]).tolist(), unused_topics([6.0, 3.0, 1.0]).tolist()
    ([2], [])
    """
    counts = numbers_in("tokens", tokens, "those of each topic")
    if counts.ndim != 1 or not len(counts):
        raise UserError(f"tokens is {counts.shape}", remedy="give a number for each topic")
    few = (counts < TOKENS) & (counts < SHARE * counts.mean())
    few[int(np.argmax(counts))] = False
    return np.flatnonzero(few)
