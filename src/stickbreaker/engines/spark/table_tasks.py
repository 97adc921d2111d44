"""Work of Spark tasks on a table's blocks, chunk by chunk: from files to files and small sums."""

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, Self, TypeVar

import numpy as np

from stickbreaker.contracts.contract import Model
from stickbreaker.core.edits import Change, Dissolve, Edit, Split, apply_change, apply_to_stats
from stickbreaker.core.records import AnyArray, Array, Field, Record, Rows, Stats, union_of
from stickbreaker.core.threads import one_thread
from stickbreaker.engines.engine import Seeds
from stickbreaker.engines.memoized import single
from stickbreaker.engines.row_files import COUNTS, Layout, block_path, row_writer
from stickbreaker.engines.spark.document_tasks import StoredField
from stickbreaker.engines.spark.failures import freeze_gc, refuse_unseen_folder, sending_user_errors
from stickbreaker.engines.spark.stats_sum import group_sums
from stickbreaker.engines.stored_table import StoredRows, StoredTable

if TYPE_CHECKING:
    from pyspark import Broadcast

    from stickbreaker.engines.spark.stats_sum import Groups


class Addable(Protocol):
    """A type whose values can be added, so that work on chunks can return them to be summed."""

    def __add__(self, other: Self, /) -> Self: ...


K = TypeVar("K")  # of names
S = TypeVar("S", bound=Addable)


class Made(NamedTuple, Generic[K, S]):
    """What work on a chunk of rows returns: rows to write to files, and values to sum over all chunks.

    `rows`: by version (folder of files) and name of a table in it; `sums`: by name.
    """

    rows: Mapping[str, Mapping[str, Rows]] = {}
    sums: Mapping[K, S] = {}


@dataclass(frozen=True)
class BlockTask(Generic[K, S]):
    """A Spark task that calls `work` on every chunk of some blocks, and writes the rows that it returns.

    versions: names of the folders of files that are written. Yields the sums of each block.
    """

    folder: Path
    layout: Layout
    work: Callable[[int], Made[K, S]]
    versions: tuple[str, ...] = ()

    def __call__(self, blocks: Iterable[int]) -> Iterator[dict[K, S]]:
        with sending_user_errors(), one_thread():
            refuse_unseen_folder(self.folder)
            for block in blocks:
                yield self._block(block)
        freeze_gc("block")

    def _block(self, block: int) -> dict[K, S]:
        sums = dict[K, S]()
        with ExitStack() as stack:
            writers = {
                version: stack.enter_context(row_writer(block_path(self.folder, version, block)))
                for version in self.versions
            }
            for chunk in self.layout.chunks_of(block):
                made = self.work(chunk)
                for version, tables in made.rows.items():
                    for table, rows in tables.items():
                        writers[version].add(table, chunk, rows.positions, rows.values)
                sums = union_of(sums, made.sums, operator.add)
        return sums


def present(first: int, values: AnyArray) -> Rows:
    """The rows of a chunk that are not all zero, with their numbers. first: the number of its first row."""
    here = np.flatnonzero(values.any(axis=1))
    return Rows(here + first, values[here])


@dataclass(frozen=True)
class Begin:
    """Work on a chunk of rows: writes the counts with which a run begins."""

    layout: Layout
    seeds: "Broadcast[Seeds]"
    version: str

    def __call__(self, chunk: int) -> Made[str, Array]:
        first, last = self.layout.bounds(chunk)
        rows = present(first, np.asarray(self.seeds.value[first:last], np.float64))
        return Made({self.version: {COUNTS: rows}})


@dataclass(frozen=True)
class Blend:
    """Work on a chunk of rows: writes keep · table + add · fresh as a new version of the table."""

    table: StoredRows
    fresh: StoredRows
    keep: float
    add: float
    version: str

    def __call__(self, chunk: int) -> Made[str, Array]:
        values = self.table.chunk(chunk) * self.keep + self.fresh.chunk(chunk) * self.add
        return Made({self.version: {COUNTS: present(self.table.layout.bounds(chunk)[0], values)}})


@dataclass(frozen=True)
class Totals:
    """Work on a chunk of rows: runs `work`, and adds to its sums the column totals of what it wrote.

    These are the sums named "totals" (groups × columns), over the rows in `version`.
    """

    version: str
    work: Callable[[int], Made[str, Array]]
    groups: "Groups"
    n_groups: int

    def __call__(self, chunk: int) -> Made[str, Array]:
        made = self.work(chunk)
        totals = group_sums(made.rows[self.version][COUNTS], self.groups, self.n_groups)
        return made._replace(sums={**made.sums, "totals": totals})


@dataclass(frozen=True)
class Summarise:
    """Work on a chunk of rows: computes the model's `summary` of them."""

    model: "Broadcast[Model]"
    params: Record
    table: StoredTable

    def __call__(self, chunk: int) -> Made[str, Array]:
        first, counts = self.table.chunk(chunk)
        return Made(sums=dict(self.model.value.summary(self.params, counts, first)))


@dataclass(frozen=True)
class ExchangeReports:
    """Work on a chunk of rows: replaces a minibatch's statistics in the table by its new ones.

    table ← keep · table + `fresh` - `last` + the sum of `others`. `fresh` is rounded to single precision, and
    stored with the trials as the version `report`.
    """

    table: StoredRows
    keep: float
    fresh: StoredRows
    trials: Mapping[str, StoredRows]
    last: StoredRows | None
    others: tuple[StoredRows, ...]
    version: str
    report: str

    def __call__(self, chunk: int) -> Made[str, Array]:
        first = self.table.layout.bounds(chunk)[0]
        fresh = self.fresh.chunk(chunk).astype(np.float32)
        values = self.table.chunk(chunk) * self.keep + fresh
        if self.last is not None:
            values -= self.last.chunk(chunk)
        for rows in self.others:
            values += rows.chunk(chunk)
        tables = {COUNTS: present(first, fresh)}
        tables |= {name: present(first, rows.chunk(chunk)) for name, rows in self.trials.items()}
        return Made({self.version: {COUNTS: present(first, values)}, self.report: tables})


@dataclass(frozen=True)
class StoredReport:
    """The rows in files of a minibatch's statistics and trials, to which an edit is to be applied.

    `after`: the version (folder of files) that the edited rows are written as.
    """

    rows: StoredRows
    trials: Mapping[str, StoredRows]
    after: str


@dataclass(frozen=True)
class Follow:
    """Work on a chunk of rows: applies an edit to the rows of a step's statistics, in new files.

    The rows of its trials are not written.
    """

    edit: Edit
    axes: tuple[str, str]
    report: StoredReport

    def __call__(self, chunk: int) -> Made[str, Array]:
        first, last = self.report.rows.layout.bounds(chunk)
        edit = cut_edit(self.edit, self.axes[0], chunk, slice(first, last))
        after = apply_to_stats(edit, _report(self.report, chunk), *self.axes, last - first)
        return Made({self.report.after: {COUNTS: _moved(after.rows.rows(), first)}})


@dataclass(frozen=True)
class EditTask:
    """Work on a chunk of rows: applies an edit to the table's columns and to all stored statistics.

    If there are stored statistics, the table becomes the sum of their rows.
    """

    edit: Edit
    axes: tuple[str, str]
    table: StoredTable
    version: str
    reports: tuple[StoredReport, ...] = ()

    def __call__(self, chunk: int) -> Made[str, Array]:
        first, last = self.table.stored.layout.bounds(chunk)
        edit = cut_edit(self.edit, self.axes[0], chunk, slice(first, last))
        made = dict[str, dict[str, Rows]]()
        if not self.reports:
            item = Field(self.table.chunk(chunk)[1], self.axes)
            for change in edit:
                item = apply_change(item, change)
            return Made({self.version: {COUNTS: present(first, item.values)}})
        total: Array | None = None
        for report in self.reports:
            stats = _report(report, chunk)
            after = apply_to_stats(edit, stats, *self.axes, last - first)
            rows = single(after.rows.rows())
            dense = np.zeros((last - first, rows.n_columns))
            dense[rows.positions] = rows.values
            total = dense if total is None else total + dense
            tables = {COUNTS: _moved(rows, first)}
            tables |= {name: _moved(trial.rows.rows(), first) for name, trial in after.trial.items()}
            made[report.after] = tables
        assert total is not None
        return Made({**made, self.version: {COUNTS: present(first, total)}})


def _report(report: StoredReport, chunk: int) -> Stats:
    """Stored statistics restricted to a chunk; rows are numbered from the chunk's first row."""
    trial = {name: Stats(present(0, rows.chunk(chunk))) for name, rows in report.trials.items()}
    return Stats(present(0, report.rows.chunk(chunk)), trial=trial)


def _moved(rows: Rows, first: int) -> Rows:
    return Rows(rows.positions + first, rows.values)


def cut_edit(edit: Edit, axis: str, chunk: int, rows: slice) -> Edit:
    """An edit whose values along the row axis `axis` are restricted to the rows of a chunk.

    chunk, rows: the chunk's number, and its rows in the whole table.
    """
    out: list[Change] = []
    for change in edit:
        if isinstance(change, Split | Dissolve) and axis in change.along:
            held = change.along[axis]
            own = held.chunk(chunk) if isinstance(held, StoredField) else held[rows]
            change = replace(change, along={**change.along, axis: own})
        out.append(change)
    return tuple(out)
