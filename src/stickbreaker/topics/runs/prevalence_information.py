"""What a run's documents say of the coefficients of a prior by metadata, for intervals of its effects."""

from dataclasses import dataclass, replace

import numpy as np

from stickbreaker.core.records import Array, Field
from stickbreaker.corpus.source import Source
from stickbreaker.engines import Engine, LocalEngine
from stickbreaker.engines.local import local_fork
from stickbreaker.learning.variational import VariationalState
from stickbreaker.topics.model.model import TopicModel
from stickbreaker.topics.model.priors.prevalence import COEFFICIENTS, INFORMATION, MOST_INFORMATION
from stickbreaker.topics.model.solvers.score_information import ScoreInformation


def with_information(
    model: TopicModel, source: Source, engine: Engine, state: VariationalState, seed: int
) -> VariationalState:
    """The state of a run that has ended, with the information about its prior's coefficients among the
    params. Unchanged if alpha is the same for all documents, or there are too many coefficients.
    """
    if not model.documents.by_document or state.params[COEFFICIENTS].values.size > MOST_INFORMATION:
        return state
    task = InformationOfBlocks(model, source, state, seed)
    pieces = engine.map_items_with_sums(task, source.parts(), _piece)[1]
    field = Field(np.concatenate(pieces, axis=-1), ("coefficients", "coefficients"), additive=False)
    return replace(state, params={**state.params, INFORMATION: field})


def _piece(_first: int, values: Array) -> Array:
    return values


@dataclass(frozen=True)
class InformationOfBlocks:
    """A task that an engine runs on some blocks: returns (None, the information of their documents)."""

    model: TopicModel
    source: Source
    state: VariationalState
    seed: int

    def __call__(self, engine: LocalEngine, blocks: range) -> tuple[None, Array]:
        model = replace(self.model, solver=ScoreInformation(), moves=())
        shards = self.source.shards(*blocks)
        fork = local_fork(engine, model, 1, copied=False)
        found = fork.map(self.state.params, shards, len(shards), self.seed)
        return None, found.usage["information"].values
