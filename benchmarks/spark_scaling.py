"""Growth of a step with documents, words and topics, compared with threads of one machine, and with
executors."""

from pathlib import Path
from typing import Any

from benchmarks.contest import Cell
from benchmarks.harness import Report, Row
from benchmarks.spark_cell import run_cell
from benchmarks.spark_data import Data, written
from benchmarks.spark_plan import Plan

STEPS = ("what", "documents", "K", "wall s/pass", "CPU s/pass", "µs CPU/document")
BYTES = (
    "documents", "words", "schedule", "driver sent", "driver got", "jobs", "records", "shuffled", "in files",
    "files", "driver MB", "worker MB",
)  # fmt: skip
PLACES = ("program", "where", "wall s/pass", "CPU s/pass", "against")


def cell_of(program: str, data: Data, topics: int, at: tuple[int, ...], **fields: Any) -> Cell:
    """A run on a written corpus, on local[2] if `fields` does not name another place."""
    return Cell(program, topics, at, corpus=str(data.folder), **{"where": "local[2]", **fields})


def steps(plan: Plan, folder: Path, report: Report) -> None:
    """The table of a step's time by documents and topics."""
    report.section(
        "A step against documents and topics",
        f"Generated documents, {plan.words:,} words, local[2]. Seconds per pass after the first.",
        STEPS,
    )
    at = (1, plan.few_passes)
    for program in ("mean-field", "hybrid"):
        for documents in plan.smaller:
            data = written(folder, "generated", documents, plan.words)
            cell = cell_of(program, data, plan.topics, at)
            report.row(step_row(program, documents, plan.topics, run_cell(cell)))
    data = written(folder, "generated", plan.smaller[0], plan.words)
    for program in ("mean-field", "hybrid"):
        for topics in plan.more_topics:
            cell = cell_of(program, data, topics, at)
            report.row(step_row(program, plan.smaller[0], topics, run_cell(cell)))


def step_row(program: str, documents: int, topics: int, result: Row) -> Row:
    """A run's time per pass."""
    row: Row = {"what": program, "documents": documents, "K": topics}
    if "error" in result:
        return {**row, "wall s/pass": f"did not run: {result['error']}"}
    a_document = result["pass_cpu_s"] / documents * 1e6
    return {
        **row,
        "wall s/pass": result["pass_wall_s"],
        "CPU s/pass": result["pass_cpu_s"],
        "µs CPU/document": a_document,
    }


def growth(plan: Plan, folder: Path, report: Report) -> None:
    """The table of bytes of a step as the corpus and the vocabulary double."""
    report.section(
        "Bytes of a step",
        f"Mean-field, K = {plan.topics}, 16 blocks, the last step of the run. The driver sends tasks (code, "
        "the small arrays, names of files, portions of documents) and gets small sums; shuffled bytes go "
        "from task to task.",
        BYTES,
    )
    words = plan.words // 2, plan.words
    batches = [(documents, n, {}, 2) for n in words for documents in plan.smaller]
    online = [(documents, words[0], {"batch_size": 1024}, 1) for documents in plan.smaller[:2]]
    for documents, n, schedule, passes in (*batches, *online):
        settings = {"blocks": 16, **schedule}
        data = written(folder, "generated", documents, n)
        cell = cell_of("mean-field", data, plan.topics, (passes,), settings=settings)
        name = "online, 1,024" if schedule else "batch"
        report.row(bytes_row(documents, n, name, run_cell(cell)))


def bytes_row(documents: int, words: int, schedule: str, result: Row) -> Row:
    """A run's last step."""
    row: Row = {"documents": documents, "words": words, "schedule": schedule}
    if "error" in result:
        return {**row, "driver sent": f"did not run: {result['error']}"}
    last = result["last_step"]
    names = {"driver sent": "sent", "driver got": "got", "in files": "filed"}
    figures = {name: last[names.get(name, name)] for name in BYTES[3:10]}
    return {**row, **figures, "driver MB": result["driver_mb"], "worker MB": result["worker_mb"]}


def overhead(plan: Plan, folder: Path, report: Report) -> None:
    """The same work on threads of one machine and on Spark."""
    report.section(
        "Compared with threads of one machine",
        f"{plan.documents:,} generated documents, K = {plan.topics}. Wanted: less than 1.30 times the "
        "seconds of the same number of threads.",
        PLACES,
    )
    pairs = (("1 thread", "local[1]"), ("2 threads", "local[2]"))
    compare_places(plan, folder, report, ("mean-field", "hybrid"), pairs)


def machines(plan: Plan, folder: Path, report: Report) -> None:
    """One executor against two: threads of one JVM, and processes of their own."""
    report.section(
        "One executor against two",
        f"{plan.documents:,} generated documents, K = {plan.topics}. Half the wall seconds would be perfect.",
        PLACES,
    )
    pairs = (("local[1]", "local[2]"), ("local-cluster[1,1,1024]", "local-cluster[2,1,1024]"))
    compare_places(plan, folder, report, ("mean-field", "hybrid"), pairs)


def compare_places(
    plan: Plan, folder: Path, report: Report, programs: tuple[str, ...], pairs: tuple[tuple[str, str], ...]
) -> None:
    """Rows of programs in places, the second of a pair as a multiple of the first."""
    data = written(folder, "generated", plan.documents, plan.words)
    for program in programs:
        for pair in pairs:
            found = [
                run_cell(cell_of(program, data, plan.topics, (1, plan.few_passes), where=where))
                for where in pair
            ]
            for where, result in zip(pair, found, strict=True):
                report.row(place_row(program, where, result, found[0] if where == pair[1] else None))


def place_row(program: str, where: str, result: Row, first: Row | None) -> Row:
    """A run's time per pass, also as a multiple of another run's.

    >>> one, two = {"pass_wall_s": 4.0, "pass_cpu_s": 2.0}, {"pass_wall_s": 2.0, "pass_cpu_s": 3.0}
    >>> place_row("mean-field", "local[2]", two, one)["against"]
    'wall 0.50×, CPU 1.50×'
    """
    row: Row = {"program": program, "where": where}
    if "error" in result:
        return {**row, "wall s/pass": f"did not run: {result['error']}"}
    row |= {"wall s/pass": result["pass_wall_s"], "CPU s/pass": result["pass_cpu_s"]}
    if first is not None and "error" not in first:
        wall = result["pass_wall_s"] / first["pass_wall_s"]
        cpu = result["pass_cpu_s"] / first["pass_cpu_s"]
        row["against"] = f"wall {wall:.2f}×, CPU {cpu:.2f}×"
    return row
