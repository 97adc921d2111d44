"""A grammar in flat arrays: rules of two symbols at most, in an order in which a chart can be filled."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array
from stickbreaker.kernels.grammars.grammar_chart import Rules, Symbols
from stickbreaker.models.grammars.grammar import Grammar, Symbol, Terminal

Integers = NDArray[np.int32]
LONGEST = np.int32(2**30)  # of a yield that has no bound
CIRCLES = 50  # unary steps in a row beyond the number of symbols, where some lead back


class Compiled(NamedTuple):
    """A grammar as kernels read it, and what its numbers stand for."""

    rules: Rules
    symbols: Symbols
    names: tuple[str, ...]  # symbols; of one that parts a right side, the rest of it
    terminals: tuple[str, ...]
    sources: Integers  # rules: the grammar's rule that each is; -1: of a symbol that parts a right side
    weights: Array  # rules: prior weights
    start: int
    adapted: Integers  # the adapted symbols, general ones before those that they are made of
    discounts: Array  # adapted symbols
    concentrations: Array
    unary: int  # the most unary steps in a row

    @property
    def n_closures(self) -> int:
        """Numbers that `Weights.closures` has room for."""
        groups = self.symbols.groups[self.symbols.circles >= 0]
        return int((np.bincount(groups) ** 2).sum()) if len(groups) else 0

    @property
    def n_rules(self) -> int:
        """Rules of the grammar as it was given."""
        return int(self.sources.max()) + 1

    def of_grammar(self, uses: NDArray[Any]) -> Array:
        """Uses of rules as uses of the grammar's rules."""
        counted = self.rules.counted
        return np.asarray(np.bincount(self.sources[counted], uses[counted], self.n_rules), np.float64)

    def shares(self, counts: Array) -> Array:
        """Counts of rules over those of all rules of their symbol; 1 of rules that part a right side."""
        parents = self.rules.parents
        sums = np.bincount(parents, counts, len(self.names))
        return np.where(self.rules.counted, counts / sums[parents], 1.0)


Parted = tuple[str, tuple[Symbol, ...], int]  # parent, at most two children, source


def compiled(grammar: Grammar) -> Compiled:
    """The arrays of a grammar.

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
    below = {numbers[name]: _below(numbers[name], rules, first) for name in grammar.adapted}
    adapted = sorted(below, key=lambda symbol: (-below[symbol].sum(), symbol))
    places = np.full(len(order), -1, np.int32)
    places[adapted] = np.arange(len(adapted))
    shortest, longest = _yields(rules, len(order))
    symbols = Symbols(
        first=first,
        inner=(first[:-1] + n_inner).astype(np.int32),
        adapted=places,
        shortest=shortest,
        longest=longest,
        at_start=_anchored(parted, numbers, 0),
        at_end=_anchored(parted, numbers, -1),
        groups=groups,
        circles=_circles(rules, groups),
        below=np.array([below[symbol] for symbol in adapted], np.bool_).reshape(-1, len(order)),
    )
    processes = [grammar.adapted[order[symbol]] for symbol in adapted]
    circle = (symbols.circles >= 0).any()
    return Compiled(
        rules,
        symbols,
        tuple(order),
        grammar.terminals,
        sources,
        np.array([grammar.rules[source].weight if source >= 0 else 1.0 for source in sources]),
        numbers[grammar.start],
        np.array(adapted, np.int32),
        np.array([process.discount for process in processes]),
        np.array([process.concentration for process in processes]),
        len(order) + CIRCLES if circle else len(order),
    )


def _is_terminal(rule: Parted) -> bool:
    return isinstance(rule[1][0], Terminal)


def _parted(grammar: Grammar) -> list[Parted]:
    """Rules of two children at most; a terminal beside others gets a symbol named as it is spelled."""
    found: list[Parted] = []
    known = set(grammar.symbols)
    made: dict[tuple[tuple[Symbol, bool], ...], str] = {}

    def symbol_of(children: tuple[Symbol, ...]) -> str:
        """The symbol that is rewritten as some children and nothing else."""
        if len(children) == 1 and not isinstance(children[0], Terminal):
            return children[0]
        key = tuple((child, isinstance(child, Terminal)) for child in children)
        if key not in made:
            name = " ".join(children)
            while name in known:
                name += " "
            known.add(name)
            made[key] = name
            found.append((name, halves_of(children), -1))
        return made[key]

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
    """The places of each value below n, value by value without -1, and where those of each begin."""
    order = np.argsort(values, kind="stable").astype(np.int32)
    order = order[values[order] >= 0]
    return order, np.searchsorted(values[order], np.arange(n + 1)).astype(np.int64)


def _below(symbol: int, rules: Rules, first: Integers) -> NDArray[np.bool_]:
    """Which symbols trees of one may have, itself included."""
    found = np.zeros(len(first) - 1, np.bool_)
    found[symbol] = True
    waiting = [symbol]
    while waiting:
        one = waiting.pop()
        own = slice(first[one], first[one + 1])
        children = np.unique(np.concatenate([rules.lefts[own], rules.rights[own]]))
        new = [child for child in children.tolist() if child >= 0 and not found[child]]
        found[new] = True
        waiting += new
    return found


def _circles(rules: Rules, groups: Integers) -> NDArray[np.int64]:
    """Of symbols in a group with a circle, where its sums over unary ways begin; else -1."""
    unary = (rules.lefts >= 0) & (rules.rights < 0)
    parents, lefts = rules.parents[unary], rules.lefts[unary]
    found, total = np.full(len(groups), -1, np.int64), 0
    for group in np.unique(groups[parents[groups[parents] == groups[lefts]]]):
        members = groups == group
        found[members] = total
        total += int(members.sum()) ** 2
    return found


def _yields(rules: Rules, n_symbols: int) -> tuple[Integers, Integers]:
    """The fewest and the most terminals that each symbol may come to."""
    shortest, longest = np.full(n_symbols, LONGEST), np.zeros(n_symbols, np.int32)
    for bound, better in ((shortest, np.minimum), (longest, np.maximum)):
        before = bound
        for _ in range(n_symbols + 1):
            before = bound.copy()
            better.at(bound, rules.parents, _sizes(rules, bound))
            if (bound == before).all():
                break
        else:
            longest[bound != before] = LONGEST  # those still growing, and what they are part of, next
    while True:
        before = longest.copy()
        np.maximum.at(longest, rules.parents, np.where(_sizes(rules, longest) == LONGEST, LONGEST, 0))
        if (longest == before).all():
            return shortest, longest


def _sizes(rules: Rules, bound: Integers) -> Integers:
    """The terminals of each rule, given those of symbols."""
    sizes = np.where(rules.lefts >= 0, bound[rules.lefts], 1).astype(np.int64)
    return np.minimum(sizes + np.where(rules.rights >= 0, bound[rules.rights], 0), LONGEST).astype(np.int32)


def _anchored(parted: list[Parted], numbers: dict[str, int], side: int) -> NDArray[np.bool_]:
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
