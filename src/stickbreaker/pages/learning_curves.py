"""The section of a report with learning curves: perplexity during the run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from stickbreaker.core.json_checks import JsonObject
from stickbreaker.pages.colour import hue_hex
from stickbreaker.pages.page import Section
from stickbreaker.pages.text_values import clean, number_text, thinned
from stickbreaker.pages.views import Lines, Row, Series

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

    @property
    def curves(self) -> Sequence[LearningCurve]: ...

    @property
    def unit(self) -> str: ...


def learning_section(report: WithCurves, title: str = "How learning went", more: str = "") -> Section | None:
    """The section with learning curves. more: text to add to the explanation."""
    shown = [curve for curve in report.curves if len(curve.points) > 1]
    if not shown:
        return None
    text = (
        f"Perplexity by {'sweep of the sampler' if report.unit == 'sweep' else report.unit}: at 250, the "
        f"model is as unsure of the next word as among 250 equally likely ones. Lower is better.{more}"
    )
    return Section("learning", title, text, [Row([_chart(curve, PLURALS[report.unit]) for curve in shown])])


def _chart(curve: LearningCurve, unit: str) -> Lines:
    said = f"{number_text(curve.points[0][1])} at first, {number_text(curve.points[-1][1])} at the end"
    series = [Series(thinned(curve.points), COLOURS[curve.kind])]
    name = clean(curve.name)
    return Lines(series, unit, title=name, said=said, figure=f"perplexity-{clean(curve.kind)}")


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
