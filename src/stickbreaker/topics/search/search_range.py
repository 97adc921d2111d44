"""The range of numbers of topics that score as well as the best in a search."""

from collections.abc import Sequence
from typing import NamedTuple

from stickbreaker.topics.search.number_of_topics import ALIKE
from stickbreaker.topics.search.search_points import SHORT, WHOLE, SearchPoint
from stickbreaker.topics.search.topic_search import FIRST, FULL, peak_of_held_out


class TopicRange(NamedTuple):
    """The numbers of topics that a search cannot tell apart: from `fewest` to `most`, scores are within 0.005
    nats per word of the best.

    `of`: which runs were compared: "runs to the end" if the bound judged, "short runs" if held-out documents
    did. `at_most`: the model started with the largest number tried and kept most of its topics, so that more
    topics may be better. `few`: the number that the bound favoured, if held-out documents overruled it; None
    otherwise.
    """

    fewest: int
    most: int
    of: str
    at_most: bool = False
    few: int | None = None


def range_of(judge: str, points: Sequence[SearchPoint]) -> TopicRange:
    """The range of numbers of topics that score as well as the best, from the runs of a search.

    points: all runs, the last being the one that became the model. If the bound decided (`judge` "bound", and
    no check overruled it), runs to the end are compared by their bounds. Otherwise short runs are compared by
    their held-out scores, and the range is extended to include the model's number.
    """
    last, own = points[-1], [point for point in points if not point.checks]
    if judge == "bound" and not last.checks:
        ends = [point for point in own if point.final]
        best = max(point.bound for point in ends)
        alike = [point.used for point in ends if point.bound >= best - ALIKE]
        largest = FIRST <= last.topics == max(point.topics for point in own)
        return TopicRange(min(alike), max(alike), WHOLE, largest and last.used >= FULL * last.topics)
    checks = [point for point in points if point.checks]
    few, judged = (checks[0].used, checks[1:]) if checks else (None, own)
    peak = peak_of_held_out(judged)
    return TopicRange(min(peak.fewest, last.used), max(peak.most, last.used), SHORT, few=few)
