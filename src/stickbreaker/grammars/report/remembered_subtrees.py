"""The subtrees that a grammar's adapted symbols remember, as its report shows them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stickbreaker.core.topk import by_size
from stickbreaker.grammars.grammar_estimator import GrammarEstimator, Subtree
from stickbreaker.grammars.report.grammar_page_data import AdaptedSymbol, SubtreeRow

MOST_USED = 40  # rows of the table of each symbol
LONGEST = 15
RANKS = 60  # points of a curve, evenly apart by the logarithm of the rank


def adapted_symbols_of(model: GrammarEstimator) -> list[AdaptedSymbol]:
    """The adapted symbols, general ones before those that they are made of."""
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
    """One symbol with its subtrees, of which those most used come first."""
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
    """A subtree as a row of a table."""
    return SubtreeRow(model.join(one.text), len(one.text), round(one.customers), one.tables)


def _ranked(customers: Sequence[int]) -> list[tuple[int, int]]:
    """(rank, customers) at ranks that are evenly apart by their logarithm.

    >>> _ranked([9, 4, 1])
    [(1, 9), (2, 4), (3, 1)]
    """
    if not customers:
        return []
    ranks = np.unique(np.geomspace(1, len(customers), RANKS).round().astype(int))
    return [(rank, customers[rank - 1]) for rank in ranks.tolist()]


def uses_of_texts(model: GrammarEstimator) -> dict[tuple[str, tuple[str, ...]], tuple[int, int]]:
    """Customers and tables of each symbol's texts; subtrees of one text count together."""
    found: dict[tuple[str, tuple[str, ...]], tuple[int, int]] = {}
    for one in model.subtrees():
        customers, tables = found.get((one.symbol, one.text), (0, 0))
        found[one.symbol, one.text] = customers + round(one.customers), tables + one.tables
    return found
