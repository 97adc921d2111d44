"""The search for the number of topics: runs over a grid, one from the peak of their scores, the better kept.

The search is a function of the runs that are finished: their figures, the `SearchPoint`s, say which run is
next. So a directory that has these goes on with a search as it does with a run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from stickbreaker.learning.run import Run, RunState
from stickbreaker.learning.variational import VariationalRun
from stickbreaker.topics.search.number_of_topics import ALIKE, Peak, next_number, peak_of
from stickbreaker.topics.search.search_points import SearchPoint

PASSES = 15  # of a run over the grid
DOCUMENTS = 4  # for each topic that is tried, at least: with fewer, topics learn documents by heart
GRID = {"moves": None, "schedule": "batch"}  # parameters of runs over the grid
BACK = 1.15  # times the peak: topics in use with which moves have brought a run back to it
ROOM = 1e-6  # nats a word: a final run may be worse than the best of the grid by rounding
FEW = 10  # topics: where the bound has its peak there or below, documents held out are looked at
CLEAR = 0.02  # nats a word by which they must be predicted better for a larger number
REACH = 0.05  # nats a word: a run without moves so far below the bound's choice is not made with moves too
CHECKED = 40  # topics that may be tried at least, where the bound is checked: enough documents to hold out
HELD_OUT = 0.1  # share of the documents that judges numbers of topics, unless another is held out


class Overruled(NamedTuple):
    """The bound asks for `few` topics, and documents held out for `topics`: at best they are predicted better
    by `gain` nats a word. Numbers of topics in use from `fewest` to `most` predict them as well."""

    few: int
    topics: int
    gain: float
    fewest: int
    most: int


def by_phase(points: Sequence[SearchPoint]) -> tuple[list[SearchPoint], list[SearchPoint]]:
    """The runs over the grid that the bound asked for, and those that followed to check it.

    The first of the latter makes moves, as the bound's last run would; the others are of a grid.
    Where the bound has its best run at `FEW` topics or fewer, the former does not depend on how many topics
    may be tried.
    """
    tried = [point for point in points if not point.final]
    for place in range(1, len(tried)):
        first = {point.topics: point.bound for point in tried[:place]}
        if next_number(first, 10 * CHECKED) is None and max(first, key=lambda n: first[n]) <= FEW:
            return tried[:place], tried[place:]
    return tried, []


def few_by_bound(grid: Sequence[SearchPoint]) -> int | None:
    """The best number of topics by the bound, where that and the peak of its curve are few; None: not so."""
    best = min(grid, key=lambda point: (-point.bound, point.topics)).topics
    peak = peak_of([(point.used, point.bound) for point in grid]).topics
    return best if max(best, peak) <= FEW else None


def best_by_bound(points: Sequence[SearchPoint]) -> float:
    """The best bound of the runs over the grid that the bound asked for, nats a word."""
    return max(point.bound for point in by_phase(points)[0])


def bound_agrees(points: Sequence[SearchPoint], run: SearchPoint) -> bool:
    """Whether a run of many topics has a better bound than the few that short runs asked for."""
    return run.bound > best_by_bound(points) + ALIKE


def overruled(points: Sequence[SearchPoint]) -> Overruled | None:
    """What documents held out say against a bound that asks for few topics; None: nothing, or not clearly."""
    grid, check = by_phase(points)
    if len(check) < 2 or any(point.held_out is None for point in check):
        return None
    known = [point for point in (*grid, *check[1:]) if point.held_out is not None]
    scores = [point.score("held-out") for point in known]
    peak = peak_of([(point.used, score) for point, score in zip(known, scores, strict=True)])
    few, gain = check[0].used, max(scores) - check[0].score("held-out")
    if peak.topics <= few or gain < CLEAR:
        return None
    return Overruled(few, peak.topics, gain, peak.fewest, peak.most)


@dataclass(frozen=True)
class TopicSearch:
    """Which run is next, given those that are finished, and what they say together.

    `judge`: "bound" or "held-out"; `most`: topics that are tried at most; `passes`: of a run of the grid.
    """

    judge: str
    most: int
    passes: int = PASSES

    def next_settings(self, points: Sequence[SearchPoint]) -> Mapping[str, Any] | None:
        """The parameters of the run that follows, over those of the estimator; None: the last was the model.

        Runs over the grid make few passes, over all documents at a time and without moves. The next starts
        from twice their peak and goes to its end, with moves; if these bring it back to the peak it is the
        last. Otherwise moves do not forget where a run began, and one starts from the peak itself. If none of
        these is as good as the best of the grid, one starts from there. Which of them is the model,
        `chosen` says. Moves follow the bound: judged by documents held out, the last run starts from the
        peak and makes none.

        Where the bound's peak is at a few topics, its runs are followed by others, with documents held out:
        one with moves, which says how well the bound's choice predicts, and a grid. If documents are
        predicted clearly better with more topics, a run starts from that number and learns from all
        documents. It makes no moves either, which would undo the choice. But short runs of many topics can be
        far below their bound; so another makes moves, and if its bound is better than that of few topics,
        the bound asks for many as well, and that run is the model.
        """
        tried, _ = self._phases(points)
        number = next_number({point.topics: point.score(self.judge) for point in tried}, self.most)
        if number is None and self._asks_for_few(points):
            if not self._phases(points)[1]:
                return {"n_topics": self._above(self.peak(points)), "tol": 0.0}
            number = self._number_to_check(points)
        if number is not None:
            return {"n_topics": number, "max_iter": self.passes, "tol": 0.0, **GRID}
        ends, peak = [point for point in points if point.final], self.peak(points).topics
        if self.judge != "bound":  # which is what moves follow
            return {"n_topics": peak, **GRID} if not ends else None
        against = overruled(points) if self.checks else None
        if against is not None:
            if not ends:
                return {"n_topics": against.topics, **GRID}
            again = len(ends) == 1 and ends[0].bound > best_by_bound(points) - REACH
            return {"n_topics": against.topics} if again else None
        twice = self._above(self.peak(points))
        if not ends:
            return {"n_topics": twice}
        best = min(tried, key=lambda point: (-point.score(self.judge), point.topics))
        top = max(point.score(self.judge) for point in ends)
        last, starts = ends[-1], [point.topics for point in ends]
        above_grid = top >= best.score(self.judge) - ROOM
        if last.topics in starts[:-1]:
            return None
        if len(ends) == 1 and twice > peak and not (above_grid and last.used <= BACK * peak):
            return {"n_topics": peak}
        if above_grid:
            return None
        return {"n_topics": best.topics} if best.topics not in starts else {"n_topics": best.topics, **GRID}

    def chosen(self, points: Sequence[SearchPoint]) -> SearchPoint:
        """The run that is the model, of those that went to their end: the fewest topics in use whose score
        is within `ALIKE` of the best.

        They are compared as they end, each with the one chosen so far, so that no other has to be kept.
        """
        ends = [point for point in points if point.final]
        held = ends[0]
        if self.checks and overruled(points) is not None:
            return ends[-1] if bound_agrees(points, ends[-1]) else held
        for point in ends[1:]:
            gain = point.score(self.judge) - held.score(self.judge)
            if gain > ALIKE or (gain >= -ALIKE and (point.used, -gain) < (held.used, 0.0)):
                held = point
        return held

    def settings_of(self, chosen: SearchPoint, points: Sequence[SearchPoint]) -> Mapping[str, Any]:
        """The parameters that one of the finished runs had. Raises ValueError if the runs before it ask for
        another one."""
        settings = self.next_settings(points[: points.index(chosen)])
        if settings is None or settings["n_topics"] != chosen.topics:
            raise ValueError("a run of the search does not follow from those before it")
        return settings

    @property
    def checks(self) -> bool:
        """Whether a bound that asks for few topics is checked by documents held out."""
        return self.judge == "bound" and self.most >= CHECKED

    def held_out(self, points: Sequence[SearchPoint], share: float) -> float:
        """The share of the documents that the run that follows does not learn from.

        `share`: of the run before, or what the user holds out of all. Runs that check the bound hold out a
        tenth where the user holds out nothing, and what follows them learns from all again.
        """
        if self.judge != "bound":
            return share or HELD_OUT
        grid, check = self._phases(points)
        own = bool(grid) and grid[0].held_out is None  # runs of the bound saw all documents
        enough = bool(grid) and next_number({one.topics: one.bound for one in grid}, self.most) is None
        if enough and self._asks_for_few(points) and (not check or self._number_to_check(points) is not None):
            return share or HELD_OUT
        return 0.0 if own and check else share

    def _phases(self, points: Sequence[SearchPoint]) -> tuple[list[SearchPoint], list[SearchPoint]]:
        return by_phase(points) if self.checks else ([point for point in points if not point.final], [])

    def _asks_for_few(self, points: Sequence[SearchPoint]) -> bool:
        return self.checks and few_by_bound(self._phases(points)[0]) is not None

    def _above(self, peak: Peak) -> int:
        """Where the run starts whose moves may bring it back to a peak."""
        return max(peak.topics, min(2 * peak.topics, self.most))

    def _number_to_check(self, points: Sequence[SearchPoint]) -> int | None:
        """The number of topics whose prediction of documents held out is to be known next; None: enough."""
        grid, check = self._phases(points)
        few = few_by_bound(grid)
        if few is None or any(point.held_out is None for point in check):
            return None
        known = [*grid, *check[1:]]
        scores = {one.topics: one.score("held-out") for one in known if one.held_out is not None}
        return few if few not in scores else next_number(scores, self.most)

    def peak(self, points: Sequence[SearchPoint]) -> Peak:
        """The best number of topics, and those that are as good, by the runs over the grid."""
        return peak_of([(point.used, point.score(self.judge)) for point in self._phases(points)[0]])

    def point(self, settings: Mapping[str, Any], job: Run[Any], state: RunState) -> SearchPoint:
        """The figures of a finished run that had these settings."""
        assert isinstance(job, VariationalRun)
        used = len(job.model.in_use(job.engine.table.totals().sum(axis=0)))
        held_out = state.held_out[-1] if state.held_out else None
        final = "tol" not in settings
        return SearchPoint(settings["n_topics"], used, state.scores[-1], held_out, state.passes, final)
