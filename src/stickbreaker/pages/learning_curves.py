"""The section of a report with learning curves: perplexity during the run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from stickbreaker.core.json_checks import JsonObject
from stickbreaker.pages.colour import hue_hex
from stickbreaker.pages.template_page import ChartSection
from stickbreaker.pages.text_values import clean, thinned

MOST_NATS = 50.0  # per word: worse scores are not drawn
COLOURS = {
    "held-out": hue_hex(45),
    "text": hue_hex(255),
    "joint": hue_hex(255),
    "discounts": hue_hex(45),
    "concentrations": hue_hex(255),
    "stopping": hue_hex(145),
}
PLURALS = {"sweep": "sweeps", "pass": "passes", "step": "steps"}


@dataclass(frozen=True, slots=True)
class LearningCurve:
    """A curve of perplexity during a run: `points` are (number of the sweep, pass or step; perplexity).

    `kind` is what is scored, and determines the colour: "held-out" documents, "text" that is learned from, or
    "joint" (the words and a chain's state together). `name`: its label.
    """

    kind: str
    name: str
    points: Sequence[tuple[int, float]]


class WithCurves(Protocol):
    """A report that has learning curves; `unit` is what their points count: "sweep", "pass" or "step"."""

    curves: Sequence[LearningCurve]
    unit: str


class LearningCurves(ChartSection[Any]):
    """The section with learning curves, for reports `WithCurves`. more: text to add to the explanation."""

    anchor, box = "learning", "curves"
    scripts = ("length_charts.js", "learning_curves.js")

    def __init__(self, heading: str = "How learning went", more: str = "") -> None:
        self.heading, self.more = heading, more

    def shown(self, report: WithCurves) -> bool:
        return bool(curves_payload(report.curves))

    def lead(self, report: WithCurves) -> str:
        return (
            f"Perplexity by {'sweep of the sampler' if report.unit == 'sweep' else report.unit}: at 250, the "
            "model is as unsure of the next word as among 250 equally likely ones. Lower is better."
            + self.more
        )

    def payload(self, report: WithCurves) -> JsonObject:
        return {"colours": COLOURS, "unit": PLURALS[report.unit], "curves": curves_payload(report.curves)}


def perplexities(
    trace: Sequence[JsonObject], field: str, at: str = "pass", *, nats: bool = True
) -> list[tuple[int, float]]:
    """A learning curve from a trace: (number, perplexity) for each record with a score that can be drawn.

    field: the name of the score; at: the field with the number ("pass", "step" …); nats: whether the score is
    a mean log probability (otherwise it is a perplexity already). Scores worse than -50 nats are left out, as
    are perplexities below 1.

    >>> perplexities([{"pass": 1, "score": -1.0}, {"pass": 2}, {"pass": 3, "score": float("nan")}], "score")
    [(1, 2.718281828459045)]
    """
    found = [(int(record[at]), float(record[field])) for record in trace if record.get(field) is not None]
    if nats:
        return [(place, math.exp(-score)) for place, score in found if -MOST_NATS <= score <= 0.0]
    return [(place, perplexity) for place, perplexity in found if 1.0 <= perplexity <= math.exp(MOST_NATS)]


def curves_payload(curves: Sequence[LearningCurve]) -> list[JsonObject]:
    """The curves that have at least two points, as JSON values; long ones are thinned out.

    >>> short, long = [(1, 9.0)], [(1, 9.0), (2, 8.0)]
    >>> curves_payload([LearningCurve("text", "a", short), LearningCurve("text", "b", long)])
    [{'kind': 'text', 'name': 'b', 'points': [(1, 9.0), (2, 8.0)]}]
    """
    return [
        {"kind": clean(curve.kind), "name": clean(curve.name), "points": thinned(curve.points)}
        for curve in curves
        if len(curve.points) > 1
    ]
