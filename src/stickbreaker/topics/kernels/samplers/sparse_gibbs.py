"""Collapsed Gibbs sampling of topics in time proportional to the topics of a document: for many topics.

It uses the factorisation of Yu et al. (2015): a sum over the document's topics, and the prior's remainder,
which is updated while a word's tokens are visited.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART, copy_numbers
from stickbreaker.kernels.random import seeded, uniform
from stickbreaker.topics.kernels.samplers.gibbs import CHUNK, fill_weights, less, padded, recount, word_at

# Additions stay in order. If free to reorder them, the compiler loads many `weights[topics[j]]` with one
# gather instruction, which is slower than single loads on many processors.
ORDERED_PART = {**PART, "fastmath": {"contract", "nsz", "arcp"}}


class Lists(NamedTuple):
    """The list of each document's topics, most tokens first: list d has the pairs starts[d] to starts[d] +
    sizes[d] (exclusive). A pair is a topic and its number of tokens.
    """

    starts: NDArray[np.int64]  # documents + 1
    sizes: NDArray[np.int64]  # documents
    pairs: NDArray[np.int32]  # a topic and its number of tokens, side by side: one memory access


@kernel_part(**PART)
def _place(pairs, start, stop, k):
    """The position of topic k in a document's list (pairs start to stop), or `stop` if the list lacks it."""
    j = start
    while j < stop and pairs[j, 0] != k:
        j += 1
    return j


@kernel_part(**PART)
def _swap(lists, i, j):
    pairs = lists.pairs
    topic, held = pairs[i, 0], pairs[i, 1]
    pairs[i, 0], pairs[i, 1] = pairs[j, 0], pairs[j, 1]
    pairs[j, 0], pairs[j, 1] = topic, held


@kernel_part(**PART)
def _raise(lists, start, j):
    """Add a token to the topic at position j of a document's list, which begins at `start`, and keep counts
    descending.
    """
    lists.pairs[j, 1] += 1
    i = j
    while i > start and lists.pairs[i - 1, 1] < lists.pairs[j, 1]:
        i -= 1
    _swap(lists, i, j)


@kernel_part(**PART)
def _restore_order(lists, j, stop):
    """Move the topic at position j of a document's list down, after it lost a token, so that counts descend
    again.

    Returns its new position. stop: the end of the list.
    """
    i = j
    while i + 1 < stop and lists.pairs[i + 1, 1] > lists.pairs[j, 1]:
        i += 1
    _swap(lists, i, j)
    return i


@kernel_part(**PART)
def _join(lists, d, stop, k):
    """Add one token of topic k to the list of document d, which ends at `stop`; a topic that the list lacks
    is appended first.

    Returns the new end of the list.
    """
    start = lists.starts[d]
    j = _place(lists.pairs, start, stop, k)
    if j == stop:
        lists.pairs[j, 0] = k
        lists.pairs[j, 1] = 0
        stop += 1
    _raise(lists, start, j)
    return stop


@kernel_part(**OPTIONS)
def lists_of(block, n_topics, assignments):
    """The lists of the topics of a block's documents, from the topics of its tokens (`assignments`).

    Their order depends only on these, not on earlier moves.
    """
    starts = np.zeros(block.n_documents + 1, np.int64)
    for d in block.documents:
        starts[d + 1] += 1
    for d in range(block.n_documents):
        starts[d + 1] = starts[d] + min(starts[d + 1], n_topics)
    sizes = np.zeros(block.n_documents, np.int64)
    lists = Lists(starts, sizes, np.zeros((starts[-1], 2), np.int32))
    for t in range(len(block.documents)):
        d = block.documents[t]
        sizes[d] = _join(lists, d, starts[d] + sizes[d], assignments[t]) - starts[d]
    return lists


@kernel_part(**ORDERED_PART)
def _part(pairs, j, weights):
    """The weight n_dk weights_k with which topic k, at position j of document d's list, is drawn for a word's
    token.

    weights (topics): the word's part of the conditional.
    """
    return np.float64(pairs[j, 1]) * weights[np.uint32(pairs[j, 0])]


@kernel_part(**ORDERED_PART)
def mass_of(pairs, start, stop, weights, k):
    """The sum of n_dk weights_k over the topics in a document's list, and the position of topic k, which must
    be in the list.

    pairs start to stop: the list; weights (topics): the word's part of the conditional.
    """
    total, place = 0.0, start
    fours = start + (stop - start) // 4 * 4
    for j in range(start, fours, 4):
        total += (_part(pairs, j, weights) + _part(pairs, j + 1, weights)) + (
            _part(pairs, j + 2, weights) + _part(pairs, j + 3, weights)
        )
        place = j if pairs[j, 0] == k else place
        place = j + 1 if pairs[j + 1, 0] == k else place
        place = j + 2 if pairs[j + 2, 0] == k else place
        place = j + 3 if pairs[j + 3, 0] == k else place
    for j in range(fours, stop):
        total += _part(pairs, j, weights)
        place = j if pairs[j, 0] == k else place
    return total, place


@kernel_part(**ORDERED_PART)
def search_list(pairs, start, stop, weights, target):
    """Draw from a document's list: the first position at which the running sum of n_dk weights_k exceeds
    `target`, or the last one.
    """
    j = start
    while j < stop - 1:
        target -= _part(pairs, j, weights)
        if target < 0.0:
            break
        j += 1
    return j


@kernel_part(**PART)
def search_prior(parts, alpha, weights, n_topics, target):
    """Draw from the prior's part: the first topic at which the running sum of alpha_k weights_k exceeds
    `target`, or the last one.

    parts: the sums over chunks of topics, which are searched first.
    """
    c = 0
    while c < len(parts) - 1 and target >= parts[c]:
        target -= parts[c]
        c += 1
    k = c * CHUNK
    last = min(k + CHUNK, n_topics) - 1
    while k < last:
        target -= alpha[k] * weights[k]
        if target < 0.0:
            break
        k += 1
    return k


@kernel_part(**PART)
def move_token(lists, d, stop, old, new, chosen):
    """Move a token of document d to topic `new` in the document's list, from the topic at position `old`.

    The list ends at `stop`; the caller has already reduced the count at `old`. A topic without tokens is
    removed from the list. chosen: the position of `new` in the list, -1 if it is not known.
    """
    start = lists.starts[d]
    moved = _restore_order(lists, old, stop)
    if lists.pairs[moved, 1] == 0:
        stop -= 1
    if chosen < 0:
        stop = _join(lists, d, stop, new)
    else:
        _raise(lists, start, old if chosen == moved else chosen)
    lists.sizes[d] = stop - start


@kernel_part(**PART)
def sum_parts(alpha, weights, parts_out):
    """Fill parts_out with the sums of alpha_k weights_k over chunks of topics, which `search_prior` needs;
    returns the total.
    """
    total = 0.0
    for c in range(len(parts_out)):
        part = 0.0
        for m in range(c * CHUNK, c * CHUNK + CHUNK):
            part += alpha[m] * weights[m]
        parts_out[c] = part
        total += part
    return total


@kernel_part(**PART)
def set_weight(k, weight, alpha, weights_out, parts_out):
    """Set the visited word's weight of topic k, and update the chunk's sum in parts_out.

    Returns the change of the sum of alpha_k weights_k.
    """
    change = alpha[k] * (weight - weights_out[k])
    weights_out[k] = weight
    parts_out[k // CHUNK] += change
    return change


@kernel_part(**PART)
def _visit_lists(i, block, table, prior, alpha, inverse, weights, parts, lists, state, assignments_out):
    """Draw the topics of the tokens of a block's i-th word again, each in a loop over the topics in its
    document's list.
    """
    n_topics = prior.alphas.shape[1]
    word = word_at(i, block, table, prior, inverse)
    fill_weights(word, weights)
    remainder = sum_parts(alpha, weights, parts)
    for t in range(block.starts[i], block.starts[i + 1]):
        d, k = block.documents[t], np.int64(assignments_out[t])
        start = lists.starts[d]
        stop = start + lists.sizes[d]
        mass, old = mass_of(lists.pairs, start, stop, weights, k)
        others = mass - lists.pairs[old, 1] * weights[k]
        rest = remainder - alpha[k] * weights[k]
        own = (lists.pairs[old, 1] - 1.0 + alpha[k]) * less(word, k)
        target = uniform(state) * (others + rest + own) - own
        if target < 0.0:
            continue
        remainder += set_weight(k, 0.0, alpha, weights, parts)
        if target < others:
            chosen = search_list(lists.pairs, start, stop, weights, target)
            new = np.int64(lists.pairs[chosen, 0])
        else:
            chosen = -1
            new = search_prior(parts, alpha, weights, n_topics, target - others)
        remainder += set_weight(k, recount(word, k, -1), alpha, weights, parts)
        if new != k:
            lists.pairs[old, 1] -= 1
            move_token(lists, d, stop, old, new, chosen)
        remainder += set_weight(new, recount(word, new, 1), alpha, weights, parts)
        assignments_out[t] = new


@njit(**OPTIONS)
def sweep_lists(block, table, prior, key, assignments_out):
    """Draw every token's topic in a block once, in a loop over the topics of its document: for many topics,
    and one alpha for all documents.

    block: Block; prior: Prior; key: of the random stream (uint64); table: Table and assignments_out (tokens,
    int32, in the block's order) are changed. p(k) ~ (n_dk + alpha_k) (n_wk + eta_wk) / (n_k + sum_w eta_wk)
    without the token itself (Zhai 2014, eq. 4.6), n_k and the sum over w those of the word's group
    (language). This is the sum over the document's topics plus a remainder, sum alpha_k weight_k, which is
    kept up to date.
    """
    n_topics = prior.alphas.shape[1]
    width = padded(n_topics)
    alpha, weights, parts = np.zeros(width), np.zeros(width), np.zeros(width // CHUNK)
    copy_numbers(prior.alphas[0], alpha)
    inverse = 1.0 / (table.totals + prior.eta_totals)
    lists = lists_of(block, n_topics, assignments_out)
    state = np.empty(2, np.uint64)
    seeded(key, state)
    for i in range(len(block.words)):
        _visit_lists(i, block, table, prior, alpha, inverse, weights, parts, lists, state, assignments_out)
