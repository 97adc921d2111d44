"""Log probabilities of words' spellings under an interpolated n-gram model of letters, stored as a trie."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.math import OPTIONS, PART, Integers

Floats = NDArray[np.float64]

ROOT, MARK = 0, 1  # nodes: the empty n-gram, and the mark at which every word starts


class Trie(NamedTuple):
    """n-grams of letters as the nodes of a tree; a child adds one letter to its parent's n-gram.

    Nodes are numbered with shorter n-grams first; the children of a node are adjacent and sorted by letter.
    """

    letters: NDArray[np.int64]  # nodes: the n-gram's last letter, 0 for the mark
    first: NDArray[np.int64]  # nodes + 1: first child; those of node h end where those of h + 1 start
    shorter: NDArray[np.int64]  # nodes: the n-gram without its first letter; itself for the root
    log_p: NDArray[np.float64]  # nodes: log probability of the last letter after those before it
    log_back: NDArray[
        np.float64
    ]  # nodes: log factor of the shorter context's probability, for letters that never followed


@njit(**PART)
def _find(values, start, stop, value):
    """The position of `value` among the ascending values[start:stop], or -1."""
    end = stop
    while start < stop:
        middle = (start + stop) // 2
        if values[middle] < value:
            start = middle + 1
        else:
            stop = middle
    return start if start < end and values[start] == value else -1


@njit(**OPTIONS)
def log_spelling(
    points: Integers, offsets: Integers, alphabet: Integers, trie: Trie, log_unseen: float, log_out: Floats
) -> None:
    """Fill log_out (words) with log p of each word's spelling, in nats.

    It is the sum of log p(letter | the letters before it), without an end of the word. points (letters): code
    points of the words, one after another; offsets (words + 1); alphabet: ascending code points of the trie's
    letters 1, 2, ...; log_unseen: log probability of a code point outside the alphabet in the empty context.
    Zhai (2014), section 7.2.1; the walk along shorter contexts is that of back-off models: an interpolated
    model is one, since its back-off weight is the shorter model's share.
    """
    for w in range(len(offsets) - 1):
        total, node = 0.0, MARK
        for i in range(offsets[w], offsets[w + 1]):
            letter = _find(alphabet, 0, len(alphabet), points[i]) + 1  # 0: not in the alphabet
            child = -1
            while child < 0:
                if letter > 0:
                    child = _find(trie.letters, trie.first[node], trie.first[node + 1], letter)
                if child >= 0:
                    total += trie.log_p[child]
                else:
                    total += trie.log_back[node]
                    if node == ROOT:
                        total += log_unseen
                        child = ROOT
                    node = trie.shorter[node]
            node = child
        log_out[w] = total
