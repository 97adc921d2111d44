"""Tables of counts whose rows are stored in files, as engines on Spark leave them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.edits import Edit
from stickbreaker.core.errors import UserError
from stickbreaker.core.records import AnyArray, Array, Rows, SparseCounts
from stickbreaker.core.serialize import Arrays
from stickbreaker.core.untrusted import refuse_negative
from stickbreaker.engines.row_files import COUNTS, READERS, REMEDY, Layout, block_path
from stickbreaker.engines.table import Table, groups_of, scale_of

VERSION = re.compile(r"rows-\d+-\w+")  # names of directories with the rows of a table
MOST_FILES = 1 << 20


@dataclass(frozen=True)
class StoredRows:
    """Rows of a table that are stored in files, and read on request. Rows that no file has are zero.

    If there are several `versions` (folders of files), they are summed. `table`: the name of the rows in the
    files. Reading raises UserError for a file that is missing, damaged or from another table.
    """

    folder: Path
    layout: Layout
    versions: tuple[str, ...]
    n_columns: int
    table: str = COUNTS

    def chunk(self, chunk: int) -> Array:
        """The rows of a chunk (rows × columns) as a new array."""
        first, last = self.layout.bounds(chunk)
        out = np.zeros((last - first, self.n_columns))
        for version in self.versions:
            found = self._read(version, chunk)
            if found is not None:
                out[found.positions - first] += found.values
        return out

    def rows(self, rows: NDArray[np.int64]) -> Array:
        """The values of the rows with these ascending numbers (n × columns)."""
        out = np.zeros((len(rows), self.n_columns))
        for chunk, part in self.layout.cut(rows):
            for version in self.versions:
                found = self._read(version, chunk)
                if found is None or not len(found.positions):
                    continue
                wanted = rows[part]
                places = np.minimum(np.searchsorted(found.positions, wanted), len(found.positions) - 1)
                here = np.flatnonzero(found.positions[places] == wanted)
                out[part.start + here] += found.values[places[here]]
        return out

    def _read(self, version: str, chunk: int) -> Rows | None:
        path = block_path(self.folder, version, self.layout.block_of(chunk))
        rows = READERS.get(path).read(self.table, chunk)
        if rows is not None and len(rows.positions):
            first, last = self.layout.bounds(chunk)
            within = first <= rows.positions.min() and rows.positions.max() < last
            if not within or rows.n_columns != self.n_columns:
                raise UserError("a block belongs to another table", where=path, remedy=REMEDY)
        return rows


class StoredTable:
    """A read-only table of counts whose rows are read from files, otherwise like `Table`.

    Its rows have no keys. Methods that would change it raise ValueError.
    """

    keys = None

    def __init__(
        self,
        stored: StoredRows,
        axes: tuple[str, str],
        scale: float,
        totals: Array,
        groups: NDArray[np.int32] | None = None,
    ) -> None:
        self.stored, self.axes, self.scale, self.groups = stored, axes, scale, groups
        self._totals = totals

    @property
    def n_rows(self) -> int:
        return self.stored.layout.n_rows

    @property
    def shape(self) -> tuple[int, int]:
        return self.n_rows, self.stored.n_columns

    def totals(self) -> Array:
        """Sums over the rows (groups × columns)."""
        return self._totals

    def counts(self, rows: NDArray[np.int64] | slice) -> Array:
        """The counts of some rows (rows × columns): the stored values times the scale."""
        places = np.arange(self.n_rows)[rows] if isinstance(rows, slice) else rows
        if (places[1:] >= places[:-1]).all():
            return self.stored.rows(places) * self.scale
        order = np.argsort(places, kind="stable")
        out = np.empty((len(places), self.shape[1]))
        out[order] = self.stored.rows(places[order])
        return out * self.scale

    def chunk(self, chunk: int) -> tuple[int, Array]:
        """A chunk's first row number, and its rows' counts: the stored values times the scale."""
        return self.stored.layout.bounds(chunk)[0], self.stored.chunk(chunk) * self.scale

    def whole(self) -> Array:
        """All counts (rows × columns), in memory."""
        return self.counts(slice(None))

    def blend(self, rows: Rows | SparseCounts, keep: float, add: float) -> None:
        raise ValueError("a table in files is read-only")

    def edit(self, edit: Edit) -> None:
        raise ValueError("a table in files is read-only")

    def positions(self, keys: Sequence[str]) -> NDArray[np.int64]:
        raise ValueError("the rows of this table have numbers, not keys")

    def copy(self) -> Table:
        """The same table in memory, as a `Table`."""
        values = self.stored.rows(np.arange(self.n_rows))
        return Table(values, *self.axes, None, self.scale, self._totals.copy(), self.groups)

    def arrays(self) -> dict[str, AnyArray]:
        """Arrays from which `restored` rebuilds this table; its rows stay in their files."""
        layout = self.stored.layout
        arrays: dict[str, AnyArray] = {
            "layout": np.array([layout.n_rows, layout.chunk, layout.blocks, self.stored.n_columns]),
            "version": np.frombuffer(self.stored.versions[0].encode(), np.uint8).copy(),
            "scale": np.array(self.scale),
            "totals": self._totals,
        }
        return arrays if self.groups is None else {**arrays, "groups": self.groups}

    @classmethod
    def restored(cls, arrays: Arrays, row_axis: str, column_axis: str, folder: Path) -> "StoredTable":
        """The table from its `arrays`, with its rows in `folder`. Raises ValueError for invalid arrays."""
        n_rows, chunk, blocks, n_columns = arrays["layout"].tolist()
        version = arrays["version"].tobytes().decode()
        if VERSION.fullmatch(version) is None:
            raise ValueError(f"rows in {version[:100]!r}")
        if n_rows < 0 or n_columns < 1 or chunk < 1 or not 1 <= blocks <= MOST_FILES:
            raise ValueError("a layout that fits no table")
        stored = StoredRows(folder, Layout(n_rows, chunk, blocks), (version,), n_columns)
        totals = np.array(arrays["totals"], np.float64)
        refuse_negative(totals, "totals")
        if totals.ndim != 2 or totals.shape[1] != n_columns:
            raise ValueError("totals that do not fit the columns")
        groups = groups_of(arrays, n_rows)
        return cls(stored, (row_axis, column_axis), scale_of(arrays), totals, groups)

    def files(self) -> list[Path]:
        """The files that contain the table's rows."""
        stored = self.stored
        return [block_path(stored.folder, stored.versions[0], block) for block in range(stored.layout.blocks)]
