"""How a kind learns from a stream, one online step per minibatch."""

from abc import abstractmethod
from collections.abc import Collection
from typing import Any

from stickbreaker.contracts.contract import Model
from stickbreaker.corpus import Vocabulary
from stickbreaker.corpus.building import AnyAnalysis
from stickbreaker.corpus.source import Shards
from stickbreaker.estimators.kinds import kinds
from stickbreaker.estimators.learned import S
from stickbreaker.estimators.learner import L, Learner
from stickbreaker.estimators.run_settings import RunSettings
from stickbreaker.learning.schedules import Online
from stickbreaker.learning.trace import TraceRecord
from stickbreaker.learning.variational import VariationalRun, VariationalState
from stickbreaker.saved import Snapshot
from stickbreaker.saved.evolution import Evolution
from stickbreaker.saved.evolution_observer import Moments


class StreamLearner(Learner[S, L]):
    """Base of learners that can learn from a stream; `Stream` and `StreamRun` call these methods."""

    @abstractmethod
    def stream_schedule(self, settings: S) -> Online:
        """The schedule: the size of minibatches, and the weight of a step."""

    @abstractmethod
    def for_stream(self, settings: S) -> S:
        """The settings to save, in which those that were None have the defaults for streams."""

    @abstractmethod
    def stream_model(
        self, settings: S, vocabulary: Vocabulary | None = None, analysis: AnyAnalysis | None = None
    ) -> Model:
        """The model that the settings describe, to learn a stream. Raises UserError if they are invalid."""

    @abstractmethod
    def start_stream(self, settings: S, job: VariationalRun) -> tuple[VariationalRun, VariationalState]:
        """A run that has not begun, and its state, from `job`, whose source is the first minibatch."""

    @abstractmethod
    def restore_stream(self, job: VariationalRun, snapshot: Snapshot, n_words: int) -> VariationalState:
        """The state in a snapshot, with the table restored in the run's engine. Raises ValueError.

        n_words: the size of the vocabulary.
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
        """Make one online step on a minibatch, which counts as a pass; returns its trace record.

        documents: the number in the stream so far, taken as the size of the corpus unless the schedule has a
        total; shards: the minibatch; warned: what the run has warned about before.
        """

    @abstractmethod
    def stream_moments(self, evolution: Evolution | None) -> Moments:
        """The object that takes a snapshot of the topics at each saving. evolution: earlier snapshots."""


AnyStreamLearner = StreamLearner[Any, Any]


def stream_learner_of(settings: RunSettings) -> AnyStreamLearner:
    """How a model with these settings learns from a stream. Raises UserError for a kind that does not."""
    kind = kinds()[settings.kind]
    kind.refuse("stream")
    learner = kind.how()
    assert isinstance(learner, StreamLearner), "the verb is of kinds with such a learner"
    return learner
