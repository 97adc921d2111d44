"""Estimators on disk: what a model's manifest says of them, saving and loading."""

from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from stickbreaker.core.errors import UserError
from stickbreaker.core.flat import refuse_other_rows, refuse_other_sizes
from stickbreaker.core.foreign import making_sense_of, refuse_negative
from stickbreaker.core.kinds import is_amount, is_count, is_text, refuse_other_kinds
from stickbreaker.corpus import Analysis, Corpus
from stickbreaker.corpus.polylingual import PolylingualAnalysis, analysis_from, refuse_other_languages
from stickbreaker.engines import LocalEngine
from stickbreaker.engines.stored import StoredTable
from stickbreaker.estimators.plain_hdp import PlainHDP
from stickbreaker.estimators.plain_lda import PlainLDA
from stickbreaker.estimators.settings import from_json, params_of, to_json
from stickbreaker.estimators.topics import TopicEstimator
from stickbreaker.learning.loop import RunState
from stickbreaker.learning.trace import line_of
from stickbreaker.models.topics import TopicModel
from stickbreaker.models.topics.seen_before import SeenBefore
from stickbreaker.models.topics.spelling import CharacterModel
from stickbreaker.saved import ModelDirectory, Snapshot
from stickbreaker.saved.checkpoints import latest_of, model_of, state_of
from stickbreaker.saved.directory import new_model_directory
from stickbreaker.saved.manifest import DIGESTS, RESTORE

KINDS: dict[str, type[TopicEstimator]] = {kind.kind: kind for kind in (PlainLDA, PlainHDP)}
ABOUT = {  # what `about` tells
    "fingerprint": is_text,
    "kind": is_text,
    "documents": is_count,
    "tokens": is_amount,
    "empty": is_count,
}
NOT_NEGATIVE = ("alpha", "gamma", "concentration", "eta", "weights", "rest", "tables", "entered")
E = TypeVar("E", bound=TopicEstimator)


def about(corpus: Corpus) -> dict[str, Any]:
    """What a model remembers of its corpus."""
    return {
        "fingerprint": corpus.fingerprint,
        "kind": corpus.kind,
        "documents": corpus.n_documents,
        "tokens": corpus.n_tokens,
        "empty": corpus.n_empty,
    }


def manifest_of(
    estimator: TopicEstimator,
    seed: int,
    corpus: dict[str, Any],
    where: str | None = None,
    held_out: float = 0.0,
) -> dict[str, Any]:
    """What a manifest says from a run's start to its end; `corpus`: what `about` tells, and the analysis."""
    return {
        "stickbreaker": version("stickbreaker"),
        "estimator": estimator.kind,
        "settings": to_json({**params_of(estimator), "random_state": seed, "n_jobs": None}),
        "held_out": held_out,
        "corpus": corpus,
        "corpus_path": where,
        DIGESTS: True,
    }


def begun_with(manifest: dict[str, Any]) -> dict[str, Any]:
    """What `manifest_of` said when the run of a manifest began."""
    names = ("stickbreaker", "estimator", "settings", "held_out", "corpus", "corpus_path")
    return {name: manifest[name] for name in names} | {DIGESTS: manifest.get(DIGESTS, False)}


def learned_from(manifest: dict[str, Any]) -> tuple[dict[str, Any], Analysis | PolylingualAnalysis | None]:
    """What a manifest tells of its corpus, and how that was analysed. Raises ValueError where it makes no
    sense."""
    known = dict(manifest["corpus"])
    analysis = known.pop("analysis", None)
    refuse_other_kinds(known, ABOUT)
    return known, None if analysis is None else analysis_from(analysis)


def estimator_of(manifest: dict[str, Any], threads: int | None = None) -> TopicEstimator:
    """An unfitted plain estimator with a manifest's settings. Raises ValueError where those make no sense."""
    if manifest["estimator"] not in KINDS:
        raise UserError(
            f"a model of an unknown kind, {manifest['estimator']!r}", remedy="upgrade stickbreaker"
        )
    if manifest["settings"].get("n_jobs") is not None:
        raise ValueError("threads are none of a model's settings")
    if not isinstance(manifest["settings"].get("random_state"), int):
        raise ValueError("the seed is no number")
    if not isinstance(manifest["settings"].get("keep_local", False), bool):
        raise ValueError("keep_local is neither true nor false")
    return KINDS[manifest["estimator"]](**from_json(manifest["settings"]) | {"n_jobs": threads})


def save(estimator: TopicEstimator, path: Path, *, overwrite: bool) -> None:
    """Save a fitted estimator."""
    with new_model_directory(path, overwrite=overwrite) as directory:
        directory.write_vocabulary(estimator.vocabulary_)
        traced = len(estimator.trace_) == estimator.state_.step  # not of an older model that lost its trace
        if traced:
            directory.trace_path.write_text("".join(map(line_of, estimator.trace_)), encoding="utf-8")
        corpus = {**estimator.corpus_, "analysis": estimator.analysis_.resolved().to_dict()}
        fixed = {**manifest_of(estimator, estimator.seed_, corpus), DIGESTS: traced}
        snapshot = model_of(estimator.engine_, estimator.state_, fixed, "done")
        snapshot.arrays = {**snapshot.arrays, **latest_of(estimator.state_)}  # `partial_fit` may go on
        directory.write(snapshot)


def load(path: Path, threads: int | None = None, *, in_place: bool = False) -> TopicEstimator:
    """The plain estimator saved at `path`, of whichever kind; of a run under way, its last checkpoint.

    A table in files is read there, a part at a time; of a run under way, whose files go as it goes on, it is
    held in memory as a whole, but where it is to be read `in_place` while it lasts.
    """
    directory = ModelDirectory(path)
    snapshot = directory.read()
    with making_sense_of(path, RESTORE):
        estimator = estimator_of(snapshot.manifest, threads)
        _fill(estimator, directory, snapshot, in_place=in_place)
    return estimator


def load_as(kind: type[E], path: Path) -> E:
    """`load` as an estimator of the class `kind`. Raises UserError for a model of another kind."""
    directory = ModelDirectory(path)
    snapshot = directory.read()
    with making_sense_of(path, RESTORE):
        plain = estimator_of(snapshot.manifest)
        if plain.kind != kind.kind:
            raise UserError(f"is a model of the kind {plain.kind}", where=path)
        estimator = kind(**params_of(plain))
        _fill(estimator, directory, snapshot)
    return estimator


def _fill(
    estimator: TopicEstimator, directory: ModelDirectory, snapshot: Snapshot, *, in_place: bool = False
) -> None:
    """Give an estimator what was learned."""
    estimator.vocabulary_ = directory.vocabulary()
    estimator.corpus_, analysis = learned_from(snapshot.manifest)
    refuse_other_languages(analysis, estimator.vocabulary_)
    estimator.analysis_ = analysis or Analysis()
    estimator.seed_ = snapshot.manifest["settings"]["random_state"]
    estimator.trace_ = snapshot.trace
    try:
        model = estimator.topic_model(estimator.vocabulary_, estimator.analysis_)
    except UserError:  # moves that are for streams only
        model = estimator.topic_model(estimator.vocabulary_, estimator.analysis_, stream=True)
    if not model.words.grows:  # an open vocabulary takes any columns
        estimator.n_features_in_ = len(estimator.vocabulary_)
    engine = LocalEngine(estimator.n_jobs, folder=directory.path)
    engine.restore(model, snapshot.arrays, snapshot.keys)
    state = state_of(snapshot)
    refuse_other_shapes(model, engine.table.shape, state, len(estimator.vocabulary_))
    lasts = in_place or snapshot.manifest["status"] != "running"
    if isinstance(engine.table, StoredTable) and not lasts:
        engine.table = engine.table.copy()  # its files go when the run goes on
    estimator.take(model, engine, state)


def refuse_other_shapes(model: TopicModel, shape: tuple[int, int], state: RunState, n_words: int) -> None:
    """Raise ValueError where the parts of a saved model are not of one size: its table (rows × columns), its
    vocabulary (`n_words`, of a closed one) and the rest."""
    if not model.words.grows and shape[0] != n_words:
        raise ValueError(f"{shape[0]} rows for {n_words} words")
    if not model.documents.grows and model.documents.n_topics != shape[1]:
        raise ValueError(f"{shape[1]} columns for {model.documents.n_topics} topics")
    sizes = dict(zip(model.table.axes, shape, strict=True))
    for name, item in {**model.documents.start(), **model.words.start()}.items():
        held = state.small.get(name)
        if held is None or held.axes != item.axes or held.values.ndim != item.values.ndim:
            raise ValueError(f"no {name} like this model's")
    if state.latest is not None:
        refuse_other_rows(state.latest, shape)
    for name, item in state.small.items():
        if name in NOT_NEGATIVE:
            refuse_negative(item.values, name)
        if name in NOT_NEGATIVE[:3] and not (item.values > 0.0).all():
            raise ValueError(f"{name} is zero")
    plans = [plan.change for _, plan in state.plans]
    for change in plans:
        model.refuse_plan(change)
    sums = {} if state.latest is None else state.latest.usage
    for record in (state.small, sums, *plans):
        refuse_other_sizes(record, sizes)
    if "spelling_alphabet" in state.small:
        CharacterModel.from_fields(state.small)
    if "seen before" in state.small:
        SeenBefore.of(state.small["seen before"])
    numbers = range(shape[1]) if state.columns is None else state.columns.numbers
    if len(set(numbers)) != shape[1]:
        raise ValueError("the columns' numbers are not one each")
