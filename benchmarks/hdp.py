"""Hierarchical Dirichlet processes beside their peers: one corpus, one scorer, CPU seconds.

`make bench-hdp` runs ours, gensim's and tomotopy's HDP on AP and NIPS, one thread each, until their held-out
score is flat, and says first how long that takes; `FULL=1 make bench-hdp` (or --full) has three seeds. The
tables are printed as they come and kept in bench-results/. Settings of every program are chosen on a dev
split by the same number of tries.
"""

import argparse

import hdp_compare
from cell import Cell, is_missing, run_cell
from hdp_plan import (
    ALL_PROGRAMS,
    GRIDS,
    PASSES,
    SWEEPS,
    TRIES,
    TRY_PASSES,
    TRY_SWEEPS,
    Plan,
    full_plan,
    short_plan,
)
from hdp_programs import OURS
from lda import about, machine
from settings import Settings
from tables import Report, Row, options_of
from watch import GAIN, PATIENCE

TRIED = ("program", "start", "setting", "steps", "topics", "dev score", "chosen")
RUN = (
    "corpus", "seed", "program", "start", "setting", "steps", "topics", "score", "CPU s", "CPU s/step",
    "tokens/s", "peak MB",
)  # fmt: skip
BNPY = (
    "MISSING: bnpy: its release on PyPI (0.1.7) does not install with Python 3.11: it asks for a "
    "scikit-learn that does not build there (CompileError in splitting.pyx); installed without what it asks "
    "for, it stops at inspect.getargspec, which Python 3.11 does not have"
)


def main() -> None:
    args = arguments()
    plan = full_plan() if args.full else short_plan()
    plan = plan.only(args.programs) if args.programs else plan
    print(f"About {plan.minutes:.0f} minutes on one idle core.", flush=True)
    report = Report(args.out, "hdp", about())
    report.say(f"# HDPs beside their peers\n\n{machine()}\n")
    missing = {name: why for name in plan.programs if (why := is_missing(name, None))}
    for name, why in missing.items():
        report.say(f"MISSING: {name}: {why}")
    report.say(BNPY)
    plan = plan.only([name for name in plan.programs if name not in missing])
    best = choose_settings(plan, report)
    programs(plan, best, report)
    hdp_compare.all_of_them(plan, best, report)
    report.say(losses(report))
    print(f"\nWritten: {args.out / 'hdp.md'} and hdp.json")


def arguments() -> argparse.Namespace:
    options = options_of(__doc__, "three seeds")
    options.add_argument("--programs", nargs="+", choices=ALL_PROGRAMS, help="only these")
    return options.parse_args()


def choose_settings(plan: Plan, report: Report) -> dict[str, Settings]:
    """The best of each program's tries on the dev split; its default is one of them."""
    report.section(
        "Settings",
        f"{TRIES} tries a program, ours no more: AP, seed 0, scored on the dev split once that score is flat "
        f"(of the points at which it is scored, the last {PATIENCE} are not {GAIN:g} nats better than any "
        f"before), at the latest after {TRY_PASSES} passes or {TRY_SWEEPS} sweeps. start: topics in the "
        "beginning; of gensim the truncation.",
        TRIED,
    )
    best: dict[str, Settings] = {}
    for name in plan.programs:
        tries: list[tuple[float, Settings, Row]] = []
        for settings in ({}, *GRIDS[name]):
            cell = plan.tried(name, settings)
            row: Row = {"program": name, "start": cell.topics, "setting": cell.label}
            result = run_cell(cell)
            if "error" in result:
                tries.append((float("-inf"), settings, {**row, "steps": result["error"][:100]}))
                continue
            end = result["points"][-1]
            row |= {"steps": end["step"], "topics": end["topics"], "dev score": f"{end['score']:.3f}"}
            tries.append((end["score"], settings, row))
        chosen = max(tries, key=lambda one: one[0])
        best[name] = chosen[1]
        for one in tries:
            report.row({**one[2], "chosen": one is chosen and one[0] > float("-inf")})
    return best


def programs(plan: Plan, best: dict[str, Settings], report: Report) -> None:
    """The table of programs, at their best setting and, on AP with seed 0, at their default."""
    report.section(
        "Programs",
        "Score: document completion in nats a word on the test split, higher is better; only topics in use "
        "count, and the topics of the seen half are inferred by one inference for all. A run ends when the "
        f"score on the dev split is flat, at the latest after {PASSES[-1]} passes or {SWEEPS[-1]:,} sweeps. "
        "CPU s: training on one thread, without scores.",
        RUN,
    )
    told: set[str] = set()
    for corpus in plan.corpora:
        for seed in plan.seeds:
            for name in plan.programs:
                tries = [best[name]]
                if best[name] and (corpus, seed) == (plan.corpora[0], plan.seeds[0]):
                    tries = [{}, *tries]
                for settings in tries:
                    cell = plan.cell(name, settings, corpus, seed)
                    result = run_cell(cell)
                    if "unigram" in result and result["corpus"] not in told:
                        told.add(result["corpus"])
                        score = f"{result['unigram']:.3f}"
                        report.row({"corpus": result["corpus"], "program": "unigram", "score": score})
                    report.row(program_row(cell, result))


def program_row(cell: Cell, result: Row) -> Row:
    """One row of the table of programs, or one that says why there is none."""
    row: Row = {"corpus": result.get("corpus", cell.corpus), "seed": cell.seed, "program": cell.program}
    row |= {"start": cell.topics, "setting": cell.label}
    if "error" in result:
        return {**row, "steps": f"did not run: {result['error'][:100]}"}
    end = result["points"][-1]
    return {
        **row,
        "steps": end["step"],
        "topics": end["topics"],
        "score": f"{end['score']:.3f}",
        "CPU s": end["cpu_s"],
        "CPU s/step": result["step_cpu_s"],
        "tokens/s": result["tokens"] / result["step_cpu_s"],
        "peak MB": result["peak_mb"],
    }


def losses(report: Report) -> str:
    """Where ours is behind, in words."""
    found = [
        f"- {row['what']}: {row['ratio']} ({row['note']})"
        for row in report.rows["Comparisons"]
        if "loses" in str(row["ratio"])
    ]
    scored = [row for row in report.rows["Programs"] if "score" in row and row["program"] != "unigram"]
    for where in sorted({(row["corpus"], row["seed"]) for row in scored}):
        here = [row for row in scored if (row["corpus"], row["seed"]) == where]
        winner = max(here, key=lambda row: float(row["score"]))
        ours = [row for row in here if row["program"] in OURS]
        if winner["program"] not in OURS and ours:
            top = max(ours, key=lambda row: float(row["score"]))
            found.append(
                f"- score on {where[0]}, seed {where[1]}: {winner['program']} ({winner['setting']}) "
                f"{winner['score']}, our best {top['program']} {top['score']}"
            )
    return "\n## Where ours loses\n\n" + ("\n".join(found) if found else "In no row above.")


if __name__ == "__main__":
    main()
