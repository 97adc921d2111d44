"""Runs jobs on a Spark session, and can be asked to stop them."""

import threading
import uuid
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

from stickbreaker.core.errors import Interrupted, UserError
from stickbreaker.engines.spark.failures import SparkFailure, of_task, reason_of

if TYPE_CHECKING:
    from pyspark import RDD, SparkContext
    from pyspark.sql import SparkSession

Item = TypeVar("Item")
Result = TypeVar("Result")
Key = TypeVar("Key", bound=tuple[int, ...])

REMEDY = "what was learned up to the last step is unchanged"


class Cluster:
    """Runs jobs in a Spark session, and can be asked to stop.

    Only jobs started within `until_stopped` can be stopped: those that map documents. The later jobs of a
    step always finish, so that the step is complete.
    """

    def __init__(self, session: "SparkSession") -> None:
        self.context: SparkContext = session.sparkContext
        self.stopped = False
        self.tag = f"stickbreaker-{uuid.uuid4().hex}"  # tags the jobs that `stop` may end

    @contextmanager
    def until_stopped(self) -> Generator[None]:
        """A context whose Spark jobs can be cancelled by `stop`.

        Raises Interrupted if `stop` was called before or during the context.
        """
        if self.stopped:
            raise Interrupted
        self.context.addJobTag(self.tag)
        try:
            yield
        except UserError:
            if self.stopped:
                raise Interrupted from None
            raise
        finally:
            self.context.removeJobTag(self.tag)
        if self.stopped:
            raise Interrupted

    def collect(self, rdd: "RDD[Result]") -> list[Result]:
        """Run a Spark job and return its results, one per task.

        Raises UserError if a task raised one, SparkFailure for any other error.
        """
        try:
            found = rdd.collect()
            if len(found) != (
                wanted := rdd.getNumPartitions()
            ):  # PySpark takes a lost connection for the end of the results
                raise EOFError(f"{len(found)} of {wanted} results arrived")
        except Exception as error:
            mended = of_task(error)
            if mended is not None:
                raise mended from None
            raise SparkFailure(f"a Spark job failed ({reason_of(str(error))})", remedy=REMEDY) from error
        return found

    def each(self, items: Sequence[Item], work: Callable[[Iterable[Item]], Iterable[Result]]) -> list[Result]:
        """Run `work` on each item in a task of its own, which gets [item]; returns the results in order."""
        if not items:
            return []
        return self.collect(self.context.parallelize(items, len(items)).mapPartitions(work))

    def stop(self) -> None:
        """Cancel the jobs under way; returns at once, since a signal handler may call it."""
        self.stopped = True
        threading.Thread(target=self._cancel, daemon=True).start()

    def _cancel(self) -> None:
        with suppress(Exception):  # Spark may have died: the job that waits for it reports that
            self.context.cancelJobsWithTag(self.tag)


def by_key(
    pairs: "RDD[tuple[Key, Result]]", n: int, partition: Callable[[Key], int]
) -> "RDD[tuple[Key, Result]]":
    """Spark pairs (key, value) distributed over `n` partitions and sorted by key within each.

    `partition` returns the number of a key's partition.
    """
    return pairs.repartitionAndSortWithinPartitions(n, partition)  # pyright: ignore[reportCallIssue, reportUnknownVariableType]
