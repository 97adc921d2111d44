"""Which numbers of topics a search cannot tell apart, and by which of its runs that is known."""

from collections.abc import Sequence
from typing import NamedTuple

from stickbreaker.topics.search.number_of_topics import ALIKE, Peak, peak_of
from stickbreaker.topics.search.search_points import SHORT, WHOLE, SearchPoint
from stickbreaker.topics.search.topic_search import Overruled, bound_agrees, by_phase, overruled

DISAGREE = 2.0  # times the numbers of the short runs, the ratio of neighbours on their grid


class TopicRange(NamedTuple):
    """The fewest and the most topics whose score is within 0.005 nats a word of the best.

    `of`: which scores these are, those of "short runs" (a curve through them) or of "runs to the end". What
    the former say of the latter is not exact. `curve`: the range by the short runs, in any case. `disagree`:
    the model's number is more than a step of their grid away from that.
    """

    fewest: int
    most: int
    of: str
    curve: tuple[int, int]
    disagree: bool = False


def range_of(judge: str, points: Sequence[SearchPoint]) -> TopicRange:
    """The range of a search whose model is the last of its runs.

    By the curve through the short runs where the model lies on it: of documents held out, where they
    overruled the bound. Where moves led away from there, by the runs to the end.
    """
    against, used = overruling(judge, points), points[-1].used
    if against is not None:
        most, fewest = max(against.most, used), min(against.fewest, used)
        return TopicRange(fewest, most, SHORT, (against.fewest, against.most))
    peak = _peak(judge, points)
    curve = peak.fewest, peak.most
    if peak.fitted and peak.fewest <= used <= peak.most:
        return TopicRange(*curve, SHORT, curve)
    whole = [point for point in points if point.final] or [points[-1]]
    best = max(point.score(judge) for point in whole)
    alike = [point.used for point in whole if point.score(judge) >= best - ALIKE]
    disagree = not peak.fewest / DISAGREE <= used <= peak.most * DISAGREE
    return TopicRange(min(alike), max(alike), WHOLE, curve, disagree)


def overruling(judge: str, points: Sequence[SearchPoint]) -> Overruled | None:
    """What documents held out said against the bound, where the model's number is theirs; None otherwise."""
    against = overruled(points) if judge == "bound" else None
    if against is None or points[-1].topics != against.topics or bound_agrees(points, points[-1]):
        return None
    return against


def _peak(judge: str, points: Sequence[SearchPoint]) -> Peak:
    """The peak of the curve through the short runs of the judge."""
    grid = by_phase(points)[0] if judge == "bound" else points
    return peak_of([(point.used, point.score(judge)) for point in grid if not point.final])
