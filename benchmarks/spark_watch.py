"""The cost of a run on Spark: seconds of all its processes, their memory, and bytes through the driver."""

import os
import pickle
from pathlib import Path
from typing import Any

from benchmarks.watch import MEGABYTE

TICKS = os.sysconf("SC_CLK_TCK")


def descendants(root: int) -> list[int]:
    """The numbers of a process and of all its descendants."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        fields = _fields(folder)
        if fields:
            children.setdefault(int(fields[1]), []).append(int(folder.name))
    found, waiting = [], [root]
    while waiting:
        one = waiting.pop()
        found.append(one)
        waiting += children.get(one, [])
    return found


def tree_seconds() -> float:
    """CPU seconds so far of this process and all its descendants, also of those that have ended."""
    total = 0
    for process in descendants(os.getpid()):
        fields = _fields(Path("/proc", str(process)))
        total += sum(map(int, fields[11:15])) if fields else 0
    return total / TICKS


def _fields(folder: Path) -> list[str]:
    """The fields of /proc/…/stat from the state on; none for a process that has ended."""
    try:
        return (folder / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def peaks() -> dict[str, float]:
    """Peak resident megabytes: of this process, of the largest Python worker, of the largest JVM."""
    out = {"driver_mb": 0.0, "worker_mb": 0.0, "jvm_mb": 0.0}
    for process in descendants(os.getpid()):
        try:
            lines = Path("/proc", str(process), "status").read_text().splitlines()
        except OSError:
            continue
        fields = dict(line.split(":", 1) for line in lines if ":" in line)
        if "VmHWM" not in fields:
            continue
        is_java = fields["Name"].strip() == "java"
        kind = "driver_mb" if process == os.getpid() else "jvm_mb" if is_java else "worker_mb"
        out[kind] = max(out[kind], int(fields["VmHWM"].split()[0]) * 1024 / MEGABYTE)
    return out


class DriverBytes:
    """Counts the bytes that the driver sends with tasks and gets back, at the place where Spark pickles a
    task."""

    def __init__(self) -> None:
        self.sent = self.got = self.jobs = 0

    def watch(self) -> None:
        """Count from now on, in this process."""
        import pyspark.core.rdd as rdds
        from pyspark import SparkContext

        from stickbreaker.engines.spark.jobs import Cluster

        prepare = rdds._prepare_for_python_RDD
        collect, parallelize = Cluster.collect, SparkContext.parallelize

        def counted(context: Any, command: Any) -> Any:
            from pyspark.serializers import CloudPickleSerializer

            self.sent += len(CloudPickleSerializer().dumps(command))
            return prepare(context, command)

        def counting(cluster: Cluster, rdd: Any) -> list[Any]:
            found = collect(cluster, rdd)
            self.got += len(pickle.dumps(found))
            self.jobs += 1
            return found

        def spread(context: SparkContext, c: Any, numSlices: int | None = None) -> Any:
            self.sent += sum(len(pickle.dumps([one])) for one in c)  # a task an item, each by itself
            return parallelize(context, c, numSlices)

        rdds._prepare_for_python_RDD = counted
        Cluster.collect = counting  # type: ignore[method-assign]
        SparkContext.parallelize = spread  # type: ignore[method-assign]

    def taken(self) -> dict[str, int]:
        """Bytes sent and got and jobs since the last call."""
        counts = {"sent": self.sent, "got": self.got, "jobs": self.jobs}
        self.sent = self.got = self.jobs = 0
        return counts
