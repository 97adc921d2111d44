"""How many topics to choose. Among given numbers: the fewest whose held-out score is not clearly worse than
the best. Among all numbers: the peak of a curve of scores, whose points a search chooses.
"""

from collections.abc import Mapping, Sequence
from math import isqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickbreaker.core.arguments import numbers_in, refuse_no, refuse_other_number, rows_in
from stickbreaker.core.errors import UserError

DOCUMENTS = 20  # for a topic, at least; with fewer, its words seldom hold in other documents
MOST, STEP = 100, 5  # of numbers of topics that follow from the number of documents
FIRST = 20  # the first number of topics of a search
BESIDE = 2  # numbers on each side of the best that are tried and used for the peak
NEAR = 0.1  # nats per word below the best: lower points do not belong to the peak
ALIKE = 0.005  # nats per word below the peak within which a number is equally good
NOISE = 0.0005  # nats per word by which equal runs may differ


def topics_by_size(documents: int) -> int:
    """The number of topics for a collection of this size, if the user chose none.

    Its square root, at most one for `DOCUMENTS` documents and at most `MOST`, in steps of `STEP` (below twice
    that, of one). Collections of 120 to 2,800 documents have about as many topics of which three quarters
    hold in other documents: 0.2 to 2 times as many (docs/reference/evaluation.md).

    >>> [topics_by_size(documents) for documents in (3, 100, 300, 1_000, 2_500, 50_000)]
    [1, 5, 15, 30, 50, 100]
    """
    number = min(isqrt(documents), documents // DOCUMENTS, MOST)
    return max(1, number if number < 2 * STEP else number // STEP * STEP)


PAIRS = "pairs of topics in use and nats per word"


class Fewest(NamedTuple):
    """The choice among numbers of topics: `topics` is the number to choose, `best` the one with the best mean
    score.

    `behind`: by how many nats per word `topics` is worse than `best`; `error`: the standard error of that
    difference; both are 0 if they are the same number.
    """

    topics: int
    best: int
    behind: float
    error: float


def fewest_topics(nats: Mapping[int, Sequence[ArrayLike]], tokens: ArrayLike) -> Fewest:
    """Choose a number of topics: the smallest whose score is within one standard error of the best.

    `nats`: for each number of topics and seed, the log probability of every held-out document (D); `tokens`
    (D): their predicted words. The score is nats per word, the mean over seeds. The standard error is that of
    the difference to the best, over documents (paired, so that hard documents do not count as noise) and,
    with two seeds or more, over seeds. Raises UserError without documents or if they differ in number, and
    for several numbers of topics with only one document that has words, since its variance cannot be
    estimated.

    >>> even = {10: [[-7.0, -7.0, -7.0]], 20: [[-6.0, -7.1, -7.0]], 40: [[-6.1, -7.0, -6.9]]}
    >>> fewest_topics(even, [1, 1, 1]).topics
    20
    """
    refuse_no("nats", nats, Mapping, "nats of each document by number of topics and seed")
    words = numbers_in("tokens", tokens, "those of each document")
    scores = {topics: np.asarray(seeds, np.float64) for topics, seeds in nats.items()}
    if not scores or not words.sum() > 0:
        raise UserError("no held-out document to compare numbers of topics")
    if any(one.ndim != 2 or one.shape[1:] != words.shape or not len(one) for one in scores.values()):
        raise UserError(
            "the scores are not those of the same documents", remedy="score the same documents for all"
        )
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
    raise AssertionError("unreachable: the best is within any error of itself")


def next_number(scores: Mapping[int, float], most: int) -> int | None:
    """The number of topics that a search should try next, from the grid 1, 2, 5, 10, 20, 40, ... up to
    `most`, which is its last number; None if enough were tried.

    `scores`: for each number tried so far, its score (higher is better). Enough are tried if the best has two
    tried numbers on each side, or all there are.

    >>> next_number({}, 1000), next_number({20: -8.0}, 1000), next_number({20: -8.0, 10: -8.1}, 1000)
    (20, 10, 5)
    """
    refuse_no("scores", scores, Mapping, "a score for each number of topics")
    refuse_other_number("most", most, 0)
    grid = _grid(most)
    if not scores.keys() <= set(grid):
        remedy = f"give scores of numbers among {', '.join(map(str, grid[:6]))} and so on"
        raise UserError("scores are of other numbers than those to try", remedy=remedy)
    if not scores:
        return max(number for number in grid if number <= max(FIRST, grid[0]))
    best = grid.index(min(scores, key=lambda number: (-scores[number], number)))
    for step in (-1, 1):  # fewer topics first, since they cost less
        for place in range(best + step, best + step * (BESIDE + 1), step):
            if 0 <= place < len(grid) and grid[place] not in scores:
                return grid[place]
    return None


def _grid(most: int) -> list[int]:
    """The numbers of topics that a search can try, ascending: 1, 2, 5, 10, 20, 40, ... and `most`."""
    grid = [1, 2]
    while 5 * 2 ** (len(grid) - 2) < most:
        grid.append(5 * 2 ** (len(grid) - 2))
    return [number for number in grid if number < most] + [max(1, most)]


class Peak(NamedTuple):
    """The best number of topics by a curve of scores (`topics`), and the range of numbers that are equally
    good, from `fewest` to `most`.
    """

    topics: int
    fewest: int
    most: int


def peak_of(points: Sequence[tuple[int, float]]) -> Peak:
    """The best number of topics and those equally good, from a curve through `points`: (topics in use, nats
    per word).

    The curve is a parabola in the logarithm of the topics in use. It is fitted by least squares to the best
    point and up to `BESIDE` numbers on each side of it, without points more than `NEAR` below the best;
    further points are ignored, since a curve can rise again there. The peak is its vertex. If there are fewer
    than three numbers, or the parabola opens upwards, the peak is the best point, or a smaller number as good
    as it up to noise. The range covers numbers at which the curve is within `ALIKE` of the peak.

    >>> peak_of([(10, -8.07), (20, -8.01), (40, -7.99), (80, -8.01), (160, -8.07)])
    Peak(topics=40, fewest=28, most=57)
    """
    points = [(one[0], one[1]) for one in rows_in("points", points, PAIRS) if len(one) == 2]
    if not points:
        raise UserError("there is no point", remedy=f"give {PAIRS}")
    best = max(score for _, score in points)
    tried = sorted({used for used, _ in points})
    place = tried.index(min(used for used, score in points if score == best))
    beside = tried[max(place - BESIDE, 0) : place + BESIDE + 1]
    near = [(used, score) for used, score in points if score >= best - NEAR and used in beside]
    numbers = sorted({used for used, _ in near})
    if len(numbers) >= 3:
        logs, scores = (np.array(values, np.float64) for values in zip(*near, strict=True))
        logs = np.log(np.maximum(logs, 1.0))
        middle = logs.mean()
        terms = np.stack([np.ones(len(near)), logs - middle, (logs - middle) ** 2], axis=1)
        _, slope, bend = np.linalg.lstsq(terms, scores, rcond=None)[0].tolist()
        if bend < 0.0:
            vertex, reach = middle - slope / (2.0 * bend), (ALIKE / -bend) ** 0.5
            at = [float(np.exp(vertex + way * reach)) for way in (0.0, -1.0, 1.0)]
            topics, fewest, most = (round(min(max(n, numbers[0]), numbers[-1])) for n in at)
            return Peak(topics, fewest, most)
    alike = [used for used, score in near if score >= best - ALIKE]
    topics = min(used for used, score in near if score >= best - NOISE)
    return Peak(topics, min(alike), max(alike))


def _error(best: NDArray[np.float64], other: NDArray[np.float64], words: NDArray[np.float64]) -> float:
    """The standard error of the difference between the mean scores of two numbers of topics, in nats per
    word, over documents and (with several seeds) over seeds.

    best, other (seeds × documents): log probabilities in nats; words (documents): numbers of predicted words.
    """
    gain = best.mean(axis=0) - other.mean(axis=0)
    residuals = gain - words * gain.sum() / words.sum()
    documents = int((words > 0).sum())
    spread = documents / (documents - 1) * float((residuals**2).sum()) / words.sum() ** 2
    for one in (best, other):
        if len(one) > 1:
            spread += float(np.var(one.sum(axis=1) / words.sum(), ddof=1)) / len(one)
    return float(np.sqrt(spread))
