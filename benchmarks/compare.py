"""Comparisons of LDA: equal rules, equal scores, threads, decay, memory. Runs of the table are used again."""

import os
from dataclasses import replace

from benchmarks import decay, memory
from benchmarks.cell import run_cell
from benchmarks.contest import Cell, Settings
from benchmarks.harness import Report, Row
from benchmarks.plan import GRID_K, Plan
from benchmarks.processes import Result
from benchmarks.tables import COMPARISONS, alone, failure, nothing, rate, seconds, to_score

Best = dict[str, Settings]
HYBRID_SWEEPS = 10  # burn-in and samples of a pass at the default, 5 and 5: every one counts
IDLE = 0.5  # a load above this makes wall seconds of threads unreliable


def compare_all(plan: Plan, best: Best, report: Report) -> None:
    """A row for each comparison that the plan's programs allow."""
    report.section(
        "Comparisons",
        "AP, seed 0, one thread if nothing else is said. A ratio above one is in our favour. Seconds are "
        "CPU seconds, without scoring. Ours reaches a score at its first point with that score or a higher "
        "one.",
        COMPARISONS,
    )
    sections = (same_rule, passes_to_score, assignments, sweeps, sweeps_to_score, threads, table, bounded)
    for section in sections:
        for row in section(plan, best):
            report.row(row)


def same_rule(plan: Plan, best: Best) -> list[Row]:
    """A pass of mean-field against scikit-learn's: same prior, random starts, inner rounds and tolerance."""
    rows = []
    for rounds in (100, 20):
        what = (
            f"mean-field against scikit-learn, one pass, both with {rounds} inner rounds and tolerance 1e-3"
        )
        ours = {"alpha": 0.1, "eta": 0.01, "init": "random", "doc_max_iter": rounds, "doc_tol": 1e-3}
        theirs = {"doc_topic_prior": 0.1, "topic_word_prior": 0.01}
        theirs |= {"max_doc_update_iter": rounds, "mean_change_tol": 1e-3}
        a = run_cell(Cell("mean-field", GRID_K, (10,), "the same rule", ours))
        b = run_cell(Cell("scikit-learn", GRID_K, (10,), "the same rule", theirs))
        failed = failure(what, GRID_K, a, b)
        rows.append(failed or seconds(what, GRID_K, a["step_cpu_s"], b["step_cpu_s"], _scores(a, b)))
    return rows


def passes_to_score(plan: Plan, best: Best) -> list[Row]:
    """CPU seconds to the score of a peer after its last pass, at its best setting and its default."""
    rows = []
    pairs = (("mean-field", "scikit-learn"), ("mean-field", "gensim"), ("mean-field online", "vowpal wabbit"))
    for ours, theirs in pairs:
        if theirs not in plan.programs:
            rows.append(nothing(f"{ours} to {theirs}'s score", GRID_K, f"{theirs} is missing"))
            continue
        for label, settings in {"best": best, "default": {}}.items():
            a = run_cell(plan.cell(ours, GRID_K, settings.get(ours, {})))
            b = run_cell(plan.cell(theirs, GRID_K, settings.get(theirs, {})))
            last = plan.points(theirs, GRID_K)[-1]
            what = f"{ours} to {theirs}'s score after {last} passes, both at their {label}"
            rows.append(to_score(what, GRID_K, a, b, last))
    return rows


def assignments(plan: Plan, best: Best) -> list[Row]:
    """The hybrid's sampled assignments per second."""
    rows = []
    for topics in (100, 1000):
        what = f"hybrid, sampled assignments per CPU second ({HYBRID_SWEEPS} sweeps per pass)"
        result = run_cell(Cell("hybrid", topics, (8,)))
        if "error" in result:
            rows.append(nothing(what, topics, result["error"][:80]))
            continue
        value = HYBRID_SWEEPS * result["tokens"] / result["step_cpu_s"]
        rows.append(alone(what, topics, f"{value / 1e6:.2f} million/s", "burn-in and samples counted"))
    return rows


def sweeps(plan: Plan, best: Best) -> list[Row]:
    """Exact Gibbs sampling: tokens per second against tomotopy's, neither with optimised priors."""
    rows = []
    for topics in (100, 200):
        what = "gibbs against tomotopy, tokens per CPU second of a sweep"
        priors = {"alpha": 0.1, "eta": 0.01}
        a = run_cell(Cell("gibbs", topics, (50,), "the same rule", priors))
        b = run_cell(Cell("tomotopy", topics, (50,), "the same rule", {**priors, "optim_interval": 0}))
        failed = failure(what, topics, a, b)
        rows.append(failed or rate(what, topics, _tokens_per_second(a), _tokens_per_second(b), _scores(a, b)))
    return rows


def sweeps_to_score(plan: Plan, best: Best) -> list[Row]:
    """CPU seconds to a sampler's early score (50 sweeps) and its converged one (the best of its points)."""
    rows = []
    for peer in ("tomotopy", "mallet"):
        java = peer == "mallet"
        for topics in (100, 500, 1000):
            for ours in ("gibbs", "gibbs-delayed"):
                if peer not in plan.programs:
                    rows.append(nothing(f"{ours} to {peer}'s score", topics, f"{peer} is missing"))
                    continue
                a = run_cell(plan.cell(ours, topics, best[ours]))
                b = run_cell(plan.cell(peer, topics, best[peer]))
                if topics > GRID_K:
                    rows.append(to_score(f"{ours} to {peer}'s score after 50 sweeps", topics, a, b, 50, java))
                last = plan.points(peer, topics)[-1]
                rows.append(
                    to_score(f"{ours} to {peer}'s best score in {last} sweeps", topics, a, b, start_off=java)
                )
    return rows


def threads(plan: Plan, best: Best) -> list[Row]:
    """Wall seconds of a step with two threads compared with one, at K = 100."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    rows = []
    for name, steps in (("mean-field", 10), ("hybrid", 8), ("gibbs-delayed", 50)):
        what = f"{name}: two threads against one, wall seconds per step"
        if cores < 2:
            rows.append(nothing(what, GRID_K, "fewer than two cores"))
            continue
        load = os.getloadavg()[0]
        one = run_cell(Cell(name, GRID_K, (steps,), "threads"))
        two = run_cell(replace(Cell(name, GRID_K, (steps,), "threads"), threads=2))
        note = 'ours with two is under "ours", with one under "theirs"'
        if load > IDLE + 1:  # this benchmark itself is a load of one
            note += f"; the cores were not idle (load {load:.1f})"
        same = failure(what, GRID_K, one, two)
        rows.append(same or seconds(what, GRID_K, two["step_wall_s"], one["step_wall_s"], note))
    return rows


def table(plan: Plan, best: Best) -> list[Row]:
    """The table's decay."""
    result = decay.measure()
    what = f"Table.blend of {result['rows']:,} of {result['words']:,} rows against a dense pass"
    return [seconds(what, result["topics"], result["blend_s"], result["dense_s"])]


def bounded(plan: Plan, best: Best) -> list[Row]:
    """Memory on a corpus ten times the allowance."""
    result = memory.measure()
    what = "online pass over a corpus ten times the allowance: memory grew by"
    if "error" in result:
        return [nothing(what, memory.N_TOPICS, result["error"])]
    kept = "kept" if result["kept"] else "NOT kept: ours loses"
    note = f"allowed {result['allowed_mb']:.0f} MB, {kept}; corpus {result['corpus_mb']:.0f} MB decoded"
    note += f", {result['on_disk_mb']:.0f} MB on disk; {result['before_mb']:.0f} MB before"
    row = alone(what, memory.N_TOPICS, f"{result['grown_mb']:.0f} MB", note)
    return [row if result["kept"] else {**row, "ratio": "ours loses"}]


def _scores(ours: Result, theirs: Result) -> str:
    a, b = (result["points"][-1] for result in (ours, theirs))
    return f"scores after {a['step']} and {b['step']} steps {a['score']:.3f} and {b['score']:.3f}"


def _tokens_per_second(result: Result) -> float:
    return result["tokens"] / result["step_cpu_s"]
