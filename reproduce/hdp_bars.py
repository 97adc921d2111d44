"""Section 4.1 and the first column of Figure 2: twenty bars, from eight numbers of topics."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from reproduce.claims import Claim, claims, verdict
from reproduce.hdp_data import bars, draw
from reproduce.hdp_runs import MEMOISED, ONLINE, PAPER, SPLIT_MERGE, Curve, follow, told
from reproduce.hdp_scoring import Scorer
from reproduce.hdp_tables import best, of, panels, runs_table, worst
from reproduce.pages import Section

from stickbreaker import Corpus

TRUE = 20
STARTS = (2, 5, 10, 20, 40, 50, 80, 100)
FIXED = (20, 50)
BATCH, PASSES = 200, 40  # 400 iterations, as in Figure 2
THETA = {"sparse": 1 / 20, "dense": 5 / 20}  # each parameter of the Dirichlet of shares
TARGETS = {"sparse": 0.001, "dense": 0.002}  # nats per word below the true topics
SHOWN = ((MEMOISED, 2), (MEMOISED, 100), (PAPER, 2), (PAPER, 100), (ONLINE, 20), (ONLINE, 50))


def measure(full: bool) -> dict[str, Any]:
    """Both kinds of data; runs are printed as they end."""
    return {name: measure_one(name, (0, 1, 2) if full else (0,)) for name in THETA}


def measure_one(
    name: str,
    seeds: Sequence[int],
    starts: Sequence[int] = STARTS,
    passes: int = PASSES,
    documents: tuple[int, int] = (2000, 200),
) -> dict[str, Any]:
    """All runs on bars of one kind."""
    world = bars(THETA[name])
    train, test = (
        Corpus.from_matrix(draw(world, n, part).counts)
        for n, part in zip(documents, ("train", "test"), strict=True)
    )
    scorer = Scorer(test, float(world.alpha.sum()))
    truth, unigram = scorer.score(world.topics), scorer.unigram(train)
    print(f"{name} bars: true topics {truth:.4f}, unigram {unigram:.4f}", flush=True)
    runs = []
    for seed in seeds:
        plan = [(method, start) for start in starts for method in (MEMOISED, PAPER)]
        for method, start in [*plan, *((ONLINE, start) for start in FIXED)]:
            curve = Curve(f"{name} bars", method, start, seed)
            runs.append(follow(curve, train, scorer, batch=BATCH, passes=passes))
            print(told(curve), flush=True)
    return {"truth": truth, "unigram": unigram, "runs": [asdict(run) for run in runs]}


def section(data: dict[str, Any]) -> Section:
    """The runs, the panels and the claims of each kind."""
    blocks: list[Any] = [
        "Twenty topics, the rows and columns of a square of 10 × 10 words; 2,000 documents of 250 words, 200 "
        f"to score. Online steps have {BATCH} documents, and {PASSES} passes are the paper's 400 iterations. "
        "A topic is used when it has a ten-thousandth of the tokens."
    ]
    for name, one in data.items():
        curves = [Curve(**run) for run in one["runs"]]
        truth = one["truth"]
        shown = [curve for method, start in SHOWN for curve in of(curves, [method], start=start, seed=0)]
        blocks += [
            f"{name.capitalize()}: shares are drawn from Dirichlet({THETA[name]:g}, …). The true topics "
            f"score {truth:.4f}, the unigram model {one['unigram']:.4f}.",
            *panels(f"{name} bars", shown, ("true topics", truth)),
            runs_table(curves, truth),
            *claims(_claims(name, curves, truth)),
        ]
    return Section("Bars (Figure 2 a, d, g)", blocks)


def _claims(name: str, curves: list[Curve], truth: float) -> list[Claim]:
    moved, fixed = of(curves, SPLIT_MERGE), of(curves, [ONLINE])
    rows: list[Claim] = [
        _optimum(name, of(curves, [method]), truth, "paper" if method == PAPER else "project")
        for method in (PAPER, MEMOISED)
    ]
    rows += [
        (
            "paper",
            f"split-merge runs all end with {TRUE} topics",
            "; ".join(f"{m}: {_used(of(curves, [m]))}" for m in (PAPER, MEMOISED)),
            verdict(curve.used[-1] == TRUE for curve in moved),
        ),
        (
            "paper",
            "oHDP uses too few or too many topics",
            "; ".join(f"K = {c.start}: {c.used[-1]} ({c.large[-1]} above 1 %)" for c in fixed),
            verdict(curve.used[-1] != TRUE for curve in fixed),
        ),
        (
            "paper",
            "oHDP ends in local optima, below every split-merge run",
            f"best oHDP {best(fixed):.4f}, worst split-merge {worst(moved):.4f}",
            best(fixed) < worst(moved),
        ),
        (
            "paper",
            "moves mostly cease once inference has converged",
            f"topics used change in the last half of {_restless(moved)} of {len(moved)} runs",
            verdict(not _restless([curve]) for curve in moved),
        ),
    ]
    return rows


def _optimum(name: str, curves: list[Curve], truth: float, who: str) -> Claim:
    near = TARGETS[name]
    gaps = [truth - curve.held_out[-1] for curve in curves]
    return (
        who,
        f"{curves[0].method} finds the global optimum from every start: {TRUE} topics used, and at most "
        f"{near:g} nats below the true topics",
        f"below by {min(gaps):+.4f} to {max(gaps):+.4f}; used {_used(curves)}",
        verdict(gap <= near and c.used[-1] == TRUE for gap, c in zip(gaps, curves, strict=True)),
    )


def _used(curves: list[Curve]) -> str:
    return ", ".join(str(curve.used[-1]) for curve in curves)


def _restless(curves: list[Curve]) -> int:
    """How many runs change the number of topics used in the last half of their documents."""
    return sum(
        len({used for seen, used in zip(c.documents, c.used, strict=True) if seen >= c.documents[-1] / 2}) > 1
        for c in curves
    )
