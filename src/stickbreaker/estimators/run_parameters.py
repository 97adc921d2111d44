"""The parameters that estimators of every kind have, for kinds that are not yet settings and a learner."""

from dataclasses import KW_ONLY, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from stickbreaker.estimators.run_settings import RunSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from stickbreaker.learning.trace import TraceRecord


def _as_setting(name: str) -> Any:
    """A field that is declared like that of `RunSettings`."""
    one = next(one for one in fields(RunSettings) if one.name == name)
    return field(default=one.default, metadata=one.metadata)


@dataclass(eq=False, repr=False)
class RunParameters:
    """The parameters that every estimator has: threads, seed, output and callbacks."""

    _: KW_ONLY
    n_jobs: int | None = _as_setting("n_jobs")
    random_state: Any = _as_setting("random_state")  # noqa: RUF009
    verbose: bool | int = _as_setting("verbose")
    callbacks: "Sequence[Callable[[TraceRecord], object]] | None" = _as_setting("callbacks")  # noqa: RUF009
