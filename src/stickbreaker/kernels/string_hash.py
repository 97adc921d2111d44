"""A hash table of words by their UTF-8 spelling: open addressing (Knuth 1998, section 6.4, algorithm L)."""

import numpy as np
from numba import njit

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART, Bytes, Integers

OFFSET_BASIS = np.uint64(0xCBF29CE484222325)
PRIME = np.uint64(0x100000001B3)


@kernel_part(**PART)
def _slot_of(content, start, stop, mask):
    """The slot at which the search for the word content[start:stop] begins.

    It is the word's FNV-1a hash with its upper half mixed in, restricted to the table's size by `mask`.
    """
    hashed = OFFSET_BASIS
    for i in range(start, stop):
        hashed = (hashed ^ np.uint64(content[i])) * PRIME
    return np.int64((hashed ^ (hashed >> np.uint64(32))) & mask)


@kernel_part(**PART)
def _place_of(text, start, length, content, offsets, slots, mask):
    """The slot that holds the number of the word text[start:start + length] or, if there is none, a free one.

    content, offsets: the known words, see `fill_slots`; mask: the number of slots minus 1.
    """
    slot = _slot_of(text, start, start + length, mask)
    while slots[slot] >= 0:
        w = slots[slot]
        same = offsets[w + 1] - offsets[w] == length
        j = 0
        while same and j < length:
            same = content[offsets[w] + j] == text[start + j]
            j += 1
        if same:
            break
        slot = (slot + 1) & (len(slots) - 1)
    return slot


@njit(**OPTIONS)
def fill_slots(content: Bytes, offsets: Integers, slots_out: Integers) -> None:
    """Store the number of each word in a hash table, for `find_words`.

    content (bytes, uint8) has the words one after another, word w from offsets[w] to offsets[w + 1].
    slots_out: the hash table, filled with -1 before; its size is a power of two and larger than the number of
    words.
    """
    mask = np.uint64(len(slots_out) - 1)
    for w in range(len(offsets) - 1):
        slot = _slot_of(content, offsets[w], offsets[w + 1], mask)
        while slots_out[slot] >= 0:
            slot = (slot + 1) & (len(slots_out) - 1)
        slots_out[slot] = w


@njit(**OPTIONS)
def find_words(
    content: Bytes,
    offsets: Integers,
    slots: Integers,
    wanted: Bytes,
    wanted_offsets: Integers,
    found_out: Integers,
) -> None:
    """Look up words in a hash table: fills found_out (int32) with the number of each, or -1 if it is unknown.

    content, offsets, slots: the known words, see `fill_slots`; wanted, wanted_offsets: the words to look up,
    laid out like content and offsets.
    """
    mask = np.uint64(len(slots) - 1)
    for i in range(len(wanted_offsets) - 1):
        start, length = wanted_offsets[i], wanted_offsets[i + 1] - wanted_offsets[i]
        found_out[i] = slots[_place_of(wanted, start, length, content, offsets, slots, mask)]


@njit(**OPTIONS)
def number_words(
    text: Bytes,
    begins: Integers,
    lengths: Integers,
    content: Bytes,
    offsets: Integers,
    slots: Integers,
    known: int,
    codes_out: Integers,
) -> int:
    """Fill codes_out (int32) with the number of each word of a text, adding words that are new.

    Returns the number of words known afterwards. New words get the numbers from `known` on, and are added to
    content, offsets and slots, which must have room (slots: more than twice as many as words). text (bytes):
    word i has lengths[i] bytes from begins[i].
    """
    mask = np.uint64(len(slots) - 1)
    for i in range(len(begins)):
        start, length = begins[i], lengths[i]
        slot = _place_of(text, start, length, content, offsets, slots, mask)
        if slots[slot] < 0:
            first = offsets[known]
            for j in range(length):
                content[first + j] = text[start + j]
            offsets[known + 1] = first + length
            slots[slot] = known
            known += 1
        codes_out[i] = slots[slot]
    return known
