"""The directory of a model: a finished one, or a run that can be continued."""

import json
import shutil
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from stickbreaker.core.errors import UserError
from stickbreaker.core.files import (
    atomic_directory,
    atomic_file,
    digest_of,
    put_right,
    refuse_links,
    truncate,
    write_atomic,
)
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.locks.directory_claims import DirectoryClaim, claim, refuse_exchanged
from stickbreaker.core.locks.path_locks import sweep
from stickbreaker.core.serialize import Arrays
from stickbreaker.corpus.store import read_facts
from stickbreaker.corpus.vocabulary import Vocabulary
from stickbreaker.learning.trace import EXTREME, TraceRecord, line_of, record_of
from stickbreaker.saved.arrays import (
    read_arrays,
    read_keys,
    refuse_other_arrays,
    refuse_other_keys,
    write_arrays,
)
from stickbreaker.saved.evolution import Evolution
from stickbreaker.saved.manifest import MANIFEST, RESTORE, TRACE, VERSION, encoded, read_manifest
from stickbreaker.saved.manifest_fields import (
    DOCUMENTS,
    EVOLUTION,
    KEYS,
    METADATA_SUMS,
    SCHEMA,
    SEARCH,
    STATE,
    VOCABULARY,
    refuse_other_values,
)

REPLACED = (STATE, KEYS, EVOLUTION)  # files that checkpoints replace
CORPUS = "corpus"
T = TypeVar("T")
SNAPSHOTS = "evolution.parquet"  # of a finished model


@dataclass(slots=True)
class Snapshot:
    """The content of a model directory, in memory.

    `manifest` is plain JSON: the estimator, its settings, the corpus it learned from, the progress of the
    run. `arrays` by name; `keys` are the spellings of the rows of a growing table; `files` have the rows of a
    table that was learned on Spark; `trace` has a record per step. `evolution`: snapshots of the topics,
    which `write` saves with the rest; `read` leaves it None (see `ModelDirectory.evolution`).
    """

    manifest: JsonObject
    arrays: Arrays
    keys: list[str] | None = None
    files: Sequence[Path] = ()
    trace: list[JsonObject] = field(default_factory=list[JsonObject])
    evolution: Evolution | None = None


class ModelDirectory:
    """Reads and writes the directory of a model or of a run, so that it is complete at any instant.

    Each checkpoint writes its arrays to files with new names, then replaces model.json, which names them with
    their digests, then removes the old ones. The renaming of model.json is the moment at which a checkpoint
    counts. The trace grows in place, one line per step with a digest of its own; model.json records how much
    of it counts.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._claim: DirectoryClaim | None = None

    @property
    def trace_path(self) -> Path:
        return self.path / TRACE

    def lock(self) -> None:
        """Lock the directory for a run. Raises UserError if another run has it, or if it contains links."""
        refuse_links(self.path)
        self._claim = claim(self.path)
        if self._claim is None:
            raise UserError(
                "another run is writing this model",
                where=self.path,
                remedy="wait for it, or choose another path",
            )

    def unlock(self) -> None:
        """Unlock the directory, if this object has locked it."""
        if self._claim is not None:
            self._claim.release()
            self._claim = None

    def move(self, path: Path) -> None:
        """Record that the directory, which the caller has renamed, is now at `path`."""
        self.path = path
        if self._claim is not None:
            self._claim.move(path)

    def write_vocabulary(self, vocabulary: Vocabulary) -> None:
        """Write the vocabulary, once per run: checkpoints refer to this file by its digest."""
        vocabulary.write(self.path / VOCABULARY)

    def write(self, snapshot: Snapshot) -> None:
        """Make `snapshot` the directory's state, in one rename; the trace written so far becomes part of it.

        Raises UserError, and keeps the earlier state, if `read` would refuse the new one, or if the directory
        was moved or replaced since it was locked.
        """
        refuse_exchanged(self.path)
        self._refuse_unreadable(snapshot)
        try:
            self._write(snapshot)
        except FileNotFoundError:
            refuse_exchanged(self.path)  # it was replaced just now
            raise

    def _write(self, snapshot: Snapshot) -> None:
        done = snapshot.manifest["status"] == "done"
        steps = snapshot.manifest["run"]["step"]
        runs = len(snapshot.manifest.get(SEARCH, ()))  # before this one, whose files must have other names
        step = "" if done else f"-{runs or ''}{steps:06d}"
        state = f"state{step}.safetensors"
        write_arrays(self.path / state, snapshot.arrays)
        names = [state, VOCABULARY]
        if snapshot.keys is not None:
            names.append(f"keys-{step.removeprefix('-') or 'state'}.json")
            write_atomic(self.path / names[-1], json.dumps(snapshot.keys).encode())
        if snapshot.evolution is not None:
            names.append(f"evolution{step}.parquet")
            snapshot.evolution.write(self.path / names[-1])
        if done:
            names += [name for name in (DOCUMENTS, METADATA_SUMS) if (self.path / name).exists()]
        files: JsonObject = {
            name: {"bytes": (self.path / name).stat().st_size, "digest": digest_of(self.path / name)}
            for name in names
        }
        files |= {name: {"bytes": size} for name, size in self._own(snapshot.files)}
        manifest = {"schema": SCHEMA, **snapshot.manifest, "files": files}
        if not done:
            # at the start, the trace is that of an earlier run
            traced = steps > 0 and self.trace_path.exists()
            manifest["trace_bytes"] = self.trace_path.stat().st_size if traced else 0
        write_atomic(self.path / MANIFEST, encoded(manifest))
        self._remove_all_but(names)

    def _refuse_unreadable(self, snapshot: Snapshot) -> None:
        """Raise UserError, before anything is written, if `read` would refuse the snapshot."""
        try:
            refuse_other_values({"schema": SCHEMA, **snapshot.manifest, "files": {}})
            refuse_other_arrays(snapshot.arrays)
            if snapshot.keys is not None:
                refuse_other_keys(snapshot.keys)
        except ValueError as error:
            problem = f"is not saved, since it could not be read again ({error})"
            raise UserError(problem, where=self.path, remedy=EXTREME, in_file=True) from None

    def _own(self, files: Sequence[Path]) -> Iterator[tuple[str, int]]:
        """Copy files of a table's rows into this directory, if they are elsewhere; yields names and sizes.

        They get no digests, since they contain their own checksums.
        """
        for path in files:
            name = f"{path.parent.name}/{path.name}"
            own = self.path / name
            if not (own.exists() and own.samefile(path)):
                refuse_exchanged(own)
                (self.path / path.parent.name).mkdir(exist_ok=True)
                with atomic_file(self.path / name) as partial:
                    shutil.copyfile(path, partial)
            yield name, (self.path / name).stat().st_size

    def read(self) -> Snapshot:
        """The directory's state, without its evolution.

        Raises UserError naming what is missing, damaged, altered, of another version or not a model's, or if
        the directory was moved or replaced since it was locked.
        """
        try:
            return self._of_now(self._read)
        finally:
            refuse_exchanged(self.path)  # before or while it was read

    def evolution(self) -> Evolution:
        """The snapshots of the model's topics; empty if it has none. Raises UserError as `read` does."""
        return self._of_now(self._evolution)

    def _of_now(self, read: Callable[[JsonObject], T]) -> T:
        """Call `read` with the manifest, and again if it failed because a run saved a new state meanwhile."""
        manifest = self.manifest()
        while True:
            try:
                return read(manifest)
            except (UserError, FileNotFoundError):
                newer = self.manifest()
                if newer == manifest:
                    raise
                manifest = newer

    def _read(self, manifest: JsonObject) -> Snapshot:
        if manifest["status"] == "done":
            for name in {DOCUMENTS, METADATA_SUMS, SNAPSHOTS} - {*manifest["files"]}:
                if (self.path / name).exists():
                    raise UserError("is not a file of its model", where=self.path / name, remedy=RESTORE)
        for name, facts in manifest["files"].items():
            self._verify(name, facts)
        names = list(manifest["files"])
        arrays = read_arrays(self.path / next(name for name in names if STATE.fullmatch(name)))
        keys = next((read_keys(self.path / name) for name in names if KEYS.fullmatch(name)), None)
        return Snapshot(manifest, arrays, keys, trace=self._trace(manifest))

    def _evolution(self, manifest: JsonObject) -> Evolution:
        for name, facts in manifest["files"].items():
            if EVOLUTION.fullmatch(name):
                self._verify(name, facts)
                return Evolution.read(self.path / name)
        begun = manifest["status"] == "running" and manifest["run"]["step"] > 0
        if begun and any(KEYS.fullmatch(name) for name in manifest["files"]):
            raise UserError("has no snapshots of its topics", where=self.path / MANIFEST, remedy=RESTORE)
        return Evolution()

    def manifest(self) -> JsonObject:
        """The content of model.json; see `read_manifest`."""
        return read_manifest(self.path)

    def vocabulary(self) -> Vocabulary:
        """The model's vocabulary, as `write_vocabulary` wrote it."""
        return Vocabulary.read(self.path / VOCABULARY)

    def clear(self) -> None:
        """Remove from a finished model what only its run needed (`tidy`), unless the directory is in use.

        Locks the directory meanwhile.
        """
        with suppress(UserError, OSError):
            self.lock()
            self.tidy()
        self.unlock()

    def tidy(self) -> None:
        """Remove from a finished and locked model what only its run needed, such as its corpus.

        Does nothing if the directory cannot be written, or another one is at its path.
        """
        with suppress(UserError, OSError):  # another directory is at its path, or it is not writable: no harm
            manifest = self.manifest()
            if manifest["status"] != "done":
                return
            self._remove_all_but(list(manifest["files"]))
            wanted = {name.split("/")[0] for name in manifest["files"]}
            for found in self.path.iterdir():
                if VERSION.fullmatch(found.name) and found.name not in wanted:
                    self._remove(found)
            sweep(self.path)
            leaving = self.path / f".{CORPUS}.leaving"
            self._remove(leaving)
            if read_facts(self.path / CORPUS).fingerprint == manifest["corpus"]["fingerprint"]:
                refuse_exchanged(self.path)
                # in one step, so that a kill does not leave half a corpus
                (self.path / CORPUS).rename(leaving)
                self._remove(leaving)

    def write_trace(self, records: Sequence[TraceRecord]) -> None:
        """Begin the trace with the records of an earlier run, before a new run's first checkpoint."""
        write_atomic(self.trace_path, "".join(map(line_of, records)).encode())

    def truncate_trace(self, manifest: JsonObject) -> None:
        """Remove the lines of the trace that were written after the last checkpoint, to resume from it."""
        size = int(manifest.get("trace_bytes", 0))
        if self.trace_path.exists() and self.trace_path.stat().st_size > size:
            truncate(self.trace_path, size)

    def _trace(self, manifest: JsonObject) -> list[TraceRecord]:
        steps = manifest["run"]["step"]
        if not self.trace_path.exists():
            if steps:
                raise UserError("is missing", where=self.trace_path, remedy=RESTORE)
            return []
        content = self.trace_path.read_bytes()[: manifest.get("trace_bytes")]
        try:
            records = [record_of(line) for line in content.splitlines()]
            if (
                all(record["step"] == step for step, record in enumerate(records, 1))
                and len(records) == steps
            ):
                return records
            raise ValueError
        except (ValueError, TypeError, KeyError, RecursionError):
            raise UserError("is damaged or altered", where=self.trace_path, remedy=RESTORE) from None

    def _verify(self, name: str, facts: JsonObject) -> None:
        file = self.path / name
        if not file.is_file():
            raise UserError("is missing", where=file, remedy=RESTORE)
        if file.stat().st_size != facts["bytes"]:
            size = f"{file.stat().st_size} bytes, but the model was saved with {facts['bytes']}"
            raise UserError(f"is truncated or altered ({size})", where=file, remedy=RESTORE)
        if "digest" in facts and digest_of(file) != facts["digest"]:
            raise UserError("was altered since it was saved", where=file, remedy=RESTORE)

    def _remove_all_but(self, names: list[str]) -> None:
        for file in self.path.iterdir():
            stale = any(kind.fullmatch(file.name) for kind in REPLACED) and file.name not in names
            if stale or ".partial-" in file.name or file.name.startswith(".tmp"):  # .tmp: from safetensors
                refuse_exchanged(file)
                file.unlink(missing_ok=True)

    def _remove(self, folder: Path) -> None:
        refuse_exchanged(folder)
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def new_model_directory(
    path: Path, *, overwrite: bool, stays_locked: bool = False
) -> Generator[ModelDirectory]:
    """A context that yields a locked directory for a new model, which is renamed to `path` on success.

    After the context it is unlocked, unless `stays_locked`. On an error it is removed. Raises UserError if
    `path` exists and may not be overwritten (`refuse_existing`).
    """
    refuse_existing(path, overwrite)
    made: ModelDirectory | None = None
    try:
        with atomic_directory(path, overwrite=overwrite) as partial:
            made = ModelDirectory(partial)
            made.lock()
            yield made
            refuse_existing(path, overwrite)  # another run may have used the name meanwhile
        assert made is not None
        made.move(path)
    except BaseException:
        stays_locked = False
        raise
    finally:
        if made is not None and not stays_locked:
            made.unlock()


def refuse_existing(path: Path, overwrite: bool) -> None:
    """Raise UserError if a model may not be written to `path`, as when it exists or is in use.

    With `overwrite`, models and empty directories may be replaced. Names that end in ".zip" are refused.
    Leftovers of killed processes are repaired first (`put_right`).
    """
    if path.suffix == ".zip":
        remedy = "choose another name, and pack it later: stickbreaker export MODEL --format zip"
        problem = "is the name of a zip file, but a model that learns is a directory"
        raise UserError(problem, where=path, remedy=remedy)
    put_right(path)
    if not path.exists():
        return
    if not overwrite:
        raise UserError("already exists", where=path, remedy="choose another path or give --overwrite")
    if path.is_dir() and (path / MANIFEST).exists():
        directory = ModelDirectory(path)
        directory.lock()
        directory.unlock()
    elif not path.is_dir() or any(path.iterdir()):
        raise UserError("is not a model", where=path, remedy="--overwrite replaces models only")
