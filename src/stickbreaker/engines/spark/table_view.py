"""Answers the queries of moves about a table in blocks: sums over chunks, and fields stored in files."""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from stickbreaker.contracts.table_view import ReportRows, RowArray, RowBlock, RowQuery, TableView
from stickbreaker.core.records import Array, Rows, SparseCounts, Stats, union_of
from stickbreaker.engines.spark.document_tasks import StoredField
from stickbreaker.engines.spark.table_tasks import K, Made, S, present
from stickbreaker.engines.stored_table import StoredRows, StoredTable
from stickbreaker.engines.table_view import Largest, largest_of, largest_rows

Held = StoredField | StoredRows  # an array over all rows, or the rows of a report
Functions = Mapping[str, tuple[Callable[[RowBlock], Mapping[str, Array]], Mapping[str, Held]]]


class ChunkedTable(Protocol):
    """What `SparkParts` needs of an engine whose table is stored in chunks of rows."""

    folder: Path
    table: StoredTable

    def reading(self) -> StoredTable:
        """A read-only copy of the table to send to tasks, which read its rows from files."""
        ...

    def new_version(self) -> str:
        """A name for a new folder of files.

        The files are removed after the step unless the engine's state refers to them.
        """
        ...

    def each_chunk(self, work: Callable[[int], Made[K, S]], *versions: str) -> dict[K, S]:
        """Run `work` on every chunk of rows of the table; returns the sums of its results by name.

        versions: names of the folders of files that `work` writes.
        """
        ...

    def stored_rows(self, rows: Rows | SparseCounts) -> StoredRows:
        """Rows of statistics in files, written now if they are in memory."""
        ...

    def stored_array(self, values: Array) -> StoredField:
        """Write an array with a value for each row of the table to files."""
        ...


class SparkParts(TableView):
    """A TableView that answers queries chunk by chunk; each call is one Spark job for all its queries."""

    def __init__(self, engine: ChunkedTable, report: Stats | None) -> None:
        self.n_rows, self.totals = engine.table.n_rows, engine.table.totals()
        self._engine, self._report = engine, report

    def add(self, queries: Mapping[str, RowQuery]) -> dict[str, dict[str, Array]]:
        if not queries:
            return {}
        found = self._engine.each_chunk(AddParts(self._engine.reading(), self._functions(queries)))
        return {name: found.get(name, {}) for name in queries}

    def fields(self, queries: Mapping[str, RowQuery]) -> dict[str, dict[str, RowArray]]:
        if not queries:
            return {}
        engine, version = self._engine, self._engine.new_version()
        shapes = engine.each_chunk(FieldParts(engine.reading(), self._functions(queries), version), version)
        out: dict[str, dict[str, RowArray]] = {name: {} for name in queries}
        for (name, field), shape in shapes.items():
            n_columns = int(np.prod(shape, dtype=np.int64))
            layout = engine.table.stored.layout
            rows = StoredRows(engine.folder, layout, (version,), n_columns, f"{name}/{field}")
            out[name][field] = StoredField(rows, (self.n_rows, *shape))
        return out

    def top(self, columns: Sequence[int], n: int) -> list[list[int]]:
        found = self._engine.each_chunk(TopParts(self._engine.reading(), tuple(columns), n))
        return [largest_of(found[place].rows, n) for place in range(len(columns))]

    def _functions(self, queries: Mapping[str, RowQuery]) -> Functions:
        return {
            name: (query.function, {key: self._stored(item) for key, item in query.held.items()})
            for name, query in queries.items()
        }

    def _stored(self, item: RowArray | ReportRows) -> Held:
        if isinstance(item, ReportRows):
            assert self._report is not None
            report = self._report.trial[item.trial] if item.trial else self._report
            return self._engine.stored_rows(report.rows)
        return item if isinstance(item, StoredField) else self._engine.stored_array(item)


@dataclass(frozen=True)
class QueryTask:
    """Work on a chunk of rows in a Spark task: answers moves' queries (see `RowQuery`) about them."""

    table: StoredTable
    functions: Functions

    def answer(self, name: str, chunk: int) -> Mapping[str, Array]:
        function, held = self.functions[name]
        own = {key: item.chunk(chunk) for key, item in held.items()}
        first, counts = self.table.chunk(chunk)
        return function(RowBlock(first, self.table.n_rows, counts, own))


class AddParts(QueryTask):
    """Work on a chunk of rows: answers all queries about it, to be summed over the chunks."""

    def __call__(self, chunk: int) -> Made[str, "Sums"]:
        return Made(sums={name: Sums(self.answer(name, chunk)) for name in self.functions})


class Sums(dict[str, Array]):
    """Named arrays that can be added to others."""

    def __add__(self, other: Mapping[str, Array]) -> "Sums":
        return Sums(union_of(self, other, operator.add))


@dataclass(frozen=True)
class FieldParts(QueryTask):
    """Work on a chunk of rows: computes arrays with a value for each row, and writes them to files.

    Each array is a table named query/field in the files of `version`. The shape of a row's value is returned
    for each.
    """

    version: str = ""

    def __call__(self, chunk: int) -> Made[tuple[str, str], "Same"]:
        first = self.table.stored.layout.bounds(chunk)[0]
        rows, shapes = dict[str, Rows](), dict[tuple[str, str], Same]()
        for name in self.functions:
            for field, values in self.answer(name, chunk).items():
                rows[f"{name}/{field}"] = present(first, values.reshape(len(values), -1).astype(np.float64))
                shapes[name, field] = Same(values.shape[1:])
        return Made({self.version: rows}, shapes)


class Same(tuple[int, ...]):
    """A shape that must be the same in all chunks: "adding" another checks this and returns the shape."""

    __slots__ = ()

    def __add__(self, other: object) -> "Same":
        assert self == other
        return self


@dataclass(frozen=True)
class TopParts:
    """Work on a chunk of rows: finds the n rows with the largest counts in each of some columns.

    The sums have a `Best` for each index in `columns`.
    """

    table: StoredTable
    columns: tuple[int, ...]
    n: int

    def __call__(self, chunk: int) -> Made[int, "Best"]:
        first, counts = self.table.chunk(chunk)
        found = largest_rows(counts, first, self.columns, self.n)
        return Made(sums={place: Best([each]) for place, each in enumerate(found)})


@dataclass(frozen=True)
class Best:
    """The largest rows of a column in several chunks; adding concatenates them."""

    rows: list[Largest]

    def __add__(self, other: "Best") -> "Best":
        return Best([*self.rows, *other.rows])
