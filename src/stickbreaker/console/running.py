"""A run at the command line: to begin it, to go on with it, and the summary printed at its end."""

import signal
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stickbreaker.console.console import emit, fail, note, stop_signals, tell_of_compiling
from stickbreaker.console.inputs import AnalysisChoice, ReadingChoice, open_or_build
from stickbreaker.core.errors import UserError, counted, noun_for
from stickbreaker.core.locks.path_locks import scratch_beside
from stickbreaker.core.option_names import as_options, command_line
from stickbreaker.topics.cli.open_vocabulary import OpenChoice

if TYPE_CHECKING:
    from stickbreaker.corpus import Corpus
    from stickbreaker.engines.spark import SparkEngine
    from stickbreaker.estimators.estimator import Estimator
    from stickbreaker.grammars.cli.fit_grammar import SymbolChoice
    from stickbreaker.learning.contract import Run, RunState, ScoreNames
    from stickbreaker.learning.observers import Observer
    from stickbreaker.ngrams.cli.sentence_options import SentenceChoice
    from stickbreaker.ngrams.plain_ngram import PlainNgramModel
    from stickbreaker.saved import ModelDirectory
    from stickbreaker.topics.search.search_points import SearchPoint
    from stickbreaker.topics.topic_estimator import TopicEstimator


JUDGES = {"bound": "the bound", "held-out": "documents held out"}


def begin(
    model: "TopicEstimator",
    inputs: tuple[str, ...],
    out: Path,
    reading: ReadingChoice,
    choice: AnalysisChoice,
    opened: OpenChoice,
    held_out: float,
    overwrite: bool,
) -> "ModelDirectory":
    """`begin_run` of topics. With an open vocabulary, a corpus that is built has all words that may enter."""

    def look_at(corpus: "Corpus") -> None:
        model.words = opened.build(corpus.analysis)
        if opened.is_open:
            _tell_of_words_left_out(corpus)

    choice = choice.of_all_words() if opened.is_open else choice
    corpus, directory = begin_run(model, inputs, out, reading, choice, held_out, overwrite, look_at)
    _tell_of_guide(model, corpus)
    _tell_of_concepts(model, corpus)
    tell_of_topics(model)
    return directory


def begin_run(
    model: "Estimator",
    inputs: tuple[str, ...],
    out: Path,
    reading: ReadingChoice,
    choice: "AnalysisChoice | SentenceChoice | SymbolChoice",
    held_out: float,
    overwrite: bool,
    look_at: "Callable[[Corpus], object]" = lambda corpus: None,
) -> "tuple[Corpus, ModelDirectory]":
    """Make the directory of a run at step 0; a corpus built from raw files is kept inside.

    `look_at` gets the corpus before the run begins. Returns the corpus, and the directory for `go_on`.
    """
    from stickbreaker.estimators import fitting
    from stickbreaker.saved.directory import refuse_existing

    model.refuse_params()  # wrong parameters are reported before anything is read
    refuse_existing(out, overwrite)
    for given in inputs:
        _refuse_inside_model(Path(given))
    with scratch_beside(out) as scratch:
        corpus = open_or_build(inputs, reading, choice=choice, out=scratch / "corpus")
        look_at(corpus)
        remark = model.remark_on(corpus.n_documents)
        if remark is not None:
            note(f"note: {as_options(remark)}")
        inside = corpus.path is not None and Path(corpus.path) == scratch / "corpus"
        directory = fitting.begin(
            model,
            corpus,
            out,
            held_out=held_out,
            corpus_inside=inside,
            overwrite=overwrite,
            stays_locked=True,
        )
        return corpus, directory


def tell_of_topics(model: "TopicEstimator", *, stream: bool = False) -> None:
    """Note how a model that learns its number of topics comes to one."""
    if model.documents == "finite":
        return
    start, search = model.n_topics_at_start(), None if stream else model.search(1)
    if search is not None:
        note(f"searching for the number of topics, by {JUDGES[search.judge]}; --topics K is one run from K")
    elif isinstance(model.n_topics, int):
        note(f"starting from {counted(start, 'topic')}, as --topics says; auto searches for their number")
    else:
        without = " and ".join(_unsearched_by(model, stream=stream))
        note(f"starting from {counted(start, 'topic')}: there is no search for their number with {without}")


def _unsearched_by(model: "TopicEstimator", *, stream: bool) -> list[str]:
    """What was chosen with which there is no search for the number of topics."""
    from stickbreaker.estimators.settings import engine_name
    from stickbreaker.learning.schedules import Online
    from stickbreaker.topics.topic_settings import inference_of

    inference = inference_of(model.inference).name
    online = not stream and not model.is_open and isinstance(model.learning_schedule(), Online)
    chosen = {
        "a stream": stream,
        "--words open": model.is_open,
        "--concepts": model.has_concepts,
        f"--inference {inference}": inference != "mean-field",
        "--schedule online": online,
        "--representation franchise": getattr(model, "representation", "direct") != "direct",
        "--engine spark": engine_name(model.engine) != "local",
    }
    return [name for name, is_chosen in chosen.items() if is_chosen] or ["eta of each topic"]


def _tell_of_words_left_out(corpus: "Corpus") -> None:
    """Note that a corpus was built with a vocabulary of some of its words."""
    rule = corpus.about.rule
    bounds = rule.bounds(corpus.n_documents)
    if corpus.kind == "text" and (rule.size is not None or bounds != (1, corpus.n_documents)):
        remedy = "build it with --min-documents 1 --max-share 1 for a model of all words"
        note(f"the corpus has a vocabulary, and no other words enter; {remedy}")


def _tell_of_guide(model: "TopicEstimator", corpus: "Corpus") -> None:
    """Note how much of each category of a guide the corpus has."""
    from stickbreaker.topics.topic_settings import guide_of

    guide = guide_of(model.guide)
    if guide is None:
        return
    found = zip(guide.names, guide.found(corpus.vocabulary, corpus.analysis), strict=True)
    coverage = [f"{name} {known} of {entries}" for name, (known, entries) in found]
    note("guide: " + ", ".join([f"{coverage[0]} words", *coverage[1:]]))


def _tell_of_concepts(model: "TopicEstimator", corpus: "Corpus") -> None:
    """Note how many concepts tie words of the corpus, and what a user may not expect of them."""
    from stickbreaker.topics.model import ConceptTree
    from stickbreaker.topics.model.vocabularies.tree_compiler import compiled

    if not isinstance(model.words, ConceptTree):
        return
    tree = compiled(model.words, corpus.vocabulary)
    for line in (tree.coverage(), *tree.remarks()):
        note(f"concepts: {line}")


def tell_of_unknown_words(model: "PlainNgramModel", corpus: "Corpus") -> None:
    """Note how many words a language model knows, and how much of the text is of others."""
    from stickbreaker.ngrams.word_numbers import UNKNOWN

    numbers = model.numbers_of(corpus.vocabulary)
    tokens = corpus.vocabulary.tokens
    share = float(tokens[numbers.of_rows == numbers.unknown].sum() / max(tokens.sum(), 1.0))
    others = "" if numbers.spelled else f"; {100 * share:.1f} % of the tokens are others, {UNKNOWN}"
    note(f"{counted(len(numbers.known), 'known word')}{others}")


def _refuse_inside_model(given: Path) -> None:
    """Raise UserError for an input that lies in a model: it is gone when that model's run is done."""
    for parent in given.resolve().parents:
        if (parent / "model.json").is_file():
            raise UserError("lies inside a model", where=given, remedy="copy it to a place of its own first")


def go_on(
    model: "Path | ModelDirectory",
    every: float,
    threads: int | None,
    as_json: bool,
    engine: "str | SparkEngine" = "local",
    *,
    resumed: bool = False,
) -> None:
    """Run to the end or to Ctrl-C, and say how it went; `resumed`: after an interruption.

    `model` is a path, or a directory that is locked.
    """
    from stickbreaker.estimators.kinds import kinds

    tell_of_compiling()
    path = model if isinstance(model, Path) else model.path
    again = command_line("resume", path, "" if engine == "local" else "--engine spark")
    done = run_on(model, every, threads, f"the model is saved, go on with: {again}", engine)
    if done is None:
        emit_finished(path, as_json)
        return
    learned, verb = done[0], done[0].next_verb()
    following = kinds()[learned.kind].verbs[:1] if verb is None else (verb,)
    text = partial(_as_text, sizes=learned.sizes(), following=following, scores=learned.score_names)
    emit({"model": str(path), "status": "done", "resumed": resumed, **_summarize(*done)}, as_json, text)


def began_on_spark(path: Path) -> bool:
    """Whether the run at `path` is one on Spark."""
    from stickbreaker.core.untrusted import making_sense_of
    from stickbreaker.saved import ModelDirectory
    from stickbreaker.saved.manifest import RESTORE

    with making_sense_of(path, RESTORE):
        return ModelDirectory(path).manifest()["settings"].get("engine") == "spark"


def emit_finished(path: Path, as_json: bool) -> None:
    """Say of a run that there is nothing left to do."""
    result = {"model": str(path), "status": "done", "resumed": False}
    emit(result, as_json, lambda _: f"{path}: finished already")


def run_on(
    model: "Path | ModelDirectory",
    every: float,
    threads: int | None,
    remedy: str,
    engine: "str | SparkEngine" = "local",
) -> "tuple[Estimator, Run[Any], RunState] | None":
    """Go on with a run, as `go_on` does; None when it is finished already.

    Ctrl-C leaves the program, by `remedy`. Notes a score that has not settled.
    """
    from stickbreaker.engines import Interrupted
    from stickbreaker.estimators import fitting

    spark = None if isinstance(engine, str) else engine
    with ExitStack() as signals:

        def on_signal(stop: Callable[[], None]) -> None:
            signals.enter_context(stop_signals(stop, numbers=(signal.SIGINT,)))

        try:
            done = fitting.resume(
                model,
                every=every,
                threads=threads,
                watch=[watcher()],
                stopper=on_signal,
                spark=spark,
                tell=lambda point: note(_describe(point)),
            )
        except Interrupted:
            fail(f"interrupted; {remedy}")
        finally:
            if not isinstance(model, Path):
                model.unlock()
    warning = None if done is None else fitting.unsettled(done[2], done[1].limits.tol)
    if warning is not None:
        note(f"note: {as_options(warning)}")
    return done


def _describe(point: "SearchPoint") -> str:
    """A finished run of a search, as a line."""
    held_out = "" if point.held_out is None else f", held-out {point.held_out:.4f}"
    kind = "run to its end, from" if point.final else "searching:"
    topics = f"{counted(point.topics, 'topic')}, {point.used} in use"
    return f"{kind} {topics}, bound {point.bound:.4f} nats/word{held_out}"


def _summarize(estimator: "Estimator", job: "Run[Any]", state: "RunState") -> dict[str, Any]:
    return {
        **estimator.sizes(),
        "documents": job.n_documents,
        "passes": state.passes,
        "steps": state.step,
        "converged": state.converged,
        "score": state.scores[-1] if state.scores else None,
        "kind": state.kind,
        "held_out": state.held_out[-1] if state.held_out else None,
        "seed": job.seed,
        **_summarize_search(estimator),
    }


def _summarize_search(estimator: "Estimator") -> dict[str, Any]:
    """The runs of a search, and the numbers of topics that are as good; nothing without one."""
    from stickbreaker.topics.topic_estimator import TopicEstimator

    if not isinstance(estimator, TopicEstimator):
        return {}
    found = estimator.search_range()
    if found is None:
        return {}
    against = estimator.overruled_bound()
    return {
        "search": [point.to_json() for point in estimator.search_],
        "range": [found.fewest, found.most],
        "range_of": found.of,
        "range_of_short_runs": list(found.curve),
        "short_runs_disagree": found.disagree,
        "overruled": None if against is None else against._asdict(),
    }


def _as_text(
    summary: dict[str, Any], sizes: dict[str, int], following: tuple[str, ...], scores: "ScoreNames"
) -> str:
    """How a run went: what it learned, in numbers, and the verb to go on with, if there is one."""
    value = summary["held_out"]
    held_out = "" if value is None else f", held-out {value:.4f} nats/{scores.token}"
    passes, documents = summary["passes"], summary["documents"]
    unit = ("sweep", "sweeps") if summary["kind"] == "joint" else ("pass", "passes")
    steps = f"{passes} {noun_for(passes, *unit)}"
    names = {name: name.replace("_", " ").removesuffix("s") for name in sizes}
    learned = " and ".join(f"{number} {noun_for(number, names[name])}" for name, number in sizes.items())
    line = (
        f"{summary['model']}: {learned or 'learned'} from {documents} {noun_for(documents, 'document')} in "
        f"{steps}, {scores.of(summary['kind'], summary['score'])}{held_out}"
    )
    found = _search_as_text(summary) if "range" in summary else []
    return "\n".join([line, *found, *(f"Next: {command_line(verb, summary['model'])}" for verb in following)])


def _search_as_text(summary: dict[str, Any]) -> list[str]:
    """What a search says of the number of topics: the runs to the end, and the numbers that are as good."""
    from stickbreaker.topics.search.search_points import SHORT

    runs, against = summary["search"], summary["overruled"]
    whole = [run for run in runs if run["final"]]
    ends = ", ".join(f"{run['used']} at {run['bound']:.4f}" for run in reversed(whole))
    rule = "" if against else " (the fewest topics within 0.005 nats/word of the best)"
    lines = [f"Runs to the end, topics and bound, the model's first{rule}: {ends}"] if len(whole) > 1 else []
    within = f"Topics within 0.005 nats/word of the best, by {summary['range_of']}"
    curve = _as_range(*summary["range_of_short_runs"])
    if summary["range_of"] == SHORT:
        lines.append(f"{within} ({len(runs) - len(whole)}): {curve}; runs to the end may differ by more")
    else:
        doubt = ", far from that: the number is uncertain" if summary["short_runs_disagree"] else ""
        if doubt and runs[-1]["held_out"] is None:
            doubt += "; see what --judge held-out gives"
        found = _as_range(*summary["range"])
        lines.append(f"{within}: {found}; by short runs ({len(runs) - len(whole)}): {curve}{doubt}")
    if against is not None:
        lines.append(
            f"The bound asks for {against['few']}; documents held out are better predicted (by "
            f"{against['gain']:.2f} nats/word) with about {against['topics']}, where the last run began"
        )
    return lines


def _as_range(fewest: int, most: int) -> str:
    return f"{fewest} to {most}" if most > fewest else f"{fewest}"


def watcher() -> "Observer":
    """A bar on a terminal, plain lines elsewhere."""
    if sys.stderr.isatty():
        from stickbreaker.console.progress import Bar

        return Bar()
    from stickbreaker.learning.observers import Lines

    return Lines(sys.stderr)
