"""How a step grows: with documents, words and topics, beside threads of one machine, and with executors."""

from pathlib import Path

from spark_cell import SparkCell, run_cell
from spark_data import written
from spark_plan import Plan
from tables import Report, Row

STEPS = ("what", "documents", "K", "wall s/pass", "CPU s/pass", "µs CPU a document")
BYTES = (
    "documents", "words", "schedule", "driver sent", "driver got", "jobs", "records", "shuffled", "in files",
    "files", "driver MB", "worker MB",
)  # fmt: skip
PLACES = ("program", "where", "wall s/pass", "CPU s/pass", "against")


def steps(plan: Plan, folder: Path, report: Report) -> None:
    """A step against documents and against topics."""
    report.section(
        "A step against documents and topics",
        f"Generated documents, {plan.words:,} words, local[2]. Seconds of a pass after the first.",
        STEPS,
    )
    at = (1, plan.few_passes)
    for program in ("mean-field", "hybrid"):
        for documents in plan.smaller:
            data = written(folder, "generated", documents, plan.words)
            cell = SparkCell(program, str(data.folder), plan.topics, at)
            report.row(step_row(program, documents, plan.topics, run_cell(cell)))
    data = written(folder, "generated", plan.smaller[0], plan.words)
    for program in ("mean-field", "hybrid"):
        for topics in plan.more_topics:
            cell = SparkCell(program, str(data.folder), topics, at)
            report.row(step_row(program, plan.smaller[0], topics, run_cell(cell)))


def step_row(program: str, documents: int, topics: int, result: Row) -> Row:
    """A run's time of a pass."""
    row: Row = {"what": program, "documents": documents, "K": topics}
    if "error" in result:
        return {**row, "wall s/pass": f"did not run: {result['error']}"}
    a_document = result["pass_cpu_s"] / documents * 1e6
    return {
        **row,
        "wall s/pass": result["pass_wall_s"],
        "CPU s/pass": result["pass_cpu_s"],
        "µs CPU a document": a_document,
    }


def growth(plan: Plan, folder: Path, report: Report) -> None:
    """Bytes of a step as the corpus and the vocabulary double."""
    report.section(
        "Bytes of a step",
        f"Mean-field, K = {plan.topics}, 16 blocks, the last step of the run. The driver sends tasks (code, "
        "small part, names of files, portions of documents) and gets small sums; shuffled bytes go from task "
        "to task.",
        BYTES,
    )
    words = plan.words // 2, plan.words
    batches = [(documents, n, {}, 2) for n in words for documents in plan.smaller]
    online = [(documents, words[0], {"batch_size": 1024}, 1) for documents in plan.smaller[:2]]
    for documents, n, schedule, passes in (*batches, *online):
        settings = {"blocks": 16, **schedule}
        data = written(folder, "generated", documents, n)
        cell = SparkCell("mean-field", str(data.folder), plan.topics, (passes,), settings)
        told = "online, 1,024" if schedule else "batch"
        report.row(bytes_row(documents, n, told, run_cell(cell)))


def bytes_row(documents: int, words: int, schedule: str, result: Row) -> Row:
    """A run's last step."""
    row: Row = {"documents": documents, "words": words, "schedule": schedule}
    if "error" in result:
        return {**row, "driver sent": f"did not run: {result['error']}"}
    last = result["last_step"]
    return {
        **row,
        "driver sent": last["sent"],
        "driver got": last["got"],
        "jobs": last["jobs"],
        "records": last["records"],
        "shuffled": last["shuffled"],
        "in files": last["filed"],
        "files": last["files"],
        "driver MB": result["driver_mb"],
        "worker MB": result["worker_mb"],
    }


def overhead(plan: Plan, folder: Path, report: Report) -> None:
    """The same work on threads of one machine and on Spark."""
    report.section(
        "Beside threads of one machine",
        f"{plan.documents:,} generated documents, K = {plan.topics}. Asked: less than 1.30 times the "
        "seconds of as many threads.",
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
                run_cell(SparkCell(program, str(data.folder), plan.topics, (1, plan.few_passes), where=where))
                for where in pair
            ]
            for where, result in zip(pair, found, strict=True):
                report.row(place_row(program, where, result, found[0] if where == pair[1] else None))


def place_row(program: str, where: str, result: Row, first: Row | None) -> Row:
    """A run's time of a pass, and as a multiple of another's.

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
