"""Collapsed Gibbs sampling of topics: every token's topic drawn given all others, counts updated at once.

A block of documents is visited word by word, so that a word's part of the conditional is built once for
many tokens. Two kernels draw from the same distribution: one walks over the topics in a document (F+LDA's
factorisation, Yu et al. 2015), the other over all topics, which vectorises and wins while they are few.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.random import seeded, uniform
from stickbreaker.kernels.special import OPTIONS, PART

# Additions in the order written. Free to reorder them, the compiler loads many `weights[topics[j]]` with one
# gather instruction, which is four times slower than single loads where its microcode is patched (2023).
ORDERED_PART = {**PART, "fastmath": {"contract", "nsz", "arcp"}}
CHUNK = 16  # topics that are searched at once; arrays of topics are padded with zeros to a multiple


class Block(NamedTuple):
    """Tokens of consecutive documents, by word and within a word by document."""

    words: NDArray[np.int32]  # words that occur, each once
    starts: NDArray[np.int64]  # these + 1: a word's first token
    documents: NDArray[np.int32]  # tokens: number of the document in the block
    n_documents: int


class Table(NamedTuple):
    """Tokens by word and topic, of all blocks."""

    counts: NDArray[np.int32]  # words × topics
    totals: NDArray[np.int64]  # topics


class Prior(NamedTuple):
    alpha: NDArray[np.float64]  # topics
    eta: NDArray[np.float64]  # (words or 1) × (topics or 1)
    eta_totals: NDArray[np.float64]  # topics: sum of eta over the words


class Lists(NamedTuple):
    """A document's topics in use, most tokens first: `starts[d]` to `starts[d] + sizes[d]`."""

    starts: NDArray[np.int64]  # documents + 1
    sizes: NDArray[np.int64]  # documents
    topics: NDArray[np.uint32]
    held: NDArray[np.float64]  # tokens of that topic; a double counts exactly and needs no conversion


class Word(NamedTuple):
    """The word that is visited: its row of the table, and its part of the conditional by topic."""

    row: NDArray[np.int32]  # topics
    eta: NDArray[np.float64]  # topics or 1
    inverse: NDArray[np.float64]  # topics: 1 / (n_k + sum of eta), whatever the word
    weights: NDArray[np.float64]  # padded topics: (n_wk + eta_wk) / (n_k + sum of eta)


@njit(**PART)
def _padded(n):
    return (n + CHUNK - 1) // CHUNK * CHUNK


@njit(**PART)
def _fill_weights(word, weights_out):
    """weights_out_k = (n_wk + eta_wk) inverse_k."""
    if len(word.eta) > 1:
        for k in range(len(word.row)):
            weights_out[k] = (word.row[k] + word.eta[k]) * word.inverse[k]
    else:
        eta = word.eta[0]
        for k in range(len(word.row)):
            weights_out[k] = (word.row[k] + eta) * word.inverse[k]


@njit(**PART)
def _recount(word, k, change, table, prior):
    """Change the tokens of topic k by one; gives the word's new weight of it."""
    word.row[k] += change
    table.totals[k] += change
    word.inverse[k] = 1.0 / (table.totals[k] + prior.eta_totals[k])
    return (word.row[k] + word.eta[k if len(word.eta) > 1 else 0]) * word.inverse[k]


@njit(**PART)
def _reweigh(word, k, change, table, prior):
    """The same, kept in the word's weights; gives the change of sum alpha_k weight_k."""
    before = word.weights[k]
    word.weights[k] = _recount(word, k, change, table, prior)
    return prior.alpha[k] * (word.weights[k] - before)


@njit(**PART)
def _place(topics, start, stop, k):
    """Where topic k is in a list, or `stop`."""
    j = start
    while j < stop and topics[j] != k:
        j += 1
    return j


@njit(**PART)
def _swap(lists, i, j):
    held, topic = lists.held[i], lists.topics[i]
    lists.held[i], lists.topics[i] = lists.held[j], lists.topics[j]
    lists.held[j], lists.topics[j] = held, topic


@njit(**PART)
def _raise(lists, start, j):
    """One token more at place j, and the list in order again."""
    lists.held[j] += 1.0
    i = j
    while i > start and lists.held[i - 1] < lists.held[j]:
        i -= 1
    _swap(lists, i, j)


@njit(**PART)
def _settle(lists, j, stop):
    """The list in order again after one token less at place j; gives the place that j's topic moved to."""
    i = j
    while i + 1 < stop and lists.held[i + 1] > lists.held[j]:
        i += 1
    _swap(lists, i, j)
    return i


@njit(**PART)
def _join(lists, d, stop, k):
    """One token more of topic k in document d, whose list ends before `stop`; gives its end."""
    start = lists.starts[d]
    j = _place(lists.topics, start, stop, k)
    if j == stop:
        lists.topics[j] = np.uint32(k)
        lists.held[j] = 0.0
        stop += 1
    _raise(lists, start, j)
    return stop


@njit(**PART)
def _lists_of(block, n_topics, assignments):
    """Lists of a block's documents. Their order depends on the assignments alone, never on the past."""
    starts = np.zeros(block.n_documents + 1, np.int64)
    for d in block.documents:
        starts[d + 1] += 1
    for d in range(block.n_documents):
        starts[d + 1] = starts[d] + min(starts[d + 1], n_topics)
    sizes = np.zeros(block.n_documents, np.int64)
    lists = Lists(starts, sizes, np.zeros(starts[-1], np.uint32), np.zeros(starts[-1]))
    for t in range(len(block.documents)):
        d = block.documents[t]
        sizes[d] = _join(lists, d, starts[d] + sizes[d], assignments[t]) - starts[d]
    return lists


@njit(**ORDERED_PART)
def _mass(lists, start, stop, weights):
    """sum of n_dk weight_k over a document's topics."""
    held, topics = lists.held, lists.topics
    total = 0.0
    fours = start + (stop - start) // 4 * 4
    for j in range(start, fours, 4):
        a = held[j] * weights[topics[j]] + held[j + 1] * weights[topics[j + 1]]
        b = held[j + 2] * weights[topics[j + 2]] + held[j + 3] * weights[topics[j + 3]]
        total += a + b
    for j in range(fours, stop):
        total += held[j] * weights[topics[j]]
    return total


@njit(**ORDERED_PART)
def _search_list(lists, start, stop, weights, target):
    """The first place at which the running sum of n_dk weight_k passes the target."""
    j = start
    while j < stop - 1:
        target -= lists.held[j] * weights[lists.topics[j]]
        if target < 0.0:
            break
        j += 1
    return j


@njit(**PART)
def _search_topics(counts, alpha, weights, n_topics, target):
    """The first topic at which the running sum of (count_k + alpha_k) weight_k passes the target."""
    c = 0
    while c + CHUNK < len(alpha):
        part = alpha[0] - alpha[0]
        for m in range(CHUNK):
            part += (counts[c + m] + alpha[c + m]) * weights[c + m]
        if target < part:
            break
        target -= part
        c += CHUNK
    k = c
    while k < n_topics - 1:
        target -= (counts[k] + alpha[k]) * weights[k]
        if target < 0.0:
            break
        k += 1
    return k


@njit(**PART)
def _move(lists, d, stop, old, new, chosen):
    """Take a token from place `old`, which has been counted down, to topic `new` at place `chosen` or -1."""
    start = lists.starts[d]
    moved = _settle(lists, old, stop)
    if lists.held[moved] == 0.0:
        stop -= 1
    if chosen < 0:
        stop = _join(lists, d, stop, new)
    else:
        _raise(lists, start, old if chosen == moved else chosen)
    lists.sizes[d] = stop - start


@njit(**OPTIONS)
def sweep_lists(block, table, prior, key, assignments_out):
    """Draw every token's topic in a block once, walking over the topics in its document.

    block: Block; prior: Prior; key: of the stream (uint64); table: Table and assignments_out (tokens, int32,
    in the block's order) are changed. p(k) ~ (n_dk + alpha_k) (n_wk + eta_wk) / (n_k + sum_w eta_wk) without
    the token itself (Zhai 2014, eq. 4.6), as a sum over the document's topics plus a remainder,
    sum alpha_k weight_k, which is kept up to date.
    """
    n_topics = len(prior.alpha)
    alpha, weights = np.zeros(_padded(n_topics)), np.zeros(_padded(n_topics))
    alpha[:n_topics] = prior.alpha
    nothing = np.zeros(len(alpha))
    inverse = 1.0 / (table.totals + prior.eta_totals)
    lists = _lists_of(block, n_topics, assignments_out)
    state = np.empty(2, np.uint64)
    seeded(key, state)
    for i in range(len(block.words)):
        w = block.words[i]
        word = Word(table.counts[w], prior.eta[w if len(prior.eta) > 1 else 0], inverse, weights)
        _fill_weights(word, weights)
        remainder = 0.0
        for k in range(n_topics):
            remainder += alpha[k] * weights[k]
        for t in range(block.starts[i], block.starts[i + 1]):
            d, k = block.documents[t], assignments_out[t]
            start = lists.starts[d]
            stop = start + lists.sizes[d]
            remainder += _reweigh(word, k, -1, table, prior)
            old = _place(lists.topics, start, stop, k)
            lists.held[old] -= 1.0
            mass = _mass(lists, start, stop, weights)
            target = uniform(state) * (mass + remainder)
            if target < mass:
                chosen = _search_list(lists, start, stop, weights, target)
                new = np.int64(lists.topics[chosen])
            else:
                chosen = -1
                new = _search_topics(nothing, alpha, weights, n_topics, target - mass)
            if new == k:
                lists.held[old] += 1.0
            else:
                _move(lists, d, stop, old, new, chosen)
            remainder += _reweigh(word, new, 1, table, prior)
            assignments_out[t] = new


@njit(**OPTIONS)
def sweep_all_topics(block, table, prior, key, assignments_out):
    """The same draws' distribution, walking over all topics in single precision: for few topics."""
    n_topics = len(prior.alpha)
    width = _padded(n_topics)
    alpha, weights = np.zeros(width, np.float32), np.zeros(width, np.float32)
    alpha[:n_topics] = prior.alpha
    inverse = 1.0 / (table.totals + prior.eta_totals)
    held = np.zeros((block.n_documents, width), np.float32)
    for t in range(len(block.documents)):
        held[block.documents[t], assignments_out[t]] += np.float32(1.0)
    state = np.empty(2, np.uint64)
    seeded(key, state)
    for i in range(len(block.words)):
        w = block.words[i]
        exact = Word(table.counts[w], prior.eta[w if len(prior.eta) > 1 else 0], inverse, inverse)
        _fill_weights(exact, weights)
        for t in range(block.starts[i], block.starts[i + 1]):
            counts, k = held[block.documents[t]], assignments_out[t]
            counts[k] -= np.float32(1.0)
            weights[k] = _recount(exact, k, -1, table, prior)
            mass = np.float32(0.0)
            for m in range(width):
                mass += (counts[m] + alpha[m]) * weights[m]
            target = np.float32(uniform(state) * mass)
            new = _search_topics(counts, alpha, weights, n_topics, target)
            counts[new] += np.float32(1.0)
            weights[new] = _recount(exact, new, 1, table, prior)
            assignments_out[t] = new


@njit(**OPTIONS)
def add_counts(block, assignments, table_out):
    """Add a block's tokens to the table."""
    for i in range(len(block.words)):
        for t in range(block.starts[i], block.starts[i + 1]):
            table_out.counts[block.words[i], assignments[t]] += 1
            table_out.totals[assignments[t]] += 1


@njit(**OPTIONS)
def document_counts(offsets, assignments, n_topics, topics_out, counts_out):
    """Topics in use and their tokens, document by document; gives how many pairs were written.

    offsets (documents + 1), assignments (tokens, document order); topics_out, counts_out (tokens, int32).
    """
    held = np.zeros(n_topics, np.int32)
    n = 0
    for d in range(len(offsets) - 1):
        for t in range(offsets[d], offsets[d + 1]):
            held[assignments[t]] += 1
        for t in range(offsets[d], offsets[d + 1]):
            k = assignments[t]
            if held[k] > 0:
                topics_out[n], counts_out[n] = k, held[k]
                n += 1
                held[k] = 0
    return n
