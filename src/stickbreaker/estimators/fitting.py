"""From an estimator and a corpus to a run: fitting in memory, into a directory, resuming."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
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
from stickbreaker.engines import Engine, LocalEngine
from stickbreaker.estimators import gibbs_runs
from stickbreaker.estimators.engines import engine_of, readable
from stickbreaker.estimators.moments import Evolving
from stickbreaker.estimators.opening import begin_open, source_of
from stickbreaker.estimators.saving import (
    about,
    begun_with,
    corpus_of,
    estimator_of,
    learned_from,
    manifest_of,
    refuse_other_shapes,
)
from stickbreaker.estimators.seeding import seeds_of
from stickbreaker.estimators.settings import seed_of
from stickbreaker.estimators.topics import TopicEstimator, final_score
from stickbreaker.evaluation.held_out import HeldOut
from stickbreaker.learning.convergence import relative_change
from stickbreaker.learning.loop import Run, RunState, run
from stickbreaker.learning.observers import Callback, Clock, Observer, Trace
from stickbreaker.learning.sampling import SamplingState
from stickbreaker.learning.variational import VariationalRun, VariationalState
from stickbreaker.models.topics import Hybrid, MeanField, OpenWords, TopicModel
from stickbreaker.models.topics.tokens import whole_counts
from stickbreaker.saved import ModelDirectory, Snapshot
from stickbreaker.saved.checkpoints import Checkpoints, model_of, snapshot_of, state_of
from stickbreaker.saved.directory import new_model_directory
from stickbreaker.saved.manifest import RESTORE, VOCABULARY

if TYPE_CHECKING:
    from stickbreaker.engines.spark import SparkEngine


def fit(estimator: TopicEstimator, corpus: Corpus) -> None:
    """Run to the end, `n_init` times, and keep the run with the best final score."""
    estimator._topic_model(corpus.vocabulary, corpus.analysis)  # UserError for wrong parameters comes first
    estimator.seed_ = seed_of(estimator.random_state)
    corpus = readable(estimator, corpus)
    best: tuple[Run[Any], RunState, Trace] | None = None
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
) -> tuple[Run[Any], RunState]:
    """A run at its start: the model that the parameters describe, and a seeded table (seeded chains).

    What its engine keeps in files lies in `folder`.
    """
    model, source, evaluate = _to_learn(estimator, corpus, seed, held_out)
    if estimator._sampling() is not None:
        job = gibbs_runs.run_of(estimator, model, source, seed, evaluate)
        return job, gibbs_runs.first_state(estimator, model, source, seed)
    return begun(estimator, _job(estimator, model, source, seed, evaluate, folder))


def begun(estimator: TopicEstimator, job: VariationalRun) -> tuple[VariationalRun, VariationalState]:
    """A run by variational steps with a seeded table, and its state."""
    model = job.model
    assert isinstance(model, TopicModel)
    if isinstance(model.words, OpenWords):
        job, state = begin_open(job, estimator.n_topics, estimator.init)
    else:
        job.engine.start(model, seeds_of(estimator, job.source, model, job.seed))
        state = VariationalState(model.start())
    solvers, corpus = (model.solver, estimator._fold_in()), job.source.corpus
    if isinstance(corpus, Corpus) and corpus.kind == "bag" and any(isinstance(s, Hybrid) for s in solvers):
        job.engine.each(WholeCounts(job.source), job.source.parts())  # else an error in mid-run
    return job, state


@dataclass(frozen=True)
class WholeCounts:
    """Raises UserError where a weight of some blocks is no whole number."""

    source: Source

    def __call__(self, engine: LocalEngine, blocks: range) -> None:
        for block in blocks:
            whole_counts(self.source.block(block)[1].counts)


def _to_learn(
    estimator: TopicEstimator, corpus: Corpus, seed: int, held_out: float
) -> tuple[TopicModel, Source, HeldOut | None]:
    """The model that the parameters describe, the documents, and who scores those that are held out."""
    model = estimator._topic_model(corpus.vocabulary, corpus.analysis)
    source = source_of(corpus, model, held_out)
    if source.n_documents == 0:
        raise UserError("there is no document to learn from", remedy="lower the held-out share")
    evaluate = HeldOut(source, seed) if held_out > 0.0 else None
    if evaluate is not None and evaluate.is_empty:
        raise UserError("no held-out document has a known word", remedy="raise the held-out share")
    return model, source, evaluate


def _job(
    estimator: TopicEstimator,
    model: TopicModel,
    source: Source,
    seed: int,
    evaluate: HeldOut | None,
    folder: Path | None,
) -> VariationalRun:
    schedule = estimator._schedule()
    carried = schedule.keeps_reports and isinstance(model.solver, MeanField)
    return VariationalRun(
        model=model,
        engine=engine_of(estimator, model, keep_local=estimator.keep_local or carried, folder=folder),
        schedule=schedule,
        source=source,
        seed=seed,
        limits=estimator._limits(),
        evaluate=evaluate,
    )


def finish(
    estimator: TopicEstimator, corpus: Corpus, job: Run[Any], state: RunState, trace: Trace
) -> tuple[Engine, VariationalState]:
    """Hand a run's results to the estimator; gives them as a table and the rest."""
    if isinstance(state, SamplingState):
        model = estimator._topic_model(corpus.vocabulary, corpus.analysis)
        engine, whole = gibbs_runs.learned(estimator, model, state)
    else:
        assert isinstance(job, VariationalRun)
        assert isinstance(state, VariationalState)
        assert isinstance(job.model, TopicModel)
        model, engine, whole = job.model, job.engine, state
    estimator.vocabulary_ = corpus.vocabulary
    estimator.analysis_ = corpus.analysis or Analysis()
    estimator.corpus_ = about(corpus)
    estimator.trace_ = trace.records
    estimator._take(model, engine, whole)
    return engine, whole


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
    estimator._topic_model(corpus.vocabulary, corpus.analysis)
    where = "corpus" if corpus_inside else str(Path(str(corpus.path)).resolve())
    with new_model_directory(path, overwrite=overwrite) as directory:
        job, state = new_run(estimator, corpus, seed, held_out, directory.path)
        directory.write_vocabulary(corpus.vocabulary)
        if corpus_inside:
            shutil.move(str(corpus.path), directory.path / "corpus")
        analysis = None if corpus.analysis is None else corpus.analysis.resolved().to_dict()
        fixed = manifest_of(estimator, seed, {**about(corpus), "analysis": analysis}, where, held_out)
        directory.write(snapshot_of(job, state, fixed))


def resume(
    path: Path,
    *,
    every: float,
    threads: int | None,
    watch: Sequence[Observer] = (),
    stopper: Any = None,
    spark: "SparkEngine | None" = None,
) -> tuple[TopicEstimator, Run[Any], RunState] | None:
    """Go on with the run at `path` to its end; None when it is finished already.

    `spark` is the session of a run on Spark. Checkpoints every `every` seconds. `stopper` is called with
    the run's `stop`, for signal handlers.
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
            estimator, corpus, source, job, state = _taken_up(path, snapshot, threads, spark)
        directory.truncate_trace(manifest)
        before = snapshot.trace[-1].get("seconds", 0.0) if snapshot.trace else 0.0
        trace, fixed = Trace(directory.trace_path, snapshot.trace), begun_with(manifest)

        def finished() -> Snapshot:
            estimator.seed_ = job.seed
            engine, whole = finish(estimator, corpus, job, state, trace)
            write_documents(estimator, source, engine, directory.path)
            return model_of(engine, whole, {**fixed, "corpus_path": None}, "done")

        evolving = None
        if isinstance(job, VariationalRun) and isinstance(state, VariationalState) and job.model.table.keyed:
            evolving = Evolving(directory.evolution(), job, state)
        snapshots = None if evolving is None else evolving.snapshots
        checkpoints = Checkpoints(directory, fixed, every, finished, snapshots)
        if stopper is not None:
            stopper(job.stop)
        run(job, state, [Clock(before), trace, *watch, *([evolving] if evolving else []), checkpoints])
    finally:
        directory.unlock()
    directory.clear()
    return estimator, job, state


def _taken_up(
    path: Path, snapshot: Snapshot, threads: int | None, spark: "SparkEngine | None"
) -> tuple[TopicEstimator, Corpus, Source, Run[Any], RunState]:
    """The estimator, corpus, documents, run and state of a snapshot, from where the run goes on."""
    manifest = snapshot.manifest
    estimator = estimator_of(manifest, threads)
    if spark is not None and estimator.engine == "local":
        remedy = "resume it without --engine spark"
        raise UserError("the run began on one machine", where=path, remedy=remedy)
    estimator.engine = estimator.engine if spark is None else spark
    corpus = corpus_of(path, manifest)
    if learned_from(manifest)[0] != about(corpus):
        raise ValueError("it says something else of its corpus than that does")
    _refuse_other_words(path, manifest, corpus)
    seed = manifest["settings"]["random_state"]
    model, source, evaluate = _to_learn(estimator, corpus, seed, manifest["held_out"])
    if estimator._sampling() is not None:
        job = gibbs_runs.run_of(estimator, model, source, seed, evaluate)
        state = gibbs_runs.restored_state(estimator, model, source, seed, snapshot)
        engine, whole = gibbs_runs.learned(estimator, model, state)
        refuse_other_shapes(model, engine.table.shape, whole, corpus.n_words)
        return estimator, corpus, source, job, state
    job = _job(estimator, model, source, seed, evaluate, path)
    return estimator, corpus, source, job, _restored(job, model, snapshot, corpus.n_words)


def _restored(job: VariationalRun, model: TopicModel, snapshot: Snapshot, n_words: int) -> VariationalState:
    """The state of a snapshot, whose table the engine takes. Raises ValueError where it makes no sense."""
    engine = job.engine
    engine.restore(model, snapshot.arrays, snapshot.keys)
    state = state_of(snapshot)
    refuse_other_shapes(model, (engine.n_rows, engine.totals().shape[1]), state, n_words)
    records = engine.locals.values() if isinstance(engine, LocalEngine) else ()
    if isinstance(model.solver, MeanField) and any("gamma" not in local for local in records):
        raise ValueError("documents' records without their topics")
    for local in records:
        if "gamma" in local:
            refuse_negative(local["gamma"].values, "gamma")
    return state


def _refuse_other_words(path: Path, manifest: dict[str, Any], corpus: Corpus) -> None:
    """Raise ValueError where a model's vocabulary is not the corpus's; it is read where the files differ."""
    assert corpus.path is not None
    if manifest["files"][VOCABULARY]["digest"] != digest_of(corpus.path / VOCABULARY_FILE):
        own = ModelDirectory(path).vocabulary()
        if own.words != corpus.vocabulary.words:
            raise ValueError("its vocabulary is not that of its corpus")
