"""Which words a topic is shown with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]

_LEAST_SHARE_OF_TOP = 0.01  # a special word is at least this frequent beside the topic's first word


def choose_words(
    topic: Floats, overall: Floats, vocabulary: Sequence[str], n_frequent: int = 30, n_special: int = 20
) -> list[tuple[str, float, float]]:
    """Choose the most frequent words of a topic and those most special to it.

    Both are needed: the report's slider goes from frequent to special (the relevance of Sievert and
    Shirley, 2014), and the special words are often not among the frequent ones.

    Args:
        topic: (V,) probabilities of the words in the topic.
        overall: (V,) probabilities of the words in the whole collection.
        vocabulary: (V,) the words.
        n_frequent: how many of the most frequent words to keep.
        n_special: how many of the words with the highest lift to add to them.

    Returns:
        (word, probability in the topic, probability overall), the most frequent first.
    """
    p = np.asarray(topic, dtype=np.float64)
    q = np.asarray(overall, dtype=np.float64)
    frequent = np.argsort(-p, kind="stable")[:n_frequent]
    lift = np.where((p > 0) & (p >= _LEAST_SHARE_OF_TOP * p.max(initial=0.0)), p / np.maximum(q, 1e-300), 0.0)
    special = np.argsort(-lift, kind="stable")[:n_special]
    special = special[lift[special] > 0]
    chosen = np.unique(np.concatenate([frequent, special]))
    chosen = chosen[np.argsort(-p[chosen], kind="stable")]
    return [(vocabulary[int(i)], float(p[i]), float(q[i])) for i in chosen]
