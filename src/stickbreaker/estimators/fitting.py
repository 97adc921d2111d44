"""Makes runs from an estimator and a corpus: in memory, or in a directory and resumable."""

# pyright: reportPrivateUsage=false

import shutil
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stickbreaker.core import purposes
from stickbreaker.core.arguments import refuse_no_list
from stickbreaker.core.errors import UserError, naming
from stickbreaker.core.files import digest_of
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.random_streams import derived_seed
from stickbreaker.core.untrusted import making_sense_of
from stickbreaker.corpus import Analysis, Corpus
from stickbreaker.corpus.store import VOCABULARY_FILE
from stickbreaker.engines.local import local_fork
from stickbreaker.estimators.corpus_facts import about, counted_vocabulary
from stickbreaker.estimators.engine_choice import readable
from stickbreaker.estimators.estimator import Estimator, final_score, refuse_to_begin
from stickbreaker.estimators.saving import (
    corpus_of,
    estimator_of,
    learned_from,
    manifest_at_start,
    manifest_of,
)
from stickbreaker.estimators.search import FinishedRun, Search, with_last
from stickbreaker.estimators.settings import params_as_text, seed_of, threads_of
from stickbreaker.learning.convergence import relative_change, settled
from stickbreaker.learning.loop import run
from stickbreaker.learning.observers import Callback, Clock, LoggedLines, Observer, Trace, logged_to_stderr
from stickbreaker.learning.run import Run, RunState
from stickbreaker.learning.variational import VariationalRun
from stickbreaker.saved import ModelDirectory, Snapshot
from stickbreaker.saved.checkpoints import Checkpoints, snapshot_of
from stickbreaker.saved.directory import new_model_directory
from stickbreaker.saved.manifest import RESTORE
from stickbreaker.saved.manifest_fields import SEARCH, VOCABULARY

if TYPE_CHECKING:
    from stickbreaker.engines.spark import SparkEngine


@dataclass
class Learned:
    """A run that has ended, its state and trace; `search`: if it ended a search, all its finished runs."""

    job: Run
    state: RunState
    trace: Trace
    search: tuple[FinishedRun, ...] = ()

    def without_reports(self, estimator: Estimator) -> "Learned":
        """A copy whose engine has only the model's table, without the documents' records, to save memory.

        The records are needed only to continue a run. A search keeps several results. The run is variational.
        """
        assert isinstance(self.job, VariationalRun)
        engine = local_fork(self.job.engine, self.job.model, threads_of(estimator.n_jobs), copied=False)
        return replace(self, job=replace(self.job, engine=engine))


def fit(estimator: Estimator, corpus: Corpus) -> RunState:
    """Make `n_init` complete runs, and store in the estimator the one with the best final score.

    Returns that run's state. Raises UserError for wrong parameters or a corpus without words.
    """
    _refuse_to_learn(estimator, corpus)  # before anything else
    estimator.seed_ = seed_of(estimator.random_state)
    corpus = readable(estimator, corpus)
    best: Learned | None = None
    for start in range(estimator.n_init):
        seed = estimator.seed_ if start == 0 else derived_seed(estimator.seed_, purposes.START, start)
        learned = _learn(estimator, corpus, seed)
        if best is None or final_score(learned.state) > final_score(best.state):
            best = learned
    assert best is not None
    estimator.search_ = best.search
    finish(estimator, corpus, best.job, best.state, best.trace)
    return best.state


def _refuse_to_learn(estimator: Estimator, corpus: Corpus) -> None:
    """Raise UserError if an estimator's parameters are wrong for a corpus, or the corpus has no words."""
    refuse_to_begin(estimator, corpus)
    if corpus.n_tokens == 0.0:
        remedy = "give documents with words, or counts that are not all zero"
        raise UserError("no document has a word to learn from", where=corpus.path, remedy=remedy)


def _learn(estimator: Estimator, corpus: Corpus, seed: int) -> Learned:
    """Make one run or, if the estimator asks for a search, all its runs; returns the one to be the model.

    If a callback stops a run of a search, the search ends, and that run is returned.
    """
    search, held_out = estimator._search(corpus.n_documents, corpus.n_tokens), estimator._least_held_out()
    points: tuple[FinishedRun, ...] = ()
    best: Learned | None = None
    while True:
        settings = None if search is None else search.next_settings(points)
        one = estimator if settings is None else estimator._of_search(settings)
        held_out = held_out if search is None else search.held_out(points, held_out)
        job, state = one._new_run(corpus, seed, held_out)
        trace = Trace()
        verbose = bool(estimator.verbose)
        with logged_to_stderr() if verbose else nullcontext():
            logged = [LoggedLines(passes=verbose)] if LoggedLines.wanted() else []
            refuse_no_list("callbacks", estimator.callbacks or ())
            run(job, state, [Clock(), trace, *logged, *map(Callback, estimator.callbacks or ())])
        if search is None or settings is None:
            return Learned(job, state, trace)
        point = search.point(settings, job, state)
        points = (*points, point)
        if state.stopped:
            return Learned(job, state, trace, points)
        if point.final and search.chosen(points) is point:
            best = Learned(job, state, trace).without_reports(one)
        if search.next_settings(points) is None:
            assert best is not None
            return replace(best, search=with_last(points, search.chosen(points)))


def finish(estimator: Estimator, corpus: Corpus, job: Run, state: RunState, trace: Trace) -> None:
    """Store the results of a run in the estimator, as its fitted attributes."""
    _record(estimator, corpus, trace)
    estimator._take_run(corpus, job, state)


def _record(estimator: Estimator, corpus: Corpus, trace: Trace) -> None:
    """Store in an estimator a run's trace, and the facts on the corpus that it has learned from."""
    estimator.vocabulary_ = counted_vocabulary(corpus)
    estimator.analysis_ = corpus.analysis or Analysis()
    estimator.corpus_ = about(corpus)
    estimator._learned_with = params_as_text(estimator)
    estimator.trace_ = trace.records
    estimator.updates_, estimator._origin = [], None  # they belonged to what was learned before


def unsettled(state: RunState, tol: float) -> str | None:
    """The text of a warning if a run made all its passes before it converged; None if it did.

    None also if a callback stopped it, or `tol` is 0.
    """
    if state.converged or state.stopped or tol <= 0.0:
        return None
    passes = "1 pass was" if state.passes == 1 else f"{state.passes} passes were"
    if state.kind != "joint" and not state.held_out and settled(state.scores, tol):
        return (
            f"{passes} not enough: the score has converged, but a learned prior still changes, or "
            "changes of topics are untried; raise max_iter"
        )
    change = relative_change(state.scores) if state.kind == "bound" else np.nan
    detail = "" if np.isnan(change) else f" (last changes {change:.1e}, tol {tol:.0e})"
    return f"{passes} not enough for the score to converge{detail}; raise max_iter or tol"


# Into a directory


def begin(
    estimator: Estimator,
    corpus: Corpus,
    path: Path,
    *,
    held_out: float = 0.0,
    corpus_inside: bool = False,
    overwrite: bool = False,
    stays_locked: bool = False,
) -> ModelDirectory:
    """Make the directory of a model, with a run before its first step, for `resume` to continue.

    With `corpus_inside`, the corpus's directory is moved into it. With `stays_locked`, it stays locked until
    `resume` has ended. Raises UserError for wrong parameters, and if `path` exists and may not be
    overwritten.
    """
    seed, held_out = seed_of(estimator.random_state), held_out or estimator._least_held_out()
    _refuse_to_learn(estimator, corpus)
    search = estimator._search(corpus.n_documents, corpus.n_tokens)
    settings = None if search is None else search.next_settings(())
    first = estimator if settings is None else estimator._of_search(settings)
    where = "corpus" if corpus_inside else str(Path(str(corpus.path)).resolve())
    with new_model_directory(path, overwrite=overwrite, stays_locked=stays_locked) as directory:
        job, state = first._new_run(corpus, seed, held_out, directory.path)
        directory.write_vocabulary(corpus.vocabulary)
        if corpus_inside:
            shutil.move(str(corpus.path), directory.path / "corpus")
        analysis = None if corpus.analysis is None else corpus.analysis.resolved().to_dict()
        fixed = manifest_of(estimator, seed, {**about(corpus), "analysis": analysis}, where, held_out)
        if search is not None:
            fixed[SEARCH] = []
        directory.write(snapshot_of(job, state, fixed))
    return directory


def resume(
    model: Path | ModelDirectory,
    *,
    every: float,
    threads: int | None,
    watch: Sequence[Observer] = (),
    stopper: Callable[[Callable[[], None]], object] | None = None,
    spark: "SparkEngine | None" = None,
    tell: Callable[[Any], object] | None = None,
) -> tuple[Estimator, Run, RunState] | None:
    """Continue the run in a model's directory to its end, or all runs of its search.

    Returns the estimator, the run and its state, or None if it was finished already. `model`: the path, or a
    directory that is locked; `every`: seconds between checkpoints; `spark`: the engine if it began on Spark;
    `watch`: further observers; `stopper` is called with each run's `stop`, for signal handlers; `tell` with
    each finished run of a search. Raises Interrupted, after a checkpoint, if it was stopped; UserError if the
    corpus or a file has changed.
    """
    directory = ModelDirectory(model) if isinstance(model, Path) else model
    if isinstance(model, Path):
        if directory.manifest()["status"] == "done":
            directory.clear()
            return None
        directory.lock()
    path = directory.path
    best: Learned | None = None
    try:
        while True:
            snapshot = directory.read()
            if snapshot.manifest["status"] == "done":  # finished by another process just now
                return None
            with making_sense_of(path, RESTORE):
                restored = _restored(path, snapshot, threads, spark)
            snapshot = replace(snapshot, arrays={})  # the run has its own
            if restored.chosen is not None and best is not None:
                _finish_with(restored, best, directory, snapshot)
                break
            learned = _go_on(restored, directory, snapshot, every, watch, stopper, tell)
            if learned is None:
                break
            best = learned if learned.search else best
        directory.tidy()
    finally:
        directory.unlock()
    return restored.estimator, restored.job, restored.state


def _go_on(
    restored: "Restored",
    directory: ModelDirectory,
    snapshot: Snapshot,
    every: float,
    watch: Sequence[Observer],
    stopper: Callable[[Callable[[], None]], object] | None,
    tell: Callable[[Any], object] | None,
) -> Learned | None:
    """Continue one run to its end. If it is the last, save the finished model and return None.

    If more runs of a search follow, no model is saved: the directory then has the next run before its first
    step, and the result of this one is returned; its `search` is empty unless it is the best so far.
    """
    estimator, job, state = restored.estimator, restored.job, restored.state
    directory.truncate_trace(snapshot.manifest)
    before = snapshot.trace[-1].get("seconds", 0.0) if snapshot.trace else 0.0
    trace = Trace(directory.trace_path, snapshot.trace)
    fixed, followed = manifest_at_start(snapshot.manifest), False

    def finished() -> Snapshot:
        nonlocal followed
        following = _following(restored, fixed, directory.path, tell)
        if following is None:
            return _finished(restored, Learned(job, state, trace), fixed, directory.path)
        followed = True
        return following

    evolving = estimator._evolution(job, state, directory)
    snapshots = None if evolving is None else evolving.snapshots
    checkpoints = Checkpoints(directory, fixed, every, finished, snapshots)
    if stopper is not None:
        stopper(job.stop)
    with naming(directory.path):
        run(job, state, [Clock(before), trace, *watch, *([evolving] if evolving else []), checkpoints])
    if not followed:
        return None
    points = estimator.search_ if restored.is_best() else ()
    return Learned(job, state, trace, points).without_reports(estimator)


def _following(
    restored: "Restored", fixed: JsonObject, path: Path, tell: Callable[[Any], object] | None
) -> Snapshot | None:
    """Return the start of the next run of a search, or None if the run that has just ended is the model.

    Records the ended run in the estimator and in `fixed` (both changed in place), and calls `tell` with the
    record. None without a search, and if the run was stopped. If an earlier run is the model, the next run
    repeats it; a caller that still has its result can skip that.
    """
    estimator, search, state = restored.estimator, restored.search, restored.state
    if search is None:
        return None
    if restored.chosen is None:
        settings = search.next_settings(estimator.search_)
        assert settings is not None
        point = search.point(settings, restored.job, state)
        estimator.search_ = (*estimator.search_, point)
        if tell is not None:
            tell(point)
    points = estimator.search_
    settings = None if restored.chosen is not None or state.stopped else search.next_settings(points)
    if settings is None and not (restored.chosen or state.stopped or restored.is_best()):
        settings = search.settings_of(search.chosen(points), points)
    if settings is None and (restored.chosen is not None or not state.stopped):
        estimator.search_ = with_last(points, search.chosen(points))
    fixed[SEARCH] = [one.to_json() for one in estimator.search_]
    if settings is None:
        return None
    fixed["held_out"] = search.held_out(points, fixed["held_out"])
    seed = restored.job.seed
    return snapshot_of(
        *estimator._of_search(settings)._new_run(restored.corpus, seed, fixed["held_out"], path), fixed
    )


def _finish_with(restored: "Restored", best: Learned, directory: ModelDirectory, snapshot: Snapshot) -> None:
    """Save the best run of a search, which was not its last, as the finished model, without repeating it.

    best: its result, still in memory; snapshot: the run that would repeat it. `restored` is changed to it.
    """
    fixed = manifest_at_start(snapshot.manifest)
    restored.job, restored.state = best.job, best.state
    _following(restored, fixed, directory.path, None)
    directory.write_trace(best.trace.records)
    with naming(directory.path):
        directory.write(_finished(restored, best, fixed, directory.path))


def _finished(restored: "Restored", learned: Learned, fixed: JsonObject, path: Path) -> Snapshot:
    """Store what a run has learned in its estimator; returns the finished model, to be saved."""
    estimator = restored.estimator
    estimator.seed_ = learned.job.seed
    _record(estimator, restored.corpus, learned.trace)
    done = {**fixed, "corpus_path": None}
    return estimator._finish_run(restored.corpus, learned.job, learned.state, done, path)


@dataclass
class Restored:
    """A run restored from a checkpoint, with its estimator, its corpus and the search that it belongs to.

    `chosen`: the best run of the search if that is over; this run then repeats it to become the model.
    """

    estimator: Estimator
    corpus: Corpus
    job: Run
    state: RunState
    search: Search[Any] | None
    chosen: FinishedRun | None = None

    def is_best(self) -> bool:
        """Whether the run that ended last would be the model if the search ended now."""
        points = self.estimator.search_
        return bool(points) and points[-1].final and self._best(points) is points[-1]

    def _best(self, points: Sequence[FinishedRun]) -> FinishedRun | None:
        return None if self.search is None else self.search.chosen(points)


def _restored(path: Path, snapshot: Snapshot, threads: int | None, spark: "SparkEngine | None") -> Restored:
    """Restore the run of a checkpoint (`snapshot`), with all that it needs to continue.

    threads, spark: the number of threads and the engine to continue with. Raises ValueError or UserError if
    the manifest does not fit its corpus, or the engine.
    """
    manifest = snapshot.manifest
    estimator = estimator_of(manifest, threads)
    if spark is not None and estimator.engine == "local":
        remedy = "resume it without --engine spark"
        raise UserError("the run began on one machine", where=path, remedy=remedy)
    estimator.engine = estimator.engine if spark is None else spark
    corpus = corpus_of(path, manifest)
    if learned_from(manifest)[0] != about(corpus):
        raise ValueError("its description of the corpus does not match the corpus")
    _refuse_other_words(path, manifest, corpus)
    search = estimator._search(corpus.n_documents, corpus.n_tokens) if SEARCH in manifest else None
    estimator.search_ = estimator._finished_runs(manifest.get(SEARCH, []))
    settings, chosen = None if search is None else search.next_settings(estimator.search_), None
    if search is not None and settings is None:  # it is over, and its best run is repeated
        chosen = search.chosen(estimator.search_)
        settings = search.settings_of(chosen, estimator.search_)
    one = estimator if settings is None else estimator._of_search(settings)
    return Restored(estimator, corpus, *one._resume_run(corpus, snapshot, path), search, chosen)


def _refuse_other_words(path: Path, manifest: JsonObject, corpus: Corpus) -> None:
    """Raise ValueError if a model's stored vocabulary does not have the same words as its corpus."""
    assert corpus.path is not None
    if manifest["files"][VOCABULARY]["digest"] != digest_of(corpus.path / VOCABULARY_FILE):
        own = ModelDirectory(path).vocabulary()
        if own.words != corpus.vocabulary.words:
            raise ValueError("its vocabulary is not that of its corpus")
