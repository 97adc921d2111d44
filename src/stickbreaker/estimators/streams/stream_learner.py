"""What an estimator must be able to do so that it can learn from a stream, an online step a minibatch."""

from abc import abstractmethod
from collections.abc import Collection
from typing import Self

from stickbreaker.contracts.contract import Model
from stickbreaker.corpus import Vocabulary
from stickbreaker.corpus.source import Shards
from stickbreaker.estimators.estimator import Estimator
from stickbreaker.learning.schedules import Online
from stickbreaker.learning.trace import TraceRecord
from stickbreaker.learning.variational import VariationalRun, VariationalState
from stickbreaker.saved import Snapshot
from stickbreaker.saved.evolution import Evolution
from stickbreaker.saved.evolution_observer import Moments


class StreamLearner(Estimator):
    """An estimator that learns from documents as they come: its steps. `stream_directory.py` has the run."""

    @abstractmethod
    def stream_schedule(self) -> Online:
        """How large minibatches are, and what a step weighs."""

    @abstractmethod
    def for_stream(self) -> Self:
        """The same with parameters that were left open as streams have them, for a manifest."""

    @abstractmethod
    def stream_model(self, vocabulary: Vocabulary | None = None) -> Model:
        """The model of a stream that the parameters describe. Raises UserError for parameters that are
        wrong, or do not go with streams."""

    @abstractmethod
    def start_stream(self, job: VariationalRun) -> tuple[VariationalRun, VariationalState]:
        """A run that has the first minibatch as its source, at its start, and its state."""

    @abstractmethod
    def restore_stream(self, job: VariationalRun, snapshot: Snapshot, n_words: int) -> VariationalState:
        """The state of a snapshot, whose table the run's engine takes; `n_words`: of the vocabulary.

        Raises ValueError where it makes no sense.
        """

    @abstractmethod
    def stream_step(
        self,
        job: VariationalRun,
        state: VariationalState,
        documents: int,
        shards: Shards,
        warned: Collection[str] = (),
    ) -> TraceRecord:
        """One step on some documents, in order, which counts as a pass.

        `documents`: those of the whole stream up to now, the size of it unless the schedule has a total.
        `warned`: what the run has warned of before.
        """

    @abstractmethod
    def stream_moments(self, evolution: Evolution | None) -> Moments:
        """What takes snapshots for the report when the model is saved; `evolution` holds those so far."""
