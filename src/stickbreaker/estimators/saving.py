"""Saves estimators to disk and loads them, and makes the parts of a manifest that all kinds share."""

# pyright: reportPrivateUsage=false

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

from stickbreaker.core.errors import UserError, shortened, shortened_path
from stickbreaker.core.file_errors import named_as
from stickbreaker.core.files import refuse_file
from stickbreaker.core.json_checks import JsonObject, refuse_other_kinds
from stickbreaker.core.untrusted import making_sense_of
from stickbreaker.corpus import Analysis, Corpus
from stickbreaker.corpus.text.polylingual import PolylingualAnalysis, analysis_from, refuse_other_languages
from stickbreaker.estimators.estimator import Estimator, Origin, Update
from stickbreaker.estimators.kinds import kind_of, kinds, refuse_system
from stickbreaker.estimators.settings import from_json, params_as_text, params_of, to_json
from stickbreaker.learning.trace import line_of
from stickbreaker.saved import ModelDirectory, Snapshot
from stickbreaker.saved.directory import new_model_directory
from stickbreaker.saved.manifest import RESTORE
from stickbreaker.saved.manifest_fields import DIGESTS, SEARCH, UPDATES
from stickbreaker.saved.packed_models import directory_of, pack

E = TypeVar("E", bound=Estimator)


def manifest_of(
    estimator: Estimator, seed: int, corpus: JsonObject, where: str | None = None, held_out: float = 0.0
) -> JsonObject:
    """The fields of a model's manifest that do not change during a run.

    seed: is saved as `random_state`; corpus: the facts of `corpus_facts.about` with the analysis; where: the
    path of the run's corpus, None without one; held_out: the share of documents not learned from.
    """
    settings = {**estimator._params_to_save(), "random_state": seed, "n_jobs": None}
    return {
        "stickbreaker": version("stickbreaker"),
        "estimator": estimator.kind,
        "settings": to_json(settings, estimator._setting_types),
        "held_out": held_out,
        "corpus": corpus,
        "corpus_path": where,
        DIGESTS: True,
    }


def manifest_at_start(manifest: JsonObject) -> JsonObject:
    """Reduce a later manifest of a run to the fields that `manifest_of` made, and those of a search."""
    names = ("stickbreaker", "estimator", "settings", "held_out", "corpus", "corpus_path", DIGESTS)
    held = {name: manifest[name] for name in names}
    return {**held, SEARCH: manifest[SEARCH]} if SEARCH in manifest else held


def learned_from(manifest: JsonObject) -> tuple[JsonObject, Analysis | PolylingualAnalysis | None]:
    """The facts in a manifest about the model's corpus, and its analysis (None if it had none).

    Raises ValueError if the analysis is invalid.
    """
    known = dict(manifest["corpus"])
    analysis = known.pop("analysis")
    return known, None if analysis is None else analysis_from(analysis)


def corpus_of(path: Path, manifest: JsonObject) -> Corpus:
    """Open the corpus of a run saved at `path`. Raises UserError if it is missing or has changed.

    UserError also if there is none, since the run learns from a stream.
    """
    if manifest["corpus_path"] is None:
        remedy = "to continue, give the command that learns it again: stickbreaker stream"
        raise UserError("learns from files as they arrive, not from a corpus", where=path, remedy=remedy)
    where = path / "corpus" if manifest["corpus_path"] == "corpus" else Path(manifest["corpus_path"])
    remedy = "put the corpus back, or fit again"
    try:
        corpus = Corpus.open(where)
    except OSError as error:
        problem = f"the corpus of its run cannot be opened ({error.strerror or error})"
        raise UserError(problem, where=path, remedy=remedy) from None
    except UserError as error:
        if error.where is None or Path(str(error.where)) != where:
            raise  # a file of the corpus is wrong, and named in the error
        problem = f"the corpus of its run, {shortened_path(str(where))}: {error.problem}"
        raise error.replace(problem=problem, where=path, remedy=remedy) from None
    if corpus.fingerprint != manifest["corpus"]["fingerprint"]:
        raise UserError(
            "is not the corpus that the run began with", where=where, remedy="restore it, or fit again"
        )
    return corpus


def estimator_of(manifest: JsonObject, threads: int | None = None) -> Estimator:
    """An unfitted plain estimator with a manifest's settings; threads: its `n_jobs`.

    Raises ValueError or UserError if settings are invalid.
    """
    made = kind_of(manifest).plain()
    return made(**{**from_json(manifest["settings"], made._setting_types), "n_jobs": threads})


def save(
    estimator: Estimator, path: Path, *, overwrite: bool = False, documents: Corpus | None = None
) -> None:
    """Save a fitted estimator: as a zip file if the path ends in .zip, otherwise as a directory.

    documents: documents for the report to show, with the model's vocabulary. Raises UserError if the path
    exists and may not be overwritten.
    """
    if path.suffix == ".zip":
        refuse_file(path, overwrite)
        with tempfile.TemporaryDirectory() as outside, named_as(path, Path(outside)):
            save(estimator, Path(outside, "model"), documents=documents)
            pack(Path(outside, "model"), path, overwrite=overwrite)
        return
    with new_model_directory(path, overwrite=overwrite) as directory:
        directory.write_vocabulary(estimator.vocabulary_)
        directory.trace_path.write_text("".join(map(line_of, estimator.trace_)), encoding="utf-8")
        corpus = {**estimator.corpus_, "analysis": estimator.analysis_.resolved().to_dict()}
        fixed = manifest_of(
            estimator._as_it_started(), estimator.seed_, corpus, held_out=held_out_of(estimator)
        )
        if estimator.search_:
            fixed[SEARCH] = [point.to_json() for point in estimator.search_]
        if estimator.updates_:
            fixed[UPDATES] = [one._asdict() for one in estimator.updates_]
        if documents is not None:
            estimator._write_report_documents(documents, directory.path)
        with _refusing_changed_parameters(estimator, directory.path):
            directory.write(estimator._snapshot(fixed))
        if _origin_of(estimator) == path.absolute():
            estimator._take_beside(path)
        estimator._write_beside(directory.path)


def held_out_of(estimator: Estimator) -> float:
    """The share of the fit's documents that an estimator has not learned from, chosen by a hash of their ids.

    For a loaded estimator, it is that of the saved model. Documents of later updates are all learned from.
    """
    origin = estimator._origin
    return estimator._least_held_out() if origin is None else float(origin.manifest["held_out"])


@contextmanager
def _refusing_changed_parameters(estimator: Estimator, path: Path) -> Generator[None]:
    """A context in which an estimator is saved at a path.

    Raises UserError if parameters were changed since it learned, and do not go with what was learned, so that
    the saved model could not be loaded.
    """
    given, before = params_as_text(estimator), estimator._learned_with or {}
    changed = [name for name in before if given[name] != before[name]]
    if not changed:
        yield
        return
    try:
        yield
        load(path)
    except (UserError, ValueError, TypeError):
        values = ", ".join(f"{name}={shortened(given[name], 30)}" for name in changed)
        problem = f"{values} was set after learning, and what was learned does not have it"
        raise UserError(problem, remedy="call fit again, or set it back") from None


def loaded_from(estimator: Estimator) -> Path | None:
    """The path of the saved model that an estimator was loaded from; None if either has changed since.

    None also if it was not loaded, or from an unfinished run.
    """
    origin = estimator._origin
    if origin is None or origin.steps != estimator.n_steps_ or origin.manifest["status"] != "done":
        return None
    return _origin_of(estimator)


def _origin_of(estimator: Estimator) -> Path | None:
    """The path of the saved model that an estimator was loaded from, if that has not changed; else None.

    None also after a new fit, but not (unlike in `loaded_from`) if the estimator was since updated with more
    documents.
    """
    origin = estimator._origin
    if origin is None:
        return None
    try:
        return origin.path if ModelDirectory(origin.path).manifest() == origin.manifest else None
    except (UserError, OSError):
        return None


@contextmanager
def _reading(path: Path) -> Generator[tuple[ModelDirectory, Snapshot]]:
    """A context that yields the model directory at a path (a zip file is unpacked), and its content.

    Errors inside the context name that path.
    """
    folder = directory_of(path)
    with named_as(path, folder):
        directory = ModelDirectory(folder)
        snapshot = directory.read()
        with making_sense_of(path, RESTORE):
            yield directory, snapshot


def load(
    path: Path, threads: int | None = None, *, verb: str | None = None, in_place: bool = False
) -> Estimator:
    """Load a saved model, or a run's last checkpoint, from a directory or zip file, as a plain estimator.

    verb: the command that loads it; UserError if that does not apply to its kind. If its table is stored in
    files, rows are read from there when they are needed. A run under way deletes such files, so its table is
    copied to memory, unless `in_place` says that the estimator is used only while they exist.
    """
    if verb is not None:
        refuse_system(path, verb)
    with _reading(path) as (directory, snapshot):
        if verb is not None:
            kind_of(snapshot.manifest).refuse(verb, path)
        estimator = estimator_of(snapshot.manifest, threads)
        _fill(estimator, directory, snapshot, in_place=in_place)
    return estimator


def load_for(
    verb: str, made: type[E], path: Path, threads: int | None = None, *, in_place: bool = False
) -> E:
    """Load a model for a command that needs class `made`. Raises UserError for a model of another class.

    verb, threads, in_place: as in `load`.
    """
    estimator = load(path, threads, verb=verb, in_place=in_place)
    if not isinstance(estimator, made):
        raise UserError(f"{verb} does not apply to a model of the kind {estimator.kind}", where=path)
    return estimator


def load_as(kind: type[E], path: Path) -> E:
    """Load a model as an estimator of the public class `kind`. Raises UserError for another kind of model."""
    with _reading(path) as (directory, snapshot):
        plain = estimator_of(snapshot.manifest)
        if plain.kind != kind.kind:
            remedy = f"load it by {kinds()[plain.kind].class_name}.load"
            raise UserError(
                f"is a model of the kind {plain.kind}, not {kind.kind}", where=path, remedy=remedy
            )
        estimator = kind(**params_of(plain))
        _fill(estimator, directory, snapshot)
    return estimator


def _fill(
    estimator: Estimator, directory: ModelDirectory, snapshot: Snapshot, *, in_place: bool = False
) -> None:
    """Set the fitted attributes of an estimator from a saved model; in_place: as in `load`.

    If files of the snapshot are gone because its run has ended meanwhile, reads the finished model instead.
    """
    estimator.vocabulary_ = directory.vocabulary()
    estimator.corpus_, analysis = learned_from(snapshot.manifest)
    refuse_other_languages(analysis, estimator.vocabulary_)
    estimator.analysis_ = analysis or Analysis()
    estimator.seed_ = snapshot.manifest["settings"]["random_state"]
    estimator.search_ = estimator._finished_runs(snapshot.manifest.get(SEARCH, []))
    estimator.updates_ = Update.from_manifest(snapshot.manifest)
    estimator._learned_with = params_as_text(estimator)
    for record in snapshot.trace:
        refuse_other_kinds(record, estimator._trace_fields, needed=False)
    estimator.trace_ = snapshot.trace
    lasts = in_place or snapshot.manifest["status"] != "running"
    try:
        estimator._restore(snapshot, directory.path, lasts=lasts)
    except (UserError, FileNotFoundError):  # the run may be over, and its corpus deleted
        newer = directory.read()
        if newer.manifest == snapshot.manifest:
            raise
        _fill(estimator, directory, newer, in_place=in_place)
        return
    estimator._origin = Origin(directory.path.absolute(), snapshot.manifest, estimator.n_steps_)
