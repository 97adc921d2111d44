"""Named arrays that know their axes, rows of a table, and the statistics that shards report."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from stickbreaker.kernels.truncated_table import ByRow

Array = NDArray[np.float64]
AnyArray = NDArray[Any]  # of any type of numbers

DENSE = 2  # cells are added in a dense array of their rows if that has at most this many times as many cells
FLAGS = 64  # and if the last row's number is at most this many times the number of cells


def python_scalar(value: object) -> Any:
    """A NumPy scalar as the number or string of Python that it holds; other values unchanged.

    >>> python_scalar(np.int64(3)), python_scalar("three")
    (3, 'three')
    """
    return cast("Any", value).item() if isinstance(value, np.generic) else value


class Field(NamedTuple):
    """An array with named axes, so that edits of a model's shape apply to any model (`edits.apply`).

    `additive` fields are counts: merging two positions adds them, splitting one divides it, and new positions
    get zeros. Others are parameters: merging keeps the value of the position merged into, splitting copies
    it, and new positions get `fresh`.
    """

    values: AnyArray
    axes: tuple[str, ...] = ()
    additive: bool = True
    fresh: float = 0.0


Record = Mapping[str, Field]


class Rows(NamedTuple):
    """Some rows of a table: `positions` (n, int64, ascending) and `values` (n × columns)."""

    positions: NDArray[np.int64]
    values: AnyArray  # double or single precision

    @property
    def n_columns(self) -> int:
        return self.values.shape[1]

    def plus(self, other: "Rows | SparseCounts") -> "Rows":
        """The sum of two sets of rows of one table, with the rows of both."""
        other = other.rows()
        positions = np.union1d(self.positions, other.positions)
        values = np.zeros((len(positions), self.values.shape[1]))
        values[np.searchsorted(positions, self.positions)] += self.values
        values[np.searchsorted(positions, other.positions)] += other.values
        return Rows(positions, values)

    def scaled(self, factor: float) -> "Rows":
        return Rows(self.positions, self.values * factor)

    def rows(self) -> "Rows":
        return self

    def cells(self, unit: float) -> "SparseCounts":
        """The nonzero entries as sparse counts, which store each as a whole number of `unit`s (rounded)."""
        places, columns = np.nonzero(self.values)
        times = np.rint(self.values[places, columns] / unit).astype(np.int64)
        return SparseCounts(
            self.positions[places], columns.astype(np.int32), times, self.values.shape[1], unit
        )


class SparseCounts(NamedTuple):
    """Single entries of a table: entry i adds `times[i]` · `unit` at row `positions[i]`, column `columns[i]`.

    For sampled statistics. All three arrays are (n,). `times` are whole numbers, so that their sum does not
    depend on the order of addition. The same cell may occur more than once. `n_columns`: of the table.
    """

    positions: NDArray[np.int64]
    columns: NDArray[np.int32]
    times: NDArray[np.integer]
    n_columns: int
    unit: float = 1.0

    def plus(self, other: "Rows | SparseCounts") -> "Rows | SparseCounts":
        """The sum of two sets of rows: sparse if both are sparse and have the same unit, otherwise dense."""
        if not isinstance(other, SparseCounts) or other.unit != self.unit:
            return self.rows().plus(other)
        return join_cells([self, other])

    def at(self, places: NDArray[np.int64]) -> "SparseCounts":
        """The entries with the indices `places` in this object's arrays."""
        picked = self.positions[places], self.columns[places], self.times[places]
        return SparseCounts(*picked, self.n_columns, self.unit)

    def scaled(self, factor: float) -> "SparseCounts":
        return self._replace(unit=self.unit * factor)

    def rows(self) -> Rows:
        """The counts as dense rows: one for each position that has a cell."""
        positions, inverse = np.unique(self.positions, return_inverse=True)
        places = inverse * self.n_columns + self.columns
        values = np.bincount(places, self.times, len(positions) * self.n_columns)
        return Rows(positions, values.reshape(-1, self.n_columns) * self.unit)

    def combined(self) -> "SparseCounts":
        """The same counts with each cell once, sorted by row and column, and without zeros."""
        return summed_cells([self])

    def totals(self) -> Array:
        """Sums over rows (1 × columns)."""
        return np.bincount(self.columns, self.times, self.n_columns).astype(np.float64)[None, :] * self.unit


class TruncatedCounts(NamedTuple):
    """A read-only sparse table of counts, in which each column lists its cells in an order of its own.

    Entry [k, i] of the arrays (columns × slots) is the i-th cell of column k: in row `rows[k, i]`, with the
    count `scale * values[k, i]`, and within the column's truncation if `inside[k, i]`. Only the first
    `sizes[k]` slots of column k are used. `by_row()` returns an index of the cells by row. `keys` are the
    spellings of the rows.
    """

    rows: NDArray[np.int32]  # columns × slots
    values: Array
    inside: NDArray[np.bool_]
    sizes: NDArray[np.int64]  # columns
    scale: float
    by_row: "Callable[[], ByRow]"
    keys: Sequence[str]

    def live(self) -> NDArray[np.bool_]:
        """A mask of the slots that are used, each of which holds a cell (columns × slots)."""
        return np.asarray(np.arange(self.rows.shape[1]) < self.sizes[:, None], np.bool_)

    def dense(self, values: Array) -> Array:
        """A dense table (rows × columns) with `values` (columns × slots) in the cells, and zero elsewhere."""
        out = np.zeros((len(self.keys), len(self.sizes)))
        for column, size in enumerate(self.sizes.tolist()):
            out[self.rows[column, :size], column] = values[column, :size]
        return out

    def read(self, positions: NDArray[np.int64], values: Array) -> Array:
        """Some rows (positions × columns) of a table whose cells have `values` (columns × slots).

        Entries without a cell are zero, and so are rows for position -1.
        """
        from stickbreaker.kernels.truncated_table import gather  # pyright: ignore[reportUnknownVariableType]

        out = np.zeros((len(positions), len(self.sizes)))
        known = np.flatnonzero(positions >= 0)
        found = np.empty((len(known), len(self.sizes)))
        gather(positions[known], *self.by_row(), values, 1.0, found)
        out[known] = found
        return out


def summed_cells(parts: Sequence[SparseCounts]) -> SparseCounts:
    """The sum of sparse counts with the same unit: each cell once, sorted by row and column, without zeros.

    Whole numbers are added, so that their order does not matter: in a dense array if that is not much larger
    than the number of cells, otherwise by sorting.
    """
    n_cells, n_columns = sum(len(part.times) for part in parts), parts[0].n_columns
    size = 1 + max(int(part.positions.max(initial=-1)) for part in parts)
    there = np.zeros(size if size <= FLAGS * n_cells else 0, np.bool_)
    if len(there):
        for part in parts:
            there[part.positions] = True
    rows = np.flatnonzero(there)
    if len(there) and len(rows) * n_columns <= DENSE * n_cells:
        from stickbreaker.kernels.dirichlet import add_cells  # pyright: ignore[reportUnknownVariableType]

        sums, places = np.zeros((len(rows), n_columns)), np.cumsum(there) - 1
        for part in parts:
            add_cells(sums, places[part.positions], part.columns, part.times, 1.0)
        cells = np.flatnonzero(sums)
        times, positions = sums.ravel()[cells], rows[cells // n_columns]
    else:
        joined = join_cells(parts)
        cells, inverse = np.unique(joined.positions * n_columns + joined.columns, return_inverse=True)
        times = np.bincount(inverse, joined.times, len(cells))
        cells, times = cells[times != 0], times[times != 0]
        positions = cells // n_columns
    columns = (cells % n_columns).astype(np.int32)
    return parts[0]._replace(positions=positions, columns=columns, times=times.astype(np.int64))


def join_cells(parts: Sequence[SparseCounts]) -> SparseCounts:
    """The sum of several sets of cells with the same unit, as their concatenation; nothing is added up yet.

    >>> one = SparseCounts(np.array([4]), np.array([0]), np.array([2]), 3)
    >>> join_cells([one, one]).rows().values
    array([[4., 0., 0.]])
    """
    return parts[0]._replace(
        positions=np.concatenate([part.positions for part in parts]),
        columns=np.concatenate([part.columns for part in parts]),
        times=np.concatenate([part.times for part in parts]),
    )


def no_rows(n_columns: int) -> Rows:
    """An empty set of rows.

    >>> no_rows(3).values.shape
    (0, 3)
    """
    return Rows(np.empty(0, np.int64), np.empty((0, n_columns)))


@dataclass(frozen=True, slots=True)
class Stats:
    """The statistics (report) of one shard, or the sum of those of several: everything in it adds up.

    `rows`: counts for rows of the table. `new_rows`: counts, by key (a spelling), for rows that the table
    does not have yet. `usage`: sums that are not by row, such as topic use or E[log theta]. `score`: the
    documents' terms of the score, in nats. `documents`, `tokens`: their numbers. `trial`: the statistics of
    proposals under test, by the proposal's name.
    """

    rows: Rows | SparseCounts
    new_rows: Mapping[str, Array] = field(default_factory=dict[str, Array])
    usage: Record = field(default_factory=dict[str, Field])
    score: float = 0.0
    documents: float = 0.0
    tokens: float = 0.0
    trial: "Mapping[str, Stats]" = field(default_factory=dict[str, "Stats"])

    def plus(self, other: "Stats") -> "Stats":
        """The sum of two reports; a key that only one of them has counts as zero in the other."""
        return replace(
            self.plus_sums(other),
            rows=self.rows.plus(other.rows),
            trial=union_of(self.trial, other.trial, Stats.plus),
        )

    def plus_sums(self, other: "Stats") -> "Stats":
        """The sum of two reports, except for `rows` and `trial`, which stay those of this one."""
        return replace(
            self,
            new_rows=union_of(self.new_rows, other.new_rows, lambda a, b: a + b),
            usage=union_of(self.usage, other.usage, lambda a, b: a._replace(values=a.values + b.values)),
            score=self.score + other.score,
            documents=self.documents + other.documents,
            tokens=self.tokens + other.tokens,
        )

    def scaled(self, factor: float) -> "Stats":
        """Every sum times `factor`; adding a report scaled by -1 subtracts it."""
        return Stats(
            rows=self.rows.scaled(factor),
            new_rows={key: row * factor for key, row in self.new_rows.items()},
            usage={key: value._replace(values=value.values * factor) for key, value in self.usage.items()},
            score=self.score * factor,
            documents=self.documents * factor,
            tokens=self.tokens * factor,
            trial={name: stats.scaled(factor) for name, stats in self.trial.items()},
        )


K = TypeVar("K")
T = TypeVar("T")


def union_of(first: Mapping[K, T], second: Mapping[K, T], add: Callable[[T, T], T]) -> dict[K, T]:
    """Two mappings as one: where both have a key, its value is `add(first value, second value)`."""
    joined = dict(first)
    for key, value in second.items():
        joined[key] = add(joined[key], value) if key in joined else value
    return joined
