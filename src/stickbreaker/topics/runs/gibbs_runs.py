"""Runs of Gibbs sampling of topics: chains that start from initial counts or a checkpoint, and their result
in the form of a table of counts.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stickbreaker.contracts.contract import Fitted
from stickbreaker.contracts.model_source import source_of
from stickbreaker.core import purposes
from stickbreaker.core.random_streams import derived_seed
from stickbreaker.corpus.source import Source
from stickbreaker.engines.local import LocalEngine
from stickbreaker.estimators.model_files import corpus_of
from stickbreaker.estimators.setting_values import threads_for, threads_of
from stickbreaker.learning.chains import Chains
from stickbreaker.learning.events import Columns
from stickbreaker.learning.sampling import SamplingRun, SamplingState
from stickbreaker.learning.variational import VariationalState
from stickbreaker.saved import Snapshot
from stickbreaker.saved.checkpoints import sampling_state_of
from stickbreaker.topics.evaluation.held_out import HeldOut
from stickbreaker.topics.kernels.document_counts import DocumentTopics
from stickbreaker.topics.model.model import TopicModel
from stickbreaker.topics.model.samplers.collapsed import TokenChain
from stickbreaker.topics.model.samplers.gibbs_settings import Gibbs, first_assignments
from stickbreaker.topics.model.samplers.tokens import TokensInOrder, tokens_in_order
from stickbreaker.topics.plan import AnyPlan
from stickbreaker.topics.runs.initialization import seeds_of
from stickbreaker.topics.runs.metadata_coding import with_coding
from stickbreaker.topics.trace_fields import SCORE_NAMES


def run_of(
    plan: AnyPlan, model: TopicModel, source: Source, seed: int, held_out: HeldOut | None
) -> SamplingRun:
    """The Gibbs sampling run of a plan over a source's documents, not yet started. `held_out`: computes
    a score of held-out documents, None without them.
    """

    def evaluate(fitted: Fitted) -> float:
        assert held_out is not None
        return held_out(table_of(plan, model, fitted), model, fitted.params)

    scored = None if held_out is None else evaluate
    return SamplingRun(source.n_documents, scored, seed=seed, limits=plan.limits, scores=SCORE_NAMES)


def first_state(plan: AnyPlan, model: TopicModel, source: Source, seed: int) -> SamplingState:
    """The state in which a run begins: new chains, each with topics assigned to all tokens by initial counts
    of its own.
    """
    sampling, tokens = _sampling(plan), _tokens(source)
    assignments: list[NDArray[np.int32]] = []
    for number in range(sampling.chains):
        own = _seed(seed, number)
        seeds = seeds_of(plan, source, model, own)[:]
        shards = source.all_shards()
        assignments.append(first_assignments(model, seeds, shards, own))
    return SamplingState(_chains(plan, model, tokens, assignments, seed))


def restored_state(
    plan: AnyPlan, model: TopicModel, source: Source, seed: int, snapshot: Snapshot
) -> SamplingState:
    """Continue a run of Gibbs sampling: the state of its chains as stored in a checkpoint.

    `source`: the documents of the run, whose tokens are not in the checkpoint. Raises ValueError for an
    invalid checkpoint.
    """
    tokens = _tokens(source)
    nowhere = [np.zeros(len(tokens.words), np.int32)] * _sampling(plan).chains
    return sampling_state_of(snapshot, _chains(plan, model, tokens, nowhere, seed))


def read(
    plan: AnyPlan, model: TopicModel, folder: Path, snapshot: Snapshot
) -> tuple[LocalEngine, VariationalState]:
    """What a run of Gibbs sampling has learned by its last checkpoint: an engine with the table of counts,
    and a state as of a variational run.

    The chains' tokens are not in the checkpoint but are read from the run's corpus. Raises UserError if it no
    longer exists, or has changed.
    """
    manifest = snapshot.manifest
    corpus = corpus_of(folder, manifest)
    model = with_coding(model, corpus, manifest["held_out"])
    source = source_of(corpus, model, manifest["held_out"])
    seed = manifest["settings"]["random_state"]
    return learned_by_chains(plan, model, restored_state(plan, model, source, seed, snapshot))


def learned_by_chains(
    plan: AnyPlan, model: TopicModel, state: SamplingState
) -> tuple[LocalEngine, VariationalState]:
    """The best chain's result in the form that a variational run has: an engine with the table of counts, and
    a state.
    """
    fitted = state.chains.fitted()
    columns = None
    if fitted.columns is not None:
        numbers = fitted.columns.tolist()
        columns = Columns(tuple(numbers), numbers[-1] + 1)
    rest = VariationalState(
        fitted.params,
        columns=columns,
        at_pass_start=(state.step, state.seen),
        step=state.step,
        passes=state.passes,
        seen=state.seen,
        scores=state.scores,
        held_out=state.held_out,
        converged=state.converged,
        stopped=state.stopped,
        kind=state.kind,
    )
    return table_of(plan, model, fitted), rest


def topics_of_documents(chains: Chains, columns: NDArray[np.int64]) -> DocumentTopics:
    """The topics of the documents' tokens in the last state of the best chain, as positions in `columns`: the
    columns of its table that are topics in use. Tokens of other columns are left out.
    """
    chain = chains.samplers[chains.best()]
    assert isinstance(chain, TokenChain)
    found = chain.document_topics()
    places = np.full(max(int(found.topics.max(initial=0)), int(columns.max(initial=0))) + 1, -1, np.int32)
    places[columns] = np.arange(len(columns))
    topics = places[found.topics]
    used = topics >= 0
    starts = np.concatenate([[0], np.cumsum(used)])[found.starts]
    return DocumentTopics(starts, topics[used], found.shares[used])


def table_of(plan: AnyPlan, model: TopicModel, fitted: Fitted) -> LocalEngine:
    """An engine whose table has the counts of a chain (words × topics)."""
    assert fitted.counts is not None
    engine = LocalEngine(threads_of(plan.settings.n_jobs))
    engine.start(model, fitted.counts)
    return engine


def _chains(
    plan: AnyPlan,
    model: TopicModel,
    tokens: TokensInOrder,
    assignments: Sequence[NDArray[np.int32]],
    seed: int,
) -> Chains:
    """Chains that sample the same tokens, each started from its own assignments (the topic of every token).
    seed: the run's, from which each chain's is derived.
    """
    sampling = _sampling(plan)
    samplers = [
        sampling.sampler(model, tokens, first, _seed(seed, number))
        for number, first in enumerate(assignments)
    ]
    burn_in = plan.limits.max_iter // 2 if sampling.burn_in is None else sampling.burn_in
    return Chains(samplers, burn_in, sampling.every, threads_for(plan.settings.n_jobs))


def _sampling(plan: AnyPlan) -> Gibbs:
    sampling = plan.sampling
    assert sampling is not None
    return sampling


def _seed(seed: int, number: int) -> int:
    """The random seed of a chain: the run's `seed` for chain 0, for others one derived from it."""
    return seed if number == 0 else derived_seed(seed, purposes.CHAIN, number)


def _tokens(source: Source) -> TokensInOrder:
    rows = source.rows_of(source.all_shards().numbers())
    return tokens_in_order((bags for _, bags in source.in_order()), source.n_words, rows)
