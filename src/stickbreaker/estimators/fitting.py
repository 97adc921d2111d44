"""From an estimator and a corpus to a run: fitting in memory, into a directory, resuming."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stickbreaker.core.errors import UserError
from stickbreaker.core.files import digest_of
from stickbreaker.core.foreign import making_sense_of, refuse_negative
from stickbreaker.core.randomness import derived_seed
from stickbreaker.corpus import Analysis, Corpus
from stickbreaker.corpus.source import Source
from stickbreaker.corpus.store import VOCABULARY_FILE
from stickbreaker.engines.local import LocalEngine, usable_cores
from stickbreaker.estimators.engines import engine_of, readable
from stickbreaker.estimators.moments import Evolving
from stickbreaker.estimators.opening import begin_open, source_of
from stickbreaker.estimators.saving import (
    about,
    begun_with,
    estimator_of,
    learned_from,
    manifest_of,
    refuse_other_shapes,
)
from stickbreaker.estimators.seeding import DocumentSeeds, NoiseSeeds, seed_from_documents
from stickbreaker.estimators.settings import seed_of, threads_of
from stickbreaker.estimators.topics import TopicEstimator, final_score
from stickbreaker.evaluation.held_out import HeldOut
from stickbreaker.learning.chains import Chains
from stickbreaker.learning.convergence import relative_change
from stickbreaker.learning.loop import Run, RunState, run
from stickbreaker.learning.observers import Callback, Clock, Observer, Trace
from stickbreaker.models.contract import Sampler
from stickbreaker.models.topics import TopicModel, topic_model
from stickbreaker.models.topics.sampling import first_assignments
from stickbreaker.models.topics.tokens import tokens_of, whole_counts
from stickbreaker.saved import ModelDirectory, Snapshot
from stickbreaker.saved.checkpoints import Checkpoints, snapshot_of, state_of
from stickbreaker.saved.directory import new_model_directory
from stickbreaker.saved.manifest import RESTORE, VOCABULARY

if TYPE_CHECKING:
    from stickbreaker.engines.spark import SparkEngine


def fit(estimator: TopicEstimator, corpus: Corpus) -> None:
    """Run to the end, `n_init` times, and keep the run with the best final score."""
    estimator.topic_model(corpus.vocabulary, corpus.analysis)  # UserError for wrong parameters comes first
    estimator.seed_ = seed_of(estimator.random_state)
    corpus = readable(estimator, corpus)
    best: tuple[Run, RunState, Trace] | None = None
    for start in range(estimator.n_init):
        seed = estimator.seed_ if start == 0 else derived_seed(estimator.seed_, "start", start)
        job, state = new_run(estimator, corpus, seed)
        trace = Trace()
        observers = [Clock(), trace, *map(Callback, estimator.callbacks or ())]
        run(job, state, observers)
        if best is None or final_score(state) > final_score(best[1]):
            best = job, state, trace
    assert best is not None
    finish(estimator, corpus, *best)


def new_run(
    estimator: TopicEstimator, corpus: Corpus, seed: int, held_out: float = 0.0, folder: Path | None = None
) -> tuple[Run, RunState]:
    """A run at its start: the model that the parameters describe, and a seeded table (seeded chains).

    What its engine keeps in files lies in `folder`.
    """
    return begun(estimator, _job(estimator, corpus, seed, held_out, folder))


def begun(estimator: TopicEstimator, job: Run) -> tuple[Run, RunState]:
    """A run with a seeded table (seeded chains), and its state."""
    model = topic_model(job.model)
    if model.words.grows:
        job, state = begin_open(job, estimator.n_topics, estimator.init)
    else:
        job.engine.start(model, _seeds(estimator, job.source, model, job.seed))
        state = RunState(model.start())
    solvers, corpus = (model.solver, estimator.fold_in_solver()), job.source.corpus
    if isinstance(corpus, Corpus) and corpus.kind == "bag" and any(solver.draws for solver in solvers):
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
    carried = schedule.keeps_reports and bool(model.solver.goes_on_from)
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
    corpus = source.corpus
    assert isinstance(corpus, Corpus)
    if estimator.init == "documents":
        sides, priors = corpus.vocabulary.parts, model.words.guided_priors
        return seed_from_documents(source, sides, priors, estimator.n_topics, guided, seed)
    words, tokens = corpus.vocabulary.words, max(corpus.n_tokens, 1.0)
    return NoiseSeeds(model, words, estimator.n_topics, tokens, seed)


def _chains(estimator: TopicEstimator, job: Run, held: Mapping[str, Any] | None = None) -> Chains | None:
    """The chains of a run by Gibbs sampling: from seeds, or from the arrays of a snapshot."""
    sampling, model = estimator.gibbs_settings(), topic_model(job.model)
    if sampling is None:
        return None
    tokens = tokens_of((bags for _, bags in job.source.in_order()), job.source.n_words)
    samplers: list[Sampler] = []
    for number in range(sampling.chains):
        seed = job.seed if number == 0 else derived_seed(job.seed, "chain", number)
        if held is None:
            first = job.engine.table.counts(slice(None))  # the run's own seeds
            seeds = first if number == 0 else _seeds(estimator, job.source, model, seed)[:]
            shards = job.source.shards(*range(job.source.n_blocks))
            assignments = first_assignments(model, seeds, shards, seed)
        else:
            assignments = np.zeros(len(tokens.words), np.int32)
        samplers.append(sampling.sampler(model, tokens, assignments, seed))
    burn_in = job.limits.max_iter // 2 if sampling.burn_in is None else sampling.burn_in
    chains = Chains(samplers, burn_in, sampling.every, threads_of(estimator.n_jobs) or usable_cores())
    if held is not None:
        chains.restore(held)
    return chains


def finish(estimator: TopicEstimator, corpus: Corpus, job: Run, state: RunState, trace: Trace) -> None:
    """Hand a run's results to the estimator."""
    estimator.vocabulary_ = corpus.vocabulary
    estimator.analysis_ = corpus.analysis or Analysis()
    estimator.corpus_ = about(corpus)
    estimator.trace_ = trace.records
    estimator.take(topic_model(job.model), job.engine, state)


def unsettled(state: RunState, tol: float) -> str | None:
    """One line about a run whose score should have settled and that used all its passes; None for others."""
    if state.converged or state.stopped or tol <= 0.0:
        return None
    change = relative_change(state.scores) if state.kind == "bound" else np.nan
    detail = "" if np.isnan(change) else f" (last changes {change:.1e}, tol {tol:.0e})"
    return f"{state.passes} passes were not enough for the score to settle{detail}; raise max_iter or tol"


# Into a directory


def begin(
    estimator: TopicEstimator,
    corpus: Corpus,
    path: Path,
    *,
    held_out: float = 0.0,
    corpus_inside: bool = False,
    overwrite: bool = False,
) -> None:
    """Make the directory of a run at step 0, from which `resume` goes on.

    With `corpus_inside`, the corpus's directory is moved in. Raises UserError where something is in the way.
    """
    seed = seed_of(estimator.random_state)
    estimator.topic_model(corpus.vocabulary, corpus.analysis)
    where = "corpus" if corpus_inside else str(Path(str(corpus.path)).resolve())
    with new_model_directory(path, overwrite=overwrite) as directory:
        job, state = new_run(estimator, corpus, seed, held_out, directory.path)
        directory.write_vocabulary(corpus.vocabulary)
        if corpus_inside:
            shutil.move(str(corpus.path), directory.path / "corpus")
        analysis = None if corpus.analysis is None else corpus.analysis.resolved().to_dict()
        fixed = manifest_of(estimator, seed, {**about(corpus), "analysis": analysis}, where, held_out)
        directory.write(snapshot_of(job, state, fixed, "running"))


def resume(
    path: Path,
    *,
    every: float,
    threads: int | None,
    watch: Sequence[Observer] = (),
    stopper: Any = None,
    spark: "SparkEngine | None" = None,
) -> tuple[Run, RunState] | None:
    """Go on with the run at `path` to its end; None when it is finished already.

    `spark` is the session of a run on Spark. Checkpoints every `every` seconds. `stopper` is called with
    the engine's `stop`, for signal handlers.
    Raises Interrupted after a checkpoint when stopped, UserError where the corpus or a file has changed.
    """
    from stickbreaker.estimators.sampling import write_documents

    directory = ModelDirectory(path)
    if directory.manifest()["status"] == "done":
        directory.clear()
        return None
    directory.lock()
    try:
        snapshot = directory.read()
        manifest = snapshot.manifest
        if manifest["status"] == "done":  # by another process, a moment ago
            return None
        with making_sense_of(path, RESTORE):
            estimator, corpus, job, state = _taken_up(path, snapshot, threads, spark)
        directory.truncate_trace(manifest)
        before = snapshot.trace[-1].get("seconds", 0.0) if snapshot.trace else 0.0
        trace = Trace(directory.trace_path, snapshot.trace)

        def add_documents() -> None:
            estimator.seed_ = job.seed
            finish(estimator, corpus, job, state, trace)
            write_documents(estimator, job.source, job.engine, directory.path)
            checkpoints.fixed["corpus_path"] = None

        evolving = Evolving(directory.evolution()) if topic_model(job.model).words.grows else None
        snapshots = None if evolving is None else evolving.snapshots
        checkpoints = Checkpoints(directory, begun_with(manifest), every, add_documents, snapshots)
        if stopper is not None:
            stopper(job.engine.stop)
        run(job, state, [Clock(before), trace, *watch, *([evolving] if evolving else []), checkpoints])
    finally:
        directory.unlock()
    directory.clear()
    return job, state


def _taken_up(
    path: Path, snapshot: Snapshot, threads: int | None, spark: "SparkEngine | None"
) -> tuple[TopicEstimator, Corpus, Run, RunState]:
    """The estimator, corpus, run and state of a snapshot, from where the run goes on."""
    manifest = snapshot.manifest
    estimator = estimator_of(manifest, threads)
    if spark is not None and estimator.engine == "local":
        remedy = "resume it without --engine spark"
        raise UserError("the run began on one machine", where=path, remedy=remedy)
    estimator.engine = estimator.engine if spark is None else spark
    corpus = _corpus_of(path, manifest)
    if learned_from(manifest)[0] != about(corpus):
        raise ValueError("it says something else of its corpus than that does")
    _refuse_other_words(path, manifest, corpus)
    job = _job(estimator, corpus, manifest["settings"]["random_state"], manifest["held_out"], path)
    job.engine.restore(job.model, snapshot.arrays, snapshot.keys)
    state = state_of(snapshot)
    model = topic_model(job.model)
    refuse_other_shapes(model, job.engine.table.shape, state, corpus.n_words)
    records = job.engine.locals.values() if isinstance(job.engine, LocalEngine) else ()
    if any(name not in local for local in records for name in model.solver.goes_on_from):
        raise ValueError("documents' records without their topics")
    for local in records:
        if "gamma" in local:
            refuse_negative(local["gamma"].values, "gamma")
    return estimator, corpus, replace(job, chains=_chains(estimator, job, snapshot.arrays)), state


def _refuse_other_words(path: Path, manifest: dict[str, Any], corpus: Corpus) -> None:
    """Raise ValueError where a model's vocabulary is not the corpus's; it is read where the files differ."""
    assert corpus.path is not None
    if manifest["files"][VOCABULARY]["digest"] != digest_of(corpus.path / VOCABULARY_FILE):
        own = ModelDirectory(path).vocabulary()
        if own.words != corpus.vocabulary.words:
            raise ValueError("its vocabulary is not that of its corpus")


def _corpus_of(path: Path, manifest: dict[str, Any]) -> Corpus:
    """The corpus of a run, checked to be the one that it began with."""
    if manifest["corpus_path"] is None:
        remedy = "to go on, give the command again that learns it: stickbreaker stream"
        raise UserError("learns from files as they arrive, not from a corpus", where=path, remedy=remedy)
    where = path / "corpus" if manifest["corpus_path"] == "corpus" else Path(manifest["corpus_path"])
    corpus = Corpus.open(where)
    if corpus.fingerprint != manifest["corpus"]["fingerprint"]:
        raise UserError(
            "is not the corpus that the run began with", where=where, remedy="restore it, or fit anew"
        )
    return corpus
