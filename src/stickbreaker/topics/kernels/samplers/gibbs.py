"""Collapsed Gibbs sampling of topics: every token's topic is drawn given all others, with immediate updates.

A block of documents is visited word by word, so that a word's part of the conditional is computed once for
many tokens. Here, a vectorised loop goes over all topics; `sparse_gibbs` goes over those in the document and
draws from the same distribution. In both, a token's present topic comes first in the inverse distribution
function: more than half of the tokens keep theirs, and then nothing is searched for or written.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART, copy_numbers
from stickbreaker.kernels.random import seeded, uniform

CHUNK = 32  # topics searched at once; arrays of topics are padded with zeros to a multiple


class Block(NamedTuple):
    """The tokens of consecutive documents, sorted by word and then by document, as a sweep visits them.

    `words`, `groups`: the distinct words, and the group (language) of each; `starts` (distinct words + 1):
    first token of each; `documents` (tokens): number of the token's document in the block.
    """

    words: NDArray[np.int32]  # distinct words
    groups: NDArray[np.int32]  # their groups (languages)
    starts: NDArray[np.int64]  # distinct words + 1: a word's first token
    documents: NDArray[np.int32]  # tokens: number of the document in the block
    n_documents: int


class Table(NamedTuple):
    """The number of tokens by word and topic, over all blocks of documents."""

    counts: NDArray[np.int32]  # words × topics
    totals: NDArray[np.int64]  # groups × topics


class Prior(NamedTuple):
    alphas: NDArray[np.float64]  # documents of the block × topics, or 1 × topics for all documents
    eta: NDArray[np.float64]  # (words or 1) × (topics or 1)
    eta_totals: NDArray[np.float64]  # groups × topics: sum of eta over the group's words


class Word(NamedTuple):
    """The word whose tokens are visited, with its part of the conditional, by topic.

    `row`: the word's tokens; `eta` (topics or 1): its prior; `totals`, `eta_totals`: n_k and the sum of eta
    over the word's group (language); `inverse`: 1 / (n_k + sum of eta).
    """

    row: NDArray[np.int32]  # topics
    eta: NDArray[np.float64]  # topics or 1
    totals: NDArray[np.int64]  # topics: n_k, and the two below, of the word's group
    eta_totals: NDArray[np.float64]  # topics: sum of eta
    inverse: NDArray[np.float64]  # topics: 1 / (n_k + sum of eta)


@njit(**PART)
def padded(n):
    return (n + CHUNK - 1) // CHUNK * CHUNK


@kernel_part(**PART)
def word_at(i, block, table, prior, inverse):
    """The i-th distinct word of a block, as a `Word`; inverse (groups × topics): 1 / (n_k + sum of eta), by
    language.
    """
    w, g = block.words[i], block.groups[i]
    eta = prior.eta[w if len(prior.eta) > 1 else 0]
    return Word(table.counts[w], eta, table.totals[g], prior.eta_totals[g], inverse[g])


@kernel_part(**PART)
def less(word, k):
    """The word's part of the conditional, (n_wk + eta) / (n_k + sum of eta), for topic k with one token less;
    counts do not change.
    """
    eta = word.eta[k if len(word.eta) > 1 else 0]
    return (word.row[k] - 1 + eta) / (word.totals[k] - 1 + word.eta_totals[k])


@kernel_part(**PART)
def recount(word, k, change):
    """Add `change` (1 or -1) to a word's tokens of topic k; returns the new weight (n_wk + eta) / (n_k + sum
    of eta).
    """
    word.row[k] += change
    word.totals[k] += change
    word.inverse[k] = 1.0 / (word.totals[k] + word.eta_totals[k])
    return (word.row[k] + word.eta[k if len(word.eta) > 1 else 0]) * word.inverse[k]


@kernel_part(**PART)
def fill_weights(word, weights_out):
    """Fill weights_out (topics) with (n_wk + eta_wk) / (n_k + sum of eta), the word's part of the
    conditional.
    """
    if len(word.eta) > 1:
        for k in range(len(word.row)):
            weights_out[k] = (word.row[k] + word.eta[k]) * word.inverse[k]
    else:
        eta = word.eta[0]
        for k in range(len(word.row)):
            weights_out[k] = (word.row[k] + eta) * word.inverse[k]


@kernel_part(**PART)
def others_mass(held, weights, numbers, k):
    """The sum of held_m weights_m over all topics m except k, with held_m = n_dm + alpha_m.

    numbers: 0, 1, 2, … as floats, so that the comparison with k is vectorised.
    """
    total = np.float32(0.0)
    for m in range(len(weights)):
        total += held[m] * weights[m] if numbers[m] != k else np.float32(0.0)
    return total


@kernel_part(**PART)
def search_others(held, weights, numbers, k, n_topics, target):
    """Draw a topic other than k: the first at which the running sum of held_m weights_m exceeds `target`, or
    the last one.
    """
    c, number = 0, np.float32(k)
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


@kernel_part(**PART)
def counted(held, alpha, change):
    """n + alpha + change, given n + alpha (`held`); n is rounded to an integer, so that errors do not
    accumulate.
    """
    return np.float32(np.rint(held - alpha) + change) + alpha


@kernel_part(**PART)
def move(word, held, k, new, alpha, weights_out):
    """Move a token of a document from topic k to topic `new`, in all counts, and update the word's weights.

    held (topics): n_dk + alpha_k of the document.
    """
    held[k] = counted(held[k], alpha[k], np.float32(-1.0))
    weights_out[k] = recount(word, k, -1)
    held[new] = counted(held[new], alpha[new], np.float32(1.0))
    weights_out[new] = recount(word, new, 1)


@kernel_part(**PART)
def fill_held(block, assignments, alpha, held_out):
    """Fill held_out (documents × topics, zero before) with n_dk + alpha_k, from the topics of a block's
    tokens. alpha (documents × topics, or 1 × topics).
    """
    many = np.int64(len(alpha) > 1)
    for t in range(len(block.documents)):
        held_out[block.documents[t], assignments[t]] += np.float32(1.0)
    for d in range(block.n_documents):
        for k in range(alpha.shape[1]):
            held_out[d, k] += alpha[d * many, k]


@kernel_part(**PART)
def _visit_all_topics(
    i, block, table, prior, inverse, weights, alphas, numbers, held, state, assignments_out
):
    """Draw the topics of the tokens of a block's i-th word again, each in a loop over all topics."""
    n_topics, many = prior.alphas.shape[1], np.int64(len(alphas) > 1)
    word = word_at(i, block, table, prior, inverse)
    fill_weights(word, weights)
    one = np.float32(1.0)
    for t in range(block.starts[i], block.starts[i + 1]):
        counts, k = held[block.documents[t]], np.int64(assignments_out[t])
        alpha = alphas[block.documents[t] * many]
        own = np.float64(counted(counts[k], alpha[k], -one)) * less(word, k)
        others = np.float64(others_mass(counts, weights, numbers, np.float32(k)))
        target = uniform(state) * (others + own) - own
        if target < 0.0:
            continue
        new = search_others(counts, weights, numbers, k, n_topics, np.float32(target))
        move(word, counts, k, new, alpha, weights)
        assignments_out[t] = new


@njit(**OPTIONS)
def sweep_all_topics(block, table, prior, key, assignments_out):
    """Draw every token's topic in a block once, in a loop over all topics in single precision: for few
    topics.

    block: Block; prior: Prior; key: random seed (uint64); table: Table and assignments_out (tokens, int32, in
    the block's order) are changed. The conditional is that of `sparse_gibbs.sweep_lists`.
    """
    n_rows, n_topics = prior.alphas.shape
    width = padded(n_topics)
    alphas, weights = np.zeros((n_rows, width), np.float32), np.zeros(width, np.float32)
    for d in range(n_rows):
        copy_numbers(prior.alphas[d], alphas[d])
    numbers = np.arange(width).astype(np.float32)
    inverse = 1.0 / (table.totals + prior.eta_totals)
    held = np.zeros((block.n_documents, width), np.float32)
    fill_held(block, assignments_out, alphas, held)
    state = np.empty(2, np.uint64)
    seeded(key, state)
    for i in range(len(block.words)):
        _visit_all_topics(
            i, block, table, prior, inverse, weights, alphas, numbers, held, state, assignments_out
        )


@njit(**OPTIONS)
def add_counts(block, assignments, table_out):
    """Add the tokens of a block to the table; assignments: their topics, in the block's order."""
    for i in range(len(block.words)):
        for t in range(block.starts[i], block.starts[i + 1]):
            table_out.counts[block.words[i], assignments[t]] += 1
            table_out.totals[block.groups[i], assignments[t]] += 1


@njit(**OPTIONS)
def document_counts(offsets, assignments, n_topics, topics_out, counts_out):
    """Count the tokens of each topic in each document, as pairs of a topic and its count, document by
    document.

    Fills topics_out and counts_out (tokens, int32) and returns the number of pairs. offsets (documents + 1);
    assignments (tokens): topics in document order.
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
