"""Estimators that make several runs, one of which becomes the model: the interface that `fitting.py`
needs."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

from stickbreaker.core.json_checks import JsonObject
from stickbreaker.learning.run import Run, RunState


class FinishedRun(Protocol):
    """A finished run of a search: its figures, as stored in manifests."""

    @property
    def final(self) -> bool:
        """Whether the run was completed, so that it may become the model of the search."""
        ...

    def to_json(self) -> JsonObject:
        """The run's figures as plain values for JSON."""
        ...


R = TypeVar("R", bound=FinishedRun)


class Search(Protocol[R]):
    """Chooses the next run, and the model: functions of the finished runs.

    So a directory with these can continue a search as it continues a run.
    """

    def next_settings(self, points: Sequence[R]) -> Mapping[str, Any] | None:
        """The parameters of the next run, for `Estimator._of_search`; None: the search is over."""
        ...

    def held_out(self, points: Sequence[R], share: float) -> float:
        """The share of the documents that the next run holds out.

        `share`: that of the run before, or initially the share that the user asked for.
        """
        ...

    def point(self, settings: Mapping[str, Any], job: Run, state: RunState) -> R:
        """The figures of a finished run with these parameters."""
        ...

    def chosen(self, points: Sequence[R]) -> R:
        """The run that becomes the model, chosen among the completed runs of the search."""
        ...

    def settings_of(self, chosen: R, points: Sequence[R]) -> Mapping[str, Any]:
        """The parameters of one of the finished runs, from what the search did before it.

        Raises ValueError if the search would have made another run in its place.
        """
        ...


def with_last(points: Sequence[R], chosen: R) -> tuple[R, ...]:
    """The finished runs in order, except that the one that becomes the model is last."""
    return (*(point for point in points if point is not chosen), chosen)
