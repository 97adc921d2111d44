"""Estimators that make several runs, of which one is the model: what `fitting.py` needs of such a search."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

from stickbreaker.learning.run import Run, RunState


class FinishedRun(Protocol):
    """A run of a search that has ended: its figures, as manifests keep them."""

    @property
    def final(self) -> bool:
        """Whether the run went to its end, so that it may be the model."""
        ...

    def to_json(self) -> dict[str, Any]:
        """The figures as plain values."""
        ...


R = TypeVar("R", bound=FinishedRun)


class Search(Protocol[R]):
    """Which run is next, and which is the model: functions of the runs that are finished.

    So a directory that has these goes on with a search as it does with a run.
    """

    def next_settings(self, points: Sequence[R]) -> Mapping[str, Any] | None:
        """The parameters of the run that follows, for `Estimator.of_search`; None: the search is over."""
        ...

    def held_out(self, points: Sequence[R], share: float) -> float:
        """The share of the documents that the run that follows does not learn from.

        `share`: of the run before, or what the user holds out of all.
        """
        ...

    def point(self, settings: Mapping[str, Any], job: Run[Any], state: RunState) -> R:
        """The figures of a run that has ended, which had these parameters."""
        ...

    def chosen(self, points: Sequence[R]) -> R:
        """The run that is the model, of those that are final."""
        ...

    def settings_of(self, chosen: R, points: Sequence[R]) -> Mapping[str, Any]:
        """The parameters that one of the finished runs had. Raises ValueError if the runs before it ask for
        another one."""
        ...


def with_last(points: Sequence[R], chosen: R) -> tuple[R, ...]:
    """The runs in their order, but the one that is the model as the last."""
    return (*(point for point in points if point is not chosen), chosen)
