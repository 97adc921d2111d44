"""Takes snapshots of a model's words during a run, for the report: see `evolution.py`."""

from abc import ABC, abstractmethod

from stickbreaker.learning.observers import Observer
from stickbreaker.learning.run import Run, RunState
from stickbreaker.learning.trace import TraceRecord
from stickbreaker.learning.variational import VariationalRun, VariationalState
from stickbreaker.saved.evolution import Entered, Evolution, Moment, Top

A_PASS = 4  # snapshots per pass over a corpus


class Moments(ABC):
    """Takes the snapshots of a run's topics, and holds them; a subclass chooses the words.

    `evolution`: the earlier snapshots, if a run is continued. In the first one no word counts as entered.
    """

    def __init__(self, evolution: Evolution | None = None) -> None:
        self.evolution = evolution or Evolution()

    @property
    def date(self) -> str | None:
        """The date of the last snapshot's last document; None if unknown, or if there is no snapshot."""
        return self.evolution.moments[-1].date if self.evolution.moments else None

    def add(self, job: VariationalRun, state: VariationalState, documents: int, date: str | None) -> None:
        """Take a snapshot of the topics' current words, unless there is one of this step already."""
        last = self.evolution.moments[-1:]
        if last and last[0].step >= state.step:
            return
        top, entered = self.look(job, state, last[0] if last else None)
        self.evolution = self.evolution.add(state.step, documents, date, top, entered)

    @abstractmethod
    def look(self, job: VariationalRun, state: VariationalState, last: Moment | None) -> tuple[Top, Entered]:
        """The current top words of each topic, and those that entered since the snapshot before.

        last: that snapshot, or None.
        """


class Evolving(Observer):
    """An observer that takes snapshots of a run over a corpus: about four per pass, at most one per step."""

    def __init__(self, moments: Moments, job: VariationalRun, state: VariationalState) -> None:
        self.moments, self.job, self.state = moments, job, state

    def snapshots(self) -> Evolution:
        """The snapshots so far."""
        return self.moments.evolution

    def step(self, job: Run, state: RunState, record: TraceRecord) -> bool:
        if self.is_due(job, state):
            self.moments.add(self.job, self.state, int(state.seen), None)
        return False

    def is_due(self, job: Run, state: RunState) -> bool:
        """Whether a snapshot is to be taken after this step: about four times per pass."""
        in_pass = job.n_documents * state.step / max(1.0, state.seen)
        return state.step % max(1, int(in_pass / A_PASS)) == 0

    def end(self, job: Run, state: RunState) -> None:
        self.moments.add(self.job, self.state, int(state.seen), None)
