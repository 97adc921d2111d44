"""Cuts documents into portions, one for each task, and stores documents' records between passes."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np

from stickbreaker.core.edits import Change, Dissolve, Drop, Edit, Grow, Merge, Permute, Split
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.records import AnyArray
from stickbreaker.core.serialize import Arrays
from stickbreaker.corpus.shards import Shard
from stickbreaker.corpus.source import Shards, Source
from stickbreaker.engines.row_files import sync
from stickbreaker.engines.spark.document_tasks import Portion, Records
from stickbreaker.engines.spark.file_versions import Versions

LEAST = 8  # fewest portions of a step, if it has that many shards
WITH_RECORDS = 8192  # most documents in a portion whose records are written: a task holds all of them
NAME = "records"  # the name of the array in a snapshot


def portions_of(shards: Iterable[Shard], documents: int, shard_size: int) -> list[Portion]:
    """Cut shards into portions of about `documents` documents, one per task.

    Each is numbered by its first document. Even few documents are cut into about `LEAST` portions, so that
    several cores have work. If shards are given as blocks of a corpus, a block is never divided.
    """
    if isinstance(shards, Shards):
        documents = min(documents, -(-shards.n_documents // (LEAST * shard_size)) * shard_size)
        return [Portion(_first(part), chunks=tuple(part.chunks)) for part in shards.portions(documents)]
    held, size = list(shards), max(1, documents // shard_size)
    parts = [held[start : start + size] for start in range(0, len(held), size)]
    return [Portion(int(part[0].documents[0]), given=tuple(part)) for part in parts]


def _first(part: Shards) -> int:
    chunk = part.chunks[0]
    return int(part.source.first[chunk]) if isinstance(chunk, int) else int(chunk[0])


def source_behind(shards: Iterable[Shard]) -> Source | None:
    """The source from which tasks read the documents; None if the shards themselves are sent to tasks."""
    return shards.source if isinstance(shards, Shards) else None


class CarriedRecords:
    """Documents' records (latent variables of their last local step) in files, one per portion of documents.

    If they are `carried`, records are kept from pass to pass; otherwise they are used only within a step.
    Edits of the table's shape are remembered, and applied when a file is next read.
    """

    def __init__(self, folder: Path, carried: bool) -> None:
        self.carried = carried
        self.files = Versions(folder, "records")
        self.clear()

    def clear(self) -> None:
        """Forget all records, when a new run starts."""
        self.kept: dict[int, Held] = {}
        self.fresh: dict[int, Held] = {}  # records of the current step
        self.log: list[Edit] = []
        self.portion = 0  # size in documents of the portions in `kept`

    def portions(
        self, shards: Iterable[Shard], documents: int, shard_size: int, *, tried: bool, retry: bool
    ) -> list[Portion]:
        """Cut shards into portions, each with the files to read its records from and to write them to.

        Records are read from the last pass or, in a `retry`, from the current step. New ones are written if
        records are carried or proposals are `tried`. Carried records are found by portion, so the size of
        portions then stays the same. documents: per portion.
        """
        if tried or self.carried:
            documents = min(documents, WITH_RECORDS)
        if self.carried:
            documents = self.portion = self.portion or documents
        return self._around(portions_of(shards, documents, shard_size), tried, retry)

    def _around(self, portions: Sequence[Portion], tried: bool, retry: bool) -> list[Portion]:
        held = self.fresh if retry else self.kept
        before = {
            number: Records(self._path(version, number), tuple(self.log[since:]))
            for number, (version, since) in held.items()
        }
        after: dict[int, Records] = {}
        if not retry:
            self.fresh = {}
        if tried or self.carried:
            version = self.files.new()
            after = {each.number: Records(self._path(version, each.number)) for each in portions}
            self.fresh = {**self.fresh, **dict.fromkeys(after, Held(version, len(self.log)))}
        return [
            replace(each, before=before.get(each.number), after=after.get(each.number)) for each in portions
        ]

    def _path(self, version: str, portion: int) -> Path:
        return self.files.folder / version / f"{portion:012d}.safetensors"

    def commit(self, *, carry: bool = True) -> None:
        """End a step: its records replace the last ones of the same portions.

        If records are not carried, or without `carry`, these portions have no records afterwards.
        """
        if self.carried and carry:
            self.kept = {**self.kept, **self.fresh}
        else:
            self.kept = {number: held for number, held in self.kept.items() if number not in self.fresh}
        self.fresh = {}
        self.files.tidy(self.versions())

    def edit(self, edit: Edit, row_axis: str) -> None:
        """Remember an edit of the table, for records that are read later.

        Its values for each row of the table are left out, since records have no such axis.
        """
        if self.kept:
            self.log.append(tuple(without_along(change, row_axis) for change in edit))

    def versions(self) -> set[str]:
        """The names of the folders in use."""
        return {held.version for each in (self.kept, self.fresh) for held in each.values()}

    def snapshot(self) -> dict[str, AnyArray]:
        """Arrays from which `restore` finds the records; the files stay until two more snapshots."""
        self.files.pin(self.versions())
        if not self.kept:
            return {}
        sync([self._path(held.version, number) for number, held in self.kept.items()])
        state = {
            "kept": [[number, *held] for number, held in self.kept.items()],
            "log": [[_change_to_json(change) for change in edit] for edit in self.log],
            "portion": self.portion,
        }
        return {NAME: np.frombuffer(json.dumps(state).encode(), np.uint8).copy()}

    def restore(self, arrays: Arrays) -> None:
        """Continue with the records of a snapshot, whose files must still exist."""
        self.clear()
        if NAME in arrays:
            state = json.loads(arrays[NAME].tobytes())
            self.kept = {number: Held(version, since) for number, version, since in state["kept"]}
            self.log = [tuple(_change_from_json(change) for change in edit) for edit in state["log"]]
            self.portion = state.get("portion", WITH_RECORDS)
            self.files.pin(self.versions())


class Held(NamedTuple):
    """Where a portion's records are stored, and how many edits had been made when they were written.

    version: the name of the folder; since: the number of edits.
    """

    version: str
    since: int


CHANGES: dict[str, type[Change]] = {
    kind.__name__: kind for kind in (Drop, Merge, Dissolve, Split, Permute, Grow)
}


def _change_to_json(change: Change) -> JsonObject:
    """A change as JSON values, for a snapshot; shares along other axes (`along`) are left out."""
    values = {each.name: getattr(change, each.name) for each in fields(change) if each.name != "along"}
    return {"kind": type(change).__name__, **values}


def _change_from_json(content: JsonObject) -> Change:
    """The change that `_change_to_json` converted to this JSON object."""
    values: JsonObject = {
        name: tuple(cast("list[object]", v)) if isinstance(v, list) else v
        for name, v in content.items()
        if name != "kind"
    }
    return CHANGES[content["kind"]](**values)


def without_along(change: Change, axis: str) -> Change:
    """A Split or Dissolve without its shares along one axis; other changes as they are."""
    if isinstance(change, Split | Dissolve):
        return replace(change, along={name: held for name, held in change.along.items() if name != axis})
    return change
