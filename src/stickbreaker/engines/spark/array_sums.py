"""Sums arrays that tasks return with their results: on executors, in pieces along the last axis."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array
from stickbreaker.engines.local import LocalEngine
from stickbreaker.engines.spark.failures import freeze_gc, sending_user_errors
from stickbreaker.engines.spark.jobs import Cluster

PIECE = 1 << 16  # length of a piece along the last axis
RESULT = -1  # in a key, replaces the first index of a piece

Key = tuple[int, int]  # a piece's first index, or RESULT; the item's number
Function = Callable[[LocalEngine, Any], tuple[Any, Array]]
Finish = Callable[[int, Array], Any]


def map_items_with_sums(
    cluster: Cluster,
    made: Callable[[], LocalEngine],
    function: Function,
    items: Sequence[Any],
    finish: Finish,
) -> tuple[list[Any], list[Any]]:
    """`Engine.map_items_with_sums` on Spark: no array reaches the driver; tasks make engines by `made()`."""
    if not items:
        return [], []
    context = cluster.context
    n_sums = min(len(items), max(1, context.defaultParallelism))
    numbered = context.parallelize(list(enumerate(items)), len(items))
    pairs = numbered.mapPartitions(CutTask(made, function))
    by_piece = pairs.repartitionAndSortWithinPartitions(n_sums, lambda key: max(key[0], 0) // PIECE % n_sums)  # pyright: ignore[reportCallIssue]
    found: list[list[tuple[Key, Any]]] = cluster.collect(by_piece.mapPartitions(AddTask(finish)))
    ordered = sorted((pair for part in found for pair in part), key=lambda pair: pair[0])
    results = [value for (first, _), value in ordered if first == RESULT]
    return results, [value for (first, _), value in ordered if first != RESULT]


class Cut(NamedTuple):
    """A piece, along the last axis, of one item's array, without columns that are all zero.

    width: columns of the piece; places: the index in the piece of each column in `values` (rows × places).
    """

    width: int
    places: NDArray[np.int32]
    values: Array


@dataclass(frozen=True)
class CutTask:
    """Work for a Spark task: yields the result of each numbered item, and its array cut into pieces.

    Pieces of zeros are left out, except for item 0, so that every piece has a sum.
    """

    made: Callable[[], LocalEngine]
    function: Function

    def __call__(self, items: Iterable[tuple[int, Any]]) -> Iterator[tuple[Key, Any]]:
        engine = self.made()
        with sending_user_errors():
            for number, item in items:
                result, array = self.function(engine, item)
                yield (RESULT, number), result
                for first in range(0, array.shape[-1], PIECE):
                    piece = array[:, first : first + PIECE]
                    places = np.flatnonzero(piece.any(axis=0)).astype(np.int32)
                    if len(places) or number == 0:
                        yield (first, number), Cut(piece.shape[-1], places, piece[:, places])
        freeze_gc("each")


@dataclass(frozen=True)
class AddTask:
    """Work for a Spark task: sums the pieces that begin at the same index, and calls `finish` on each sum.

    Pieces are added in order of items. Results are passed on.
    """

    finish: Finish

    def __call__(self, pairs: Iterable[tuple[Key, Any]]) -> Iterator[list[tuple[Key, Any]]]:
        found: list[tuple[Key, Any]] = []
        with sending_user_errors():
            for first, group in groupby(pairs, key=lambda pair: pair[0][0]):
                if first == RESULT:
                    found += group
                else:
                    found.append(((first, 0), self.finish(first, sum_of_cuts(cut for _, cut in group))))
        yield found


def sum_of_cuts(cuts: Iterable[Cut]) -> Array:
    """The sum of pieces of several arrays that begin at the same index."""
    total: Array | None = None
    for width, places, values in cuts:
        if total is None:
            total = np.zeros((len(values), width))
        total[:, places] += values
    assert total is not None
    return total
