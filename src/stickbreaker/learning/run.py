"""What a run is to the loop and to those who watch it."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from stickbreaker.learning.trace import TraceRecord


class ScoreNames(NamedTuple):
    """How the scores of a kind of model are called: nats a `token`; of a minibatch's `documents`, and of a
    sample (`joint`).

    >>> ScoreNames("symbol").of("joint", -2.5)
    'log p(w, z) -2.5000 nats/symbol'
    """

    token: str = "word"
    documents: str = "documents"
    joint: str = "log p(w, z)"
    bound: str = "bound"
    estimate: str = "estimate of the bound"

    def of(self, kind: str, score: float) -> str:
        """A score of a kind, in words."""
        return f"{self._asdict()[kind]} {score:.4f} nats/{self.token}"

    def figures(self, record: TraceRecord) -> str:
        """What else of a record a user follows while a run goes on, to be added to a line; nothing."""
        return ""


SCORES = ScoreNames()


@dataclass(slots=True, kw_only=True)
class RunState:
    """How far a run is, whatever its kind; each kind adds what else it needs to go on.

    Changed only between steps.
    """

    step: int = 0  # steps done
    passes: int = 0  # passes done
    seen: float = 0.0  # documents read, repeats included
    scores: list[float] = field(default_factory=list[float])  # nats a token, one a pass (a scored sweep)
    held_out: list[float] = field(default_factory=list[float])  # nats a token, one an evaluation
    converged: bool = False
    stopped: bool = False  # by a callback
    kind: str = "bound"  # of the last pass's score


@dataclass(frozen=True, slots=True)
class Limits:
    """When a run ends: after `max_iter` passes, or when the score has settled by `tol` (`convergence.py`).

    With held-out documents their score decides: no gain of `tol` (relative) in `patience` evaluations.
    """

    max_iter: int = 100
    tol: float = 1e-4
    patience: int = 5
    evaluations: int = 10  # held-out evaluations a pass of an online run


State = TypeVar("State", bound=RunState)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run(ABC, Generic[State]):
    """What a run is of, fixed over any number of resumptions, and how it makes its steps.

    There are two kinds, `VariationalRun` and `SamplingRun`. The loop and its observers know of both only what
    is here.
    """

    seed: int
    limits: Limits = Limits()
    scores: ScoreNames = SCORES  # what they are called, for those who watch

    @property
    @abstractmethod
    def n_documents(self) -> int:
        """Documents that a pass reads."""

    @abstractmethod
    def steps(self, state: State) -> Iterator[TraceRecord]:
        """The steps that are left of the present pass, one at least: each changes `state` and gives the
        trace's record of itself; the last one counts the pass.

        Raises Interrupted when asked to stop, with everything as the last complete step left it.
        """

    @abstractmethod
    def close(self, state: State) -> None:
        """Count what the run's end leaves uncounted."""

    @abstractmethod
    def stop(self) -> None:
        """Ask `steps` to raise Interrupted as soon as it can; may be called from a signal handler."""
