"""How many topics to choose so that each holds: the words of a topic go together in documents other than
those that they were chosen by.

Held-out likelihood has no knee: on text the largest number usually predicts best. Coherence in other
documents has one: with too many topics, some have words that only few documents share.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from stickbreaker.core.arguments import numbers_in
from stickbreaker.core.errors import UserError
from stickbreaker.topics.search.number_of_topics import fewest_topics

FIRST, LEAST = 10, 5  # numbers of topics: the first that is tried, and the next if its topics do not hold
NEAR_BEST = 0.5  # least share of the best number's weakest quarter in that of a number whose topics hold
BETWEEN = 5  # numbers between two that are tried are multiples of it


class Suggestion(NamedTuple):
    """Which of some numbers of topics to take, and why.

    `topics`: the suggested number. `fewest`, `most`: those whose mean coherence is within one standard error
    of the best. `holds`: the largest whose weakest quarter of topics still holds, its mean coherence being
    0 or more, and at least half of the best number's; None if there is none. `predicts`: the number whose
    held-out score is the best; `gain`: by how many nats per word it is better than `topics`. `enough`: the
    fewest whose score is within one standard error of the best.
    """

    topics: int
    fewest: int
    most: int
    holds: int | None
    predicts: int
    gain: float
    enough: int


def weakest_quarter(coherence: ArrayLike) -> float:
    """The mean coherence of the weakest quarter of topics (at least one).

    >>> weakest_quarter([0.3, -0.1, 0.2, 0.1, 0.0, 0.4, 0.2, 0.2])
    -0.05
    """
    values = np.sort(numbers_in("coherence", coherence, "one for each topic").ravel())
    return float(values[: max(1, round(len(values) / 4))].mean())


def suggest_topics(
    coherence: Mapping[int, Sequence[ArrayLike]], nats: Mapping[int, Sequence[ArrayLike]], tokens: ArrayLike
) -> Suggestion:
    """Choose a number of topics: the largest of which even the weakest quarter holds, but no more than
    predict documents as well as the best.

    `coherence`: for each number of topics and seed, the coherence of each topic in documents other than those
    that chose its words; `nats`, `tokens`: the held-out scores, as for `fewest_topics`. If no number holds,
    the one with the best weakest quarter is taken. Raises UserError as `fewest_topics`, and for other numbers
    of topics in both.

    >>> coherent = {10: [[0.3, 0.2, 0.2, 0.1]], 20: [[0.4, 0.3, 0.2, 0.1]], 40: [[0.4, 0.3, 0.2, 0.04]]}
    >>> scores = {10: [[-7.0, -7.2]], 20: [[-6.8, -7.0]], 40: [[-6.5, -6.7]]}
    >>> suggest_topics(coherent, scores, [1, 1])[:5]
    (20, 10, 40, 20, 40)
    """
    if set(coherence) != set(nats) or not coherence:
        problem = "coherence and scores are of different numbers of topics"
        raise UserError(problem, remedy="give both for each number")
    numbers = sorted(coherence)
    of_seeds = {k: [np.asarray(seed, np.float64) for seed in coherence[k]] for k in numbers}
    means = {k: float(np.mean([seed.mean() for seed in of_seeds[k]])) for k in numbers}
    weakest = {k: float(np.mean([weakest_quarter(seed) for seed in of_seeds[k]])) for k in numbers}
    best = max(numbers, key=lambda k: means[k])
    values = np.concatenate(of_seeds[best])
    each = len(values) / len(of_seeds[best])  # topics of a seed: another seed's are not new ones
    error = float(values.std(ddof=1) / np.sqrt(each)) if len(values) > 1 else 0.0
    alike = [k for k in numbers if means[k] >= means[best] - error]
    holding = _holding(weakest)
    predicted = fewest_topics(nats, tokens)
    holds = max(holding, default=None)
    topics = max(numbers, key=lambda k: weakest[k]) if holds is None else min(holds, predicted.topics)
    best_nats, own = (
        float(np.mean([np.asarray(seed, np.float64).sum() for seed in nats[k]]))
        for k in (predicted.best, topics)
    )
    gain = (best_nats - own) / float(np.asarray(tokens, np.float64).sum())
    return Suggestion(topics, min(alike), max(alike), holds, predicted.best, gain, predicted.topics)


def _holding(weakest: Mapping[int, float]) -> list[int]:
    """The numbers of topics whose weakest quarter holds. weakest: its coherence, for each number tried."""
    best = max(weakest.values())
    return [k for k, value in weakest.items() if value >= max(0.0, NEAR_BEST * best)]


def next_to_try(weakest: Mapping[int, float], most: int) -> int | None:
    """The number of topics that a search for the largest that holds should try next; None if it is found.

    weakest: for each number tried, the coherence of its weakest quarter of topics; most: the largest number
    to try. Numbers are doubled as long as the largest holds, so that the best is not the largest; then one
    between the last that holds and the first that does not is tried.

    >>> next_to_try({}, 300), next_to_try({10: 0.1}, 300), next_to_try({10: 0.1, 20: 0.1, 40: 0.0}, 300)
    (10, 20, 30)
    """
    most = max(1, most)
    if not weakest:
        return min(FIRST, most)
    largest = max(weakest)
    holding = _holding(weakest)
    if largest in holding:
        return min(2 * largest, most) if largest < most else None
    if not holding:
        return LEAST if min(weakest) > LEAST else None
    low = max(holding)
    high = min(k for k in weakest if k > low)
    between = (low + high) // 2 // BETWEEN * BETWEEN
    tried = any(low < k < 2 * low for k in weakest) or high < 2 * low  # one between is enough
    return between if low < between < high and not tried else None


def reason_of(found: Suggestion, tried: Sequence[int], seeds: int, largest: int) -> str:
    """A line for the user: the suggested number, which numbers read best, up to which topics hold, and which
    predicts best.

    tried: the numbers of topics, ascending; seeds: how many runs of each; largest: the largest number that
    makes sense for the documents.

    >>> reason_of(Suggestion(60, 10, 30, 60, 131, 0.021, 131), [10, 30, 60, 131], 3, 500)
    '60 topics. 10 to 30 read best; up to 60 even the weakest quarter of topics holds in documents that did \
not choose its words; 131 predict best, by 0.021 nats/word (3 seeds)'
    """
    reads = f"{found.fewest} to {found.most} read" if found.most > found.fewest else f"{found.most} reads"
    if found.holds is None:
        what = "topics" if found.topics > 1 else "topic"
        holds = "of none does the weakest quarter hold in documents that did not choose its words"
        head = f"{found.topics} {what}, whose weakest quarter is the best"
    else:
        head = f"{found.topics} {'topics' if found.topics > 1 else 'topic'}"
        end = "even the weakest quarter of topics holds in documents that did not choose its words"
        holds = f"up to {found.holds} {end}"
    if found.predicts == found.topics:
        predicts = "none predicts better"
    else:
        predicts = f"{found.predicts} predict best, by {found.gain:.3f} nats/word"
    if found.holds is not None and found.enough < found.holds:
        predicts += f", and {found.enough} as well up to noise"
    of = f"{seeds} seeds" if seeds > 1 else "a single seed, so noise between seeds is not known"
    further = ""
    if found.holds == tried[-1] < largest and found.topics == found.holds:
        further = "; it is the most tried: try more"
    elif found.holds is None and tried[0] > LEAST:
        further = "; try fewer"
    return f"{head}. {reads} best; {holds}; {predicts} ({of}){further}"
