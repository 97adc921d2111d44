"""A cell of the benchmarks of LDA and of HDPs: one program learns one corpus, in a process of its own."""

import importlib.util
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.contest import Cell, Runs, in_numbers
from benchmarks.harness import Report
from benchmarks.processes import Result, answer

# Imports of programs and corpora are inside of functions, so that they count in the child process alone.


def measure(given: dict[str, Any]) -> Result:
    """Run the cell in this process. `given`: its fields."""
    from benchmarks.corpora import load
    from benchmarks.scoring import Scorer
    from benchmarks.settings import program_of
    from benchmarks.watch import Watch, peak_megabytes, reset_peak

    cell = Cell(**given)
    parts = load(cell.corpus)
    scorer = Scorer(parts.dev if cell.part == "dev" else parts.test)
    program = program_of(cell.program, cell.threads, cell.mallet)
    judge = Scorer(parts.dev).score if cell.until_flat else None
    watch = Watch(cell.at, scorer.score, judge)
    reset_peak()
    before = peak_megabytes()
    began = time.process_time()
    program.fit(parts.train, cell.topics, cell.seed, in_numbers(cell.settings, cell.topics), watch)
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


run_cell = Runs(lambda cell: answer(measure, asdict(cell)))


def without_missing(report: Report, programs: tuple[str, ...], mallet: str | None = None) -> list[str]:
    """The programs that can run here; a line for each that cannot."""
    reasons = {name: why_missing(name, mallet) for name in programs}
    for name, reason in reasons.items():
        if reason:
            report.say(f"MISSING: {name}: {reason}")
    return [name for name in programs if not reasons[name]]


def why_missing(program: str, mallet: str | None) -> str | None:
    """Why a program cannot run here, or None."""
    from benchmarks.settings import program_of

    if program == "mallet":
        if mallet is None:
            return "no --mallet PATH was given"
        return None if Path(mallet).exists() else f"{mallet} does not exist"
    module = program_of(program).module
    return None if importlib.util.find_spec(module) else f"not installed (pip install {module})"
