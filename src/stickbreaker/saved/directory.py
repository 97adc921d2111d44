"""The directory of a model: a finished one, or a run that can go on."""

import fcntl
import glob
import hashlib
import json
import os
import re
import shutil
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.core.files import atomic_directory, atomic_file, digest_of, recover, write_atomic
from stickbreaker.corpus.store import read_facts
from stickbreaker.corpus.vocabulary import Vocabulary

SCHEMA = 1
STATE = re.compile(r"state(-\d+)?\.safetensors")
VERSION = re.compile(r"(rows|records)-\d+-\w+")  # directories that a run on a cluster keeps
OURS = re.compile(r"state(-\d+)?\.safetensors|keys-(\d+|state)\.json")  # files that checkpoints replace
MANIFEST = "model.json"
VOCABULARY = "vocabulary.parquet"
TRACE = "trace.jsonl"
DOCUMENTS = "documents.parquet"
CORPUS = "corpus"
LOCK = "lock"


@dataclass(slots=True)
class Snapshot:
    """What a model directory holds, in memory.

    `manifest` is plain JSON: the estimator, its settings, the corpus it learned from, where the run is.
    `arrays` are named tensors; `keys` spell the rows of a growing table; `files` hold the rows of one that
    lies in blocks.
    """

    manifest: dict[str, Any]
    arrays: Mapping[str, NDArray[Any]]
    keys: list[str] | None = None
    files: Sequence[Path] = ()
    trace: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


class ModelDirectory:
    """Reads and writes a model's directory. The rename of model.json is the moment a checkpoint counts.

    Each checkpoint writes its tensors under a new name, then replaces model.json, which names them with
    their digests, then removes the old ones: killed at any instant, the directory holds a whole state.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._lock: int | None = None

    @property
    def trace_path(self) -> Path:
        return self.path / TRACE

    def lock(self) -> None:
        """Claim the directory for a run. Raises UserError while another run has it."""
        descriptor = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise UserError(
                "another run is writing this model",
                where=self.path,
                remedy="wait for it, or choose another path",
            ) from None
        self._lock = descriptor

    def unlock(self) -> None:
        """Give the directory up. The lock's empty file stays: removing it could free another run's claim."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def write_vocabulary(self, vocabulary: Vocabulary) -> None:
        """Write the words once; checkpoints refer to them by digest."""
        vocabulary.write(self.path / VOCABULARY)

    def write(self, snapshot: Snapshot) -> None:
        """Make `snapshot` the directory's state, in one rename. The trace up to now is part of it."""
        from safetensors import SafetensorError
        from safetensors.numpy import save_file

        state = f"state-{snapshot.manifest['run']['step']:06d}.safetensors"
        if snapshot.manifest["status"] == "done":
            state = "state.safetensors"
        arrays = {name: np.asarray(values, order="C") for name, values in snapshot.arrays.items()}
        with atomic_file(self.path / state) as partial:
            try:
                save_file(arrays, partial)
            except SafetensorError as error:
                told, remedy = f"cannot be written ({error})", "free some space, then resume"
                raise UserError(told, where=self.path / state, remedy=remedy) from None
        names = [state, VOCABULARY]
        if snapshot.keys is not None:
            keys = f"keys-{state.removeprefix('state-').removesuffix('.safetensors')}.json"
            write_atomic(self.path / keys, json.dumps(snapshot.keys).encode())
            names.append(keys)
        if snapshot.manifest["status"] == "done" and (self.path / DOCUMENTS).exists():
            names.append(DOCUMENTS)
        files = {name: self._describe(name) for name in names}
        files |= {name: {"bytes": size} for name, size in self._own(snapshot.files)}
        trace = self.trace_path.stat().st_size if self.trace_path.exists() else 0
        manifest = {"schema": SCHEMA, **snapshot.manifest, "files": files}
        if snapshot.manifest["status"] == "running":
            manifest["trace_bytes"] = trace
        manifest["digest"] = _digest(manifest)
        write_atomic(self.path / MANIFEST, json.dumps(manifest, indent=1, sort_keys=True).encode() + b"\n")
        self._remove_all_but(names)

    def _own(self, files: Sequence[Path]) -> Iterator[tuple[str, int]]:
        """Names and sizes of blocks, which tell by themselves whether they were altered; those that lie
        elsewhere are copied."""
        for path in files:
            name = f"{path.parent.name}/{path.name}"
            own = self.path / name
            if not (own.exists() and own.samefile(path)):
                (self.path / path.parent.name).mkdir(exist_ok=True)
                with atomic_file(self.path / name) as partial:
                    shutil.copyfile(path, partial)
            yield name, (self.path / name).stat().st_size

    def read(self) -> Snapshot:
        """The directory's state. Raises UserError naming what is missing, damaged, altered or too new."""
        manifest = self.manifest()
        while True:
            try:
                return self._read(manifest)
            except (UserError, FileNotFoundError):
                newer = self.manifest()
                if newer == manifest:
                    raise
                manifest = newer  # a run put its next checkpoint in place meanwhile

    def _read(self, manifest: dict[str, Any]) -> Snapshot:
        from safetensors.numpy import load_file

        for name, told in manifest["files"].items():
            self._verify(name, told)
        names = list(manifest["files"])
        arrays = load_file(self.path / next(n for n in names if STATE.fullmatch(n)))
        keys = next((json.loads((self.path / n).read_bytes()) for n in names if n.startswith("keys-")), None)
        return Snapshot(manifest, arrays, keys, trace=self._trace(manifest))

    def manifest(self) -> dict[str, Any]:
        """model.json, checked for its schema."""
        recover(self.path)
        file = self.path / MANIFEST
        if not file.is_file():
            problem = "is not a saved model" if self.path.exists() else "there is no such model"
            raise UserError(problem, where=self.path, remedy=f"a model is a directory with {MANIFEST}")
        try:
            manifest = json.loads(file.read_bytes())
            schema, digest = manifest["schema"], manifest.pop("digest", None)
        except (ValueError, TypeError, KeyError, AttributeError):
            raise UserError("is damaged", where=file, remedy="restore it from a copy or fit again") from None
        if schema != SCHEMA:
            raise UserError(
                f"was written by another version (schema {schema}, this one reads {SCHEMA})",
                where=file,
                remedy="upgrade stickbreaker",
            )
        if digest != _digest(manifest):
            raise UserError("was altered since it was saved", where=file, remedy="restore it or fit again")
        return manifest

    def vocabulary(self) -> Vocabulary:
        """The words of a closed vocabulary."""
        return Vocabulary.read(self.path / VOCABULARY)

    def clear(self) -> None:
        """Remove from a finished model what served its run, and what a killed run left."""
        with suppress(UserError, OSError):  # in use, or not ours to change: it does no harm
            self.lock()
            manifest = self.manifest()
            self._remove_all_but(list(manifest["files"]))
            wanted = {name.split("/")[0] for name in manifest["files"]}
            for found in self.path.iterdir():
                if VERSION.fullmatch(found.name) and found.name not in wanted:
                    shutil.rmtree(found, ignore_errors=True)
            sweep(self.path)
            leaving = self.path / f".{CORPUS}.leaving"
            shutil.rmtree(leaving, ignore_errors=True)
            if read_facts(self.path / CORPUS).fingerprint == manifest["corpus"]["fingerprint"]:
                (self.path / CORPUS).rename(leaving)  # in one step, so that a kill leaves no half corpus
                shutil.rmtree(leaving)
        self.unlock()

    def truncate_trace(self, manifest: Mapping[str, Any]) -> None:
        """Take back what was traced after the last checkpoint."""
        size = int(manifest.get("trace_bytes", 0))
        if self.trace_path.exists() and self.trace_path.stat().st_size > size:
            os.truncate(self.trace_path, size)

    def _trace(self, manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
        if not self.trace_path.exists():
            return []
        content = self.trace_path.read_bytes()[: manifest.get("trace_bytes")]
        try:
            records = [json.loads(line) for line in content.splitlines()]
            if [record["step"] for record in records] == list(range(1, manifest["run"]["step"] + 1)):
                return records
            raise ValueError
        except (ValueError, TypeError, KeyError):
            raise UserError(
                "is damaged", where=self.trace_path, remedy="delete it; the model is whole"
            ) from None

    def _describe(self, name: str) -> dict[str, Any]:
        return {"bytes": (self.path / name).stat().st_size, "digest": digest_of(self.path / name)}

    def _verify(self, name: str, told: Mapping[str, Any]) -> None:
        file = self.path / name
        if not file.is_file():
            raise UserError("is missing", where=file, remedy="restore it from a copy or fit again")
        if file.stat().st_size != told["bytes"]:
            size = f"{file.stat().st_size} bytes where the model was saved with {told['bytes']}"
            raise UserError(f"is truncated or altered ({size})", where=file, remedy="restore it or fit again")
        if "digest" in told and digest_of(file) != told["digest"]:
            raise UserError("was altered since it was saved", where=file, remedy="restore it or fit again")

    def _remove_all_but(self, names: list[str]) -> None:
        for file in self.path.iterdir():
            stale = OURS.fullmatch(file.name) and file.name not in names
            if stale or ".partial-" in file.name or file.name.startswith(".tmp"):  # .tmp: of safetensors
                file.unlink(missing_ok=True)


def _digest(manifest: Mapping[str, Any]) -> str:
    """The digest of a manifest's content, however it is laid out."""
    return hashlib.blake2b(json.dumps(manifest, sort_keys=True).encode(), digest_size=16).hexdigest()


@contextmanager
def new_model_directory(path: Path, *, overwrite: bool) -> Generator[ModelDirectory]:
    """A model in the making, which takes the name `path` at the end; held by a lock until then.

    Raises UserError where something is in the way.
    """
    refuse_existing(path, overwrite)
    sweep(path)
    held: ModelDirectory | None = None
    try:
        with atomic_directory(path, overwrite=overwrite) as partial:
            held = ModelDirectory(partial)
            held.lock()
            yield held
            refuse_existing(path, overwrite)  # another run may have taken the name meanwhile
    finally:
        if held is not None:
            held.unlock()


def refuse_existing(path: Path, overwrite: bool) -> None:
    """Raise UserError where `path` exists and may not be replaced, or is in use by a run."""
    recover(path)
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


def sweep(path: Path) -> None:
    """Remove the half-made directories that killed runs left beside `path`: those that nobody holds."""
    path = path.absolute()
    for partial in path.parent.glob(f".{glob.escape(path.name)}.partial-*"):
        if (partial / LOCK).is_file():
            left = ModelDirectory(partial)
            with suppress(UserError, OSError):
                left.lock()
                shutil.rmtree(partial, ignore_errors=True)
            left.unlock()
