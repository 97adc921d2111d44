"""Documents with similar topics, in whatever language."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickbreaker.core.arguments import numbers_in, refuse_no_list, refuse_other_number
from stickbreaker.core.errors import UserError
from stickbreaker.core.topk import largest

QUERIES_AT_ONCE = 4096
MERGED_AT_ONCE = 128  # documents at a time; few of them are among a query's best


class Nearest(NamedTuple):
    """For each query document (rows), the nearest documents, nearest first (queries × n): their `positions`,
    and their affinity to it.

    `affinity` is 1 - the squared Hellinger distance, sum_k sqrt(theta_k theta'_k): 1 for equal topic shares,
    0 for shares without a common topic.
    """

    positions: NDArray[np.int64]  # queries × n
    affinity: NDArray[np.float64]  # queries × n


def nearest_documents(queries: ArrayLike, among: Iterable[ArrayLike], n: int = 5) -> Nearest:
    """For each document of `queries`, the `n` documents of `among` with the most similar topic shares; ties
    go to the first.

    `queries` (documents × topics); `among`: blocks of the same form, read once, with documents numbered
    across blocks. A query that is in `among` too finds itself. If there are fewer than `n` documents, all are
    returned. Memory: the affinities of 4,096 queries to a block, and n numbers per query. Raises UserError if
    the numbers of topics differ, shares are negative, NaN or infinite, or there is no document.

    >>> nearest_documents([[1.0, 0.0]], [[[0.2, 0.8], [0.9, 0.1]]], n=1).positions.tolist()
    [[1]]
    """
    refuse_other_number("n", n)
    refuse_no_list("among", among)
    roots = roots_of(queries)
    if roots.ndim != 2:
        raise UserError(f"topic shares are {roots.shape}", remedy="give documents × topics")
    best = Nearest(np.empty((len(roots), 0), np.int64), np.empty((len(roots), 0)))
    first = 0
    for block in among:
        others = roots_of(block)
        if others.ndim != 2 or roots.ndim != 2 or others.shape[1] != roots.shape[1]:
            raise UserError(
                f"topic shares are {roots.shape} and {others.shape}", remedy="use one model for both"
            )
        parts: list[Nearest] = []
        for start in range(0, max(1, len(roots)), QUERIES_AT_ONCE):
            some = slice(start, start + QUERIES_AT_ONCE)
            part = Nearest(best.positions[some], best.affinity[some])
            parts.append(_merged(part, roots[some] @ others.T, first, n))
        best = Nearest(*map(np.concatenate, zip(*parts, strict=True)))
        first += len(others)
    if not first:
        raise UserError("there is no document to choose from")
    return best


def roots_of(shares: ArrayLike) -> NDArray[np.float64]:
    """Square roots of topic shares (any shape), whose products give Hellinger distances. Raises UserError for
    shares that are negative or not finite.

    >>> roots_of([[0.25, 0.0]]).tolist()
    [[0.5, 0.0]]
    """
    values = numbers_in("shares", shares, "documents × topics, as `transform` returns")
    if not (np.isfinite(values).all() and (values >= 0).all()):
        raise UserError("topic shares must be finite and not negative", remedy="give those of a model")
    return np.sqrt(values)


def _merged(best: Nearest, affinity: NDArray[np.float64], first: int, n: int) -> Nearest:
    """The n nearest of those found so far (`best`) and of some further documents; `best` may be changed.

    affinity (queries × further documents); first: the number of the first further document.
    """
    for start in range(0, affinity.shape[1], MERGED_AT_ONCE):
        some = affinity[:, start : start + MERGED_AT_ONCE]
        numbers = np.broadcast_to(np.arange(some.shape[1]) + (first + start), some.shape)
        if best.affinity.shape[1] < n:
            best = _best_of(best, Nearest(numbers, some), n)
            continue
        better = np.flatnonzero(some.max(axis=1) > best.affinity[:, -1])  # others do not change
        old = Nearest(best.positions[better], best.affinity[better])
        best.positions[better], best.affinity[better] = _best_of(
            old, Nearest(numbers[better], some[better]), n
        )
    return best


def _best_of(one: Nearest, other: Nearest, n: int) -> Nearest:
    positions = np.concatenate([one.positions, other.positions], axis=1)
    affinity = np.concatenate([one.affinity, other.affinity], axis=1)
    order, highest = largest(affinity, n, positions)
    return Nearest(np.take_along_axis(positions, order, axis=1), highest)
