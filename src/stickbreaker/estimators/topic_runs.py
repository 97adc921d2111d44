"""Runs of topic models: from an estimator of topics and a corpus, and from a checkpoint."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.core.foreign import refuse_negative
from stickbreaker.core.randomness import derived_seed
from stickbreaker.core.records import Array
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.source import Source
from stickbreaker.engines.local import LocalEngine, usable_cores
from stickbreaker.estimators.engines import engine_of
from stickbreaker.estimators.opening import begin_open, source_of
from stickbreaker.estimators.seeding import DocumentSeeds, NoiseSeeds, seed_from_documents
from stickbreaker.estimators.settings import threads_of
from stickbreaker.estimators.topic_shapes import refuse_other_shapes
from stickbreaker.estimators.topics import TopicEstimator
from stickbreaker.evaluation.held_out import HeldOut
from stickbreaker.learning.chains import Chains
from stickbreaker.learning.loop import Run, RunState
from stickbreaker.models.contract import Sampler
from stickbreaker.models.topics import (
    ClosedVocabulary,
    FranchiseTopics,
    Hybrid,
    MeanField,
    OpenWords,
    TopicModel,
)
from stickbreaker.models.topics.tokens import tokens_of, whole_counts
from stickbreaker.saved import Snapshot
from stickbreaker.saved.checkpoints import state_of


def new_run(
    estimator: TopicEstimator, corpus: Corpus, seed: int, held_out: float = 0.0, folder: Path | None = None
) -> tuple[Run, RunState]:
    """A run at its start: the model that the parameters describe, and a seeded table (seeded chains).

    What its engine keeps in files lies in `folder`.
    """
    return begun(estimator, _job(estimator, corpus, seed, held_out, folder))


def resume_run(
    estimator: TopicEstimator, corpus: Corpus, snapshot: Snapshot, folder: Path
) -> tuple[Run, RunState]:
    """The run whose checkpoint is `snapshot`, as it was then."""
    manifest = snapshot.manifest
    job = _job(estimator, corpus, manifest["settings"]["random_state"], manifest["held_out"], folder)
    job.engine.restore(job.model, snapshot.arrays, snapshot.keys)
    state, n_rows = state_of(snapshot), job.engine.n_rows
    assert isinstance(job.model, TopicModel)
    refuse_other_shapes(job.model, (n_rows, job.engine.totals().shape[1]), state, corpus.n_words)
    records = job.engine.locals.values() if isinstance(job.engine, LocalEngine) else ()
    if isinstance(job.model.solver, MeanField) and any("gamma" not in local for local in records):
        raise ValueError("documents' records without their topics")
    for local in records:
        if "gamma" in local:
            refuse_negative(local["gamma"].values, "gamma")
    return replace(job, chains=_chains(estimator, job, snapshot.arrays)), state


def begun(estimator: TopicEstimator, job: Run) -> tuple[Run, RunState]:
    """A run with a seeded table (seeded chains), and its state."""
    model = job.model
    assert isinstance(model, TopicModel)
    if isinstance(model.words, OpenWords):
        job, state = begin_open(job, estimator.n_topics, estimator.init)
    else:
        job.engine.start(model, _seeds(estimator, job.source, model, job.seed))
        state = RunState(model.start())
    solvers, corpus = (model.solver, estimator.fold_in_solver()), job.source.corpus
    if isinstance(corpus, Corpus) and corpus.kind == "bag" and any(isinstance(s, Hybrid) for s in solvers):
        job.engine.each(WholeCounts(job.source), job.source.parts())  # else an error in mid-run
    return replace(job, chains=_chains(estimator, job)), state


@dataclass(frozen=True)
class WholeCounts:
    """Raises UserError where a weight of some blocks is no whole number."""

    source: Source

    def __call__(self, engine: LocalEngine, blocks: range) -> None:
        for block in blocks:
            whole_counts(self.source.block(block)[1].counts)


def _job(
    estimator: TopicEstimator, corpus: Corpus, seed: int, held_out: float, folder: Path | None = None
) -> Run:
    model = estimator.topic_model(corpus.vocabulary, corpus.analysis)
    source = source_of(corpus, model, held_out)
    if source.n_documents == 0:
        raise UserError("there is no document to learn from", remedy="lower the held-out share")
    evaluate = HeldOut(source, seed) if held_out > 0.0 else None
    if evaluate is not None and evaluate.is_empty:
        raise UserError("no held-out document has a known word", remedy="raise the held-out share")
    schedule = estimator.learning_schedule()
    carried = schedule.keeps_reports and isinstance(model.solver, MeanField)
    return Run(
        model=model,
        engine=engine_of(estimator, model, keep_local=estimator.keep_local or carried, folder=folder),
        schedule=schedule,
        source=source,
        seed=seed,
        limits=estimator.limits(),
        evaluate=evaluate,
    )


def _seeds(
    estimator: TopicEstimator, source: Source, model: TopicModel, seed: int
) -> DocumentSeeds | NoiseSeeds:
    """The table that a run, or a chain, starts from, its rows made when they are asked for."""
    guided = sum(name is not None for name in estimator.guide_names())
    assert isinstance(model.words, ClosedVocabulary)
    if estimator.init == "documents":
        return seed_from_documents(source, model.words, estimator.n_topics, guided, seed)
    corpus = source.corpus
    assert isinstance(corpus, Corpus)
    words, tokens = corpus.vocabulary.words, max(corpus.n_tokens, 1.0)
    return NoiseSeeds(model, words, estimator.n_topics, tokens, seed)


def _chains(estimator: TopicEstimator, job: Run, held: Mapping[str, Any] | None = None) -> Chains | None:
    """The chains of a run by Gibbs sampling: from seeds, or from the arrays of a snapshot."""
    sampling, model = estimator.gibbs_settings(), job.model
    if sampling is None:
        return None
    assert isinstance(model, TopicModel)
    tokens = tokens_of((bags for _, bags in job.source.in_order()), job.source.n_words)
    samplers: list[Sampler] = []
    for number in range(sampling.chains):
        seed = job.seed if number == 0 else derived_seed(job.seed, "chain", number)
        if held is None:
            first = job.engine.rows().values  # the run's own seeds
            seeds = first if number == 0 else _seeds(estimator, job.source, model, seed)[:]
            assignments = _first_assignments(seeds, model, job.source, seed)
        else:
            assignments = np.zeros(len(tokens.words), np.int32)
        assert not isinstance(model.documents, FranchiseTopics)
        assert isinstance(model.words, ClosedVocabulary)
        samplers.append(sampling.sampler(tokens, assignments, model.documents, model.words, seed))
    burn_in = job.limits.max_iter // 2 if sampling.burn_in is None else sampling.burn_in
    chains = Chains(samplers, burn_in, sampling.every, threads_of(estimator.n_jobs) or usable_cores())
    if held is not None:
        chains.restore(held)
    return chains


def _first_assignments(seeds: Array, model: TopicModel, source: Source, seed: int) -> NDArray[np.int32]:
    """A topic for every token, in document order: a draw given the seeded topics."""
    small = model.start()
    assert isinstance(model.words, ClosedVocabulary)
    view = model.view(small, seeds, model.words.totals(seeds), None)
    start = Hybrid(burn_in=1, samples=1)
    parts = [start.assign(view, shard, seed) for shard in source.shards(*range(source.n_blocks))]
    return np.concatenate(parts)
