"""Sums the statistics of shards on one machine."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array, Rows, SparseCounts, Stats, join_cells, no_rows
from stickbreaker.kernels.dirichlet import (
    add_cells,  # pyright: ignore[reportUnknownVariableType]
    add_rows,  # pyright: ignore[reportUnknownVariableType]
)

FEW = 8  # less than an eighth of the table is stored as single cells, or as the rows that are touched


class Sum:
    """A running sum of shards' statistics, for a table of `shape`.

    Rows are added in a dense array. If the first shard has few of the table's rows, the array has only the
    rows that occur: a step then takes time in proportion to its documents, however large the table is. Single
    cells (sampled counts, all with the same unit) are collected while they are few, then added as whole
    numbers in an array. Trials (statistics of proposed changes) have sums of their own.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape
        self.rows: Array | None = None  # takes memory only for rows that are written to
        self.places: NDArray[np.int64] | None = None  # in `rows`, of the table's rows, from 1; None: in order
        self.n_placed = 0
        self.drawn: Array | None = None
        self.cells: list[SparseCounts] = []
        self.n_cells = 0
        self.unit: float = 1.0
        self.touched = np.zeros(shape[0], np.bool_)
        self.params = Stats(no_rows(shape[1]))
        self.trials: dict[str, Sum] = {}

    def add(self, stats: Stats) -> None:
        """Add the statistics of a shard."""
        if isinstance(stats.rows, SparseCounts):
            self._add_cells(stats.rows)
        elif len(stats.rows.positions):
            self._add_rows(stats.rows)
        self.params = self.params.plus_sums(stats)
        for name, trial in stats.trial.items():
            if name not in self.trials:
                self.trials[name] = Sum((self.shape[0], trial.rows.n_columns))
            self.trials[name].add(trial)

    def _add_rows(self, rows: Rows) -> None:
        (n_rows, n_columns), positions = self.shape, rows.positions
        if self.rows is None:
            few = len(positions) < n_rows // FEW
            self.places = np.zeros(n_rows, np.int64) if few else None
            self.rows = np.zeros((n_rows + few, n_columns))
        self.touched[positions] = True
        if self.places is not None:
            new = positions[self.places[positions] == 0]
            self.places[new] = np.arange(1, len(new) + 1) + self.n_placed
            self.n_placed += len(new)
            positions = self.places[positions]
        add_rows(self.rows, positions, rows.values, 1.0)

    def _add_cells(self, cells: SparseCounts) -> None:
        assert not self.n_cells or cells.unit == self.unit
        self.unit = cells.unit
        self.cells.append(cells)
        self.n_cells += len(cells.times)
        if self.drawn is None and self.n_cells > self.shape[0] * self.shape[1] // FEW:
            self.drawn = np.zeros(self.shape)
        if self.drawn is not None:
            for part in self.cells:
                add_cells(self.drawn, part.positions, part.columns, part.times, 1.0)
                self.touched[part.positions] = True
            self.cells = []

    def stats(self) -> Stats:
        """The sum of all that was added, with the sums of the trials."""
        trial = {name: each.stats() for name, each in self.trials.items()}
        return replace(self._own(), trial=trial) if trial else self._own()

    def _own(self) -> Stats:
        if self.rows is None and self.cells:
            return replace(self.params, rows=join_cells(self.cells).combined())
        if self.rows is not None and self.places is not None and (self.cells or self.drawn is not None):
            self.rows, self.places = self.rows[self.places], None  # a row without a place has that of zeros
        for part in self.cells:
            assert self.rows is not None
            add_cells(self.rows, part.positions, part.columns, part.times, part.unit)
            self.touched[part.positions] = True
        if self.drawn is not None:
            drawn = self.drawn * self.unit
            self.rows = drawn if self.rows is None else self.rows + drawn
        if self.rows is None:
            return self.params
        positions = np.flatnonzero(self.touched)
        if self.places is not None:
            return replace(self.params, rows=Rows(positions, self.rows[self.places[positions]]))
        values = self.rows if len(positions) == self.shape[0] else self.rows[positions]
        return replace(self.params, rows=Rows(positions, values))
