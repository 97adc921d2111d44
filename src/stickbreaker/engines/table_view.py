"""Answers the queries of moves about a table in memory, block by block."""

import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from stickbreaker.contracts.table_view import ReportRows, RowArray, RowBlock, RowQuery, TableView
from stickbreaker.core.records import Array, Stats, union_of
from stickbreaker.core.topk import descending
from stickbreaker.core.topk import largest as largest_columns
from stickbreaker.engines.stored_table import StoredTable
from stickbreaker.engines.table import Table
from stickbreaker.engines.truncated_table import TruncatedTable

Largest = tuple[Array, NDArray[np.int64]]  # values and numbers of rows, the largest first


class LocalTableView(TableView):
    """A TableView of a table in memory, in blocks of `size` rows (None: all rows are one block)."""

    def __init__(
        self, table: Table | TruncatedTable | StoredTable, report: Stats | None, size: int | None = None
    ) -> None:
        self.n_rows, self.totals = table.n_rows, table.totals()
        self._table, self._report = table, report
        self._dense: dict[ReportRows, Array] = {}
        self._size = size or max(1, self.n_rows)

    @cached_property
    def _counts(self) -> Array:
        return self._table.counts(slice(None))

    def add(self, queries: Mapping[str, RowQuery]) -> dict[str, dict[str, Array]]:
        found: dict[str, dict[str, Array]] = {name: {} for name in queries}
        for name, query in queries.items():
            for answer in self._answers(query):
                found[name] = union_of(found[name], answer, operator.add)
        return found

    def fields(self, queries: Mapping[str, RowQuery]) -> dict[str, dict[str, RowArray]]:
        return {name: _joined(self._answers(query)) for name, query in queries.items()}

    def top(self, columns: Sequence[int], n: int) -> list[list[int]]:
        if isinstance(self._table, TruncatedTable):
            whole, numbers = self._table.columns(columns), range(len(columns))
        else:
            whole, numbers = self._counts, columns
        found = [largest_rows(whole[rows], rows.start, numbers, n) for rows in self._ranges()]
        return [largest_of([part[place] for part in found], n) for place in range(len(columns))]

    def _ranges(self) -> Iterator[slice]:
        for first in range(0, max(1, self.n_rows), self._size):
            yield slice(first, min(first + self._size, self.n_rows))

    def _answers(self, query: RowQuery) -> Iterator[Mapping[str, Array]]:
        """The result of a query for each block of rows."""
        held = {name: self._whole(item) for name, item in query.held.items()}
        for rows in self._ranges():
            own = {name: values[rows] for name, values in held.items()}
            counts = self._counts[rows] if query.counts else np.empty((rows.stop - rows.start, 0))
            yield query.function(RowBlock(rows.start, self.n_rows, counts, own))

    def _whole(self, item: RowArray | ReportRows) -> Array:
        """The array over all rows that a query asks for: `item` itself, or a report's rows as a dense array.

        Rows that the report lacks are zero.
        """
        if not isinstance(item, ReportRows):
            return item
        if item not in self._dense:
            assert self._report is not None
            report = self._report.trial[item.trial] if item.trial else self._report
            rows = report.rows.rows()
            self._dense[item] = np.zeros((self.n_rows, rows.values.shape[1]))
            self._dense[item][rows.positions] = rows.values
        return self._dense[item]


def _joined(answers: Iterable[Mapping[str, Array]]) -> dict[str, RowArray]:
    parts: dict[str, list[Array]] = {}
    for answer in answers:
        for name, values in answer.items():
            parts.setdefault(name, []).append(values)
    return {name: values[0] if len(values) == 1 else np.concatenate(values) for name, values in parts.items()}


def largest_rows(counts: Array, first: int, columns: Sequence[int], n: int) -> list[Largest]:
    """For each of some columns, the n largest values in a block, with the numbers of their rows.

    first: the number of the block's first row.

    >>> largest_rows(np.array([[3.0], [5.0], [5.0]]), 10, [0], 2)[0][1].tolist()
    [11, 12]
    """
    rows, values = largest_columns(counts[:, columns].T, n)
    return list(zip(values, rows + first, strict=True))


def largest_of(parts: Sequence[Largest], n: int) -> list[int]:
    """The numbers of the n rows with the largest values, from the largest ones of each block.

    parts: the results of `largest_rows` for one column, in order of blocks.

    >>> largest_of([(np.array([7.0, 5.0]), np.array([1, 0])), (np.array([5.0]), np.array([2]))], 2)
    [1, 0]
    """
    values, rows = (np.concatenate(each) for each in zip(*parts, strict=True))
    return rows[descending(values, n)].tolist()
