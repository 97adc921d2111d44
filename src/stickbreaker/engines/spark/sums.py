"""How reports become sums: added up in their task under a memory limit, then block by block of the rows.

A task's reports are combined before they leave it (in-mapper combining, Zhai 2014, section 3.2), keyed by the
chunk of rows that they belong to. A block adds them in the portions' order, which depends on no machine.
"""

import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array, Cells, Rows, Stats, no_rows, summed_cells, united
from stickbreaker.engines.row_files import COUNTS, Layout, block_path, row_writer
from stickbreaker.engines.spark.failures import told
from stickbreaker.engines.table import sums_by_group
from stickbreaker.kernels.topic_words import add_rows

SMALL = -1  # in place of a chunk's number: what is no row


class Key(NamedTuple):
    """Of what a task sends: the chunk that it is of (`SMALL`: none), the portion's number, and its turn."""

    chunk: int
    portion: int
    turn: int


class Sent(NamedTuple):
    """Rows of one table and chunk that a task sends: dense, or the cells that are not zero, each once."""

    table: str
    places: NDArray[np.int32]  # of rows, or of each cell's row, in the chunk
    values: NDArray[Any]  # rows × columns, or a number a cell: whole ones where they were drawn
    columns: NDArray[np.integer[Any]] | None  # of cells
    n_columns: int
    unit: float

    @property
    def n_bytes(self) -> int:
        cells = 0 if self.columns is None else self.columns.nbytes
        return self.places.nbytes + self.values.nbytes + cells


def without_rows(stats: Stats) -> Stats:
    """A report less its rows and those of its trials."""
    trial = {name: without_rows(each) for name, each in stats.trial.items()}
    return replace(stats, rows=no_rows(stats.rows.n_columns), trial=trial)


class Combiner:
    """Adds reports up until they take `most_bytes`, and gives them cut by chunk; 0 gives each as it comes."""

    def __init__(self, portion: int, layout: Layout, most_bytes: int) -> None:
        self.portion, self.layout, self.most_bytes = portion, layout, most_bytes
        self.waiting: dict[str, list[Rows | Cells]] = {}
        self.n_bytes = self.turn = 0

    def add(self, table: str, rows: Rows | Cells) -> Iterator[tuple[Key, Sent]]:
        """Take a report; what the limit does not leave room for is given."""
        if not len(rows.positions):
            return
        self.waiting.setdefault(table, []).append(rows)
        self.n_bytes += _bytes(rows)
        if self.n_bytes > self.most_bytes // 2:  # as much again is needed to add them up
            self._combine()
            if self.n_bytes > self.most_bytes // 8 * 3:
                yield from self.rest()

    def rest(self) -> Iterator[tuple[Key, Sent]]:
        """All that waits."""
        self._combine()
        for table, (rows,) in self.waiting.items():
            for chunk, part in _by_chunk(rows, self.layout.chunk):
                self.turn += 1
                yield Key(chunk, self.portion, self.turn), sent(table, part, chunk * self.layout.chunk)
        self.waiting, self.n_bytes = {}, 0

    def _combine(self) -> None:
        self.waiting = {table: [summed(parts)] for table, parts in self.waiting.items()}
        self.n_bytes = sum(_bytes(rows) for (rows,) in self.waiting.values())


def summed(parts: Sequence[Rows | Cells]) -> Rows | Cells:
    """The sum of reports of one kind, in their order; rows ascending, cells each once."""
    if isinstance(parts[0], Cells):
        cells = [part for part in parts if isinstance(part, Cells)]
        assert len(cells) == len(parts)
        return summed_cells(cells)
    rows = [part.rows() for part in parts]
    if len(rows) == 1:
        return rows[0]
    positions, places = united(rows)
    values = np.zeros((len(positions), rows[0].n_columns))
    for part in rows:
        add_rows(values, places[part.positions], part.values, 1.0)
    return Rows(positions, values)


def _bytes(rows: Rows | Cells) -> int:
    if isinstance(rows, Cells):
        return 20 * len(rows.times)
    return rows.positions.nbytes + rows.values.nbytes


def _by_chunk(rows: Rows | Cells, chunk: int) -> Iterator[tuple[int, Rows | Cells]]:
    """Rows cut where chunks end."""
    chunks, starts = np.unique(rows.positions // chunk, return_index=True)
    ends = [*starts.tolist()[1:], len(rows.positions)]
    for number, start, stop in zip(chunks.tolist(), starts.tolist(), ends, strict=True):
        if isinstance(rows, Cells):
            yield number, rows.at(np.arange(start, stop))
        else:
            yield number, Rows(rows.positions[start:stop], rows.values[start:stop])


def sent(table: str, rows: Rows | Cells, first: int) -> Sent:
    """Rows in the form that takes fewer bytes; `first` is the number of their chunk's first row."""
    if isinstance(rows, Cells):
        places, columns = (rows.positions - first).astype(np.int32), _narrow(rows.columns, rows.n_columns)
        return Sent(table, places, rows.times, columns, rows.n_columns, rows.unit)
    places = (rows.positions - first).astype(np.int32)
    if np.count_nonzero(rows.values) > rows.values.size // 2:
        return Sent(table, places, rows.values, None, rows.n_columns, 1.0)
    here, columns = np.nonzero(rows.values)
    values = rows.values[here, columns]
    return Sent(table, places[here], values, _narrow(columns, rows.n_columns), rows.n_columns, 1.0)


def _narrow(columns: NDArray[np.integer[Any]], n_columns: int) -> NDArray[np.integer[Any]]:
    """Numbers of columns in two bytes each, where they fit."""
    return columns.astype(np.uint16 if n_columns <= 1 << 16 else np.int32)


class Reduced(NamedTuple):
    """What a block tells the driver of a step's reports."""

    totals: Array | None  # groups × columns, of the model's own table
    small: Stats | None
    records: int  # that were sent
    n_bytes: int


@dataclass(frozen=True)
class ReduceTask:
    """Adds the reports of a block's rows and writes them; one more task adds up all that is no row."""

    folder: Path
    version: str
    layout: Layout
    n_columns: int
    groups: Any  # a broadcast variable with the group of each row; None where there is but one
    n_groups: int

    def partition(self, key: Key) -> int:
        """The task that a key is for."""
        return self.layout.blocks if key[0] == SMALL else self.layout.block_of(key[0])

    def __call__(self, index: int, pairs: Iterable[tuple[Key, Any]]) -> Iterator[Reduced]:
        with told():
            yield self._small(pairs) if index == self.layout.blocks else self._block(index, pairs)

    def _small(self, pairs: Iterable[tuple[Key, Stats]]) -> Reduced:
        small, records, n_bytes = Stats(no_rows(self.n_columns)), 0, 0
        for _, stats in pairs:
            small, records = small.plus(stats), records + 1
            n_bytes += len(pickle.dumps(stats))
        return Reduced(None, small, records, n_bytes)

    def _block(self, block: int, pairs: Iterable[tuple[Key, Sent]]) -> Reduced:
        totals, records, n_bytes = np.zeros((self.n_groups, self.n_columns)), 0, 0
        with row_writer(block_path(self.folder, self.version, block)) as writer:
            for chunk, group in groupby(pairs, key=lambda pair: pair[0][0]):
                sums = dict[str, ChunkSum]()
                for _, part in group:
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


def group_sums(rows: Rows, groups: Any, n_groups: int) -> Array:
    """Sums of rows (groups × columns); `groups` as in `ReduceTask`."""
    return sums_by_group(rows, None if groups is None else groups.value, n_groups)


class ChunkSum:
    """Rows of a chunk added up in the order in which they come; drawn ones as whole numbers."""

    def __init__(self, first: int, last: int, like: Sent) -> None:
        self.first, self.unit = first, like.unit
        whole = np.issubdtype(like.values.dtype, np.integer)
        self.values = np.zeros((last - first, like.n_columns), np.int64 if whole else np.float64)
        self.touched = np.zeros(last - first, np.bool_)

    def add(self, part: Sent) -> None:
        """Add one task's rows."""
        if part.columns is None:
            self.values[part.places] += part.values
        else:
            self.values[part.places, part.columns] += part.values
        self.touched[part.places] = True

    def rows(self) -> Rows:
        """The sum, by the rows' numbers in the table."""
        here = np.flatnonzero(self.touched)
        return Rows(here + self.first, self.values[here] * self.unit)
