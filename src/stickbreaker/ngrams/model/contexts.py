"""The contexts and words of a text as restaurants and slots, numbered once, before anything is sampled."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Contexts:
    """A trie of contexts, the nearest word first, and the words that follow each.

    Restaurant 0 is the empty context, and has a slot for each word: slot w is word w. A restaurant's key is
    the number of the restaurant whose context lacks its farthest word, times the number of words, plus that
    word; a slot's key is its restaurant times the number of words, plus the word. Both ascend, so that what
    is looked for is found by bisection, level by level.
    """

    n_words: int  # words that may come next; a context's symbols are the same
    restaurant_keys: Integers  # restaurants but the first
    slot_keys: Integers  # slots

    @cached_property
    def restaurants(self) -> Integers:
        """Of each slot."""
        return self.slot_keys // self.n_words

    @cached_property
    def depths(self) -> Integers:
        """Of each restaurant: the words of its context."""
        above = self.restaurant_keys // self.n_words
        depths = np.zeros(len(above) + 1, np.int64)
        ends = [0, 1]  # restaurants of each depth are together
        while ends[-1] < len(depths):
            ends.append(1 + int(np.searchsorted(above, ends[-1])))
            depths[ends[-2] : ends[-1]] = len(ends) - 2
        return depths

    @cached_property
    def parents(self) -> Integers:
        """Of each slot: that of the same word one context shorter; -1 in the empty context."""
        above = np.concatenate([[-1], self.restaurant_keys // self.n_words])
        return self.find_slots(above[self.restaurants], self.slot_keys % self.n_words)

    @cached_property
    def first_slots(self) -> Integers:
        """Restaurants + 1: the first slot of each, and after the last."""
        return np.searchsorted(self.restaurants, np.arange(len(self.depths) + 1)).astype(np.int64)

    def refuse_nonsense(self) -> None:
        """Raise ValueError if the keys are those of no trie."""
        for keys in (self.restaurant_keys, self.slot_keys):
            if keys.dtype != np.int64 or keys.ndim != 1 or (np.diff(keys, prepend=-1) <= 0).any():
                raise ValueError("contexts out of order")
        n_restaurants = len(self.restaurant_keys) + 1
        if (self.restaurant_keys // self.n_words >= np.arange(1, n_restaurants)).any():
            raise ValueError("contexts that make no other longer")
        first = np.arange(self.n_words)
        if len(self.slot_keys) < self.n_words or (self.slot_keys[: self.n_words] != first).any():
            raise ValueError("words that the empty context lacks")
        if (self.restaurants >= n_restaurants).any() or (self.parents[self.n_words :] < 0).any():
            raise ValueError("words that a shorter context lacks")

    def find_restaurants(self, shorter: Integers, symbols: Integers) -> Integers:
        """Restaurants one word longer than `shorter`, -1 where there is none, or where `shorter` is -1."""
        return _found(self.restaurant_keys, shorter, symbols, self.n_words, 1)

    def find_slots(self, restaurants: Integers, words: Integers) -> Integers:
        """Slots of words in restaurants, -1 where there is none, or if the restaurant is -1."""
        return _found(self.slot_keys, restaurants, words, self.n_words, 0)


def _found(keys: Integers, first: Integers, second: Integers, size: int, offset: int) -> Integers:
    """Places of pairs among keys (ascending), plus an offset; -1 where they are not."""
    if not len(keys):
        return np.full(len(first), -1)
    sought = first * size
    sought += second
    sought[(first < 0) | (second < 0)] = -1
    places = np.searchsorted(keys, sought)
    np.minimum(places, len(keys) - 1, out=places)
    missing = np.flatnonzero(keys[places] != sought)
    places += offset
    places[missing] = -1
    return places


def contexts_of(
    words: Integers,
    symbol_before: Callable[[int], Integers],
    n_words: int,
    longest: int,
    *,
    shared: bool = False,
) -> tuple[Contexts, Integers]:
    """The contexts of a text, and the deepest slot of each of its words.

    `symbol_before(d)` gives the symbol d places before each word, -1 where the context has ended. Contexts
    have at most `longest` symbols. With `shared`, one that a single word follows is not made longer: nothing
    that could be learned of the longer ones would differ.
    """
    deepest, restaurants = words.copy(), np.zeros(len(words), np.int64)
    active = np.arange(len(words), dtype=np.int32)
    restaurant_keys: list[Integers] = []
    slot_keys = [np.arange(n_words)]
    n_restaurants, n_slots = 1, n_words
    for depth in range(1, longest + 1):
        if shared:
            followed = np.bincount(restaurants[active], minlength=n_restaurants)
            active = active[followed[restaurants[active]] > 1]
        symbols = symbol_before(depth)[active]
        active, symbols = active[symbols >= 0], symbols[symbols >= 0]
        if not len(active):
            break
        symbols += restaurants[active] * n_words
        keys, restaurants[active] = _numbered(symbols, n_restaurants)
        restaurant_keys.append(keys)
        n_restaurants += len(keys)
        del symbols
        keys, deepest[active] = _numbered(restaurants[active] * n_words + words[active], n_slots)
        slot_keys.append(keys)
        n_slots += len(keys)
    none = np.zeros(0, np.int64)
    return Contexts(n_words, np.concatenate([none, *restaurant_keys]), np.concatenate(slot_keys)), deepest


def _numbered(keys: Integers, first: int) -> tuple[Integers, NDArray[np.int32]]:
    """The distinct keys, ascending, and the number of each, counted from `first`: `np.unique` in less memory.

    >>> [found.tolist() for found in _numbered(np.array([30, 10, 30]), 5)]
    [[10, 30], [6, 5, 6]]
    """
    order = keys.argsort()
    ordered = keys[order]
    new = np.ones(len(keys), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    distinct = ordered[new]
    del ordered
    numbers = np.empty(len(keys), np.int32)
    numbers[order] = np.cumsum(new, dtype=np.int32) + np.int32(first - 1)
    return distinct, numbers


def context_words(contexts: Contexts) -> Integers:
    """The words of each restaurant's context (restaurants × depths), the nearest first; -1 beyond its end."""
    symbols = np.full((len(contexts.depths), int(contexts.depths.max())), -1)
    above, farthest = np.divmod(contexts.restaurant_keys, contexts.n_words)
    for depth in range(1, symbols.shape[1] + 1):
        here = np.flatnonzero(contexts.depths == depth)
        symbols[here, : depth - 1] = symbols[above[here - 1], : depth - 1]
        symbols[here, depth - 1] = farthest[here - 1]
    return symbols


def symbols_before(words: Integers, positions: Integers, end: int) -> Callable[[int], Integers]:
    """What `contexts_of` asks for, of sentences: the word d places before each, or `end` before the first.

    `positions`: of each word in its sentence. Before the mark that begins a sentence there is nothing.

    >>> before = symbols_before(np.array([5, 6, 9]), np.array([0, 1, 2]), end=9)
    >>> before(1).tolist(), before(2).tolist()
    ([9, 5, 6], [-1, 9, 5])
    """

    def before(distance: int) -> Integers:
        found = np.full(len(words), -1, np.int64)
        inside = np.flatnonzero(positions >= distance)
        found[inside] = words[inside - distance]
        found[positions == distance - 1] = end
        return found

    return before


def with_ends(words: Integers, starts: Integers, end: int) -> tuple[Integers, Integers]:
    """Sentences with a mark at the end of each, and the position of each word in its sentence.

    `starts`: where each sentence begins, the first at 0.

    >>> [found.tolist() for found in with_ends(np.array([5, 6, 7]), np.array([0, 2]), end=9)]
    [[5, 6, 9, 7, 9], [0, 1, 2, 0, 1]]
    """
    firsts = np.arange(len(starts) + 1)  # of each sentence with its mark, and after the last
    firsts[:-1] += starts
    firsts[-1] += len(words)
    positions = np.arange(firsts[-1]) - firsts[:-1].repeat(firsts[1:] - firsts[:-1])
    inside = np.ones(len(positions), np.bool_)
    inside[firsts[1:] - 1] = False
    marked = np.full(len(positions), end, np.int64)
    marked[inside] = words
    return marked, positions
