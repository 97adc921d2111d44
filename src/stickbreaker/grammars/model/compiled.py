"""A grammar in flat arrays: binarised rules, with symbols in an order in which a chart can be filled."""

from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.core.records import AnyArray, Array
from stickbreaker.grammars.kernels.grammar_chart import PLAIN, Rules, Symbols, WeightedGrammar, Weights
from stickbreaker.grammars.model.grammar import Grammar, Symbol, Terminal
from stickbreaker.grammars.model.symbol_graph import components

Integers = NDArray[np.int32]
LONGEST = np.int32(2**30)  # length of an unbounded yield
CIRCLES = 50  # unary steps in a row beyond the number of symbols, if there are cycles


class Compiled(NamedTuple):
    """A grammar as arrays for kernels, with binarised rules; symbols, rules and terminals are numbers."""

    rules: Rules
    symbols: Symbols
    names: tuple[str, ...]  # symbols; those added by binarisation are named by their right-hand sides
    terminals: tuple[str, ...]
    sources: Integers  # rules: the original rule; -1: added by binarisation
    weights: Array  # rules: prior weights
    start: int
    adapted: Integers  # the adapted symbols, each before those below it
    discounts: Array  # adapted symbols
    concentrations: Array
    by_document: bool = False  # whether documents have weights of their own for the start symbol's rules

    @property
    def n_closures(self) -> int:
        """The length of `Weights.closures`: a matrix for each group of symbols in a cycle of unary rules."""
        groups = self.symbols.groups[self.symbols.circles >= 0]
        return int((np.bincount(groups) ** 2).sum()) if len(groups) else 0

    @property
    def n_rules(self) -> int:
        """The number of rules of the grammar before binarisation."""
        return int(self.sources.max()) + 1

    @property
    def own_rules(self) -> NDArray[np.int64]:
        """The numbers of the rules of which documents have their own weights: the start symbol's, or none."""
        first = self.symbols.first[self.start : self.start + 2] if self.by_document else (0, 0)
        return np.arange(first[0], first[1])

    def weighted(self, weights: Weights) -> WeightedGrammar:
        """The grammar with the probabilities for a chart."""
        return WeightedGrammar(self.rules, self.symbols, weights)

    def of_grammar(self, uses: AnyArray) -> Array:
        """Convert uses of the binarised rules into uses of the grammar's original rules."""
        counted = self.rules.counted
        return np.asarray(np.bincount(self.sources[counted], uses[counted], self.n_rules), np.float64)

    def shares(self, counts: Array) -> Array:
        """(rules) Each rule's count divided by the sum for its parent; 1 for rules of binarisation."""
        parents = self.rules.parents
        sums = np.bincount(parents, counts, len(self.names))
        return np.where(self.rules.counted, counts / sums[parents], 1.0)


Parted = tuple[str, tuple[Symbol, ...], int]  # parent, at most two children, source


def compiled(grammar: Grammar) -> Compiled:
    """Convert a grammar into arrays for kernels: rules are binarised, and symbols and terminals numbered.

    >>> found = compiled(Grammar.from_text("1 1 S --> a S b\\n1 1 S --> c"))
    >>> found.names, found.terminals, found.symbols.shortest.tolist()
    (('a', 'b', 'S b', 'S'), ('a', 'b', 'c'), [1, 1, 2, 1])
    """
    parted = _parted(grammar)
    order, groups = _order(parted)
    numbers = {name: number for number, name in enumerate(order)}
    letters = {letter: number for number, letter in enumerate(grammar.terminals)}
    parted.sort(key=lambda rule: (numbers[rule[0]], letters[str(rule[1][0])] if _is_terminal(rule) else -1))
    rules = _rules(parted, numbers, letters)
    sources = np.array([source for _, _, source in parted], np.int32)
    first = np.searchsorted(rules.parents, np.arange(len(order) + 1)).astype(np.int32)
    n_inner = np.bincount(rules.parents[rules.lefts >= 0], minlength=len(order))
    adapted = np.array([numbers[name] for name in grammar.adapted], np.int32)
    below = np.zeros((len(adapted), len(order)), np.bool_)
    _mark_below(adapted, first, rules, below)
    general = np.lexsort([adapted, -below.sum(axis=1)])
    adapted, below = adapted[general], below[general]
    places = np.full(len(order), -1, np.int32)
    places[adapted] = np.arange(len(adapted))
    shortest, longest = _shortest(parted), _longest(parted)
    circles = _circles(rules, groups)
    symbols = Symbols(
        first=first,
        inner=(first[:-1] + n_inner).astype(np.int32),
        adapted=places,
        shortest=np.array([shortest[name] for name in order], np.int32),
        longest=np.array([longest[name] for name in order], np.int32),
        at_start=_anchored(parted, numbers, 0),
        at_end=_anchored(parted, numbers, -1),
        groups=groups,
        circles=circles,
        below=below,
        unary=len(order) + (CIRCLES if (circles >= 0).any() else 0),
    )
    processes = [grammar.adapted[order[symbol]] for symbol in adapted]
    return Compiled(
        rules,
        symbols,
        tuple(order),
        grammar.terminals,
        sources,
        np.array([grammar.rules[source].weight if source >= 0 else 1.0 for source in sources]),
        numbers[grammar.start],
        adapted,
        np.array([process.discount for process in processes]),
        np.array([process.concentration for process in processes]),
        grammar.by_document is not None,
    )


def _is_terminal(rule: Parted) -> bool:
    return isinstance(rule[1][0], Terminal)


def _parted(grammar: Grammar) -> list[Parted]:
    """Binarise a grammar: returns rules with at most two children each, some of them added for this.

    A right-hand side of more than two children is split; equal rests of right-hand sides share a new symbol,
    named by its children. A terminal next to other children gets a symbol that leads only to it.
    """
    found: list[Parted] = []
    known = set(grammar.symbols)
    made: dict[int, str] = {}  # symbols of the rests of right-hand sides, by the number of the rest
    letters: dict[str, str] = {}  # symbols of terminals next to other children
    numbers: dict[tuple[Symbol, bool, int], int] = {}

    def named(children: tuple[Symbol, ...]) -> str:
        name = " ".join(children)
        while name in known:
            name += " "
        known.add(name)
        return name

    def single(child: Symbol) -> str:
        """The symbol for a child in a binary rule; for a terminal, a new symbol that leads only to it."""
        if not isinstance(child, Terminal):
            return child
        if child not in letters:
            letters[child] = named((child,))
            found.append((letters[child], (child,), -1))
        return letters[child]

    def halves_of(children: tuple[Symbol, ...]) -> tuple[Symbol, ...]:
        if len(children) == 1:
            return children
        lefts, names = [single(children[0])], list[str]()
        rests = _numbered_rests(children, numbers)
        for at in range(1, len(children) - 1):
            if rests[at] in made:
                right = made[rests[at]]
                break
            names.append(named(children[at:]))
            made[rests[at]] = names[-1]
            lefts.append(single(children[at]))
        else:
            right = single(children[-1])
        for name in reversed(names):  # each is part of the one before
            found.append((name, (lefts.pop(), right), -1))
            right = name
        return lefts[0], right

    for number, rule in enumerate(grammar.rules):
        found.append((rule.parent, halves_of(rule.children), number))
    return found


def _order(parted: list[Parted]) -> tuple[list[str], Integers]:
    """Sort symbols so that unary rules lead to earlier ones, since charts are filled in this order.

    Symbols in a cycle of unary rules form a group, and stay together. Returns the sorted symbols, and the
    number of the group of each.
    """
    below: dict[str, list[str]] = {}
    for parent, children, _ in parted:
        leads = below.setdefault(parent, [])
        if len(children) == 1 and not isinstance(children[0], Terminal):
            leads.append(children[0])
    found = components(below)
    sizes = np.array([len(group) for group in found])
    return [symbol for group in found for symbol in group], np.repeat(
        np.arange(len(found), dtype=np.int32), sizes
    )


def _numbered_rests(children: tuple[Symbol, ...], numbers: dict[tuple[Symbol, bool, int], int]) -> list[int]:
    """A number for each suffix of a right-hand side; equal suffixes of any rules have equal numbers.

    Element i is the number of children[i:]; it is 0 for the whole right-hand side and for the empty suffix.
    numbers: those assigned so far, to which new ones are added.
    """
    found = [0] * (len(children) + 1)
    for at in range(len(children) - 1, 0, -1):
        key = str(children[at]), isinstance(children[at], Terminal), found[at + 1]
        found[at] = numbers.setdefault(key, len(numbers) + 1)
    return found


def _rules(parted: list[Parted], numbers: dict[str, int], letters: dict[str, int]) -> Rules:
    columns: list[tuple[int, int, int, int, bool]] = []
    for parent, children, source in parted:
        left, right, terminal = -1, -1, -1
        if isinstance(children[0], Terminal):
            terminal = letters[str(children[0])]
        else:
            left = numbers[children[0]]
            right = numbers[children[1]] if len(children) == 2 else -1
        columns.append((numbers[parent], left, right, terminal, source >= 0))
    parents, lefts, rights, terminals, counted = np.array(columns, np.int32).T.copy()
    return Rules(
        parents,
        lefts,
        rights,
        terminals,
        counted.astype(np.bool_),
        *grouped(lefts, len(numbers)),
        *grouped(terminals, len(letters)),
    )


def grouped(values: Integers, n: int) -> tuple[Integers, NDArray[np.int64]]:
    """Index an array by value, from 0 to n - 1: at which places does each value occur?

    Returns the places, sorted by value, and where those of each value begin (n + 1). Negative values are left
    out.
    """
    order = np.argsort(values, kind="stable").astype(np.int32)
    order = order[values[order] >= 0]
    return order, np.searchsorted(values[order], np.arange(n + 1)).astype(np.int64)


@njit(**PLAIN)
def _mark_below(adapted, first, rules, below):
    """Fill `below` (adapted symbols × symbols, all False before): whether one's subtrees can have the other.

    An adapted symbol occurs in its own subtrees.
    """
    waiting = np.zeros(len(first), np.int32)
    for place in range(len(adapted)):
        below[place, adapted[place]] = True
        waiting[0], number = adapted[place], 1
        while number > 0:
            number -= 1
            symbol = waiting[number]
            for rule in range(first[symbol], first[symbol + 1]):
                for child in (rules.lefts[rule], rules.rights[rule]):
                    if child >= 0 and not below[place, child]:
                        below[place, child] = True
                        waiting[number] = child
                        number += 1


def _circles(rules: Rules, groups: Integers) -> NDArray[np.int64]:
    """(symbols) Where the matrix of each symbol's group begins in `Weights.closures`; -1: it is in no cycle.

    groups: the group of each symbol, from `_order`.
    """
    unary = (rules.lefts >= 0) & (rules.rights < 0)
    parents, lefts = rules.parents[unary], rules.lefts[unary]
    circles = np.unique(groups[parents[groups[parents] == groups[lefts]]])
    sizes = np.bincount(groups, minlength=int(groups.max()) + 1) ** 2
    begins = np.full(len(sizes), -1, np.int64)
    begins[circles] = np.cumsum(sizes[circles]) - sizes[circles]
    return begins[groups]


def _shortest(parted: list[Parted]) -> dict[str, int]:
    """The length of the shortest string that each symbol derives (Knuth 1977), at most LONGEST."""
    users: dict[str, list[int]] = {}
    missing, sizes = [0] * len(parted), [0] * len(parted)
    found: dict[str, int] = {}
    waiting: list[tuple[int, str]] = []
    for number, (parent, children, _) in enumerate(parted):
        if isinstance(children[0], Terminal):
            waiting.append((1, parent))
            continue
        missing[number] = len(children)
        for child in children:
            users.setdefault(child, []).append(number)
    heapify(waiting)
    while waiting:
        size, symbol = heappop(waiting)
        if symbol in found:
            continue
        found[symbol] = size
        for number in users.get(symbol, ()):
            missing[number] -= 1
            sizes[number] = min(sizes[number] + size, int(LONGEST))
            if not missing[number]:
                heappush(waiting, (sizes[number], parted[number][0]))
    return found


def _longest(parted: list[Parted]) -> dict[str, int]:
    """The length of the longest string that each symbol derives; LONGEST if there is no limit."""
    rules: dict[str, list[tuple[Symbol, ...]]] = {}
    below: dict[str, list[str]] = {}
    for parent, children, _ in parted:
        rules.setdefault(parent, []).append(children)
        inner = [child for child in children if not isinstance(child, Terminal)]
        below.setdefault(parent, []).extend(inner)
    found: dict[str, int] = {}
    for group in components(below):
        most, members = 1, set(group)
        for children in (children for symbol in group for children in rules[symbol]):
            if isinstance(children[0], Terminal):
                continue
            if members.isdisjoint(children):
                most = max(most, sum(found[child] for child in children))
            elif len(children) == 2:
                most = int(LONGEST)
        found.update(dict.fromkeys(group, min(most, int(LONGEST))))
    return found


def _anchored(parted: list[Parted], numbers: dict[str, int], side: int) -> NDArray[np.bool_]:
    """(symbols) Whether a symbol occurs only at the start (`side` 0) or only at the end (-1) of sentences."""
    anchored = np.ones(len(numbers), np.bool_)
    below: dict[str, list[str]] = {}
    waiting: list[str] = []
    for parent, children, _ in parted:
        inner = [child for child in children if not isinstance(child, Terminal)]
        below.setdefault(parent, []).extend(inner)
        waiting += inner[1:] if side == 0 else inner[:-1]
    while waiting:
        symbol = waiting.pop()
        if anchored[numbers[symbol]]:
            anchored[numbers[symbol]] = False
            waiting += below[symbol]
    return anchored
