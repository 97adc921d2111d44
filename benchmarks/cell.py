"""One cell of the table: one program with one setting on one corpus, in a fresh process.

A process of its own, so that the peak of memory is the program's and no run warms another up. `run_cell`
starts `python benchmarks/cell.py '{"program": …}'` and reads its answer.
"""

import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Cell:
    """What to run. `at`: the steps after which the topics are scored, the last one ends the run.

    `until_flat`: it ends before when the score on the dev split is flat.
    """

    program: str
    topics: int
    at: tuple[int, ...]
    label: str = "default"
    settings: dict[str, Any] = field(default_factory=dict)
    corpus: str = "AP"
    seed: int = 0
    part: str = "test"
    threads: int = 1
    mallet: str | None = None
    until_flat: bool = False

    @property
    def key(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)


Result = dict[str, Any]


def last_line(printed: str) -> str:
    return (printed.strip().splitlines() or [""])[-1]


def answer(
    script: str, *words: str, why: Callable[[str], str] = last_line, also: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """What a script prints last, as JSON, or {"error": why it ended}; in a process of its own.

    `also` adds to its environment. BLAS threads would add to the program's own; ours are counted by n_jobs.
    """
    single = {**os.environ, **dict.fromkeys(THREADS, "1"), "PYTHONHASHSEED": "0", **(also or {})}
    line = [sys.executable, "-W", "ignore", str(Path(script).resolve()), *words]
    done = subprocess.run(line, capture_output=True, text=True, env=single, check=False)
    if done.returncode == 0:
        return json.loads(last_line(done.stdout))
    return {"error": why(done.stderr) or f"exit status {done.returncode}"}


DONE: dict[str, Result] = {}  # so that two sections can share a run


def run_cell(cell: Cell) -> Result:
    """The cell's result, or {"error": why}."""
    if cell.key not in DONE:
        DONE[cell.key] = answer(__file__, cell.key)
    return DONE[cell.key]


def is_missing(program: str, mallet: str | None) -> str | None:
    """Why a program cannot run here, or None."""
    from settings import program_of

    if program == "mallet":
        if mallet is None:
            return "no --mallet PATH was given"
        return None if Path(mallet).exists() else f"{mallet} does not exist"
    module = program_of(program).module
    return None if importlib.util.find_spec(module) else f"not installed (pip install {module})"


def measure(cell: Cell) -> Result:
    """Run the cell in this process."""
    from corpora import load
    from scoring import Scorer
    from settings import program_of, resolved
    from watch import Watch, peak_megabytes, reset_peak

    parts = load(cell.corpus)
    scorer = Scorer(parts.dev if cell.part == "dev" else parts.test)
    program = program_of(cell.program, cell.threads, cell.mallet)
    judge = Scorer(parts.dev).score if cell.until_flat else None
    watch = Watch(cell.at, scorer.score, judge)
    reset_peak()
    before = peak_megabytes()
    began = time.process_time()
    program.fit(parts.train, cell.topics, cell.seed, resolved(cell.settings, cell.topics), watch)
    own = None
    if program.theta is not None and cell.part == "test":
        own = scorer.own_score(program.topics(), program.theta)
    return {
        "corpus": parts.name,
        "tokens": parts.tokens,
        "unigram": scorer.unigram(parts.train),
        "points": watch.points,
        "step_cpu_s": watch.a_step(watch.cpu),
        "step_wall_s": watch.a_step(watch.wall),
        "peak_mb": watch.peak,
        "before_mb": before,
        "own_score": own,
        "all_cpu_s": time.process_time() - began,
        "facts": watch.facts,
    }


def main() -> None:
    given = json.loads(sys.argv[1])
    result = measure(Cell(**{**given, "at": tuple(given["at"])}))
    print(json.dumps(result))


if __name__ == "__main__":
    main()
