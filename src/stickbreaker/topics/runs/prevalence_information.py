"""What a run's documents say of the coefficients of a prior by metadata, for intervals of its effects."""

from dataclasses import dataclass, replace

import numpy as np

from stickbreaker.core.records import Array, Field
from stickbreaker.corpus.source import Source
from stickbreaker.engines import Engine, LocalEngine
from stickbreaker.engines.local import local_fork
from stickbreaker.learning.variational import VariationalState
from stickbreaker.topics.model.model import TopicModel
from stickbreaker.topics.model.priors.level_information import LevelSums, with_unknown_levels
from stickbreaker.topics.model.priors.prevalence import (
    COEFFICIENTS,
    INFORMATION,
    LEVEL_INFORMATION,
    LEVEL_SHARES,
    LEVEL_VARIANCES,
    LEVELS,
    MOST_INFORMATION,
    VARIANCES,
)
from stickbreaker.topics.model.priors.prevalence_steps import column_precisions
from stickbreaker.topics.model.solvers.score_information import ScoreInformation


def with_information(
    model: TopicModel, source: Source, engine: Engine, state: VariationalState, seed: int
) -> VariationalState:
    """The state of a run that has ended, with the information about its prior's coefficients among the
    params. Unchanged if alpha is the same for all documents, or there are too many coefficients.
    """
    params, prior = state.params, model.documents
    if not prior.by_document or params[COEFFICIENTS].values.size > MOST_INFORMATION:
        return state
    task = InformationOfBlocks(model, source, state, seed)
    sums = np.concatenate(engine.map_items_with_sums(task, source.parts(), _piece)[1])
    n_columns, n_topics = params[COEFFICIENTS].values.shape
    side = n_columns * n_topics
    information, rest = sums[: side * side].reshape(side, side), sums[side * side :]
    found = dict[str, Field]()
    if LEVELS in params:
        squares, means = np.split(rest.reshape(-1, n_columns), [n_columns])
        levels = LevelSums(squares, means, information[:n_topics, :n_topics])
        precisions = column_precisions(params[VARIANCES].values)
        variances = params[LEVEL_VARIANCES].values
        information = with_unknown_levels(information, levels, precisions, variances, prior.ranges)
        found[LEVEL_SHARES] = Field(levels.shares, ("levels",), additive=False)
        found[LEVEL_INFORMATION] = Field(levels.whole.copy(), ("topics", "topics"), additive=False)
    found[INFORMATION] = Field(information, ("coefficients", "coefficients"), additive=False)
    return replace(state, params={**params, **found})


def _piece(_first: int, values: Array) -> Array:
    return values


@dataclass(frozen=True)
class InformationOfBlocks:
    """A task that an engine runs on some blocks: returns (None, the sums of their documents, as numbers in a
    row: the information, and with levels "squares" and "means" of `ScoreInformation`).
    """

    model: TopicModel
    source: Source
    state: VariationalState
    seed: int

    def __call__(self, engine: LocalEngine, blocks: range) -> tuple[None, Array]:
        model = replace(self.model, solver=ScoreInformation(), moves=())
        shards = self.source.shards(*blocks)
        fork = local_fork(engine, model, 1, copied=False)
        found = fork.map(self.state.params, shards, len(shards), self.seed)
        names = [name for name in ("information", "squares", "means") if name in found.usage]
        return None, np.concatenate([found.usage[name].values.ravel() for name in names])
