"""Orders numbers from the largest; nearly equal ones are ties, in order of place.

Two sums that are equal by definition may differ in their last digits, which depend on the processor, and so
would the order of what is shown. So a number ties with a larger one that exceeds it by less than `SAME`,
relative to its size. (Rounding first would separate ties at a boundary.) Whole numbers, such as counts, are
compared exactly.
"""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickbreaker.core.records import Array

SAME = 1e-5  # single precision leaves errors of 1e-7 to 1e-6; a reader sees 1e-3
Item = TypeVar("Item")
NOTHING = 1e-12  # relative to the largest number: smaller differences from zero are rounding errors


def descending(values: ArrayLike, n: int | None = None, *, logs: bool = False) -> NDArray[np.int64]:
    """The indices of the `n` largest values (None: all), from the largest; NaN counts as -inf.

    Values that differ by less than a share `SAME` (1e-5) are ties, in order of index; integers are compared
    exactly. `logs`: the values are logarithms, and are ties if the numbers themselves are.

    >>> descending([0.2, 0.5 - 1e-9, 0.3, 0.5]).tolist(), descending([0.2, 0.5, 0.5 + 1e-9], 1).tolist()
    ([1, 3, 2, 0], [1])
    >>> descending([-2000.0, -1.0, -2000.001, -1.0 + 1e-9], logs=True).tolist()
    [1, 3, 0, 2]
    """
    given = np.asarray(values)
    if given.dtype.kind in "iu":
        return np.argsort(-given.astype(np.int64), kind="stable")[:n]
    numbers = given.astype(np.float64)
    numbers = np.where(np.isnan(numbers), -np.inf, numbers)
    n = len(numbers) if n is None else max(0, min(n, len(numbers)))
    if not n:
        return np.empty(0, np.int64)
    top = float(numbers.max())
    if n < len(numbers):
        bound = -np.partition(-numbers, n - 1)[n - 1]
        near = np.flatnonzero(numbers >= bound - _width(bound, top, logs))
    else:
        near = np.arange(len(numbers))
    order = near[np.argsort(-numbers[near], kind="stable")]
    ranked = numbers[order]
    return order[np.lexsort((order, _groups(ranked, _width(ranked, top, logs))))][:n]


def by_size(items: Sequence[Item], sizes: ArrayLike) -> list[Item]:
    """Items from the largest size to the smallest; those of nearly equal sizes (`descending`) stay in order.

    >>> by_size(["a", "b", "c"], [0.5, 0.7, 0.5 + 1e-9])
    ['b', 'a', 'c']
    """
    return [items[place] for place in descending(sizes).tolist()]


def largest(
    values: Array, n: int, places: NDArray[np.int64] | None = None, *, logs: bool = False
) -> tuple[NDArray[np.int64], Array]:
    """The columns of each row's `n` largest values, from the largest, and these values: both (rows × n).

    n is cut to the number of columns. Nearly equal values (`descending`) are ties, in order of column or, if
    `places` (rows × columns) is given, of the numbers in it.

    >>> [found.tolist() for found in largest(np.array([[0.2, 0.5, 0.3, 0.5]]), 2)]
    [[[1, 3]], [[0.5, 0.5]]]
    """
    n = max(0, min(n, values.shape[1]))
    chosen = np.empty((len(values), n), np.int64)
    for row, of in enumerate(values):
        if places is None:
            chosen[row] = descending(of, n, logs=logs)
        else:
            turns = np.argsort(places[row], kind="stable")
            chosen[row] = turns[descending(of[turns], n, logs=logs)]
    return chosen, np.take_along_axis(values, chosen, axis=1)


def first_largest(values: Array) -> NDArray[np.int64]:
    """For each column of a table (rows × columns), the row with the largest number.

    Numbers smaller by at most a share `SAME` (1e-5) are ties: the first row of these counts. There must be at
    least one row.

    >>> first_largest(np.array([[0.5, 0.1], [0.5 + 1e-9, 0.3]])).tolist()
    [0, 1]
    """
    most = values.max(axis=0)
    return (values >= most - SAME * np.abs(most)).argmax(axis=0)


def _width(values: ArrayLike, top: float, logs: bool) -> Array:
    """For each value, how far below it another value may be to count as a tie.

    `top`: the largest value of all; `logs`: the values are logarithms.
    """
    numbers = np.asarray(values, np.float64)
    finite = np.isfinite(numbers)
    if logs:
        return np.where(finite, SAME, 0.0)
    least = NOTHING * abs(top) if np.isfinite(top) else 0.0
    return np.where(finite, SAME * np.abs(np.where(finite, numbers, 0.0)) + least, 0.0)


def _groups(ranked: Array, width: Array) -> NDArray[np.int64]:
    """For values in descending order, the number of the group of ties to which each belongs, ascending.

    A group consists of a first value and those that are at most its `width` below it.
    """
    with np.errstate(invalid="ignore"):  # infinity minus infinity: ties
        opens = np.concatenate([[True], ranked[:-1] - ranked[1:] > width[:-1]])
        starts = np.flatnonzero(opens)
        stops = np.append(starts[1:], len(ranked))
        wide = ranked[starts] - ranked[stops - 1] > width[starts]
    for start, stop in zip(starts[wide].tolist(), stops[wide].tolist(), strict=True):
        while start < stop:  # each is close to the next, but the last is not close to the first
            opens[start] = True
            end = start + int(
                np.searchsorted(-ranked[start:stop], width[start] - ranked[start], side="right")
            )
            while ranked[start] - ranked[end - 1] > width[start]:  # sums are rounded: compare the difference
                end -= 1
            while end < stop and ranked[start] - ranked[end] <= width[start]:
                end += 1
            start = end
    return np.cumsum(opens)
