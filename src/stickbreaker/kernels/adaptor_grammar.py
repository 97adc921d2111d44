"""Sampling of adaptor grammars: a sentence's tree leaves, another is drawn, and one of the two stays.

The state is which tree each sentence has and who sits where: every use of an adapted symbol is a customer of
that symbol's restaurant, at a table that has its subtree; a table that opens uses the rule at the top of the
subtree once, and whatever is below. What is kept of a subtree's tables is how many there are of each size.
(Johnson, Griffiths & Goldwater 2007; the accept step here is exact for trees and tables together.)
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.grammar_chart import draw_tree, fill_chart
from stickbreaker.kernels.random import seeded, uniform
from stickbreaker.kernels.tree_nodes import give_up

PLAIN = {"cache": True, "nogil": True, "error_model": "numpy"}


class Sizes(NamedTuple):
    """How many tables of each size a subtree has: lists in a pool."""

    heads: NDArray[np.int32]  # nodes: the first entry; -1
    sizes: NDArray[np.int32]  # entries: customers of a table
    numbers: NDArray[np.int32]  # entries: tables of that size
    following: NDArray[np.int32]  # entries: the next; -1
    free: NDArray[np.int32]  # the first free entry; entries ever used


class Counts(NamedTuple):
    """How often rules are used, and who sits in the restaurants of adapted symbols."""

    rules: NDArray[np.float64]  # rules: prior weight and uses
    symbols: NDArray[np.float64]  # symbols: the same of all their rules
    customers: NDArray[np.float64]  # adapted symbols
    tables: NDArray[np.float64]  # adapted symbols


class Process(NamedTuple):
    """The Pitman-Yor processes of adapted symbols."""

    discounts: NDArray[np.float64]
    concentrations: NDArray[np.float64]


class Log(NamedTuple):
    """What was changed, so that it can be taken back."""

    nodes: NDArray[np.int32]  # changes: the subtree of a customer who came or left; -1: the use of a rule
    values: NDArray[np.int32]  # changes: the size of the table without that customer, or the rule
    number: NDArray[np.int64]  # how many


@njit(**PLAIN)
def take_entry(sizes, node, size):
    """One table fewer of a size."""
    last, entry = -1, sizes.heads[node]
    while sizes.sizes[entry] != size:
        last, entry = entry, sizes.following[entry]
    sizes.numbers[entry] -= 1
    if sizes.numbers[entry] == 0:
        if last < 0:
            sizes.heads[node] = sizes.following[entry]
        else:
            sizes.following[last] = sizes.following[entry]
        sizes.following[entry] = sizes.free[0]
        sizes.free[0] = entry


@njit(**PLAIN)
def add_entry(sizes, node, size):
    """One table more of a size."""
    entry = sizes.heads[node]
    while entry >= 0 and sizes.sizes[entry] != size:
        entry = sizes.following[entry]
    if entry < 0:
        entry = sizes.free[0]
        if entry >= 0:
            sizes.free[0] = sizes.following[entry]
        else:
            entry = sizes.free[1]
            sizes.free[1] += 1
        sizes.sizes[entry], sizes.numbers[entry] = size, 0
        sizes.following[entry] = sizes.heads[node]
        sizes.heads[node] = entry
    sizes.numbers[entry] += 1


@njit(**PLAIN)
def rule_share(rule, counts, rules):
    """p(rule | parent) by the uses of all others."""
    return counts.rules[rule] / counts.symbols[rules.parents[rule]]


class Frames(NamedTuple):
    """A way down a tree: nodes, what is done at each, and what was found there.

    Kernels do not call themselves: what they do would not survive being kept compiled.
    """

    nodes: NDArray[np.int32]
    stages: NDArray[np.int8]  # 0: nothing is done; 1: the first child; 2: both
    sizes: NDArray[np.int32]
    p: NDArray[np.float64]


@njit(**PLAIN)
def _push(node, top, frames):
    frames.nodes[top + 1], frames.stages[top + 1] = node, 0
    return top + 1


@njit(**PLAIN)
def share_of(node, fresh, trees, counts, process, rules, symbols, frames):
    """p(subtree | all others): of an adapted symbol, at a table that has it or at a new one.

    fresh: of an adapted symbol at the top only what a new table has, by its rule and what is below.
    """
    top, p = _push(node, -1, frames), 1.0
    while top >= 0:
        node = frames.nodes[top]
        rule = trees.rules[node]
        if frames.stages[top] == 0:
            frames.p[top] = rule_share(rule, counts, rules) if rules.sources[rule] >= 0 else 1.0
            frames.stages[top] = 1
            if trees.lefts[node] >= 0:
                top = _push(trees.lefts[node], top, frames)
                continue
            p = 1.0
        frames.p[top] *= p
        if frames.stages[top] == 1:
            frames.stages[top] = 2
            if trees.rights[node] >= 0:
                top = _push(trees.rights[node], top, frames)
                continue
        p = frames.p[top]
        place = symbols.adapted[rules.parents[rule]]
        if place >= 0 and not (fresh and top == 0):
            a, b = process.discounts[place], process.concentrations[place]
            seated = trees.customers[node] - a * trees.tables[node]
            p = (seated + (b + a * counts.tables[place]) * p) / (counts.customers[place] + b)
        top -= 1
    return p


class Room(NamedTuple):
    """What a sentence is worked on in."""

    left: Log
    entered: Log
    stack: NDArray[np.int32]  # nodes of a tree
    outer: Frames
    inner: Frames


@njit(**PLAIN)
def _link(node, place, trees):
    """A subtree is remembered from now on."""
    string = trees.strings[node]
    head = trees.first[place, string]
    trees.following[node], trees.before[node] = head, -1
    if head >= 0:
        trees.before[head] = node
    trees.first[place, string] = node


@njit(**PLAIN)
def _unlink(node, place, trees):
    """Nobody sits at a table of a subtree any more."""
    after, before = trees.following[node], trees.before[node]
    if after >= 0:
        trees.before[after] = before
    if before >= 0:
        trees.following[before] = after
    else:
        trees.first[place, trees.strings[node]] = after
    trees.following[node], trees.before[node] = -1, -1


@njit(**PLAIN)
def _table_of(node, sizes, a, target):
    """The size of a table of a subtree, drawn in proportion to size - a; `target`: uniform in their sum."""
    entry = sizes.heads[node]
    size = sizes.sizes[entry]
    while entry >= 0:
        size = sizes.sizes[entry]
        target -= (size - a) * sizes.numbers[entry]
        if target < 0.0:
            break
        entry = sizes.following[entry]
    return size


@njit(**PLAIN)
def _seat(node, place, size, trees, sizes, masses, counts, process):
    """A customer sits down at a table of `size` others."""
    if trees.customers[node] == 0:
        _link(node, place, trees)
    trees.customers[node] += 1
    counts.customers[place] += 1.0
    masses[place, trees.strings[node]] += 1.0
    if size == 0:
        trees.tables[node] += 1
        counts.tables[place] += 1.0
        masses[place, trees.strings[node]] -= process.discounts[place]
    else:
        take_entry(sizes, node, size)
    add_entry(sizes, node, size + 1)


@njit(**PLAIN)
def _unseat(node, place, size, trees, sizes, masses, counts, process):
    """A customer leaves a table, at which `size` others stay."""
    take_entry(sizes, node, size + 1)
    if size == 0:
        trees.tables[node] -= 1
        counts.tables[place] -= 1.0
        masses[place, trees.strings[node]] += process.discounts[place]
    else:
        add_entry(sizes, node, size)
    trees.customers[node] -= 1
    counts.customers[place] -= 1.0
    masses[place, trees.strings[node]] -= 1.0
    if trees.customers[node] == 0:
        masses[place, trees.strings[node]] = max(masses[place, trees.strings[node]], 0.0)
        _unlink(node, place, trees)


@njit(**PLAIN)
def _choice(node, place, trees, counts, process, rules, symbols, frames):
    """Masses of the tables that have a subtree and of a new one, of all subtrees together, and p(subtree)
    by its rule and what is below."""
    a, b = process.discounts[place], process.concentrations[place]
    seated = trees.customers[node] - a * trees.tables[node]
    base = share_of(node, True, trees, counts, process, rules, symbols, frames)
    return seated, (b + a * counts.tables[place]) * base, counts.customers[place] + b, base


@njit(**PLAIN)
def _count_rule(rule, change, counts, rules):
    """A rule is used once more, or less; of symbols that part a right side there is nothing to count."""
    if rules.sources[rule] >= 0:
        counts.rules[rule] += change
        counts.symbols[rules.parents[rule]] += change


@njit(**PLAIN)
def _write(node, value, log):
    log.nodes[log.number[0]], log.values[log.number[0]] = node, value
    log.number[0] += 1


@njit(**PLAIN)
def enter(root, log, trees, sizes, masses, counts, process, rules, symbols, room, state):
    """A tree's customers sit down, from the top, left before right; gives log target less log choice.

    The target is p(trees and tables | all others), the choice how probable these tables were given the tree.
    """
    nats, top = 0.0, 1
    room.stack[0] = root
    while top > 0:
        top -= 1
        node = room.stack[top]
        rule = trees.rules[node]
        place = symbols.adapted[rules.parents[rule]]
        if place >= 0:
            seated, opening, total, base = _choice(
                node, place, trees, counts, process, rules, symbols, room.inner
            )
            nats += np.log((seated + opening) / total)
            size = np.int32(0)
            if trees.customers[node] > 0:
                target = uniform(state) * (seated + opening)
                if target < seated:
                    size = np.int32(_table_of(node, sizes, process.discounts[place], target))
            _write(node, size, log)
            _seat(node, place, size, trees, sizes, masses, counts, process)
            if size > 0:
                continue
            nats -= np.log(base)
        if rules.sources[rule] >= 0:
            nats += np.log(rule_share(rule, counts, rules))
        _write(-1, rule, log)
        _count_rule(rule, 1.0, counts, rules)
        for child in (trees.rights[node], trees.lefts[node]):
            if child >= 0:
                room.stack[top] = child
                top += 1
    return nats


@njit(**PLAIN)
def leave(root, log, trees, sizes, masses, counts, process, rules, symbols, room, state):
    """The reverse of `enter`, from the last customer to the first; gives the same, of where they sat.

    One of a subtree's customers leaves: they are alike, and whichever it is sat at a table in proportion to
    its size.
    """
    frames, nats = room.outer, 0.0
    top = _push(root, -1, frames)
    while top >= 0:
        node = frames.nodes[top]
        rule = trees.rules[node]
        place = symbols.adapted[rules.parents[rule]]
        if frames.stages[top] == 0:
            frames.stages[top] = 1
            frames.sizes[top] = 0
            if place >= 0:
                target = uniform(state) * trees.customers[node]
                frames.sizes[top] = _table_of(node, sizes, 0.0, target) - 1
            if frames.sizes[top] == 0 and trees.rights[node] >= 0:
                top = _push(trees.rights[node], top, frames)
                continue
        if frames.stages[top] == 1:
            frames.stages[top] = 2
            if frames.sizes[top] == 0 and trees.lefts[node] >= 0:
                top = _push(trees.lefts[node], top, frames)
                continue
        size = frames.sizes[top]
        if size == 0:
            _write(-1, rule, log)
            _count_rule(rule, -1.0, counts, rules)
            if rules.sources[rule] >= 0:
                nats += np.log(rule_share(rule, counts, rules))
        if place >= 0:
            _write(node, size, log)
            _unseat(node, place, size, trees, sizes, masses, counts, process)
            seated, opening, total, base = _choice(
                node, place, trees, counts, process, rules, symbols, room.inner
            )
            nats += np.log((seated + opening) / total)
            if size == 0:
                nats -= np.log(base)
        top -= 1
    return nats


@njit(**PLAIN)
def take_back(log, entered, trees, sizes, masses, counts, process, rules, symbols):
    """Undo what a log says, the last first; `entered`: it is of customers who sat down."""
    change = -1.0 if entered else 1.0
    while log.number[0] > 0:
        log.number[0] -= 1
        node, value = log.nodes[log.number[0]], log.values[log.number[0]]
        if node < 0:
            _count_rule(value, change, counts, rules)
            continue
        place = symbols.adapted[rules.parents[trees.rules[node]]]
        if entered:
            _unseat(node, place, value, trees, sizes, masses, counts, process)
        else:
            _seat(node, place, value, trees, sizes, masses, counts, process)


@njit(**PLAIN)
def weigh(counts, process, rules, weights_out):
    """What charts multiply by, in the present state."""
    for rule in range(len(rules.parents)):
        weights_out.rules[rule] = rule_share(rule, counts, rules) if rules.sources[rule] >= 0 else 1.0
    for place in range(len(process.discounts)):
        b = process.concentrations[place]
        total = counts.customers[place] + b
        weights_out.fresh[place] = (b + process.discounts[place] * counts.tables[place]) / total
        weights_out.remembered[place] = 1.0 / total


@njit(**PLAIN)
def sweep_sentences(
    order,
    text,
    roots,
    room,
    draft,
    chart,
    trees,
    sizes,
    masses,
    counts,
    process,
    rules,
    symbols,
    weights,
    key,
):
    """Every sentence's tree leaves, another is drawn, and one of the two stays; gives how many were new.

    order (sentences): in which they are visited. text: symbols, where each sentence starts, numbers of spans'
    strings, where those of each sentence start, powers of the scale, and the start symbol. roots (sentences):
    their trees, -1 where a sentence has none, which takes what is drawn. key: of the stream (uint64).
    """
    state = np.empty(2, np.uint64)
    seeded(key, state)
    symbols_of, starts, strings, first, powers, start = text
    moved = 0
    for sentence in order:
        letters = symbols_of[starts[sentence] : starts[sentence + 1]]
        spans = strings[first[sentence] : first[sentence + 1]]
        before, nats_before = roots[sentence], 0.0
        room.left.number[0] = room.entered.number[0] = 0
        if before >= 0:
            nats_before = leave(
                before, room.left, trees, sizes, masses, counts, process, rules, symbols, room, state
            )
            nats_before -= np.log(share_of(before, False, trees, counts, process, rules, symbols, room.inner))
        weigh(counts, process, rules, weights)
        fill_chart(letters, spans, masses, powers, rules, symbols, weights, chart)
        root = draw_tree(
            start,
            letters,
            spans,
            powers,
            masses,
            process.discounts,
            chart,
            rules,
            symbols,
            weights,
            trees,
            draft,
            state,
        )
        if root < 0:
            return -1 - sentence
        trees.uses[root] += 1
        nats = -np.log(share_of(root, False, trees, counts, process, rules, symbols, room.inner))
        nats += enter(root, room.entered, trees, sizes, masses, counts, process, rules, symbols, room, state)
        if before >= 0 and np.log(uniform(state)) >= nats - nats_before:
            take_back(room.entered, True, trees, sizes, masses, counts, process, rules, symbols)
            take_back(room.left, False, trees, sizes, masses, counts, process, rules, symbols)
            trees.uses[root] -= 1
            give_up(root, trees, room.stack)
            continue
        roots[sentence] = root
        moved += root != before
        if before >= 0:
            trees.uses[before] -= 1
            give_up(before, trees, room.stack)
    return moved
