"""The local engine: threads over shards, one table in memory, the same bytes for any number of threads."""

import functools
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from stickbreaker.core.edits import Edit, apply_to_local, apply_to_stats, without_trials
from stickbreaker.core.errors import Interrupted
from stickbreaker.core.flat import flat_record, record_from
from stickbreaker.core.records import Array, Cells, Record, Rows, Stats, no_rows
from stickbreaker.corpus.shards import Shard
from stickbreaker.engines.contract import Engine, Seeds, sum_arrays
from stickbreaker.engines.kept import PREFIX, KeptReports
from stickbreaker.engines.ordered import OrderedTable
from stickbreaker.engines.parts import LocalParts
from stickbreaker.engines.stored import StoredTable
from stickbreaker.engines.table import Table, refuse_other_groups
from stickbreaker.models.contract import Local, Model, Plan, Summary, View

WHOLE_FROM = 8  # from this many shards on, the view of the whole table is made once
BLOCK = 65536  # rows summarised at once

Item = TypeVar("Item")
Result = TypeVar("Result")
Done = tuple[int, Local, Stats]  # number of the shard's first document, its records, its report


class LocalEngine(Engine):
    """Runs on this machine with `n_jobs` threads (None: every core that the process may use).

    With `keep_local`, documents' records are carried from pass to pass, by the number of a shard's first
    document: for schedules whose shards are the same in every pass.
    """

    table: Table | OrderedTable | StoredTable  # narrower than the contract has it: others only look

    def __init__(
        self, n_jobs: int | None = None, *, keep_local: bool = False, folder: Path | None = None
    ) -> None:
        self.n_jobs = n_jobs or usable_cores()
        self.keep_local = keep_local
        self.folder = folder
        self.keeper: object = None  # of a directory with the table's rows, which lasts as long as this
        self._stopped = False
        self.locals: dict[int, Local] = {}
        self.fresh: dict[int, Local] = {}  # of the step under way
        self.kept = KeptReports()

    def start(self, model: Model, counts: Seeds, keys: Sequence[str] | None = None) -> None:
        self.model = model
        spec = model.table
        if spec.truncated:
            self.table = OrderedTable.of(counts[:], *spec.axes, keys or ())
        else:
            self.table = Table(counts[:], *spec.axes, keys, groups=spec.groups)
        self.locals, self.fresh, self.kept = {}, {}, KeptReports()

    def fork(self, model: Model, n_jobs: int | None, *, copied: bool) -> "LocalEngine":
        """Another engine for the same table, or for a copy of it, without what serves a run alone."""
        other = LocalEngine.over(model, self.table.copy() if copied else self.table, n_jobs)
        other.folder, other.keeper = self.folder, self.keeper
        return other

    @classmethod
    def over(
        cls, model: Model, table: Table | OrderedTable | StoredTable, n_jobs: int | None = 1
    ) -> "LocalEngine":
        """An engine for a table that there is."""
        engine = LocalEngine(n_jobs)
        engine.model, engine.table = model, table
        return engine

    def map(
        self,
        small: Record,
        shards: Iterable[Shard[Any]],
        n_shards: int,
        seed: int,
        plans: Sequence[Plan] = (),
    ) -> Stats:
        small = self._prepared(small)
        whole = self._whole_view(small, n_shards)

        def work(shard: Shard[Any]) -> Done:
            known, view = self._view_for(shard, small, whole)
            first = int(shard.documents[0])
            local, stats = self.model.local_step(view, known, self.locals.get(first), seed)
            if plans:
                extra, trial = self.model.try_out(view, known, local, seed, plans)
                local, stats = {**local, **extra}, replace(stats, trial=trial)
            return first, local, stats

        self.fresh = {}
        return self._summed(work, shards, keep=self.keep_local or bool(plans))

    def again(self, small: Record, shards: Iterable[Shard[Any]], seed: int, plans: Sequence[Plan]) -> Stats:
        small = self._prepared(small)
        whole = self._whole_view(small, len(self.fresh))

        def work(shard: Shard[Any]) -> Done:
            known, view = self._view_for(shard, small, whole)
            first = int(shard.documents[0])
            local = self.fresh[first]
            extra, trial = self.model.try_out(view, known, local, seed, plans)
            none = no_rows(self.table.shape[1])
            return first, {**local, **extra}, Stats(none, trial=trial)

        return self._summed(work, shards, keep=True)

    def _prepared(self, small: Record) -> Record:
        return self.model.prepare(small, self.table.whole()) if self.model.table.truncated else small

    def _whole_view(self, small: Record, n_shards: int) -> View | None:
        """The view of the whole table, where shards are so many that making it once is cheaper."""
        if n_shards < WHOLE_FROM or self.table.keys is not None:
            return None
        return self.model.view(small, self.table.counts(slice(None)), self.table.totals(), None)

    def _summed(self, work: Callable[[Shard[Any]], Done], shards: Iterable[Shard[Any]], keep: bool) -> Stats:
        from stickbreaker.engines.sums import Sum  # brings numba, which a model that is read does without

        total = Sum(self.table.shape)
        for first, local, stats in self._in_order(work, self._until_stopped(shards)):
            total.add(stats)
            if keep:
                self.fresh[first] = local
        return total.stats()

    def commit(self) -> None:
        if self.keep_local:
            kept = ((first, without_trials(local)) for first, local in self.fresh.items())
            self.locals.update(kept)
        self.fresh = {}

    def exchange(self, number: int, stats: Stats, keep: float) -> Stats:
        fresh, last = self.kept.exchange(number, stats)
        self.table.blend(fresh.rows, keep, 1.0)
        if last is not None:
            self.table.blend(last, 1.0, -1.0)
        return self.kept.known(self.table.shape)

    def _view_for(self, shard: Shard[Any], small: Record, whole: View | None) -> tuple[Shard[Any], View]:
        """The shard with its rows as this table numbers them, and the model's view of them."""
        shard = replace(shard, rows=self.model.reads(shard, self.table.positions))
        if whole is not None:
            return shard, whole
        if self.model.table.truncated:
            return shard, self.model.view(small, self.table.whole(), self.table.totals(), shard.rows)
        rows = shard.table_rows()
        return shard, self.model.view(small, self.table.counts(rows), self.table.totals(), rows)

    def _in_order(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Results in the order of the items, a few in flight."""
        if self.n_jobs == 1:
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

    def each(self, function: "Callable[[LocalEngine, Any], Any]", items: Sequence[Any]) -> list[Any]:
        engine = self.fork(self.model, 1, copied=False)
        return list(self._in_order(functools.partial(function, engine), items))

    def each_with_sums(
        self,
        function: "Callable[[LocalEngine, Any], tuple[Any, Array]]",
        items: Sequence[Any],
        finish: Callable[[int, Array], Any],
    ) -> tuple[list[Any], list[Any]]:
        engine = self.fork(self.model, 1, copied=False)
        return sum_arrays(self._in_order(functools.partial(function, engine), items), finish)

    def _until_stopped(self, shards: Iterable[Shard[Any]]) -> Iterator[Shard[Any]]:
        """The shards; raises Interrupted before the next one, or after the last, once asked to stop."""
        for shard in shards:
            if self._stopped:
                raise Interrupted
            yield shard
        if self._stopped:
            raise Interrupted

    def infer(self, small: Record, shards: Iterable[Shard[Any]], seed: int) -> Iterator[Local]:
        small = self._prepared(small)

        def work(shard: Shard[Any]) -> Done:
            known, view = self._view_for(shard, small, None)
            return 0, *self.model.local_step(view, known, None, seed)

        return (local for _, local, _ in self._in_order(work, shards))

    def blend(self, rows: Rows | Cells, keep: float, add: float) -> None:
        self.table.blend(rows, keep, add)

    def edit(self, edit: Edit) -> None:
        axes, n_rows = self.table.axes, self.table.n_rows
        self.table.edit(edit)
        self.locals = {first: apply_to_local(edit, local) for first, local in self.locals.items()}
        if self.kept.reports:
            assert isinstance(self.table, Table)
            self.kept.edit(edit, *axes, n_rows)
            self.table.replace(self.kept.table(self.table.shape))

    def follow(self, edit: Edit, stats: Stats) -> Stats:
        return apply_to_stats(edit, stats, *self.table.axes, self.table.n_rows)

    def totals(self) -> Array:
        return self.table.totals()

    def summary(self, small: Record) -> Summary:
        if self.model.table.truncated:
            whole = self.table.whole()
            return self.model.summary(self.model.prepare(small, whole), whole, 0)
        total: dict[str, Array] = {}
        for start in range(0, self.table.n_rows, BLOCK):
            part = self.model.summary(small, self.table.counts(slice(start, start + BLOCK)), start)
            total = {name: total[name] + value if name in total else value for name, value in part.items()}
        return total

    def parts(self, report: Stats | None) -> LocalParts:
        return LocalParts(self.table, report)

    def files(self, *, run: bool) -> Sequence[Path]:
        return self.table.files() if isinstance(self.table, StoredTable) else ()

    def snapshot(self) -> tuple[dict[str, NDArray[Any]], list[str] | None]:
        arrays: dict[str, NDArray[Any]] = dict(self.table.arrays())
        for first, local in self.locals.items():
            arrays |= flat_record(f"local/{first}/", local)
        arrays |= self.kept.snapshot()
        return arrays, None if self.table.keys is None else list(self.table.keys)

    def restore(self, model: Model, arrays: Mapping[str, Array], keys: Sequence[str] | None) -> None:
        self.model = model
        axes = model.table.axes
        if model.table.truncated:
            self.table = OrderedTable.restored(arrays, *axes, keys or ())
        elif "layout" in arrays:  # learned on a cluster: rows are read from their files
            assert self.folder is not None
            self.table = StoredTable.restored(arrays, *axes, self.folder)
            arrays = {name: values for name, values in arrays.items() if not of_run(name)}
        else:
            self.table = Table.restored(arrays, *axes, keys)  # pyright: ignore[reportIncompatibleVariableOverride]
        if not model.table.keyed and not isinstance(self.table, OrderedTable):
            refuse_other_groups(self.table.groups, len(self.table.totals()), model.table.groups)
        held: dict[int, dict[str, Array]] = {}
        for name, values in arrays.items():
            if name.startswith("local/"):
                held.setdefault(int(name.split("/")[1]), {})[name] = values
        self.locals = {first: record_from(f"local/{first}/", own) for first, own in held.items()}
        self.fresh = {}
        self.kept.restore(arrays)
        self.kept.refuse_others(self.table.shape, axes[1])

    def stop(self) -> None:
        self._stopped = True


def of_run(name: str) -> bool:
    """Whether an array of a snapshot serves a run alone, and is no part of a finished model."""
    return name.startswith(("local/", "records", PREFIX))


def one_thread() -> AbstractContextManager[Any]:
    """Where the libraries with threads of their own use one each."""
    return _libraries().limit(limits=1)


@functools.cache
def _libraries() -> ThreadpoolController:
    """The libraries with threads of their own, looked for once: it takes milliseconds."""
    return ThreadpoolController()


def usable_cores() -> int:
    """Cores that this process may use.

    >>> usable_cores() >= 1
    True
    """
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
