"""What learning needs of kinds that make several runs, one of which becomes the model."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

from stickbreaker.core.json_checks import JsonObject
from stickbreaker.learning.run import Run, RunState


class FinishedRun(Protocol):
    """A record of a finished run of a search, as manifests store it."""

    @property
    def final(self) -> bool:
        """Whether the run may become the model; false for one that was made only to compare settings."""
        ...

    def to_json(self) -> JsonObject:
        """The record as JSON values."""
        ...


R = TypeVar("R", bound=FinishedRun)


class Search(Protocol[R]):
    """Decides which runs a search makes, from the finished runs alone, so that it can be resumed."""

    def next_settings(self, points: Sequence[R]) -> Mapping[str, Any] | None:
        """The settings of the next run, for `Learner.searched`; None: the search is over."""
        ...

    def held_out(self, points: Sequence[R], share: float) -> float:
        """The share of documents that the next run holds out; share: the last run's, or the user's."""
        ...

    def point(self, settings: Mapping[str, Any], job: Run, state: RunState) -> R:
        """The record of a run that has just finished with these parameters."""
        ...

    def chosen(self, points: Sequence[R]) -> R:
        """The run that becomes the model, among those that are `final`."""
        ...

    def settings_of(self, chosen: R, points: Sequence[R]) -> Mapping[str, Any]:
        """The parameters with which a finished run was made.

        Raises ValueError if the search would have made another run in its place.
        """
        ...


def with_last(points: Sequence[R], chosen: R) -> tuple[R, ...]:
    """The finished runs in order, but with the one that becomes the model (`chosen`) moved to the end."""
    return (*(point for point in points if point is not chosen), chosen)
