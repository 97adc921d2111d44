"""Settings that learning has for every kind of model. A kind's settings are a subclass, in its `settings.py`.

Modules with settings import neither numpy nor models: `--help` must be quick. What settings mean is computed
by the kind's `Learner`.
"""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from stickbreaker.core.errors import UserError
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.parameter_fields import declared, parameter, refuse_unmet_needs, refuse_values

if TYPE_CHECKING:
    from stickbreaker.engines import Cluster
    from stickbreaker.learning.trace import TraceRecord


@dataclass(frozen=True, eq=False, repr=False)
class RunSettings:
    """What a fit is asked for: settings with valid values, which never change.

    Values are checked when an instance is made (UserError names the first that is wrong); what they mean
    together, and for a vocabulary, is checked by `Learner.check`. A subclass for each kind declares further
    fields by `parameter`.
    """

    kind: ClassVar[str]  # the name of the kind in saved models and in `kinds()`

    _: KW_ONLY
    n_jobs: int | None = parameter(
        None,
        "Threads; -1 is every core. The result is the same for any number.",
        unset="every core",
        option=None,
        last=True,
        reads=True,
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

    def __post_init__(self) -> None:
        refuse_values(self)
        if self.n_jobs == 0:
            raise UserError("n_jobs=0", remedy="n_jobs is a whole number above 0, -1 or None")

    def refuse_unmet_needs(self) -> None:
        """Raise UserError for a setting that was given although one that it needs has another value.

        Called when learning begins, not when a model is loaded: older files may have such values.
        """
        refuse_unmet_needs(self)

    def values(self) -> JsonObject:
        """The settings by name."""
        return {name: getattr(self, name) for name in declared(type(self))}

    def but(self, **changes: Any) -> Self:
        """A copy with other values. Raises UserError for one that is not valid."""
        return replace(self, **changes)

    @property
    def starts(self) -> int:
        """How many complete runs a fit makes, of which the best becomes the model."""
        return 1

    @property
    def where(self) -> "str | Cluster":
        """The engine to learn with: "local", or that of a Spark session."""
        return "local"

    def on(self, engine: "Cluster") -> Self:
        """A copy to learn with a Spark session; by default, for kinds that do not use Spark, the same."""
        return self
