"""Learns: makes runs from settings and a corpus, in memory, or in a directory and resumable."""

import shutil
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic

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
from stickbreaker.estimators.kinds import kind_of
from stickbreaker.estimators.learned import AnyLearned, Facts, S, final_score, progress_of
from stickbreaker.estimators.learner import AnyLearner, L, Learner, refuse_large_runs
from stickbreaker.estimators.model_files import (
    corpus_of,
    learned_from,
    manifest_at_start,
    manifest_of,
    settings_in,
)
from stickbreaker.estimators.search import FinishedRun, Search, with_last
from stickbreaker.estimators.setting_values import seed_of, threads_of
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
    from stickbreaker.engines import Cluster

Stopper = Callable[[Callable[[], None]], object]  # is given a run's `stop`, for signal handlers
Teller = Callable[[Any], object]  # is given each finished run of a search


@dataclass(frozen=True)
class EndedRun:
    """A run that has ended, its state and trace; `search`: if it ended a search, all its finished runs."""

    job: Run
    state: RunState
    trace: Trace
    search: tuple[FinishedRun, ...] = ()

    def without_reports(self, n_jobs: int | None) -> "EndedRun":
        """A copy whose engine has only the model's table, without the documents' records, to save memory.

        The records are needed only to continue a run. A search keeps several results. The run is variational.
        """
        assert isinstance(self.job, VariationalRun)
        engine = local_fork(self.job.engine, self.job.model, threads_of(n_jobs), copied=False)
        return replace(self, job=replace(self.job, engine=engine))


def learn(learner: Learner[S, L], settings: S, corpus: Corpus) -> L:
    """Make `settings.starts` complete runs; returns what the one with the best final score has learned.

    Raises UserError for wrong settings or a corpus without words.
    """
    settings = learner.chosen_for(settings, corpus)
    refuse_to_learn(learner, settings, corpus)  # before anything else
    seed = seed_of(settings.random_state)
    corpus = readable(settings, corpus)
    best: EndedRun | None = None
    for start in range(settings.starts):
        own = seed if start == 0 else derived_seed(seed, purposes.START, start)
        ended = _learn_once(learner, settings, corpus, own)
        if best is None or final_score(ended.state) > final_score(best.state):
            best = ended
    assert best is not None
    return learned_by(learner, settings.but(random_state=seed), corpus, best)


def learned_by(learner: Learner[S, L], settings: S, corpus: Corpus, ended: EndedRun) -> L:
    """What a run in memory has learned from a corpus, which may also be one that still learns.

    settings: with the seed as `random_state`.
    """
    seed, held_out = settings.random_state, learner.least_held_out(settings)
    facts = facts_of(settings, seed, corpus, ended, held_out)
    return learner.learned(facts, corpus, ended.job, ended.state)


def refuse_to_learn(learner: Learner[S, L], settings: S, corpus: Corpus) -> None:
    """Raise UserError if settings do not go together or with a corpus, or the corpus has no words."""
    refuse_settings_for(learner, settings, corpus)
    if corpus.n_tokens == 0.0:
        remedy = "give documents with words, or counts that are not all zero"
        raise UserError("no document has a word to learn from", where=corpus.path, remedy=remedy)


def refuse_settings_for(learner: Learner[S, L], settings: S, corpus: Corpus) -> None:
    """Raise UserError if settings do not go together, with a corpus or with the memory of the machine."""
    learner.check(settings, corpus.vocabulary, corpus.analysis)
    settings.refuse_unmet_needs()
    refuse_large_runs(*learner.least_memory(settings, corpus), corpus)


def _learn_once(learner: Learner[S, L], settings: S, corpus: Corpus, seed: int) -> EndedRun:
    """Make one run or, if the settings ask for a search, all its runs; returns the one to be the model.

    If a callback stops a run of a search, the search ends, and that run is returned.
    """
    search = learner.search(settings, corpus.n_documents, corpus.n_tokens)
    held_out = learner.least_held_out(settings)
    points: tuple[FinishedRun, ...] = ()
    best: EndedRun | None = None
    while True:
        chosen = None if search is None else search.next_settings(points)
        one = settings if chosen is None else learner.searched(settings, chosen)
        held_out = held_out if search is None else search.held_out(points, held_out)
        job, state = learner.new_run(one, corpus, seed, held_out)
        trace = Trace()
        verbose = bool(settings.verbose)
        with logged_to_stderr() if verbose else nullcontext():
            logged = [LoggedLines(passes=verbose)] if LoggedLines.wanted() else []
            refuse_no_list("callbacks", settings.callbacks or ())
            run(job, state, [Clock(), trace, *logged, *map(Callback, settings.callbacks or ())])
        if search is None or chosen is None:
            return EndedRun(job, state, trace)
        point = search.point(chosen, job, state)
        points = (*points, point)
        if state.stopped:
            return EndedRun(job, state, trace, points)
        if point.final and search.chosen(points) is point:
            best = EndedRun(job, state, trace).without_reports(one.n_jobs)
        if search.next_settings(points) is None:
            assert best is not None
            return replace(best, search=with_last(points, search.chosen(points)))


def facts_of(settings: S, seed: int, corpus: Corpus, ended: EndedRun, held_out: float) -> Facts[S]:
    """The facts about what a run has learned from a corpus."""
    return Facts(
        settings=settings.but(random_state=seed, callbacks=None, verbose=False),
        vocabulary=counted_vocabulary(corpus),
        analysis=corpus.analysis or Analysis(),
        corpus=about(corpus),
        trace=ended.trace.records,
        progress=progress_of(ended.state),
        held_out=held_out,
        search=ended.search,
    )


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
    learner: Learner[S, L],
    settings: S,
    corpus: Corpus,
    path: Path,
    *,
    held_out: float = 0.0,
    corpus_inside: bool = False,
    overwrite: bool = False,
    stays_locked: bool = False,
    look_at: Callable[[Run, RunState], object] = lambda job, state: None,
) -> ModelDirectory:
    """Make the directory of a model, with a run before its first step, for `resume` to continue.

    With `corpus_inside`, the corpus's directory is moved into it. With `stays_locked`, it stays locked until
    `resume` has ended. `look_at` is called with the run and its state. Raises UserError for wrong settings,
    and if `path` exists and may not be overwritten.
    """
    seed, held_out = seed_of(settings.random_state), held_out or learner.least_held_out(settings)
    settings = learner.chosen_for(settings, corpus)
    refuse_to_learn(learner, settings, corpus)
    search = learner.search(settings, corpus.n_documents, corpus.n_tokens)
    chosen = None if search is None else search.next_settings(())
    first = settings if chosen is None else learner.searched(settings, chosen)
    where = "corpus" if corpus_inside else str(Path(str(corpus.path)).resolve())
    with new_model_directory(path, overwrite=overwrite, stays_locked=stays_locked) as directory:
        job, state = learner.new_run(first, corpus, seed, held_out, directory.path)
        look_at(job, state)
        directory.write_vocabulary(corpus.vocabulary)
        if corpus_inside:
            shutil.move(str(corpus.path), directory.path / "corpus")
        analysis = None if corpus.analysis is None else corpus.analysis.resolved().to_dict()
        facts = {**about(corpus), "analysis": analysis}
        fixed = manifest_of(learner, settings.values(), seed, facts, where, held_out)
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
    stopper: Stopper | None = None,
    spark: "Cluster | None" = None,
    tell: Teller | None = None,
) -> tuple[AnyLearned, Run, RunState] | None:
    """Continue the run in a model's directory to its end, or all runs of its search.

    Returns what was learned, the run and its state, or None if it was finished already. `model`: the path, or
    a directory that is locked; `every`: seconds between checkpoints; `spark`: the engine if it began on
    Spark; `watch`: further observers; `stopper` is called with each run's `stop`, for signal handlers; `tell`
    with each finished run of a search. Raises Interrupted, after a checkpoint, if it was stopped; UserError
    if the corpus or a file has changed.
    """
    directory = ModelDirectory(model) if isinstance(model, Path) else model
    if isinstance(model, Path):
        if directory.manifest()["status"] == "done":
            directory.clear()
            return None
        directory.lock()
    path = directory.path
    best: EndedRun | None = None
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
            ended = _continue(restored, directory, snapshot, every, watch, stopper, tell)
            if ended is None:
                break
            best = ended if ended.search else best
        directory.tidy()
    finally:
        directory.unlock()
    assert restored.learned is not None
    return restored.learned, restored.job, restored.state


def _continue(
    restored: "_Restored[Any]",
    directory: ModelDirectory,
    snapshot: Snapshot,
    every: float,
    watch: Sequence[Observer],
    stopper: Stopper | None,
    tell: Teller | None,
) -> EndedRun | None:
    """Continue one run to its end. If it is the last, save the finished model and return None.

    If more runs of a search follow, no model is saved: the directory then has the next run before its first
    step, and the result of this one is returned; its `search` is empty unless it is the best so far.
    """
    settings, job, state = restored.settings, restored.job, restored.state
    directory.truncate_trace(snapshot.manifest)
    before = snapshot.trace[-1].get("seconds", 0.0) if snapshot.trace else 0.0
    trace = Trace(directory.trace_path, snapshot.trace)
    fixed, followed = manifest_at_start(snapshot.manifest), False

    def finished() -> Snapshot:
        nonlocal followed
        following = _following(restored, fixed, directory.path, tell)
        if following is None:
            return _finished(restored, EndedRun(job, state, trace), fixed, directory.path)
        followed = True
        return following

    evolving = restored.learner.evolution(settings, job, state, directory)
    snapshots = None if evolving is None else evolving.snapshots
    checkpoints = Checkpoints(directory, fixed, every, finished, snapshots)
    if stopper is not None:
        stopper(job.stop)
    with naming(directory.path):
        run(job, state, [Clock(before), trace, *watch, *([evolving] if evolving else []), checkpoints])
    if not followed:
        return None
    points = restored.points if restored.is_best() else ()
    return EndedRun(job, state, trace, points).without_reports(settings.n_jobs)


def _following(
    restored: "_Restored[Any]", fixed: JsonObject, path: Path, tell: Teller | None
) -> Snapshot | None:
    """Return the start of the next run of a search, or None if the run that has just ended is the model.

    Records the ended run in `restored` and in `fixed` (both changed in place), and calls `tell` with the
    record. None without a search, and if the run was stopped. If an earlier run is the model, the next run
    repeats it; a caller that still has its result can skip that.
    """
    learner, settings, search, state = restored.learner, restored.settings, restored.search, restored.state
    if search is None:
        return None
    if restored.chosen is None:
        made = search.next_settings(restored.points)
        assert made is not None
        point = search.point(made, restored.job, state)
        restored.points = (*restored.points, point)
        if tell is not None:
            tell(point)
    points = restored.points
    chosen = None if restored.chosen is not None or state.stopped else search.next_settings(points)
    if chosen is None and not (restored.chosen or state.stopped or restored.is_best()):
        chosen = search.settings_of(search.chosen(points), points)
    if chosen is None and (restored.chosen is not None or not state.stopped):
        restored.points = with_last(points, search.chosen(points))
    fixed[SEARCH] = [one.to_json() for one in restored.points]
    if chosen is None:
        return None
    fixed["held_out"] = search.held_out(points, fixed["held_out"])
    following = learner.new_run(
        learner.searched(settings, chosen), restored.corpus, restored.job.seed, fixed["held_out"], path
    )
    return snapshot_of(*following, fixed)


def _finish_with(
    restored: "_Restored[Any]", best: EndedRun, directory: ModelDirectory, snapshot: Snapshot
) -> None:
    """Save the best run of a search, which was not its last, as the finished model, without repeating it.

    best: its result, still in memory; snapshot: the run that would repeat it. `restored` is changed to it.
    """
    fixed = manifest_at_start(snapshot.manifest)
    restored.job, restored.state = best.job, best.state
    _following(restored, fixed, directory.path, None)
    directory.write_trace(best.trace.records)
    with naming(directory.path):
        directory.write(_finished(restored, best, fixed, directory.path))


def _finished(restored: "_Restored[Any]", ended: EndedRun, fixed: JsonObject, path: Path) -> Snapshot:
    """Store in `restored` what a run has learned; returns the finished model, to be saved."""
    ended = replace(ended, search=restored.points)
    facts = facts_of(restored.settings, ended.job.seed, restored.corpus, ended, fixed["held_out"])
    done = {**fixed, "corpus_path": None}
    restored.learned, snapshot = restored.learner.finished(
        facts, restored.corpus, ended.job, ended.state, done, path
    )
    return snapshot


@dataclass
class _Restored(Generic[S]):
    """A run restored from a checkpoint, with what it needs to continue, and the search that it belongs to.

    `points`: the finished runs of the search; `chosen`: the best of them if the search is over: this run then
    repeats it to become the model. `learned`: the model, at the end.
    """

    learner: AnyLearner
    settings: S
    corpus: Corpus
    job: Run
    state: RunState
    search: Search[Any] | None
    points: tuple[FinishedRun, ...]
    chosen: FinishedRun | None = None
    learned: AnyLearned | None = None

    def is_best(self) -> bool:
        """Whether the run that ended last would be the model if the search ended now."""
        points = self.points
        final = self.search is not None and bool(points) and points[-1].final
        return final and self.search is not None and self.search.chosen(points) is points[-1]


def _restored(path: Path, snapshot: Snapshot, threads: int | None, spark: "Cluster | None") -> _Restored[Any]:
    """Restore the run of a checkpoint (`snapshot`), with all that it needs to continue.

    threads, spark: the number of threads and the engine to continue with. Raises ValueError or UserError if
    the manifest does not fit its corpus, or the engine.
    """
    manifest = snapshot.manifest
    learner = kind_of(manifest, path).how()
    settings = settings_in(manifest, learner, threads)
    if spark is not None and settings.where == "local":
        remedy = "resume it without --engine spark"
        raise UserError("the run began on one machine", where=path, remedy=remedy)
    settings = settings if spark is None else settings.on(spark)
    corpus = corpus_of(path, manifest)
    if learned_from(manifest)[0] != about(corpus):
        raise ValueError("its description of the corpus does not match the corpus")
    _refuse_other_words(path, manifest, corpus)
    searches = SEARCH in manifest
    search = learner.search(settings, corpus.n_documents, corpus.n_tokens) if searches else None
    points = learner.finished_runs(manifest.get(SEARCH, []))
    made, chosen = None if search is None else search.next_settings(points), None
    if search is not None and made is None:  # it is over, and its best run is repeated
        chosen = search.chosen(points)
        made = search.settings_of(chosen, points)
    one = settings if made is None else learner.searched(settings, made)
    job, state = learner.resume_run(one, corpus, snapshot, path)
    return _Restored(learner, settings, corpus, job, state, search, points, chosen)


def _refuse_other_words(path: Path, manifest: JsonObject, corpus: Corpus) -> None:
    """Raise ValueError if a model's stored vocabulary does not have the same words as its corpus."""
    assert corpus.path is not None
    if manifest["files"][VOCABULARY]["digest"] != digest_of(corpus.path / VOCABULARY_FILE):
        own = ModelDirectory(path).vocabulary()
        if own.words != corpus.vocabulary.words:
            raise ValueError("its vocabulary is not that of its corpus")
