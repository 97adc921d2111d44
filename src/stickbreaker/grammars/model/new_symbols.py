"""Symbols of new texts that a grammar has no terminal for: one more rule of those symbols that have others.

Each symbol A with several rules that lead to one terminal alone (`Char`, `Noun`; where no symbol has
several, with one) gets a rule to any symbol that is new, of prior weight w_A, the mean weight of these rules:

    p(a new symbol | A) = w_A / (weights and uses of all rules of A + w_A),

and its other rules are less probable by as much, so that the probabilities of all strings, with one mark in
place of all new symbols, sum to one where they did before.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.grammars.model.compiled import Compiled, Integers, grouped

NEW = ""  # the terminal that stands for all new symbols; a grammar's own are never empty


class Opened(NamedTuple):
    """A grammar with rules to the terminal `NEW`, its last."""

    grammar: Compiled
    moved: Integers  # rules of the grammar as it was: the number of each now
    added: NDArray[np.int64]  # the rules to NEW


def opened(grammar: Compiled) -> Opened:
    """The grammar with a rule to `NEW` for each of its `open_symbols`, last among those of its parent."""
    rules, symbols = grammar.rules, grammar.symbols
    parents, weights = open_symbols(grammar)
    new, n = len(grammar.terminals), len(parents)
    at = symbols.first[parents + 1].astype(np.int64)
    moved = np.arange(len(rules.parents))
    moved = (moved + np.searchsorted(at, moved, side="right")).astype(np.int32)
    before = np.searchsorted(parents, np.arange(len(symbols.first))).astype(np.int32)
    lefts, terminals = np.insert(rules.lefts, at, -1), np.insert(rules.terminals, at, new)
    extended = rules._replace(
        parents=np.insert(rules.parents, at, parents),
        lefts=lefts,
        rights=np.insert(rules.rights, at, -1),
        terminals=terminals,
        counted=np.insert(rules.counted, at, True),
    )
    of_left, lefts_at = grouped(lefts, len(grammar.names))
    of_terminal, terminals_at = grouped(terminals, new + 1)
    found = grammar._replace(
        rules=extended._replace(
            of_left=of_left, lefts_at=lefts_at, of_terminal=of_terminal, terminals_at=terminals_at
        ),
        symbols=symbols._replace(first=symbols.first + before, inner=symbols.inner + before[:-1]),
        terminals=(*grammar.terminals, NEW),
        sources=np.insert(grammar.sources, at, grammar.n_rules + np.arange(n, dtype=np.int32)),
        weights=np.insert(grammar.weights, at, weights),
    )
    return Opened(found, moved, at + np.arange(n))


def open_symbols(grammar: Compiled) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The symbols that may be a new symbol, ascending, and the prior weight of that rule of each."""
    rules, n = grammar.rules, len(grammar.names)
    ends = rules.counted & (rules.terminals >= 0)
    times = np.bincount(rules.parents[ends], minlength=n)
    sums = np.bincount(rules.parents[ends], grammar.weights[ends], n)
    found = np.flatnonzero(times >= 2 if (times >= 2).any() else times >= 1)
    return found, sums[found] / times[found]
