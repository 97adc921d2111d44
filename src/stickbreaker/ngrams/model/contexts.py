"""The contexts and words of a text, numbered as restaurants and slots before sampling starts."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Contexts:
    """A trie of the contexts of a text, nearest word first, and of the words that follow each.

    A context is a restaurant; a word after it is a slot. Restaurant 0 is the empty context; it has a slot for
    every word, and slot w is word w. The parent of a context is the same without its farthest word. A
    restaurant's key is parent · n_words + that farthest word; a slot's key is restaurant · n_words + word.
    Both ascend, so that lookups are bisections, level by level.
    """

    n_words: int  # words that can come next; contexts consist of the same symbols
    restaurant_keys: Integers  # of all restaurants but the first
    slot_keys: Integers  # of all slots

    @cached_property
    def restaurants(self) -> Integers:
        """The number of the restaurant (context) of each slot (a word in a context)."""
        return self.slot_keys // self.n_words

    @cached_property
    def depths(self) -> Integers:
        """The context length of each restaurant."""
        above = self.restaurant_keys // self.n_words
        depths = np.zeros(len(above) + 1, np.int64)
        ends = [0, 1]  # restaurants are sorted by depth
        while ends[-1] < len(depths):
            ends.append(1 + int(np.searchsorted(above, ends[-1])))
            depths[ends[-2] : ends[-1]] = len(ends) - 2
        return depths

    @cached_property
    def parents(self) -> Integers:
        """For each slot (a word in a context), the slot of the same word in the context one word shorter; -1
        for slots of the empty context."""
        above = np.concatenate([[-1], self.restaurant_keys // self.n_words])
        return self.find_slots(above[self.restaurants], self.slot_keys % self.n_words)

    @cached_property
    def first_slots(self) -> Integers:
        """The first slot (a word in a context) of each restaurant, then the number of all slots (restaurants
        + 1)."""
        return np.searchsorted(self.restaurants, np.arange(len(self.depths) + 1)).astype(np.int64)

    def refuse_nonsense(self) -> None:
        """Raise ValueError unless the keys are those of contexts that form a trie; used when a model is
        loaded."""
        for keys in (self.restaurant_keys, self.slot_keys):
            if keys.dtype != np.int64 or keys.ndim != 1 or (np.diff(keys, prepend=-1) <= 0).any():
                raise ValueError("contexts are not sorted")
        n_restaurants = len(self.restaurant_keys) + 1
        if (self.restaurant_keys // self.n_words >= np.arange(1, n_restaurants)).any():
            raise ValueError("a context does not extend any other")
        first = np.arange(self.n_words)
        if len(self.slot_keys) < self.n_words or (self.slot_keys[: self.n_words] != first).any():
            raise ValueError("a word is missing in the empty context")
        if (self.restaurants >= n_restaurants).any() or (self.parents[self.n_words :] < 0).any():
            raise ValueError("a word is missing in a shorter context")

    def find_restaurants(self, shorter: Integers, symbols: Integers) -> Integers:
        """The restaurants of contexts that are one word longer: each extends a context in `shorter`
        (restaurant numbers) by the symbol before it, in `symbols`.

        -1 if there is no such context, or if `shorter` is -1.
        """
        return _found(self.restaurant_keys, shorter, symbols, self.n_words, 1)

    def find_slots(self, restaurants: Integers, words: Integers) -> Integers:
        """The slot of each word in its restaurant (its context); -1 if the word does not follow it, or the
        restaurant is -1."""
        return _found(self.slot_keys, restaurants, words, self.n_words, 0)


def _found(keys: Integers, first: Integers, second: Integers, size: int, offset: int) -> Integers:
    """Look up pairs of numbers by their key, first · size + second, among ascending keys.

    Returns each key's position plus `offset`; -1 if the key is missing, or first or second is negative.
    """
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
    """All contexts in a text, and for each of its words the slot (a word in a context) in its longest
    context.

    `symbol_before(d)` returns the symbol d places before each word, -1 beyond the beginning of its context.
    Contexts have at most `longest` symbols. With `shared`, a context is not extended if only a single word of
    the text follows it: longer ones would predict the same.
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
    """The distinct keys, ascending, and each key's index among them plus `first`: a frugal `np.unique`.

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
    """The words of each context (restaurants × depths), the nearest word first; -1 beyond a context's end."""
    symbols = np.full((len(contexts.depths), int(contexts.depths.max())), -1)
    above, farthest = np.divmod(contexts.restaurant_keys, contexts.n_words)
    for depth in range(1, symbols.shape[1] + 1):
        here = np.flatnonzero(contexts.depths == depth)
        symbols[here, : depth - 1] = symbols[above[here - 1], : depth - 1]
        symbols[here, depth - 1] = farthest[here - 1]
    return symbols


def symbols_before(words: Integers, positions: Integers, end: int) -> Callable[[int], Integers]:
    """A function by which `contexts_of` looks up contexts in sentences: `before(d)` returns the symbol d
    places before each word.

    positions (words): the place of each word in its sentence, from 0. The symbol before the first word is
    `end`, and before that comes -1.

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
    """The words with a mark after each sentence, and the position of each word and mark in its sentence.

    `starts`: where each sentence begins, the first at 0; `end`: the number of the mark.

    >>> [found.tolist() for found in with_ends(np.array([5, 6, 7]), np.array([0, 2]), end=9)]
    [[5, 6, 9, 7, 9], [0, 1, 2, 0, 1]]
    """
    firsts = np.arange(len(starts) + 1)  # of each sentence with its marks, and the end
    firsts[:-1] += starts
    firsts[-1] += len(words)
    positions = np.arange(firsts[-1]) - firsts[:-1].repeat(firsts[1:] - firsts[:-1])
    inside = np.ones(len(positions), np.bool_)
    inside[firsts[1:] - 1] = False
    marked = np.full(len(positions), end, np.int64)
    marked[inside] = words
    return marked, positions
