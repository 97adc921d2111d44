"""The search graph of decoding: partial translations as nodes, options as edges.

A node represents all partial translations with the same covered source words, the same end of the last span
and the same state of the language model (recombination, Koehn 2010, section 6.2.4). Nodes with the same
number of covered words form a stack.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.ngrams.kernels.backoff_trigrams import EXACT, LEAF

PIECE = 64  # source words per element of `covered`
NONE = -1
START = 0  # the node before anything is translated
MIXER = np.uint64(0x9E3779B97F4A7C15)


class Graph(NamedTuple):
    """Partial translations as nodes, and their extensions by a translation option as edges; after a search,
    the last node in use is the goal."""

    covered: NDArray[np.uint64]  # nodes × pieces of the sentence: a bit for each source word
    ends: NDArray[np.int64]  # nodes: the end of the last span
    states: NDArray[np.int64]  # nodes: state of the language model
    scores: NDArray[np.float64]  # nodes: score of the best path
    futures: NDArray[np.float64]  # nodes: estimate of the score of the rest
    best: NDArray[np.int64]  # nodes: the last edge of the best path
    following: NDArray[np.int64]  # edges: the next best edge to the same node; -1
    tails: NDArray[np.int64]  # edges: the node that it comes from
    options: NDArray[np.int64]  # edges: the option; -1: the end of the sentence
    totals: NDArray[np.float64]  # edges: score of the best path that ends with it
    used: NDArray[np.int64]  # number of nodes and edges


class Stacks(NamedTuple):
    """The nodes that the search extends, by stack (number of translated words), and within a stack in groups
    with the same translated source words and end of the last span."""

    ranked: NDArray[np.int64]  # nodes, sorted by descending score within a group
    starts: NDArray[np.int64]  # groups + 1: where in `ranked` each begins
    groups: NDArray[np.int64]  # stacks + 1: the first group of each


@njit(**EXACT)
def new_graph(n, n_nodes, n_edges):
    """An empty graph with memory for this many nodes and edges, for a sentence of n words."""
    return Graph(
        np.empty((n_nodes, (max(n, 1) + PIECE - 1) // PIECE), np.uint64),
        np.empty(n_nodes, np.int64),
        np.empty(n_nodes, np.int64),
        np.empty(n_nodes),
        np.empty(n_nodes),
        np.empty(n_nodes, np.int64),
        np.empty(n_edges, np.int64),
        np.empty(n_edges, np.int64),
        np.empty(n_edges, np.int64),
        np.empty(n_edges),
        np.zeros(2, np.int64),
    )


@kernel_part(**LEAF)
def table_size(n):
    """The size of a hash table for n items: a power of two, at least 2n."""
    size = 4
    while size < 2 * n:
        size *= 2
    return size


@njit(**LEAF)
def is_covered(graph, node, place):
    """Whether a node (partial translation) has translated the source word at position `place`."""
    piece = graph.covered[node, place // PIECE]
    return (piece >> np.uint64(place % PIECE)) & np.uint64(1) != np.uint64(0)


@njit(**LEAF)
def cover(graph, node, begin, end):
    """Mark the source words from `begin` to `end` (exclusive) as translated by a node."""
    for place in range(begin, end):
        graph.covered[node, place // PIECE] |= np.uint64(1) << np.uint64(place % PIECE)


@kernel_part(**LEAF)
def _place_hash(graph, node):
    """A hash of which source words a node has translated, and of where its last source span ends."""
    mixed = np.uint64(graph.ends[node])
    for piece in range(graph.covered.shape[1]):
        mixed = (mixed ^ graph.covered[node, piece]) * MIXER
        mixed ^= mixed >> np.uint64(29)
    return mixed


@kernel_part(**LEAF)
def _same_place(graph, one, other):
    """Whether two nodes have translated the same source words, and their last source spans have the same
    end."""
    same = graph.ends[one] == graph.ends[other]
    for piece in range(graph.covered.shape[1]):
        same = same and graph.covered[one, piece] == graph.covered[other, piece]
    return same


@njit(**LEAF)
def recombine(graph, slots):
    """Find the node for a new partial translation, whose data are stored after the last node in use.

    Returns a node of the stack with the same translated source words, end of the last span and state of the
    language model or, if there is none, the new node itself, which is then in use, without edges. slots: hash
    table of the stack's nodes (its size is a power of two above their number; -1: free), to which a new node
    is added.
    """
    new, mask = graph.used[0], len(slots) - 1
    mixed = (_place_hash(graph, new) ^ np.uint64(graph.states[new])) * MIXER
    slot = np.int64((mixed ^ (mixed >> np.uint64(32))) & np.uint64(mask))
    while slots[slot] >= 0:
        node = slots[slot]
        if graph.states[node] == graph.states[new] and _same_place(graph, node, new):
            return node
        slot = (slot + 1) & mask
    slots[slot] = new
    graph.used[0] += 1
    graph.best[new] = NONE
    graph.scores[new] = -np.inf
    return new


@njit(**LEAF)
def add_edge(graph, node, tail, option, total):
    """Add an edge from the node `tail` to `node`, and update the best edge and score of `node`.

    The edges to a node stay sorted by descending total; among ties, earlier ones come first. option: the
    translation option of the edge; total: the score of the best path that ends with it.
    """
    edge = graph.used[1]
    graph.used[1] += 1
    graph.tails[edge], graph.options[edge], graph.totals[edge] = tail, option, total
    before, after = np.int64(NONE), graph.best[node]
    while after >= 0 and graph.totals[after] >= total:
        before, after = after, graph.following[after]
    graph.following[edge] = after
    if before >= 0:
        graph.following[before] = edge
    else:
        graph.best[node], graph.scores[node] = edge, total


@njit(**EXACT)
def close_stack(graph, first, most, threshold, number, stacks):
    """Choose the nodes that the search extends among those from `first` on, and store them as stack `number`.

    They are the best by score plus estimate of the rest: at most `most`, and none more than `threshold` below
    the best.
    """
    promise = graph.scores[first : graph.used[0]] + graph.futures[first : graph.used[0]]
    order = np.argsort(-promise, kind="mergesort")
    chosen = 0
    while chosen < min(most, len(order)) and promise[order[chosen]] >= promise[order[0]] - threshold:
        chosen += 1
    members, counts = np.empty(chosen, np.int64), np.zeros(chosen + 1, np.int64)
    n_groups = _group(graph, first + order[:chosen], members, counts)
    first_group = stacks.groups[number]
    starts = stacks.starts[first_group:]
    for group in range(n_groups):
        starts[group + 1] = starts[group] + counts[group]
        counts[group] = starts[group]
    for i in range(chosen):
        stacks.ranked[counts[members[i]]] = first + order[i]
        counts[members[i]] += 1
    stacks.groups[number + 1] = first_group + n_groups


@kernel_part(**EXACT)
def _group(graph, nodes, members_out, counts_out):
    """Group nodes with the same translated source words and end of the last span; returns the number of
    groups.

    Fills members_out (nodes) with the group of each node, numbered by first occurrence, and adds the groups'
    sizes to counts_out, which has room for a group per node.
    """
    slots, leaders = np.full(table_size(len(nodes)), NONE, np.int64), np.empty(len(nodes), np.int64)
    mask, n_groups = len(slots) - 1, np.int64(0)
    for i in range(len(nodes)):
        slot = np.int64(_place_hash(graph, nodes[i]) >> np.uint64(32)) & mask
        while slots[slot] >= 0 and not _same_place(graph, leaders[slots[slot]], nodes[i]):
            slot = (slot + 1) & mask
        if slots[slot] < 0:
            slots[slot], leaders[n_groups] = n_groups, nodes[i]
            n_groups += 1
        members_out[i] = slots[slot]
        counts_out[slots[slot]] += 1
    return n_groups
