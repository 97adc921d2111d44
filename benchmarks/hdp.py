"""Hierarchical Dirichlet processes compared with their peers: one corpus, one scorer, CPU seconds.

`make bench WHAT=hdp` runs ours, gensim's and tomotopy's HDP on AP and NIPS, one thread each, until their
held-out score is flat, and says first how long that takes; `make bench WHAT=hdp FULL=1` (or --full) has three
seeds. The tables are printed row by row and kept in bench-results/. Settings of every program are chosen on a
dev split by the same number of tries.
"""

import argparse

from benchmarks import hdp_compare
from benchmarks.cell import run_cell, without_missing
from benchmarks.contest import TRIES, best_settings, losses, program_table
from benchmarks.harness import Report, options, print_minutes, run
from benchmarks.hdp_plan import (
    ALL_PROGRAMS,
    GRIDS,
    PASSES,
    SWEEPS,
    TRY_PASSES,
    TRY_SWEEPS,
    full_plan,
    short_plan,
)
from benchmarks.hdp_programs import OURS
from benchmarks.watch import GAIN, PATIENCE

TRIED = ("program", "start", "setting", "steps", "topics", "dev score", "chosen")
PROGRAMS = (
    "corpus", "seed", "program", "start", "setting", "steps", "topics", "score", "CPU s", "CPU s/step",
    "tokens/s", "peak MB",
)  # fmt: skip
BNPY = (
    "MISSING: bnpy: its release on PyPI (0.1.7) does not install with Python 3.11: it requires a "
    "scikit-learn that does not build there (CompileError in splitting.pyx); installed without its "
    "requirements it stops at inspect.getargspec, which Python 3.11 does not have"
)


def measure(report: Report, args: argparse.Namespace) -> None:
    plan = full_plan() if args.full else short_plan()
    plan = plan.only(args.programs) if args.programs else plan
    print_minutes(plan.minutes)
    plan = plan.only(without_missing(report, plan.programs))
    report.say(BNPY)
    report.section(
        "Settings",
        f"{TRIES} tries of each program, ours no more: AP, seed 0, scored on the dev split once that score "
        f"is flat (its last {PATIENCE} points are not {GAIN:g} nats better than any before), after at most "
        f"{TRY_PASSES} passes or {TRY_SWEEPS} sweeps. start: topics in the beginning; for gensim the "
        "truncation.",
        TRIED,
    )
    grids = {name: GRIDS[name] for name in plan.programs}
    best = best_settings(report, grids, plan.grid_cell, run_cell)
    report.section(
        "Programs",
        "Score: document completion in nats per word on the test split, higher is better; only topics in use "
        "count, and the topics of the seen half are inferred by one inference for all. A run ends when the "
        f"score on the dev split is flat, after at most {PASSES[-1]} passes or {SWEEPS[-1]:,} sweeps. "
        "CPU s: training on one thread, without scores.",
        PROGRAMS,
    )
    program_table(report, plan.program_cells(best), run_cell)
    hdp_compare.compare_all(plan, best, report)
    report.say(losses(report, OURS, ("corpus", "seed")))


def parser() -> argparse.ArgumentParser:
    found = options(__doc__, "three seeds")
    found.add_argument("--programs", nargs="+", choices=ALL_PROGRAMS, help="only these")
    return found


if __name__ == "__main__":
    run("hdp", "HDPs compared with their peers", parser(), measure)
