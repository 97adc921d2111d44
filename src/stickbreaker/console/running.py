"""Runs on the command line: starting one, continuing it, and the summary at its end."""

import signal
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from stickbreaker.console.console import fail, note, stop_signals, tell_of_compiling
from stickbreaker.console.faces import show
from stickbreaker.console.inputs import open_or_build, structure_of
from stickbreaker.console.options import NewRun
from stickbreaker.core.errors import UserError
from stickbreaker.core.locks.path_locks import scratch_beside
from stickbreaker.core.option_names import as_options, command_line

if TYPE_CHECKING:
    from stickbreaker.corpus import Corpus
    from stickbreaker.engines import Cluster
    from stickbreaker.estimators.learned import AnyLearned
    from stickbreaker.estimators.run_settings import RunSettings
    from stickbreaker.learning.observers import Observer
    from stickbreaker.learning.run import Run, RunState
    from stickbreaker.saved import ModelDirectory


def begin_run(
    settings: "RunSettings",
    run: NewRun,
    settings_for: "Callable[[Corpus], RunSettings] | None" = None,
    look_at_run: "Callable[[Run, RunState], object]" = lambda job, state: None,
) -> "tuple[Corpus, ModelDirectory]":
    """Make the directory of a run, before its first step; a corpus built from files is stored inside.

    `settings_for` returns the settings once the corpus is known, before the run is made; `look_at_run` is
    called with the run and its state before its first step. Returns the corpus, and the directory, which
    stays locked for `continue_run`.
    """
    from stickbreaker.estimators import model_runs
    from stickbreaker.estimators.kinds import kinds
    from stickbreaker.saved.directory import refuse_existing

    learner = kinds()[settings.kind].how()
    learner.check(settings)  # reports wrong settings before anything is read
    refuse_existing(run.out, run.overwrite)
    for given in run.inputs:
        _refuse_inside_model(Path(given))
    with scratch_beside(run.out) as scratch:
        inside, structure = scratch / "corpus", structure_of(learner)
        corpus = open_or_build(run.inputs, run.reading, choice=run.choice, out=inside, structure=structure)
        settings = settings if settings_for is None else settings_for(corpus)
        remark = learner.remark_on(settings, corpus)
        if remark is not None:
            note(f"note: {as_options(remark)}")
        directory = model_runs.begin(
            learner,
            settings,
            corpus,
            run.out,
            held_out=run.held_out,
            corpus_inside=corpus.path is not None and Path(corpus.path) == inside,
            overwrite=run.overwrite,
            stays_locked=True,
            look_at=look_at_run,
        )
        return corpus, directory


def _refuse_inside_model(given: Path) -> None:
    """Raise UserError for an input inside a model's directory, which may be deleted when its run ends."""
    for parent in given.resolve().parents:
        if (parent / "model.json").is_file():
            raise UserError("is inside a model", where=given, remedy="copy it elsewhere first")


def continue_run(
    model: "Path | ModelDirectory",
    every: float,
    threads: int | None,
    as_json: bool,
    engine: "str | Cluster" = "local",
    *,
    resumed: bool = False,
) -> None:
    """Continue a run to its end, or to Ctrl-C, and print the result.

    model: a path, or a locked directory; every: seconds between checkpoints; resumed: whether the result says
    that the run was interrupted before.
    """
    tell_of_compiling()
    from stickbreaker.estimators.run_summary import finished_before, summary_of

    path = model if isinstance(model, Path) else model.path
    again = command_line("resume", path, "" if engine == "local" else "--engine spark")
    done = end_run(model, every, threads, f"the model is saved, continue with: {again}", engine)
    show(finished_before(path) if done is None else summary_of(path, *done, resumed=resumed), as_json)


def began_on_spark(path: Path) -> bool:
    """Whether the run at `path` began on Spark."""
    from stickbreaker.core.untrusted import making_sense_of
    from stickbreaker.saved import ModelDirectory
    from stickbreaker.saved.manifest import RESTORE

    with making_sense_of(path, RESTORE):
        return ModelDirectory(path).manifest()["settings"].get("engine") == "spark"


def end_run(
    model: "Path | ModelDirectory",
    every: float,
    threads: int | None,
    remedy: str,
    engine: "str | Cluster" = "local",
) -> "tuple[AnyLearned, Run, RunState] | None":
    """Continue a run to its end and show progress; returns None if it was finished already.

    every: seconds between checkpoints. A locked directory is unlocked at the end. On Ctrl-C the program exits
    with status 1 and the message `remedy`. Prints a note if the score has not converged.
    """
    from stickbreaker.engines import Interrupted
    from stickbreaker.estimators import model_runs

    spark = None if isinstance(engine, str) else engine
    with ExitStack() as signals:

        def on_signal(stop: Callable[[], None]) -> None:
            signals.enter_context(stop_signals(stop, numbers=(signal.SIGINT,)))

        try:
            done = model_runs.resume(
                model,
                every=every,
                threads=threads,
                watch=[watcher()],
                stopper=on_signal,
                spark=spark,
                tell=note,
            )
        except Interrupted:
            fail(f"interrupted; {remedy}")
        finally:
            if not isinstance(model, Path):
                model.unlock()
    warning = None if done is None else model_runs.unsettled(done[2], done[1].limits.tol)
    if warning is not None:
        note(f"note: {as_options(warning)}")
    return done


def watcher() -> "Observer":
    """An observer that shows a run's progress on standard error: a bar on a terminal, else plain lines."""
    if sys.stderr.isatty():
        from stickbreaker.console.progress import Bar

        return Bar()
    from stickbreaker.learning.observers import Lines

    return Lines(sys.stderr)
