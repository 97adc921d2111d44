"""The interface of an estimator that can learn from a stream, one online step per minibatch."""

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
    """Base of estimators that learn from documents as they arrive: their online steps, run by `Stream`."""

    @abstractmethod
    def _stream_schedule(self) -> Online:
        """The size of minibatches, and the weight of a step."""

    @abstractmethod
    def _for_stream(self) -> Self:
        """A copy in which parameters left at None have their values for streams, to save in a manifest."""

    @abstractmethod
    def _stream_model(self, vocabulary: Vocabulary | None = None) -> Model:
        """The model for a stream with these parameters. Raises UserError if they are invalid, for any use."""

    @abstractmethod
    def _start_stream(self, job: VariationalRun) -> tuple[VariationalRun, VariationalState]:
        """A run whose source is the first minibatch, and its state before the first step."""

    @abstractmethod
    def _restore_stream(self, job: VariationalRun, snapshot: Snapshot, n_words: int) -> VariationalState:
        """The state of a snapshot, whose table is restored in the run's engine; `n_words`: of the vocabulary.

        Raises ValueError if it is invalid.
        """

    @abstractmethod
    def _stream_step(
        self,
        job: VariationalRun,
        state: VariationalState,
        documents: int,
        shards: Shards,
        warned: Collection[str] = (),
    ) -> TraceRecord:
        """Make one online step on some documents, in order; it counts as a pass. Returns its trace record.

        `documents`: the number in the whole stream so far, which is the total unless the schedule has one.
        `warned`: what the run has warned about before.
        """

    @abstractmethod
    def _stream_moments(self, evolution: Evolution | None) -> Moments:
        """The observer that takes snapshots for the report at each saving; `evolution`: earlier ones."""
