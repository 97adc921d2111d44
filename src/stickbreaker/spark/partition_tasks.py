"""Work on a Spark table's partitions: tasks' results, and files that count once the driver accepts them.

A task may be killed, run again, or run twice at the same time (speculation). So every attempt writes into a
folder of its own, and reports to the driver what it wrote; the driver renames the files of the attempts that
Spark accepted, and removes the rest.
"""

import json
import shutil
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from stickbreaker.core.errors import UserError
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.engines.spark.failures import SHARED, SparkFailure, freeze_gc, refuse_unseen_folder
from stickbreaker.engines.spark.session import in_one_line

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

PARTS = ".parts"  # the folder of the attempts, inside that of the results

Batches = Iterator[pa.RecordBatch]
Work = Callable[[Batches], Batches]
Task = Callable[[int, Batches], Mapping[str, object]]


def mapped(
    frame: "DataFrame", work: Work, schema: "str | StructType", kind: str | None = None
) -> "DataFrame":
    """`frame.mapInArrow(work, schema)`, but workers do not garbage-collect what they have loaded.

    kind: a name for this kind of work (None: the name of `work`); see `freeze_gc`.
    """
    kind = kind or work.__qualname__

    def settled(batches: Batches) -> Batches:
        yield from work(batches)
        freeze_gc(kind)

    return frame.mapInArrow(settled, schema)


def collect_results(frame: "DataFrame", task: Task, kind: str | None = None) -> list[JsonObject]:
    """Run `task(partition, batches)` for each partition of a table, on executors.

    Returns the results in order: JSON objects, to which the number of the "partition" is added. kind: see
    `mapped`. Raises the UserError of the first partition that had one.
    """

    def work(batches: Batches) -> Batches:
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        number = context.partitionId()
        try:
            result = {"partition": number, **task(number, batches)}
        except UserError as error:  # sent as a result: Spark would retry, and print its own trace
            result = {"partition": number, "error": error.fields()}
        yield pa.RecordBatch.from_pydict({"result": pa.array([json.dumps(result)], pa.string())})

    with in_one_line():
        rows = mapped(frame, work, "result string", kind or task.__qualname__).collect()
    results: list[JsonObject] = sorted((json.loads(row[0]) for row in rows), key=lambda r: r["partition"])
    for result in results:
        if "error" in result:
            raise UserError(**result["error"])
    return results


def run_tasks(
    session: "SparkSession", n: int, work: Callable[[int], Mapping[str, object]]
) -> list[JsonObject]:
    """Run `work(number)` for each number below `n`, each as a Spark task; returns the results in order."""

    def task(_: int, batches: Batches) -> Mapping[str, object]:
        (number,) = numbers_in(batches)
        return work(number)

    results = collect_results(numbered(session, n), task, work.__qualname__)
    if len(results) != n:  # PySpark takes a lost connection for the end of the results
        raise SparkFailure(f"Spark failed ({len(results)} of {n} results arrived)")
    return results


def numbered(session: "SparkSession", n: int) -> "DataFrame":
    """A table of the numbers below `n`, each in a partition of its own, so that each gets a task."""
    return session.range(0, n, 1, n)


def numbers_in(batches: Batches) -> Iterator[int]:
    """The numbers in one partition of a table that `numbered` made; called in a task."""
    for batch in batches:
        numbers: list[Any] = batch.column(0).to_pylist()
        yield from numbers


def attempt_folder(directory: Path, partition: int) -> Path:
    """Make a new folder for the files of one attempt at a task, which may be repeated.

    directory: that of the results. Raises UserError if this executor cannot see it.
    """
    refuse_unseen_folder(directory, where=directory.parent)
    folder = directory / PARTS / f"{partition:05d}-{uuid.uuid4().hex}"
    folder.mkdir(parents=True)
    return folder


def take(directory: Path, attempt: str, name: str, new_name: str) -> None:
    """Move a file from the folder of an accepted attempt at a task to the results, as `new_name`.

    attempt: the folder's name; name: the file's. Raises UserError if the driver does not see the file.
    """
    try:
        (directory / PARTS / attempt / name).rename(directory / new_name)
    except FileNotFoundError:
        raise UserError(
            "the driver cannot see what executors wrote", where=directory.parent, remedy=SHARED
        ) from None


def discard_attempts(directory: Path) -> None:
    """Remove the folders of all attempts at tasks from the directory of the results."""
    shutil.rmtree(directory / PARTS, ignore_errors=True)
