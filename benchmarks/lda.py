"""Latent Dirichlet allocation beside its peers: one corpus, one scorer, CPU seconds, memory.

`make bench` runs a subset (AP, one seed, K = 100, 500, 1000; `plan.py` states it) on one core, and says first
how long it will take. `FULL=1 make bench` (or --full) runs every K, three seeds, both corpora. The tables are
printed as they come and kept in bench-results/. Settings of every program are chosen on a dev split by the
same number of tries, at one K and one seed.
"""

import argparse
import os
import platform
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import compare
from cell import is_missing, run_cell
from plan import ALL_PROGRAMS, GRID_K, Plan, full_plan, short_plan
from settings import GRIDS, OURS, TRIES, Settings
from tables import PROGRAMS, Report, Row, options_of, program_row

PEERS = ("scikit-learn", "gensim", "tomotopy", "vowpalwabbit", "numpy", "numba")


def main() -> None:
    args = arguments()
    plan = (full_plan if args.full else short_plan)(args.mallet)
    if args.programs:
        plan = plan.only(args.programs, args.topics)
    missing = {name: why for name in plan.programs if (why := is_missing(name, args.mallet))}
    plan = plan.without(missing)
    minutes = plan.minutes()
    print(
        f"{'The full' if args.full else 'The short'} benchmark: about {minutes:.0f} minutes on one idle core."
    )
    report = Report(args.out, "lda", about())
    report.say(f"# LDA beside its peers\n\n{machine()}\n")
    for name, why in missing.items():
        report.say(f"MISSING: {name}: {why}")
    best = choose_settings(plan, report)
    rows = programs(plan, best, report)
    if not args.programs:
        compare.all_of_them(plan, best, report)
    report.say(losses(rows, report))
    print(f"\nWritten: {args.out / 'lda.md'} and lda.json")


def arguments() -> argparse.Namespace:
    options = options_of(__doc__, "all K, seeds and corpora")
    options.add_argument("--mallet", metavar="PATH", help="the program `mallet` of a MALLET installation")
    options.add_argument("--programs", nargs="+", choices=ALL_PROGRAMS, help="only these, no comparisons")
    options.add_argument("--topics", nargs="+", type=int, help="with --programs: only these K")
    args = options.parse_args()
    if args.topics and not args.programs:
        options.error("--topics needs --programs")
    return args


def choose_settings(plan: Plan, report: Report) -> dict[str, Settings]:
    """The best of each program's tries on the dev split; its default is one of them."""
    report.section(
        "Settings",
        f"{TRIES} tries a program, ours no more: AP, K = {GRID_K}, seed 0, scored on the dev split after so "
        "many steps. Whatever wins is the program's best setting at every K; n/K is divided by K.",
        ("program", "steps", "setting", "dev score", "chosen"),
    )
    best: dict[str, Settings] = {}
    for name in plan.programs:
        tries: list[tuple[float, Settings, str]] = []
        for settings in ({}, *GRIDS[name]):
            result = run_cell(plan.grid_cell(name, settings))
            shown = f"did not run: {result['error'][:100]}" if "error" in result else None
            score = float("-inf") if shown else result["points"][-1]["score"]
            tries.append((score, settings, shown or f"{score:.3f}"))
        chosen = max(tries, key=lambda one: one[0])
        best[name] = chosen[1]
        for one in tries:
            told = ", ".join(f"{key}={value}" for key, value in one[1].items()) or "default"
            steps = plan.grid_cell(name, {}).at[-1]
            mark = one is chosen and one[0] > float("-inf")
            report.row(
                {"program": name, "steps": steps, "setting": told, "dev score": one[2], "chosen": mark}
            )
    return best


def programs(plan: Plan, best: dict[str, Settings], report: Report) -> list[Row]:
    """The table of programs."""
    first = run_cell(plan.grid_cell(plan.programs[0], {}))
    report.section(
        "Programs",
        "Score: document completion in nats a word on the test split, higher is better; the topics of the "
        "seen half are inferred by one inference for all. Own inference: by the program's. CPU s: training, "
        "without scores and reading the corpus (Vowpal Wabbit and MALLET: with reading). CPU s/step: median "
        "from the fifth pass or sweep on. Peak: of the process, with Python and the corpus"
        + (f" ({first['before_mb']:.0f} MB before training)." if "before_mb" in first else "."),
        PROGRAMS,
    )
    rows: list[Row] = []
    told: set[str] = set()
    for cell in plan.program_cells(best):
        result = run_cell(cell)
        if "unigram" in result and result["corpus"] not in told:
            told.add(result["corpus"])
            unigram = {"corpus": result["corpus"], "program": "unigram", "score": f"{result['unigram']:.3f}"}
            report.row(unigram)
        rows.append(program_row(cell, result))
        report.row(rows[-1])
    return rows


def losses(rows: list[Row], report: Report) -> str:
    """Where ours is behind, in words."""
    found = [
        f"- {row['what']}, K = {row['K']}: {row['ratio']} ({row['note']})"
        for table in report.rows.values()
        for row in table
        if "loses" in str(row.get("ratio"))
    ]
    scored = [row for row in rows if "score" in row]
    for where in sorted({(row["corpus"], row["K"], row["seed"]) for row in scored}):
        here = [row for row in scored if (row["corpus"], row["K"], row["seed"]) == where]
        winner = max(here, key=lambda row: float(row["score"]))
        ours = [row for row in here if row["program"] in OURS]
        if winner["program"] not in OURS and ours:
            top = max(ours, key=lambda row: float(row["score"]))
            found.append(
                f"- score on {where[0]}, K = {where[1]}, seed {where[2]}: {winner['program']} "
                f"({winner['setting']}) {winner['score']}, our best {top['program']} {top['score']}"
            )
    return "\n## Where ours loses\n\n" + ("\n".join(found) if found else "In no row above.")


def about() -> Row:
    """The machine and the versions."""
    versions = {}
    for name in PEERS:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "missing"
    return {"date": date.today().isoformat(), "machine": machine(), "versions": versions}


def machine() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "")
    load = os.getloadavg()[0]
    return (
        f"{model or platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python "
        f"{platform.python_version()}, load {load:.1f} at the start."
    )


if __name__ == "__main__":
    main()
