"""What the loop and its observers know of a run: its state, its limits, and how it makes steps."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, NamedTuple

from stickbreaker.learning.trace import TraceRecord


class ScoreNames(NamedTuple):
    """How output names a model's scores, by kind of score, and the unit after "nats/" (`token`).

    >>> ScoreNames("symbol").of("joint", -2.5)
    'log p(w, z) -2.5000 nats/symbol'
    """

    token: str = "word"
    documents: str = "documents"
    joint: str = "log p(w, z)"
    bound: str = "bound"
    estimate: str = "estimate of the bound"

    def of(self, kind: str, score: float) -> str:
        """A score as text for a line of output: its name, by its kind, the number and the unit."""
        return f"{self._asdict()[kind]} {score:.4f} nats/{self.token}"

    def figures(self, record: TraceRecord) -> str:
        """Additional figures of a record, as text appended to a line of progress; empty by default."""
        return ""


SCORES = ScoreNames()


@dataclass(slots=True, kw_only=True)
class RunState:
    """The progress of a run, changed once per step; each kind of run adds what it needs to continue."""

    step: int = 0  # steps done
    passes: int = 0  # passes done
    seen: float = 0.0  # documents read, including repeats
    scores: list[float] = field(default_factory=list[float])  # nats per token, one per pass (or scored sweep)
    held_out: list[float] = field(default_factory=list[float])  # nats per token, one per evaluation
    converged: bool = False
    stopped: bool = False  # by a callback
    kind: str = "bound"  # of the last pass's score


@dataclass(frozen=True, slots=True)
class Limits:
    """When a run ends: after `max_iter` passes, or when its scores have converged to `tol`.

    If documents are held out, their scores decide: the run ends when the best of the last `patience`
    evaluations exceeds the best of all earlier ones by less than `tol`, relatively. See `convergence.py`.
    """

    max_iter: int = 100
    tol: float = 1e-4
    patience: int = 5
    evaluations: int = 10  # held-out evaluations per pass of an online run


if TYPE_CHECKING:
    from typing_extensions import TypeVar

    State = TypeVar("State", bound=RunState, default=Any)  # `Run` alone is a run of any kind
else:
    from typing import TypeVar

    State = TypeVar("State", bound=RunState)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run(ABC, Generic[State]):
    """What a run learns and how it makes its steps; all that it changes is in its state.

    There are two kinds, `VariationalRun` and `SamplingRun`. The loop and its observers use only what is
    defined here.
    """

    seed: int
    limits: Limits = Limits()
    scores: ScoreNames = SCORES  # names of the scores, for observers

    @property
    @abstractmethod
    def n_documents(self) -> int:
        """The number of documents in a pass."""

    @abstractmethod
    def steps(self, state: State) -> Iterator[TraceRecord]:
        """Make the remaining steps of the current pass, at least one; yields the trace record of each.

        Each changes `state`; the last one counts the pass. Raises Interrupted if asked to stop; `state` is
        then as after the last complete step.
        """

    @abstractmethod
    def close(self, state: State) -> None:
        """End the run: score what has no score yet, and finish the state."""

    @abstractmethod
    def stop(self) -> None:
        """Ask `steps` to raise Interrupted as soon as possible; may be called from a signal handler."""
