"""Charts: the inside probabilities of a sentence's spans, and trees drawn by them."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.math import OPTIONS, PART


class Weights(NamedTuple):
    """What a chart multiplies by, in the present state of a sampler."""

    rules: NDArray[np.float64]  # rules: p(children | parent)
    fresh: NDArray[np.float64]  # adapted symbols: p(a new subtree), (b + a T) / (C + b)
    remembered: NDArray[np.float64]  # adapted symbols: 1 / (C + b)
    closures: NDArray[np.float64]  # symbols × symbols: sums over unary ways, 0 beyond a group


class Chart(NamedTuple):
    """Inside probabilities, by span and with the roles of its ends exchanged, for sums over split points."""

    by_start: NDArray[np.float64]  # symbols × starts × ends
    by_end: NDArray[np.float64]  # symbols × ends × starts


@njit(**PART)
def _fits(symbol, i, j, n, symbols):
    """Whether a symbol may come to the terminals i to j of n."""
    size = j - i
    if size < symbols.shortest[symbol] or size > symbols.longest[symbol]:
        return False
    return (i == 0 or not symbols.at_start[symbol]) and (j == n or not symbols.at_end[symbol])


@njit(**PART)
def _splits(left, right, i, j, symbols):
    """The first and the last place + 1 where a span may be parted for two symbols."""
    low = max(i + symbols.shortest[left], j - symbols.longest[right])
    high = min(i + symbols.longest[left], j - symbols.shortest[right])
    return low, high + 1


@njit(**PART)
def _two(left, right, i, j, chart, symbols):
    """The probability of two symbols one after the other, sums over where they part."""
    low, high = _splits(left, right, i, j, symbols)
    total = 0.0
    for k in range(low, high):
        total += chart.by_start[left, i, k] * chart.by_end[right, j, k]
    return total


@njit(**PART)
def _own(symbol, i, j, sentence, scale, chart, rules, symbols, weights):
    """The probability of a span by the rules of a symbol that are not to one other symbol of its group."""
    total = 0.0
    for rule in range(symbols.first[symbol], symbols.first[symbol + 1]):
        left, right = rules.lefts[rule], rules.rights[rule]
        if left < 0:
            if j == i + 1 and rules.terminals[rule] == sentence[i]:
                total += weights.rules[rule] * scale
        elif right >= 0:
            total += weights.rules[rule] * _two(left, right, i, j, chart, symbols)
        elif symbols.groups[left] != symbols.groups[symbol]:
            total += weights.rules[rule] * chart.by_start[left, i, j]
    return total


@njit(**OPTIONS)
def fill_chart(sentence, spans, cached, scale, rules, symbols, weights, chart):
    """Fill a chart with p(terminals i to j | symbol) times scale to the power of j - i.

    sentence (n); spans (starts × ends): the number of each span's string; cached (adapted symbols × strings):
    p(string) by subtrees that are remembered, unscaled. A symbol's unary ways within its group are summed up
    by `weights.closures`.
    """
    n, n_symbols = len(sentence), len(symbols.shortest)
    power = 1.0
    for size in range(1, n + 1):
        power *= scale
        for i in range(n - size + 1):
            j = i + size
            symbol = 0
            while symbol < n_symbols:
                end = symbol + 1
                while end < n_symbols and symbols.groups[end] == symbols.groups[symbol]:
                    end += 1
                for one in range(symbol, end):
                    p = 0.0
                    if _fits(one, i, j, n, symbols):
                        p = _own(one, i, j, sentence, scale, chart, rules, symbols, weights)
                        place = symbols.adapted[one]
                        if place >= 0:
                            p = p * weights.fresh[place] + cached[place, spans[i, j]] * power
                    chart.by_end[one, j, i] = p
                for one in range(symbol, end):
                    total = 0.0
                    if _fits(one, i, j, n, symbols):
                        for other in range(symbol, end):
                            total += weights.closures[one, other] * chart.by_end[other, j, i]
                    chart.by_start[one, i, j] = total
                for one in range(symbol, end):
                    chart.by_end[one, j, i] = chart.by_start[one, i, j]
                symbol = end


class Trees(NamedTuple):
    """All trees that are remembered or in use, as nodes: what is alike is there once.

    A node is a rule and what its children are: nodes, -1 where there is none. One whose symbol is adapted is
    a remembered subtree while it has customers.
    """

    rules: NDArray[np.int32]  # nodes
    lefts: NDArray[np.int32]
    rights: NDArray[np.int32]
    strings: NDArray[np.int64]  # nodes: of an adapted symbol's, the number of its string
    uses: NDArray[np.int64]  # nodes: parents and sentences that hold it
    customers: NDArray[np.int64]  # nodes: of an adapted symbol's, uses that sit at its tables
    tables: NDArray[np.int64]
    following: NDArray[np.int32]  # nodes: the next remembered subtree of the same symbol and string; -1
    before: NDArray[np.int32]  # nodes: the one before, -1 for the first
    buckets: NDArray[np.int32]  # a hash table of nodes: -1 empty, -2 left
    first: NDArray[np.int32]  # adapted symbols × strings: the first remembered subtree; -1
    held: NDArray[np.int64]  # nodes in use, the first that is free (-1: none was left), nodes ever used


EMPTY, LEFT = -1, -2
IN_USE, FREE, EVER = 0, 1, 2  # places of `held`


@njit(**PART)
def _hash(rule, left, right, size):
    """The bucket where a node is looked for first; `size` is a power of two."""
    h = np.uint64(rule + 1) * np.uint64(0x9E3779B97F4A7C15)
    h ^= np.uint64(left + 2) * np.uint64(0xC2B2AE3D27D4EB4F)
    h ^= h >> np.uint64(29)
    h *= np.uint64(0xBF58476D1CE4E5B9)
    h ^= np.uint64(right + 2) * np.uint64(0x165667B19E3779F9)
    h ^= h >> np.uint64(32)
    h *= np.uint64(0x94D049BB133111EB)
    h ^= h >> np.uint64(29)
    return np.int64(h & np.uint64(size - 1))


@njit(**PART)
def find_or_make(rule, left, right, string, trees):
    """The node of a rule and its children, which is made where there is none; -1 where there is no room."""
    size = len(trees.buckets)
    at = _hash(rule, left, right, size)
    place = np.int64(-1)
    while trees.buckets[at] != EMPTY:
        node = trees.buckets[at]
        if node == LEFT:
            if place < 0:
                place = at
        elif trees.rules[node] == rule and trees.lefts[node] == left and trees.rights[node] == right:
            return np.int64(node)
        at = (at + 1) & (size - 1)
    node = trees.held[FREE]
    if node >= 0:
        trees.held[FREE] = trees.following[node]
    elif trees.held[EVER] < len(trees.rules):
        node = trees.held[EVER]
        trees.held[EVER] += 1
    else:
        return np.int64(-1)
    trees.held[IN_USE] += 1
    trees.buckets[place if place >= 0 else at] = node
    trees.rules[node], trees.lefts[node], trees.rights[node] = rule, left, right
    trees.strings[node] = string
    trees.uses[node], trees.customers[node], trees.tables[node] = 0, 0, 0
    trees.following[node], trees.before[node] = -1, -1
    if left >= 0:
        trees.uses[left] += 1
    if right >= 0:
        trees.uses[right] += 1
    return np.int64(node)


@njit(**OPTIONS)
def give_up(node, trees, stack):
    """Free a node that nothing holds, and what only it held; `stack` (nodes) has room for a tree."""
    top = 0
    if trees.uses[node] == 0:
        stack[0], top = node, 1
    while top > 0:
        top -= 1
        node = stack[top]
        rule, left, right = trees.rules[node], trees.lefts[node], trees.rights[node]
        size = len(trees.buckets)
        at = _hash(rule, left, right, size)
        while trees.buckets[at] != node:
            at = (at + 1) & (size - 1)
        trees.buckets[at] = LEFT
        trees.rules[node] = -1
        trees.following[node] = trees.held[FREE]
        trees.held[FREE] = node
        trees.held[IN_USE] -= 1
        for child in (left, right):
            if child >= 0:
                trees.uses[child] -= 1
                if trees.uses[child] == 0:
                    stack[top] = child
                    top += 1


class Draft(NamedTuple):
    """Room for a tree that is drawn, from the top, left before right."""

    rules: NDArray[np.int32]  # a rule, or of a remembered subtree -1
    nodes: NDArray[np.int32]  # the remembered subtree, or -1
    spans: NDArray[np.int32]  # (start, end) of each
    stack: NDArray[np.int32]  # (symbol, start, end) of what is still to be drawn


@njit(**PART)
def _draw_one(symbol, i, j, u, sentence, spans, power, discounts, chart, rules, symbols, weights, trees, out):
    """How a symbol comes to a span: (rule or -1, where it is parted or -1, remembered subtree or -1, mass).

    u: uniform in [0, 1) times the symbol's inside probability. The mass is not scaled.
    """
    left_over = u
    place = symbols.adapted[symbol]
    fresh = 1.0
    if place >= 0:
        fresh = weights.fresh[place]
        node = trees.first[place, spans[i, j]]
        while node >= 0:
            mass = (trees.customers[node] - discounts[place] * trees.tables[node]) * weights.remembered[place]
            left_over -= mass * power
            if left_over < 0.0:
                out[0], out[1], out[2] = -1, -1, node
                return mass
            node = trees.following[node]
    mass, found = 0.0, False
    for rule in range(symbols.first[symbol], symbols.first[symbol + 1]):
        left, right = rules.lefts[rule], rules.rights[rule]
        p = weights.rules[rule] * fresh
        if left < 0:
            if j == i + 1 and rules.terminals[rule] == sentence[i]:
                out[0], out[1], out[2], mass, found = rule, -1, -1, p, True
                left_over -= p * power
        elif right < 0:
            if chart.by_start[left, i, j] > 0.0:
                out[0], out[1], out[2], mass, found = rule, -1, -1, p, True
                left_over -= p * chart.by_start[left, i, j]
        else:
            low, high = _splits(left, right, i, j, symbols)
            for k in range(low, high):
                two = chart.by_start[left, i, k] * chart.by_end[right, j, k]
                if two > 0.0:
                    out[0], out[1], out[2], mass, found = rule, k, -1, p, True
                    left_over -= p * two
                    if left_over < 0.0:
                        return mass
        if found and left_over < 0.0:
            return mass
    return mass  # rounding: the last that is possible
