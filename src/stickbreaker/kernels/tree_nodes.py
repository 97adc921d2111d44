"""Trees of a grammar as nodes: what is alike is there once."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.math import OPTIONS, PART


class Trees(NamedTuple):
    """All trees that are remembered or in use, as nodes: what is alike is there once.

    A node is a rule and what its children are: nodes, -1 where there is none. One whose symbol is adapted is
    a remembered subtree while it has customers.
    """

    rules: NDArray[np.int32]  # nodes
    lefts: NDArray[np.int32]
    rights: NDArray[np.int32]
    strings: NDArray[np.int64]  # nodes: of an adapted symbol's, the number of its string
    uses: NDArray[np.int64]  # nodes: parents and sentences that hold it
    customers: NDArray[np.int64]  # nodes: of an adapted symbol's, uses that sit at its tables
    tables: NDArray[np.int64]
    following: NDArray[np.int32]  # nodes: the next remembered subtree of the same symbol and string; -1
    before: NDArray[np.int32]  # nodes: the one before, -1 for the first
    buckets: NDArray[np.int32]  # a hash table of nodes: -1 empty, -2 left
    first: NDArray[np.int32]  # adapted symbols × strings: the first remembered subtree; -1
    held: NDArray[np.int64]  # nodes in use, the first that is free (-1: none was left), nodes ever used


EMPTY, LEFT = -1, -2
IN_USE, FREE, EVER = 0, 1, 2  # places of `held`


@njit(**PART)
def _hash(rule, left, right, size):
    """The bucket where a node is looked for first; `size` is a power of two."""
    h = np.uint64(rule + 1) * np.uint64(0x9E3779B97F4A7C15)
    h ^= np.uint64(left + 2) * np.uint64(0xC2B2AE3D27D4EB4F)
    h ^= h >> np.uint64(29)
    h *= np.uint64(0xBF58476D1CE4E5B9)
    h ^= np.uint64(right + 2) * np.uint64(0x165667B19E3779F9)
    h ^= h >> np.uint64(32)
    h *= np.uint64(0x94D049BB133111EB)
    h ^= h >> np.uint64(29)
    return np.int64(h & np.uint64(size - 1))


@njit(**PART)
def find_or_make(rule, left, right, string, trees):
    """The node of a rule and its children, which is made where there is none; -1 where there is no room."""
    size = len(trees.buckets)
    at = _hash(rule, left, right, size)
    place = np.int64(-1)
    while trees.buckets[at] != EMPTY:
        node = trees.buckets[at]
        if node == LEFT:
            if place < 0:
                place = at
        elif trees.rules[node] == rule and trees.lefts[node] == left and trees.rights[node] == right:
            return np.int64(node)
        at = (at + 1) & (size - 1)
    node = trees.held[FREE]
    if node >= 0:
        trees.held[FREE] = trees.following[node]
    elif trees.held[EVER] < len(trees.rules):
        node = trees.held[EVER]
        trees.held[EVER] += 1
    else:
        return np.int64(-1)
    trees.held[IN_USE] += 1
    trees.buckets[place if place >= 0 else at] = node
    trees.rules[node], trees.lefts[node], trees.rights[node] = rule, left, right
    trees.strings[node] = string
    trees.uses[node], trees.customers[node], trees.tables[node] = 0, 0, 0
    trees.following[node], trees.before[node] = -1, -1
    if left >= 0:
        trees.uses[left] += 1
    if right >= 0:
        trees.uses[right] += 1
    return np.int64(node)


@njit(**OPTIONS)
def give_up(node, trees, stack):
    """Free a node that nothing holds, and what only it held; `stack` (nodes) has room for a tree."""
    top = 0
    if trees.uses[node] == 0:
        stack[0], top = node, 1
    while top > 0:
        top -= 1
        node = stack[top]
        rule, left, right = trees.rules[node], trees.lefts[node], trees.rights[node]
        size = len(trees.buckets)
        at = _hash(rule, left, right, size)
        while trees.buckets[at] != node:
            at = (at + 1) & (size - 1)
        trees.buckets[at] = LEFT
        trees.rules[node] = -1
        trees.following[node] = trees.held[FREE]
        trees.held[FREE] = node
        trees.held[IN_USE] -= 1
        for child in (left, right):
            if child >= 0:
                trees.uses[child] -= 1
                if trees.uses[child] == 0:
                    stack[top] = child
                    top += 1
