"""A grammar in flat arrays: rules of two symbols at most, in an order in which a chart can be filled."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array
from stickbreaker.models.grammars.grammar import Grammar, Symbol, Terminal

Integers = NDArray[np.int32]
LONGEST = np.int32(2**30)  # of a yield that has no bound


class Rules(NamedTuple):
    """Rules by number, in order of their parents; a parent's children by one symbol come before it.

    A rule has two children, one (`rights` is -1), or a terminal (`lefts` is -1, too). A right side of more
    than two symbols is parted by symbols of its own, whose only rule has no weight: `sources` is -1 there.
    """

    parents: Integers  # rules
    lefts: Integers
    rights: Integers
    terminals: Integers  # rules: of a rule that is a terminal; else -1
    sources: Integers  # rules: number of the grammar's rule that this is; -1: of a symbol that parts another


class Symbols(NamedTuple):
    """What a chart needs of symbols, which are numbered so that unary rules lead to lower ones."""

    first: Integers  # symbols + 1: where the rules of each begin
    adapted: Integers  # symbols: place among those that are adapted; -1: it is not
    shortest: Integers  # symbols: the fewest terminals of a yield
    longest: Integers  # symbols: the most; `LONGEST` where there is no bound
    at_start: NDArray[np.bool_]  # symbols: its yield always begins a sentence
    at_end: NDArray[np.bool_]  # symbols: and ends it
    groups: Integers  # symbols: those of one number reach each other by unary rules


class Compiled(NamedTuple):
    """A grammar as kernels read it, and what its numbers stand for."""

    rules: Rules
    symbols: Symbols
    names: tuple[str, ...]  # symbols; of one that parts a right side, the rule
    terminals: tuple[str, ...]
    weights: Array  # rules of the grammar: prior weights
    start: int
    discounts: Array  # adapted symbols
    concentrations: Array


Parted = tuple[str, tuple[Symbol, ...], int]  # parent, at most two children, source


def compiled(grammar: Grammar) -> Compiled:
    """The arrays of a grammar.

    >>> found = compiled(Grammar.from_text("1 1 S --> a S b\\n1 1 S --> c"))
    >>> found.names, found.terminals, found.symbols.shortest.tolist()
    (('c', 'a', 'b', 'S', 'S b'), ('a', 'b', 'c'), [1, 1, 1, 1, 2])
    """
    parted = _parted(grammar)
    order, groups = _order(parted)
    numbers = {name: number for number, name in enumerate(order)}
    letters = {letter: number for number, letter in enumerate(grammar.terminals)}
    parted.sort(key=lambda rule: numbers[rule[0]])  # stable: rules of one parent stay in their order
    rules = _rules(parted, numbers, letters)
    first = np.searchsorted(rules.parents, np.arange(len(order) + 1)).astype(np.int32)
    names = list(grammar.adapted)
    adapted = np.array([names.index(name) if name in grammar.adapted else -1 for name in order], np.int32)
    at_start, at_end = (_anchored(parted, numbers, grammar.start, side) for side in (0, -1))
    return Compiled(
        rules,
        Symbols(first, adapted, *_yields(rules, len(order)), at_start, at_end, groups),
        tuple(order),
        grammar.terminals,
        np.array([rule.weight for rule in grammar.rules]),
        numbers[grammar.start],
        np.array([grammar.adapted[name].discount for name in names]),
        np.array([grammar.adapted[name].concentration for name in names]),
    )


def _parted(grammar: Grammar) -> list[Parted]:
    """Rules of two children at most; a terminal beside others gets a symbol named as it is spelled."""
    found: list[Parted] = []
    known = set(grammar.symbols)
    made: dict[tuple[Symbol, ...], str] = {}

    def symbol_of(children: tuple[Symbol, ...]) -> str:
        """The symbol that is rewritten as some children and nothing else."""
        if len(children) == 1 and not isinstance(children[0], Terminal):
            return children[0]
        if children not in made:
            name = " ".join(children)
            while name in known:
                name += " "
            known.add(name)
            made[children] = name
            found.append((name, halves_of(children), -1))
        return made[children]

    def halves_of(children: tuple[Symbol, ...]) -> tuple[Symbol, ...]:
        if len(children) == 1:
            return children
        return symbol_of(children[:1]), symbol_of(children[1:])

    for number, rule in enumerate(grammar.rules):
        found.append((rule.parent, halves_of(rule.children), number))
    return found


def _order(parted: list[Parted]) -> tuple[list[str], Integers]:
    """Symbols so that unary rules lead to earlier ones, those that reach each other together; and groups."""
    below: dict[str, list[str]] = {}
    for parent, children, _ in parted:
        leads = below.setdefault(parent, [])
        if len(children) == 1 and not isinstance(children[0], Terminal):
            leads.append(children[0])
    order: list[str] = []
    groups: list[int] = []
    reached: dict[str, int] = {}
    low: dict[str, int] = {}
    path: list[str] = []
    for root in below:  # Tarjan's components, which come in this order
        if root in reached:
            continue
        work = [(root, iter(below[root]))]
        reached[root] = low[root] = len(reached)
        path.append(root)
        while work:
            symbol, leads = work[-1]
            child = next(leads, None)
            if child is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[symbol])
                if low[symbol] == reached[symbol]:
                    start = path.index(symbol)
                    groups += [groups[-1] + 1 if groups else 0] * (len(path) - start)
                    order += path[start:]
                    del path[start:]
            elif child not in reached:
                reached[child] = low[child] = len(reached)
                path.append(child)
                work.append((child, iter(below[child])))
            elif child in path:
                low[symbol] = min(low[symbol], reached[child])
    return order, np.array(groups, np.int32)


def _rules(parted: list[Parted], numbers: dict[str, int], letters: dict[str, int]) -> Rules:
    columns: list[tuple[int, int, int, int, int]] = []
    for parent, children, source in parted:
        if isinstance(children[0], Terminal):
            columns.append((numbers[parent], -1, -1, letters[str(children[0])], source))
        else:
            right = numbers[children[1]] if len(children) == 2 else -1
            columns.append((numbers[parent], numbers[children[0]], right, -1, source))
    return Rules(*np.array(columns, np.int32).T.copy())


def _yields(rules: Rules, n_symbols: int) -> tuple[Integers, Integers]:
    """The fewest and the most terminals that each symbol may come to."""
    shortest, longest = np.full(n_symbols, LONGEST), np.zeros(n_symbols, np.int32)
    for bound, better in ((shortest, np.minimum), (longest, np.maximum)):
        for _ in range(n_symbols + 1):
            before = bound.copy()
            for parent, left, right in zip(rules.parents, rules.lefts, rules.rights, strict=True):
                size = 1 if left < 0 else int(bound[left]) + (int(bound[right]) if right >= 0 else 0)
                bound[parent] = better(bound[parent], min(size, int(LONGEST)))
            if (bound == before).all():
                break
        else:
            longest[bound != before] = LONGEST  # those still growing, and what they are part of, next
    return shortest, _unbounded(rules, longest)


def _unbounded(rules: Rules, longest: Integers) -> Integers:
    """Greatest yields, without a bound for symbols that have a part without one."""
    while True:
        before = longest.copy()
        for parent, left, right in zip(rules.parents, rules.lefts, rules.rights, strict=True):
            parts = [int(longest[part]) for part in (left, right) if part >= 0]
            if parts and max(parts) >= LONGEST:
                longest[parent] = LONGEST
        if (longest == before).all():
            return longest


def _anchored(parted: list[Parted], numbers: dict[str, int], start: str, side: int) -> NDArray[np.bool_]:
    """Symbols that are at one side of every sentence that they are in (`side` 0: its start, -1: its end)."""
    anchored = np.ones(len(numbers), np.bool_)
    while True:
        before = anchored.copy()
        for parent, children, _ in parted:
            for place, child in enumerate(children):
                if isinstance(child, Terminal):
                    continue
                outer = place == 0 if side == 0 else place == len(children) - 1
                anchored[numbers[child]] &= outer and anchored[numbers[parent]]
        if (anchored == before).all():
            return anchored
