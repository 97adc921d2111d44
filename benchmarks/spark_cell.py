"""One run of the benchmark on Spark, in a process of its own: `python spark_cell.py '{"program": …}'`."""

import hashlib
import json
import os
import sys
import time
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from cell import Result, answer

import stickbreaker
from stickbreaker.core.files import write_atomic

MEASURING = "spark_cell.py", "spark_data.py", "spark_programs.py", "spark_watch.py", "scoring.py", "watch.py"
MEMORY = "8g"  # of the driver's JVM (of an executor's: 1g), the same for all programs


@dataclass(frozen=True)
class SparkCell:
    """What to run. `where`: a master, or "1 thread", "2 threads" for ours without Spark.

    `at`: the passes of its runs, after which topics are scored, on `part`.
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


class Kept:
    """Results of runs: two sections may share one, and a benchmark that was cut short goes on from them.

    In a file they are known by the run and the program: MLlib's by PySpark's version, ours by a digest of the
    library's source, and both by one of what measures them, so that what was changed is measured anew. Errors
    are not kept.
    """

    def __init__(self) -> None:
        self.path: Path | None = None
        self.results: dict[str, Result] = {}

    def open(self, path: Path) -> int:
        """Go on from the results in a file, if it is there, and add to it; gives how many it has."""
        self.path = path
        self.results = json.loads(path.read_text()) if path.exists() else {}
        return len(self.results)

    def get(self, cell: SparkCell) -> Result:
        """The cell's result, or {"error": why}."""
        key = json.dumps([cell.key, program_of(cell)])
        if key not in self.results:
            result = measured(cell)
            if "error" in result:
                return result
            self.results[key] = {**result, "at": datetime.now().isoformat(" ", "minutes")}
            if self.path is not None:
                write_atomic(self.path, json.dumps(self.results).encode())
        return self.results[key]


KEPT = Kept()


def program_of(cell: SparkCell) -> str:
    """What a run's figures depend on besides the run."""
    library = Path(stickbreaker.__file__).parent
    if cell.program.startswith("MLlib"):
        program = f"PySpark {version('pyspark')}, started by {digest(library / 'spark' / 'session.py')}"
    else:
        program = digest(*sorted(library.rglob("*.py")))
    return f"{program}, measured by {digest(*(Path(__file__).with_name(name) for name in MEASURING))}"


@cache
def digest(*files: Path) -> str:
    """Of what is in them."""
    return hashlib.blake2b(b"".join(file.read_bytes() for file in files), digest_size=8).hexdigest()


def run_cell(cell: SparkCell) -> Result:
    """The cell's result, or {"error": why}."""
    return KEPT.get(cell)


def measured(cell: SparkCell) -> Result:
    """Run the cell in a process of its own."""
    memory = f"--driver-memory {MEMORY} --executor-memory 1g pyspark-shell"
    return answer(__file__, cell.key, why=why, also={"PYSPARK_SUBMIT_ARGS": memory})


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
    """Run the cell in this process.

    Every point is a run of its own, from the beginning, after one of one pass that is not counted and lets
    Java and numba compile: MLlib tells its topics only at the end. The runs share their times as
    `Watch.whole_run` says; the clock stands still while topics are made and scored.
    """
    from scoring import Scorer
    from settings import resolved
    from spark_data import Data
    from spark_programs import MLlib, Ours, Program
    from spark_watch import peaks, tree_seconds
    from watch import Watch

    from stickbreaker.engines.spark.session import ONLY_LEARNING, start_session

    data = Data(Path(cell.folder))
    scorer = Scorer(data.held(cell.part))
    threads = int(cell.where.split()[0]) if "thread" in cell.where else 1
    kind, _, optimizer = cell.program.partition(" ")
    settings = None if kind == "MLlib" else ONLY_LEARNING  # with them MLlib's EM takes over twice as long
    session = None if "thread" in cell.where else start_session(cell.where, "benchmark", settings)
    if kind == "MLlib":
        assert session is not None
        program: Program = MLlib(optimizer, session)
    else:
        program = Ours(kind, session, threads)
    watch = Watch(cell.at, scorer.score)
    given = resolved(cell.settings, cell.topics)
    program.take(data)
    program.run(cell.topics, cell.seed, given, 1)
    memory: dict[str, float] = {}
    for passes in watch.at:
        cpu, wall = tree_seconds(), time.perf_counter()
        topics = program.run(cell.topics, cell.seed, given, passes)
        cpu, wall = tree_seconds() - cpu, time.perf_counter() - wall
        memory = memory or peaks()  # before the first topics are made and scored
        watch.whole_run(passes, cpu, wall, topics())
    result = {
        **data.about(),
        "unigram": scorer.unigram(data.frequencies()),
        "points": watch.points,
        "pass_cpu_s": a_pass(watch.cpu),
        "pass_wall_s": a_pass(watch.wall),
        "load": os.getloadavg()[0],
        **program.facts,
        **memory,
    }
    if session is not None:
        session.stop()
    return result


def a_pass(seconds: list[float]) -> float:
    """Seconds of a pass: the mean of those after the first, which also starts the table; where they are known
    apart, from a run of one pass."""
    later = seconds[1:] or seconds
    return sum(later) / len(later)


def main() -> None:
    given = json.loads(sys.argv[1])
    print(json.dumps(measure(SparkCell(**{**given, "at": tuple(given["at"])}))))


if __name__ == "__main__":
    main()
