"""Jobs on a Spark session, which can be asked to stop."""

import threading
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from stickbreaker.core.errors import Interrupted, UserError
from stickbreaker.engines.spark.failures import SparkFailure, of_task, reason_of

if TYPE_CHECKING:
    from pyspark import RDD, SparkContext
    from pyspark.sql import SparkSession

REMEDY = "what was learned up to the last step is as it was"


class Cluster:
    """A session's context. What jobs do after a step's maps they do to the end, so that a step is whole."""

    def __init__(self, session: "SparkSession") -> None:
        self.context: SparkContext = session.sparkContext
        self.stopped = False
        self.tag = f"stickbreaker-{uuid.uuid4().hex}"  # of the jobs that `stop` may end

    @contextmanager
    def until_stopped(self) -> Iterator[None]:
        """Jobs that `stop` may end. Raises Interrupted before, amid or after them once that was asked."""
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

    def collect(self, rdd: "RDD[Any]") -> list[Any]:
        """What a job gives, whose tasks give one result each.

        Raises UserError for what a task says in one line, SparkFailure for all else.
        """
        try:
            found = rdd.collect()
            if len(found) != (
                wanted := rdd.getNumPartitions()
            ):  # PySpark takes a lost connection for the end
                raise EOFError(f"{len(found)} of {wanted} results came")
        except Exception as error:
            mended = of_task(error)
            if mended is not None:
                raise mended from None
            raise SparkFailure(f"a Spark job failed ({reason_of(str(error))})", remedy=REMEDY) from error
        return found

    def each(self, items: Sequence[Any], work: Callable[[Iterable[Any]], Iterable[Any]]) -> list[Any]:
        """What `work` makes of every item, a task an item, in their order."""
        if not items:
            return []
        return self.collect(self.context.parallelize(items, len(items)).mapPartitions(work))

    def stop(self) -> None:
        """Cancel the jobs under way. A thread of its own does so: a signal handler may call this."""
        self.stopped = True
        threading.Thread(target=self._cancel, daemon=True).start()

    def _cancel(self) -> None:
        with suppress(Exception):  # Spark may have died: the job that waits for it says so
            self.context.cancelJobsWithTag(self.tag)
