"""What the parts' sections share: the table of runs, the three panels of Figure 2, the claims."""

from collections.abc import Iterable, Sequence
from typing import Any

from reproduce.chart import Line
from reproduce.hdp_runs import Curve
from reproduce.pages import Chart, Table


def runs_table(curves: Sequence[Curve], truth: float | None = None) -> Table:
    """How the runs ended, next to the score of the true topics if it is known."""
    gap = () if truth is None else ("below the true topics",)
    columns = ("method", "start", "seed", "documents", "held-out", *gap)
    return Table(
        (*columns, "best", "used", "above 1 %", "splits", "merges", "CPU s"),
        [
            [
                curve.method, curve.start, curve.seed, int(curve.documents[-1]),
                f"{curve.held_out[-1]:.4f}",
                *([] if truth is None else [f"{truth - curve.held_out[-1]:+.4f}"]),
                f"{max(curve.held_out):.4f}",
                curve.used[-1], curve.large[-1], curve.splits[-1], curve.merges[-1],
                round(curve.seconds[-1]),
            ]
            for curve in curves
        ],
    )  # fmt: skip


def panels(title: str, curves: Sequence[Curve], truth: tuple[str, float] | None = None) -> list[Chart]:
    """A column of Figure 2: held-out and topics used against documents seen, held-out against topics used."""
    score, seen, used = "nats per word", "documents seen", "topics used"

    def lines(x: str, y: str) -> list[Line]:
        return [Line(curve.name, getattr(curve, x), getattr(curve, y)) for curve in curves]

    return [
        Chart(f"{title}: held-out", seen, score, lines("documents", "held_out"), truth),
        Chart(f"{title}: topics", seen, used, lines("documents", "used")),
        Chart(f"{title}: held-out by topics", used, score, lines("used", "held_out"), truth),
    ]


def of(curves: Sequence[Curve], methods: Iterable[str], **fixed: Any) -> list[Curve]:
    """The curves of some methods, and with these attributes."""
    wanted = set(methods)
    return [
        curve
        for curve in curves
        if curve.method in wanted and all(getattr(curve, name) == value for name, value in fixed.items())
    ]


def best(curves: Sequence[Curve]) -> float:
    """The highest score at which a run ended."""
    return max(curve.held_out[-1] for curve in curves)


def worst(curves: Sequence[Curve]) -> float:
    """The lowest score at which a run ended."""
    return min(curve.held_out[-1] for curve in curves)
