"""The comparisons of HDPs: time to the peers' scores, sweeps per second, the cost of moves."""

from benchmarks.cell import run_cell
from benchmarks.contest import Cell, Settings
from benchmarks.harness import Report, Row
from benchmarks.hdp_plan import PEERS, Plan
from benchmarks.hdp_programs import OURS
from benchmarks.tables import COMPARISONS, failure, nothing, rate, seconds, to_score

TARGETS = {"gensim HDP": 10.0}  # times as fast as the peer ours should be at the peer's last score
MOVES = 1.5  # how much longer a lap with moves may take
LAPS, START, SWEEPS = 12, 100, 50

Best = dict[str, Settings]


def compare_all(plan: Plan, best: Best, report: Report) -> None:
    """A row for each comparison that the plan's programs allow."""
    report.section(
        "Comparisons",
        "Seed 0, one thread. K: topics that ours starts with. A ratio above one is in our favour. Seconds "
        "are of CPU time, without scoring. Ours reaches a score at its first point with that score or a "
        "higher one.",
        COMPARISONS,
    )
    for corpus in plan.corpora:
        for row in to_scores(plan, best, corpus):
            report.row(row)
        for compared in (sweeps, moves):
            report.row(compared(corpus))


def to_scores(plan: Plan, best: Best, corpus: str) -> list[Row]:
    """CPU seconds until ours has the last score of each peer, all at their best settings."""
    rows = []
    for peer in PEERS:
        for ours in OURS:
            if peer not in plan.programs or ours not in plan.programs:
                continue
            cell = plan.cell(ours, best[ours], corpus, 0)
            a, b = run_cell(cell), run_cell(plan.cell(peer, best[peer], corpus, 0))
            last = None if "error" in b else b["points"][-1]["step"]
            row = to_score(f"{corpus}: {ours} to {peer}'s last score", cell.topics, a, b, last)
            rows.append(_judged(row, TARGETS.get(peer)))
    return rows


def sweeps(corpus: str) -> Row:
    """Collapsed Gibbs sampling: tokens per second compared with tomotopy's, from the same number of
    topics."""
    what = f"{corpus}: CGS against tomotopy HDP, tokens per CPU second of a sweep"
    settings = {"eta": 0.01}
    a = run_cell(Cell("CGS", START, (SWEEPS,), "the same rule", settings, corpus))
    b = run_cell(Cell("tomotopy HDP", START, (SWEEPS,), "the same rule", settings, corpus))
    if failed := failure(what, START, a, b):
        return failed
    topics = " and ".join(str(result["points"][-1]["topics"]) for result in (a, b))
    note = f"topics after {SWEEPS} sweeps: {topics}"
    ours, theirs = (result["tokens"] / result["step_cpu_s"] for result in (a, b))
    return rate(what, START, ours, theirs, note)


def moves(corpus: str) -> Row:
    """A memoised lap with moves compared with one without, with as many topics as the former had on
    average."""
    what = f"{corpus}: memoised laps with moves against laps without, the first {LAPS}"
    a = run_cell(Cell("memoised-SM", START, (LAPS,), "laps", {}, corpus))
    if "error" in a:
        return nothing(what, START, a["error"][:80])
    in_table = a["facts"]["in_table"]
    topics = round(sum(in_table) / len(in_table))
    b = run_cell(Cell("memoised", topics, (LAPS,), "laps", {}, corpus))
    if "error" in b:
        return nothing(what, START, b["error"][:80])
    ours, theirs = (result["points"][-1]["cpu_s"] for result in (a, b))
    kept = "kept" if ours <= MOVES * theirs else "NOT kept: ours loses"
    note = f'with moves under "ours", {in_table[-1]} topics at the end; without, {topics} topics throughout'
    row = seconds(what, START, ours, theirs, f"{note}; at most {MOVES:g} times as long: {kept}")
    return {**row, "ratio": f"{ours / theirs:.2f} times as long{'' if kept == 'kept' else ', ours loses'}"}


def _judged(row: Row, target: float | None) -> Row:
    """The row, and in its note whether the target is met."""
    ratio = str(row["ratio"])
    if target is None or not ratio.endswith("×"):
        return row
    met = "met" if float(ratio[:-1]) >= target else "missed"
    return {**row, "note": f"{row['note']}; target {target:g}×: {met}"}
