"""The search for the number of topics: short runs with different numbers determine where runs to the end
start.

Which run comes next depends only on the finished runs' records (`SearchPoint`). So an interrupted search
continues from the records in its directory.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stickbreaker.core.option_names import ParameterValues
from stickbreaker.learning.run import Run, RunState
from stickbreaker.learning.variational import VariationalRun
from stickbreaker.topics.search.number_of_topics import ALIKE, Peak, next_number, peak_of
from stickbreaker.topics.search.search_points import SearchPoint

FIRST = 160  # first number of topics if the bound judges; moves merge superfluous ones
PASSES = {"bound": 10, "held-out": 15}  # passes of a short run, by judge
DOCUMENTS, TOKENS = 4, 200  # least number per topic, if the bound judges: with fewer, topics overfit
LEAST = 20  # topics for which `TOKENS` does not matter: from fewer, splits do not always reach the number
MANY = 10  # least documents per topic, if the bound judges and more than `FIRST` topics are tried
FULL = 0.75  # share of its initial topics that a run has left if more might be better
FEW = 10  # topics: if the bound prefers no more, held-out documents check it
CHECKED = 160  # least documents for checking the bound, so that some can be held out
CLEAR = 0.02  # nats per word by which held-out documents must be predicted better to overrule the bound
HELD_OUT = 0.1  # share of documents that judge numbers of topics, unless set otherwise
WITHOUT_MOVES = {"moves": None, "schedule": "batch"}  # for runs judged by held-out documents
CHECK = {"judge": "held-out"}  # for runs that check the bound


@dataclass(frozen=True)
class TopicSearch:
    """Searches for the number of topics: from the finished runs, it chooses the next run and, at the end, the
    one that becomes the model.

    `judge`: how numbers are compared, "bound" or "held-out"; `n_documents`, `n_tokens`: of the corpus;
    `max_iter`: the most passes of a run.
    """

    judge: str
    n_documents: int
    n_tokens: float
    max_iter: int | None = None

    def next_settings(self, points: Sequence[SearchPoint]) -> ParameterValues | None:
        """The parameters of the next run, which override the estimator's; None if the search is over.

        If the bound judges, topics split and merge during runs. This brings a run down to the right number of
        topics from above, but rarely up to it from below. So short runs start with many topics, then with
        half as many and so on. This continues while the last run ended with at most half of its topics, or
        with no more topics than it started with and a bound within `ALIKE` of the best. Twice the first
        number is tried only if the first run is the best and keeps most of its topics. Two runs to the end
        start with the smallest number that is as good as the best, and with twice that, or with half if twice
        is too many. If they end with few topics, held-out documents check the bound.

        If held-out documents judge, topics do not split or merge, since such moves follow the bound. Short
        runs cover a grid on both sides of the best number, and a run from the peak of their scores goes to
        its end.
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
        """The run that becomes the model: of the runs to the end, the one with the best score by `judge`, the
        first of ties.

        If held-out documents overruled the bound, it is the run made for that reason.
        """
        ends = [point for point in points if point.final]
        return max(ends, key=lambda point: (point.checks, point.score(self.judge)))

    def settings_of(self, chosen: SearchPoint, points: Sequence[SearchPoint]) -> ParameterValues:
        """The parameters with which a finished run was made. Raises ValueError if the search would not have
        made this run after the runs before it.
        """
        settings = self.next_settings(points[: points.index(chosen)])
        if settings is None or settings["n_topics"] != chosen.topics:
            raise ValueError("a run of the search does not follow from those before it")
        return settings

    def held_out(self, points: Sequence[SearchPoint], share: float) -> float:
        """The share of documents that the next run holds out.

        `share`: what the run before held out, or what the user set. If the user holds out nothing, runs that
        check the bound hold out a tenth; a run to the end that results from them learns from all documents
        again.
        """
        settings = self.next_settings(points) or {}
        checks = settings.get("judge") == "held-out"
        if self.judge != "bound" or (checks and "tol" in settings):
            return share or HELD_OUT
        return 0.0 if checks and points[0].held_out is None else share

    def point(self, settings: Mapping[str, Any], job: Run, state: RunState) -> SearchPoint:
        """The record of a run that has just finished: its topics, scores and passes. settings: the parameters
        that the search gave it.
        """
        assert isinstance(job, VariationalRun)
        used = len(job.model.in_use(job.engine.table.totals().sum(axis=0)))
        held_out = state.held_out[-1] if state.held_out else None
        final, checks = "tol" not in settings, settings.get("judge") == "held-out"
        return SearchPoint(
            settings["n_topics"], used, state.scores[-1], held_out, state.passes, final, checks
        )

    def most(self, judge: str) -> int:
        """The largest number of topics that the search tries if `judge` compares them.

        The bound also rises when topics learn documents by heart, so it needs a number of documents and of
        tokens per topic. Documents held out notice that, so they may choose any number up to that of the
        documents.
        """
        if judge != "bound":
            return max(1, self.n_documents)
        most = min(self.n_documents / DOCUMENTS, max(self.n_tokens / TOKENS, LEAST))
        return max(1, int(min(most, max(FIRST, self.n_documents / MANY))))

    def _short(self, n_topics: int, judge: str) -> ParameterValues:
        """The parameters of a short run: it ends after a fixed number of passes, which depends on `judge`,
        mostly before it has converged.
        """
        passes = min(PASSES[judge], self.max_iter or PASSES[judge])
        return {"n_topics": n_topics, "max_iter": passes, "tol": 0.0}

    def _next_by_held_out(self, points: Sequence[SearchPoint]) -> ParameterValues | None:
        """The parameters of the next run of a search that is judged by held-out documents; None if it is
        over. points: the runs of this search so far.
        """
        scores = {point.topics: point.score("held-out") for point in points if not point.final}
        number = next_number(scores, self.most("held-out"))
        if number is not None:
            return {**self._short(number, "held-out"), **WITHOUT_MOVES}
        if any(point.final for point in points):
            return None
        return {"n_topics": peak_of_held_out(points).topics, **WITHOUT_MOVES}

    def _next_check(self, points: Sequence[SearchPoint]) -> ParameterValues | None:
        """The parameters of the next run that checks the bound, if it favours few topics; None if no check is
        needed or it is over.

        The first such run repeats the bound's choice with held-out documents, to measure how well it predicts
        them. The others are a search by held-out documents. If more topics predict clearly better, a last run
        with the best number learns from all documents and becomes the model.
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
        """The number of topics with which the next short run starts, if the bound judges; None if enough were
        tried. It is half the smallest number tried, or twice the largest.

        short: the short runs so far, by their number of topics at the start.
        """
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
        """The numbers of topics with which runs to the end start: the smallest number that is as good as the
        best, and twice that, or half of it if twice is too large. One topic cannot be halved.

        short: the short runs so far, by their number of topics at the start. Without any, the list is empty.
        """
        if not short:
            return []
        best = max(point.bound for point in short.values())
        alike = [point for point in short.values() if point.bound >= best - ALIKE]
        number = min((point.topics for point in alike if point.topics >= point.used), default=max(short))
        other = 2 * number if 2 * number <= self.most("bound") else number // 2
        return [number, other] if other else [number]


def peak_of_held_out(points: Sequence[SearchPoint]) -> Peak:
    """The best number of topics by the held-out scores of the short runs among `points`, and the range of
    equally good ones.
    """
    return peak_of([(point.used, point.score("held-out")) for point in points if not point.final])
