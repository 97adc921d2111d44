"""An archive of the classes that Spark loads: Java machines of tests start with it in half the time.

`python -m tests.spark.class_archive FILE` makes one. Java looks for itself whether an archive fits, and goes
without one that does not.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.tiers import EXHAUSTIVE

USED = "-XX:SharedArchiveFile={} -Xlog:disable"


def class_archive() -> Path:
    """The archive of this machine's Java and PySpark.

    It is made by the first run of all tests: that takes a minute, which those that start one Java machine or
    two do not get back.
    """
    import pyspark

    jars = Path(pyspark.__file__).parent / "jars"
    version = subprocess.run(["java", "-version"], capture_output=True, check=False).stderr
    known = hashlib.blake2b(version + f"{jars} {jars.stat().st_mtime_ns}".encode(), digest_size=8).hexdigest()
    folder = Path(tempfile.gettempdir()) / f"stickbreaker-tests-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    archive = folder / f"{known}.jsa"
    with (folder / "lock").open("w") as lock:
        import fcntl  # not on Windows, where the audit imports this module

        fcntl.flock(lock, fcntl.LOCK_EX)  # runs of tests beside this one wait, and find it
        if EXHAUSTIVE and not archive.exists():
            command = [sys.executable, "-W", "ignore", "-m", "tests.spark.class_archive", archive]
            subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, check=False)
    return archive


def java_options() -> str:
    """What lets a Java machine start with the archive, where `use_archive` was called."""
    return os.environ.get("SPARK_SUBMIT_OPTS", "")


def use_archive() -> None:
    """Let Java machines that this process and its children start use the archive."""
    archive = class_archive()
    if archive.exists():
        os.environ["SPARK_SUBMIT_OPTS"] = USED.format(archive)


def main(arguments: Sequence[str]) -> None:
    """Make an archive of what a small job loads."""
    from pyspark import SparkContext
    from tests.spark.running_on_spark import session_of

    path = Path(arguments[0])
    made = path.with_suffix(".new")
    os.environ["SPARK_SUBMIT_OPTS"] = f"-XX:ArchiveClassesAtExit={made} -Xlog:disable"
    session = session_of("local[2]")
    session.sparkContext.parallelize([1, 2], 2).map(lambda number: number + 1).collect()
    session.range(4).mapInArrow(lambda batches: batches, "id long").groupBy("id").count().collect()
    machine: Any = SparkContext._gateway
    session.stop()
    machine.proc.stdin.close()  # it ends, and writes the archive
    machine.proc.wait()
    if made.exists():
        made.rename(path)


if __name__ == "__main__":
    main(sys.argv[1:])
