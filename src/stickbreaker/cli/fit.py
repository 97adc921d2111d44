"""`stickbreaker fit` and `stickbreaker resume`."""

import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stickbreaker.cli.console import command, emit, fail, note, tell_of_compiling, threads_option, written
from stickbreaker.cli.guide import GuideChoice, guide_options
from stickbreaker.cli.inputs import (
    AnalysisChoice,
    ReadingChoice,
    analysis_options,
    open_or_build,
    reading_options,
)
from stickbreaker.core.errors import UserError

if TYPE_CHECKING:
    from stickbreaker.learning.loop import Run, RunState
    from stickbreaker.learning.observers import Observer
    from stickbreaker.models.topics import Gibbs, Hybrid


def number_or_learned(_ctx: click.Context, param: click.Parameter, value: str) -> float | str:
    """A prior's parameter from the command line."""
    if value == "learned" or (value, param.name) == ("learned-symmetric", "alpha"):
        return value
    try:
        return float(value)
    except ValueError:
        raise click.BadParameter(f'{value!r} is not a number; give one, or "learned"') from None


checkpoint_option = click.option(
    "--checkpoint-every",
    default=60.0,
    show_default=True,
    type=click.FloatRange(0.0),
    help="Seconds; 0: every step.",
)


@click.group(epilog="Example: stickbreaker fit lda news.jsonl --out model --topics 50")
def fit() -> None:
    """Learn a model from a corpus."""


@fit.command(epilog="Example: stickbreaker fit lda news.jsonl --out model --topics 50")
@click.argument("inputs", nargs=-1, required=True, metavar="CORPUS|FILE...")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Directory of the model to make.")
@click.option("--topics", default=100, show_default=True, type=click.IntRange(1), help="Topics to learn.")
@click.option(
    "--inference",
    default="mean-field",
    show_default=True,
    type=click.Choice(["mean-field", "hybrid", "gibbs", "gibbs-delayed"]),
    help="How to infer: by variational bound, sampled documents, or sampling throughout.",
)
@click.option(
    "--schedule",
    default="batch",
    show_default=True,
    type=click.Choice(["batch", "online"]),
    help="Update after a pass, or after each minibatch.",
)
@click.option(
    "--burn-in", type=click.IntRange(0), help="Sweeps before samples count: 5, or half of all (Gibbs)."
)
@click.option(
    "--samples", type=click.IntRange(1), help="Hybrid: sweeps of a document that count.  [default: 5]"
)
@click.option("--every", type=click.IntRange(1), help="Gibbs: sweeps from sample to sample.  [default: 10]")
@click.option("--chains", type=click.IntRange(1), help="Gibbs: chains side by side.  [default: 1]")
@click.option(
    "--batch-size", default=256, show_default=True, type=click.IntRange(1), help="Documents a minibatch."
)
@click.option("--kappa", default=0.7, show_default=True, type=float, help="Online: how fast old counts fade.")
@click.option(
    "--tau0", default=64.0, show_default=True, type=float, help="Online: how slow the first steps are."
)
@click.option(
    "--alpha",
    default="learned",
    show_default=True,
    callback=number_or_learned,
    help='Prior of topics in documents: a number, "learned" or "learned-symmetric".',
)
@click.option(
    "--eta",
    default="0.01",
    show_default=True,
    callback=number_or_learned,
    help='Prior of words in topics: a number or "learned".',
)
@guide_options
@click.option(
    "--init",
    default="documents",
    show_default=True,
    type=click.Choice(["documents", "random"]),
    help="Start topics from a few documents each, or from noise.",
)
@click.option(
    "--iterations",
    type=click.IntRange(1),
    help="Passes at most, or sweeps.  [default: 100, or 500 with Gibbs sampling]",
)
@click.option(
    "--tol",
    default=1e-4,
    show_default=True,
    type=float,
    help="Relative change that ends the run (not Gibbs).",
)
@click.option("--keep-local", is_flag=True, help="Carry documents' state from pass to pass (batch only).")
@click.option(
    "--fold-in",
    default="mean-field",
    show_default=True,
    type=click.Choice(["mean-field", "sampled"]),
    help="How new documents are inferred.",
)
@click.option(
    "--held-out",
    default=0.0,
    show_default=True,
    type=click.FloatRange(0.0, 0.9),
    help="Share never trained on, which decides when to stop (but for Gibbs sampling); the vocabulary is the "
    "whole corpus's.",
)
@click.option("--seed", default=0, show_default=True, type=int, help="The same seed gives the same model.")
@threads_option
@checkpoint_option
@click.option("--overwrite", is_flag=True, help="Replace a model at --out.")
@reading_options
@analysis_options
@command
def lda(
    inputs: tuple[str, ...],
    out: Path,
    reading: ReadingChoice,
    choice: AnalysisChoice,
    inference: str,
    burn_in: int | None,
    samples: int | None,
    every: int | None,
    chains: int | None,
    schedule: str,
    batch_size: int,
    kappa: float,
    tau0: float,
    guide: GuideChoice,
    held_out: float,
    threads: int | None,
    checkpoint_every: float,
    overwrite: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Learn topics by latent Dirichlet allocation.

    The input is a corpus (see `stickbreaker corpus build`) or raw files, from which one is built and kept
    inside the model until the run is done. Ctrl-C saves a checkpoint; `stickbreaker resume` goes on.
    """
    from stickbreaker.estimators import fitting
    from stickbreaker.estimators.plain_lda import PlainLDA
    from stickbreaker.learning.schedules import Online
    from stickbreaker.saved.directory import refuse_existing

    _refuse_online_options(schedule)
    online = Online(batch_size, kappa, tau0)
    names = {"topics": "n_topics", "iterations": "max_iter", "seed": "random_state"}
    params = {names.get(name, name): value for name, value in settings.items()}
    sampling = {"burn_in": burn_in, "samples": samples, "every": every, "chains": chains}
    params["inference"] = _inference(inference, {k: v for k, v in sampling.items() if v is not None})
    params["guide"] = guide.made()
    model = PlainLDA(schedule=online if schedule == "online" else "batch", n_jobs=threads, **params)
    model._topic_model()  # wrong parameters are told before anything is read
    refuse_existing(out, overwrite)
    for given in inputs:
        _refuse_inside_model(Path(given))
    with _scratch_beside(out) as scratch:
        corpus = open_or_build(inputs, reading, choice=choice, out=scratch / "corpus")
        inside = corpus.path is not None and Path(corpus.path) == scratch / "corpus"
        fitting.begin(model, corpus, out, held_out=held_out, corpus_inside=inside, overwrite=overwrite)
        del corpus
    _go_on(out, checkpoint_every, threads, as_json)


@click.command(epilog="Example: stickbreaker resume model")
@click.argument("model", type=click.Path(path_type=Path))
@threads_option
@checkpoint_option
@command
def resume(model: Path, threads: int | None, checkpoint_every: float, as_json: bool) -> None:
    """Go on with a run that was interrupted: the result is that of a run that was not."""
    _go_on(model, checkpoint_every, threads, as_json)


SAMPLING = {"hybrid": ("burn_in", "samples"), "gibbs": ("burn_in", "every", "chains")}
SAMPLING["gibbs-delayed"] = SAMPLING["gibbs"]


def _inference(name: str, given: dict[str, int]) -> "str | Hybrid | Gibbs":
    """The inference of that name with the options given. Raises a usage error for another one's options."""
    from stickbreaker.models.topics import Gibbs, Hybrid

    for option in given:
        if option not in SAMPLING.get(name, ()):
            fitting = " or ".join(kind for kind, options in SAMPLING.items() if option in options)
            raise click.UsageError(f"--{option.replace('_', '-')} needs --inference {fitting}")
    if name == "mean-field":
        return name
    return Hybrid(**given) if name == "hybrid" else Gibbs(**given, delayed=name == "gibbs-delayed")


def _refuse_online_options(schedule: str) -> None:
    """Raise a usage error where options of the online schedule are given to another one."""
    for name in written(("batch_size", "kappa", "tau0")):
        if schedule != "online":
            raise click.UsageError(f"--{name.replace('_', '-')} needs --schedule online")


def _refuse_inside_model(given: Path) -> None:
    """Raise UserError for an input that lies in a model: it is gone when that model's run is done."""
    for parent in given.resolve().parents:
        if (parent / "model.json").is_file():
            raise UserError("lies inside a model", where=given, remedy="copy it to a place of its own first")


@contextmanager
def _scratch_beside(out: Path) -> Iterator[Path]:
    """An empty directory on the same disk as `out`, removed afterwards; if killed, by the next run there."""
    from stickbreaker.saved import ModelDirectory

    out.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f".{out.name}.partial-", dir=out.parent))
    held = ModelDirectory(scratch)
    try:
        held.lock()
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        held.unlock()


def _go_on(path: Path, every: float, threads: int | None, as_json: bool) -> None:
    """Run to the end or to Ctrl-C, and say how it went."""
    from stickbreaker.engines import Interrupted
    from stickbreaker.estimators import fitting

    tell_of_compiling()

    def catch(stop: Callable[[], None]) -> None:
        def handler(_number: int, _frame: object) -> None:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            note("stopping after this shard or sweep; press Ctrl-C again to leave at once")
            stop()

        signal.signal(signal.SIGINT, handler)

    before = signal.getsignal(signal.SIGINT)
    try:
        done = fitting.resume(path, every=every, threads=threads, watch=[watcher()], stopper=catch)
    except Interrupted:
        fail(f"interrupted; the model is saved, go on with: stickbreaker resume {path}")
    finally:
        signal.signal(signal.SIGINT, before)
    if done is None:
        emit(
            {"model": str(path), "status": "done", "resumed": False},
            as_json,
            lambda r: f"{path}: finished already",
        )
        return
    job, state = done
    emit(_told(path, job, state), as_json, _as_text)


def _told(path: Path, job: "Run", state: "RunState") -> dict[str, Any]:
    from stickbreaker.estimators.fitting import unsettled

    told = unsettled(state, job.limits.tol)
    if told is not None:
        note(f"note: {told}")
    return {
        "model": str(path),
        "status": "done",
        "resumed": True,
        "topics": job.model.n_columns(state.small),
        "documents": job.source.n_documents,
        "passes": state.passes,
        "steps": state.step,
        "converged": state.converged,
        "score": state.scores[-1] if state.scores else None,
        "kind": state.kind,
        "held_out": state.held_out[-1] if state.held_out else None,
        "seed": job.seed,
    }


def _as_text(told: dict[str, Any]) -> str:
    from stickbreaker.learning.observers import KINDS

    held_out = "" if told["held_out"] is None else f", held-out {told['held_out']:.4f} nats/word"
    steps = f"{told['passes']} {'sweeps' if told['kind'] == 'joint' else 'passes'}"
    return (
        f"{told['model']}: {told['topics']} topics from {told['documents']} documents in "
        f"{steps}, {KINDS[told['kind']]} {told['score']:.4f} nats/word{held_out}\n"
        f"Next: stickbreaker topics {told['model']}"
    )


def watcher() -> "Observer":
    """A bar on a terminal, plain lines elsewhere."""
    if sys.stderr.isatty():
        from stickbreaker.cli.progress import Bar

        return Bar()
    from stickbreaker.learning.observers import Lines

    return Lines(sys.stderr)
