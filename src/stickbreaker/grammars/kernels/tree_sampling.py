"""Metropolis-Hastings sampling for adaptor grammars: trees are removed and proposed one by one.

The state consists of all trees and the seating: every use of an adapted symbol is a customer of that symbol's
restaurant, at a table labelled with its subtree. A new table uses the top rule of its subtree once, and
everything below, where adapted symbols are customers again (Johnson, Griffiths & Goldwater 2007; tables are
relabelled as in Johnson & Goldwater 2009).

The acceptance step is exact for trees and tables together: a proposal can open several tables of one subtree,
or let later uses join the first.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.grammars.kernels.grammar_chart import (
    ENTRIES,
    ENTRIES_USED,
    FREE_ENTRY,
    FREE_TABLE,
    LEAN,
    PLAIN,
    TABLES,
    TABLES_USED,
    Chart,
    Desk,
    Draft,
    Filling,
    Memory,
    Remembered,
    Rules,
    Span,
    Symbols,
    WeightedGrammar,
    Weights,
    close_circles,
    draw_or_give_up,
    draw_tree,
    fill_chart,
    measure,
)
from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.random import seeded, uniform

INLINE: dict[str, Any] = {**LEAN, "forceinline": True}
LEAST = 1e-30  # of p(subtree), when a customer joins or opens a table


class Counts(NamedTuple):
    """The counts of a state: of rules (with prior weights), and of each adapted symbol's restaurant."""

    rules: NDArray[np.float64]  # rules: prior weight and uses
    symbols: NDArray[np.float64]  # symbols: the sums over their rules
    customers: NDArray[np.float64]  # adapted symbols
    tables: NDArray[np.float64]  # adapted symbols


class Process(NamedTuple):
    """The Pitman-Yor processes of adapted symbols, and whether rule weights are learned."""

    discounts: NDArray[np.float64]
    concentrations: NDArray[np.float64]
    learned: float  # 1, or 0: rules keep their prior weights


class Text(NamedTuple):
    """The sentences of a corpus, prepared for charts: terminals, string numbers, possible symbols."""

    letters: NDArray[np.int32]  # terminals of all sentences
    starts: NDArray[np.int64]  # sentences + 1
    strings: NDArray[np.int32]  # spans of all sentences: their string numbers
    spans: NDArray[np.int64]  # sentences + 1: where the spans of each begin
    active: NDArray[np.int32]  # symbols that can occur in each sentence's tree, concatenated
    actives: NDArray[np.int64]  # sentences + 1: where those of each begin
    sentences: NDArray[np.int32]  # letters: the sentence of each
    start: int  # start symbol
    scales: NDArray[np.float64]  # sentences: the first scale to try for the chart of each


class Task(NamedTuple):
    """What a sweep of a chain resamples, and with which grammar.

    symbol: -1 for the trees of sentences, or the adapted symbol whose remembered subtrees are resampled.
    With `alone`, first trees are drawn by the prior weights, each without remembered subtrees. p(tree) is
    raised to the power `heat`.
    """

    text: Text
    roots: NDArray[np.int32]  # sentences: the first entry of each tree; -1: no tree yet
    rules: Rules
    symbols: Symbols
    symbol: int  # the adapted symbol whose remembered subtrees are resampled; -1: the trees of sentences
    alone: bool  # whether first trees are drawn, each by the prior weights, without remembered subtrees
    heat: float  # an exponent on p(tree)


class Room(NamedTuple):
    """The working memory of a visit, which resamples one tree; and sums over all visits (`tally`)."""

    old: Draft
    new: Draft
    chart: Chart
    weights: Weights
    lists: NDArray[np.int32]  # lists of removed entries
    emptied: NDArray[np.int32]  # removed tables
    opened: NDArray[
        np.int32
    ]  # tables opened by this visit, the place of each in the draft, what it was called
    frames: NDArray[np.int32]  # open lists: their end in the draft, last entry, table
    active: NDArray[np.int32]  # symbols that can occur in the remembered subtree that is resampled
    prior: Counts  # before any use
    nothing: NDArray[np.float64]  # `Memory.masses` with nothing remembered; empty after the start
    tally: NDArray[np.float64]  # trees that changed, sum of log p given all others (nats), visits


class State(NamedTuple):
    """The state of a chain, which kernels change in place."""

    memory: Memory
    counts: Counts
    process: Process


@kernel_part(**INLINE)
def _share_of_rule(rule, counts, rules):
    """p(rule | parent) given the current counts; 1 for a rule that binarisation added."""
    return counts.rules[rule] / counts.symbols[rules.parents[rule]] if rules.counted[rule] else 1.0


@kernel_part(**INLINE)
def _count_rule(rule, change, state, rules):
    """Add `change` (1 or -1) to a rule's count if weights are learned; rules of binarisation have none."""
    if rules.counted[rule]:
        state.counts.rules[rule] += change * state.process.learned
        state.counts.symbols[rules.parents[rule]] += change * state.process.learned


@kernel_part(**INLINE)
def _entry(value, memory):
    """Store a value (a rule, or -1 - table) in a free entry of memory; returns the entry's index.

    The entry is in no list of a tree yet.
    """
    free = memory.free
    at = free[FREE_ENTRY]
    if at >= 0:
        free[FREE_ENTRY] = memory.onward[at]
    else:
        at = free[ENTRIES]
        free[ENTRIES] += 1
    free[ENTRIES_USED] += 1
    memory.values[at], memory.onward[at] = value, -1
    return at


@kernel_part(**LEAN)
def _open(place, string, position, length, state):
    """Open a table for a new remembered subtree, still without contents and customers; returns its number.

    place: its adapted symbol; string: its string number; position, length: of its string in the text.
    """
    memory = state.memory
    free = memory.free
    table = free[FREE_TABLE]
    if table >= 0:
        free[FREE_TABLE] = memory.following[table]
    else:
        table = free[TABLES]
        free[TABLES] += 1
    free[TABLES_USED] += 1
    memory.customers[table], memory.parts[table], memory.contents[table] = 0, 1, -1
    memory.places[table], memory.strings[table] = place, string
    memory.positions[table], memory.lengths[table] = position, length
    head = memory.first[place, string]
    memory.following[table], memory.before[table] = -1, head
    if head < 0:
        memory.first[place, string] = table
    else:
        after = memory.following[head]
        memory.following[table], memory.following[head] = after, table
        if after >= 0:
            memory.before[after] = table
    state.counts.tables[place] += 1.0
    if string > 0:
        memory.masses[place, string] -= state.process.discounts[place]
    return table


@kernel_part(**LEAN)
def _close(table, state):
    """Close a table without customers: it leaves the list of its string and the counts.

    Its memory, and that of its contents, is freed later, by `take_out`.
    """
    memory, place, string = state.memory, state.memory.places[table], state.memory.strings[table]
    after, before = memory.following[table], memory.before[table]
    if after >= 0:
        memory.before[after] = before
    if before >= 0:
        memory.following[before] = after
    else:
        memory.first[place, string] = after
    state.counts.tables[place] -= 1.0
    if memory.first[place, string] < 0:
        memory.masses[place, string] = 0.0
    else:
        memory.masses[place, string] += state.process.discounts[place] * (string > 0)


@kernel_part(**INLINE)
def _seat(table, change, state):
    """Add a customer to a table (change 1) or remove one (-1), in all counts and masses.

    Strings that occur once (number 0) have no mass.
    """
    memory, place = state.memory, state.memory.places[table]
    memory.customers[table] += change
    state.counts.customers[place] += change
    if memory.strings[table] > 0:
        memory.masses[place, memory.strings[table]] += change


@kernel_part(**LEAN)
def take_out(head, draft, room, state, rules):
    """Remove a tree from the state, so that it can be resampled given all others; it is copied to `draft`.

    head: the tree's first entry. Remembered subtrees that other trees use stay as tables; those that only
    this tree uses are removed as well, and written out in the draft with the number of their former table.
    """
    memory = state.memory
    room.lists[0], n_lists = head, 1
    at = 0
    while at < n_lists:
        entry = room.lists[at]
        while entry >= 0:
            value = memory.values[entry]
            if value >= 0:
                _count_rule(value, -1.0, state, rules)
            else:
                table = -1 - value
                _seat(table, -1, state)
                if memory.customers[table] == 0:
                    _close(table, state)
                    room.lists[n_lists] = memory.contents[table]
                    room.emptied[n_lists] = table
                    n_lists += 1
            entry = memory.onward[entry]
        at += 1
    top, number, table = 0, 0, -1
    room.frames[0, 0] = head
    while top >= 0:
        entry = room.frames[top, 0]
        if entry < 0:
            top -= 1
            continue
        room.frames[top, 0] = memory.onward[entry]
        value = memory.values[entry]
        if value < 0 and memory.customers[-1 - value] == 0:
            table = -1 - value
            top += 1
            room.frames[top, 0] = memory.contents[table]
            continue
        draft.values[number], draft.tables[number] = value, table
        if table >= 0:
            draft.strings[number], draft.positions[number] = memory.strings[table], memory.positions[table]
            draft.lengths[number] = memory.lengths[table]
        number += 1
        table = -1
    draft.number[0] = number
    for at in range(n_lists):
        entry = room.lists[at]
        while entry >= 0:
            onward = memory.onward[entry]
            memory.onward[entry] = memory.free[FREE_ENTRY]
            memory.free[FREE_ENTRY] = entry
            memory.free[ENTRIES_USED] -= 1
            entry = onward
        if at > 0:
            memory.following[room.emptied[at]] = memory.free[FREE_TABLE]
            memory.free[FREE_TABLE] = room.emptied[at]
            memory.free[TABLES_USED] -= 1


@kernel_part(**INLINE)
def _alike(draft, one, other):
    """Whether the subtrees of a draft that begin at its entries `one` and `other` are identical."""
    if draft.sizes[one] != draft.sizes[other]:
        return False
    for step in range(draft.sizes[one]):  # noqa: SIM110
        if draft.values[one + step] != draft.values[other + step]:
            return False
    return True


@kernel_part(**LEAN)
def enter(draft, given, inner, room, state, rules, symbols, random):
    """Add a drafted tree to the state: each use of an adapted symbol is seated at a table, in preorder.

    If the draft has a new subtree twice, the later use may join the table of the first or open its own.
    given: take these choices from the draft; otherwise they are drawn. inner: the draft is the subtree of a
    table, so its top seats no customer. Returns the tree's first entry, log p(tree and tables | all others),
    and log p of these choices of tables.
    """
    memory, counts, process = state.memory, state.counts, state.process
    head, nats, chosen, p = np.int32(-1), 0.0, 0.0, 1.0
    number, n_opened = draft.number[0], 0
    room.frames[0, 0], room.frames[0, 1], room.frames[0, 2], depth = number, -1, -1, 0
    at = np.int64(0)
    while at < number:
        while at == room.frames[depth, 0]:
            depth -= 1
        value = np.int64(draft.values[at])
        table, step, opens = np.int64(-1), np.int64(1), False
        if value < 0:
            table = -1 - value
        else:
            place = symbols.adapted[rules.parents[value]]
            if place >= 0 and not (inner and at == 0):
                a, b = process.discounts[place], process.concentrations[place]
                total, last = 0.0, np.int64(-1)
                for k in range(n_opened):
                    if _alike(draft, room.opened[k, 1], at):
                        total += memory.customers[room.opened[k, 0]] - a
                        if given and room.opened[k, 2] == draft.tables[at]:
                            last = k
                if total > 0.0:
                    opening = (b + a * counts.tables[place]) * max(np.exp(draft.nats[at]), LEAST)
                    if not given:
                        target = uniform(random) * (total + opening)
                        for k in range(n_opened):
                            if target < 0.0:
                                break
                            if _alike(draft, room.opened[k, 1], at):
                                mass = memory.customers[room.opened[k, 0]] - a
                                target -= mass
                                if target < 0.0:
                                    last = k
                    mass = opening
                    if last >= 0:
                        mass = memory.customers[room.opened[last, 0]] - a
                    chosen += np.log(mass / (total + opening))
                if last >= 0:
                    table, step = np.int64(room.opened[last, 0]), np.int64(draft.sizes[at])
                else:
                    opens = True
                    if counts.customers[place] > 0.0:
                        p *= (b + a * counts.tables[place]) / (counts.customers[place] + b)
                    table = _open(place, draft.strings[at], draft.positions[at], draft.lengths[at], state)
                    room.opened[n_opened, 0], room.opened[n_opened, 1] = table, at
                    room.opened[n_opened, 2] = draft.tables[at]
                    n_opened += 1
        if table >= 0:
            place = memory.places[table]
            if not opens:
                mass = memory.customers[table] - process.discounts[place]
                p *= mass / (counts.customers[place] + process.concentrations[place])
            _seat(table, 1, state)
            head = _append(_entry(-1 - table, memory), depth, head, room, memory)
            if opens:
                depth += 1
                room.frames[depth, 0], room.frames[depth, 1] = at + draft.sizes[at], -1
                room.frames[depth, 2] = table
        if table < 0 or opens:
            p *= _share_of_rule(value, counts, rules)
            _count_rule(value, 1.0, state, rules)
            head = _append(_entry(value, memory), depth, head, room, memory)
        if p < 1e-200:
            nats += np.log(p)
            p = 1.0
        at += step
    return head, nats + np.log(p), chosen


@kernel_part(**INLINE)
def _append(entry, depth, head, room, memory):
    """Append an entry to the tree or table contents that are being written; returns the tree's first entry.

    depth: the index in `room.frames` of the innermost list being written; head: the tree's first entry so
    far, or -1.
    """
    last, table = room.frames[depth, 1], room.frames[depth, 2]
    if last >= 0:
        memory.onward[last] = entry
    elif table >= 0:
        memory.contents[table] = entry
    else:
        head = np.int32(entry)
    room.frames[depth, 1] = entry
    return head


@kernel_part(**INLINE)
def _weigh_rule(rule, counts, heat, grammar):
    """Set the weight of a rule for charts: its probability by current counts, to the power of `heat`.

    In cycles of unary rules the power is not taken, since sums over chains could diverge.
    """
    rules, symbols, weights = grammar
    p = _share_of_rule(rule, counts, rules)
    weights.rules[rule] = p if heat == 1.0 or symbols.circles[rules.parents[rule]] >= 0 else p**heat


@kernel_part(**LEAN)
def weigh(span, counts, process, heat, grammar):
    """Fill the weights of `grammar` for the chart of a span: probabilities given the current counts.

    Rules of symbols that cannot occur in the span's trees, or to terminals that are not in the span, keep
    their old weights. heat: an exponent on the weights of rules and of new subtrees.
    """
    rules, symbols, weights = grammar
    for symbol in span.active:
        for rule in range(symbols.first[symbol], symbols.inner[symbol]):
            _weigh_rule(rule, counts, heat, grammar)
    for letter in span.letters:
        for at in range(rules.terminals_at[letter], rules.terminals_at[letter + 1]):
            _weigh_rule(rules.of_terminal[at], counts, heat, grammar)
    for place in range(len(process.discounts)):
        b, n = process.concentrations[place], counts.customers[place]
        fresh = (b + process.discounts[place] * counts.tables[place]) / (n + b) if n > 0.0 else 1.0
        weights.fresh[place] = fresh if heat == 1.0 else fresh**heat
        weights.remembered[place] = 1.0 / (n + b) if n > 0.0 else 0.0
    if len(weights.closures) > 0:
        close_circles(False, grammar)


@kernel_part(**LEAN)
def _same(one, other):
    """Whether two drafts are the same tree, so that an acceptance step is not needed.

    False also if the tree was the only one to use one of its remembered subtrees (`Draft.tables`).
    """
    if one.number[0] != other.number[0]:
        return False
    for at in range(one.number[0]):  # noqa: SIM110
        if one.values[at] != other.values[at] or one.tables[at] >= 0:
            return False
    return True


@kernel_part(**LEAN)
def fill_to_scale(span, filling, best, masses, grammar, chart):
    """Fill a chart at a scale at which the sentence's probability neither overflows nor underflows.

    filling: with the first scale to try; returns it with the scale found. Other arguments: as in
    `fill_chart`. It gives up after 60 scales, as it does for a sentence that cannot be parsed: the
    probability in the chart is then 0 or out of range, and the returned scale is not the chart's.
    """
    symbol, inner, scale, heat = filling
    n = len(span.letters)
    for _ in range(60):
        fill_chart(span, Filling(symbol, inner, scale, heat), best, masses, grammar, chart)
        p = chart.by_start[symbol, 0, n]
        if 1e-280 < p < 1e280:
            break
        scale *= np.exp((200.0 if p <= 1e-280 else -200.0) / n)
    return Filling(symbol, inner, scale, heat)


@kernel_part(**LEAN)
def log_sum(span, filling, masses, grammar, chart):
    """Fill a chart for a sentence; returns its log p, in nats, and `filling` with the chart's scale.

    log p is -inf if the sentence cannot be parsed. filling: with the first scale to try, a heat of 1, and not
    inner.
    """
    if len(span.active) == 0:
        return -np.inf, filling
    filling = fill_to_scale(span, filling, False, masses, grammar, chart)
    n = len(span.letters)
    p = chart.by_start[filling.symbol, 0, n]
    return (np.log(p) - n * np.log(filling.scale) if p > 0.0 else -np.inf), filling


@kernel_part(**LEAN)
def visit(head, span, filling, alone, room, state, grammar, random):
    """Propose a new tree for a span, and accept it or keep the old one (Metropolis-Hastings).

    Returns the first entry of the tree. head: that of the old tree; -1: there is none, and the proposal is
    accepted; the result is then -2 if no tree is found. filling: the tree's symbol, the first scale to try,
    and an exponent on p(tree). alone: propose by the prior weights, without remembered subtrees. The weights
    of `grammar` are overwritten, and `room.tally` is updated.
    """
    if head < 0 and len(span.active) == 0:
        return np.int32(-2)
    memory, process, chart, weights = state.memory, state.process, room.chart, grammar.weights
    rules, symbols, symbol, heat = grammar.rules, grammar.symbols, filling.symbol, filling.heat
    masses = room.nothing if alone else memory.masses
    remembered, inner = Remembered(memory, masses, process.discounts), filling.inner
    old, new, n = room.old, room.new, len(span.letters)
    given, not_given = np.bool_(True), np.bool_(False)  # for literals, `enter` would be compiled twice
    if head >= 0:
        take_out(head, old, room, state, rules)
    weigh(span, room.prior if alone else state.counts, process, heat, grammar)
    filling = fill_to_scale(span, filling, False, masses, grammar, chart)
    room.tally[1] += np.log(chart.by_start[symbol, 0, n]) - n * np.log(filling.scale)
    room.tally[2] += 1.0
    if head < 0:
        if not draw_or_give_up(span, filling, False, grammar, remembered, Desk(chart, new), random):
            return np.int32(-2)
        measure(new, heat, grammar, remembered)
        return enter(new, not_given, inner, room, state, rules, symbols, random)[0]
    drawn = draw_tree(span, filling, False, grammar, remembered, chart, new, random)
    measure(old, heat, grammar, remembered)
    if not drawn or _same(old, new):
        return enter(old, given, inner, room, state, rules, symbols, random)[0]
    measure(new, heat, grammar, remembered)
    before, nats_old, tables_old = enter(old, given, inner, room, state, rules, symbols, random)
    q_old, q_new = old.nats[0] + tables_old, new.nats[0]
    place = symbols.adapted[symbol]
    if place >= 0 and not inner:
        q_old += np.log(weights.fresh[place]) * (old.values[0] >= 0)
        q_new += np.log(weights.fresh[place]) * (new.values[0] >= 0)
    take_out(before, old, room, state, rules)
    measure(old, heat, grammar, remembered)
    after, nats_new, tables_new = enter(new, not_given, inner, room, state, rules, symbols, random)
    q_new += tables_new
    if np.log(uniform(random)) < heat * (nats_new - nats_old) - (q_new - q_old):
        room.tally[0] += 1.0
        return after
    take_out(after, new, room, state, rules)
    return enter(old, given, inner, room, state, rules, symbols, random)[0]


@kernel_part(**LEAN)
def _has_room(state, room):
    """Whether enough tables and entries of memory are free to resample one more tree."""
    free, need = state.memory.free, len(room.new.values)
    return (
        len(state.memory.customers) - free[TABLES_USED] > need
        and len(state.memory.values) - free[ENTRIES_USED] > 2 * need
    )


@kernel_part(**PLAIN)
def sentence_of(s, text):
    """Sentence `s` of a text, as a span."""
    start, end = text.starts[s], text.starts[s + 1]
    strings = text.strings[text.spans[s] : text.spans[s + 1]]
    active = text.active[text.actives[s] : text.actives[s + 1]]
    return Span(text.letters[start:end], strings, start, 0, end - start, active)


@kernel_part(**PLAIN)
def _subtree_of(table, text, memory, symbols, room):
    """The string of a remembered subtree as a span, and the number of the sentence that its position is in.

    `room.active` is overwritten: the span refers to it for the symbols that can occur in its trees.
    """
    place, position, size = memory.places[table], memory.positions[table], memory.lengths[table]
    s = text.sentences[position]
    start, end, n_active = text.starts[s], text.starts[s + 1], 0
    for k in range(text.actives[s], text.actives[s + 1]):
        if symbols.below[place, text.active[k]]:
            room.active[n_active] = text.active[k]
            n_active += 1
    strings = text.strings[text.spans[s] : text.spans[s + 1]]
    letters, position = text.letters[position : position + size], np.int64(position)
    return Span(letters, strings, position, position - start, end - start, room.active[:n_active]), s


@njit(**PLAIN)
def sweep(order, at, task, room, state, random):
    """Resample the trees of the sentences order[at:], or the subtrees of the tables order[at:], by `task`.

    They are tables if `task.symbol` is at least 0. All customers of a table get the new subtree. Returns
    len(order); or, if memory is full, the smaller place in `order` from which to continue; or -1 - sentence
    if no tree is found for one.
    """
    text, memory = task.text, state.memory
    grammar = WeightedGrammar(task.rules, task.symbols, room.weights)
    while at < len(order):
        if not _has_room(state, room):
            break
        one = order[at]
        if task.symbol < 0:
            head, span, s = task.roots[one], sentence_of(one, text), one
            filling = Filling(text.start, False, text.scales[s], task.heat)
        else:
            head = memory.contents[one]
            span, s = _subtree_of(one, text, memory, task.symbols, room)
            filling = Filling(task.symbol, True, text.scales[s], task.heat)
        head = visit(head, span, filling, task.alone, room, state, grammar, random)
        if head < -1:
            return -1 - s
        if task.symbol < 0:
            task.roots[one] = head
        else:
            memory.contents[one] = head
        at += 1
    return at


@njit(**PLAIN)
def start_random(key):
    """The state with which the random stream of a key (uint64) begins, for kernels to advance."""
    state = np.empty(2, np.uint64)
    seeded(key, state)
    return state
