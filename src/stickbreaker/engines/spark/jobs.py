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

REMEDY = "what was learned up to the last step is unchanged"


class Cluster:
    """The context of a Spark session, to run jobs in. After the map jobs of a step its other jobs always run
    to the end, so that a step is complete.
    """

    def __init__(self, session: "SparkSession") -> None:
        self.context: SparkContext = session.sparkContext
        self.stopped = False
        self.tag = f"stickbreaker-{uuid.uuid4().hex}"  # tags the jobs that `stop` may end

    @contextmanager
    def until_stopped(self) -> Iterator[None]:
        """A context in which `stop` may end the running jobs.

        Raises Interrupted if that was requested before the context, inside it or at its end.
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

    def collect(self, rdd: "RDD[Any]") -> list[Any]:
        """The results of a job whose tasks return one result each.

        Raises UserError for a task's error of one line, SparkFailure for any other.
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

    def each(self, items: Sequence[Any], work: Callable[[Iterable[Any]], Iterable[Any]]) -> list[Any]:
        """The results of `work` for every item, in order, with one task per item."""
        if not items:
            return []
        return self.collect(self.context.parallelize(items, len(items)).mapPartitions(work))

    def stop(self) -> None:
        """Cancel the jobs under way, in another thread, since a signal handler may call this."""
        self.stopped = True
        threading.Thread(target=self._cancel, daemon=True).start()

    def _cancel(self) -> None:
        with suppress(Exception):  # Spark may have died: the job that waits for it reports that
            self.context.cancelJobsWithTag(self.tag)
