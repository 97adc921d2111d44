"""Sums arrays that tasks return with their results: on executors, in pieces along the last axis."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Generic, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array
from stickbreaker.engines.engine import Item, Piece, Result
from stickbreaker.engines.local import LocalEngine
from stickbreaker.engines.spark.failures import freeze_gc, sending_user_errors
from stickbreaker.engines.spark.jobs import Cluster, by_key

PIECE = 1 << 16  # length of a piece along the last axis
RESULT = -1  # in a key, replaces the first index of a piece

Key = tuple[int, int]  # a piece's first index, or RESULT; the item's number


def map_items_with_sums(
    cluster: Cluster,
    made: Callable[[], LocalEngine],
    function: Callable[[LocalEngine, Item], tuple[Result, Array]],
    items: Sequence[Item],
    finish: Callable[[int, Array], Piece],
) -> tuple[list[Result], list[Piece]]:
    """`Engine.map_items_with_sums` on Spark: no task's array reaches the driver, only what `finish` returns.

    cluster: the Spark session; made: makes an engine in a task. The rest is as in `Engine`.
    """
    if not items:
        return [], []
    context = cluster.context
    n_sums = min(len(items), max(1, context.defaultParallelism))
    numbered = context.parallelize(list(enumerate(items)), len(items))
    pairs = numbered.mapPartitions(CutTask(made, function))
    by_piece = by_key(pairs, n_sums, lambda key: max(key[0], 0) // PIECE % n_sums)
    found = cluster.collect(by_piece.mapPartitions(AddTask[Result, Piece](finish)))
    pieces = sorted((piece for part in found for piece in part.pieces), key=lambda piece: piece[0])
    return [result for part in found for result in part.results], [piece for _, piece in pieces]


class Cut(NamedTuple):
    """A piece of one item's array along its last axis, without the columns that are all zero.

    width: columns of the piece; places: the index in the piece of each column in `values` (rows × places).
    """

    width: int
    places: NDArray[np.int32]
    values: Array


class TaskResults(NamedTuple, Generic[Result, Piece]):
    """What a task returns: the results that it received, and each summed piece after `finish`.

    `pieces`: the first index of each piece, and the value of `finish`.
    """

    results: list[Result]
    pieces: list[tuple[int, Piece]]


@dataclass(frozen=True)
class CutTask(Generic[Item, Result]):
    """A Spark task that calls a function on items; yields the results, and the items' arrays cut into pieces.

    Pieces of zeros are left out, except for item 0, so that every piece has a sum.
    """

    made: Callable[[], LocalEngine]
    function: Callable[[LocalEngine, Item], tuple[Result, Array]]

    def __call__(self, items: Iterable[tuple[int, Item]]) -> Iterator[tuple[Key, Result | Cut]]:
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
class AddTask(Generic[Result, Piece]):
    """A Spark task that sums the pieces with the same first index and calls `finish` on each sum.

    Pieces are added in order of items. Results are passed on.
    """

    finish: Callable[[int, Array], Piece]

    def __call__(self, pairs: Iterable[tuple[Key, Result | Cut]]) -> Iterator[TaskResults[Result, Piece]]:
        results, pieces = list[Result](), list[tuple[int, Piece]]()
        with sending_user_errors():
            for first, group in groupby(pairs, key=lambda pair: pair[0][0]):
                if first == RESULT:
                    results += [value for _, value in group if not isinstance(value, Cut)]
                else:
                    total = sum_of_cuts(value for _, value in group if isinstance(value, Cut))
                    pieces.append((first, self.finish(first, total)))
        yield TaskResults(results, pieces)


def sum_of_cuts(cuts: Iterable[Cut]) -> Array:
    """The sum of the pieces of several items' arrays that begin at the same index."""
    total: Array | None = None
    for width, places, values in cuts:
        if total is None:
            total = np.zeros((len(values), width))
        total[:, places] += values
    assert total is not None
    return total
