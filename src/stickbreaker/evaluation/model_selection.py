"""How many topics? The fewest whose held-out score cannot be distinguished from the best one's."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickbreaker.core.errors import UserError


class Fewest(NamedTuple):
    """The number of topics to take, the one with the best mean score, and how the two compare.

    `behind`: nats a word by which it is worse than the best; `error`: the standard error of that; both 0
    where it is the best itself.
    """

    topics: int
    best: int
    behind: float
    error: float


def fewest_topics(nats: Mapping[int, Sequence[ArrayLike]], tokens: ArrayLike) -> Fewest:
    """The smallest number of topics within one standard error of the best.

    `nats`: number of topics → for each seed the nats of every held-out document (D); `tokens` (D): their
    words that were predicted. The score is nats a word, the mean over seeds. The standard error is that of
    the difference to the best: from document to document (the same documents are scored for every number of
    topics, so hard ones do not count as noise) and, where there are two seeds or more, from seed to seed.
    Raises UserError without documents or where they differ in number, and for several numbers of topics
    with words of a single document, for then nothing tells how far it varies.

    >>> even = {10: [[-7.0, -7.0, -7.0]], 20: [[-6.0, -7.1, -7.0]], 40: [[-6.1, -7.0, -6.9]]}
    >>> fewest_topics(even, [1, 1, 1]).topics
    20
    """
    words = np.asarray(tokens, np.float64)
    scores = {topics: np.asarray(seeds, np.float64) for topics, seeds in nats.items()}
    if not scores or not words.sum() > 0:
        raise UserError("no held-out document to compare numbers of topics by")
    if any(one.ndim != 2 or one.shape[1:] != words.shape or not len(one) for one in scores.values()):
        raise UserError("the scores are not those of the same documents", remedy="score all alike")
    if len(scores) > 1 and (words > 0).sum() < 2:
        problem = "a single held-out document cannot tell numbers of topics apart"
        raise UserError(problem, remedy="hold out a larger share")
    means = {topics: float(one.sum(axis=1).mean() / words.sum()) for topics, one in scores.items()}
    best = max(sorted(means), key=lambda topics: means[topics])
    for topics in sorted(scores):
        behind = means[best] - means[topics]
        error = 0.0 if topics == best else _error(scores[best], scores[topics], words)
        if behind <= error:
            return Fewest(topics, best, behind, error)
    raise AssertionError("the best is within any error of itself")


def _error(best: NDArray[np.float64], other: NDArray[np.float64], words: NDArray[np.float64]) -> float:
    """The standard error of the difference of two mean scores, in nats a word (a ratio of sums)."""
    gain = best.mean(axis=0) - other.mean(axis=0)
    residuals = gain - words * gain.sum() / words.sum()
    documents = int((words > 0).sum())
    spread = documents / (documents - 1) * float((residuals**2).sum()) / words.sum() ** 2
    for one in (best, other):
        if len(one) > 1:
            spread += float(np.var(one.sum(axis=1) / words.sum(), ddof=1)) / len(one)
    return float(np.sqrt(spread))
