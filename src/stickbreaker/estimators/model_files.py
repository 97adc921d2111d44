"""Saves what was learned to disk and loads it, and makes the parts of a manifest that all kinds share."""

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from stickbreaker.core.errors import UserError, shortened_path
from stickbreaker.core.file_errors import named_as
from stickbreaker.core.files import refuse_file
from stickbreaker.core.json_checks import JsonObject, refuse_other_kinds
from stickbreaker.core.untrusted import making_sense_of
from stickbreaker.corpus import Analysis, Corpus
from stickbreaker.corpus.text.polylingual import PolylingualAnalysis, analysis_from, refuse_other_languages
from stickbreaker.estimators.kinds import kind_of, kinds, refuse_system
from stickbreaker.estimators.learned import AnyLearned, Facts, S, SavedCopy, Update
from stickbreaker.estimators.learner import AnyLearner, L, Learner
from stickbreaker.estimators.setting_values import from_json, to_json
from stickbreaker.learning.trace import line_of
from stickbreaker.saved import ModelDirectory, Snapshot
from stickbreaker.saved.checkpoints import run_state_of
from stickbreaker.saved.directory import new_model_directory
from stickbreaker.saved.manifest import RESTORE
from stickbreaker.saved.manifest_fields import DIGESTS, SEARCH, UPDATES
from stickbreaker.saved.packed_models import directory_of, pack


def manifest_of(
    learner: AnyLearner,
    settings: JsonObject,
    seed: int,
    corpus: JsonObject,
    where: str | None = None,
    held_out: float = 0.0,
) -> JsonObject:
    """The fields of a model's manifest that do not change during a run.

    settings: by name; seed: is saved as `random_state`; corpus: the facts of `corpus_facts.about` with the
    analysis; where: the path of the run's corpus, None without one; held_out: the share of documents not
    learned from.
    """
    return {
        "stickbreaker": version("stickbreaker"),
        "estimator": learner.kind,
        "settings": to_json({**settings, "random_state": seed, "n_jobs": None}, learner.setting_types),
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


def settings_in(manifest: JsonObject, learner: Learner[S, L], threads: int | None = None) -> S:
    """The settings in a manifest; threads: their `n_jobs`. Raises ValueError or UserError if invalid."""
    return learner.settings_from(
        {**from_json(manifest["settings"], learner.setting_types), "n_jobs": threads}
    )


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


def save(
    learned: AnyLearned, path: Path, *, overwrite: bool = False, documents: Corpus | None = None
) -> None:
    """Save what was learned: as a zip file if the path ends in .zip, otherwise as a directory.

    documents: documents for the report to show, with the model's vocabulary. Raises UserError if the path
    exists and may not be overwritten.
    """
    if path.suffix == ".zip":
        refuse_file(path, overwrite)
        with tempfile.TemporaryDirectory() as outside, named_as(path, Path(outside)):
            save(learned, Path(outside, "model"), documents=documents)
            pack(Path(outside, "model"), path, overwrite=overwrite)
        return
    facts = learned.facts
    with new_model_directory(path, overwrite=overwrite) as directory:
        directory.write_vocabulary(learned.vocabulary)
        directory.trace_path.write_text("".join(map(line_of, facts.trace)), encoding="utf-8")
        corpus = {**facts.corpus, "analysis": facts.analysis.resolved().to_dict()}
        fixed = manifest_of(learned.learner, learned.as_saved(), facts.seed, corpus, held_out=facts.held_out)
        if facts.search:
            fixed[SEARCH] = [point.to_json() for point in facts.search]
        if facts.updates:
            fixed[UPDATES] = [one._asdict() for one in facts.updates]
        if documents is None:
            learned.write_stored_documents(directory.path)
        else:
            learned.write_documents(documents, directory.path)
        directory.write(learned.snapshot(fixed))
        saved = facts.saved
        replaced = saved is not None and saved.path == path.absolute() and saved.is_unchanged
        learned.write_beside(directory.path, path if replaced else None)


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
) -> AnyLearned:
    """Load a saved model of any kind, or a run's last checkpoint, from a directory or zip file.

    verb: the command that loads it; UserError if that does not apply to its kind. threads: its `n_jobs`. If
    its table is stored in files, rows are read from there when they are needed. A run under way deletes such
    files, so its table is copied to memory, unless `in_place` says that the result is used only while they
    exist.
    """
    if verb is not None:
        refuse_system(path, verb)
    with _reading(path) as (directory, snapshot):
        kind = kind_of(snapshot.manifest, path)
        if verb is not None:
            kind.refuse(verb, path)
        return _restored(kind.how(), directory, snapshot, threads, in_place=in_place)


def load_of(
    learner: Learner[Any, L], path: Path, threads: int | None = None, *, verb: str | None = None
) -> L:
    """Load a saved model of the kind that `learner` learns. Raises UserError for another kind of model.

    threads, verb: as in `load`.
    """
    if verb is not None:
        refuse_system(path, verb)
    with _reading(path) as (directory, snapshot):
        found = kind_of(snapshot.manifest, path).name
        if found != learner.kind and verb is not None:
            raise UserError(f"{verb} does not apply to a model of the kind {found}", where=path)
        if found != learner.kind:
            remedy = f"load it by {kinds()[found].class_name}.load"
            raise UserError(f"is a model of the kind {found}, not {learner.kind}", where=path, remedy=remedy)
        return _restored(learner, directory, snapshot, threads)


def _restored(
    learner: Learner[Any, L],
    directory: ModelDirectory,
    snapshot: Snapshot,
    threads: int | None,
    *,
    in_place: bool = False,
) -> L:
    """What was learned, from a saved model; in_place: as in `load`.

    If files of the snapshot are gone because its run has ended meanwhile, reads the finished model instead.
    """
    manifest = snapshot.manifest
    vocabulary, (corpus, analysis) = directory.vocabulary(), learned_from(manifest)
    refuse_other_languages(analysis, vocabulary)
    for record in snapshot.trace:
        refuse_other_kinds(record, learner.trace_fields, needed=False)
    facts = Facts(
        settings=settings_in(manifest, learner, threads),
        vocabulary=vocabulary,
        analysis=analysis or Analysis(),
        corpus=corpus,
        trace=snapshot.trace,
        progress=run_state_of(snapshot),
        held_out=float(manifest["held_out"]),
        search=learner.finished_runs(manifest.get(SEARCH, [])),
        updates=Update.from_manifest(manifest),
        saved=SavedCopy(directory.path.absolute(), manifest),
    )
    lasts = in_place or manifest["status"] != "running"
    try:
        return learner.restored(facts, snapshot, directory.path, lasts=lasts)
    except (UserError, FileNotFoundError):  # the run may be over, and its corpus deleted
        newer = directory.read()
        if newer.manifest == manifest:
            raise
        return _restored(learner, directory, newer, threads, in_place=in_place)
