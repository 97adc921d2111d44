"""Extraction of the best translations from a search graph, with their features.

Paths from start to goal are found in order of their scores, by an A* search backwards from the goal. Since
the score of the best path to each node is known, no path is followed in vain (lazy like algorithm 3 of Huang
and Chiang 2005, which is equivalent for graphs). A path is a list of suffixes of a translation, each of which
begins with an edge and refers to the suffix after it.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.ngrams.kernels.backoff_trigrams import EXACT, LEAF, next_state, step
from stickbreaker.translation.kernels.priority_queue import push, remove_first
from stickbreaker.translation.kernels.search_graph import NONE, START, table_size

OWN_FEATURES = 3  # after the options' features: log p (nats), words, minus words jumped over
MIXER = np.uint64(0x9E3779B97F4A7C15)


class Paths(NamedTuple):
    """Distinct translations, the best first."""

    starts: NDArray[np.int64]  # translations + 1: where in `options` each begins
    options: NDArray[np.int64]  # of each translation, in the order of the target words
    features: NDArray[np.float64]  # translations × features of options and OWN_FEATURES more
    scores: NDArray[np.float64]  # translations: weights · features


class Ends(NamedTuple):
    """Suffixes of translations, as a linked list: each is an edge of the search graph followed by a shorter
    suffix."""

    edges: NDArray[np.int64]
    later: NDArray[np.int64]  # the suffix that this one extends backwards; -1
    gains: NDArray[np.float64]  # score of the part after the edge
    used: NDArray[np.int64]  # number of suffixes, and of those in the queue


class Texts(NamedTuple):
    """The words of the translations found so far, with a hash table to recognise duplicates."""

    words: NDArray[np.int64]  # of all translations, concatenated, with room for one more
    starts: NDArray[np.int64]  # translations + 1
    slots: NDArray[np.int64]  # a power of two: hash table of translations by their words; -1: free


@njit(**EXACT)
def best_paths(n, k, most, graph, options, weights, model):
    """Find the k best translations in a search graph, no two with the same words; returns `Paths`.

    There are fewer if the graph has no more, or after `most` steps of the search. graph: from
    `decoder.search`, for a sentence of n source words; options, weights, model: those given to it.
    """
    ends = Ends(
        np.empty(2 * most + 1, np.int64),
        np.empty(2 * most + 1, np.int64),
        np.empty(2 * most + 1),
        np.zeros(2, np.int64),
    )
    priorities, items = np.empty(2 * most + 1), np.empty(2 * most + 1, np.int64)
    texts, paths = _no_translations(n, k, options)
    goal, found, steps = graph.used[0] - 1, 0, 0
    _continue(graph.best[goal], NONE, 0.0, graph, ends, priorities, items)
    while found < k and steps < most and ends.used[1] > 0:
        steps += 1
        end = items[0]
        remove_first(priorities, items, ends.used[1])
        ends.used[1] -= 1
        edge = ends.edges[end]
        _continue(graph.following[edge], ends.later[end], ends.gains[end], graph, ends, priorities, items)
        tail = graph.tails[edge]
        if tail != START:
            gain = ends.gains[end] + (graph.totals[edge] - graph.scores[tail])
            _continue(graph.best[tail], end, gain, graph, ends, priorities, items)
        elif _take(found, end, graph, options, ends, texts, paths):
            _fill_features(found, options, weights, model, texts, paths)
            found += 1
    last = paths.starts[found]
    return Paths(
        paths.starts[: found + 1], paths.options[:last], paths.features[:found], paths.scores[:found]
    )


@kernel_part(**EXACT)
def _no_translations(n, k, options):
    """Empty `Texts` and `Paths`, with memory for k translations of a sentence of n source words."""
    longest = 0
    for option in range(len(options.begins)):
        longest = max(longest, options.offsets[option + 1] - options.offsets[option])
    slots = np.full(table_size(k), NONE, np.int64)
    texts = Texts(np.empty((k + 1) * n * longest, np.int64), np.zeros(k + 2, np.int64), slots)
    n_features = options.features.shape[1] + OWN_FEATURES
    starts, chosen = np.zeros(k + 1, np.int64), np.empty(k * n, np.int64)
    return texts, Paths(starts, chosen, np.zeros((k, n_features)), np.empty(k))


@kernel_part(**LEAF)
def _continue(edge, later, gain, graph, ends, priorities, items):
    """Queue a suffix of a translation: `edge`, followed by the suffix `later`.

    The suffix is written to the next free row of `ends` (edge, later, gain), and the number of this row is
    pushed onto the heap (`priorities`, `items`); `ends.used` (rows used, heap size) goes up by one each.
    There must be room for both. Nothing is done if `edge` is -1.

    later: the row of `ends` with what follows `edge`. gain: the score of the part after `edge`; the priority
    is this plus the total of the best path through `edge` (`graph.totals`).
    """
    if edge >= 0:
        end = ends.used[0]
        ends.edges[end], ends.later[end], ends.gains[end] = edge, later, gain
        push(priorities, items, ends.used[1], graph.totals[edge] + gain, end)
        ends.used[0] += 1
        ends.used[1] += 1


@kernel_part(**LEAF)
def _take(found, end, graph, options, ends, texts, paths):
    """Store a complete translation as number `found`, unless one with the same words is stored already;
    returns whether it was stored.

    end: the suffix that is the whole translation; its options are read from left to right by `ends.later`.
    """
    at, last, mixed = texts.starts[found], paths.starts[found], np.uint64(0)
    while end >= 0:
        option = graph.options[ends.edges[end]]
        if option >= 0:
            paths.options[last] = option
            last += 1
            for place in range(options.offsets[option], options.offsets[option + 1]):
                texts.words[at] = options.words[place]
                mixed = (mixed ^ np.uint64(options.words[place])) * MIXER
                mixed ^= mixed >> np.uint64(29)
                at += 1
        end = ends.later[end]
    texts.starts[found + 1] = at
    slot = np.int64(mixed >> np.uint64(33)) & (len(texts.slots) - 1)
    while texts.slots[slot] >= 0:
        if _same_words(texts, texts.slots[slot], found):
            return False
        slot = (slot + 1) & (len(texts.slots) - 1)
    texts.slots[slot] = found
    paths.starts[found + 1] = last
    return True


@kernel_part(**LEAF)
def _same_words(texts, one, other):
    """Whether two stored translations, given by number, have the same words."""
    first, second = texts.starts[one], texts.starts[other]
    length = texts.starts[one + 1] - first
    same = length == texts.starts[other + 1] - second
    place = 0
    while same and place < length:
        same = texts.words[first + place] == texts.words[second + place]
        place += 1
    return same


@kernel_part(**EXACT)
def _fill_features(number, options, weights, model, texts, paths):
    """Fill row `number` of paths.features (zeros before) from the options and words of this translation, and
    paths.scores[number] with weights · features."""
    features, n_options = paths.features[number], options.features.shape[1]
    before, jumped = 0, 0
    for place in range(paths.starts[number], paths.starts[number + 1]):
        option = paths.options[place]
        for feature in range(n_options):
            features[feature] += options.features[option, feature]
        jumped += abs(options.begins[option] - before)
        before = options.ends[option]
    state, total = np.int64(model.beginning), 0.0
    for place in range(texts.starts[number], texts.starts[number + 1]):
        log_p, state = next_state(model, state, texts.words[place])
        total += log_p
    log_p, state = step(model, state, model.end)
    features[n_options] = total + log_p
    features[n_options + 1] = texts.starts[number + 1] - texts.starts[number]
    features[n_options + 2] = -jumped
    score = 0.0
    for feature in range(n_options):
        score += weights.options[feature] * features[feature]
    score += weights.language_model * features[n_options] + weights.words * features[n_options + 1]
    paths.scores[number] = score + weights.distortion * features[n_options + 2]
