"""The page about a learned grammar: its sections, what its template says and what its scripts draw."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from stickbreaker.core.errors import counted
from stickbreaker.grammars.report.grammar_page_data import (
    AdaptedSymbol,
    DrawnTree,
    Piece,
    RuleRow,
    ScoreCurve,
    SegmentedSentence,
    Turnover,
)
from stickbreaker.pages.changes import Changes
from stickbreaker.pages.colour import hue_hex, topic_colours
from stickbreaker.pages.page import Assets, Page
from stickbreaker.pages.text_values import clean, one_line, thinned

ASSETS = Assets(
    folder="stickbreaker.grammars.report",
    template="grammar.html.j2",
    styles=["report.css", "sentences.css", "grammar.css"],
    charts=["base.js", "charts.js", "length_charts.js", "evolution.js", "grammar_charts.js"],
    views=["dom.js", "chart_sections.js", "change_views.js", "grammar_report.js"],
    figures=["figures.js", "grammar_figures.js"],
)
LEVELS = (0.05, 0.1, 0.2, 0.3, 0.4)  # share of trees that disagree, from which on a piece is shaded more
MOST_CHARTED = 8  # symbols, of a chart of all and of charts of their own
MOST_BARS = 30  # of a chart of lengths; the last has all that are longer, too
_COLOURS = {"trees": hue_hex(255), "steps": hue_hex(255), "sentences": hue_hex(145), "held-out": hue_hex(45)}


@dataclass(frozen=True, slots=True)
class GrammarPage(Page):
    """Everything the report of a grammar shows; a section whose data are empty is left out.

    `piece` is the symbol by which sentences are cut, `samples` how many of the sampler's states say where
    (0: trees were drawn), `no_sentences` why there is none. `more_symbols` are adapted symbols, and
    `more_rules` symbols of the grammar, that are not shown. `expected`: uses of subtrees are not counted but
    expected ones, as of variational inference, which knows no tables.
    """

    assets = ASSETS

    curves: Sequence[ScoreCurve] = ()
    symbols: Sequence[AdaptedSymbol] = ()
    more_symbols: int = 0
    changes: Changes | None = None
    changed: Sequence[str] = ()
    turnovers: Sequence[Turnover] = ()
    piece: str = ""
    samples: int = 0
    sentences: Sequence[SegmentedSentence] = ()
    no_sentences: str = ""
    trees: Sequence[DrawnTree] = ()
    rules: Sequence[RuleRow] = ()
    more_rules: int = 0
    expected: bool = False

    def payload(self) -> dict[str, Any]:
        """Everything that the charts are drawn from, as JSON values."""
        charted = [one for one in self.symbols if one.subtrees][:MOST_CHARTED]
        colours = topic_colours([], len(charted))
        ranked = [(one, colour) for one, colour in zip(charted, colours, strict=True) if one.ranked]
        changes = (
            {**self.changes.payload(), "names": list(map(one_line, self.changed))} if self.changes else None
        )
        return {
            "changes": changes,
            "curves": [_curve(curve) for curve in _drawn_curves(self.curves)],
            "ranks": [
                {"name": one_line(one.name), "colour": colour, "points": [list(pair) for pair in one.ranked]}
                for one, colour in ranked
            ],
            "uses": "expected uses" if self.expected else "customers",
            "lengths": [_lengths(one, colour) for one, colour in zip(charted, colours, strict=True)],
        }

    def context(self) -> dict[str, Any]:
        return {
            "piece": one_line(self.piece) if self.piece else "",
            "samples": f"{self.samples:,}" if self.samples else "",
            "sentences": [_sentence(row, self.expected) for row in self.sentences],
            "levels": _legend(),
            "number": _number,
            "uses": partial(_uses, expected=self.expected),
            "has_charts": any(one.subtrees for one in self.symbols),
            "in_steps": any(curve.unit != "sweep" for curve in self.curves),
            "has_f1": any(curve.kind == "segmentation" for curve in _drawn_curves(self.curves)),
            "trees": [_tree(one) for one in self.trees],
            "has_curves": bool(_drawn_curves(self.curves)),
        }


def _drawn_curves(curves: Sequence[ScoreCurve]) -> list[ScoreCurve]:
    """The curves with a line of two points or more."""
    return [curve for curve in curves if any(len(line.points) > 1 for line in curve.lines)]


def _curve(curve: ScoreCurve) -> dict[str, Any]:
    """A curve with a colour for each of its lines."""
    lines, rises = [line for line in curve.lines if line.points], curve.kind == "segmentation"
    colours = topic_colours([], len(lines)) if len(lines) > 1 else [_COLOURS.get(curve.kind, hue_hex(255))]
    ends = [f"{line.points[-1][1]:.3f}" for line in lines]
    if rises:
        said = (
            f"F1 at the end: {', '.join(f'{line.name} {end}' for line, end in zip(lines, ends, strict=True))}"
        )
    else:
        said = f"nats a symbol: {ends[0]} at the end" if len(ends) == 1 else "nats a symbol, each chain"
    drawn = [
        {
            "name": one_line(line.name) if line.name else "",
            "colour": colour,
            "points": [(x, round(y, 6)) for x, y in thinned(line.points)],
        }
        for line, colour in zip(lines, colours, strict=True)
    ]
    return {
        "file": "f1" if rises else f"nats-{clean(curve.kind)}",
        "name": clean(curve.name),
        "said": clean(said),
        "unit": clean(curve.unit),
        "rises": rises,
        "lines": drawn,
    }


def _lengths(one: AdaptedSymbol, colour: str) -> dict[str, Any]:
    """How many subtrees have one symbol of the text, two, and so on."""
    counts = list(one.lengths[1:]) or [0]
    longer = len(counts) > MOST_BARS
    counts = [*counts[: MOST_BARS - 1], sum(counts[MOST_BARS - 1 :])] if longer else counts
    return {
        "symbol": one_line(one.name),
        "name": f"Lengths of {one_line(one.name)}",
        "colour": colour,
        "longest": longer,
        "counts": counts,
    }


def _number(value: float) -> str:
    if not math.isfinite(value):
        return "\ufffd"
    return f"{value:,.0f}" if value >= 1000.0 else f"{value:.3g}"


def _uses(customers: int, tables: int | None, expected: bool) -> str:
    """How often something remembered is used; `expected`: not counted, and no table is known."""
    if expected:
        return counted(customers, "expected use")
    return counted(customers, "customer") + ("" if tables is None else f" at {counted(tables, 'table')}")


def _sentence(row: SegmentedSentence, expected: bool) -> dict[str, Any]:
    return {"number": f"{row.number:,}", "pieces": [_piece(one, expected) for one in row.pieces]}


def _piece(one: Piece, expected: bool) -> dict[str, Any]:
    """A piece, its shade, and what a pointer over it says."""
    sure = _percent(one.sure)
    if one.customers:
        note = f"remembered: {_uses(one.customers, one.tables, expected)}; {sure} sure"
    else:
        note = f"not remembered; {sure} sure"
    shares = ["", *(f"{_percent(share)} of the trees cut here" for share in one.inside)]
    parts = [(one_line(part), share) for part, share in zip(one.parts, shares, strict=False)]
    return {
        "parts": parts,
        "level": sum(1.0 - one.sure >= level - 1e-9 for level in LEVELS),
        "sure": sure,
        "note": note,
        "remembered": one.customers > 0,
    }


def _percent(share: float) -> str:
    return f"{100.0 * share:.0f}%"


def _legend() -> list[tuple[int, str]]:
    """Each shade and what it means."""
    sure = [round(100.0 * (1.0 - level)) for level in LEVELS]
    between = [f"{low} to {high}%" for high, low in itertools.pairwise(sure)]
    return list(enumerate([f"over {sure[0]}% sure", *between, f"under {sure[-1]}%"]))


def _tree(one: DrawnTree) -> dict[str, Any]:
    return {
        "number": f"{one.number:,}",
        "nats": f"{one.nats:.1f}".replace("-", "−"),
        "share": _percent(math.exp(min(one.tree_nats - one.nats, 0.0))),
        "top": one.top,
        "brackets": clean(one.brackets),
    }
