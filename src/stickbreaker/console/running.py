"""Runs on the command line: starting one, continuing it, and the summary at its end."""

import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from stickbreaker.console.console import emit, fail, note, stop_signals, tell_of_compiling
from stickbreaker.console.inputs import open_or_build, structure_of
from stickbreaker.console.run_options import NewRun
from stickbreaker.core.errors import UserError, noun_for
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.locks.path_locks import scratch_beside
from stickbreaker.core.option_names import as_options, command_line

if TYPE_CHECKING:
    from stickbreaker.corpus import Corpus
    from stickbreaker.engines.spark import SparkEngine
    from stickbreaker.estimators.learned import AnyLearned
    from stickbreaker.estimators.run_settings import RunSettings
    from stickbreaker.learning.observers import Observer
    from stickbreaker.learning.run import Run, RunState, ScoreNames
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
    stays locked for `go_on`.
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


def go_on(
    model: "Path | ModelDirectory",
    every: float,
    threads: int | None,
    as_json: bool,
    engine: "str | SparkEngine" = "local",
    *,
    resumed: bool = False,
) -> None:
    """Continue a run to its end, or to Ctrl-C, and print the result.

    model: a path, or a locked directory; every: seconds between checkpoints; resumed: whether the result says
    that the run was interrupted before.
    """
    from stickbreaker.estimators.kinds import kinds, object_at

    tell_of_compiling()
    path = model if isinstance(model, Path) else model.path
    again = command_line("resume", path, "" if engine == "local" else "--engine spark")
    done = run_on(model, every, threads, f"the model is saved, continue with: {again}", engine)
    if done is None:
        emit_finished(path, as_json)
        return
    learned, verb = done[0], done[0].next_verb()
    kind = kinds()[learned.kind]
    following = kind.verbs[:1] if verb is None else (verb,)
    further, lines = ({}, []) if kind.summary is None else object_at(kind.summary)(learned)
    names = learned.learner.score_names
    text = partial(_as_text, sizes=learned.sizes(), lines=lines, following=following, scores=names)
    summary = {**_summarize(*done), **further}
    emit({"model": str(path), "status": "done", "resumed": resumed, **summary}, as_json, text)


def began_on_spark(path: Path) -> bool:
    """Whether the run at `path` began on Spark."""
    from stickbreaker.core.untrusted import making_sense_of
    from stickbreaker.saved import ModelDirectory
    from stickbreaker.saved.manifest import RESTORE

    with making_sense_of(path, RESTORE):
        return ModelDirectory(path).manifest()["settings"].get("engine") == "spark"


def emit_finished(path: Path, as_json: bool) -> None:
    """Print that a run was finished already and, if its model can be updated, the command for that."""
    from stickbreaker.estimators.kinds import kind_of
    from stickbreaker.saved import ModelDirectory

    more = ""
    if "update" in kind_of(ModelDirectory(path).manifest(), path).verbs:
        more = f"; to learn from more documents: {command_line('update', path, 'FILE')}"
    result = {"model": str(path), "status": "done", "resumed": False}
    emit(result, as_json, lambda _: f"{path}: finished already{more}")


def run_on(
    model: "Path | ModelDirectory",
    every: float,
    threads: int | None,
    remedy: str,
    engine: "str | SparkEngine" = "local",
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


def _summarize(learned: "AnyLearned", job: "Run", state: "RunState") -> JsonObject:
    return {
        **learned.sizes(),
        "documents": job.n_documents,
        "passes": state.passes,
        "steps": state.step,
        "converged": state.converged,
        "score": state.scores[-1] if state.scores else None,
        "kind": state.kind,
        "held_out": state.held_out[-1] if state.held_out else None,
        "seed": job.seed,
    }


def _as_text(
    summary: JsonObject,
    sizes: dict[str, int],
    lines: Sequence[str],
    following: Sequence[str],
    scores: "ScoreNames",
) -> str:
    """The summary of a finished run as text: what it learned, further `lines`, and commands to use next.

    sizes: numbers of what was learned, by plural noun; following: the next commands; scores: what scores are
    called.
    """
    value = summary["held_out"]
    held_out = "" if value is None else f", held-out {value:.4f} nats/{scores.token}"
    passes, documents = summary["passes"], summary["documents"]
    unit = ("sweep", "sweeps") if summary["kind"] == "joint" else ("pass", "passes")
    steps = f"{passes} {noun_for(passes, *unit)}"
    names = {name: name.replace("_", " ").removesuffix("s") for name in sizes}
    numbers = [f"{number} {noun_for(number, names[name])}" for name, number in sizes.items()]
    learned = " and ".join([*filter(None, [", ".join(numbers[:-1])]), *numbers[-1:]])
    line = (
        f"{summary['model']}: {learned or 'learned'} from {documents} {noun_for(documents, 'document')} in "
        f"{steps}, {scores.of(summary['kind'], summary['score'])}{held_out}"
    )
    return "\n".join([line, *lines, *(f"Next: {command_line(verb, summary['model'])}" for verb in following)])


def watcher() -> "Observer":
    """An observer that shows a run's progress on standard error: a bar on a terminal, else plain lines."""
    if sys.stderr.isatty():
        from stickbreaker.console.progress import Bar

        return Bar()
    from stickbreaker.learning.observers import Lines

    return Lines(sys.stderr)
