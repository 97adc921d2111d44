"""Which words a topic is shown with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]

_LEAST_SHARE_OF_TOP = 0.01  # a special word is at least this frequent beside the topic's first word
_WEIGHTS = (0.0, 0.2, 0.4, 0.6, 0.8)


def choose_words(
    topic: Floats, overall: Floats, vocabulary: Sequence[str], n_frequent: int = 30, n_special: int = 20
) -> list[tuple[str, float, float]]:
    """Choose the words that a topic needs wherever the report's slider stands.

    The slider is the λ of LDAvis: words are ranked by their relevance λ log p(w|k) + (1 - λ) log p(w|k)/p(w)
    (Sievert and Shirley, 2014), from the most frequent (λ = 1) to those with the highest lift (λ = 0). Below
    λ = 1, a word must be a hundredth as frequent as the topic's first, or lift would favour accidents.

    Args:
        topic: (V,) probabilities of the words in the topic.
        overall: (V,) probabilities of the words in the whole collection.
        vocabulary: (V,) the words.
        n_frequent: how many of the most frequent words to keep.
        n_special: how many of the most relevant words to add to them, for each of five other λ.

    Returns:
        (word, probability in the topic, probability overall), the most frequent first.
    """
    p = np.asarray(topic, dtype=np.float64)
    q = np.asarray(overall, dtype=np.float64)
    chosen = [np.argsort(-p, kind="stable")[:n_frequent]]
    likely = np.flatnonzero((p > 0) & (p >= _LEAST_SHARE_OF_TOP * p.max(initial=0.0)))
    frequency = np.log(p[likely])
    lift = frequency - np.log(np.maximum(q[likely], 1e-300))
    for weight in _WEIGHTS:
        relevance = weight * frequency + (1 - weight) * lift
        chosen.append(likely[np.argsort(-relevance, kind="stable")[:n_special]])
    places = np.unique(np.concatenate(chosen))
    places = places[np.argsort(-p[places], kind="stable")]
    return [(vocabulary[int(i)], float(p[i]), float(q[i])) for i in places]
