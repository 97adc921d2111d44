"""The section on how learning went: curves of nats per symbol, and of F1 if it was measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stickbreaker.core.json_checks import JsonObject
from stickbreaker.pages.colour import hue_hex, topic_colours
from stickbreaker.pages.page import Section
from stickbreaker.pages.text_values import clean, one_line, thinned
from stickbreaker.pages.views import Lines, Row, Series

if TYPE_CHECKING:
    from stickbreaker.grammars.report.grammar_page import GrammarReport

TREES, SENTENCES, HELD_OUT = "trees", "sentences", "held-out"  # kinds of curves
STEPS, SEGMENTATION = "steps", "segmentation"
CURVES = {  # of a sampler: what each is called, and in which field of the trace it is
    TREES: ("Sentences, trees and remembered subtrees together", "score"),
    SENTENCES: ("Each sentence, given the trees of all others", "nats_per_symbol"),
    HELD_OUT: ("Sentences held out, never learned from", "held_out"),
}
CURVES_OF_STEPS = {STEPS: ("The sentences of each step", "score"), HELD_OUT: CURVES[HELD_OUT]}
F1 = {"words": "token_f1", "boundaries": "boundary_f1"}  # lines, and where the trace has them
_COLOURS = {TREES: hue_hex(255), STEPS: hue_hex(255), SENTENCES: hue_hex(145), HELD_OUT: hue_hex(45)}


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """A line of a chart, with points (x, y).

    x: the sweep, or the number of sentences or documents seen; y: -log p in nats per symbol, or F1.
    """

    name: str
    points: Sequence[tuple[int, float]]


@dataclass(frozen=True, slots=True)
class ScoreCurve:
    """A chart of nats per symbol, with one line per chain, or of F1, with lines for words and boundaries.

    `kind`: "trees", "sentences", "steps" or "held-out", and "segmentation" for F1. `unit`: what the
    horizontal axis counts, "sweep", "sentence" or "document".
    """

    kind: str
    name: str
    lines: Sequence[ScoreLine]
    unit: str = "sweep"

    @property
    def drawn(self) -> bool:
        """Whether the chart is worth drawing: it has a line with at least two points."""
        return any(len(line.points) > 1 for line in self.lines)


def learning(report: GrammarReport) -> Section | None:
    curves = [curve for curve in report.curves if curve.drawn]
    if not curves:
        return None
    in_steps = any(curve.unit != "sweep" for curve in report.curves)
    text = (
        f"{'Step by step' if in_steps else 'By sweep of the sampler'}, how improbable the text is: −ln of "
        "its probability, in nats per symbol. At 2 nats, the model is as unsure of each symbol as among "
        "7.4 equally likely ones. Lower is better."
    )
    if any(curve.kind == SEGMENTATION for curve in curves):
        text += (
            " Spaces in the text say where its words are; the model does not see them. So some sentences, "
            "always the same, were cut during the run, and F1 says how well: of words with both their ends "
            "right, and of boundaries within sentences. It is 1 where all are found and nothing else. "
            "Higher is better."
        )
    return Section("learning", "How learning went", text, [Row([_chart(curve) for curve in curves])])


def _chart(curve: ScoreCurve) -> Lines:
    lines, rises = [line for line in curve.lines if line.points], curve.kind == SEGMENTATION
    colours = topic_colours([], len(lines)) if len(lines) > 1 else [_COLOURS.get(curve.kind, hue_hex(255))]
    ends = [f"{line.points[-1][1]:.3f}" for line in lines]
    if rises:
        said = (
            f"F1 at the end: {', '.join(f'{line.name} {end}' for line, end in zip(lines, ends, strict=True))}"
        )
    else:
        said = f"nats per symbol: {ends[0]} at the end" if len(ends) == 1 else "nats per symbol, each chain"
    series = [
        Series(thinned(line.points), colour, one_line(line.name) if line.name else "")
        for line, colour in zip(lines, colours, strict=True)
    ]
    figure = "f1" if rises else f"nats-{clean(curve.kind)}"
    return Lines(
        series, f"{clean(curve.unit)}s", rises=rises, title=clean(curve.name), said=said, figure=figure
    )


def curves_of(trace: Sequence[JsonObject], reads: str = "sentence") -> list[ScoreCurve]:
    """The charts of how learning went, from the trace: -log p in nats per symbol, and F1 if measured.

    The horizontal axis counts sweeps; if learning took steps, it counts what was seen, in units named `reads`
    ("sentence" or "document"). With several chains, there is a line for each.

    >>> curves_of([{"pass": 1, "score": -2.0}, {"pass": 2}, {"pass": 3, "score": -1.5}])[0].lines[0].points
    [(1, 2.0), (3, 1.5)]
    """
    chains = max((len(record.get("chains", ())) for record in trace), default=0)
    in_steps = any("rate" in record for record in trace)
    at, unit, kinds = ("documents", reads, CURVES_OF_STEPS) if in_steps else ("pass", "sweep", CURVES)
    found = [
        ScoreCurve(kind, name, _lines(trace, field, at, chains), unit)
        for kind, (name, field) in kinds.items()
    ]
    return [*_segmentation(trace, unit), *(curve for curve in found if curve.lines)]


def _segmentation(trace: Sequence[JsonObject], unit: str) -> list[ScoreCurve]:
    """The chart of F1 on sentences whose words are known, in a list; empty if it was not measured."""
    measured = [
        (int(record["documents"]), record[SEGMENTATION]) for record in trace if SEGMENTATION in record
    ]
    if not measured:
        return []
    lines = [
        ScoreLine(name, [(seen, float(one[field])) for seen, one in measured]) for name, field in F1.items()
    ]
    number = measured[-1][1]["documents"]
    are = "sentence whose words are known is" if number == 1 else "sentences whose words are known are"
    name = f"How well {number:,} {are} cut"
    return [ScoreCurve(SEGMENTATION, name, lines, unit)]


def _lines(trace: Sequence[JsonObject], field: str, at: str, chains: int) -> list[ScoreLine]:
    """The lines of a chart: -log p, from the trace's values of `field` (log p), over those of `at`.

    chains: their number; if there are several, "score" has a line for each. Lines without points are left
    out.
    """
    if field == "score" and chains > 1:
        each = [
            [(r[at], r["chains"][i]) for r in trace if len(r.get("chains", ())) > i] for i in range(chains)
        ]
        lines = [ScoreLine(f"chain {i + 1}", _points(one)) for i, one in enumerate(each)]
    else:
        lines = [ScoreLine("", _points([(r[at], r[field]) for r in trace if r.get(field) is not None]))]
    return [line for line in lines if line.points]


def _points(pairs: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """Turn pairs (x, log p) into points (x, -log p); leaves out values that are not finite or have p > 1."""
    return [(int(sweep), -float(nats)) for sweep, nats in pairs if math.isfinite(nats) and nats <= 0.0]
