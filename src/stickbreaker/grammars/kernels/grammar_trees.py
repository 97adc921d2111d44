"""Trees of a Markov chain written to arrays in a canonical order, read and checked; places of cuts."""

import numpy as np
from numba import njit

from stickbreaker.grammars.kernels.grammar_chart import (
    ENTRIES,
    ENTRIES_USED,
    LEAN,
    PLAIN,
    TABLES_USED,
    span_at,
)
from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import copy_numbers


@njit(**PLAIN)
def ordered_tables(memory):
    """List all tables in a canonical order: by adapted symbol, then string, then place in their list."""
    found = np.empty(memory.free[TABLES_USED], np.int32)
    number = 0
    for place in range(len(memory.first)):
        for string in range(memory.first.shape[1]):
            table = memory.first[place, string]
            while table >= 0:
                found[number] = table
                number += 1
                table = memory.following[table]
    return found


@njit(**PLAIN)
def written(heads, names, memory):
    """Convert trees from linked lists to concatenated arrays, to save them.

    heads: the first entry of each tree; names (tables): the number by which each table is saved. Returns the
    entries of all trees, and where each tree begins.
    """
    starts = np.zeros(len(heads) + 1, np.int64)
    for at in range(len(heads)):
        entry, size = heads[at], 0
        while entry >= 0:
            entry, size = memory.onward[entry], size + 1
        starts[at + 1] = starts[at] + size
    values = np.empty(starts[-1], np.int32)
    for at in range(len(heads)):
        entry, number = heads[at], starts[at]
        while entry >= 0:
            value = memory.values[entry]
            values[number] = value if value >= 0 else -1 - names[-1 - value]
            entry, number = memory.onward[entry], number + 1
    return values, starts


@njit(**PLAIN)
def mistake_in(values, symbol, place, letters, rules, symbols, known, stack):
    """Check that entries read from a file are a tree of `symbol` over the terminals `letters`.

    Returns the position of the first wrong entry, len(values) if the tree is incomplete, or -1 if it is
    valid. values: its entries (a rule, or -1 - table); place: the index of the adapted symbol whose
    remembered subtree it is, or -1 for a sentence; known: the adapted symbol of each table, where its
    terminals begin (tables + 1), and the terminals. A tree's tables must belong to adapted symbols below it.
    stack: working memory.
    """
    places, tables, texts = known
    stack[0], top, at = symbol, 1, 0
    for k in range(len(values)):
        if top == 0:
            return k
        top -= 1
        wanted, value = stack[top], values[k]
        if value < 0:
            table = -1 - np.int64(value)
            if table >= len(places) or (k == 0 and place >= 0):
                return k
            if symbols.adapted[wanted] != places[table] or places[table] <= place:
                return k
            size = tables[table + 1] - tables[table]
            if at + size > len(letters):
                return k
            for step in range(size):
                if texts[tables[table] + step] != letters[at + step]:
                    return k
            at += size
            continue
        if value >= len(rules.parents) or rules.parents[value] != wanted:
            return k
        if symbols.adapted[wanted] >= 0 and not (k == 0 and place >= 0):
            return k
        left, right = rules.lefts[value], rules.rights[value]
        if left < 0:
            if at == len(letters) or rules.terminals[value] != letters[at]:
                return k
            at += 1
        if top + 2 > len(stack):
            return k
        for child in (right, left):
            if child >= 0:
                stack[top] = child
                top += 1
    return -1 if top == 0 and at == len(letters) else len(values)


@njit(**PLAIN)
def count_cuts(roots, starts, marks, stack, rules, symbols, memory, cuts):
    """Add one to `cuts` wherever a subtree of an adapted symbol begins or ends in the sentences' trees.

    Each place counts once per symbol; the ends of a sentence do not count. cuts (adapted symbols ×
    terminals): a place is before its terminal. roots (sentences): the first entry of each tree; marks (same
    shape as cuts) and stack: working memory; marks are 0 before.
    """
    for s in range(len(roots)):
        position, end, top = starts[s], starts[s + 1], 0
        stack[0, 0], stack[0, 1], stack[0, 2] = roots[s], -1, 0
        while top >= 0:
            entry = stack[top, 0]
            if entry < 0:
                place = stack[top, 1]
                if place >= 0 and position < end and marks[place, position] != s + 1:
                    marks[place, position] = s + 1
                    cuts[place, position] += 1
                top -= 1
                continue
            value = memory.values[entry]
            stack[top, 0] = memory.onward[entry]
            if value < 0:
                table = -1 - value
                place = memory.places[table]
                if position > starts[s] and marks[place, position] != s + 1:
                    marks[place, position] = s + 1
                    cuts[place, position] += 1
                top += 1
                stack[top, 0], stack[top, 1] = memory.contents[table], place
            elif rules.lefts[value] < 0:
                position += 1


@njit(**PLAIN)
def number_of_strings(text_strings, spans, starts, sentences, positions, lengths):
    """Look up the string number of each table, whose string is given by position and length in the text.

    It is -1 if these are not within a sentence. text_strings: of all spans of the text; spans (sentences):
    where those of each begin; sentences (terminals): the sentence of each.
    """
    found = np.empty(len(positions), np.int32)
    for table in range(len(positions)):
        position, size = positions[table], lengths[table]
        found[table] = -1
        if position < 0 or size < 1 or position + size > len(sentences):
            continue
        s = sentences[position]
        i, n = position - starts[s], starts[s + 1] - starts[s]
        if i + size <= n:
            found[table] = text_strings[spans[s] + span_at(i, i + size, n)]
    return found


@njit(**PLAIN)
def read_lists(values, starts, heads, memory):
    """Store trees, given as concatenated entries, as linked lists in `memory`, after the entries in use.

    starts (trees + 1): where each begins in `values`. heads (trees): filled with the first entry of each; -1:
    it is empty.
    """
    number = memory.free[ENTRIES]
    for at in range(len(heads)):
        heads[at] = number if starts[at + 1] > starts[at] else -1
        for k in range(starts[at], starts[at + 1]):
            memory.values[number] = values[k]
            memory.onward[number] = number + 1 if k + 1 < starts[at + 1] else -1
            number += 1
    memory.free[ENTRIES] = number
    memory.free[ENTRIES_USED] = number


@kernel_part(**PLAIN)
def expanded(draft, wholes, found, number):
    """Append a drafted tree's rules to found[:number], with those of remembered subtrees written out.

    wholes: the rules of all remembered subtrees, and where those of each begin (subtrees + 1). Returns the
    new number of rules, or -1 if `found` is too small.
    """
    rules, starts = wholes
    for at in range(draft.number[0]):
        value = draft.values[at]
        if value >= 0:
            if number == len(found):
                return -1
            found[number] = value
            number += 1
            continue
        table = -1 - value
        size = starts[table + 1] - starts[table]
        if number + size > len(found):
            return -1
        copy_numbers(rules[starts[table] : starts[table + 1]], found[number:])
        number += size
    return number


@njit(**LEAN)
def measure_derivations(entries, starts, sizes_out):
    """Fill sizes_out with the number of rules of each remembered subtree, down to terminals.

    entries: of all subtrees, concatenated: a rule, or -1 - (number of a later subtree within it); starts
    (subtrees + 1): where each begins.
    """
    for row in range(len(starts) - 2, -1, -1):
        sizes_out[row] = 0
        for at in range(starts[row], starts[row + 1]):
            sizes_out[row] += sizes_out[-1 - entries[at]] if entries[at] < 0 else 1


@njit(**LEAN)
def write_derivations(entries, starts, ends, found_out):
    """Write all rules of each remembered subtree, down to terminals, to found_out.

    entries, starts: as in `measure_derivations`; ends (subtrees + 1): where each begins in found_out.
    """
    for row in range(len(starts) - 2, -1, -1):
        number = ends[row]
        for at in range(starts[row], starts[row + 1]):
            value = entries[at]
            if value >= 0:
                found_out[number] = value
                number += 1
                continue
            for k in range(ends[-1 - value], ends[-value]):
                found_out[number] = found_out[k]
                number += 1


@njit(**LEAN)
def link_derivations(places, strings, shares, first, following, masses, greatest):
    """Index remembered subtrees by adapted symbol and string: a linked list for each pair.

    places, strings, shares: of each subtree, its symbol, string number and probability. Filled: first
    (symbols × strings, all -1 before) and following (subtrees), the lists, which -1 ends; masses and greatest
    (symbols × strings, all 0 before), the sum and the maximum of the shares of each list.
    """
    for row in range(len(places) - 1, -1, -1):
        place, string = places[row], strings[row]
        following[row] = first[place, string]
        first[place, string] = row
        masses[place, string] += shares[row]
        greatest[place, string] = max(greatest[place, string], shares[row])


@njit(**PLAIN)
def cuts_within(symbol, wholes, starts, rules):
    """Find the places where subtrees of `symbol` begin or end in each of several trees.

    A tree is a subtree of itself. A place is the number of the tree's terminals before it; the places of a
    tree are ascending. wholes: the rules of all trees down to terminals; starts (trees + 1): where those of
    each begin. Returns the places of all trees, and where those of each begin (trees + 1).
    """
    n_trees, longest = len(starts) - 1, 0
    for tree in range(n_trees):
        longest = max(longest, starts[tree + 1] - starts[tree])
    found, found_starts = np.empty(len(wholes) + n_trees, np.int32), np.zeros(n_trees + 1, np.int64)
    stack = np.empty(2 * longest + 2, np.int32)  # symbols still to come; -1: a subtree of `symbol` ends
    number = 0
    for tree in range(n_trees):
        position, top = 0, 0
        stack[0] = rules.parents[wholes[starts[tree]]]
        for at in range(starts[tree], starts[tree + 1] + 1):
            while top >= 0 and stack[top] == -1:
                top -= 1
                number = _mark(position, found_starts[tree], found, number)
            if at == starts[tree + 1]:
                break
            value = wholes[at]
            top -= 1
            if rules.parents[value] == symbol:
                number = _mark(position, found_starts[tree], found, number)
                top += 1
                stack[top] = -1
            for child in (rules.rights[value], rules.lefts[value]):
                if child >= 0:
                    top += 1
                    stack[top] = child
            if rules.lefts[value] < 0:
                position += 1
        found_starts[tree + 1] = number
    return found[:number].copy(), found_starts


@kernel_part(**PLAIN)
def _mark(position, first, found, number):
    """Append a place to the list found[first:number] unless it is its last; returns the new `number`."""
    if number > first and found[number - 1] == position:
        return number
    found[number] = position
    return number + 1


@kernel_part(**LEAN)
def count_cuts_of_draft(draft, symbol, within, stamp, stamps, rules, counts_out):
    """Add one to counts_out wherever a subtree of `symbol` begins or ends in a drafted tree.

    Each place counts once: counts_out (terminals + 1) has those before each terminal, and the end. within:
    `cuts_within` of the remembered subtrees. stamp: a number for this tree; stamps (same size as counts_out):
    the number of the last tree counted at each place.
    """
    inner, inner_starts = within
    origin = draft.positions[0]
    for at in range(draft.number[0]):
        value, position = draft.values[at], draft.positions[at] - origin
        if value < 0:
            for k in range(inner_starts[-1 - value], inner_starts[-value]):
                _count_once(position + inner[k], stamp, stamps, counts_out)
        elif rules.parents[value] == symbol:
            _count_once(position, stamp, stamps, counts_out)
            _count_once(position + draft.lengths[at], stamp, stamps, counts_out)


@kernel_part(**LEAN)
def _count_once(position, stamp, stamps, counts_out):
    """Add one to counts_out[position], unless the tree with the number `stamp` was already counted there."""
    if stamps[position] != stamp:
        stamps[position] = stamp
        counts_out[position] += 1


@njit(**PLAIN)
def longest_beginning(letters, by_start, rules, symbols, start, begins):
    """The length of the longest prefix of `letters` with which a sentence of the grammar can begin.

    by_start: inside probabilities of the sentence (`Chart`); begins (symbols × terminals): working memory,
    whether a symbol can begin with the terminals from there to the end of the prefix.
    """
    for end in range(1, len(letters) + 1):
        for i in range(end - 1, -1, -1):
            begins[:, i] = False
            changed = True
            while changed:
                changed = False
                for rule in range(len(rules.parents)):
                    parent, left, right = rules.parents[rule], rules.lefts[rule], rules.rights[rule]
                    if begins[parent, i]:
                        continue
                    if left < 0:
                        found = end == i + 1 and rules.terminals[rule] == letters[i]
                    else:
                        found = begins[left, i]
                        if right >= 0 and not found:
                            for k in range(i + 1, end):
                                if by_start[left, i, k] > 0.0 and begins[right, k]:
                                    found = True
                                    break
                    if found:
                        begins[parent, i] = changed = True
        if not begins[start, 0]:
            return end - 1
    return len(letters)
