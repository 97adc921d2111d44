"""Topics that hold next to nothing: columns of the table that no document came to use, or no longer does."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

TOKENS = 20.0  # an unused topic has fewer expected tokens: too few to name ten words by
SHARE = 0.01  # of an even share: and fewer than this, so that small collections keep their topics


def unused_topics(tokens: ArrayLike) -> NDArray[np.int64]:
    """The topics with next to no tokens, by number, given every topic's expected tokens (K).

    Such a topic has both fewer than 20 expected tokens and fewer than a hundredth of an even share of all:
    its words are those of its prior. The largest topic is never one.

    >>> unused_topics([5000.0, 4000.0, 3.0]).tolist(), unused_topics([6.0, 3.0, 1.0]).tolist()
    ([2], [])
    """
    counts = np.asarray(tokens, np.float64)
    few = (counts < TOKENS) & (counts < SHARE * counts.mean())
    few[int(np.argmax(counts))] = False
    return np.flatnonzero(few)
