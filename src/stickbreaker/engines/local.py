"""The local engine: threads over shards, one table in memory, the same bytes for any number of threads."""

import functools
import operator
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

from stickbreaker.contracts.contract import Local, Model, Proposals, Summary, View
from stickbreaker.core.edits import Edit, apply_to_local, apply_to_stats, without_trials
from stickbreaker.core.errors import Interrupted
from stickbreaker.core.records import AnyArray, Array, Record, Rows, SparseCounts, Stats, no_rows, union_of
from stickbreaker.core.serialize import flat_record, record_from, refuse_other_sizes
from stickbreaker.core.threads import one_thread
from stickbreaker.corpus.shards import Shard
from stickbreaker.engines.engine import Engine, Item, Piece, Result, Seeds, sum_arrays
from stickbreaker.engines.memoized import PREFIX, MemoizedReports
from stickbreaker.engines.stored_table import StoredTable
from stickbreaker.engines.table import Table, refuse_other_groups
from stickbreaker.engines.table_view import LocalTableView
from stickbreaker.engines.truncated_table import TruncatedTable

VIEWS = 8  # most shards whose views are cached from a map to its retries
WHOLE_FROM = 8  # from this many shards on, the view of the whole table is made once
BLOCK = 65536  # rows summarised at once

Done = tuple[int, Local, Stats]  # number of the shard's first document, its records, its report


class LocalEngine(Engine):
    """Runs on this machine with `n_jobs` threads (None: one for each core that the process may use).

    With `keep_local`, documents' records are carried from pass to pass. Then shards must be the same in each
    pass, since records are found by the number of the shard's first document.
    """

    # a narrower type than in the contract, since others only read it
    table: Table | TruncatedTable | StoredTable

    def __init__(
        self, n_jobs: int | None = None, *, keep_local: bool = False, folder: Path | None = None
    ) -> None:
        self.n_jobs = n_jobs or usable_cores()
        self.keep_local = keep_local
        self.folder = folder
        self.keeper: object = None  # the owner of a temporary directory with the table's rows
        self._stopped = False
        self.locals: dict[int, Local] = {}
        self.fresh: dict[int, Local] = {}  # records of the current step
        # views of the current step, of few shards: for `retry`
        self.views: dict[int, tuple[Shard, View]] = {}
        self.whole: View | None = None  # the view of the current step, if there are many shards
        self.shares_view = False  # whether `infer` computes one view for all documents, see `sharing_view`
        self.memoized = MemoizedReports()

    def start(self, model: Model, counts: Seeds, keys: Sequence[str] | None = None) -> None:
        self.model = model
        spec = model.table
        if spec.truncated:
            self.table = TruncatedTable.of(counts[:], *spec.axes, keys or ())
        else:
            self.table = Table(counts[:], *spec.axes, keys, groups=spec.groups)
        self.locals, self.fresh, self.memoized = {}, {}, MemoizedReports()

    @classmethod
    def over(
        cls, model: Model, table: Table | TruncatedTable | StoredTable, n_jobs: int | None = 1
    ) -> "LocalEngine":
        """An engine that uses an existing table, outside a run."""
        engine = LocalEngine(n_jobs)
        engine.model, engine.table = model, table
        return engine

    def map(
        self, params: Record, shards: Iterable[Shard], n_shards: int, seed: int, proposals: Proposals = ()
    ) -> Stats:
        params = self._prepared(params)
        whole = self._whole_view(params, n_shards)
        keeps = bool(proposals) and n_shards <= VIEWS
        self.views, self.whole = {}, whole if proposals else None

        def work(shard: Shard) -> Done:
            known, view = self._view_for(shard, params, whole)
            first = int(shard.documents[0])
            if keeps:
                self.views[first] = known, view
            local, stats = self.model.local_step(view, known, self.locals.get(first), seed)
            if proposals:
                extra, trial = self.model.evaluate_proposals(view, known, local, seed, proposals)
                local, stats = {**local, **extra}, replace(stats, trial=trial)
            return first, local, stats

        self.fresh = {}
        return self._summed(work, shards, keep=self.keep_local or bool(proposals))

    def retry(self, params: Record, shards: Iterable[Shard], seed: int, proposals: Proposals) -> Stats:
        params = params if self.views else self._prepared(params)

        def work(shard: Shard) -> Done:
            first = int(shard.documents[0])
            known, view = self.views[first] if self.views else self._view_for(shard, params, self.whole)
            local = self.fresh[first]
            extra, trial = self.model.evaluate_proposals(view, known, local, seed, proposals)
            none = no_rows(self.table.shape[1])
            return first, {**local, **extra}, Stats(none, trial=trial)

        kept = [self.views[first][0] for first in self.fresh] if self.views else shards
        return self._summed(work, kept, keep=True)

    def _prepared(self, params: Record) -> Record:
        return self.model.prepare(params, self.table.whole()) if self.model.table.truncated else params

    def _whole_view(self, params: Record, n_shards: int) -> View | None:
        """The model's `expectations` of all rows, to be shared by many shards.

        None for few shards or a table with keys: each shard then has expectations of its own.
        """
        if n_shards < WHOLE_FROM or self.table.keys is not None:
            return None
        return self.model.expectations(params, self.table.counts(slice(None)), self.table.totals(), None)

    def _summed(self, work: Callable[[Shard], Done], shards: Iterable[Shard], keep: bool) -> Stats:
        from stickbreaker.engines.stats_sum import Sum  # imports numba, which reading a model does not need

        total = Sum(self.table.shape)
        for first, local, stats in self._in_order(work, self._until_stopped(shards)):
            total.add(stats)
            if keep:
                self.fresh[first] = local
        return total.stats()

    def commit(self, *, carry: bool = True) -> None:
        for first, local in self.fresh.items():
            if self.keep_local and carry:
                self.locals[first] = without_trials(local)
            else:
                self.locals.pop(first, None)
        self.fresh, self.views, self.whole = {}, {}, None

    def replace_report(self, number: int, stats: Stats, keep: float) -> Stats:
        fresh, last = self.memoized.replace(number, stats)
        if keep == 0.0:
            assert isinstance(self.table, Table)
            self.table.replace(self.memoized.table(self.table.shape))
        else:
            self.table.blend(fresh.rows, 1.0, 1.0)
            if last is not None:
                self.table.blend(last, 1.0, -1.0)
        return self.memoized.known(self.table.shape)

    def _view_for(self, shard: Shard, params: Record, whole: View | None) -> tuple[Shard, View]:
        """A shard with this table's row numbers, and the model's `expectations` for it.

        whole: those of all rows, if they were computed for many shards together; None: they are computed
        here.
        """
        rows = self.model.reads(shard, self.table.positions)
        shard = shard if rows is shard.rows else replace(shard, rows=rows)
        if whole is not None:
            return shard, whole
        if self.model.table.truncated:
            return shard, self.model.expectations(params, self.table.whole(), self.table.totals(), shard.rows)
        rows = shard.table_rows()
        return shard, self.model.expectations(params, self.table.counts(rows), self.table.totals(), rows)

    def _in_order(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Apply `work` to each item, in threads; yields the results in the order of the items.

        At most twice as many items as threads are under way; a single item is processed without threads.
        """
        n_jobs = self.n_jobs
        if n_jobs > 1:
            items = iter(items)
            ahead = list(islice(items, 2))
            n_jobs, items = min(n_jobs, len(ahead)), chain(ahead, items)
        if n_jobs <= 1:
            with one_thread():
                yield from map(work, items)
            return
        waiting: deque[Future[Result]] = deque()
        with one_thread(), ThreadPoolExecutor(self.n_jobs) as pool:
            try:
                for item in items:
                    if len(waiting) >= 2 * self.n_jobs:
                        yield waiting.popleft().result()
                    waiting.append(pool.submit(work, item))
                while waiting:
                    yield waiting.popleft().result()
            finally:
                for future in waiting:
                    future.cancel()

    def map_items(
        self, function: "Callable[[LocalEngine, Item], Result]", items: Sequence[Item]
    ) -> list[Result]:
        engine = local_fork(self, self.model, 1, copied=False)
        return list(self._in_order(functools.partial(function, engine), items))

    def map_items_with_sums(
        self,
        function: "Callable[[LocalEngine, Item], tuple[Result, Array]]",
        items: Sequence[Item],
        finish: Callable[[int, Array], Piece],
    ) -> tuple[list[Result], list[Piece]]:
        engine = local_fork(self, self.model, 1, copied=False)
        return sum_arrays(self._in_order(functools.partial(function, engine), items), finish)

    def _until_stopped(self, shards: Iterable[Shard]) -> Iterator[Shard]:
        """Yield the shards, but raise Interrupted as soon as `stop` was called, also after the last one."""
        for shard in shards:
            if self._stopped:
                raise Interrupted
            yield shard
        if self._stopped:
            raise Interrupted

    def infer(self, params: Record, shards: Iterable[Shard], seed: int) -> Iterator[Local]:
        params = self._prepared(params)
        if self.shares_view and self.whole is None:
            self.whole = self._whole_view(params, WHOLE_FROM)
        whole = self.whole if self.shares_view else None

        def work(shard: Shard) -> Done:
            known, view = self._view_for(shard, params, whole)
            return 0, *self.model.local_step(view, known, None, seed)

        return (local for _, local, _ in self._in_order(work, shards))

    def sharing_view(self) -> "LocalEngine":
        """An engine with this one's table, which must not change, to infer many documents with the same
        parameters: the model's `expectations` are computed once for all rows, not again for each shard.

        A table in files, which may not fit into memory, is still read shard by shard.
        """
        other = local_fork(self, self.model, self.n_jobs, copied=False)
        other.shares_view = isinstance(self.table, Table)
        return other

    def blend(self, rows: Rows | SparseCounts, keep: float, add: float) -> None:
        self.table.blend(rows, keep, add)

    def edit(self, edit: Edit, stats: Stats | None = None) -> Stats | None:
        axes, n_rows = self.table.axes, self.table.n_rows
        after = None if stats is None else apply_to_stats(edit, stats, *axes, n_rows)
        self.table.edit(edit)
        self.locals = {first: apply_to_local(edit, local) for first, local in self.locals.items()}
        if self.memoized.reports:
            assert isinstance(self.table, Table)
            self.memoized.edit(edit, *axes, n_rows)
            self.table.replace(self.memoized.table(self.table.shape))
        return after

    def summary(self, params: Record) -> Summary:
        if self.model.table.truncated:
            whole = self.table.whole()
            return self.model.summary(self.model.prepare(params, whole), whole, 0)
        total: dict[str, Array] = {}
        for start in range(0, self.table.n_rows, BLOCK):
            part = self.model.summary(params, self.table.counts(slice(start, start + BLOCK)), start)
            total = union_of(total, part, operator.add)
        return total

    def table_view(self, report: Stats | None) -> LocalTableView:
        return LocalTableView(self.table, report)

    def files(self, *, run: bool) -> Sequence[Path]:
        return self.table.files() if isinstance(self.table, StoredTable) else ()

    def snapshot(self) -> tuple[dict[str, AnyArray], list[str] | None]:
        arrays: dict[str, AnyArray] = dict(self.table.arrays())
        for first, local in self.locals.items():
            arrays |= flat_record(f"local/{first}/", local)
        arrays |= self.memoized.snapshot()
        return arrays, None if self.table.keys is None else list(self.table.keys)

    def restore(self, model: Model, arrays: Mapping[str, Array], keys: Sequence[str] | None) -> None:
        self.model = model
        axes = model.table.axes
        if model.table.truncated:
            self.table = TruncatedTable.restored(arrays, *axes, keys or ())
        elif "layout" in arrays:  # learned on a cluster: rows are read from their files
            assert self.folder is not None
            self.table = StoredTable.restored(arrays, *axes, self.folder)
            arrays = {name: values for name, values in arrays.items() if not of_run(name)}
        else:
            self.table = Table.restored(arrays, *axes, keys)  # pyright: ignore[reportIncompatibleVariableOverride]
        if not model.table.keyed and not isinstance(self.table, TruncatedTable):
            refuse_other_groups(self.table.groups, len(self.table.totals()), model.table.groups)
        held: dict[int, dict[str, Array]] = {}
        for name, values in arrays.items():
            if name.startswith("local/"):
                held.setdefault(int(name.split("/")[1]), {})[name] = values
        self.locals = {first: record_from(f"local/{first}/", own) for first, own in held.items()}
        for local in self.locals.values():
            refuse_other_sizes(local, {axes[1]: self.table.shape[1]})
            if len({len(item.values) for item in local.values() if item.axes[:1] == ("documents",)}) > 1:
                raise ValueError("records of different numbers of documents")
        self.fresh = {}
        self.memoized.restore(arrays)
        self.memoized.refuse_others(self.table.shape, axes[1])

    def stop(self) -> None:
        self._stopped = True


def local_fork(engine: Engine, model: Model, n_jobs: int | None, *, copied: bool) -> LocalEngine:
    """An engine on this machine that shares another engine's table, or has a copy of it (`copied`).

    It has no state of a run, such as documents' records.
    """
    table = engine.table
    assert isinstance(table, Table | TruncatedTable | StoredTable)
    other = LocalEngine.over(model, table.copy() if copied else table, n_jobs)
    other.folder, other.keeper = engine.folder, engine.keeper
    return other


def of_run(name: str) -> bool:
    """Whether the array of this name in a snapshot is needed only to continue a run, not to use a model."""
    return name.startswith(("local/", "records", PREFIX))


def usable_cores() -> int:
    """The number of cores that this process may use.

    >>> usable_cores() >= 1
    True
    """
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
