"""The section on what a grammar remembers: the subtrees of its adapted symbols."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stickbreaker.core.errors import counted
from stickbreaker.core.topk import by_size
from stickbreaker.grammars.text_grammar import Subtree, TextGrammar
from stickbreaker.pages.colour import topic_colours
from stickbreaker.pages.page import Section
from stickbreaker.pages.text_values import one_line
from stickbreaker.pages.views import Bars, Card, Cards, Column, Lines, Row, Series, Table, View, muted, serif

if TYPE_CHECKING:
    from stickbreaker.grammars.report.grammar_page import GrammarReport

MOST_USED = 40  # rows of the table of each symbol
LONGEST = 15
MOST_CHARTED = 8  # symbols, of a chart of all and of charts of their own
MOST_BARS = 30  # of a chart of lengths; the last has all that are longer, too
EXPECTED = (
    "Uses are not counted here but expected: sums of probabilities, which may stand for more text than was "
    "read, or fade."
)
COUNTED = (
    "The uses of a subtree are its customers; they sit at tables, of which a subtree has more than one if it "
    "was made by the rules more than once."
)
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


def memory(report: GrammarReport) -> Section | None:
    if not report.symbols:
        return None
    uses = EXPECTED if report.expected else COUNTED
    more = f" {report.more_symbols} more adapted symbols are not shown." if report.more_symbols else ""
    text = (
        "An adapted symbol of the grammar remembers whole parts of trees: its subtrees. Each time a tree "
        "needs that symbol it either uses a remembered subtree, more probably the more often that was used "
        f"before, or makes a new one by the rules. {uses} A large concentration gives more new subtrees, "
        f"and so does a discount near 1.{more}"
    )
    charts = _charts(report)
    cards = Cards([_card(one, report.expected) for one in report.symbols], least=21)
    return Section("memory", "What is remembered", text, [*([Row(charts)] if charts else []), cards])


def _charts(report: GrammarReport) -> list[View]:
    """Uses by rank of all symbols together, and how long the subtrees of each are."""
    charted = [one for one in report.symbols if one.subtrees][:MOST_CHARTED]
    coloured = list(zip(charted, topic_colours([], len(charted)), strict=True))
    ranked = [Series(one.ranked, colour, one_line(one.name)) for one, colour in coloured if one.ranked]
    said = f"{'expected uses' if report.expected else 'customers'}, the most used subtree first"
    found: list[View] = [_lengths(one, colour, place) for place, (one, colour) in enumerate(coloured, 1)]
    if ranked:
        ranks = Lines(
            ranked, "rank", log="xy", whole=True, dots=True, title="Use by rank", said=said, figure="ranks"
        )
        found.insert(0, ranks)
    return found


def _lengths(one: AdaptedSymbol, colour: str, place: int) -> Bars:
    """How many of a symbol's subtrees have a text of 1, 2, … symbols; the last bar counts all longer ones."""
    counts = list(one.lengths[1:]) or [0]
    longer = len(counts) > MOST_BARS
    counts = [*counts[: MOST_BARS - 1], sum(counts[MOST_BARS - 1 :])] if longer else counts
    return Bars(
        [str(length) for length in range(1, len(counts) + 1)],
        counts,
        colour,
        upright=True,
        shares=True,
        unit="symbol",
        axis=f"symbols (the last bar: {len(counts)} and more)" if longer else "symbols",
        title=f"Lengths of {one_line(one.name)}",
        said="subtrees by their number of symbols",
        figure=f"lengths-{place}",
    )


def _card(one: AdaptedSymbol, expected: bool) -> Card:
    about = (
        f"{counted(one.subtrees, 'subtree')}, {uses_text(one.customers, one.tables, expected)}; discount "
        f"{number_text(one.discount)}, concentration {number_text(one.concentration)}"
    )
    views = [_table(one.most_used, expected)] if one.most_used else []
    longest = [_table(one.longest, expected)] if one.longest else []
    return Card(one_line(one.name), lines=[muted(about)], views=views, more="The longest", hidden=longest)


def _table(rows: Sequence[SubtreeRow], expected: bool) -> Table:
    columns = [Column("text"), Column("symbols", "number")]
    columns.append(Column("expected uses" if expected else "customers", "number", meter=True))
    columns += [] if expected else [Column("tables", "number")]
    cells = [
        [serif(one_line(row.text)), row.length, row.customers, *([] if expected else [row.tables])]
        for row in rows
    ]
    return Table(columns, cells)


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


def adapted_symbols_of(model: TextGrammar) -> list[AdaptedSymbol]:
    """The records that the report shows of adapted symbols; general ones before those that occur in them."""
    by_symbol: dict[str, list[Subtree]] = {name: [] for name in model.symbols}
    for one in model.subtrees():
        by_symbol[one.symbol].append(one)
    return [
        _adapted(model, name, found, float(model.discounts[i]), float(model.concentrations[i]))
        for i, (name, found) in enumerate(by_symbol.items())
    ]


def _adapted(
    model: TextGrammar, name: str, found: Sequence[Subtree], discount: float, concentration: float
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


def _row(model: TextGrammar, one: Subtree) -> SubtreeRow:
    """A remembered subtree as a row of a table in the report."""
    return SubtreeRow(model.join(one.text), len(one.text), round(one.customers), one.tables)


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


def uses_of_texts(model: TextGrammar) -> dict[tuple[str, tuple[str, ...]], tuple[int, int]]:
    """The uses of remembered strings, to look them up: {(symbol, text): (customers, tables)}.

    A symbol's subtrees with the same text are added up; customers are rounded.
    """
    found: dict[tuple[str, tuple[str, ...]], tuple[int, int]] = {}
    for one in model.subtrees():
        customers, tables = found.get((one.symbol, one.text), (0, 0))
        found[one.symbol, one.text] = customers + round(one.customers), tables + one.tables
    return found
