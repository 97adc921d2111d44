"""Charts: inside probabilities of a sentence's spans, and trees drawn from them.

A span is the terminals from i to j - 1, counted from 0 in its sentence. The string of a span, its terminals,
has a number from 1; 0 is for strings of which no remembered subtree can be used.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART
from stickbreaker.kernels.random import uniform

PLAIN: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}
# without reference counts: these functions make no array and return none
LEAN: dict[str, Any] = {**PLAIN, "_nrt": False}
FILLING: dict[str, Any] = {**OPTIONS, "_nrt": False}
FREE_TABLE, TABLES, FREE_ENTRY, ENTRIES, TABLES_USED, ENTRIES_USED = range(6)  # indices of `Memory.free`


class Rules(NamedTuple):
    """The binarised rules of a grammar, each to a terminal or to one or two symbols.

    They are sorted by parent; a parent's rules to symbols come before those to terminals.
    """

    parents: NDArray[np.int32]  # rules
    lefts: NDArray[np.int32]  # rules: the first child; -1: the rule leads to a terminal
    rights: NDArray[np.int32]  # rules: the second child; -1: none
    terminals: NDArray[np.int32]  # rules: the terminal, ascending within a symbol; -1: other symbols
    counted: NDArray[np.bool_]  # rules: False for those added to split long right-hand sides
    of_left: NDArray[np.int32]  # rules to other symbols, sorted by first child
    lefts_at: NDArray[np.int64]  # symbols + 1: where the rules of each first child begin
    of_terminal: NDArray[np.int32]  # rules to a terminal, sorted by terminal
    terminals_at: NDArray[np.int64]  # terminals + 1: where the rules of each begin


class Symbols(NamedTuple):
    """Properties of a grammar's symbols, for charts.

    Symbols are numbered so that unary rules lead to lower numbers, except within cycles of unary rules.
    """

    first: NDArray[np.int32]  # symbols + 1: where the rules of each begin
    inner: NDArray[np.int32]  # symbols: where its rules to other symbols end
    adapted: NDArray[np.int32]  # symbols: index among adapted symbols; -1: not adapted
    shortest: NDArray[np.int32]  # symbols: least number of terminals of its yields
    longest: NDArray[np.int32]  # symbols: greatest number; 2^30 if unbounded
    at_start: NDArray[np.bool_]  # symbols: its yield always begins a sentence
    at_end: NDArray[np.bool_]  # symbols: its yield always ends a sentence
    groups: NDArray[np.int32]  # symbols: group; symbols of a group reach each other by unary rules
    circles: NDArray[np.int64]  # symbols: where its group's sums over unary chains are; -1: no cycle
    below: NDArray[np.bool_]  # adapted symbols × symbols: whether it occurs below
    unary: int  # the most unary steps in a row


class Weights(NamedTuple):
    """The probabilities used to fill a chart: of rules, and of new and remembered subtrees.

    a, b: discount and concentration of an adapted symbol's restaurant, which has C customers at T tables.
    """

    rules: NDArray[np.float64]  # rules: p(children | parent)
    fresh: NDArray[np.float64]  # adapted symbols: p(a new subtree), (b + a T) / (C + b)
    remembered: NDArray[np.float64]  # adapted symbols: 1 / (C + b)
    closures: NDArray[np.float64]  # sums over unary chains between symbols, a block for each group


class WeightedGrammar(NamedTuple):
    """A grammar, and the probabilities with which a chart is filled."""

    rules: Rules
    symbols: Symbols
    weights: Weights


class Memory(NamedTuple):
    """The remembered subtrees, as tables in a restaurant of each adapted symbol, and the trees that use them.

    A table stands for one subtree, and each of its uses is a customer. Tables of the same symbol and string
    form a linked list; so do the entries (rules and tables) of a tree.
    """

    customers: NDArray[Any]  # tables: customers; in a learned grammar, shares
    parts: NDArray[np.int32]  # tables: number of tables that one entry stands for; 1 in a chain
    contents: NDArray[np.int32]  # tables: first entry of the subtree
    places: NDArray[np.int32]  # tables: the adapted symbol
    strings: NDArray[np.int32]  # tables: number of its string
    positions: NDArray[np.int32]  # tables: a position of the string in the text
    lengths: NDArray[np.int32]  # tables: number of terminals
    following: NDArray[
        np.int32
    ]  # tables: the next of the same symbol and string; for a free one, the next free
    before: NDArray[np.int32]  # tables: the one before; -1 for the first
    first: NDArray[np.int32]  # adapted symbols × strings: first table, or -1
    masses: NDArray[np.float64]  # adapted symbols × strings: customers less discounts of tables
    values: NDArray[np.int32]  # entries of trees, from the top, left first: a rule, or -1 - table
    onward: NDArray[np.int32]  # entries: the next entry, or -1
    free: NDArray[np.int32]  # first free table, tables ever used, the same for entries, numbers in use


class Remembered(NamedTuple):
    """Remembered subtrees for filling a chart, with the mass of each symbol's subtrees as it is to count.

    masses: 0 to use no remembered subtrees; for the best tree, of the greatest subtree, not of all.
    discounts (adapted symbols): of their Pitman-Yor processes.
    """

    memory: Memory
    masses: NDArray[np.float64]  # as in `Memory`; for the best tree: of the greatest subtree; 0: use none
    discounts: NDArray[np.float64]  # adapted symbols


class Chart(NamedTuple):
    """The inside probabilities of a sentence: p(terminals of a span | symbol) × scale^length.

    They are stored twice, by start and by end, so that sums over split points read adjacent memory.
    """

    by_start: NDArray[np.float64]  # symbols × starts × ends
    by_end: NDArray[np.float64]  # symbols × ends × starts
    live: NDArray[np.bool_]  # symbols: whether it can occur in the present sentence


class Span(NamedTuple):
    """A string of terminals to be parsed: a whole sentence, or the part that one remembered subtree spans."""

    letters: NDArray[np.int32]  # its terminals
    strings: NDArray[np.int32]  # of the whole sentence: string number of each span
    position: int | np.int64  # its start in the text; 0 if positions are not used
    origin: int  # its start in the sentence
    whole: int  # terminals of the sentence
    active: NDArray[np.int32]  # the symbols that can occur in its trees, ascending


class Filling(NamedTuple):
    """How a chart is filled: for trees of which symbol, and at which scale (values are p × scale^length)."""

    symbol: int | np.int64  # the top of the trees
    inner: bool  # only new subtrees of it count: the trees are contents of a remembered subtree
    scale: float
    heat: float  # an exponent on remembered subtrees; weights of rules and of new subtrees already have it


class Draft(NamedTuple):
    """A drawn tree that is not stored in `Memory` yet: an entry for each rule or remembered subtree.

    Entries are in preorder; arrays have spare room.
    """

    values: NDArray[np.int32]  # a rule, or -1 - table for a remembered subtree
    sizes: NDArray[np.int32]  # entries of its subtree, itself included
    strings: NDArray[np.int32]  # string number of the subtree
    positions: NDArray[np.int32]
    lengths: NDArray[np.int32]
    tables: NDArray[np.int32]  # for a new subtree: its former table, or -1
    nats: NDArray[np.float64]  # log p of the subtree, by the weights used to draw it
    stack: NDArray[np.int32]  # symbols still to be expanded: symbol, start, end, unary steps so far
    number: NDArray[np.int64]  # number of entries


class Desk(NamedTuple):
    """The working memory with which trees of a sentence are drawn."""

    chart: Chart
    draft: Draft


@kernel_part(**PART)
def span_at(i, j, n):
    """The index of the span of terminals i to j - 1 in an array of all spans of a sentence of n terminals.

    Spans are sorted by start, then by end.
    """
    return i * n - i * (i - 1) // 2 + j - i - 1


@kernel_part(**PART)
def _string_of(span, i, j):
    """The string number of the terminals i to j - 1 of a span; i and j count from the span's start."""
    return span.strings[span_at(span.origin + i, span.origin + j, span.whole)]


@kernel_part(**PART)
def rule_to(symbol, terminal, rules, symbols):
    """The number of the rule by which a symbol leads to a terminal; -1: there is none."""
    low, high = symbols.inner[symbol], symbols.first[symbol + 1]
    while low < high:
        middle = (low + high) >> 1
        if rules.terminals[middle] < terminal:
            low = middle + 1
        else:
            high = middle
    found = low < symbols.first[symbol + 1] and rules.terminals[low] == terminal
    return np.int64(low) if found else np.int64(-1)


@kernel_part(**PART)
def n_terminals_of(rules):
    """The number of terminals of a grammar."""
    return len(rules.terminals_at) - 1


@kernel_part(**PART)
def _fits(symbol, i, j, n, symbols):
    """Whether a symbol may derive the terminals i to j - 1 of n, by its possible lengths and positions."""
    size = j - i
    if size < symbols.shortest[symbol] or size > symbols.longest[symbol]:
        return False
    return (i == 0 or not symbols.at_start[symbol]) and (j == n or not symbols.at_end[symbol])


@kernel_part(**PART)
def covers(symbol, size, symbols, chart):
    """Whether a chart has probabilities of a symbol for spans of `size` terminals.

    If not, its values there are never written, and may not be read.
    """
    return chart.live[symbol] and symbols.shortest[symbol] <= size <= symbols.longest[symbol]


@kernel_part(**PART)
def splits(left, right, i, j, symbols):
    """The places at which the span from i to j may be split between two symbols: the first, the last + 1.

    These follow from the least and greatest lengths of both symbols.
    """
    low = max(i + symbols.shortest[left], j - symbols.longest[right])
    high = min(i + symbols.longest[left], j - symbols.shortest[right])
    return low, high + 1


@kernel_part(**PART)
def scaled(mass, heat, power, size, scale):
    """mass^heat × scale^size without overflow: a probability in the units of a chart.

    power: scale^size as computed, which may be infinite.
    """
    if mass <= 0.0:
        return 0.0
    if heat != 1.0:
        mass = mass**heat
    if power < 1e300:
        return mass * power
    return np.exp(np.log(mass) + size * np.log(scale))


@kernel_part(**PART)
def _two(left, right, i, j, best, chart, symbols):
    """The probability that two adjacent symbols derive a span, summed over split points.

    best: the greatest of the terms instead of the sum.
    """
    low, high = splits(left, right, i, j, symbols)
    total = 0.0
    if best:
        for k in range(low, high):
            total = max(total, chart.by_start[left, i, k] * chart.by_end[right, j, k])
    else:
        for k in range(low, high):
            total += chart.by_start[left, i, k] * chart.by_end[right, j, k]
    return total


@kernel_part(**PART)
def _own(symbol, i, j, span, scale, best, grammar, chart):
    """The probability that a symbol derives a span by its rules, without its remembered subtrees.

    Unary rules to symbols of its own group (a cycle of unary rules) are left out. best: the greatest
    probability of a derivation instead of the sum.
    """
    rules, symbols, weights = grammar
    total = 0.0
    if j == i + 1:
        rule = rule_to(symbol, span.letters[i], rules, symbols)
        if rule >= 0:
            total = weights.rules[rule] * scale
    for rule in range(symbols.first[symbol], symbols.inner[symbol]):
        left, right = rules.lefts[rule], rules.rights[rule]
        p = 0.0
        if right >= 0:
            if chart.live[left] and chart.live[right]:
                p = weights.rules[rule] * _two(left, right, i, j, best, chart, symbols)
        elif symbols.groups[left] != symbols.groups[symbol] and covers(left, j - i, symbols, chart):
            p = weights.rules[rule] * chart.by_start[left, i, j]
        total = max(total, p) if best else total + p
    return total


@njit(**FILLING)
def fill_chart(span, filling, best, masses, grammar, chart):
    """Fill a chart with p(terminals i to j - 1 | symbol) × scale^(j - i), for all spans of a sentence.

    For spans that a symbol cannot have (`covers`) nothing is written, except 0 for the whole sentence.
    masses (adapted symbols × strings): the sum over the remembered subtrees of a string of customers -
    discount. best: maximise over trees instead of summing; masses are then of the greatest subtree alone.
    Unary chains within a group (a cycle of unary rules) are summed by `Weights.closures`.
    """
    _, symbols, weights = grammar
    active, scale, n = span.active, filling.scale, len(span.letters)
    for symbol in active:
        chart.live[symbol] = True
        chart.by_start[symbol, 0, n] = 0.0
    power = 1.0
    for size in range(1, n + 1):
        power *= scale
        at = 0
        while at < len(active):
            symbol = active[at]
            if symbols.circles[symbol] >= 0:
                end = at
                for i in range(n - size + 1):
                    end = _fill_group(at, i, i + size, span, scale, best, grammar, chart)
                at = end
                continue
            at += 1
            if size < symbols.shortest[symbol] or size > symbols.longest[symbol]:
                continue
            inner = filling.inner and symbol == filling.symbol
            place = np.int32(-1) if inner else symbols.adapted[symbol]
            first = n - size if symbols.at_end[symbol] else 0
            last = 0 if symbols.at_start[symbol] else n - size
            for i in range(first, last + 1):
                j = i + size
                p = _own(symbol, i, j, span, scale, best, grammar, chart)
                if place >= 0:
                    mass = masses[place, _string_of(span, i, j)] * weights.remembered[place]
                    mass = scaled(mass, filling.heat, power, size, scale)
                    p *= weights.fresh[place]
                    p = max(p, mass) if best else p + mass
                chart.by_start[symbol, i, j] = p
                chart.by_end[symbol, j, i] = p
    for symbol in active:
        chart.live[symbol] = False


@kernel_part(**LEAN)
def allow_all(symbol, symbols, weights):
    """Set the weights of all rules of a symbol to 1, to fill a chart that `allow_one` then restricts."""
    for rule in range(symbols.first[symbol], symbols.first[symbol + 1]):
        weights.rules[rule] = 1.0


@kernel_part(**LEAN)
def allow_one(rule, span, filling, grammar, chart):
    """Restrict a filled chart to trees that begin with a given rule of the top symbol.

    The weight of the rule becomes 1, those of the symbol's other rules 0. With them, p(whole span | symbol) ×
    scale^size is computed again, entered into the chart and returned. The symbol must not be adapted, and no
    rule may lead back to it.
    """
    symbol, symbols, weights, n = filling.symbol, grammar.symbols, grammar.weights, len(span.letters)
    for other in range(symbols.first[symbol], symbols.first[symbol + 1]):
        weights.rules[other] = 0.0
    weights.rules[rule] = 1.0
    for one in span.active:
        chart.live[one] = True
    p = _own(symbol, 0, n, span, filling.scale, False, grammar, chart)
    for one in span.active:
        chart.live[one] = False
    chart.by_start[symbol, 0, n] = p
    chart.by_end[symbol, n, 0] = p
    return p


@kernel_part(**PART)
def group_of(symbol, symbols):
    """The group of symbols that unary rules connect with `symbol` in cycles: its lowest symbol, and its size.

    A symbol in no cycle is a group of its own.
    """
    lowest = symbol
    while lowest > 0 and symbols.groups[lowest - 1] == symbols.groups[symbol]:
        lowest -= 1
    n_group = 1
    while (
        lowest + n_group < len(symbols.groups) and symbols.groups[lowest + n_group] == symbols.groups[symbol]
    ):
        n_group += 1
    return lowest, n_group


@kernel_part(**PART)
def _fill_group(at, i, j, span, scale, best, grammar, chart):
    """Fill the span i to j (exclusive) of a chart for a group of symbols that unary rules connect in a cycle.

    at: the place of the group's first symbol in `span.active`; returns the place after its last. The chart
    gets p(terminals | symbol) × scale^length; with `best`, of the best tree in place of the sum over trees.
    """
    active, symbols, weights = span.active, grammar.symbols, grammar.weights
    n, symbol = len(span.letters), active[at]
    end = at
    while end < len(active) and symbols.groups[active[end]] == symbols.groups[symbol]:
        one = active[end]
        p = 0.0
        if _fits(one, i, j, n, symbols):
            p = _own(one, i, j, span, scale, best, grammar, chart)
        chart.by_end[one, j, i] = p
        end += 1
    lowest, n_group = group_of(symbol, symbols)
    for place in range(at, end):
        one = active[place]
        block = symbols.circles[one] + (one - lowest) * n_group
        total = 0.0
        for other in range(at, end):
            p = weights.closures[block + active[other] - lowest] * chart.by_end[active[other], j, i]
            total = max(total, p) if best else total + p
        chart.by_start[one, i, j] = total if _fits(one, i, j, n, symbols) else 0.0
    for place in range(at, end):
        chart.by_end[active[place], j, i] = chart.by_start[active[place], i, j]
    return end


@njit(**LEAN)
def close_circles(best, grammar):
    """Sum over all chains of unary rules in cycles, for charts: fills the closures of the grammar's weights.

    For each group of symbols in a cycle this is the matrix (I - U)^-1, where U has the weights of the unary
    rules within the group. best: the greatest products over chains instead of sums.
    """
    rules, symbols, weights = grammar
    n_symbols = len(symbols.groups)
    start = 0
    while start < n_symbols:
        end = start + 1
        while end < n_symbols and symbols.groups[end] == symbols.groups[start]:
            end += 1
        if symbols.circles[start] >= 0:
            n, block = end - start, symbols.circles[start]
            ways = weights.closures[block : block + n * n].reshape(n, n)
            for one in range(n):
                for other in range(n):
                    ways[one, other] = 0.0
            for one in range(start, end):
                for rule in range(symbols.first[one], symbols.inner[one]):
                    if rules.rights[rule] < 0 and start <= rules.lefts[rule] < end:
                        ways[one - start, rules.lefts[rule] - start] += weights.rules[rule]
            if best:
                _greatest_ways(ways)
            else:
                _all_ways(ways)
        start = end


@kernel_part(**LEAN)
def _all_ways(steps):
    """Replace weights of single steps, in place, by sums over all chains of steps: the inverse of I - steps.

    Rows of `steps` must sum to less than one.
    """
    n = len(steps)
    for i in range(n):
        for j in range(n):
            steps[i, j] = (1.0 if i == j else 0.0) - steps[i, j]
    for k in range(n):
        pivot = 1.0 / steps[k, k]
        steps[k, k] = 1.0
        for j in range(n):
            steps[k, j] *= pivot
        for i in range(n):
            if i != k:
                factor = steps[i, k]
                steps[i, k] = 0.0
                for j in range(n):
                    steps[i, j] -= factor * steps[k, j]


@kernel_part(**LEAN)
def _greatest_ways(ways):
    """Replace weights of single steps, in place, by the greatest products over all chains of steps.

    The empty chain has the product 1, so that the diagonal is at least 1.
    """
    n = len(ways)
    for i in range(n):
        ways[i, i] = max(ways[i, i], 1.0)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                ways[i, j] = max(ways[i, j], ways[i, k] * ways[k, j])


@kernel_part(**LEAN)
def draw_tree(span, filling, best, grammar, remembered, chart, draft, state):
    """Draw a tree of a span from its filled chart into `draft`; returns whether there is one.

    There is none if the span cannot be parsed, or if more unary steps in a row were drawn than
    `Symbols.unary`. best: take the most probable tree; filling, remembered.masses: those with which the chart
    was filled; `state`: of the random stream. Sizes and log p of subtrees are not filled in: call
    `size_subtrees` or `measure`.
    """
    rules, symbols, weights = grammar
    active, masses, scale = span.active, remembered.masses, filling.scale
    start, n = filling.symbol, len(span.letters)
    draft.number[0] = 0
    if not chart.by_start[start, 0, n] > 0.0:
        return False
    for symbol in active:
        chart.live[symbol] = True
    draft.stack[0, 0], draft.stack[0, 1], draft.stack[0, 2], draft.stack[0, 3] = start, 0, n, 0
    top, at, whole = 1, 0, True
    while top > 0:
        top -= 1
        symbol, i = draft.stack[top, 0], draft.stack[top, 1]
        j, steps = draft.stack[top, 2], draft.stack[top, 3]
        inner = filling.inner and symbol == filling.symbol
        place = np.int32(-1) if inner else symbols.adapted[symbol]
        if at == len(draft.values) or steps > symbols.unary:
            whole = False
            break
        string = _string_of(span, i, j)
        draft.strings[at], draft.positions[at], draft.lengths[at] = string, span.position + i, j - i
        draft.tables[at] = -1
        target = uniform(state) * chart.by_start[symbol, i, j]
        fresh, table = 1.0, np.int32(-1)
        if place >= 0:
            fresh = weights.fresh[place]
            mass = masses[place, string] * weights.remembered[place]
            mass = scaled(mass, filling.heat, scale ** (j - i), j - i, scale) if mass > 0.0 else 0.0
            if mass > 0.0 and (
                mass >= (1.0 - 1e-9) * chart.by_start[symbol, i, j] if best else mass > target
            ):
                table = remembered.memory.first[place, string]
                table = _table_of(table, best, target / mass * masses[place, string], place, remembered)
                draft.values[at] = -1 - table
            else:
                target -= mass
        if table < 0:
            rule, part = _choose(symbol, i, j, target, fresh, best, span, scale, grammar, chart)
            if rule < 0:
                whole = False
                break
            draft.values[at] = rule
            left, right = rules.lefts[rule], rules.rights[rule]
            if right >= 0:
                draft.stack[top, 0], draft.stack[top, 1] = right, part
                draft.stack[top, 2], draft.stack[top, 3] = j, 0
                top += 1
            if left >= 0:
                end, more = (part, 0) if right >= 0 else (j, steps + 1)
                draft.stack[top, 0], draft.stack[top, 1] = left, i
                draft.stack[top, 2], draft.stack[top, 3] = end, more
                top += 1
        at += 1
    for symbol in active:
        chart.live[symbol] = False
    if whole:
        draft.number[0] = at
    return whole


@kernel_part(**LEAN)
def draw_or_give_up(span, filling, best, grammar, remembered, desk, state):
    """Draw a tree from `desk.chart` into `desk.draft` by `draw_tree`; returns whether this succeeded.

    It is tried up to 1,000 times, since a tree with too many unary steps in a row is discarded.
    """
    for _ in range(1000):
        if draw_tree(span, filling, best, grammar, remembered, desk.chart, desk.draft, state):
            return True
    return False


@kernel_part(**LEAN)
def _table_of(table, best, target, place, remembered):
    """Draw one of the remembered subtrees (tables) of a string, with p proportional to customers - discount.

    table: the first of them in their list; target: a random number, uniform below the sum. best: take the
    one with the greatest p instead.
    """
    memory, a, greatest, found = remembered.memory, remembered.discounts[place], -1.0, table
    while table >= 0:
        mass = memory.customers[table] - a * memory.parts[table]
        target -= mass
        if best:
            if mass > greatest:
                greatest, found = mass, table
        elif target < 0.0:
            return table
        else:
            found = table
        table = memory.following[table]
    return found


@kernel_part(**LEAN)
def _choose(symbol, i, j, target, fresh, best, span, scale, grammar, chart):
    """Draw the rule by which a symbol derives the span from i to j; returns it and its split point.

    The split point is -1 for a rule with one child; both are -1 if no rule fits. target: a random number,
    uniform below the span's probability by the symbol's rules; best: take the most probable rule instead;
    fresh: p(a new subtree), 1 if the symbol is not adapted.
    """
    rules, symbols, weights = grammar
    chosen, part, greatest = np.int64(-1), np.int64(-1), 0.0
    if j == i + 1:
        rule = rule_to(symbol, span.letters[i], rules, symbols)
        if rule >= 0:
            p = weights.rules[rule] * fresh * scale
            chosen, greatest = np.int64(rule), p
            target -= p
            if not best and target < 0.0:
                return chosen, part
    for rule in range(symbols.first[symbol], symbols.inner[symbol]):
        left, right = rules.lefts[rule], rules.rights[rule]
        share = weights.rules[rule] * fresh
        if right < 0:
            if covers(left, j - i, symbols, chart) and chart.by_start[left, i, j] > 0.0:
                p = share * chart.by_start[left, i, j]
                target -= p
                if not best or p > greatest:
                    chosen, part, greatest = np.int64(rule), np.int64(-1), p
                if not best and target < 0.0:
                    return chosen, part
        elif chart.live[left] and chart.live[right]:
            low, high = splits(left, right, i, j, symbols)
            for k in range(low, high):
                p = share * chart.by_start[left, i, k] * chart.by_end[right, j, k]
                if p > 0.0:
                    target -= p
                    if not best or p > greatest:
                        chosen, part, greatest = np.int64(rule), np.int64(k), p
                    if not best and target < 0.0:
                        return chosen, part
    return chosen, part


@kernel_part(**LEAN)
def size_subtrees(draft, rules):
    """Fill `draft.sizes`: the number of entries of the subtree at each entry, itself included."""
    for at in range(draft.number[0] - 1, -1, -1):
        value, size = draft.values[at], 1
        if value >= 0:
            if rules.lefts[value] >= 0:
                size += draft.sizes[at + size]
            if rules.rights[value] >= 0:
                size += draft.sizes[at + size]
        draft.sizes[at] = size


@kernel_part(**LEAN)
def measure(draft, heat, grammar, remembered):
    """Fill `draft.nats` and `draft.sizes`: log p of each subtree of a drawn tree, and its number of entries.

    For a new subtree of an adapted symbol this is p(its content); the probability that it is new is counted
    in the entry above it. heat: as in `Filling`.
    """
    rules, symbols, weights = grammar
    memory, masses, discounts = remembered
    for at in range(draft.number[0] - 1, -1, -1):
        value = draft.values[at]
        if value < 0:
            table = -1 - value
            place, string = memory.places[table], memory.strings[table]
            mass = memory.customers[table] - discounts[place] * memory.parts[table]
            share = masses[place, string] * weights.remembered[place]
            draft.sizes[at], draft.nats[at] = 1, np.log(mass / masses[place, string]) + heat * np.log(share)
            continue
        size, nats = 1, np.log(weights.rules[value])
        for child in (rules.lefts[value], rules.rights[value]):
            if child < 0:
                continue
            below = at + size
            nats += draft.nats[below]
            if draft.values[below] >= 0 and symbols.adapted[child] >= 0:
                nats += np.log(weights.fresh[symbols.adapted[child]])
            size += draft.sizes[below]
        draft.sizes[at], draft.nats[at] = size, nats
