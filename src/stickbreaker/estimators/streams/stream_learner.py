"""What an estimator needs in order to learn from a stream, one online step per minibatch."""

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
    """Base of estimators that can learn from a stream; `Stream` and `StreamRun` call these methods."""

    @abstractmethod
    def _stream_schedule(self) -> Online:
        """The schedule: the size of minibatches, and the weight of a step."""

    @abstractmethod
    def _for_stream(self) -> Self:
        """A copy to save, whose parameters that were None have the defaults for streams."""

    @abstractmethod
    def _stream_model(self, vocabulary: Vocabulary | None = None) -> Model:
        """The model for these parameters, with an open vocabulary. Raises UserError if they are invalid."""

    @abstractmethod
    def _start_stream(self, job: VariationalRun) -> tuple[VariationalRun, VariationalState]:
        """A run that has not begun, and its state, from `job`, whose source is the first minibatch."""

    @abstractmethod
    def _restore_stream(self, job: VariationalRun, snapshot: Snapshot, n_words: int) -> VariationalState:
        """The state in a snapshot, with the table restored in the run's engine. Raises ValueError.

        n_words: the size of the vocabulary.
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
        """Make one online step on a minibatch, which counts as a pass; returns its trace record.

        documents: the number in the stream so far, taken as the size of the corpus unless the schedule has a
        total; shards: the minibatch; warned: what the run has warned about before.
        """

    @abstractmethod
    def _stream_moments(self, evolution: Evolution | None) -> Moments:
        """The object that takes a snapshot of the topics at each saving. evolution: earlier snapshots."""
