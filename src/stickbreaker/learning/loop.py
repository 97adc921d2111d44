"""The loop of every run: passes of steps, those who watch them, and what ends or interrupts it."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from stickbreaker.core.errors import Interrupted
from stickbreaker.core.threads import one_thread
from stickbreaker.learning.observers import SCORES, Observer, ScoreNames
from stickbreaker.learning.trace import TraceRecord


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


def run(job: Run[State], state: State, observers: Sequence[Observer] = ()) -> State:
    """Go on from `state` until converged, stopped or out of passes. Raises Interrupted when asked to stop.

    After Interrupted, `state` and what the run keeps elsewhere are those of the last complete step. Libraries
    with threads of their own use one each: theirs would spin beside ours, and sums depend on their number.
    """
    with one_thread():
        return _run(job, state, observers)


def _run(job: Run[State], state: State, observers: Sequence[Observer]) -> State:
    for observer in observers:
        observer.begin(job, state)
    try:
        while state.passes < job.limits.max_iter and not (state.converged or state.stopped):
            if job.n_documents == 0:
                break
            for record in job.steps(state):
                stops = [observer.step(job, state, record) for observer in observers]
                state.stopped = state.stopped or any(stops)
                if state.stopped or state.converged:
                    break
    except Interrupted:
        for observer in observers:
            observer.interrupted(job, state)
        raise
    job.close(state)
    for observer in observers:
        observer.end(job, state)
    return state
