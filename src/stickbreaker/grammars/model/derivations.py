"""Derivations: the distinct subtrees that a grammar remembers, as rules and other derivations."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.grammars.model.compiled import Integers


class Derivations(NamedTuple):
    """The distinct remembered subtrees of adapted symbols; each comes before those that occur in it."""

    values: Integers  # entries in preorder: a rule, or -1 - derivation
    starts: NDArray[np.int64]  # derivations + 1
    customers: NDArray[np.int64]  # derivations: customers of its tables
    tables: NDArray[np.int64]  # derivations: number of tables


def derivations_of(
    values: Integers, starts: NDArray[np.int64], places: Integers, customers: Integers
) -> Derivations:
    """Merge the tables of a chain's restaurants that have the same subtree, to store it once.

    values: the subtrees of all tables as rules and -1 - table, concatenated; starts (tables + 1): where each
    begins; places, customers (tables): the adapted symbol and the number of customers of each. A subtree
    contains only tables of later adapted symbols.
    """
    number: dict[bytes, int] = {}
    names = np.zeros(len(places), np.int32)  # tables: their derivations, in the order found
    contents: list[Integers] = []
    for table in np.argsort(-places, kind="stable").tolist():
        content = values[starts[table] : starts[table + 1]].copy()
        inner = content < 0
        content[inner] = -1 - names[-1 - content[inner]]
        key = content.tobytes()
        if key not in number:
            number[key] = len(contents)
            contents.append(content)
        names[table] = number[key]
    n = len(contents)
    for content in contents:  # reversed, so that a derivation comes before those within it
        content[content < 0] = -1 - (n + content[content < 0])
    contents.reverse()
    names = n - 1 - names
    sizes = [len(content) for content in contents]
    return Derivations(
        np.concatenate([np.empty(0, np.int32), *contents]),
        np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]),
        np.bincount(names, customers, n).astype(np.int64),
        np.bincount(names, minlength=n).astype(np.int64),
    )
