"""The comparisons: equal rules, equal scores, threads, decay, memory. Runs of the table are used again."""

import os
from dataclasses import replace

import decay
import memory
from cell import Cell, Result, run_cell
from plan import GRID_K, Plan
from settings import Settings
from tables import COMPARISONS, Report, Row, alone, nothing, rate, seconds, to_score

Best = dict[str, Settings]
HYBRID_SWEEPS = 10  # burn-in and samples of a pass at the default, 5 and 5: every one counts
IDLE = 0.5  # load above this, and the wall seconds of threads mean little


def all_of_them(plan: Plan, best: Best, report: Report) -> None:
    """Every comparison that the plan's programs allow."""
    report.section(
        "Comparisons",
        "AP, seed 0, one thread unless said. A ratio above one is in our favour. Seconds are CPU seconds, "
        "without scoring. Ours reaches a score at the first of its points that is as high.",
        COMPARISONS,
    )
    for section in (
        same_rule,
        passes_to_score,
        assignments,
        sweeps,
        sweeps_to_score,
        threads,
        table,
        bounded,
    ):
        for row in section(plan, best):
            report.row(row)


def same_rule(plan: Plan, best: Best) -> list[Row]:
    """Mean-field a pass against scikit-learn's: same prior, random starts, inner rounds and tolerance."""
    rows = []
    for rounds in (100, 20):
        what = f"mean-field against scikit-learn, a pass, both {rounds} inner rounds and 1e-3"
        ours = {"alpha": 0.1, "eta": 0.01, "init": "random", "doc_max_iter": rounds, "doc_tol": 1e-3}
        theirs = {"doc_topic_prior": 0.1, "topic_word_prior": 0.01}
        theirs |= {"max_doc_update_iter": rounds, "mean_change_tol": 1e-3}
        a = run_cell(Cell("mean-field", GRID_K, (10,), "the same rule", ours))
        b = run_cell(Cell("scikit-learn", GRID_K, (10,), "the same rule", theirs))
        failed = _both(what, GRID_K, a, b)
        rows.append(failed or seconds(what, GRID_K, a["step_cpu_s"], b["step_cpu_s"], _scores(a, b)))
    return rows


def passes_to_score(plan: Plan, best: Best) -> list[Row]:
    """CPU seconds to the score that a peer has after its last pass, at its best setting and its default."""
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
    """The hybrid's sampled assignments a second."""
    rows = []
    for topics in (100, 1000):
        what = f"hybrid, sampled assignments a CPU second ({HYBRID_SWEEPS} sweeps a pass)"
        result = run_cell(Cell("hybrid", topics, (8,)))
        if "error" in result:
            rows.append(nothing(what, topics, result["error"][:80]))
            continue
        value = HYBRID_SWEEPS * result["tokens"] / result["step_cpu_s"]
        rows.append(alone(what, topics, f"{value / 1e6:.2f} million/s", "burn-in and samples counted"))
    return rows


def sweeps(plan: Plan, best: Best) -> list[Row]:
    """Exact Gibbs sampling: tokens a second against tomotopy's, no optimisation of priors in either."""
    rows = []
    for topics in (100, 200):
        what = "gibbs against tomotopy, tokens a CPU second of a sweep"
        priors = {"alpha": 0.1, "eta": 0.01}
        a = run_cell(Cell("gibbs", topics, (50,), "the same rule", priors))
        b = run_cell(Cell("tomotopy", topics, (50,), "the same rule", {**priors, "optim_interval": 0}))
        failed = _both(what, topics, a, b)
        rows.append(failed or rate(what, topics, _tokens_a_second(a), _tokens_a_second(b), _scores(a, b)))
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
    """Wall seconds of a step with two threads beside one, at K = 100."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    rows = []
    for name, steps in (("mean-field", 10), ("hybrid", 8), ("gibbs-delayed", 50)):
        what = f"{name}: two threads against one, wall seconds a step"
        if cores < 2:
            rows.append(nothing(what, GRID_K, "fewer than two cores"))
            continue
        load = os.getloadavg()[0]
        one = run_cell(Cell(name, GRID_K, (steps,), "threads"))
        two = run_cell(replace(Cell(name, GRID_K, (steps,), "threads"), threads=2))
        note = 'ours with two is under "ours", with one under "theirs"'
        if load > IDLE + 1:  # this benchmark itself is a load of one
            note += f"; the cores were not idle (load {load:.1f})"
        same = _both(what, GRID_K, one, two)
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


def _both(what: str, topics: int, ours: Result, theirs: Result) -> Row | None:
    """A row that says which side did not run, or None when both did."""
    for side, result in (("ours", ours), ("theirs", theirs)):
        if "error" in result:
            return nothing(what, topics, f"{side} did not run ({result['error'][:80]})")
    return None


def _scores(ours: Result, theirs: Result) -> str:
    a, b = (result["points"][-1] for result in (ours, theirs))
    return f"scores after {a['step']} and {b['step']} steps {a['score']:.3f} and {b['score']:.3f}"


def _tokens_a_second(result: Result) -> float:
    return result["tokens"] / result["step_cpu_s"]
