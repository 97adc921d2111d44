"""The range of numbers of topics that score as well as the best in a search."""

from collections.abc import Sequence
from typing import NamedTuple

from stickbreaker.topics.search.number_of_topics import ALIKE
from stickbreaker.topics.search.search_points import SHORT, WHOLE, SearchPoint
from stickbreaker.topics.search.topic_search import FEW, FULL, peak_of_held_out


class TopicRange(NamedTuple):
    """The numbers of topics that a search cannot tell apart: from `fewest` to `most`, scores are within 0.005
    nats per word of the best.

    `of`: which runs were compared: "runs to the end" if the bound judged, "short runs" if held-out documents
    did. `runs`: how many runs it rests on; with one, `fewest` and `most` are that run's own number, and no
    range. `at_most`: the best run started with the largest number tried and kept most of its topics, so that
    more topics may be better. `few`: the number that the bound favoured, if held-out documents overruled it;
    None otherwise. `unchecked`: the bound favours ten topics or fewer, and documents were too few, or too
    short, for some to be held out to check that.
    """

    fewest: int
    most: int
    of: str
    runs: int
    at_most: bool = False
    few: int | None = None
    unchecked: bool = False

    @property
    def range(self) -> tuple[int, int] | None:
        """The fewest and the most topics; None if they are one run's own number."""
        return (self.fewest, self.most) if self.runs > 1 else None


def range_of(judge: str, points: Sequence[SearchPoint]) -> TopicRange:
    """The range of numbers of topics that score as well as the best, from the runs of a search.

    points: all runs, the last being the one that became the model. If the bound decided (`judge` "bound", and
    no check overruled it), runs to the end are compared by their bounds. Otherwise short runs are compared by
    their held-out scores, and the range is extended to include the model's number.
    """
    last, own = points[-1], [point for point in points if not point.checks]
    checks = [point for point in points if point.checks]
    if judge == "bound" and not last.checks:
        ends = [point for point in own if point.final]
        best = max(point.bound for point in ends)
        alike = [point.used for point in ends if point.bound >= best - ALIKE]
        at_most = _at_most(own, last.topics) and last.used >= FULL * last.topics
        unchecked = last.used <= FEW and all(point.held_out is None for point in checks)
        return TopicRange(min(alike), max(alike), WHOLE, len(alike), at_most=at_most, unchecked=unchecked)
    few, judged = (checks[0].used, checks[1:]) if checks else (None, own)
    judged = [point for point in judged if not point.final]
    peak, best_of = peak_of_held_out(judged), max(judged, key=lambda point: point.score("held-out"))
    fewest, most = min(peak.fewest, last.used), max(peak.most, last.used)
    return TopicRange(fewest, most, SHORT, len(judged), at_most=_at_most(judged, best_of.topics), few=few)


def _at_most(points: Sequence[SearchPoint], topics: int) -> bool:
    """Whether no run began with more than this number of topics."""
    return topics == max(point.topics for point in points)
