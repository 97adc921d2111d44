"""A cell of the benchmark on Spark: one program learns one corpus, in a process of its own."""

import os
import time
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.contest import Cell, Runs, digest, in_numbers
from benchmarks.processes import Result, answer

import stickbreaker

MEASURING = "spark_cell.py", "spark_data.py", "spark_programs.py", "spark_watch.py", "scoring.py", "watch.py"
MEMORY = "8g"  # the driver's JVM, the same for all programs; an executor has 1g


def code_of(cell: Cell) -> str:
    """The code that a run's figures depend on: for MLlib PySpark's version, for ours the library, and for
    both the modules that measure."""
    library = Path(stickbreaker.__file__).parent
    if cell.program.startswith("MLlib"):
        program = (
            f"PySpark {version('pyspark')}, started by {digest(library / 'engines' / 'spark' / 'session.py')}"
        )
    else:
        program = digest(*sorted(library.rglob("*.py")))
    return f"{program}, measured by {digest(*(Path(__file__).with_name(name) for name in MEASURING))}"


def measure_apart(cell: Cell) -> Result:
    """Measure the cell in a process of its own."""
    memory = f"--driver-memory {MEMORY} --executor-memory 1g pyspark-shell"
    return answer(measure, asdict(cell), reason=reason, variables={"PYSPARK_SUBMIT_ARGS": memory})


run_cell = Runs(measure_apart, code_of)


def reason(errors: str) -> str:
    """The line of a traceback, Python's or Java's, with the reason.

    >>> reason("Py4JJavaError: no.\\n: SparkException: no\\nCaused by: OutOfMemoryError: heap\\n\\tat x")
    'OutOfMemoryError: heap'
    """
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    caused = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
    named = [line for line in lines if "Error" in line or "Exception" in line]
    return (caused or named or lines or [""])[-1][:200]


def measure(given: dict[str, Any]) -> Result:
    """Run the cell in this process. `given`: its fields.

    Every point is a run of its own, from the beginning, because MLlib has topics only at the end. A run of
    one pass before them, which is not counted, lets Java and numba compile. Times are divided among steps as
    in `Watch.whole_run`; the clock is stopped while topics are made and scored.
    """
    from benchmarks.scoring import Scorer
    from benchmarks.spark_data import Data
    from benchmarks.spark_programs import MLlib, Ours, Program
    from benchmarks.spark_watch import peaks, tree_seconds
    from benchmarks.watch import Watch

    from stickbreaker.engines.spark.session import ONLY_LEARNING, start_session

    cell = Cell(**given)
    data = Data(Path(cell.corpus))
    scorer = Scorer(data.held(cell.part))
    threads = int(cell.where.split()[0]) if "thread" in cell.where else 1
    kind, _, optimizer = cell.program.partition(" ")
    options = None if kind == "MLlib" else ONLY_LEARNING  # with them MLlib's EM takes over twice as long
    session = None if "thread" in cell.where else start_session(cell.where, "benchmark", options)
    if kind == "MLlib":
        assert session is not None
        program: Program = MLlib(optimizer, session)
    else:
        program = Ours(kind, session, threads)
    watch = Watch(cell.at, scorer.score)
    settings = in_numbers(cell.settings, cell.topics)
    program.take(data)
    program.run(cell.topics, cell.seed, settings, 1)
    memory: dict[str, float] = {}
    for passes in watch.at:
        cpu, wall = tree_seconds(), time.perf_counter()
        topics = program.run(cell.topics, cell.seed, settings, passes)
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
    """Seconds per pass: the mean of those after the first, which also starts the table, if there are any."""
    later = seconds[1:] or seconds
    return sum(later) / len(later)
