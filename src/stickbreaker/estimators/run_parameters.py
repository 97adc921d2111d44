"""The parameters that estimators of every kind have."""

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

from stickbreaker.core.parameter_fields import parameter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from stickbreaker.learning.trace import TraceRecord


@dataclass(eq=False, repr=False)
class RunParameters:
    """The parameters that every estimator has: threads, seed, output and callbacks."""

    _: KW_ONLY
    n_jobs: int | None = parameter(
        None,
        "Threads; -1 is every core. The result is the same for any number.",
        unset="every core",
        option=None,
        last=True,
    )
    random_state: Any = parameter(
        None,
        "The same whole number gives the same model, byte for byte.",
        unset="a number is drawn, and kept in `seed_`",
        option="--seed",
        last=True,
    )
    verbose: bool | int = parameter(
        False,
        'Print a line per pass on standard error while `fit` runs (by the logger "stickbreaker").',
        option=None,
        last=True,
    )
    callbacks: "Sequence[Callable[[TraceRecord], object]] | None" = parameter(
        None,
        "Functions that get each record of the trace (a dict); one that returns True ends the run. A sweep "
        'that is not scored has no "score".',
        option=None,
        last=True,
    )
