"""Sums the statistics of shards on Spark: first within each task, then by block of rows.

What a task sends is keyed by the chunk of its rows (in-mapper combining, Zhai 2014, section 3.2). A block
adds it in order of portions, so that sums do not depend on the machines.
"""

import pickle
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import AnyArray, Array, Rows, SparseCounts, Stats, no_rows, summed_cells
from stickbreaker.engines.row_files import COUNTS, Layout, block_path, row_writer
from stickbreaker.engines.spark.failures import refuse_unseen_folder, sending_user_errors
from stickbreaker.engines.table import sums_by_group
from stickbreaker.kernels.dirichlet import add_rows  # pyright: ignore[reportUnknownVariableType]

if TYPE_CHECKING:
    from pyspark import Broadcast

    Groups = Broadcast[NDArray[np.int32]] | None  # the group of each row; None if there is only one
SMALL = -1  # in place of a chunk's number: everything except rows
CELL = 20  # bytes of a drawn cell that waits


class Key(NamedTuple):
    """The key of a record that a task sends; records are sorted by it.

    chunk: the chunk of rows that the record has, or `SMALL` for statistics that are not rows; portion: the
    number of the portion of documents; turn: the record's place among those of its portion.
    """

    chunk: int
    portion: int
    turn: int


class Sent(NamedTuple):
    """Rows of one chunk of a table, as a task sends them: dense or, if `columns` is set, as nonzero cells.

    table: the name of the table that they belong to; places: the index in the chunk of each row, or of each
    cell's row; values: rows × columns, or one number per cell, to be multiplied by `unit`.
    """

    table: str
    places: NDArray[np.int32]  # index in the chunk of each row, or of each cell's row
    values: AnyArray  # rows × columns, or one number per cell: whole numbers if they were drawn
    columns: NDArray[np.integer] | None  # the cells' columns
    n_columns: int
    unit: float

    @property
    def n_bytes(self) -> int:
        cells = 0 if self.columns is None else self.columns.nbytes
        return self.places.nbytes + self.values.nbytes + cells


def without_rows(stats: Stats) -> Stats:
    """Statistics without their rows, and without the rows of their trials."""
    trial = {name: without_rows(each) for name, each in stats.trial.items()}
    return replace(stats, rows=no_rows(stats.rows.n_columns), trial=trial)


class RowSum:
    """A running sum of rows of a table; only rows that occur take memory, at most `most` of them."""

    def __init__(self, n_rows: int, most: int, n_columns: int) -> None:
        self.places = np.full(n_rows, -1, np.int32)  # index in `values` of each row of the table
        self.values = np.zeros((most, n_columns))  # uses memory only after it is written to
        self.n = 0
        self.kind: np.dtype | None = None  # of a single report; a sum is in double precision

    def new(self, rows: Rows) -> NDArray[np.int64]:
        """Which of these rows are not part of the sum yet, by their numbers; `add` needs them."""
        return rows.positions[self.places[rows.positions] < 0]

    def add(self, rows: Rows, new: NDArray[np.int64]) -> None:
        """Add rows, each occurring once. new: the numbers of those that are not part of the sum yet."""
        self.kind = rows.values.dtype if self.kind is None else self.values.dtype
        self.places[new] = np.arange(self.n, self.n + len(new))
        self.n += len(new)
        add_rows(self.values, self.places[rows.positions].astype(np.int64), rows.values, 1.0)

    def take(self, layout: Layout) -> Iterator[tuple[int, Rows]]:
        """Yield the sum's rows by chunk of the table (`layout`), then clear the sum."""
        here = np.flatnonzero(self.places >= 0)
        for chunk, part in layout.cut(here):
            rows = here[part]
            yield chunk, Rows(rows, self.values[self.places[rows]].astype(self.kind, copy=False))
        self.places[here] = -1
        self.values[: self.n] = 0.0
        self.n, self.kind = 0, None


class Combiner:
    """Adds up the statistics of a portion's shards in a task, to send less to other tasks.

    What is added waits until it takes `most_bytes`, and is then yielded by chunk of rows. With `most_bytes`
    0, each shard's rows are yielded separately. Rows are added up at once; single cells (sampled counts) when
    they take half of the limit, since adding them takes as much memory again. An index takes 4 more bytes per
    row of the table.
    """

    def __init__(self, portion: int, layout: Layout, most_bytes: int) -> None:
        self.portion, self.layout, self.most_bytes = portion, layout, most_bytes
        self.sums: dict[str, RowSum] = {}
        self.cells: dict[str, list[SparseCounts]] = {}
        self.row_bytes = self.cell_bytes = self.turn = 0  # sizes of what waits; number of parts yielded

    @property
    def n_bytes(self) -> int:
        """The size in bytes of the rows and cells that were added and not yielded yet."""
        return self.row_bytes + self.cell_bytes

    def add(self, table: str, rows: Rows | SparseCounts) -> Iterator[tuple[Key, Sent]]:
        """Add a shard's rows for the table of this name; yields records if the limit is reached.

        All rows of a table must be of one type, `Rows` or `SparseCounts`.
        """
        if not len(rows.positions):
            return
        assert table not in (self.sums if isinstance(rows, SparseCounts) else self.cells)
        if isinstance(rows, SparseCounts):
            yield from self._add_cells(table, rows)
        else:
            yield from self._add_rows(table, rows)

    def rest(self) -> Iterator[tuple[Key, Sent]]:
        """Yield all that was added and not yielded yet, by chunk, and clear it."""
        self._combine()
        waiting: list[tuple[str, Iterator[tuple[int, Rows | SparseCounts]]]] = [
            *((table, total.take(self.layout)) for table, total in self.sums.items()),
            *((table, _by_chunk(cells, self.layout)) for table, (cells,) in self.cells.items()),
        ]
        for table, parts in waiting:
            for chunk, part in parts:
                self.turn += 1
                yield Key(chunk, self.portion, self.turn), sent(table, part, self.layout.bounds(chunk)[0])
        self.cells, self.row_bytes, self.cell_bytes = {}, 0, 0

    def _add_rows(self, table: str, rows: Rows) -> Iterator[tuple[Key, Sent]]:
        row, n_rows, total = 8 * rows.n_columns, self.layout.n_rows, self.sums.get(table)
        new = rows.positions if total is None else total.new(rows)
        if self.n_bytes and self.n_bytes + row * len(new) > self.most_bytes:
            yield from self.rest()
            new = rows.positions
        if total is None or total.n + len(new) > len(total.values):
            most = max(self.most_bytes // row, len(rows.positions))
            total = self.sums[table] = RowSum(n_rows, min(n_rows, most), rows.n_columns)
        total.add(rows, new)
        self.row_bytes += row * len(new)

    def _add_cells(self, table: str, cells: SparseCounts) -> Iterator[tuple[Key, Sent]]:
        self.cells.setdefault(table, []).append(cells)
        self.cell_bytes += CELL * len(cells.times)
        if self.n_bytes > self.most_bytes // 2:
            self._combine()
            if self.n_bytes > self.most_bytes // 8 * 3:
                yield from self.rest()

    def _combine(self) -> None:
        """Add up the waiting cells that have the same row and column."""
        self.cells = {table: [summed_cells(parts)] for table, parts in self.cells.items()}
        self.cell_bytes = sum(CELL * len(cells.times) for (cells,) in self.cells.values())


def _by_chunk(cells: SparseCounts, layout: Layout) -> Iterator[tuple[int, SparseCounts]]:
    """Split cells that are sorted by row; yields each chunk of the table with its cells."""
    for chunk, part in layout.cut(cells.positions):
        yield chunk, cells.at(np.arange(len(cells.times))[part])


def sent(table: str, rows: Rows | SparseCounts, first: int) -> Sent:
    """Pack rows for sending: dense or as their nonzero cells, whichever is smaller.

    Positions become relative to `first`, the first row of their chunk.
    """
    if isinstance(rows, SparseCounts):
        places, columns = (rows.positions - first).astype(np.int32), _narrow(rows.columns, rows.n_columns)
        return Sent(table, places, _short(rows.times), columns, rows.n_columns, rows.unit)
    places = (rows.positions - first).astype(np.int32)
    if np.count_nonzero(rows.values) > rows.values.size // 2:
        return Sent(table, places, rows.values, None, rows.n_columns, 1.0)
    flat = rows.values.ravel()
    cells = np.flatnonzero(flat != 0)  # several times faster than in two dimensions
    here, columns = np.divmod(cells, rows.n_columns)
    return Sent(table, places[here], flat[cells], _narrow(columns, rows.n_columns), rows.n_columns, 1.0)


def _narrow(columns: NDArray[np.integer], n_columns: int) -> NDArray[np.integer]:
    """Column numbers in two bytes each if they fit, otherwise in four."""
    return columns.astype(np.uint16 if n_columns <= 1 << 16 else np.int32)


def _short(times: NDArray[np.integer]) -> NDArray[np.integer]:
    """Whole numbers in the smallest integer type that fits all of them."""
    most = int(times.max(initial=0))
    return times.astype(np.min_scalar_type(most) if most < 1 << 31 else np.int64)


class Reduced(NamedTuple):
    """What a reducing task returns of a step: the totals of a block's rows, or all that is not rows.

    One of `totals` (groups × columns, of the model's own table) and `sums` is None. `records` and `n_bytes`:
    the number and size of the records that it received.
    """

    totals: Array | None  # groups × columns, for the model's own table
    sums: Stats | None  # the report without its rows, which one task adds up for all blocks
    records: int  # number of records received
    n_bytes: int


@dataclass(frozen=True)
class ReduceTask:
    """A Spark task that sums and writes the rows of one block; one more task sums all that is not rows."""

    folder: Path
    version: str
    layout: Layout
    n_columns: int
    groups: "Groups"
    n_groups: int

    def partition(self, key: Key) -> int:
        """The number of the task that receives records with this key."""
        return self.layout.blocks if key[0] == SMALL else self.layout.block_of(key[0])

    def __call__(self, index: int, pairs: Iterable[tuple[Key, Sent | Stats]]) -> Iterator[Reduced]:
        with sending_user_errors():
            refuse_unseen_folder(self.folder)
            yield self._sums(pairs) if index == self.layout.blocks else self._block(index, pairs)

    def _sums(self, pairs: Iterable[tuple[Key, Sent | Stats]]) -> Reduced:
        sums, records, n_bytes = Stats(no_rows(self.n_columns)), 0, 0
        for _, stats in pairs:
            assert isinstance(stats, Stats)
            sums, records = sums.plus(stats), records + 1
            n_bytes += len(pickle.dumps(stats))
        return Reduced(None, sums, records, n_bytes)

    def _block(self, block: int, pairs: Iterable[tuple[Key, Sent | Stats]]) -> Reduced:
        totals, records, n_bytes = np.zeros((self.n_groups, self.n_columns)), 0, 0
        with row_writer(block_path(self.folder, self.version, block)) as writer:
            for chunk, group in groupby(pairs, key=lambda pair: pair[0][0]):
                sums = dict[str, ChunkSum]()
                for _, part in group:
                    assert isinstance(part, Sent)
                    if part.table not in sums:
                        sums[part.table] = ChunkSum(*self.layout.bounds(chunk), part)
                    sums[part.table].add(part)
                    records, n_bytes = records + 1, n_bytes + part.n_bytes
                for table in sorted(sums):
                    rows = sums[table].rows()
                    writer.add(table, chunk, rows.positions, rows.values)
                    if table == COUNTS:
                        totals += group_sums(rows, self.groups, len(totals))
        return Reduced(totals, None, records, n_bytes)


def group_sums(rows: Rows, groups: "Groups", n_groups: int) -> Array:
    """The sums of rows by group (groups × columns).

    groups: a broadcast variable with the group of each row of the table, or None for one group.
    """
    return sums_by_group(rows, None if groups is None else groups.value, n_groups)


class ChunkSum:
    """A running sum of the rows of one chunk (consecutive rows), from several tasks.

    Counts of sampled statistics are added as whole numbers.
    """

    def __init__(self, first: int, last: int, like: Sent) -> None:
        self.first, self.unit = first, like.unit
        whole = np.issubdtype(like.values.dtype, np.integer)
        self.values = np.zeros((last - first, like.n_columns), np.int64 if whole else np.float64)
        self.touched = np.zeros(last - first, np.bool_)

    def add(self, part: Sent) -> None:
        """Add the rows that one task sent."""
        if part.columns is None:
            self.values[part.places] += part.values
        else:
            self.values[part.places, part.columns] += part.values
        self.touched[part.places] = True

    def rows(self) -> Rows:
        """The rows that were added to, with their numbers in the table."""
        here = np.flatnonzero(self.touched)
        return Rows(here + self.first, self.values[here] * self.unit)
