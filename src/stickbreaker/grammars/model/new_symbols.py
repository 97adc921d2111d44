"""Rules for symbols that are unseen in training: all of them become one extra terminal.

Each symbol A with several rules to a single terminal (`Char`, `Noun`; if no symbol has several, with one)
gets a rule to any new symbol. Its prior weight w_A is the mean weight of these rules:

    p(a new symbol | A) = w_A / (weights and uses of all rules of A + w_A),

and the other rules lose as much probability. So if the probabilities of all strings summed to one before,
they still do, with one mark in place of all new symbols.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.grammars.model.compiled import Compiled, Integers, grouped

NEW = ""  # the terminal for all new symbols; a grammar's own are never empty


class Opened(NamedTuple):
    """A grammar with rules to an extra terminal, `NEW` (the last), for symbols unseen in training."""

    grammar: Compiled
    moved: Integers  # original rules: their new numbers
    added: NDArray[np.int64]  # the rules to NEW


def opened(grammar: Compiled) -> Opened:
    """Extend a grammar by the terminal `NEW`, to parse texts with symbols that are unseen in training.

    Each of its `open_symbols` gets a rule to `NEW`, after the symbol's other rules.
    """
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
    """The symbols that get a rule to `NEW`, ascending, and the prior weights of these rules.

    They are those with at least two rules to a single terminal or, if there are none, those with one.
    """
    rules, n = grammar.rules, len(grammar.names)
    ends = rules.counted & (rules.terminals >= 0)
    times = np.bincount(rules.parents[ends], minlength=n)
    sums = np.bincount(rules.parents[ends], grammar.weights[ends], n)
    found = np.flatnonzero(times >= 2 if (times >= 2).any() else times >= 1)
    return found, sums[found] / times[found]
