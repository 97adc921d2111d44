"""LDA on Spark compared with MLlib's: one corpus, one scorer, wall and CPU seconds, equal sessions.

`make bench WHAT=spark` runs all of it on local[2]; `--quick` (QUICK=1) runs a small generated corpus to see
that everything works. CPU seconds are those of the Python driver, the JVM and the Python workers together;
they are more reliable than wall seconds if the machine does other work. The tables are printed row by row and
kept in bench-results/; so is every run, in spark-runs.json, from which a benchmark that was cut short
continues (remove the file to measure everything again). Settings of every program are chosen on a dev split
by the same number of tries. Our sessions are those of the command, without compressed shuffles and with
little compilation in Java; MLlib's are Spark's default, which is faster for it: uncompressed, its EM took 2.4
times as long and its online optimizer 1.1 times (20 Newsgroups, 8 passes).
"""

import argparse
from pathlib import Path
from typing import Any

from benchmarks import spark_scaling
from benchmarks.contest import TRIES, Cell, Settings, best_settings, point_row
from benchmarks.harness import Report, Row, options, run
from benchmarks.spark_cell import run_cell
from benchmarks.spark_data import FILES, Data, written
from benchmarks.spark_plan import FULL_BATCH, GRIDS, OURS, QUICK, THEIRS, WHOLE, Plan
from benchmarks.spark_scaling import growth, machines, overhead, steps

from stickbreaker.core.errors import UserError
from stickbreaker.spark import check_spark

COLUMNS = ("corpus", "program", "passes", "wall s", "CPU s", "wall s/pass", "CPU s/pass", "score")
LEARNED = 0.05  # nats per word above the unigram
WANTED = ("corpus", "what", "ours", "theirs", "ratio", "wanted")


def measure(report: Report, args: argparse.Namespace) -> None:
    try:
        check_spark()
    except UserError as error:
        raise SystemExit(str(error)) from None
    plan = QUICK if args.quick else WHOLE
    if there := run_cell.open(args.out / "spark-runs.json"):
        report.say(f"- spark-runs.json has {there} runs; those of the same code are not repeated")
    data = corpora(plan, args.out / "spark-data", report)
    sections = args.only or ("programs", "scaling")
    if "programs" in sections:
        best = choose_settings(plan, next(iter(data.values())), report)
        for name, one in data.items():
            programs(plan, name, one, best, report)
    if "scaling" in sections:
        for section in (steps, growth, overhead, machines):
            section(plan, args.out / "spark-data", report)


def parser() -> argparse.ArgumentParser:
    found = options(__doc__, "a small corpus", "quick")
    found.add_argument("--only", nargs="+", choices=("programs", "scaling"), help="only these sections")
    return found


def corpora(plan: Plan, folder: Path, report: Report) -> dict[str, Data]:
    """The corpora, written in the forms that programs read; a line for one that is missing."""
    found: dict[str, Data] = {}
    for name in plan.corpora:
        if report.has(FILES[name]):
            found[name] = written(folder, name)
    found["generated"] = written(folder, "generated", plan.documents, plan.words)
    for name, data in found.items():
        about = data.about()
        report.say(
            f"- {name}: {about['documents']:,.0f} documents to learn from, {about['words']:,.0f} words, "
            f"{about['tokens']:,.0f} tokens"
        )
    return found


def choose_settings(plan: Plan, data: Data, report: Report) -> dict[str, Settings]:
    """The best of each program's tries on the dev split of one corpus."""
    report.section(
        "Settings",
        f"{TRIES} tries of each program, ours no more: {data.folder.name}, K = {plan.topics}, "
        f"{plan.try_passes} passes, scored on the dev split. n/K is divided by K.",
        ("program", "setting", "dev score", "CPU s", "chosen"),
    )

    def cell(program: str, settings: Settings) -> Cell:
        return cell_of(program, data, plan.topics, (plan.try_passes,), settings, part="dev")

    return best_settings(report, GRIDS, cell, run_cell)


def cell_of(
    program: str, data: Data, topics: int, at: tuple[int, ...], settings: Settings, part: str = "test"
) -> Cell:
    """A program's run on local[2]; "mean-field online" is mean-field with a schedule of its own."""
    given = dict(settings)
    if program == "mean-field online":
        given = {"batch_size": 1024, **given}  # at its default too: the library's 256 are for one machine
        program = "mean-field"
    return spark_scaling.cell_of(program, data, topics, at, settings=given, part=part)


def programs(plan: Plan, name: str, data: Data, best: dict[str, Settings], report: Report) -> None:
    """The tables of held-out scores and seconds by passes, and of what was wanted."""
    report.section(
        f"Programs on {name}",
        f"K = {plan.topics}, each at the best of its tries. Score: document completion in nats per word on "
        "the test split, topics of the seen halves inferred by one inference for all. Seconds: since "
        "learning began; MLlib's documents are in memory by then, ours are read from files in every pass.",
        COLUMNS,
    )
    found: dict[str, Row] = {}
    few = plan.few if name == "generated" else {}

    def ran(program: str, at: tuple[int, ...], **more: Any) -> Row:
        return run_cell(cell_of(program, data, plan.topics, at, {**best[program], **more}))

    for program in (*OURS, *THEIRS):
        at = few.get(program, plan.passes)
        apart = bool(few)  # so that a benchmark that is cut short loses only minutes
        found[program] = joined([ran(program, (one,)) for one in at]) if apart else ran(program, at)
    if not few:
        found["MLlib online, full batch"] = ran("MLlib online", plan.full, **FULL_BATCH)
        found["MLlib em, longer"] = ran("MLlib em", plan.longer)
    unigram = next((one["unigram"] for one in found.values() if "unigram" in one), None)
    report.row({"corpus": name, "program": "unigram", "score": unigram})
    for program, result in found.items():
        for row in rows_of(name, program, result):
            report.row(row)
    report.section(f"What was wanted, on {name}", "A ratio above one is in our favour.", WANTED)
    for row in claims(name, found):
        report.row(row)


def joined(runs: list[Row]) -> Row:
    """Runs of one point each as one of all points; a pass's seconds are between the first and the last.

    >>> one, two = ({"points": [{"step": n, "wall_s": 5.0 + n, "cpu_s": 8.0 + n}]} for n in (1, 3))
    >>> joined([one, two])["pass_cpu_s"]
    1.0
    """
    failed = [run for run in runs if "error" in run]
    if failed:
        return failed[0]
    points = [point for run in runs for point in run["points"]]
    first, last = points[0], points[-1]
    if first is last:
        return runs[0]
    steps = last["step"] - first["step"]
    passes = {
        f"pass_{clock}_s": (last[f"{clock}_s"] - first[f"{clock}_s"]) / steps for clock in ("wall", "cpu")
    }
    return {**runs[-1], **passes, "points": points}


def rows_of(corpus: str, program: str, result: Row) -> list[Row]:
    """A row for each point, the last with seconds per pass."""
    row = {"corpus": corpus, "program": program}
    if "error" in result:
        return [{**row, "passes": f"did not run: {result['error']}"}]
    rows: list[Row] = [{**row, **point_row(point), "passes": point["step"]} for point in result["points"]]
    rows[-1] |= {"wall s/pass": result["pass_wall_s"], "CPU s/pass": result["pass_cpu_s"]}
    return rows


def claims(corpus: str, found: dict[str, Row]) -> list[Row]:
    """Seconds per full pass, and seconds to the best score of MLlib's runs."""
    ran = {program: result for program, result in found.items() if "error" not in result}
    theirs = [program for program in ran if program.startswith("MLlib")]
    rows: list[Row] = []
    for peer in ("MLlib em", "MLlib online, full batch"):
        for program in ("mean-field", "hybrid"):
            if peer in ran and program in ran:
                for clock in ("wall", "cpu"):
                    pair = ran[program][f"pass_{clock}_s"], ran[peer][f"pass_{clock}_s"]
                    what = f"{program}: {clock} seconds per pass, against {peer}"
                    rows.append(compared(corpus, what, *pair, "3"))
    points = [(point["score"], point, peer) for peer in theirs for point in ran[peer]["points"]]
    if not points:
        return rows
    score, target, peer = max(points, key=lambda one: one[0])
    if score < ran[peer]["unigram"] + LEARNED:
        return [*rows, {"corpus": corpus, "what": f"theirs has learned nothing yet: {score:.3f}"}]
    for program in OURS:
        if program in ran:
            first = next((p for p in ran[program]["points"] if p["score"] >= score), None)
            for clock in ("wall", "cpu"):
                what = f"{program}: {clock} seconds to {score:.3f} ({peer}, {target['step']} passes)"
                own = None if first is None else first[f"{clock}_s"]
                rows.append(compared(corpus, what, own, target[f"{clock}_s"], "5"))
    return rows


def compared(corpus: str, what: str, ours: float | None, theirs: float, wanted: str) -> Row:
    """A row of two times; `ours` is None if a score was not reached.

    >>> compared("x", "a pass", 2.0, 8.0, "3")["ratio"]
    '4.00, kept'
    """
    if ours is None:
        ratio = "not reached: ours loses"
    else:
        ratio = f"{theirs / ours:.2f}, {'kept' if theirs / ours >= float(wanted) else 'NOT kept'}"
    return {"corpus": corpus, "what": what, "ours": ours, "theirs": theirs, "ratio": ratio, "wanted": wanted}


if __name__ == "__main__":
    run("spark", "LDA on Spark compared with MLlib's", parser(), measure)
