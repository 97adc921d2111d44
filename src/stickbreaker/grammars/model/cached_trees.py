"""Cached trees of adapted symbols: parsed from the keys of a table's rows, each key only once."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array
from stickbreaker.corpus.shards import entries_between
from stickbreaker.grammars.kernels.tree_cache import (
    LETTERS,
    NOT_ADAPTED,
    OTHER_END,
    OTHER_RULES,
    OTHER_SYMBOLS,
    PARTS,
    RULES,
    STRINGS,
    TREES,
    TreeSet,
    add_trees,
    count_parts,
    fault_in,
    fill_slots,
    read_numbers,
    refill_strings,
)
from stickbreaker.grammars.model.compiled import Compiled, Integers

SPARE = 4  # at most about that many times the trees of a table are stored
FEW = 10_000
FAULTS = {
    OTHER_RULES: "trees have unknown rules",
    OTHER_END: "trees are incomplete or too long",
    OTHER_SYMBOLS: "trees belong to another grammar",
    NOT_ADAPTED: "trees belong to symbols that are not adapted",
}


def key_of(rules: Integers) -> str:
    """The text that stands for a tree in a table's keys: the numbers of its rules in preorder.

    >>> key_of(np.array([4, 0, 12], np.int32))
    '4 0 12'
    """
    return " ".join(map(str, rules.tolist()))


def rules_of(keys: Sequence[str]) -> tuple[Integers, NDArray[np.int64]]:
    """Parse the keys of trees (the inverse of `key_of`).

    Returns the rules of all trees, concatenated, and where those of each tree begin (keys + 1). Raises
    ValueError for invalid keys.
    """
    text = bytearray("".join(f"{key}\n" for key in keys).encode("ascii", "replace"))
    values, starts = read_numbers(np.frombuffer(text, np.uint8))
    if len(starts) != len(keys) + 1:
        raise ValueError(FAULTS[OTHER_RULES])
    return values, starts


def parts_below(trees: TreeSet, ids: Integers) -> Integers:
    """The numbers of the cached trees directly inside the trees `ids` (numbers), with repetitions."""
    parts = trees.parts[entries_between(trees.part_starts[ids], trees.part_starts[ids + 1])[1]]
    return -1 - parts[parts < 0]


class TableTrees(NamedTuple):
    """The trees that a table has rows for, and how often trees and rules occur inside them; read-only."""

    ids: Integers  # rows: the number of each tree in `CachedTrees.trees`
    rows: Integers  # trees: the row of each, or -1
    tree_uses: Array  # rows: uses by other trees of the table
    rule_uses: Array  # rules: uses by all trees of the table


class CachedTrees:
    """A cache of parsed trees, so that the key of each row of a table is parsed only once.

    It affects speed, never results. It grows with new keys, and is emptied when most of its trees are no
    longer in the table.
    """

    def __init__(self, grammar: Compiled) -> None:
        self.grammar = grammar
        self._keys: Sequence[str] = ()
        self._ids = np.zeros(0, np.int32)
        self._forget_uses()
        self._empty()

    def __reduce__(self) -> tuple[type["CachedTrees"], tuple[Compiled]]:
        return CachedTrees, (self.grammar,)

    def ids(self, keys: Sequence[str]) -> Integers:
        """Look up trees by their keys, one for each row of a table: returns their numbers in `trees`.

        Trees that are not there yet are added, for which the arrays of `trees` may be replaced. If `keys` is
        the list of the last call, only keys appended since are looked up. Raises ValueError for invalid keys.
        """
        n = len(keys)
        if keys is self._keys and n >= len(self._ids):
            if n > len(self._ids):
                self._ids = np.concatenate([self._ids, self._read(keys[len(self._ids) : n])])
            return self._ids
        if self.trees.numbers[TREES] > SPARE * n + FEW:
            self._empty()
        self._forget_uses()
        self._keys, self._ids = keys, self._read(keys[:n])
        return self._ids

    def of_table(self, keys: Sequence[str]) -> TableTrees:
        """The trees of a table, given by the keys of its rows, and how often trees and rules occur in them.

        If `keys` is the list of the last call, only rows appended since are parsed. Raises ValueError for
        invalid keys.
        """
        ids = self.ids(keys)
        rows, n = self.rows(ids), len(self._tree_uses)
        tree_uses, rule_uses = self._tree_uses, self._rule_uses
        if n < len(ids):
            tree_uses, rule_uses = np.zeros(len(ids)), rule_uses.copy()
            tree_uses[:n] = self._tree_uses
            count_parts(n, ids, rows, self.trees, tree_uses, rule_uses)
            self._tree_uses, self._rule_uses = tree_uses, rule_uses
        return TableTrees(ids, rows, tree_uses, rule_uses)

    def rows(self, ids: Integers) -> Integers:
        """For each tree of the cache, its row in a table, or -1; ids (rows): the tree of each row."""
        rows = np.full(int(self.trees.numbers[TREES]), -1, np.int32)
        rows[ids] = np.arange(len(ids), dtype=np.int32)
        return rows

    def parts_of(self, keys: Sequence[str]) -> list[list[str]]:
        """For each key, the keys of all cached trees that occur inside its tree, each after those inside it.

        Trees of keys that are not there yet are added. Raises ValueError for invalid keys.
        """
        ids = self._read(keys).tolist()
        starts, rules = self.trees.rule_starts, self.trees.rules
        parts: dict[int, list[int]] = {}

        def all_parts(tree: int) -> list[int]:
            if tree not in parts:
                found: dict[int, None] = {}
                for part in parts_below(self.trees, np.array([tree])).tolist():
                    found |= dict.fromkeys((*all_parts(part), part))
                parts[tree] = list(found)
            return parts[tree]

        return [[key_of(rules[starts[one] : starts[one + 1]]) for one in all_parts(tree)] for tree in ids]

    def _forget_uses(self) -> None:
        """Reset the counts that `of_table` extends: of trees and rules inside the table's trees."""
        self._tree_uses, self._rule_uses = np.zeros(0), np.zeros(len(self.grammar.weights))

    def _empty(self) -> None:
        self._by_key: dict[str, int] = {}
        starts = [np.zeros(1, np.int64) for _ in range(3)]
        nothing = np.zeros(0, np.int32)
        self.trees = TreeSet(
            np.zeros(5, np.int64), np.zeros(64, np.int32), nothing, starts[0], nothing, starts[1], nothing,
            starts[2], nothing, nothing, np.full(64, -1, np.int64), np.zeros(64, np.int32),
        )  # fmt: skip

    def _read(self, keys: Sequence[str]) -> Integers:
        """Look up trees by their keys: returns their numbers in `trees`; new trees are added.

        Raises ValueError for invalid keys.
        """
        known = self._by_key
        new = [key for key in keys if key not in known]
        if new:
            values, starts = rules_of(new)
            self._refuse_others(values, starts)
            self._reserve(values)
            found = np.zeros(len(new), np.int32)
            sizes = np.zeros(int((starts[1:] - starts[:-1]).max()) + 1, np.int64)
            add_trees(values, starts, sizes, self.trees, self.grammar.rules, self.grammar.symbols, found)
            known.update(zip(new, found.tolist(), strict=True))
            if len(new) == len(keys):
                return found
        return np.fromiter((known[key] for key in keys), np.int32, len(keys))

    def _refuse_others(self, values: Integers, starts: NDArray[np.int64]) -> None:
        """Raise ValueError if lists of rules are not trees of adapted symbols."""
        stack, grammar = np.empty(len(values) + 2, np.int32), self.grammar
        fault = fault_in(values, starts, grammar.rules, grammar.symbols, stack)
        if fault:
            raise ValueError(FAULTS[fault])

    def _has_room(self, n_rules: int) -> bool:
        """Whether the arrays of `trees` have room for new trees of `n_rules` rules in total.

        The trees of adapted symbols inside them are counted as well, at their greatest possible size.
        """
        trees, most = self.trees, n_rules * len(self.grammar.adapted)
        held, rules, letters, parts, strings = self.trees.numbers.tolist()
        starts = min(len(trees.rule_starts), len(trees.letter_starts), len(trees.part_starts))
        return (
            held + n_rules < min(len(trees.places), len(trees.strings), starts, len(trees.slots) // 2)
            and rules + most <= len(trees.rules)
            and letters + most <= len(trees.letters)
            and parts + most <= len(trees.parts)
            and 2 * (strings + most) <= len(trees.string_keys)
        )

    def _reserve(self, values: Integers) -> None:
        """Enlarge the arrays of `trees` if they lack room for new trees and for the cached trees inside them.

        values: the rules of the new trees, concatenated.
        """
        if self._has_room(len(values)):
            return
        trees, held = self.trees, self.trees.numbers
        levels = len(self.grammar.adapted)
        inner = int((self.grammar.symbols.adapted[self.grammar.rules.parents[values]] >= 0).sum())
        sizes = {"places": held[TREES] + inner, "strings": held[TREES] + inner}
        sizes |= dict.fromkeys(("rule_starts", "letter_starts", "part_starts"), held[TREES] + inner + 1)
        sizes |= {
            "rules": held[RULES] + levels * len(values),
            "letters": held[LETTERS] + levels * len(values),
            "parts": held[PARTS] + levels * len(values),
        }
        grown = {
            name: _grown(getattr(trees, name), int(size))
            for name, size in sizes.items()
            if len(getattr(trees, name)) < size
        }
        self.trees = trees = trees._replace(**grown)
        if 2 * (held[TREES] + inner) > len(trees.slots):
            slots = np.zeros(_power(4 * int(held[TREES] + inner)), np.int32)
            self.trees = trees = trees._replace(slots=slots)
            fill_slots(int(held[TREES]), slots, trees.rules, trees.rule_starts)
        strings = int(held[STRINGS]) + levels * len(values)
        if 2 * strings > len(trees.string_keys):
            keys, numbers, size = trees.string_keys, trees.string_numbers, _power(4 * strings)
            new = np.full(size, -1, np.int64), np.zeros(size, np.int32)
            self.trees = trees._replace(string_keys=new[0], string_numbers=new[1])
            refill_strings(keys, numbers, self.trees)


def _grown(values: NDArray[np.integer], size: int) -> NDArray[np.integer]:
    """A copy with at least `size` elements, and at least twice as many as before; the new ones are zero."""
    more = np.zeros(max(size, 2 * len(values)), values.dtype)
    more[: len(values)] = values
    return more


def _power(least: int) -> int:
    """The smallest power of two that is at least `least`."""
    return 1 << (least - 1).bit_length()
