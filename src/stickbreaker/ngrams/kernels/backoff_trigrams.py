"""Backoff language models (trigrams, mostly) in flat arrays: log p of a word, and the state after it.

An n-gram is a node, found by the node of its context (all words but the last) and its last word. p(w | u) is
the probability of the longest n-gram u'w in the model, where u' is a suffix of u, times the backoff weights
of the longer suffixes of u (Katz 1987, equation 6). A state is the node of the longest suffix of the words so
far that matters for what follows: one that begins longer n-grams, or has a weight other than 1.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part

EXACT: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
}  # the same last digits on every machine
LEAF: dict[str, Any] = {**EXACT, "forceinline": True, "_nrt": False}

ROOT = 0  # the node of no words
MIXER = np.uint64(0x9E3779B97F4A7C15)


class BackoffArrays(NamedTuple):
    """A backoff model in arrays. A node is an n-gram: node 0 has no words, the node of a single word is its
    number in the model + 1, and all other nodes are longer."""

    numbers: NDArray[np.int64]  # the caller's words: their numbers in the model
    unknown: int  # the number in the model of all other words
    end: int  # the number in the model of the mark at a sentence's end
    n_words: int  # words of the model
    beginning: int  # the state before a sentence's first word
    slots: NDArray[np.int64]  # slots × (context · n_words + word, node); -1: free; open addressing
    log_p: NDArray[np.float64]  # nodes: nats; NaN: not an n-gram of the model, only a context
    back_off: NDArray[np.float64]  # nodes: log backoff weight (nats)
    shorter: NDArray[np.int64]  # nodes: the longest proper suffix that is a node
    states: NDArray[np.int64]  # nodes: the longest suffix, itself included, that is a state


@kernel_part(**LEAF)
def _slot_of(key, mask):
    """Where the search for a key in a hash table begins: Fibonacci hashing, the upper half mixed in (Knuth
    1998, 6.4).

    mask: the table's size, a power of two, minus 1.
    """
    mixed = np.uint64(key) * MIXER
    return np.int64((mixed ^ (mixed >> np.uint64(32))) & np.uint64(mask))


@kernel_part(**LEAF)
def _child(slots, n_words, node, number):
    """The node of an n-gram, from the node of its context and its last word (by its number in the model); -1
    if there is none."""
    if node == ROOT:
        return np.int64(number + 1)
    key, mask = node * n_words + number, len(slots) - 1
    slot = _slot_of(key, mask)
    while slots[slot, 0] >= 0:
        if slots[slot, 0] == key:
            return slots[slot, 1]
        slot = (slot + 1) & mask
    return np.int64(-1)


@kernel_part(**LEAF)
def number_of(model, word):
    """The model's number of a word, from the caller's number; that of unknown words if the caller's is not in
    the caller's list of words (-1, for example)."""
    return model.numbers[word] if 0 <= word < len(model.numbers) else np.int64(model.unknown)


@njit(**LEAF)
def step(model, state, number):
    """log p in nats of a word (by the model's number) after a state, and the state after the word.

    A state is the node of those words before that matter for what follows.
    """
    log_weight, longest, node = 0.0, np.int64(-1), np.int64(state)
    child = _child(model.slots, model.n_words, node, number)
    while child < 0 or np.isnan(model.log_p[child]):
        if longest < 0:
            longest = child
        log_weight += model.back_off[node]
        node = model.shorter[node]
        child = _child(model.slots, model.n_words, node, number)
    if longest < 0:
        longest = child
    return log_weight + model.log_p[child], model.states[longest]


@njit(**LEAF)
def next_state(model, state, word):
    """log p in nats of a word (by the caller's number) after a state, and the state after the word.

    A state is the node of those words before that matter for what follows.
    """
    return step(model, state, number_of(model, word))


@njit(**EXACT)
def score_words(model, words, log_p_out):
    """Fill log_p_out (words + 1) with log p (nats) of a sentence's words (caller's numbers) and its end."""
    state = np.int64(model.beginning)
    for i in range(len(words)):
        log_p_out[i], state = next_state(model, state, words[i])
    log_p_out[len(words)], state = step(model, state, model.end)


@njit(**EXACT)
def score_sentences(model, words, starts, log_p_out):
    """Fill log_p_out (words + sentences) with log p (nats) of each word, and of the end after each sentence.

    starts (sentences): the place in `words` at which each begins, ascending from 0.
    """
    for i in range(len(starts)):
        end = starts[i + 1] if i + 1 < len(starts) else len(words)
        score_words(model, words[starts[i] : end], log_p_out[starts[i] + i : end + i + 1])


@njit(**EXACT)
def fill_slots_of_nodes(keys, first, slots_out):
    """Fill the hash table that finds the nodes of n-grams of two words or more.

    keys (n-grams): context · n_words + word; their nodes are consecutive from `first`. slots_out (slots × 2,
    all -1): the number of slots is a power of two and greater than that of n-grams.
    """
    mask = len(slots_out) - 1
    for i in range(len(keys)):
        slot = _slot_of(keys[i], mask)
        while slots_out[slot, 0] >= 0:
            slot = (slot + 1) & mask
        slots_out[slot, 0] = keys[i]
        slots_out[slot, 1] = first + i


@njit(**EXACT)
def fill_suffixes(keys, first, n_words, slots, back_off, shorter_out, states_out):
    """Fill shorter_out and states_out (nodes): the longest proper suffix of each n-gram that is a node, and
    the state after the n-gram.

    keys (n-grams of two words or more, shorter ones first): context · n_words + word; their nodes are
    consecutive from `first`. slots: the hash table from `fill_slots_of_nodes`; back_off (nodes): log weights.
    """
    shorter_out[: first + len(keys)] = ROOT
    extended = np.zeros(first + len(keys), np.bool_)
    for i in range(len(keys)):
        context, number = keys[i] // n_words, keys[i] % n_words
        extended[context] = True
        suffix = np.int64(-1)
        while suffix < 0:
            context = shorter_out[context]
            suffix = _child(slots, n_words, context, number)
        shorter_out[first + i] = suffix
    states_out[ROOT] = ROOT
    for node in range(1, first + len(keys)):
        matters = extended[node] or back_off[node] != 0.0
        states_out[node] = node if matters else states_out[shorter_out[node]]
