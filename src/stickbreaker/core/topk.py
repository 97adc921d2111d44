"""The largest numbers of each row."""

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array


def largest(values: Array, n: int) -> tuple[NDArray[np.int64], Array]:
    """Columns of the `n` largest of each row, the first of equals first, and their values (both rows × n).

    Fewer where there are fewer columns.

    >>> [found.tolist() for found in largest(np.array([[0.2, 0.5, 0.3, 0.5]]), 2)]
    [[[1, 3]], [[0.5, 0.5]]]
    """
    n = max(0, min(n, values.shape[1]))
    chosen = np.empty((len(values), n), np.int64)
    if n:
        least = -np.partition(-values, n - 1, axis=1)[:, n - 1]
        for row, (of, bound) in enumerate(zip(values, least, strict=True)):
            near = np.flatnonzero(~(of < bound))  # all, where the bound is no number
            chosen[row] = near[np.argsort(-of[near], kind="stable")[:n]]
    return chosen, np.take_along_axis(values, chosen, axis=1)
