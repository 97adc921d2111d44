"""One run of the benchmark on Spark, in a process of its own: `python spark_cell.py '{"program": …}'`."""

import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from cell import THREADS, Result

MEMORY = "8g"  # of the driver's JVM (of an executor's: 1g), the same for all programs


@dataclass(frozen=True)
class SparkCell:
    """What to run. `where`: a master, or "1 thread", "2 threads" for ours without Spark.

    `at`: the passes after which topics are scored, on `part`; the last one ends the run.
    """

    program: str
    folder: str
    topics: int
    at: tuple[int, ...]
    settings: dict[str, Any] = field(default_factory=dict)
    where: str = "local[2]"
    part: str = "test"
    seed: int = 0

    @property
    def key(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)


DONE: dict[str, Result] = {}  # so that two sections can share a run


def run_cell(cell: SparkCell) -> Result:
    """The cell's result, or {"error": why}."""
    if cell.key not in DONE:
        environment = {**os.environ, **dict.fromkeys(THREADS, "1"), "PYTHONHASHSEED": "0"}
        environment["PYSPARK_SUBMIT_ARGS"] = f"--driver-memory {MEMORY} --executor-memory 1g pyspark-shell"
        done = subprocess.run(
            [sys.executable, "-W", "ignore", str(Path(__file__).resolve()), cell.key],
            capture_output=True,
            text=True,
            env=environment,
            check=False,
        )
        if done.returncode == 0:
            DONE[cell.key] = json.loads(done.stdout.strip().splitlines()[-1])
        else:
            DONE[cell.key] = {"error": why(done.stderr) or f"exit status {done.returncode}"}
    return DONE[cell.key]


def why(errors: str) -> str:
    """The line of a traceback, Python's or Java's, that tells the reason.

    >>> why("Py4JJavaError: no.\\n: SparkException: no\\nCaused by: OutOfMemoryError: heap\\n\\tat x")
    'OutOfMemoryError: heap'
    """
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    caused = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
    named = [line for line in lines if "Error" in line or "Exception" in line]
    return (caused or named or lines or [""])[-1][:200]


def measure(cell: SparkCell) -> Result:
    """Run the cell in this process."""
    from scoring import Scorer
    from settings import resolved
    from spark_data import Data
    from spark_programs import MLlib, Ours
    from spark_watch import TreeWatch, peaks

    from stickbreaker.spark import start_session

    data = Data(Path(cell.folder))
    scorer = Scorer(data.held(cell.part))
    threads = int(cell.where.split()[0]) if "thread" in cell.where else 1
    session = None if "thread" in cell.where else start_session(cell.where, "benchmark")
    kind, _, optimizer = cell.program.partition(" ")
    if kind == "MLlib":
        assert session is not None
        program: MLlib | Ours = MLlib(optimizer, session)
    else:
        program = Ours(kind, session, threads)
    watch = TreeWatch(cell.at, scorer.score)
    program.fit(data, cell.topics, cell.seed, resolved(cell.settings, cell.topics), watch)
    result = {
        **data.about(),
        "unigram": scorer.unigram(data.frequencies()),
        "points": watch.points,
        "pass_cpu_s": a_pass(watch.cpu),
        "pass_wall_s": a_pass(watch.wall),
        "load": os.getloadavg()[0],
        **watch.facts,
        **peaks(),
    }
    if session is not None:
        session.stop()
    return result


def a_pass(seconds: list[float]) -> float:
    """Seconds of a pass: the mean of those after the first, which also starts the table and the workers."""
    later = seconds[1:] or seconds
    return sum(later) / len(later)


def main() -> None:
    given = json.loads(sys.argv[1])
    print(json.dumps(measure(SparkCell(**{**given, "at": tuple(given["at"])}))))


if __name__ == "__main__":
    main()
