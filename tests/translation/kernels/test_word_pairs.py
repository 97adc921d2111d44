"""The table of pairs of words: every cell finds its own pair."""

import numpy as np
import pytest

from stickbreaker.translation.alignment.aligned_words import sentences_of
from stickbreaker.translation.alignment.sentence_pieces import cell_starts
from stickbreaker.translation.kernels.word_pairs import PairTable, find_pairs, index_pairs

pytestmark = pytest.mark.kernels
SOURCE, TARGET = sentences_of([[2, -1, 2], [], [0, 4]]), sentences_of([[1, 3, -1, 1], [2], [3, 0]])
STARTS = cell_starts(SOURCE, TARGET)
CELLS = [
    (s, t)
    for source, target in (([2, -1, 2], [1, 3, -1, 1]), ([0, 4], [3, 0]))
    for s in source
    for t in target
]


def indexed():
    places = np.argsort(SOURCE.words, kind="stable")[1:]  # without the unknown word
    offsets, targets, slots = (
        np.zeros(6, np.int64),
        np.empty(STARTS[-1], np.int32),
        np.full(STARTS[-1], -9, np.int32),
    )
    n_slots = index_pairs(SOURCE, TARGET, places, STARTS, offsets, targets, slots)
    return PairTable(offsets, targets[:n_slots]), slots


def test_cells_know_their_pair():
    table, slots = indexed()
    assert np.diff(table.offsets).tolist() == [2, 0, 2, 0, 2]
    sources = np.repeat(np.arange(5), np.diff(table.offsets))
    for (source, target), slot in zip(CELLS, slots.tolist(), strict=True):
        if min(source, target) < 0:
            assert slot == -9
        else:
            assert (sources[slot], table.targets[slot]) == (source, target)


def test_pairs_are_found_or_missing_or_unknown():
    table = PairTable(np.array([0, 1, 1, 3, 3, 3]), np.array([0, 1, 3], np.int32))
    slots = np.empty(STARTS[-1], np.int32)
    find_pairs(table, SOURCE, TARGET, STARTS, slots)
    places = {(0, 0): 0, (2, 1): 1, (2, 3): 2}
    expected = [4 if min(cell) < 0 else places.get(cell, 3) for cell in CELLS]
    assert slots.tolist() == expected
