"""The engine on Spark whose table is cut into blocks, in files; the driver holds sums and file names."""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stickbreaker.contracts.contract import Model, Proposals, Summary
from stickbreaker.contracts.table_view import TableView
from stickbreaker.core.edits import Edit, apply_to_rows, apply_to_stats
from stickbreaker.core.records import AnyArray, Array, Record, Rows, SparseCounts, Stats, no_rows, union_of
from stickbreaker.core.serialize import flat_stats, stats_from
from stickbreaker.corpus.shards import Shard
from stickbreaker.engines.engine import Engine, Item, Piece, Result, Seeds
from stickbreaker.engines.local import LocalEngine
from stickbreaker.engines.memoized import PREFIX, tried_by_all
from stickbreaker.engines.row_files import COUNTS, Layout, block_path, row_writer, sync
from stickbreaker.engines.spark.array_sums import map_items_with_sums
from stickbreaker.engines.spark.document_tasks import EachTask, MapTask, StoredField, over_files
from stickbreaker.engines.spark.file_versions import Versions
from stickbreaker.engines.spark.jobs import Cluster, by_key
from stickbreaker.engines.spark.partitions import CarriedRecords, source_behind
from stickbreaker.engines.spark.spark_settings import SparkSettings
from stickbreaker.engines.spark.stats_sum import Reduced, ReduceTask, without_rows
from stickbreaker.engines.spark.table_tasks import (
    Begin,
    Blend,
    BlockTask,
    EditTask,
    ExchangeReports,
    Follow,
    K,
    Made,
    S,
    StoredReport,
    Summarise,
    Totals,
)
from stickbreaker.engines.spark.table_view import SparkParts
from stickbreaker.engines.stored_table import StoredRows, StoredTable
from stickbreaker.engines.table import n_groups_of, refuse_other_groups

CHUNK = 1024  # most rows in a chunk
BLOCK_BYTES, MOST_BLOCKS = 1 << 22, 16  # for a table whose number of blocks is not given
LEAST_COLUMNS = 50  # a table of fewer columns may grow to this many


class FiledRows(Rows):
    """Rows of statistics that are stored in files (`stored`) and not in memory.

    The arrays are empty: only the engine that wrote the files can use these rows.
    """

    stored: StoredRows

    @classmethod
    def of(cls, stored: StoredRows) -> "FiledRows":
        """Wrap rows in files, so that they can stand where statistics have their rows."""
        rows = cls(*no_rows(stored.n_columns))
        rows.stored = stored
        return rows


class ShardedEngine(Engine):
    """An engine on Spark for large tables, whose rows are in files, cut into blocks.

    Tasks run local steps on portions of documents, then sum the statistics of each block. Each version of the
    table, of statistics and of documents' records is a folder of files in `folder`, which all machines see.
    Versions that are not needed any more are removed.
    """

    # narrower types than in the contract, since others only read these
    table: StoredTable
    folder: Path

    def __init__(self, settings: SparkSettings, *, folder: Path, keep_local: bool = False) -> None:
        self.settings = settings
        self.folder = folder  # pyright: ignore[reportIncompatibleVariableOverride]
        self.cluster = Cluster(settings.session)
        self.records = CarriedRecords(folder, keep_local)
        self.keeper: object = None  # the owner of a temporary folder
        self.names = Versions(folder, "rows")
        self.reports: dict[int, Stats] = {}  # the last report of each minibatch, its rows in files
        self.versions: dict[int, str] = {}  # versions of their rows
        self.live: set[str] = set()  # versions that the current step made, or its proposals refer to
        self.traffic: dict[str, float] = {}  # for the last map: records and bytes shuffled

    # the table

    def start(self, model: Model, counts: Seeds, keys: Sequence[str] | None = None) -> None:
        self._set_model(model)
        groups = model.table.groups
        n_groups = n_groups_of(groups)
        n_rows, n_columns = counts.shape
        layout = layout_of(n_rows, n_columns, self.settings.blocks)
        version = self.names.new()
        self._set_groups(groups)
        seeds = self.cluster.context.broadcast(counts)
        work = Totals(version, Begin(layout, seeds, version), self._groups, n_groups)
        sums = self._each_block(layout, work, (version,))
        seeds.destroy()
        stored = StoredRows(self.folder, layout, (version,), n_columns)
        self.table = StoredTable(stored, model.table.axes, 1.0, sums["totals"], groups)
        self.reports, self.versions, self.live = {}, {}, set()
        self.records.clear()

    def _set_groups(self, groups: NDArray[np.int32] | None) -> None:
        """Send the group of each row (such as its language; None: one group) to all executors, once."""
        self._groups = None if groups is None else self.cluster.context.broadcast(groups)

    def reading(self) -> StoredTable:
        """A read-only copy of the table to send to tasks, which read its rows from files.

        It lacks the group of each row (such as its language), which is large; tasks get it from
        `_set_groups`.
        """
        table = self.table
        return StoredTable(table.stored, table.axes, table.scale, table.totals())

    def _set_model(self, model: Model) -> None:
        self.model = model
        self._model = self.cluster.context.broadcast(model)

    def _each_block(
        self, layout: Layout, work: Callable[[int], Made[K, S]], versions: tuple[str, ...] = ()
    ) -> dict[K, S]:
        """Run `work` on every chunk of rows, one task per block; returns the sums of its results by name.

        versions: names of the folders of files that `work` writes.
        """
        task = BlockTask(self.folder, layout, work, versions)
        total = dict[K, S]()
        for sums in self.cluster.each(list(range(layout.blocks)), task):
            total = union_of(total, sums, operator.add)
        return total

    def new_version(self) -> str:
        """A name for a new folder of files.

        The files are removed after the step unless the engine's state refers to them.
        """
        version = self.names.new()
        self.live.add(version)
        return version

    def each_chunk(self, work: Callable[[int], Made[K, S]], *versions: str) -> dict[K, S]:
        """Run `work` on every chunk of rows of the table; returns the sums of its results by name.

        versions: names of the folders of files that `work` writes.
        """
        return self._each_block(self.table.stored.layout, work, versions)

    def stored_rows(self, rows: Rows | SparseCounts) -> StoredRows:
        """Rows of statistics in files: those that they are in already, or new ones if they are in memory."""
        return rows.stored if isinstance(rows, FiledRows) else self._written(rows)

    def stored_array(self, values: Array) -> StoredField:
        """Write an array with a value for each row of the table to files.

        Called for arrays of proposals that were restored from a snapshot.
        """
        flat = values.reshape(len(values), -1)
        written = self._written(Rows(np.arange(len(flat)), flat))
        return StoredField(replace(written, n_columns=flat.shape[1]), values.shape)

    def _rewrite(
        self,
        work: Callable[[int], Made[str, Array]],
        version: str,
        n_columns: int,
        kept: tuple[str, ...] = (),
    ) -> None:
        """Replace the table by one that `work`, called for every chunk of rows, writes as `version`.

        n_columns: of the new table; kept: names of other folders of files that `work` writes.
        """
        table = self.table
        counted = Totals(version, work, self._groups, len(table.totals()))
        sums = self._each_block(table.stored.layout, counted, (version, *kept))
        totals = sums.get("totals", np.zeros((len(table.totals()), n_columns)))
        stored = replace(table.stored, versions=(version,), n_columns=n_columns)
        self.table = StoredTable(stored, table.axes, 1.0, totals, table.groups)

    # a step

    def map(
        self, params: Record, shards: Iterable[Shard], n_shards: int, seed: int, proposals: Proposals = ()
    ) -> Stats:
        fields = [item.values for plan in proposals for item in plan.change.values()]
        self.live = {each for one in fields if isinstance(one, StoredField) for each in one.rows.versions}
        return self._map(params, shards, seed, proposals, retry=False)

    def retry(self, params: Record, shards: Iterable[Shard], seed: int, proposals: Proposals) -> Stats:
        return self._map(params, shards, seed, proposals, retry=True)

    def _map(
        self, params: Record, shards: Iterable[Shard], seed: int, proposals: Proposals, retry: bool
    ) -> Stats:
        sizes = self.settings.portion, self.model.shard_size
        portions = self.records.portions(shards, *sizes, tried=bool(proposals), retry=retry)
        source, most = source_behind(shards), self.settings.task_bytes
        task = MapTask(self._model, params, self.reading(), seed, source, most, tuple(proposals), retry)
        version, stored, n_groups = self.new_version(), self.table.stored, len(self.table.totals())
        reduce = ReduceTask(self.folder, version, stored.layout, stored.n_columns, self._groups, n_groups)
        context = self.cluster.context
        pairs = context.parallelize(portions, max(1, len(portions))).mapPartitions(task)
        sums = by_key(pairs, stored.layout.blocks + 1, reduce.partition)
        with self.cluster.until_stopped():
            found = self.cluster.collect(sums.mapPartitionsWithIndex(reduce))
        return self._assemble_report(found, version, retry)

    def _assemble_report(self, found: Sequence[Reduced], version: str, retry: bool) -> Stats:
        sums = next(part.sums for part in found if part.sums is not None)
        parts = [part.totals for part in found if part.totals is not None]
        self.traffic = {
            "records": sum(part.records for part in found),
            "bytes": sum(part.n_bytes for part in found),
        }
        trial = {name: self._in_files(each, version, name) for name, each in sums.trial.items()}
        if not retry:
            self.fresh_totals = np.sum(parts, axis=0)
        return replace(self._in_files(sums, version, COUNTS), trial=trial)

    def _in_files(self, sums: Stats, version: str, table: str) -> Stats:
        """Statistics whose rows are in files, under the name `table` in the folder `version`.

        sums: the statistics without their rows.
        """
        n_columns = sums.rows.n_columns
        stored = replace(self.table.stored, versions=(version,), n_columns=n_columns, table=table)
        return replace(sums, rows=FiledRows.of(stored))

    def commit(self, *, carry: bool = True) -> None:
        self.records.commit(carry=carry)

    def blend(self, rows: Rows | SparseCounts, keep: float, add: float) -> None:
        stored, fresh, table = self.table.stored, self.stored_rows(rows), self.table
        if keep == 0.0 and isinstance(rows, FiledRows):
            self.table = StoredTable(fresh, table.axes, add, self.fresh_totals * add, table.groups)
        else:
            version = self.names.new()
            work = Blend(stored, fresh, keep * table.scale, add, version)
            self._rewrite(work, version, stored.n_columns)
        self._tidy()

    def _written(self, rows: Rows | SparseCounts) -> StoredRows:
        """Write rows that the driver holds to files in a new folder."""
        dense, version, layout = rows.rows(), self.new_version(), self.table.stored.layout
        for block in range(layout.blocks):
            with row_writer(block_path(self.folder, version, block)) as writer:
                for chunk in layout.chunks_of(block):
                    ends = np.searchsorted(dense.positions, layout.bounds(chunk))
                    part = slice(*ends.tolist())
                    writer.add(COUNTS, chunk, dense.positions[part], dense.values[part])
        return replace(self.table.stored, versions=(version,))

    def replace_report(self, number: int, stats: Stats, keep: float) -> Stats:
        assert isinstance(stats.rows, FiledRows)
        stored, version, kept = self.table.stored, self.names.new(), self.new_version()
        trials = {name: _stored(each) for name, each in stats.trial.items()}
        of_others = sorted(self.reports.keys() - {number}) if keep == 0.0 else []
        others = tuple(map(self._report_rows, of_others))
        last = self._report_rows(number) if keep != 0.0 and number in self.reports else None
        scale = keep * self.table.scale
        work = ExchangeReports(stored, scale, stats.rows.stored, trials, last, others, version, kept)
        self._rewrite(work, version, stored.n_columns, (kept,))
        self.reports[number], self.versions[number] = replace(stats, new_rows={}), kept
        self._tidy()
        return self._known()

    def _report_rows(self, number: int, table: str = COUNTS, n_columns: int = 0) -> StoredRows:
        """The rows of minibatch `number`'s last statistics, or of a trial in them, in their files.

        table: the trial's name; n_columns: its number of columns (0: those of the table).
        """
        wide = n_columns or self.table.stored.n_columns
        versions = (self.versions[number],)
        return replace(self.table.stored, versions=versions, n_columns=wide, table=table)

    def _known(self) -> Stats:
        """The sum of all minibatches' statistics, without rows, and with only the trials that all have.

        The trials' rows stay in the files of the minibatches.
        """
        total = Stats(no_rows(self.table.shape[1]))
        numbers = sorted(self.reports)
        tried = tried_by_all([self.reports[number] for number in numbers])
        for number in numbers:
            report = without_rows(self.reports[number])
            total = total.plus(replace(report, trial={name: report.trial[name] for name in tried}))
        trial: dict[str, Stats] = {}
        for name, each in total.trial.items():
            stored = self._report_rows(numbers[0], name, self.reports[numbers[0]].trial[name].rows.n_columns)
            stored = replace(stored, versions=tuple(self.versions[number] for number in numbers))
            trial[name] = replace(each, rows=FiledRows.of(stored))
        return replace(total, trial=trial)

    def edit(self, edit: Edit, stats: Stats | None = None) -> Stats | None:
        if not edit:
            return stats
        row_axis = self.table.axes[0]
        if any(change.axis == row_axis for change in edit):
            raise ValueError("the rows of a table in blocks do not change")
        changed = None if stats is None else self._edit_report(edit, stats)
        version = self.names.new()
        kept: list[StoredReport] = []
        after: dict[int, Stats] = {}
        names: dict[int, str] = {}
        for number in sorted(self.reports):
            report = self.reports[number]
            trials = {
                name: self._report_rows(number, name, each.rows.n_columns)
                for name, each in report.trial.items()
            }
            names[number] = self.new_version()
            kept.append(StoredReport(self._report_rows(number), trials, names[number]))
            after[number] = apply_to_stats(edit, without_rows(report), *self.table.axes, 0)
        work = EditTask(edit, self.table.axes, self.reading(), version, tuple(kept))
        after_it = apply_to_rows(edit, no_rows(self.table.shape[1]), *self.table.axes, 0)
        self._rewrite(work, version, after_it.n_columns, tuple(names.values()))
        self.reports, self.versions = after, names
        self._tidy()
        self.records.edit(edit, row_axis)
        return changed

    def _edit_report(self, edit: Edit, stats: Stats) -> Stats:
        """A step's statistics after an edit; writes their rows to new files, and updates `fresh_totals`.

        The rows of trials stay as they are. Statistics without rows in files are returned without rows.
        """
        after = apply_to_stats(edit, without_rows(stats), *self.table.axes, 0)
        trial = {name: replace(each, rows=stats.trial[name].rows) for name, each in after.trial.items()}
        after = replace(after, trial=trial)
        if not isinstance(stats.rows, FiledRows):
            return after
        version = self.new_version()
        report = StoredReport(
            stats.rows.stored, {name: _stored(each) for name, each in trial.items()}, version
        )
        n_groups = len(self.table.totals())
        work = Totals(version, Follow(edit, self.table.axes, report), self._groups, n_groups)
        self.fresh_totals = self.each_chunk(work, version)["totals"]
        return self._in_files(after, version, COUNTS)

    def map_items(
        self, function: Callable[[LocalEngine, Item], Result], items: Sequence[Item]
    ) -> list[Result]:
        return self.cluster.each(items, EachTask(partial(over_files, self._model, self.reading()), function))

    def map_items_with_sums(
        self,
        function: Callable[[LocalEngine, Item], tuple[Result, Array]],
        items: Sequence[Item],
        finish: Callable[[int, Array], Piece],
    ) -> tuple[list[Result], list[Piece]]:
        over = partial(over_files, self._model, self.reading())
        return map_items_with_sums(self.cluster, over, function, items, finish)

    # queries of the table

    def summary(self, params: Record) -> Summary:
        work = Summarise(self._model, params, self.reading())
        return self._each_block(self.table.stored.layout, work)

    def table_view(self, report: Stats | None) -> TableView:
        return SparkParts(self, report)

    # files

    def files(self, *, run: bool) -> Sequence[Path]:
        versions = sorted(self.versions.values()) if run else []
        stored = self.table.stored
        kept = (
            block_path(self.folder, version, block)
            for version in versions
            for block in range(stored.layout.blocks)
        )
        return [*self.table.files(), *kept]

    def snapshot(self) -> tuple[dict[str, AnyArray], list[str] | None]:
        """Arrays from which `restore` rebuilds the engine's state; the second value (keys) is None.

        The rows stay in their files, whose folders the arrays name, and which are kept until two more
        snapshots were taken.
        """
        arrays: dict[str, AnyArray] = dict(self.table.arrays())
        for number, report in self.reports.items():
            arrays |= flat_stats(f"{PREFIX}{number}/{self.versions[number]}/", without_rows(report))
        arrays |= self.records.snapshot()
        self.names.pin(self._in_use())
        self._tidy()
        sync(self.files(run=True))
        return arrays, None

    def restore(self, model: Model, arrays: Mapping[str, Array], keys: Sequence[str] | None) -> None:
        self._set_model(model)
        self.table = StoredTable.restored(arrays, *model.table.axes, self.folder)  # pyright: ignore[reportIncompatibleVariableOverride]
        refuse_other_groups(self.table.groups, len(self.table.totals()), model.table.groups)
        self._set_groups(self.table.groups)
        self.reports, self.versions, self.live = {}, {}, set()
        held = {tuple(name.split("/")[1:3]) for name in arrays if name.startswith(PREFIX)}
        for number, version in sorted(held, key=lambda each: int(each[0])):
            self.reports[int(number)] = stats_from(f"{PREFIX}{number}/{version}/", arrays)
            self.versions[int(number)] = version
        self.records.restore(arrays)
        self.names.pin(self._in_use())

    def _in_use(self) -> set[str]:
        """The names of the folders of files that the engine's state refers to."""
        return {*self.table.stored.versions, *self.versions.values()}

    def _tidy(self) -> None:
        """Remove folders of files to which neither the engine's state nor the current step refers."""
        self.names.tidy(self._in_use() | self.live)

    def stop(self) -> None:
        self.cluster.stop()


def layout_of(n_rows: int, n_columns: int, blocks: int | None) -> Layout:
    """How to cut a table of this size into chunks of rows, and these into `blocks` files.

    blocks None: one for every 4 MB (at 50 columns or more), at most 16. There is never more than one block
    per row.

    >>> layout_of(100_000, 50, None), layout_of(100_000, 50, 64).blocks, layout_of(3, 2, 64).blocks
    (Layout(n_rows=100000, chunk=1024, blocks=10), 64, 3)
    """
    n_bytes = 8 * n_rows * max(n_columns, LEAST_COLUMNS)
    wanted = blocks or min(-(-n_bytes // BLOCK_BYTES), MOST_BLOCKS)
    most = max(1, min(wanted, n_rows))
    layout = Layout(n_rows, max(1, min(CHUNK, -(-n_rows // most))), most)
    return replace(layout, blocks=min(most, layout.n_chunks))


def _stored(stats: Stats) -> StoredRows:
    assert isinstance(stats.rows, FiledRows)
    return stats.rows.stored
