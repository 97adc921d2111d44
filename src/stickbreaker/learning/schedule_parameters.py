"""The parameters of schedules."""

from dataclasses import dataclass
from typing import ClassVar

from stickbreaker.core.parameter_fields import Settings, parameter


@dataclass(frozen=True, slots=True)
class MemoisedParameters(Settings):
    """The parameters of memoised inference: exact updates after each minibatch."""

    home: ClassVar[str] = "stickbreaker.learning.schedules:Memoised"

    batch_size: int | None = parameter(
        None, "Documents per minibatch.", least=1, unset="a tenth of all, at least 256"
    )


@dataclass(frozen=True, slots=True)
class OnlineParameters(Settings):
    """The parameters of online (stochastic) variational inference."""

    home: ClassVar[str] = "stickbreaker.learning.schedules:Online"

    batch_size: int = parameter(256, "Documents per minibatch.", least=1)
    kappa: float | None = parameter(
        None,
        "How fast learning slows down: a step replaces the share (tau0 + steps before)^-kappa of what was "
        "learned.",
        least=0.0,
        most=1.0,
        unset="the model's default",
    )
    tau0: float | None = parameter(
        None,
        "How cautious the first steps are; larger values replace less.",
        least=1e-9,
        unset="the model's default",
    )
    total: float | str | None = parameter(
        None,
        "Documents in all; or, in a stream that drifts, how many should count.",
        '"seen": those seen so far, in several passes each once, so that counts grow with the data.',
        choices=("seen",),
        above=0.0,
        unset="those of the corpus, or of the stream so far",
    )
    shuffle: bool = parameter(True, "Mix the documents again in every pass.", option=None)
    first_batch: int | None = parameter(
        None,
        "Documents per minibatch at first: in the first pass a step has a hundredth of the documents seen "
        "before it, at least `first_batch` and at most `batch_size`.",
        least=1,
        option=None,
        saved=False,
    )
