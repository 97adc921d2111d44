"""The section on what a grammar remembers: the subtrees of its adapted symbols."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from stickbreaker.core.errors import counted
from stickbreaker.core.topk import by_size
from stickbreaker.grammars.grammar_estimator import GrammarEstimator, Subtree
from stickbreaker.pages.colour import topic_colours
from stickbreaker.pages.template_page import Section
from stickbreaker.pages.text_values import one_line

if TYPE_CHECKING:
    from stickbreaker.grammars.report.grammar_page import GrammarReport

MOST_USED = 40  # rows of the table of each symbol
LONGEST = 15
MOST_CHARTED = 8  # symbols, of a chart of all and of charts of their own
MOST_BARS = 30  # of a chart of lengths; the last has all that are longer, too
RANKS = 60  # points of a curve, evenly apart by the logarithm of the rank


@dataclass(frozen=True, slots=True)
class SubtreeRow:
    """A remembered subtree as a row of a table in the report.

    length: how many symbols its text has; customers: its uses, rounded; tables: as in `Subtree`.
    """

    text: str
    length: int
    customers: int
    tables: int


@dataclass(frozen=True, slots=True)
class AdaptedSymbol:
    """An adapted symbol as the report shows it, with what it remembers.

    `most_used` and `longest` are some of its subtrees; `lengths` counts those with each length of text (from
    0), and `ranked` has points (rank, customers) of the most used ones.
    """

    name: str
    subtrees: int
    customers: int
    tables: int
    discount: float
    concentration: float
    most_used: Sequence[SubtreeRow] = ()
    longest: Sequence[SubtreeRow] = ()
    lengths: Sequence[int] = ()
    ranked: Sequence[tuple[int, int]] = ()


class Memory(Section["GrammarReport"]):
    anchor, heading = "memory", "What is remembered"
    needs = ("symbols",)
    template = "memory.html.j2"
    styles = ("sentences.css", "grammar.css")
    scripts = ("length_charts.js", "score_curves.js", "memory.js")

    def values(self, report: GrammarReport) -> dict[str, object]:
        return {
            "symbols": report.symbols,
            "more_symbols": report.more_symbols,
            "expected": report.expected,
            "has_charts": any(one.subtrees for one in report.symbols),
            "uses": partial(uses_text, expected=report.expected),
            "number": number_text,
        }

    def payload(self, report: GrammarReport) -> dict[str, object]:
        charted = [one for one in report.symbols if one.subtrees][:MOST_CHARTED]
        coloured = list(zip(charted, topic_colours([], len(charted)), strict=True))
        return {
            "ranks": [
                {"name": one_line(one.name), "colour": colour, "points": [list(pair) for pair in one.ranked]}
                for one, colour in coloured
                if one.ranked
            ],
            "uses": "expected uses" if report.expected else "customers",
            "lengths": [_lengths(one, colour) for one, colour in coloured],
        }


def _lengths(one: AdaptedSymbol, colour: str) -> dict[str, object]:
    """The data of a bar chart of one adapted symbol: how many of its subtrees have a text of 1, 2, … symbols.

    Of more than `MOST_BARS` lengths, the last bar counts all the longer ones (`longest` is then true).
    """
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


def number_text(value: float) -> str:
    if not math.isfinite(value):
        return "\ufffd"
    return f"{value:,.0f}" if value >= 1000.0 else f"{value:.3g}"


def uses_text(customers: int, tables: int | None, expected: bool) -> str:
    """The number of uses of a remembered subtree as text: "3 customers at 2 tables".

    tables: None if they are not to be named; `expected`: the uses are expected values, which have no tables.
    """
    if expected:
        return counted(customers, "expected use")
    return counted(customers, "customer") + ("" if tables is None else f" at {counted(tables, 'table')}")


def adapted_symbols_of(model: GrammarEstimator) -> list[AdaptedSymbol]:
    """The records that the report shows of adapted symbols; general ones before those that occur in them."""
    by_symbol: dict[str, list[Subtree]] = {name: [] for name in model.symbols_}
    for one in model.subtrees():
        by_symbol[one.symbol].append(one)
    return [
        _adapted(model, name, found, float(model.discounts_[i]), float(model.concentrations_[i]))
        for i, (name, found) in enumerate(by_symbol.items())
    ]


def _adapted(
    model: GrammarEstimator, name: str, found: Sequence[Subtree], discount: float, concentration: float
) -> AdaptedSymbol:
    """Make the report's record of one adapted symbol; found: its subtrees, most used first."""
    by_text = sorted(found, key=lambda one: one.text)
    longest = sorted(by_size(by_text, [one.customers for one in by_text]), key=lambda one: -len(one.text))
    return AdaptedSymbol(
        name=name,
        subtrees=len(found),
        customers=round(sum(one.customers for one in found)),
        tables=sum(one.tables for one in found),
        discount=discount,
        concentration=concentration,
        most_used=[_row(model, one) for one in found[:MOST_USED]],
        longest=[_row(model, one) for one in longest[:LONGEST]],
        lengths=np.bincount([len(one.text) for one in found]).tolist() if found else [],
        ranked=_ranked([customers for one in found if (customers := round(one.customers)) > 0]),
    )


def _row(model: GrammarEstimator, one: Subtree) -> SubtreeRow:
    """A remembered subtree as a row of a table in the report."""
    return SubtreeRow(model._join(one.text), len(one.text), round(one.customers), one.tables)


def _ranked(customers: Sequence[int]) -> list[tuple[int, int]]:
    """Points (rank, customers) for a curve, at most `RANKS`, evenly spaced by the logarithm of the rank.

    customers: of all subtrees of a symbol, descending.

    >>> _ranked([9, 4, 1])
    [(1, 9), (2, 4), (3, 1)]
    """
    if not customers:
        return []
    ranks = np.unique(np.geomspace(1, len(customers), RANKS).round().astype(int))
    return [(rank, customers[rank - 1]) for rank in ranks.tolist()]


def uses_of_texts(model: GrammarEstimator) -> dict[tuple[str, tuple[str, ...]], tuple[int, int]]:
    """The uses of remembered strings, to look them up: {(symbol, text): (customers, tables)}.

    A symbol's subtrees with the same text are added up; customers are rounded.
    """
    found: dict[tuple[str, tuple[str, ...]], tuple[int, int]] = {}
    for one in model.subtrees():
        customers, tables = found.get((one.symbol, one.text), (0, 0))
        found[one.symbol, one.text] = customers + round(one.customers), tables + one.tables
    return found
