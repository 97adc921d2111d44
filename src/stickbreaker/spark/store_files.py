"""Writes the documents of a stored corpus on executors: each partition of a table becomes some files."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from itertools import accumulate, chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from stickbreaker.core.errors import UserError
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.corpus.building import About
from stickbreaker.corpus.store import StoredFile
from stickbreaker.spark.partition_tasks import (
    Batches,
    attempt_folder,
    collect_results,
    discard_attempts,
    take,
)
from stickbreaker.spark.vocabulary_counts import Written

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

TABLE = "the table"


class Part(NamedTuple):
    """What a task has written for one partition of a table.

    files: the store's files; languages: the number of documents in each; fields: names of metadata fields.
    """

    files: tuple[StoredFile, ...]
    languages: Mapping[str, int]
    fields: tuple[str, ...]


# arguments: batches, number of the first row, the folder to write into
WritePart = Callable[[Batches, int, Path], Part]


def write_parts(frame: "DataFrame", write: WritePart, directory: Path, kind: str) -> tuple[Written, About]:
    """Write the documents of a table, on executors; returns the files written and facts on the corpus.

    write: writes one partition; kind: "text" or "bag". Rows are counted first, so that each partition knows
    the number of its first row. Raises UserError for a wrong row, for an empty table, and if the second
    reading of the table finds other rows.
    """
    directory = directory.resolve()  # on executors, a relative path may mean another
    rows = [part["rows"] for part in collect_results(frame, _count)]
    starts = [0, *accumulate(rows)]

    def task(number: int, batches: Batches) -> Mapping[str, object]:
        first = next((batch for batch in batches if batch.num_rows), None)
        if first is None:
            return {"files": [], "languages": {}, "fields": []}
        if number >= len(rows):
            raise _changed()
        folder = attempt_folder(directory, number)
        files, languages, fields = write(chain([first], batches), starts[number], folder)
        summary = {"files": list(map(asdict, files)), "languages": dict(languages), "fields": list(fields)}
        return {"attempt": folder.name, **summary}

    parts = collect_results(frame, task)
    if [sum(sum(file["blocks"]) for file in part["files"]) for part in parts] != rows:
        raise _changed()
    if not sum(rows):
        remedy = "give an input that holds text"
        raise UserError("no document found: the corpus would be empty", where=TABLE, remedy=remedy)
    written = Written(directory, kind, tuple(_taken(directory, parts)))
    discard_attempts(directory)
    languages: dict[str, int] = {}
    for part in parts:
        for code, n_documents in part["languages"].items():
            languages[code] = languages.get(code, 0) + n_documents
    fields = dict.fromkeys(chain.from_iterable(part["fields"] for part in parts))
    return written, About(languages=languages, metadata_fields=tuple(fields))


def _count(_: int, batches: Batches) -> Mapping[str, object]:
    return {"rows": sum(batch.num_rows for batch in batches)}


def _taken(directory: Path, parts: list[JsonObject]) -> list[StoredFile]:
    """Move the files of all partitions' accepted tasks into the store, numbered in order.

    Returns their descriptions.
    """
    files: list[StoredFile] = []
    for part in parts:
        for record in part["files"]:
            file = StoredFile(**{**record, "blocks": tuple(record["blocks"])})
            name = f"documents-{len(files):05d}.parquet"
            take(directory, part["attempt"], file.name, name)
            files.append(replace(file, name=name))
    return files


def _changed() -> UserError:
    remedy = "write it as Parquet, and read that"
    return UserError("its rows differ from one reading to the next", where=TABLE, remedy=remedy)
