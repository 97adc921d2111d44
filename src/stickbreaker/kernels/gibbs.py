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
def _less(word, k, table, prior):
    """The word's weight of topic k with one token less; changes nothing."""
    eta = word.eta[k if len(word.eta) > 1 else 0]
    return (word.row[k] - 1 + eta) / (table.totals[k] - 1 + prior.eta_totals[k])


@njit(**PART)
def _recount(word, k, change, table, prior):
    """Change the tokens of topic k by one; gives the word's new weight of it."""
    word.row[k] += change
    table.totals[k] += change
    word.inverse[k] = 1.0 / (table.totals[k] + prior.eta_totals[k])
    return (word.row[k] + word.eta[k if len(word.eta) > 1 else 0]) * word.inverse[k]


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


@njit(**{**PART, "_nrt": True})
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
def _mass(lists, start, stop, weights, k):
    """sum of n_dk weight_k over a document's topics, and the place of topic k."""
    held, topics = lists.held, lists.topics
    total, place = 0.0, start
    fours = start + (stop - start) // 4 * 4
    for j in range(start, fours, 4):
        a, b, c, d = topics[j], topics[j + 1], topics[j + 2], topics[j + 3]
        total += (held[j] * weights[a] + held[j + 1] * weights[b]) + (
            held[j + 2] * weights[c] + held[j + 3] * weights[d]
        )
        place = j if a == k else place
        place = j + 1 if b == k else place
        place = j + 2 if c == k else place
        place = j + 3 if d == k else place
    for j in range(fours, stop):
        total += held[j] * weights[topics[j]]
        place = j if topics[j] == k else place
    return total, place


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
def _search_prior(parts, alpha, weights, target):
    """The first topic at which the running sum of alpha_k weight_k passes the target."""
    c = 0
    while c < len(parts) - 1 and target >= parts[c]:
        target -= parts[c]
        c += 1
    k = c * CHUNK
    last = min(k + CHUNK, len(alpha)) - 1
    while k < last:
        target -= alpha[k] * weights[k]
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


@njit(**PART)
def _start_word(word, prior, weights_out, parts_out):
    """The word's weights, and sums of alpha_k weight_k over chunks of topics; gives the sum of these."""
    n_topics, total = len(word.row), 0.0
    flat, eta = len(word.eta) == 1, word.eta[0]
    for c in range(len(parts_out)):
        part = 0.0
        first, last = c * CHUNK, min(c * CHUNK + CHUNK, n_topics)
        if flat:
            for k in range(first, last):
                weights_out[k] = (word.row[k] + eta) * word.inverse[k]
                part += prior.alpha[k] * weights_out[k]
        else:
            for k in range(first, last):
                weights_out[k] = (word.row[k] + word.eta[k]) * word.inverse[k]
                part += prior.alpha[k] * weights_out[k]
        parts_out[c] = part
        total += part
    return total


@njit(**PART)
def _set_weight(k, weight, alpha, weights_out, parts_out):
    """Set the word's weight of topic k; gives the change of sum alpha_k weight_k."""
    change = alpha[k] * (weight - weights_out[k])
    weights_out[k] = weight
    parts_out[k // CHUNK] += change
    return change


@njit(**PART)
def _visit_lists(i, block, table, prior, inverse, weights, parts, lists, state, assignments_out):
    """Draw the topics of one word's tokens."""
    w, alpha = block.words[i], prior.alpha
    word = Word(table.counts[w], prior.eta[w if len(prior.eta) > 1 else 0], inverse, weights)
    remainder = _start_word(word, prior, weights, parts)
    for t in range(block.starts[i], block.starts[i + 1]):
        d, k = block.documents[t], np.int64(assignments_out[t])
        start = lists.starts[d]
        stop = start + lists.sizes[d]
        mass, old = _mass(lists, start, stop, weights, k)
        others = mass - lists.held[old] * weights[k]
        rest = remainder - alpha[k] * weights[k]
        own = (lists.held[old] - 1.0 + alpha[k]) * _less(word, k, table, prior)
        target = uniform(state) * (others + rest + own) - own
        if target < 0.0:
            continue
        remainder += _set_weight(k, 0.0, alpha, weights, parts)
        if target < others:
            chosen = _search_list(lists, start, stop, weights, target)
            new = np.int64(lists.topics[chosen])
        else:
            chosen = -1
            new = _search_prior(parts, alpha, weights, target - others)
        remainder += _set_weight(k, _recount(word, k, -1, table, prior), alpha, weights, parts)
        if new != k:
            lists.held[old] -= 1.0
            _move(lists, d, stop, old, new, chosen)
        remainder += _set_weight(new, _recount(word, new, 1, table, prior), alpha, weights, parts)
        assignments_out[t] = new


@njit(**OPTIONS)
def sweep_lists(block, table, prior, key, assignments_out):
    """Draw every token's topic in a block once, walking over the topics in its document.

    block: Block; prior: Prior; key: of the stream (uint64); table: Table and assignments_out (tokens, int32,
    in the block's order) are changed. p(k) ~ (n_dk + alpha_k) (n_wk + eta_wk) / (n_k + sum_w eta_wk) without
    the token itself (Zhai 2014, eq. 4.6), as a sum over the document's topics plus a remainder,
    sum alpha_k weight_k, which is kept up to date.
    """
    n_topics = len(prior.alpha)
    weights, parts = np.zeros(n_topics), np.zeros(_padded(n_topics) // CHUNK)
    inverse = 1.0 / (table.totals + prior.eta_totals)
    lists = _lists_of(block, n_topics, assignments_out)
    state = np.empty(2, np.uint64)
    seeded(key, state)
    for i in range(len(block.words)):
        _visit_lists(i, block, table, prior, inverse, weights, parts, lists, state, assignments_out)


@njit(**PART)
def _others(held, weights, numbers, k, start, stop):
    """sum of held_m weight_m over topics m other than k."""
    total = np.float32(0.0)
    for m in range(start, stop):
        total += held[m] * weights[m] if numbers[m] != k else np.float32(0.0)
    return total


@njit(**PART)
def _search_others(held, weights, numbers, k, n_topics, target):
    """The first topic at which the running sum of these passes the target."""
    number = np.float32(k)
    c = 0
    while c + CHUNK < len(weights):
        part = np.float32(0.0)
        for m in range(CHUNK):
            part += held[c + m] * weights[c + m] if numbers[c + m] != number else np.float32(0.0)
        if target < part:
            break
        target -= part
        c += CHUNK
    new = c
    while new < n_topics - 1:
        target -= held[new] * weights[new] if new != k else np.float32(0.0)
        if target < np.float32(0.0):
            break
        new += 1
    return new


@njit(**PART)
def _counted(held, alpha, change):
    """n + change + alpha from n + alpha: n is whole, so that nothing is lost to rounding."""
    return np.float32(np.rint(held - alpha) + change) + alpha


@njit(**PART)
def _visit_all_topics(i, block, table, prior, inverse, weights, alpha, numbers, held, state, assignments_out):
    """Draw the topics of one word's tokens."""
    w, n_topics = block.words[i], len(prior.alpha)
    word = Word(table.counts[w], prior.eta[w if len(prior.eta) > 1 else 0], inverse, inverse)
    if len(word.eta) > 1:
        for k in range(n_topics):
            weights[k] = (word.row[k] + word.eta[k]) * inverse[k]
    else:
        eta = word.eta[0]
        for k in range(n_topics):
            weights[k] = (word.row[k] + eta) * inverse[k]
    one = np.float32(1.0)
    for t in range(block.starts[i], block.starts[i + 1]):
        counts, k = held[block.documents[t]], np.int64(assignments_out[t])
        own = _counted(counts[k], alpha[k], -one) * np.float32(_less(word, k, table, prior))
        others = _others(counts, weights, numbers, np.float32(k), 0, len(weights))
        target = np.float32(uniform(state)) * (others + own) - own
        if target < np.float32(0.0):
            continue
        new = _search_others(counts, weights, numbers, k, n_topics, target)
        counts[k] = _counted(counts[k], alpha[k], -one)
        weights[k] = _recount(word, k, -1, table, prior)
        counts[new] = _counted(counts[new], alpha[new], one)
        weights[new] = _recount(word, new, 1, table, prior)
        assignments_out[t] = new


@njit(**OPTIONS)
def sweep_all_topics(block, table, prior, key, assignments_out):
    """The same draws' distribution, walking over all topics in single precision: for few topics."""
    n_topics = len(prior.alpha)
    width = _padded(n_topics)
    alpha, weights = np.zeros(width, np.float32), np.zeros(width, np.float32)
    alpha[:n_topics] = prior.alpha
    numbers = np.arange(width).astype(np.float32)
    inverse = 1.0 / (table.totals + prior.eta_totals)
    held = np.zeros((block.n_documents, width), np.float32)
    for t in range(len(block.documents)):
        held[block.documents[t], assignments_out[t]] += np.float32(1.0)
    for d in range(block.n_documents):
        held[d] += alpha
    state = np.empty(2, np.uint64)
    seeded(key, state)
    for i in range(len(block.words)):
        _visit_all_topics(
            i, block, table, prior, inverse, weights, alpha, numbers, held, state, assignments_out
        )


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
