"""The search for the number of topics: runs over a grid, one from the peak of their scores, the better kept.

The search is a function of the runs that are finished: their figures, the `SearchPoint`s, say which run is
next. So a directory that has these goes on with a search as it does with a run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stickbreaker.estimators.search.search_points import SearchPoint
from stickbreaker.evaluation.model_selection import ALIKE, Peak, next_number, peak_of
from stickbreaker.learning.loop import Run, RunState
from stickbreaker.learning.variational import VariationalRun

PASSES = 15  # of a run over the grid
DOCUMENTS = 4  # for each topic that is tried, at least: with fewer, topics learn documents by heart
GRID = {"moves": None, "schedule": "batch"}  # parameters of runs over the grid
BACK = 1.15  # times the peak: topics in use with which moves have brought a run back to it
ROOM = 1e-6  # nats a word: a final run may be worse than the best of the grid by rounding


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
        last. Otherwise moves do not forget where a run began, and one starts from the peak itself. What is
        not as good as a run before it is followed by that one again, so that the last is the best. Moves
        follow the bound: judged by documents held out, the last run starts from the peak and makes none.
        """
        tried = [point for point in points if not point.final]
        number = next_number({point.topics: point.score(self.judge) for point in tried}, self.most)
        if number is not None:
            return {"n_topics": number, "max_iter": self.passes, "tol": 0.0, **GRID}
        ends, peak = points[len(tried) :], self.peak(points).topics
        if self.judge != "bound":  # which is what moves follow
            return {"n_topics": peak, **GRID} if not ends else None
        twice = max(peak, min(2 * peak, self.most))
        if not ends:
            return {"n_topics": twice}
        best = min(tried, key=lambda point: (-point.score(self.judge), point.topics))
        top = max(ends, key=lambda point: point.score(self.judge))
        last, starts = ends[-1], [point.topics for point in ends]
        above_grid = top.score(self.judge) >= best.score(self.judge) - ROOM
        if last.topics in starts[:-1]:
            return None
        if len(ends) == 1 and twice > peak and not (above_grid and last.used <= BACK * peak):
            return {"n_topics": peak}
        if above_grid:
            good = last.score(self.judge) >= top.score(self.judge) - ALIKE
            return None if good else {"n_topics": top.topics}
        return {"n_topics": best.topics} if best.topics not in starts else {"n_topics": best.topics, **GRID}

    def peak(self, points: Sequence[SearchPoint]) -> Peak:
        """The best number of topics, and those that are as good, by the runs over the grid."""
        return peak_of([(point.used, point.score(self.judge)) for point in points if not point.final])

    def point(self, settings: Mapping[str, Any], job: Run[Any], state: RunState) -> SearchPoint:
        """The figures of a finished run that had these settings."""
        assert isinstance(job, VariationalRun)
        used = len(job.model.in_use(job.engine.table.totals().sum(axis=0)))
        held_out = state.held_out[-1] if state.held_out else None
        final = "tol" not in settings
        return SearchPoint(settings["n_topics"], used, state.scores[-1], held_out, state.passes, final)


def range_of(judge: str, points: Sequence[SearchPoint]) -> tuple[int, int]:
    """The fewest and the most topics whose score is within 0.005 nats a word of the best.

    By the curve through the runs over the grid, where the last run ended on it; by the scores of all runs,
    where moves led away from there.
    """
    peak = peak_of([(point.used, point.score(judge)) for point in points if not point.final])
    if peak.fitted and peak.fewest <= points[-1].used <= peak.most:
        return peak.fewest, peak.most
    best = max(point.score(judge) for point in points)
    alike = [point.used for point in points if point.score(judge) >= best - ALIKE]
    return min(alike), max(alike)
