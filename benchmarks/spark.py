"""LDA on Spark beside MLlib's: one corpus, one scorer, wall and CPU seconds, sessions that are alike.

`make bench-spark` runs all of it on local[2]; `--quick` (QUICK=1) runs a small generated corpus to see that
everything works. CPU seconds are those of the Python driver, the JVM and the Python workers together; on a
machine with other work trust them rather than the wall's. The tables are printed as they come and kept in
bench-results/; so is every run, in spark-runs.json, from which a benchmark that was cut short goes on (remove
it to measure all anew). Settings of every program are chosen on documents of their own by the same number of
tries. Our sessions are as the command makes them, without compressed shuffles and with Java that compiles
lightly; MLlib's are as Spark makes them, which is faster for it: uncompressed, its EM took 2.4 times as long
and its online optimizer 1.1 times (20 Newsgroups, 8 passes).
"""

import argparse
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lda import machine
from spark_cell import KEPT, SparkCell, run_cell
from spark_data import Data, missing, written
from spark_plan import FULL_BATCH, GRIDS, OURS, QUICK, THEIRS, TRIES, WHOLE, Plan, Settings
from spark_scaling import growth, machines, overhead, steps
from tables import Report, Row, options_of

from stickbreaker.core.errors import UserError
from stickbreaker.spark import check_spark

COLUMNS = ("corpus", "program", "passes", "wall s", "CPU s", "wall s/pass", "CPU s/pass", "score")
LEARNED = 0.05  # nats a word above the unigram
ASKED = ("corpus", "what", "ours", "theirs", "ratio", "asked")


def main() -> None:
    args = arguments()
    try:
        check_spark()
    except UserError as error:
        raise SystemExit(str(error)) from None
    plan = QUICK if args.quick else WHOLE
    report = Report(args.out, "spark", {"machine": machine(), "pyspark": version("pyspark")})
    report.say(f"# LDA on Spark beside MLlib's\n\n{machine()} PySpark {version('pyspark')}.\n")
    there = KEPT.open(args.out / "spark-runs.json")
    if there:
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
    print(f"\nWritten: {args.out / 'spark.md'} and spark.json")


def arguments() -> argparse.Namespace:
    options = options_of(__doc__, "a small corpus", "quick")
    options.add_argument("--only", nargs="+", choices=("programs", "scaling"), help="only these sections")
    return options.parse_args()


def corpora(plan: Plan, folder: Path, report: Report) -> dict[str, Data]:
    """The corpora, written; a line for one that is missing."""
    found: dict[str, Data] = {}
    for name in plan.corpora:
        told = missing(name)
        if told:
            report.say(f"MISSING: {name}: {told}")
        else:
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
        f"{TRIES} tries a program, ours no more: {data.folder.name}, K = {plan.topics}, {plan.try_passes} "
        "passes, scored on the dev split. n/K is divided by K.",
        ("program", "setting", "dev score", "CPU s"),
    )
    best: dict[str, Settings] = {}
    for program in (*OURS, *THEIRS):
        top = float("-inf")
        for settings in ({}, *GRIDS[program]):
            cell = cell_of(program, data, plan.topics, (plan.try_passes,), settings, part="dev")
            result = run_cell(cell)
            told = ", ".join(f"{key}={value}" for key, value in settings.items()) or "default"
            if "error" in result:
                report.row({"program": program, "setting": told, "dev score": result["error"]})
                continue
            end = result["points"][-1]
            report.row(
                {"program": program, "setting": told, "dev score": end["score"], "CPU s": end["cpu_s"]}
            )
            if end["score"] > top:
                top, best[program] = end["score"], settings
    return best


def cell_of(
    program: str, data: Data, topics: int, at: tuple[int, ...], settings: Settings, part: str = "test"
) -> SparkCell:
    """A program's run; "mean-field online" is mean-field with a schedule of its own."""
    given = dict(settings)
    if program == "mean-field online":
        given = {"batch_size": 1024, **given}  # at its default too: the library's 256 are for one machine
        program = "mean-field"
    return SparkCell(program, str(data.folder), topics, at, given, part=part)


def programs(plan: Plan, name: str, data: Data, best: dict[str, Settings], report: Report) -> None:
    """Held-out scores and seconds by passes, and what was asked of them."""
    report.section(
        f"Programs on {name}",
        f"K = {plan.topics}, each at the best of its tries. Score: document completion in nats a word on the "
        "test split, topics of the seen halves inferred by one inference for all. Seconds: since learning "
        "began; MLlib's documents are in memory by then, ours are read from files in every pass.",
        COLUMNS,
    )
    found: dict[str, Row] = {}
    few = plan.few if name == "generated" else {}

    def ran(program: str, at: tuple[int, ...], **more: Any) -> Row:
        return run_cell(cell_of(program, data, plan.topics, at, {**best[program], **more}))

    for program in (*OURS, *THEIRS):
        at = few.get(program, plan.passes)
        if program in best:
            apart = bool(few)  # so that a benchmark that is cut short loses minutes
            found[program] = joined([ran(program, (one,)) for one in at]) if apart else ran(program, at)
    if "MLlib online" in best and not few:
        found["MLlib online, full batch"] = ran("MLlib online", plan.full, **FULL_BATCH)
    if "MLlib em" in best and not few:
        found["MLlib em, longer"] = ran("MLlib em", plan.longer)
    unigram = next((one["unigram"] for one in found.values() if "unigram" in one), None)
    report.row({"corpus": name, "program": "unigram", "score": unigram})
    for program, result in found.items():
        for row in rows_of(name, program, result):
            report.row(row)
    report.section(f"What was asked, on {name}", "A ratio above one is in our favour.", ASKED)
    for row in asked(name, found):
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
    """A row a point, the last with seconds a pass."""
    if "error" in result:
        return [{"corpus": corpus, "program": program, "passes": f"did not run: {result['error']}"}]
    rows: list[Row] = [
        {
            "corpus": corpus,
            "program": program,
            "passes": point["step"],
            "wall s": point["wall_s"],
            "CPU s": point["cpu_s"],
            "score": f"{point['score']:.3f}",
        }
        for point in result["points"]
    ]
    rows[-1] |= {"wall s/pass": result["pass_wall_s"], "CPU s/pass": result["pass_cpu_s"]}
    return rows


def asked(corpus: str, found: dict[str, Row]) -> list[Row]:
    """Seconds of a full pass, and seconds to the best score of MLlib's runs."""
    ran = {program: result for program, result in found.items() if "error" not in result}
    theirs = [program for program in ran if program.startswith("MLlib")]
    rows: list[Row] = []
    for peer in ("MLlib em", "MLlib online, full batch"):
        for program in ("mean-field", "hybrid"):
            if peer in ran and program in ran:
                for clock in ("wall", "cpu"):
                    pair = ran[program][f"pass_{clock}_s"], ran[peer][f"pass_{clock}_s"]
                    what = f"{program}: {clock} seconds a pass, against {peer}"
                    rows.append(compared(corpus, what, *pair, "3"))
    points = [(point["score"], point, peer) for peer in theirs for point in ran[peer]["points"]]
    if not points:
        return rows
    score, target, peer = max(points, key=lambda one: one[0])
    if score < ran[peer]["unigram"] + LEARNED:
        return [*rows, {"corpus": corpus, "what": f"theirs have learned nothing yet: {score:.3f}"}]
    for program in OURS:
        if program in ran:
            first = next((p for p in ran[program]["points"] if p["score"] >= score), None)
            for clock in ("wall", "cpu"):
                what = f"{program}: {clock} seconds to {score:.3f} ({peer}, {target['step']} passes)"
                own = None if first is None else first[f"{clock}_s"]
                rows.append(compared(corpus, what, own, target[f"{clock}_s"], "5"))
    return rows


def compared(corpus: str, what: str, ours: float | None, theirs: float, asked: str) -> Row:
    """A row of two times; `ours` None was not reached.

    >>> compared("x", "a pass", 2.0, 8.0, "3")["ratio"]
    '4.00, kept'
    """
    if ours is None:
        ratio = "not reached: ours loses"
    else:
        ratio = f"{theirs / ours:.2f}, {'kept' if theirs / ours >= float(asked) else 'NOT kept'}"
    return {"corpus": corpus, "what": what, "ours": ours, "theirs": theirs, "ratio": ratio, "asked": asked}


if __name__ == "__main__":
    main()
