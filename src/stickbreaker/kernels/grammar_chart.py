"""Charts: the inside probabilities of a sentence's spans, and trees drawn by them."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.math import OPTIONS, PART
from stickbreaker.kernels.random import uniform
from stickbreaker.kernels.tree_nodes import find_or_make


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
def span_at(i, j, n):
    """The place of a span among all of a sentence: by where they start, then by where they end."""
    return i * n - i * (i - 1) // 2 + j - i - 1


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
def fill_chart(sentence, spans, masses, powers, rules, symbols, weights, chart):
    """Fill a chart with p(terminals i to j | symbol) times powers[j - i].

    sentence (n); spans: the number of the string from each i to each j, j after i, in this order; masses
    (adapted symbols × strings): of subtrees that are remembered, customers less discounts of tables. A
    symbol's unary ways within its group are summed up by `weights.closures`.
    """
    n, n_symbols = len(sentence), len(symbols.shortest)
    for size in range(1, n + 1):
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
                        p = _own(one, i, j, sentence, powers[1], chart, rules, symbols, weights)
                        place = symbols.adapted[one]
                        if place >= 0:
                            mass = masses[place, spans[span_at(i, j, n)]] * weights.remembered[place]
                            p = p * weights.fresh[place] + mass * powers[size]
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


class Draft(NamedTuple):
    """Room for a tree that is drawn, from the top, left before right."""

    rules: NDArray[np.int32]  # a rule, or of a remembered subtree -1
    nodes: NDArray[np.int32]  # the remembered subtree, or -1; then nodes of what was made
    spans: NDArray[np.int32]  # number of each one's string
    stack: NDArray[np.int32]  # (symbol, start, end) of what is still to be drawn


@njit(**OPTIONS)
def draw_tree(
    start, sentence, spans, powers, masses, discounts, chart, rules, symbols, weights, trees, draft, state
):
    """A tree by the inside probabilities of a chart; -1 where nothing comes to the sentence, or there is no
    room for its nodes. `state` is moved on."""
    n = len(sentence)
    if not chart.by_start[start, 0, n] > 0.0:
        return np.int64(-1)
    draft.stack[0, 0], draft.stack[0, 1], draft.stack[0, 2] = start, 0, n
    top, drawn = 1, 0
    while top > 0:
        if drawn == len(draft.rules):
            return np.int64(-1)
        top -= 1
        symbol, i, j = draft.stack[top, 0], draft.stack[top, 1], draft.stack[top, 2]
        place = symbols.adapted[symbol]
        string = spans[span_at(i, j, n)]
        target = uniform(state) * chart.by_start[symbol, i, j]
        fresh, node, chosen, part = 1.0, np.int64(-1), -1, -1
        if place >= 0:
            fresh = weights.fresh[place]
            share = weights.remembered[place] * powers[j - i]
            if masses[place, string] * share > target:
                node = trees.first[place, string]
                while True:
                    target -= (trees.customers[node] - discounts[place] * trees.tables[node]) * share
                    if target < 0.0 or trees.following[node] < 0:
                        break
                    node = trees.following[node]
            else:
                target -= masses[place, string] * share
        if node < 0:
            for rule in range(symbols.first[symbol], symbols.first[symbol + 1]):
                left, right = rules.lefts[rule], rules.rights[rule]
                p = weights.rules[rule] * fresh
                if left < 0:
                    if j == i + 1 and rules.terminals[rule] == sentence[i]:
                        chosen, part = rule, -1
                        target -= p * powers[1]
                elif right < 0:
                    if chart.by_start[left, i, j] > 0.0:
                        chosen, part = rule, -1
                        target -= p * chart.by_start[left, i, j]
                else:
                    low, high = _splits(left, right, i, j, symbols)
                    for k in range(low, high):
                        two = chart.by_start[left, i, k] * chart.by_end[right, j, k]
                        if two > 0.0:
                            chosen, part = rule, k
                            target -= p * two
                            if target < 0.0:
                                break
                if chosen >= 0 and target < 0.0:
                    break
            left, right = rules.lefts[chosen], rules.rights[chosen]
            if right >= 0:
                draft.stack[top, 0], draft.stack[top, 1], draft.stack[top, 2] = right, part, j
                top += 1
            if left >= 0:
                end = part if right >= 0 else j
                draft.stack[top, 0], draft.stack[top, 1], draft.stack[top, 2] = left, i, end
                top += 1
        draft.rules[drawn], draft.nodes[drawn], draft.spans[drawn] = chosen, node, string
        drawn += 1
    made = 0  # nodes of what is complete, at the end of the draft's own
    last = len(draft.nodes)
    for at in range(drawn - 1, -1, -1):
        rule, node = draft.rules[at], np.int64(draft.nodes[at])
        if rule >= 0:
            left, right = np.int64(-1), np.int64(-1)
            if rules.lefts[rule] >= 0:
                left = np.int64(draft.nodes[last - made])
                made -= 1
            if rules.rights[rule] >= 0:
                right = np.int64(draft.nodes[last - made])
                made -= 1
            node = find_or_make(rule, left, right, draft.spans[at], trees)
            if node < 0:
                return np.int64(-1)
        made += 1
        draft.nodes[last - made] = node
    return np.int64(draft.nodes[last - 1])
