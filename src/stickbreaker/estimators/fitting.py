"""From an estimator and a corpus to a run: fitting in memory, into a directory, resuming."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stickbreaker.core import purposes
from stickbreaker.core.errors import UserError, naming
from stickbreaker.core.files import digest_of
from stickbreaker.core.random_streams import derived_seed
from stickbreaker.core.untrusted import making_sense_of
from stickbreaker.corpus import Analysis, Corpus
from stickbreaker.corpus.store import VOCABULARY_FILE
from stickbreaker.estimators.engine_choice import readable
from stickbreaker.estimators.estimator import Estimator, final_score
from stickbreaker.estimators.saving import (
    about,
    corpus_of,
    estimator_of,
    learned_from,
    manifest_at_start,
    manifest_of,
)
from stickbreaker.estimators.settings import seed_of
from stickbreaker.learning.convergence import relative_change, settled
from stickbreaker.learning.loop import Run, RunState, run
from stickbreaker.learning.observers import Callback, Clock, Observer, Trace
from stickbreaker.saved import ModelDirectory, Snapshot
from stickbreaker.saved.checkpoints import Checkpoints, snapshot_of
from stickbreaker.saved.directory import new_model_directory
from stickbreaker.saved.manifest import RESTORE
from stickbreaker.saved.manifest_fields import VOCABULARY

if TYPE_CHECKING:
    from stickbreaker.engines.spark import SparkEngine


def fit(estimator: Estimator, corpus: Corpus) -> RunState:
    """Run to the end, `n_init` times, and keep the run with the best final score; gives its state."""
    estimator.refuse_params(corpus.vocabulary, corpus.analysis)  # before anything else
    estimator.seed_ = seed_of(estimator.random_state)
    corpus = readable(estimator, corpus)
    best: tuple[Run[Any], RunState, Trace] | None = None
    for start in range(estimator.n_init):
        seed = estimator.seed_ if start == 0 else derived_seed(estimator.seed_, purposes.START, start)
        job, state = estimator.new_run(corpus, seed)
        trace = Trace()
        observers = [Clock(), trace, *map(Callback, estimator.callbacks or ())]
        run(job, state, observers)
        if best is None or final_score(state) > final_score(best[1]):
            best = job, state, trace
    assert best is not None
    finish(estimator, corpus, *best)
    return best[1]


def finish(estimator: Estimator, corpus: Corpus, job: Run[Any], state: RunState, trace: Trace) -> None:
    """Hand a run's results to the estimator."""
    _record(estimator, corpus, trace)
    estimator.take_run(corpus, job, state)


def _record(estimator: Estimator, corpus: Corpus, trace: Trace) -> None:
    """Note in an estimator what it has learned from, and how the run went."""
    estimator.vocabulary_ = corpus.vocabulary
    estimator.analysis_ = corpus.analysis or Analysis()
    estimator.corpus_ = about(corpus)
    estimator.trace_ = trace.records


def unsettled(state: RunState, tol: float) -> str | None:
    """One line about a run whose score should have settled and that used all its passes; None for others."""
    if state.converged or state.stopped or tol <= 0.0:
        return None
    if state.kind != "joint" and not state.held_out and settled(state.scores, tol):
        return (
            f"{state.passes} passes were not enough: the score has settled, but a learned prior moves on, or "
            "changes of topics are untried; raise max_iter"
        )
    change = relative_change(state.scores) if state.kind == "bound" else np.nan
    detail = "" if np.isnan(change) else f" (last changes {change:.1e}, tol {tol:.0e})"
    return f"{state.passes} passes were not enough for the score to settle{detail}; raise max_iter or tol"


# Into a directory


def begin(
    estimator: Estimator,
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
    estimator.refuse_params(corpus.vocabulary, corpus.analysis)
    where = "corpus" if corpus_inside else str(Path(str(corpus.path)).resolve())
    with new_model_directory(path, overwrite=overwrite) as directory:
        job, state = estimator.new_run(corpus, seed, held_out, directory.path)
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
    stopper: Callable[[Callable[[], None]], object] | None = None,
    spark: "SparkEngine | None" = None,
) -> tuple[Estimator, Run[Any], RunState] | None:
    """Go on with the run at `path` to its end; None when it is finished already.

    `spark` is the session of a run on Spark. Checkpoints every `every` seconds. `stopper` is called with
    the run's `stop`, for signal handlers.
    Raises Interrupted after a checkpoint when stopped, UserError where the corpus or a file has changed.
    """
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
            estimator, corpus, job, state = _restored(path, snapshot, threads, spark)
        directory.truncate_trace(manifest)
        before = snapshot.trace[-1].get("seconds", 0.0) if snapshot.trace else 0.0
        trace, fixed = Trace(directory.trace_path, snapshot.trace), manifest_at_start(manifest)

        def finished() -> Snapshot:
            estimator.seed_ = job.seed
            _record(estimator, corpus, trace)
            done = {**fixed, "corpus_path": None}
            return estimator.finish_run(corpus, job, state, done, directory.path)

        evolving = estimator.evolution(job, state, directory)
        snapshots = None if evolving is None else evolving.snapshots
        checkpoints = Checkpoints(directory, fixed, every, finished, snapshots)
        if stopper is not None:
            stopper(job.stop)
        with naming(path):
            run(job, state, [Clock(before), trace, *watch, *([evolving] if evolving else []), checkpoints])
    finally:
        directory.unlock()
    directory.clear()
    return estimator, job, state


def _restored(
    path: Path, snapshot: Snapshot, threads: int | None, spark: "SparkEngine | None"
) -> tuple[Estimator, Corpus, Run[Any], RunState]:
    """The estimator, corpus, run and state of a snapshot, from where the run goes on."""
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
    return estimator, corpus, *estimator.resume_run(corpus, snapshot, path)


def _refuse_other_words(path: Path, manifest: dict[str, Any], corpus: Corpus) -> None:
    """Raise ValueError where a model's vocabulary is not the corpus's; it is read where the files differ."""
    assert corpus.path is not None
    if manifest["files"][VOCABULARY]["digest"] != digest_of(corpus.path / VOCABULARY_FILE):
        own = ModelDirectory(path).vocabulary()
        if own.words != corpus.vocabulary.words:
            raise ValueError("its vocabulary is not that of its corpus")
