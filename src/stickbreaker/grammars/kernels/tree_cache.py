"""Remembered ("cached") trees of variational inference: their storage, weights, and sampling with them.

A cached tree is given by its rules in preorder, down to terminals. They determine its subtrees of adapted
symbols, which are cached trees themselves.

A row is a tree's place among those cached now; trees keep their numbers.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.grammars.kernels.grammar_chart import (
    LEAN,
    PLAIN,
    Chart,
    Filling,
    Span,
    allow_all,
    allow_one,
    covers,
    draw_or_give_up,
    draw_tree,
    group_of,
    n_terminals_of,
    rule_to,
    scaled,
    size_subtrees,
    span_at,
    splits,
)
from stickbreaker.grammars.kernels.tree_sampling import fill_to_scale, log_sum
from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, copy_numbers, digamma64, exp64
from stickbreaker.kernels.random import seeded

MIXER = np.uint64(0x9E3779B97F4A7C15)


class TreeSet(NamedTuple):
    """Distinct trees by number, each with its rules and its terminals.

    Arrays have spare room; `numbers` has how much is in use: TREES, RULES, LETTERS, PARTS, STRINGS. A string
    is a prefix of some tree's terminals; 0 is the empty one.
    """

    numbers: NDArray[np.int64]
    slots: NDArray[np.int32]  # hash table by rules: 1 + tree, or 0
    rules: NDArray[np.int32]  # of all trees, concatenated
    rule_starts: NDArray[np.int64]  # trees + 1
    letters: NDArray[np.int32]
    letter_starts: NDArray[np.int64]
    parts: NDArray[np.int32]  # of each tree: rules outside its cached subtrees, and these as -1 - tree
    part_starts: NDArray[np.int64]
    places: NDArray[np.int32]  # trees: their adapted symbols
    strings: NDArray[np.int32]  # trees: their string numbers, from 1
    string_keys: NDArray[np.int64]  # hash table: string × terminals + terminal, or -1
    string_numbers: NDArray[np.int32]  # the longer string's number


class TreeRows(NamedTuple):
    """Which trees of a set are cached: the tree of each row of the table, and the row of each tree."""

    ids: NDArray[np.int32]  # rows: the tree of each
    rows: NDArray[np.int32]  # trees: the row of each, or -1
    trees: TreeSet


class SentenceBatch(NamedTuple):
    """Sentences whose trees are drawn or summed over, with the symbols that can occur in each."""

    letters: NDArray[np.int32]  # terminals of all sentences
    starts: NDArray[np.int64]  # sentences + 1
    active: NDArray[np.int32]  # symbols that can occur in each sentence's trees, concatenated
    actives: NDArray[np.int64]  # sentences + 1: where those of each begin
    start: int  # start symbol


class Draws(NamedTuple):
    """What to draw for each sentence of a batch: the number of trees, their first rule, the random stream."""

    keys: NDArray[np.uint64]  # of its random stream
    numbers: NDArray[np.int64]  # how many trees
    tops: NDArray[np.int64]  # the rule of the start symbol that they begin with; -1: any


class Uses(NamedTuple):
    """What the trees of a batch use, added up, and log p of the sentences."""

    trees: NDArray[Any]  # rows: uses of cached trees; by `sample_trees`, those not inside new trees
    rules: NDArray[Any]  # rules: uses; by `sample_trees`, those not inside trees of adapted symbols
    fresh: NDArray[Any]  # adapted symbols: new trees
    nats: NDArray[np.float64]  # sentences: log p; -inf: no tree is found


class Charts(NamedTuple):
    """The inside and the outside probabilities of a sentence."""

    inside: Chart
    outside: Chart


TREES, RULES, LETTERS, PARTS, STRINGS = range(5)  # indices of `TreeSet.numbers`
OTHER_RULES, OTHER_END, OTHER_SYMBOLS, NOT_ADAPTED = range(1, 5)  # results of `fault_in`


@kernel_part(**LEAN)
def _hash_of(values, start, stop):
    """A hash of the rules values[start:stop] (uint64), for the hash table of trees."""
    mixed = MIXER
    for i in range(start, stop):
        mixed = (mixed ^ np.uint64(values[i] + 1)) * np.uint64(0x100000001B3)
        mixed ^= mixed >> np.uint64(29)
    return mixed


@kernel_part(**LEAN)
def _look_up(values, start, stop, slots, rules, starts):
    """Look up the list of rules values[start:stop] in a hash table: returns its number and its slot.

    If it is not stored, returns -1 and the free slot for it. slots: the table, with 1 + number, or 0 if free;
    rules: of all stored lists, concatenated; starts: where each begins.
    """
    mask = np.uint64(len(slots) - 1)
    slot = _hash_of(values, start, stop) & mask
    while slots[slot] > 0:
        number = slots[slot] - 1
        first = starts[number]
        if starts[number + 1] - first == stop - start:
            same = True
            for i in range(stop - start):
                if rules[first + i] != values[start + i]:
                    same = False
                    break
            if same:
                return np.int64(number), np.int64(slot)
        slot = (slot + np.uint64(1)) & mask
    return np.int64(-1), np.int64(slot)


@njit(**LEAN)
def fill_slots(number, slots, rules, starts):
    """Enter the first `number` lists of rules, all distinct, into an empty hash table: see `_look_up`."""
    for at in range(number):
        _, slot = _look_up(rules, starts[at], starts[at + 1], slots, rules, starts)
        slots[slot] = at + 1


@kernel_part(**LEAN)
def tree_of(values, start, stop, trees):
    """Look up the tree with the rules values[start:stop]: its number and its slot in the hash table.

    If it is not stored, returns -1 and the free slot for it.
    """
    return _look_up(values, start, stop, trees.slots, trees.rules, trees.rule_starts)


@kernel_part(**LEAN)
def _slot_of_string(key, trees):
    """The place of a string in the hash table `trees.string_keys`, or the free place to store it in.

    key: the number of the string without its last terminal × terminals + this terminal.
    """
    mask = np.uint64(len(trees.string_keys) - 1)
    mixed = np.uint64(key + 1) * MIXER
    slot = (mixed ^ (mixed >> np.uint64(31))) & mask
    while trees.string_keys[slot] >= 0 and trees.string_keys[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return np.int64(slot)


@kernel_part(**LEAN)
def longer_string(string, letter, n_terminals, trees):
    """Look up a string that is longer by one terminal: its number and its place in the hash table.

    string: the number of the shorter one. If it is not stored, returns -1 and the free place for it.
    """
    slot = _slot_of_string(np.int64(string) * n_terminals + letter, trees)
    number = np.int64(trees.string_numbers[slot]) if trees.string_keys[slot] >= 0 else np.int64(-1)
    return number, slot


@kernel_part(**LEAN)
def _sizes(values, start, stop, sizes, rules):
    """Fill `sizes` with the number of rules of each subtree of the tree values[start:stop], in preorder."""
    for i in range(stop - start - 1, -1, -1):
        rule = values[start + i]
        size = 1
        if rules.lefts[rule] >= 0:
            size += sizes[i + size]
            if rules.rights[rule] >= 0:
                size += sizes[i + size]
        sizes[i] = size


@njit(**PLAIN)
def read_numbers(text):
    """Parse lines of whole numbers below 10^9 separated by single spaces, in ASCII bytes.

    Each line ends in a newline. Returns the numbers of all lines, and where each line begins (lines + 1).
    Both are empty if the text contains anything else.
    """
    n_lines, n_numbers = 0, 0
    for byte in text:
        n_lines += byte == 10
        n_numbers += byte == 10 or byte == 32
    numbers, starts = np.empty(n_numbers, np.int32), np.zeros(n_lines + 1, np.int64)
    number, line, digits, value = 0, 0, 0, 0
    for byte in text:
        if 48 <= byte <= 57 and digits < 9:
            value = 10 * value + (np.int64(byte) - 48)
            digits += 1
            continue
        if digits == 0 or (byte != 10 and byte != 32):
            return numbers[:0], starts[:0]
        numbers[number] = value
        number, digits, value = number + 1, 0, 0
        if byte == 10:
            line += 1
            starts[line] = number
    return numbers, starts


@njit(**LEAN)
def fault_in(values, starts, rules, symbols, stack):
    """Check that lists of rules are trees of adapted symbols; returns 0 if so, or a code for a fault.

    values: the lists, concatenated; starts (lists + 1): where each begins; stack (rules of all lists + 2):
    working memory. Codes: OTHER_RULES, OTHER_END, OTHER_SYMBOLS, NOT_ADAPTED.
    """
    for at in range(len(starts) - 1):
        held, first = 0, starts[at]
        for i in range(first, starts[at + 1]):
            rule = values[i]
            if rule < 0 or rule >= len(rules.parents):
                return OTHER_RULES
            if i == first:
                stack[0], held = rules.parents[rule], 1
            if held == 0:
                return OTHER_END
            held -= 1
            if stack[held] != rules.parents[rule]:
                return OTHER_SYMBOLS
            for child in (rules.rights[rule], rules.lefts[rule]):
                if child >= 0:
                    stack[held] = child
                    held += 1
        if held > 0 or starts[at + 1] == first:
            return OTHER_END
        if symbols.adapted[rules.parents[values[first]]] < 0:
            return NOT_ADAPTED
    return 0


@kernel_part(**LEAN)
def add_tree(values, start, stop, sizes, trees, rules, symbols):
    """Store a tree in `trees` unless it is there already; returns its number.

    The subtrees of adapted symbols inside it, which are trees themselves, are stored before it.
    values[start:stop]: its rules in preorder. Arrays must have room for all of them; `sizes` is working
    memory.
    """
    found, _ = tree_of(values, start, stop, trees)
    if found >= 0:
        return found
    _sizes(values, start, stop, sizes, rules)
    for i in range(stop - start - 1, 0, -1):  # subtrees come after the trees that contain them
        if symbols.adapted[rules.parents[values[start + i]]] >= 0:
            _add(values, start + i, start + i + sizes[i], start, sizes, trees, rules, symbols)
    return _add(values, start, stop, start, sizes, trees, rules, symbols)


@kernel_part(**LEAN)
def _add(values, start, stop, origin, sizes, trees, rules, symbols):
    """Store a tree, unless it is there already, whose inner trees are all stored; returns its number.

    values[start:stop]: its rules in preorder. sizes[i - origin]: the number of rules of the subtree at
    values[i].
    """
    found, slot = tree_of(values, start, stop, trees)
    if found >= 0:
        return found
    numbers, n_terminals = trees.numbers, n_terminals_of(rules)
    tree = numbers[TREES]
    trees.slots[slot] = tree + 1
    string, i = np.int64(0), start
    while i < stop:
        rule = values[i]
        place = symbols.adapted[rules.parents[rule]]
        if place >= 0 and i > start:
            size = sizes[i - origin]
            part, _ = tree_of(values, i, i + size, trees)
            trees.parts[numbers[PARTS]] = -1 - part
            i += size
        else:
            trees.parts[numbers[PARTS]] = rule
            i += 1
        numbers[PARTS] += 1
    for i in range(start, stop):
        rule = values[i]
        trees.rules[numbers[RULES]] = rule
        numbers[RULES] += 1
        letter = rules.terminals[rule]
        if letter >= 0:
            trees.letters[numbers[LETTERS]] = letter
            numbers[LETTERS] += 1
            longer, at = longer_string(string, letter, n_terminals, trees)
            if longer < 0:
                numbers[STRINGS] += 1
                longer = numbers[STRINGS]
                trees.string_keys[at] = string * n_terminals + letter
                trees.string_numbers[at] = longer
            string = longer
    trees.places[tree] = symbols.adapted[rules.parents[values[start]]]
    trees.strings[tree] = string
    numbers[TREES] = tree + 1
    trees.rule_starts[tree + 1] = numbers[RULES]
    trees.letter_starts[tree + 1] = numbers[LETTERS]
    trees.part_starts[tree + 1] = numbers[PARTS]
    return tree


@njit(**LEAN)
def add_trees(values, starts, sizes, trees, rules, symbols, found):
    """Store several trees (`add_tree`), and fill `found` with their numbers.

    values: their rules, concatenated; starts (trees + 1): where those of each begin; sizes: working memory.
    """
    for at in range(len(found)):
        found[at] = add_tree(values, starts[at], starts[at + 1], sizes, trees, rules, symbols)


@njit(**LEAN)
def refill_strings(keys, numbers, trees):
    """Copy the strings of a full hash table (keys, numbers) into the larger empty one of `trees`."""
    for at in range(len(keys)):
        if keys[at] >= 0:
            slot = _slot_of_string(keys[at], trees)
            trees.string_keys[slot] = keys[at]
            trees.string_numbers[slot] = numbers[at]


@njit(**OPTIONS)
def count_parts(first, ids, rows, trees, tree_uses_out, rule_uses_out):
    """Count the trees and rules directly inside remembered trees, from row `first` of a table on.

    Each remembered tree counts once, however often it is used. ids (rows): the tree of each row; rows
    (trees): the row of each tree, or -1. Added to: tree_uses_out (rows), rule_uses_out (rules).
    """
    for row in range(first, len(ids)):
        for at in range(trees.part_starts[ids[row]], trees.part_starts[ids[row] + 1]):
            part = trees.parts[at]
            if part >= 0:
                rule_uses_out[part] += 1.0
            else:
                tree_uses_out[rows[-1 - part]] += 1.0


@njit(**PLAIN)
def place_trees(cells, ids, trees, tree_uses):
    """Add up the uses of remembered trees by sentences and inside other remembered trees.

    cells: uses by sentences, as OrderedCells: each column (adapted symbol) has its trees in the order of
    their sticks; tree_uses (rows): uses inside other trees. Trees without uses by sentences come last in
    their column. Returns arrays (columns × places): row, all uses, uses by sentences, whether there is a
    tree; and the number of trees of each column.
    """
    n_columns, width = cells.rows.shape
    there, sizes = np.zeros(len(ids), np.bool_), cells.sizes.copy()
    for k in range(n_columns):
        for slot in range(cells.sizes[k]):
            there[cells.rows[k, slot]] = True
    for row in range(len(ids)):
        if not there[row]:
            sizes[trees.places[ids[row]]] += 1
    for k in range(n_columns):
        width = max(width, sizes[k])
    rows, inside = np.zeros((n_columns, width), np.int32), np.zeros((n_columns, width), np.bool_)
    values, own = np.zeros((n_columns, width)), np.zeros((n_columns, width))
    for k in range(n_columns):
        n = cells.sizes[k]
        for slot in range(n):
            row = cells.rows[k, slot]
            rows[k, slot], own[k, slot] = row, cells.values[k, slot] * cells.scale
            values[k, slot] = own[k, slot] + tree_uses[row]
        sizes[k] = n
    for row in range(len(ids)):
        if not there[row]:
            k = trees.places[ids[row]]
            rows[k, sizes[k]], values[k, sizes[k]] = row, tree_uses[row]
            sizes[k] += 1
    for k in range(n_columns):
        inside[k, : sizes[k]] = True
    return rows, values, own, inside, sizes


@njit(**OPTIONS)
def weigh_trees(cells, before, log_totals, discounts, weights_out):
    """Compute the weight of each remembered tree, exp E[log stick weight], into weights_out (rows).

    cells: OrderedCells of all uses; before, log_totals: those of the cells' `StickSums`.
    """
    for k in range(len(cells.sizes)):
        for slot in range(cells.sizes[k]):
            n = cells.values[k, slot] * cells.scale
            log = digamma64(1.0 - discounts[k] + n) - log_totals[k] - before[k, slot]
            weights_out[cells.rows[k, slot]] = exp64(max(log, -690.0))


@njit(**PLAIN)
def link_trees(ids, weights, trees, n_columns):
    """Index remembered trees by adapted symbol and string, with a linked list and a sum of weights for each.

    Returns the adapted symbol and the string of each row, the next row in its list (-1: none), and the first
    row (-1: none) and the sum of weights of each list (adapted symbols × strings).
    """
    n, n_strings = len(ids), trees.numbers[STRINGS] + 1
    places, strings = np.empty(n, np.int32), np.empty(n, np.int32)
    following = np.empty(n, np.int32)
    first, masses = np.full((n_columns, n_strings), np.int32(-1)), np.zeros((n_columns, n_strings))
    for row in range(n - 1, -1, -1):
        place, string = trees.places[ids[row]], trees.strings[ids[row]]
        places[row], strings[row] = place, string
        following[row] = first[place, string]
        first[place, string] = row
    for row in range(n):
        masses[places[row], strings[row]] += weights[row]
    return places, strings, following, first, masses


@kernel_part(**PLAIN)
def _room_for_strings(chart):
    """An array for the string number of each span of the longest sentence for which a chart has room."""
    longest = chart.by_start.shape[1] - 1
    return np.zeros(longest * (longest + 1) // 2, np.int32)


@kernel_part(**PLAIN)
def _sentence(s, batch, strings):
    """Sentence `s` of a batch, as a span; `strings`: where the string numbers of its spans will be."""
    letters = batch.letters[batch.starts[s] : batch.starts[s + 1]]
    active = batch.active[batch.actives[s] : batch.actives[s + 1]]
    return Span(letters, strings, 0, 0, len(letters), active)


@kernel_part(**LEAN)
def strings_in(letters, trees, rules, strings):
    """Look up the string of each span of a sentence: fills strings (spans) with their numbers.

    0: no stored tree begins with this string. letters: the sentence's terminals.
    """
    n, n_terminals = len(letters), n_terminals_of(rules)
    for i in range(n):
        string = np.int64(0)
        for j in range(i + 1, n + 1):
            if string >= 0:
                string, _ = longer_string(string, letters[j - 1], n_terminals, trees)
            strings[span_at(i, j, n)] = max(string, 0)


@kernel_part(**PLAIN)
def _longer(values: NDArray[Any]) -> Any:
    """A copy that is twice as long; new elements are not initialised."""
    more = np.empty(2 * len(values), values.dtype)
    copy_numbers(values, more)
    return more


@kernel_part(**LEAN)
def _write_rules(draft, at, trees, ids, out, number):
    """Write the rules of a drafted subtree, down to terminals, to out[number:].

    at: its first entry in the draft; ids (rows): the remembered trees, which are written out. Returns where
    the rules end in `out`, or -1 if it is too small.
    """
    for i in range(at, at + draft.sizes[at]):
        value = draft.values[i]
        if value >= 0:
            if number == len(out):
                return np.int64(-1)
            out[number] = value
            number += 1
            continue
        tree = ids[-1 - value]
        first, size = trees.rule_starts[tree], trees.rule_starts[tree + 1] - trees.rule_starts[tree]
        if number + size > len(out):
            return np.int64(-1)
        for k in range(size):
            out[number + k] = trees.rules[first + k]
        number += size
    return number


@kernel_part(**LEAN)
def _same_sentence(batch, one, other):
    """Whether the sentences with the numbers `one` and `other` have the same terminals in the same order."""
    letters, starts = batch.letters, batch.starts
    n, same = starts[one + 1] - starts[one], starts[other + 1] - starts[other]
    if same != n:
        return False
    for i in range(n):
        if letters[starts[one] + i] != letters[starts[other] + i]:
            same = -1
            break
    return same == n


@njit(**PLAIN)
def weigh_tops(batch, trees, grammar, masses, chart, nats_out):
    """Compute log p(sentence | first rule of its tree), in nats, for each rule of the start symbol.

    masses (adapted symbols × strings): of the cached trees. Filled: nats_out (sentences × rules of the start
    symbol); -inf: there is no such tree. The weights of these rules are overwritten.
    """
    symbols, start, strings = grammar.symbols, batch.start, _room_for_strings(chart)
    scale = np.float64(n_terminals_of(grammar.rules))
    for s in range(len(batch.starts) - 1):
        span = _sentence(s, batch, strings)
        n = len(span.letters)
        strings_in(span.letters, trees, grammar.rules, strings)
        allow_all(start, symbols, grammar.weights)
        nats, filled = log_sum(span, Filling(start, False, scale, 1.0), masses, grammar, chart)
        nats_out[s] = -np.inf
        if nats == -np.inf:
            continue
        scale = np.exp(-nats / n)
        for rule in range(symbols.first[start], symbols.first[start + 1]):
            p = allow_one(rule, span, filled, grammar, chart)
            if p > 0.0:
                nats_out[s, rule - symbols.first[start]] = np.log(p) - n * np.log(filled.scale)


@njit(**PLAIN)
def sample_trees(batch, draws, cached, grammar, remembered, desk, tree_draws, uses):
    """Draw trees of sentences, and count the cached trees and rules that they use.

    (Zhai 2014, section 8.2.3.) cached: TreeRows; remembered: the cached trees' weights as `customers`, with
    discounts of 0. Added to: `uses`, whose nats are filled, and tree_draws (rows), how often each cached tree
    was drawn. What is inside a new tree of an adapted symbol counts in tree_draws and uses.fresh only: once
    the tree is cached, `count_parts` counts its contents, once. Returns the new trees: their rules,
    concatenated, where those of each begin, and how often each was drawn outside other new trees.

    If a sentence's trees must begin with a given rule (`draws.tops`), its nats are log p(sentence | rule),
    equal adjacent sentences share a chart, and the weights of the start symbol's rules are overwritten.
    """
    rules, symbols, start, tops = grammar.rules, grammar.symbols, batch.start, draws.tops
    ids, rows, trees = cached
    chart, draft, masses, nats = desk.chart, desk.draft, remembered.masses, uses.nats
    found, found_starts = np.empty(256, np.int32), np.zeros(17, np.int64)
    times, slots, n_found = np.zeros(16, np.int64), np.zeros(64, np.int32), 0
    state, strings = np.empty(2, np.uint64), _room_for_strings(chart)
    scale = np.float64(n_terminals_of(rules))
    filled = Filling(start, False, scale, 1.0)
    for s in range(len(batch.starts) - 1):
        span = _sentence(s, batch, strings)
        n = len(span.letters)
        if tops[s] < 0 or s == 0 or not _same_sentence(batch, s - 1, s):
            strings_in(span.letters, trees, rules, strings)
            if tops[s] >= 0:
                allow_all(start, symbols, grammar.weights)
            nats[s], filled = log_sum(span, Filling(start, False, scale, 1.0), masses, grammar, chart)
            scale = np.exp(-nats[s] / n) if nats[s] > -np.inf else scale
        if tops[s] >= 0:
            p = allow_one(tops[s], span, filled, grammar, chart)
            nats[s] = np.log(p) - n * np.log(filled.scale) if p > 0.0 else -np.inf
        if nats[s] == -np.inf:
            continue
        seeded(draws.keys[s], state)
        for _ in range(draws.numbers[s]):
            if not draw_or_give_up(span, filled, False, grammar, remembered, desk, state):
                nats[s] = -np.inf
                break
            size_subtrees(draft, rules)
            until = np.int64(0)  # the end of the new tree around a place
            for at in range(draft.number[0]):
                value, gain = draft.values[at], np.int64(at >= until)
                if value < 0:
                    uses.trees[-1 - value] += gain
                    tree_draws[-1 - value] += 1
                    continue
                place = symbols.adapted[rules.parents[value]]
                if place < 0:
                    uses.rules[value] += gain
                    continue
                until = max(until, at + draft.sizes[at])
                first = found_starts[n_found]
                end = _write_rules(draft, at, trees, ids, found, first)
                while end < 0:
                    found = _longer(found)
                    end = _write_rules(draft, at, trees, ids, found, first)
                tree, _ = tree_of(found, first, end, trees)
                if tree >= 0 and rows[tree] >= 0:
                    uses.trees[rows[tree]] += gain
                    tree_draws[rows[tree]] += 1
                    continue
                uses.fresh[place] += 1
                known, slot = _look_up(found, first, end, slots, found, found_starts)
                if known >= 0:
                    times[known] += gain
                    continue
                if n_found + 1 == len(times):
                    times, found_starts = _longer(times), _longer(found_starts)
                slots[slot] = n_found + 1
                times[n_found] = gain
                n_found += 1
                found_starts[n_found] = end
                if 2 * n_found > len(slots):
                    slots = np.zeros(2 * len(slots), np.int32)
                    fill_slots(n_found, slots, found, found_starts)
    return found[: found_starts[n_found]], found_starts[: n_found + 1], times[:n_found]


@njit(**PLAIN)
def best_trees(which, adapted, cached, grammar, remembered, desk):
    """Find the most probable tree of the same symbol and string as each of some cached trees.

    which: the rows of these trees; adapted (adapted symbols): the symbol number of each; remembered: the
    cached trees, with the greatest weight of a tree of each string as `masses`; desk: working memory. Returns
    the rows whose best tree is another one, the rules of these best trees, and where those of each begin.
    """
    ids, _, trees = cached
    chart, draft, below = desk.chart, desk.draft, grammar.symbols.below
    rows, starts, n = np.empty(len(which), np.int64), np.zeros(len(which) + 1, np.int64), 0
    found, strings = np.empty(256, np.int32), _room_for_strings(chart)
    active, state = np.empty(below.shape[1], np.int32), np.ones(2, np.uint64)
    scale = np.float64(n_terminals_of(grammar.rules))
    for row in which:
        tree = ids[row]
        place = trees.places[tree]
        letters = trees.letters[trees.letter_starts[tree] : trees.letter_starts[tree + 1]]
        symbol, n_active = np.int64(adapted[place]), 0
        for one in range(below.shape[1]):
            if below[place, one]:
                active[n_active] = one
                n_active += 1
        strings_in(letters, trees, grammar.rules, strings)
        span = Span(letters, strings, 0, 0, len(letters), active[:n_active])
        filling = Filling(symbol, True, scale, 1.0)
        filling = fill_to_scale(span, filling, True, remembered.masses, grammar, chart)
        drawn = draw_tree(span, filling, True, grammar, remembered, chart, draft, state)
        if not drawn:
            continue
        size_subtrees(draft, grammar.rules)
        end = _write_rules(draft, 0, trees, ids, found, starts[n])
        while end < 0:
            found = _longer(found)
            end = _write_rules(draft, 0, trees, ids, found, starts[n])
        if tree_of(found, starts[n], end, trees)[0] != tree:
            rows[n] = row
            n += 1
            starts[n] = end
    return rows[:n], found[: starts[n]], starts[: n + 1]


@kernel_part(**LEAN)
def _close_group(at, i, j, active, grammar, charts, counts):
    """Complete the outside probabilities of a span for a group of symbols in a cycle of unary rules.

    The outside probability of each is passed on along unary chains, and the expected uses of the rules in
    them are added to `counts`. `at`: the last place of the group in `active`; returns the place before its
    first.
    """
    rules, symbols, weights = grammar
    chart, outside = charts
    symbol = active[at]
    begin = at
    while begin >= 0 and symbols.groups[active[begin]] == symbols.groups[symbol]:
        begin -= 1
    lowest, n_group = group_of(symbol, symbols)
    for place in range(begin + 1, at + 1):  # `by_end` of the outside is working memory
        other, total = active[place], 0.0
        for upper in range(begin + 1, at + 1):
            one = active[upper]
            block = symbols.circles[one] + (one - lowest) * n_group
            total += outside.by_start[one, i, j] * weights.closures[block + other - lowest]
        outside.by_end[other, j, i] = total
    for place in range(begin + 1, at + 1):
        one = active[place]
        outside.by_start[one, i, j] = outside.by_end[one, j, i]
        for rule in range(symbols.first[one], symbols.inner[one]):
            left = rules.lefts[rule]
            if rules.rights[rule] < 0 and symbols.groups[left] == symbols.groups[one] and chart.live[left]:
                counts[rule] += outside.by_start[one, i, j] * weights.rules[rule] * chart.by_start[left, i, j]
    return begin


@kernel_part(**LEAN)
def _count_rules(symbol, i, j, own, letter, scale, grammar, charts, counts):
    """Count the rules that expand a symbol in a span, and pass its outside probability on to the children.

    own: the symbol's outside probability in the span from i to j, divided by p of the sentence, so that
    counts are expected uses; letter: the span's first terminal; scale: the factor of probabilities in charts
    per terminal, here for the rule to a terminal. Rules to a single symbol of the same group are left out:
    `_close_group` counts them. Added to: counts (rules); the children's outside probabilities.
    """
    rules, symbols, weights = grammar
    chart, outside = charts
    if j == i + 1:
        rule = rule_to(symbol, letter, rules, symbols)
        if rule >= 0:
            counts[rule] += own * weights.rules[rule] * scale
    for rule in range(symbols.first[symbol], symbols.inner[symbol]):
        left, right = rules.lefts[rule], rules.rights[rule]
        share = own * weights.rules[rule]
        if right < 0:
            if symbols.groups[left] != symbols.groups[symbol] and covers(left, j - i, symbols, chart):
                counts[rule] += share * chart.by_start[left, i, j]
                outside.by_start[left, i, j] += share
            continue
        if not (chart.live[left] and chart.live[right]):
            continue
        low, high = splits(left, right, i, j, symbols)
        for k in range(low, high):
            one, other = chart.by_start[left, i, k], chart.by_end[right, j, k]
            if one > 0.0 and other > 0.0:
                counts[rule] += share * one * other
                outside.by_start[left, i, k] += share * other
                outside.by_start[right, k, j] += share * one


@kernel_part(**LEAN)
def _fill_outside(span, filling, grammar, memory, charts, uses):
    """Add a sentence's expected uses of trees and rules over all its trees (inside times outside).

    charts: `inside` is filled for the sentence, `outside` is working memory. Added to: `uses`, except its
    nats.
    """
    symbols, weights, scale, n = grammar.symbols, grammar.weights, filling.scale, len(span.letters)
    active, chart, outside = span.active, charts.inside, charts.outside
    for symbol in active:
        chart.live[symbol] = True
        for i in range(n):
            for j in range(i + 1, n + 1):
                outside.by_start[symbol, i, j] = 0.0
    outside.by_start[filling.symbol, 0, n] = 1.0 / chart.by_start[filling.symbol, 0, n]
    for size in range(n, 0, -1):
        power = scale**size
        for i in range(n - size + 1):
            j = i + size
            at = len(active) - 1
            while at >= 0:
                symbol = active[at]
                end = at - 1
                if symbols.circles[symbol] >= 0:
                    end = _close_group(at, i, j, active, grammar, charts, uses.rules)
                for place in range(at, end, -1):
                    one = active[place]
                    own = outside.by_start[one, i, j]
                    adapted = symbols.adapted[one]
                    if not own > 0.0 or size < symbols.shortest[one] or size > symbols.longest[one]:
                        continue
                    if adapted >= 0:
                        string = span.strings[span_at(i, j, n)]
                        row = memory.first[adapted, string]
                        while row >= 0:
                            uses.trees[row] += own * scaled(memory.customers[row], 1.0, power, size, scale)
                            row = memory.following[row]
                        own *= weights.fresh[adapted]
                        mass = scaled(memory.masses[adapted, string], 1.0, power, size, scale)
                        new = chart.by_start[one, i, j] - mass
                        uses.fresh[adapted] += outside.by_start[one, i, j] * new
                    _count_rules(one, i, j, own, span.letters[i], scale, grammar, charts, uses.rules)
                at = end
    for symbol in active:
        chart.live[symbol] = False


@njit(**PLAIN)
def expect_trees(batch, trees, grammar, memory, charts, uses):
    """Count the cached trees and rules that sentences are expected to use, over all their trees.

    Exact expectations (inside-outside) take the place of the samples of `sample_trees`; but uses inside new
    trees count, too. charts: working memory. Added to: `uses`; its nats are filled with log p.
    """
    scale, strings = np.float64(n_terminals_of(grammar.rules)), _room_for_strings(charts.inside)
    for s in range(len(batch.starts) - 1):
        span = _sentence(s, batch, strings)
        strings_in(span.letters, trees, grammar.rules, strings)
        filling = Filling(batch.start, False, scale, 1.0)
        uses.nats[s], filling = log_sum(span, filling, memory.masses, grammar, charts.inside)
        if uses.nats[s] == -np.inf:
            continue
        scale = np.exp(-uses.nats[s] / len(span.letters))
        _fill_outside(span, filling, grammar, memory, charts, uses)
