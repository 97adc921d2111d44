"""Stack decoding for phrase-based translation (Koehn 2010, ch. 6), with cube pruning (Huang, Chiang 2007).

A stack has partial translations of the same number of source words. It is filled from lower stacks: a group
of nodes with the same covered words and end, and the options of a free span, both sorted, form a table of
candidates whose estimates decrease along rows and columns. Candidates of all tables are taken by descending
estimate, and only these are scored exactly, with the language model.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.ngrams.kernels.backoff_trigrams import EXACT, LEAF, step
from stickbreaker.translation.kernels.phrase_options import extend, span_of
from stickbreaker.translation.kernels.priority_queue import push, remove_first
from stickbreaker.translation.kernels.search_graph import (
    NONE,
    START,
    Stacks,
    add_edge,
    close_stack,
    cover,
    is_covered,
    new_graph,
    recombine,
    table_size,
)


class Limits(NamedTuple):
    """The limits of the search, which trade quality for time."""

    stack: int  # most nodes of a stack that are extended
    candidates: int  # most candidates of a stack that are scored exactly
    threshold: float  # nodes more than this below the best of their stack are not extended
    distortion: int  # most source words jumped over between spans


class Candidates(NamedTuple):
    """Candidates for one stack: a table for each group of nodes and each free span, of the group's nodes ×
    the span's options, and a queue of the tables' entries."""

    bounds: NDArray[
        np.int64
    ]  # tables × (where nodes end in `ranked`, where options begin and end in `order`)
    spans: NDArray[np.int64]  # tables × (begin, end)
    futures: NDArray[np.float64]  # tables: estimate of the score of the rest
    jumps: NDArray[np.float64]  # tables: score of the jump to the span
    cells: NDArray[np.int64]  # candidates × (table, place in `ranked`, place in `order`)
    priorities: NDArray[np.float64]  # the queue: estimates of the score of whole translations
    items: NDArray[np.int64]  # the queue: candidates
    used: NDArray[np.int64]  # tables, candidates, those in the queue


@njit(**EXACT)
def search(sentence, weights, model, limits):
    """Search for translations of a sentence with its options, by beam search; returns the search graph, whose
    last node is the goal.

    model: the arrays of a backoff language model. The distortion limit is like that of Moses: a span begins
    at most that far from the end of the previous one. Unless it begins with the first untranslated word, it
    ends at most that far after that word, so that the jump back stays possible.
    """
    n, most = sentence.n, min(limits.stack, limits.candidates)
    graph = new_graph(n, 2 + n * limits.candidates, 1 + (n + 1) * limits.candidates)
    stacks = Stacks(
        np.empty(1 + n * most, np.int64), np.zeros(2 + n * most, np.int64), np.zeros(n + 2, np.int64)
    )
    slots = np.empty(table_size(limits.candidates), np.int64)
    graph.covered[START] = np.uint64(0)
    graph.ends[START], graph.states[START], graph.best[START] = 0, model.beginning, NONE
    graph.scores[START], graph.futures[START] = 0.0, sentence.spans[0, n]
    graph.used[0] = 1
    close_stack(graph, START, 1, np.inf, 0, stacks)
    for number in range(1, n + 1):
        first = graph.used[0]
        slots[:] = NONE
        candidates = _open_tables(number, sentence, weights, limits, stacks, graph)
        _fill_stack(sentence, weights, model, limits, candidates, stacks, slots, graph)
        close_stack(graph, first, most, limits.threshold, number, stacks)
    _reach_goal(graph, n, stacks, weights, model)
    return graph


@kernel_part(**LEAF)
def _first_free(graph, node, n):
    """The position of the first source word that a node (partial translation) has not translated; n, the
    number of words, if there is none."""
    place = 0
    while place < n and is_covered(graph, node, place):
        place += 1
    return place


@kernel_part(**LEAF)
def _is_free(graph, node, begin, end):
    """Whether a node (partial translation) has translated no word of a span."""
    free = True
    for place in range(begin, end):
        free = free and not is_covered(graph, node, place)
    return free


@kernel_part(**LEAF)
def _rest(graph, node, begin, end, sentence):
    """The estimated score of the source words that remain if a node (partial translation) is extended by a
    translation of a span: the sum over the gaps between translated words."""
    total, gap = 0.0, 0
    for place in range(sentence.n):
        if (begin <= place < end) or is_covered(graph, node, place):
            total += sentence.spans[gap, place]
            gap = place + 1
    return total + sentence.spans[gap, sentence.n]


@kernel_part(**LEAF)
def _last_begin(n, length, free, limit):
    """The last position at which a span of `length` words may begin under the distortion limit.

    n: words of the sentence; free: the position of the first untranslated word.
    """
    return min(n - length, max(free, free + limit - length))


@kernel_part(**EXACT)
def _open_tables(number, sentence, weights, limits, stacks, graph):
    """Collect the candidates for stack `number`, whose nodes have that many translated words: returns
    `Candidates`, with the best candidate of each table in the queue.

    There is a table of nodes × options for each group of nodes in lower stacks and each free span of the
    right length within the distortion limit.
    """
    n, longest, firsts = sentence.n, sentence.longest, sentence.scored.firsts
    lowest = max(0, number - longest)
    most = (stacks.groups[number] - stacks.groups[lowest]) * min(n, limits.distortion + 1)
    candidates = _no_candidates(most, limits.candidates)
    for stack in range(lowest, number):
        length = number - stack
        for group in range(stacks.groups[stack], stacks.groups[stack + 1]):
            node = stacks.ranked[stacks.starts[group]]
            free = _first_free(graph, node, n)
            for begin in range(free, _last_begin(n, length, free, limits.distortion) + 1):
                end, span = begin + length, span_of(begin, begin + length, longest)
                distance = abs(begin - graph.ends[node])
                if distance > limits.distortion or firsts[span] == firsts[span + 1]:
                    continue
                if _is_free(graph, node, begin, end):
                    table = candidates.used[0]
                    candidates.used[0] += 1
                    candidates.bounds[table, 0] = stacks.starts[group + 1]
                    candidates.bounds[table, 1], candidates.bounds[table, 2] = firsts[span], firsts[span + 1]
                    candidates.spans[table, 0], candidates.spans[table, 1] = begin, end
                    candidates.futures[table] = _rest(graph, node, begin, end, sentence)
                    candidates.jumps[table] = -weights.distortion * distance
                    _wait(
                        table, stacks.starts[group], firsts[span], sentence.scored, candidates, stacks, graph
                    )
    return candidates


@kernel_part(**EXACT)
def _no_candidates(tables, most):
    """Empty `Candidates`, with memory for this many tables, if at most `most` candidates are taken from the
    queue."""
    room = tables + 2 * most
    return Candidates(
        np.empty((tables, 3), np.int64),
        np.empty((tables, 2), np.int64),
        np.empty(tables),
        np.empty(tables),
        np.empty((room, 3), np.int64),
        np.empty(room),
        np.empty(room, np.int64),
        np.zeros(3, np.int64),
    )


@kernel_part(**LEAF)
def _wait(table, at_node, at_option, scored, candidates, stacks, graph):
    """Queue a candidate of a table by its estimated score; does nothing if it is beyond the table's end.

    at_node, at_option: the positions of its node in stacks.ranked and of its option in scored.order.
    """
    if at_node < candidates.bounds[table, 0] and at_option < candidates.bounds[table, 2]:
        new = candidates.used[1]
        candidates.cells[new, 0] = table
        candidates.cells[new, 1] = at_node
        candidates.cells[new, 2] = at_option
        estimate = graph.scores[stacks.ranked[at_node]] + scored.estimates[scored.order[at_option]]
        estimate += candidates.jumps[table] + candidates.futures[table]
        push(candidates.priorities, candidates.items, candidates.used[2], estimate, new)
        candidates.used[1] += 1
        candidates.used[2] += 1


@kernel_part(**EXACT)
def _fill_stack(sentence, weights, model, limits, candidates, stacks, slots, graph):
    """Fill a stack by cube pruning: repeatedly take the best candidate from the queue, add its node to the
    graph (or recombine it with an equal one), and queue the next candidates after it.

    Ends after `limits.candidates`, or when the best one left is below the best node by more than
    `limits.threshold`. slots: an empty hash table for the stack's nodes, filled with -1 (`recombine`).
    """
    scored, best = sentence.scored, -np.inf
    for _ in range(limits.candidates):
        if candidates.used[2] == 0 or candidates.priorities[0] < best - limits.threshold:
            break
        table, at_node, at_option = candidates.cells[candidates.items[0]]
        remove_first(candidates.priorities, candidates.items, candidates.used[2])
        candidates.used[2] -= 1
        tail, option = stacks.ranked[at_node], scored.order[at_option]
        log_p, state = extend(model, sentence, option, graph.states[tail])
        total = graph.scores[tail] + scored.scores[option] + weights.language_model * log_p
        total += candidates.jumps[table]
        new, end = graph.used[0], candidates.spans[table, 1]
        graph.covered[new] = graph.covered[tail]
        cover(graph, new, candidates.spans[table, 0], end)
        graph.ends[new], graph.states[new], graph.futures[new] = end, state, candidates.futures[table]
        add_edge(graph, recombine(graph, slots), tail, option, total)
        best = max(best, total + candidates.futures[table])
        _wait(table, at_node, at_option + 1, scored, candidates, stacks, graph)
        if at_option == candidates.bounds[table, 1]:
            _wait(table, at_node + 1, at_option, scored, candidates, stacks, graph)


@kernel_part(**EXACT)
def _reach_goal(graph, n, stacks, weights, model):
    """Add the goal node to the graph, and an edge to it from each translation of the whole sentence, scored
    with the end of the sentence."""
    goal = graph.used[0]
    graph.used[0] += 1
    graph.best[goal], graph.scores[goal] = NONE, -np.inf
    for at in range(stacks.starts[stacks.groups[n]], stacks.starts[stacks.groups[n + 1]]):
        tail = stacks.ranked[at]
        log_p, _ = step(model, graph.states[tail], model.end)
        add_edge(graph, goal, tail, NONE, graph.scores[tail] + weights.language_model * log_p)
