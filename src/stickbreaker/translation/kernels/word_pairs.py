"""A sparse table of the word pairs that occur in sentence pairs, and the table's slot for each cell.

A cell is a position in the rectangle source words × target words of a sentence pair, in row-major order. Its
slot is the position of its two words in the table, which serves both directions of translation.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART


class PairTable(NamedTuple):
    """Pairs of a source and a target word that occur together, sorted by source word; a pair's slot is its
    index in `targets`."""

    offsets: NDArray[np.int64]  # source words + 1: where the slots of each begin
    targets: NDArray[np.int32]  # slots: target word


@njit(**OPTIONS)
def index_pairs(source, target, places, starts, offsets_out, targets_out, slots_out):
    """Build the table of all word pairs that occur in a sentence pair, and find the slot of each cell (word
    pair of a sentence pair). Returns the number of slots.

    source, target: `Sentences`. places: positions in source.words sorted by word, without unknown words.
    starts (pairs + 1): first cell of each pair. offsets_out: see `PairTable`. targets_out and slots_out have
    an element per cell, 4 bytes each; of targets_out, only one per slot is used, and the target words of a
    source word are in order of occurrence. slots_out is unchanged at cells of unknown words.
    """
    n_targets = np.int64(0)
    for word in target.words:
        n_targets = max(n_targets, np.int64(word) + 1)
    slot_of = np.full(n_targets, -1, np.int32)
    pair_of = _pair_of_places(source)
    n_slots, word = np.int64(0), np.int64(0)
    offsets_out[0] = 0
    for place in places:
        while word < source.words[place]:
            word += 1
            offsets_out[word] = n_slots
        pair = pair_of[place]
        begin, end = target.offsets[pair], target.offsets[pair + 1]
        cell = starts[pair] + (place - source.offsets[pair]) * (end - begin)
        for other in target.words[begin:end]:
            if other >= 0:
                if slot_of[other] < offsets_out[word]:  # not yet seen with this source word
                    slot_of[other] = n_slots
                    targets_out[n_slots] = other
                    n_slots += 1
                slots_out[cell] = slot_of[other]
            cell += 1
    offsets_out[word + 1 :] = n_slots
    return n_slots


@kernel_part(**OPTIONS)
def _pair_of_places(source):
    """The number of the sentence pair in which each word of source.words stands (source words)."""
    pairs = np.empty(len(source.words), np.int32)
    for pair in range(len(source.offsets) - 1):
        pairs[source.offsets[pair] : source.offsets[pair + 1]] = pair
    return pairs


@kernel_part(**PART)
def _slot(table, source, target):
    """The slot of a pair of known words, its index in the table; the number of slots if the table lacks it.

    This is a binary search: the table's target words must be sorted for each source word.
    """
    low, high = table.offsets[source], table.offsets[source + 1]
    end = high
    while low < high:
        middle = (low + high) // 2
        if table.targets[middle] < target:
            low = middle + 1
        else:
            high = middle
    return low if low < end and table.targets[low] == target else np.int64(len(table.targets))


@njit(**OPTIONS)
def find_pairs(table, source, target, starts, slots_out):
    """Fill slots_out (cells) with the slot of each cell's two words, looked up in a finished table.

    A cell is a word pair of a sentence pair; starts (pairs + 1): the first cell of each. The table's target
    words must be sorted for each source word. A missing pair gets the number of slots, a cell with an unknown
    word that number plus one.
    """
    missing = len(table.targets)
    for pair in range(len(source.offsets) - 1):
        cell = starts[pair]
        others = target.words[target.offsets[pair] : target.offsets[pair + 1]]
        for word in source.words[source.offsets[pair] : source.offsets[pair + 1]]:
            for other in others:
                known = word >= 0 and other >= 0
                slots_out[cell] = _slot(table, word, other) if known else missing + 1
                cell += 1
