"""Latent Dirichlet allocation compared with its peers: one corpus, one scorer, CPU seconds, memory.

`make bench` runs a subset (AP, one seed, K = 100, 500, 1000; see `plan.py`) on one core, and says first how
long it will take. `FULL=1 make bench` (or --full) runs every K, three seeds, both corpora. The tables are
printed row by row and kept in bench-results/. Settings of every program are chosen on a dev split by the same
number of tries, at one K and one seed.
"""

import argparse

from benchmarks import compare
from benchmarks.cell import run_cell, without_missing
from benchmarks.contest import TRIES, best_settings, losses, program_table
from benchmarks.harness import Report, options, print_minutes, run
from benchmarks.plan import ALL_PROGRAMS, GRID_K, full_plan, short_plan
from benchmarks.settings import GRIDS, OURS

TRIED = ("program", "steps", "setting", "dev score", "chosen")
PROGRAMS = (
    "corpus", "K", "seed", "program", "setting", "steps", "CPU s", "CPU s/step", "tokens/s", "peak MB",
    "score", "own inference",
)  # fmt: skip


def measure(report: Report, args: argparse.Namespace) -> None:
    plan = (full_plan if args.full else short_plan)(args.mallet)
    if args.programs:
        plan = plan.only(args.programs, args.topics)
    plan = plan.only(without_missing(report, plan.programs, args.mallet), args.topics)
    print_minutes(plan.minutes())
    report.section(
        "Settings",
        f"{TRIES} tries of each program, ours no more: AP, K = {GRID_K}, seed 0, scored on the dev split "
        "after as many steps as shown. The best setting is used at every K; n/K is divided by K.",
        TRIED,
    )
    grids = {name: GRIDS[name] for name in plan.programs}
    best = best_settings(report, grids, plan.grid_cell, run_cell)
    first = run_cell(plan.grid_cell(plan.programs[0], {}))
    before = f" ({first['before_mb']:.0f} MB before training)" if "before_mb" in first else ""
    report.section(
        "Programs",
        "Score: document completion in nats per word on the test split, higher is better; the topics of "
        "the seen half are inferred by one inference for all. Own inference: by the program's own. CPU s: "
        "training, without scores and reading the corpus (Vowpal Wabbit and MALLET: with reading). CPU "
        "s/step: median from the fifth pass or sweep on. Peak: of the process, with Python and the "
        f"corpus{before}.",
        PROGRAMS,
    )
    program_table(report, plan.program_cells(best), run_cell)
    if not args.programs:
        compare.compare_all(plan, best, report)
    report.say(losses(report, OURS, ("corpus", "K", "seed")))


def parser() -> argparse.ArgumentParser:
    found = options(__doc__, "all K, seeds and corpora")
    found.add_argument("--mallet", metavar="PATH", help="the program `mallet` of a MALLET installation")
    found.add_argument("--programs", nargs="+", choices=ALL_PROGRAMS, help="only these, no comparisons")
    found.add_argument("--topics", nargs="+", type=int, help="only these K")
    return found


if __name__ == "__main__":
    run("lda", "LDA compared with its peers", parser(), measure)
