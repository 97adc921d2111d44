"""Collapsed Gibbs sampling of topics over trees of concepts: a token's topic and path are drawn together.

As in `gibbs`, a block of documents is visited word by word; in `sweep_tree_lists`, as in `sparse_gibbs`, time
is proportional to the topics of the document. A topic's weight of a word is the sum over the word's paths; it
is recomputed for the two topics of each move.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART, copy_numbers
from stickbreaker.kernels.random import seeded, uniform
from stickbreaker.topics.kernels.samplers.gibbs import CHUNK, padded
from stickbreaker.topics.kernels.samplers.sparse_gibbs import (
    lists_of,
    mass_of,
    move_token,
    search_list,
    search_prior,
    set_weight,
    sum_parts,
)


class Tree(NamedTuple):
    """A tree of concepts as the kernels read it: its leaves are paths to words, sorted by word.

    A node with leaves is a group. `starts` (words + 1): first path of each word; `groups` (paths): the node
    of each leaf; ways[way_starts[g]:way_starts[g + 1]]: the edges from the root to group g; `sources`
    (edges): the parent node of each. Choices are leaves and edges; their priors are pseudo-counts,
    `node_priors` their sums.
    """

    starts: NDArray[np.int64]  # words + 1: first path of each word
    groups: NDArray[np.int32]  # paths: the node of each leaf
    way_starts: NDArray[np.int64]  # groups + 1
    ways: NDArray[np.int32]  # edges on the way to each group
    sources: NDArray[np.int32]  # edges: the parent node of each
    leaf_priors: NDArray[np.float64]  # paths
    edge_priors: NDArray[np.float64]  # edges
    node_priors: NDArray[np.float64]  # nodes: sums of the above


class TreeCounts(NamedTuple):
    """The number of tokens that pass each leaf, edge and node of the tree, by topic."""

    leaves: NDArray[np.int32]  # paths × topics
    edges: NDArray[np.int32]  # edges × topics
    nodes: NDArray[np.int32]  # nodes × topics


class Places(NamedTuple):
    """The topic of each token of a block, and its path as an index among the word's paths, in the block's
    order.
    """

    topics: NDArray[np.int32]
    paths: NDArray[np.int32]  # index among the word's paths


@kernel_part(**PART)
def path_weight(tree, counts, path, k, less):
    """The probability of a path in topic k given the counts, from which `less` of its tokens are left out.

    It is the product over the path's choices of (n + beta) / (sum of n + sum of beta).
    """
    node = tree.groups[path]
    above = counts.leaves[path, k] - less + tree.leaf_priors[path]
    below = counts.nodes[node, k] - less + tree.node_priors[node]
    for e in range(tree.way_starts[node], tree.way_starts[node + 1]):
        edge = tree.ways[e]
        source = tree.sources[edge]
        above *= counts.edges[edge, k] - less + tree.edge_priors[edge]
        below *= counts.nodes[source, k] - less + tree.node_priors[source]
    return above / below


@kernel_part(**PART)
def word_weight(tree, counts, w, k):
    """The probability of word w in topic k given the counts: the sum over its paths (`path_weight`)."""
    total = 0.0
    for path in range(tree.starts[w], tree.starts[w + 1]):
        total += path_weight(tree, counts, path, k, 0)
    return total


@kernel_part(**PART)
def count_path(tree, path, k, change, counts_out):
    """Add `change` tokens of topic k to the counts of a path: of its leaf, and of the edges and nodes
    above.
    """
    node = tree.groups[path]
    counts_out.leaves[path, k] += change
    counts_out.nodes[node, k] += change
    for e in range(tree.way_starts[node], tree.way_starts[node + 1]):
        edge = tree.ways[e]
        counts_out.edges[edge, k] += change
        counts_out.nodes[tree.sources[edge], k] += change


@kernel_part(**PART)
def draw_path(tree, counts, w, k, weight, state):
    """Draw one of the paths to word w, in proportion to their weights in topic k; returns its number in the
    tree. weight: the sum of these weights.
    """
    path, last = tree.starts[w], tree.starts[w + 1] - 1
    if path == last:
        return path
    target = uniform(state) * weight
    while path < last:
        target -= path_weight(tree, counts, path, k, 0)
        if target < 0.0:
            break
        path += 1
    return path


@kernel_part(**PART)
def _fill_weights(tree, counts, w, n_topics, above, below, weights_out):
    """Fill weights_out (topics) with the probability of word w in each topic, as `word_weight` but for all
    topics at once.

    `above` and `below` are working memory.
    """
    for k in range(n_topics):
        weights_out[k] = 0.0
    for path in range(tree.starts[w], tree.starts[w + 1]):
        node = tree.groups[path]
        leaves, totals = counts.leaves[path], counts.nodes[node]
        prior, node_prior = tree.leaf_priors[path], tree.node_priors[node]
        for k in range(n_topics):
            above[k] = leaves[k] + prior
            below[k] = totals[k] + node_prior
        for e in range(tree.way_starts[node], tree.way_starts[node + 1]):
            edge = tree.ways[e]
            source = tree.sources[edge]
            taken, passed = counts.edges[edge], counts.nodes[source]
            edge_prior, source_prior = tree.edge_priors[edge], tree.node_priors[source]
            for k in range(n_topics):
                above[k] *= taken[k] + edge_prior
                below[k] *= passed[k] + source_prior
        for k in range(n_topics):
            weights_out[k] += above[k] / below[k]


@kernel_part(**PART)
def _take(tree, w, path, k, counts_out):
    """The probability of word w in topic k without the token that is to be drawn again, which is on this
    path.

    The token is removed from the counts only if the word has several paths.
    """
    if tree.starts[w + 1] - tree.starts[w] == 1:
        return path_weight(tree, counts_out, path, k, 1)
    count_path(tree, path, k, -1, counts_out)
    return word_weight(tree, counts_out, w, k)


@kernel_part(**PART)
def _stay(tree, w, k, own, state, counts_out):
    """Draw a path of word w for a token that keeps its topic k; returns the path. own: the sum of the paths'
    weights.

    The token is counted again if `_take` removed it from the counts.
    """
    path = draw_path(tree, counts_out, w, k, own, state)
    if tree.starts[w + 1] - tree.starts[w] > 1:
        count_path(tree, path, k, 1, counts_out)
    return path


@kernel_part(**PART)
def _leave(tree, w, path, k, counts_out):
    """Remove a token that leaves topic k from the counts of its path, unless `_take` has done so."""
    if tree.starts[w + 1] - tree.starts[w] == 1:
        count_path(tree, path, k, -1, counts_out)


@kernel_part(**PART)
def _mass(held, weights, n_topics):
    total = 0.0
    for k in range(n_topics):
        total += held[k] * weights[k]
    return total


@kernel_part(**PART)
def _search(held, weights, n_topics, own, target):
    """Draw a topic other than `own`: the first at which the running sum of held_k weights_k exceeds `target`,
    or the last one.
    """
    last = own
    for k in range(n_topics):
        if k != own:
            last = k
            target -= held[k] * weights[k]
            if target < 0.0:
                break
    return last


@kernel_part(**PART)
def _visit_all_topics(i, block, tree, weights, rooms, held, n_topics, state, counts_out, places_out):
    """Draw topics and paths of the tokens of a block's i-th word again, each in a loop over all topics.

    held (documents × topics): n_dk + alpha_k; weights, rooms: working memory.
    """
    w = block.words[i]
    first = tree.starts[w]
    _fill_weights(tree, counts_out, w, n_topics, rooms[0], rooms[1], weights)
    for t in range(block.starts[i], block.starts[i + 1]):
        k, path = np.int64(places_out.topics[t]), first + places_out.paths[t]
        row = held[block.documents[t]]
        others = _mass(row, weights, n_topics) - row[k] * weights[k]
        less = _take(tree, w, path, k, counts_out)
        own = (row[k] - 1.0) * less
        target = uniform(state) * (max(others, 0.0) + own) - own
        new = k
        if target >= 0.0:
            new = _search(row, weights, n_topics, k, target)
        if new == k:
            path = _stay(tree, w, k, less, state, counts_out)
        else:
            _leave(tree, w, path, k, counts_out)
            weights[k] = less
            path = draw_path(tree, counts_out, w, new, weights[new], state)
            count_path(tree, path, new, 1, counts_out)
            row[k] -= 1.0
            row[new] += 1.0
        if new != k or tree.starts[w + 1] - first > 1:
            weights[new] = word_weight(tree, counts_out, w, new)
        places_out.topics[t], places_out.paths[t] = new, path - first


@njit(**OPTIONS)
def sweep_tree(block, tree, alpha, key, counts_out, places_out):
    """Draw topic and path of every token of a block once, in a loop over all topics: for few topics.

    block: Block; tree: Tree; alpha (topics, double); key: of the random stream (uint64); counts_out:
    TreeCounts and places_out: Places are changed. p(k, s) ~ (n_dk + alpha_k) prod over edges i -> j of path s
    of (n_k,ij + beta_ij) / (n_k,i + sum_j beta_ij), without the token itself (Zhai 2014, section 5.2).
    """
    n_topics = len(alpha)
    weights, rooms = np.empty(n_topics), np.empty((2, n_topics))
    held = np.empty((block.n_documents, n_topics))
    for d in range(block.n_documents):
        held[d] = alpha
    for t in range(len(block.documents)):
        held[block.documents[t], places_out.topics[t]] += 1.0
    state = np.empty(2, np.uint64)
    seeded(key, state)
    for i in range(len(block.words)):
        _visit_all_topics(i, block, tree, weights, rooms, held, n_topics, state, counts_out, places_out)


@kernel_part(**PART)
def _visit_lists(
    i, block, tree, n_topics, alpha, weights, rooms, parts, lists, state, counts_out, places_out
):
    """Draw topics and paths of the tokens of a block's i-th word again, each in a loop over the topics in its
    document's list.
    """
    w = block.words[i]
    first = tree.starts[w]
    _fill_weights(tree, counts_out, w, n_topics, rooms[0], rooms[1], weights)
    remainder = sum_parts(alpha, weights, parts)
    for t in range(block.starts[i], block.starts[i + 1]):
        d, k, path = block.documents[t], np.int64(places_out.topics[t]), first + places_out.paths[t]
        start = lists.starts[d]
        stop = start + lists.sizes[d]
        mass, old = mass_of(lists.pairs, start, stop, weights, k)
        others = max(mass - lists.pairs[old, 1] * weights[k], 0.0)
        rest = max(remainder - alpha[k] * weights[k], 0.0)
        less = _take(tree, w, path, k, counts_out)
        own = (lists.pairs[old, 1] - 1.0 + alpha[k]) * less
        target = uniform(state) * (others + rest + own) - own
        if target < 0.0:
            path = _stay(tree, w, k, less, state, counts_out)
            if tree.starts[w + 1] - first > 1:
                remainder += set_weight(k, word_weight(tree, counts_out, w, k), alpha, weights, parts)
            places_out.paths[t] = path - first
            continue
        remainder += set_weight(k, 0.0, alpha, weights, parts)
        if target < others:
            chosen = search_list(lists.pairs, start, stop, weights, target)
            new = np.int64(lists.pairs[chosen, 0])
        else:
            chosen = -1
            new = search_prior(parts, alpha, weights, n_topics, target - others)
        _leave(tree, w, path, k, counts_out)
        remainder += set_weight(k, less, alpha, weights, parts)
        if new != k:
            lists.pairs[old, 1] -= 1
            move_token(lists, d, stop, old, new, chosen)
        path = draw_path(tree, counts_out, w, new, weights[new], state)
        count_path(tree, path, new, 1, counts_out)
        remainder += set_weight(new, word_weight(tree, counts_out, w, new), alpha, weights, parts)
        places_out.topics[t], places_out.paths[t] = new, path - first


@njit(**OPTIONS)
def sweep_tree_lists(block, tree, alpha, key, counts_out, places_out):
    """Draw topics and paths as `sweep_tree` does, but in a loop over the topics of each token's document: for
    many topics.
    """
    n_topics = len(alpha)
    width = padded(n_topics)
    priors, weights, parts = np.zeros(width), np.zeros(width), np.zeros(width // CHUNK)
    copy_numbers(alpha, priors)
    rooms, lists = np.empty((2, n_topics)), lists_of(block, n_topics, places_out.topics)
    state = np.empty(2, np.uint64)
    seeded(key, state)
    for i in range(len(block.words)):
        _visit_lists(
            i, block, tree, n_topics, priors, weights, rooms, parts, lists, state, counts_out, places_out
        )


@njit(**OPTIONS)
def add_places(block, tree, places, counts_out):
    """Add the tokens of a block to the counts, with the topics and paths in `places`."""
    for i in range(len(block.words)):
        for t in range(block.starts[i], block.starts[i + 1]):
            path = tree.starts[block.words[i]] + places.paths[t]
            count_path(tree, path, places.topics[t], 1, counts_out)
