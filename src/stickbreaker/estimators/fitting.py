"""From an estimator and a corpus to a run: fitting in memory, into a directory, resuming, saving, loading."""

import hashlib
import json
import shutil
import warnings
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from stickbreaker.core.errors import UserError
from stickbreaker.core.randomness import stream
from stickbreaker.corpus import Analysis, Corpus, Vocabulary
from stickbreaker.engines import LocalEngine
from stickbreaker.estimators.seeding import seed_from_documents
from stickbreaker.estimators.settings import KAPPA, TAU0, from_json, schedule_of, seed_of, threads_of, to_json
from stickbreaker.evaluation.held_out import HeldOut
from stickbreaker.learning.loop import Limits, Run, RunState, advance, relative_change, run
from stickbreaker.learning.observers import Callback, Clock, Observer, Trace
from stickbreaker.learning.schedules import Minibatch, Online
from stickbreaker.learning.source import SHARD, Source
from stickbreaker.models.topics import TopicModel
from stickbreaker.saved import ModelDirectory
from stickbreaker.saved.checkpoints import Checkpoints, snapshot_of, state_of
from stickbreaker.saved.directory import new_model_directory

if TYPE_CHECKING:
    from stickbreaker.estimators.lda import LDA


def fit(lda: "LDA", corpus: Corpus) -> None:
    """Run to the end, `n_init` times, and keep the run with the best final score."""
    lda._topic_model(corpus.n_words)  # wrong parameters are told before anything is done
    lda.seed_ = seed_of(lda.random_state)
    best: tuple[Run, RunState, Trace] | None = None
    for start in range(lda.n_init):
        seed = lda.seed_ if start == 0 else int(stream(lda.seed_, "start", start).integers(2**62))
        job, state = new_run(lda, corpus, seed)
        trace = Trace()
        observers = [Clock(), trace, *map(Callback, lda.callbacks or ())]
        run(job, state, observers)
        if best is None or _final(state) > _final(best[1]):
            best = job, state, trace
    assert best is not None
    finish(lda, corpus, *best)


def new_run(lda: "LDA", corpus: Corpus, seed: int, held_out: float = 0.0) -> tuple[Run, RunState]:
    """A run at its start: the model that the parameters describe, and a seeded table."""
    job = _job(lda, corpus, seed, held_out)
    model = job.model
    job.engine.start(model, _seeds(lda, job, corpus))
    return job, RunState(model.start())


def _job(lda: "LDA", corpus: Corpus, seed: int, held_out: float) -> Run:
    model = lda._topic_model(corpus.n_words)
    source = Source(corpus, held_out)
    if source.n_documents == 0:
        raise UserError("there is no document to learn from", remedy="lower the held-out share")
    evaluate = HeldOut(source, seed) if held_out > 0.0 else None
    if evaluate is not None and evaluate.tokens == 0.0:
        raise UserError("no held-out document has a known word", remedy="raise the held-out share")
    return Run(
        model=model,
        engine=LocalEngine(threads_of(lda.n_jobs), keep_local=lda.keep_local),
        schedule=schedule_of(lda.schedule),
        source=source,
        seed=seed,
        limits=Limits(lda.max_iter, lda.tol),
        evaluate=evaluate,
    )


def _seeds(lda: "LDA", job: Run, corpus: Corpus) -> np.ndarray:
    if lda.init == "documents":
        return seed_from_documents(job.source, lda.n_topics, job.seed)
    return job.model.seed(corpus.vocabulary.words, max(corpus.n_tokens, 1.0), job.seed)


def _final(state: RunState) -> float:
    return state.scores[-1] if state.scores else -np.inf


def finish(lda: "LDA", corpus: Corpus, job: Run, state: RunState, trace: Trace) -> None:
    """Hand a run's results to the estimator, and warn where it did not converge."""
    assert isinstance(job.engine, LocalEngine)
    assert isinstance(job.model, TopicModel)
    lda.vocabulary_ = corpus.vocabulary
    lda.analysis_ = corpus.analysis or Analysis()
    lda.corpus_ = about(corpus)
    lda.n_iter_ = state.passes
    lda.converged_ = state.converged
    lda.bound_ = _final(state)
    lda.trace_ = trace.records
    lda._state = state
    lda._take(job.model, job.engine, state.small)
    if not (state.converged or state.stopped) and lda.tol > 0.0:
        warnings.warn(not_converged(job, state), ConvergenceWarning, stacklevel=4)


def not_converged(job: Run, state: RunState) -> str:
    """One line about a run that used all its passes."""
    change = relative_change(state.scores)
    told = "" if np.isnan(change) else f" (last changes {change:.1e}, tol {job.limits.tol:.0e})"
    return f"{state.passes} passes were not enough for the score to settle{told}; raise max_iter or tol"


def about(corpus: Corpus) -> dict[str, Any]:
    """What a model remembers of its corpus."""
    return {
        "fingerprint": corpus.fingerprint,
        "kind": corpus.kind,
        "documents": corpus.n_documents,
        "tokens": corpus.n_tokens,
        "empty": corpus.n_empty,
    }


def is_begun(lda: "LDA") -> bool:
    """Whether the estimator has a state that `partial_fit` can go on from."""
    return "_state" in vars(lda)


def partial_fit(lda: "LDA", corpus: Corpus, begun: bool) -> None:
    """One online step on a whole corpus, in order."""
    schedule = lda.schedule if isinstance(lda.schedule, Online) else Online()
    schedule = schedule.with_defaults(KAPPA, TAU0)
    if not begun:
        lda.seed_ = seed_of(lda.random_state)
    source = Source(corpus)
    engine = LocalEngine(threads_of(lda.n_jobs))
    job = Run(lda._topic_model(corpus.n_words), engine, schedule, source, lda.seed_)
    if begun:
        engine.restore(job.model, lda._engine.snapshot()[0], None)
        state = lda._state
    else:
        engine.start(job.model, _seeds(lda, job, corpus))
        state = RunState(job.model.start())
    if begun and len(lda.alpha_) != lda.n_topics:
        told = f"n_topics={lda.n_topics}, but the model has {len(lda.alpha_)} topics"
        raise UserError(told, remedy="call fit to begin anew")
    known = about(corpus) if not begun else _grown(lda.corpus_, about(corpus))
    total = schedule.total or known["documents"]
    step, keep, add = schedule.step_for(state.step, state.seen, source.n_documents, total)
    shards = (shard for numbers, bags in source.in_order() for shard in source.shards(numbers, bags))
    n_shards = sum(-(-size // SHARD) for size in corpus.block_sizes)
    batch = Minibatch(shards, n_shards, source.n_documents, step, keep, add, ends_pass=False)
    record = advance(job, state, batch)
    state.passes, state.in_pass = state.passes + 1, 0
    state.scores.append(record["score"])
    if not begun:
        lda.vocabulary_, lda.analysis_, lda.trace_ = corpus.vocabulary, corpus.analysis or Analysis(), []
    else:
        lda.vocabulary_ = _counted_on(lda.vocabulary_, corpus)
    lda.corpus_ = known
    lda.trace_.append(record)
    lda.n_iter_, lda.bound_, lda.converged_ = state.passes, record["score"], False
    lda._state = state
    assert isinstance(job.model, TopicModel)
    lda._take(job.model, engine, state.small)


def _counted_on(vocabulary: Vocabulary, corpus: Corpus) -> Vocabulary:
    """The vocabulary with the occurrences of its words in `corpus` added."""
    documents, tokens = vocabulary.documents.copy(), vocabulary.tokens.copy()
    for block in range(len(corpus.block_sizes)):
        bags = corpus.bags(block)
        documents += np.bincount(bags.words, minlength=len(documents))
        tokens += np.bincount(bags.words, weights=bags.counts, minlength=len(tokens))
    return Vocabulary(vocabulary.words, documents, tokens)


def _grown(before: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """What a model remembers of its corpus once it has learned from more documents."""
    sums = {name: before[name] + new[name] for name in ("documents", "tokens", "empty")}
    both = (before["fingerprint"] + new["fingerprint"]).encode()
    return {**before, **sums, "fingerprint": hashlib.blake2b(both, digest_size=16).hexdigest()}


# Into a directory


def fixed_manifest(
    lda: "LDA", corpus: Corpus, seed: int, held_out: float, where: str | None
) -> dict[str, Any]:
    """What a model's manifest says from its first checkpoint to its last."""
    analysis = None if corpus.analysis is None else corpus.analysis.resolved().to_dict()
    return {
        "stickbreaker": version("stickbreaker"),
        "estimator": type(lda).__name__,
        "settings": to_json({**lda.get_params(deep=False), "random_state": seed, "n_jobs": None}),
        "held_out": held_out,
        "corpus": {**about(corpus), "analysis": analysis},
        "corpus_path": where,
    }


def begin(
    lda: "LDA",
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
    seed = seed_of(lda.random_state)
    job, state = new_run(lda, corpus, seed, held_out)
    where = "corpus" if corpus_inside else str(Path(str(corpus.path)).resolve())
    with new_model_directory(path, overwrite=overwrite) as directory:
        directory.write_vocabulary(corpus.vocabulary)
        if corpus_inside:
            shutil.move(str(corpus.path), directory.path / "corpus")
        fixed = fixed_manifest(lda, corpus, seed, held_out, where)
        directory.write(snapshot_of(job.engine, state, fixed, "running"))


def resume(
    path: Path, *, every: float, threads: int | None, watch: Sequence[Observer] = (), stopper: Any = None
) -> tuple[Run, RunState] | None:
    """Go on with the run at `path` to its end; None when it is finished already.

    Checkpoints every `every` seconds. `stopper` is called with the engine's `stop`, for signal handlers.
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
        lda = estimator_of(manifest, threads)
        corpus = _corpus_of(path, manifest)
        directory.truncate_trace(manifest)
        job = _job(lda, corpus, manifest["settings"]["random_state"], manifest["held_out"])
        job.engine.restore(job.model, snapshot.arrays, snapshot.keys)
        state = state_of(snapshot)
        fixed = {
            key: manifest[key] for key in ("stickbreaker", "estimator", "settings", "held_out", "corpus")
        }
        before = snapshot.trace[-1].get("seconds", 0.0) if snapshot.trace else 0.0
        trace = Trace(directory.trace_path, snapshot.trace)

        def add_documents() -> None:
            lda.seed_ = job.seed
            finish_quietly(lda, corpus, job, state, trace)
            write_documents(lda, corpus, directory.path)
            checkpoints.fixed["corpus_path"] = None

        checkpoints = Checkpoints(
            directory, {**fixed, "corpus_path": manifest["corpus_path"]}, every, add_documents
        )
        if stopper is not None:
            stopper(job.engine.stop)
        run(job, state, [Clock(before), trace, *watch, checkpoints])
    finally:
        directory.unlock()
    directory.clear()
    return job, state


def finish_quietly(lda: "LDA", corpus: Corpus, job: Run, state: RunState, trace: Trace) -> None:
    """`finish`, for callers that tell of convergence themselves."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        finish(lda, corpus, job, state, trace)


def _corpus_of(path: Path, manifest: dict[str, Any]) -> Corpus:
    """The corpus of a run, checked to be the one that it began with."""
    where = path / "corpus" if manifest["corpus_path"] == "corpus" else Path(manifest["corpus_path"])
    corpus = Corpus.open(where)
    if corpus.fingerprint != manifest["corpus"]["fingerprint"]:
        raise UserError(
            "is not the corpus that the run began with", where=where, remedy="restore it, or fit anew"
        )
    return corpus


def estimator_of(manifest: dict[str, Any], threads: int | None = None) -> "LDA":
    """An unfitted estimator with a manifest's settings."""
    from stickbreaker.estimators.lda import LDA

    if manifest["estimator"] != "LDA":
        raise UserError(
            f"a model of an unknown kind, {manifest['estimator']!r}", remedy="upgrade stickbreaker"
        )
    return LDA(**{**from_json(manifest["settings"]), "n_jobs": threads})


def save(lda: "LDA", path: Path, *, overwrite: bool) -> None:
    """Save a fitted estimator."""
    with new_model_directory(path, overwrite=overwrite) as directory:
        directory.write_vocabulary(lda.vocabulary_)
        with directory.trace_path.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(record) + "\n" for record in lda.trace_)
        settings = to_json({**lda.get_params(deep=False), "random_state": lda.seed_, "n_jobs": None})
        fixed = {
            "stickbreaker": version("stickbreaker"),
            "estimator": type(lda).__name__,
            "settings": settings,
            "held_out": 0.0,
            "corpus": {**lda.corpus_, "analysis": lda.analysis_.resolved().to_dict()},
            "corpus_path": None,
        }
        directory.write(snapshot_of(lda._engine, lda._state, fixed, "done"))


def load(kind: type["LDA"], path: Path, threads: int | None = None) -> "LDA":
    """A fitted estimator from a directory; of a run under way, its last checkpoint."""
    directory = ModelDirectory(path)
    snapshot = directory.read()
    lda = estimator_of(snapshot.manifest, threads)
    if not isinstance(lda, kind):
        raise UserError(f"is a model of the kind {type(lda).__name__}", where=path)
    state = state_of(snapshot)
    lda.vocabulary_ = directory.vocabulary()
    analysis = snapshot.manifest["corpus"].get("analysis")
    lda.analysis_ = Analysis() if analysis is None else Analysis.from_dict(analysis)
    lda.corpus_ = {k: v for k, v in snapshot.manifest["corpus"].items() if k != "analysis"}
    lda.seed_ = snapshot.manifest["settings"]["random_state"]
    lda.n_iter_, lda.converged_, lda.bound_ = state.passes, state.converged, _final(state)
    lda.trace_ = snapshot.trace
    lda.n_features_in_ = len(lda.vocabulary_)
    lda._state = state
    model = lda._topic_model(len(lda.vocabulary_))
    engine = LocalEngine(threads)
    engine.restore(model, snapshot.arrays, None)
    lda._take(model, engine, state.small)
    return lda
