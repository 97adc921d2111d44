"""The search for the number of topics: short runs over a grid show where runs to the end begin.

The search is a function of the runs that are finished: their figures, the `SearchPoint`s, say which run is
next. So a directory that has these continues a search as it does a run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stickbreaker.learning.run import Run, RunState
from stickbreaker.learning.variational import VariationalRun
from stickbreaker.topics.search.number_of_topics import ALIKE, Peak, next_number, peak_of
from stickbreaker.topics.search.search_points import SearchPoint

FIRST = 160  # topics that a search judged by the bound begins with; moves merge those that are too many
PASSES = {"bound": 10, "held-out": 15}  # of a short run, by what judges
DOCUMENTS, TOKENS = 4, 200  # for each topic that is tried, at least: with fewer, topics learn them by heart
MANY = 10  # documents for each topic, at least, if the bound judges and more than `FIRST` topics are tried
FULL = 0.75  # share of its first topics that a run has left if more might be better
FEW = 10  # topics: if the bound asks for no more, documents held out check it
CHECKED = 160  # documents at least if the bound is checked: enough to hold some out
CLEAR = 0.02  # nats per word by which documents held out must be predicted better to overrule the bound
HELD_OUT = 0.1  # share of the documents that judges numbers of topics, unless another is held out
WITHOUT_MOVES = {"moves": None, "schedule": "batch"}  # of runs judged by documents held out
CHECK = {"judge": "held-out"}  # of runs that check the bound
Settings = dict[str, Any]  # parameters of a run, over those of the estimator


@dataclass(frozen=True)
class TopicSearch:
    """Which run is next, given those that are finished, and what they say together.

    `judge`: "bound" or "held-out"; `max_iter`: passes of a run at most.
    """

    judge: str
    n_documents: int
    n_tokens: float
    max_iter: int | None = None

    def next_settings(self, points: Sequence[SearchPoint]) -> Settings | None:
        """The parameters of the run that follows, over those of the estimator; None: the search is over.

        Judged by the bound, runs make moves. Splits and merges bring a run down to the right number from
        above, and rarely up to it from below: so short runs begin with many topics, then with half as many,
        as long as moves leave no more than these, or the bound does not fall by more than `ALIKE`, and until
        topics are split rather than merged. Only if the first run is the best and keeps most of its topics is
        twice the number tried. Runs to the end begin with the smallest number that is as good as the best,
        and with twice that. If they end with a few topics, documents held out check the bound.

        Judged by documents held out, no run makes moves, which follow the bound. Short runs go over a grid on
        both sides of the best, and one run from the peak of their scores goes to its end.
        """
        own = [point for point in points if not point.checks]
        if self.judge != "bound":
            return self._next_by_held_out(own)
        short = {point.topics: point for point in own if not point.final}
        number = self._next_from_above(short)
        if number is not None:
            return self._short(number, "bound")
        ends = [point.topics for point in own if point.final]
        left = [start for start in self._starts(short) if start not in ends]
        return {"n_topics": left[0]} if left else self._next_check(points)

    def chosen(self, points: Sequence[SearchPoint]) -> SearchPoint:
        """The run that is the model: of those to the end the best by its judge, of equals the first; or the
        one that documents held out asked for against the bound."""
        ends = [point for point in points if point.final]
        return max(ends, key=lambda point: (point.checks, point.score(self.judge)))

    def settings_of(self, chosen: SearchPoint, points: Sequence[SearchPoint]) -> Settings:
        """The parameters that one of the finished runs had. Raises ValueError if the runs before it ask for
        another one."""
        settings = self.next_settings(points[: points.index(chosen)])
        if settings is None or settings["n_topics"] != chosen.topics:
            raise ValueError("a run of the search does not follow from those before it")
        return settings

    def held_out(self, points: Sequence[SearchPoint], share: float) -> float:
        """The share of the documents that the run that follows does not learn from.

        `share`: of the run before, or what the user holds out of all. If the user holds out nothing, runs
        that check the bound hold out a tenth, and the run to the end that they ask for learns from all again.
        """
        settings = self.next_settings(points) or {}
        checks = settings.get("judge") == "held-out"
        if self.judge != "bound" or (checks and "tol" in settings):
            return share or HELD_OUT
        return 0.0 if checks and points[0].held_out is None else share

    def point(self, settings: Mapping[str, Any], job: Run[Any], state: RunState) -> SearchPoint:
        """The figures of a finished run that had these settings."""
        assert isinstance(job, VariationalRun)
        used = len(job.model.in_use(job.engine.table.totals().sum(axis=0)))
        held_out = state.held_out[-1] if state.held_out else None
        final, checks = "tol" not in settings, settings.get("judge") == "held-out"
        return SearchPoint(
            settings["n_topics"], used, state.scores[-1], held_out, state.passes, final, checks
        )

    def most(self, judge: str) -> int:
        """The most topics that are tried."""
        most = min(self.n_documents / DOCUMENTS, self.n_tokens / TOKENS)
        if judge == "bound":
            most = min(most, max(FIRST, self.n_documents / MANY))
        return max(1, int(most))

    def _short(self, n_topics: int, judge: str) -> Settings:
        """The parameters of a short run."""
        passes = min(PASSES[judge], self.max_iter or PASSES[judge])
        return {"n_topics": n_topics, "max_iter": passes, "tol": 0.0}

    def _next_by_held_out(self, points: Sequence[SearchPoint]) -> Settings | None:
        """The next run of a search that documents held out judge."""
        scores = {point.topics: point.score("held-out") for point in points if not point.final}
        number = next_number(scores, self.most("held-out"))
        if number is not None:
            return {**self._short(number, "held-out"), **WITHOUT_MOVES}
        if any(point.final for point in points):
            return None
        return {"n_topics": peak_of_held_out(points).topics, **WITHOUT_MOVES}

    def _next_check(self, points: Sequence[SearchPoint]) -> Settings | None:
        """The next of the runs that check a bound that asks for few topics.

        The first makes moves, as the bound's choice did, and says how well that predicts documents held out;
        the others are those of a search by documents held out. If these are clearly better predicted with
        more topics, a run from the peak of their scores learns from all documents.
        """
        best = max((point for point in points if point.final and not point.checks), key=lambda one: one.bound)
        checks = [point for point in points if point.checks]
        if best.used > FEW or self.n_documents < CHECKED:
            return None
        if not checks:
            return {"n_topics": best.topics, "max_iter": best.passes, "tol": 0.0, **CHECK}
        if checks[0].held_out is None:  # nothing could be predicted
            return None
        following = self._next_by_held_out(checks[1:])
        if following is not None and "tol" not in following:
            gain = max(point.score("held-out") for point in checks[1:]) - checks[0].score("held-out")
            if following["n_topics"] <= best.used or gain < CLEAR:
                return None
        return None if following is None else {**following, **CHECK}

    def _next_from_above(self, short: Mapping[int, SearchPoint]) -> int | None:
        """The number of topics that the next short run begins with; None: enough were tried."""
        most_tried = self.most("bound")
        if not short:
            return min(FIRST, most_tried)
        best = max(point.bound for point in short.values())
        fewest, most = short[min(short)], short[max(short)]
        half = fewest.topics // 2
        if half >= max(1, fewest.used) or (fewest.bound >= best - ALIKE and 1 < fewest.topics >= fewest.used):
            return half
        kept = most.used >= FULL * most.topics
        if most.bound == best and kept and 2 * most.topics <= most_tried:
            return 2 * most.topics
        return None

    def _starts(self, short: Mapping[int, SearchPoint]) -> list[int]:
        """The numbers of topics that runs to the end begin with."""
        if not short:
            return []
        best = max(point.bound for point in short.values())
        alike = [point for point in short.values() if point.bound >= best - ALIKE]
        number = min((point.topics for point in alike if point.topics >= point.used), default=max(short))
        return [number, *([2 * number] if 2 * number <= self.most("bound") else [])]


def peak_of_held_out(points: Sequence[SearchPoint]) -> Peak:
    """The peak of the scores of short runs that documents held out judge."""
    return peak_of([(point.used, point.score("held-out")) for point in points if not point.final])
