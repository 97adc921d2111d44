"""Documents that are about the same things, in whatever language."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickbreaker.core.errors import UserError

QUERIES_AT_ONCE = 4096


class Nearest(NamedTuple):
    """For each query (rows) the positions of the documents nearest to it, the nearest first.

    `affinity` is 1 less the squared Hellinger distance, sum_k sqrt(theta_k theta'_k): 1 for equal
    topic shares, 0 for shares that have no topic in common.
    """

    positions: NDArray[np.int64]  # queries × n
    affinity: NDArray[np.float64]  # queries × n


def nearest_documents(queries: ArrayLike, among: Iterable[ArrayLike], n: int = 5) -> Nearest:
    """The `n` documents with topic shares most like a query's, for each query; ties go to the first.

    `queries` (documents × topics); `among` blocks of the same kind, read once, numbered through. Memory: the
    affinities of some thousand queries to a block, and n numbers a query. Raises UserError where the numbers
    of topics differ or there is no document.

    >>> nearest_documents([[1.0, 0.0]], [[[0.2, 0.8], [0.9, 0.1]]], n=1).positions.tolist()
    [[1]]
    """
    roots = np.sqrt(np.asarray(queries, np.float64))
    best = Nearest(np.empty((len(roots), 0), np.int64), np.empty((len(roots), 0)))
    first = 0
    for block in among:
        others = np.sqrt(np.asarray(block, np.float64))
        if others.ndim != 2 or roots.ndim != 2 or others.shape[1] != roots.shape[1]:
            raise UserError(
                f"topic shares are {roots.shape} and {others.shape}", remedy="use one model for both"
            )
        numbers = np.arange(first, first + len(others))
        parts: list[Nearest] = []
        for start in range(0, max(1, len(roots)), QUERIES_AT_ONCE):
            some = slice(start, start + QUERIES_AT_ONCE)
            affinity = roots[some] @ others.T
            found = Nearest(np.broadcast_to(numbers, affinity.shape), affinity)
            parts.append(_best_of(Nearest(best.positions[some], best.affinity[some]), found, n))
        best = Nearest(*map(np.concatenate, zip(*parts, strict=True)))
        first += len(others)
    if not first:
        raise UserError("there is no document to choose from")
    return best


def _best_of(one: Nearest, other: Nearest, n: int) -> Nearest:
    positions = np.concatenate([one.positions, other.positions], axis=1)
    affinity = np.concatenate([one.affinity, other.affinity], axis=1)
    order = np.argsort(-affinity, axis=1, kind="stable")[:, :n]
    return Nearest(np.take_along_axis(positions, order, axis=1), np.take_along_axis(affinity, order, axis=1))
