"""The engine on Spark whose table is bounded and lies everywhere: the driver has it, each step sends it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from stickbreaker.core.edits import Edit
from stickbreaker.core.records import Array, Record, Stats
from stickbreaker.corpus.shards import Shard
from stickbreaker.corpus.source import Source
from stickbreaker.engines.contract import Seeds
from stickbreaker.engines.local import LocalEngine
from stickbreaker.engines.spark.array_sums import each_with_sums
from stickbreaker.engines.spark.cluster import Cluster
from stickbreaker.engines.spark.failures import reporting_user_errors, settle
from stickbreaker.engines.spark.portions import CarriedRecords, source_of
from stickbreaker.engines.spark.tasks import EachTask, Portion, over_sent
from stickbreaker.models.contract import Model, Plan

if TYPE_CHECKING:
    from stickbreaker.engines.spark import SparkEngine


@dataclass(frozen=True)
class EverywhereTask:
    """Local steps of portions by an engine of the task's own, over the table that was sent."""

    sent: Any  # a broadcast variable, whose `value` is (model, table)
    small: Record
    seed: int
    source: Source | None
    plans: tuple[Plan, ...] = ()
    again: bool = False

    def __call__(self, portions: Iterable[Portion]) -> Iterator[Stats]:
        with reporting_user_errors():
            for portion in portions:
                yield self._portion(portion)
        settle("everywhere")

    def _portion(self, portion: Portion) -> Stats:
        engine, shards = over_sent(self.sent), portion.shards(self.source)
        if self.again:
            engine.fresh = portion.records()
            stats = engine.again(self.small, shards, self.seed, self.plans)
        else:
            engine.locals, engine.keep_local = portion.records(), portion.after is not None
            stats = engine.map(self.small, shards, len(shards), self.seed, self.plans)
        if portion.after is not None:
            portion.after.write(engine.fresh)
        return stats


class SparkEverywhere(LocalEngine):
    """A local engine but for the map: portions of documents are learned from by executors.

    `settings`: see `SparkEngine`. Documents' records lie in `folder`, which all machines see.
    """

    def __init__(self, settings: "SparkEngine", *, folder: Path, keep_local: bool = False) -> None:
        super().__init__(1)
        self.settings, self.folder = settings, folder
        self.cluster = Cluster(settings.session)
        self.records = CarriedRecords(folder, keep_local)

    def start(self, model: Model, counts: Seeds, keys: Sequence[str] | None = None) -> None:
        super().start(model, counts, keys)
        self.records.clear()

    def map(
        self,
        small: Record,
        shards: Iterable[Shard[Any]],
        n_shards: int,
        seed: int,
        plans: Sequence[Plan] = (),
    ) -> Stats:
        return self._sent(small, shards, seed, plans, again=False)

    def again(self, small: Record, shards: Iterable[Shard[Any]], seed: int, plans: Sequence[Plan]) -> Stats:
        return self._sent(small, shards, seed, plans, again=True)

    def _sent(
        self, small: Record, shards: Iterable[Shard[Any]], seed: int, plans: Sequence[Plan], *, again: bool
    ) -> Stats:
        from stickbreaker.engines.sums import Sum

        sizes = self.settings.portion, self.model.shard_size
        portions = self.records.portions(shards, *sizes, tried=bool(plans), again=again)
        sent = self.cluster.context.broadcast((self.model, self.table))  # written before this returns
        task = EverywhereTask(sent, small, seed, source_of(shards), tuple(plans), again)
        total = Sum(self.table.shape)
        try:
            with self.cluster.until_stopped():
                found = self.cluster.each(portions, task)
            for stats in found:
                total.add(stats)
        finally:
            sent.destroy()
        return total.stats()

    def each(self, function: Callable[[LocalEngine, Any], Any], items: Sequence[Any]) -> list[Any]:
        sent = self.cluster.context.broadcast((self.model, self.table))
        try:
            return self.cluster.each(items, EachTask(partial(over_sent, sent), function))
        finally:
            sent.destroy()

    def each_with_sums(
        self,
        function: Callable[[LocalEngine, Any], tuple[Any, Array]],
        items: Sequence[Any],
        finish: Callable[[int, Array], Any],
    ) -> tuple[list[Any], list[Any]]:
        sent = self.cluster.context.broadcast((self.model, self.table))
        try:
            return each_with_sums(self.cluster, partial(over_sent, sent), function, items, finish)
        finally:
            sent.destroy()

    def commit(self) -> None:
        self.records.commit()

    def edit(self, edit: Edit) -> None:
        super().edit(edit)
        self.records.edit(edit, self.table.axes[0])

    def snapshot(self) -> tuple[dict[str, NDArray[Any]], list[str] | None]:
        arrays, keys = super().snapshot()
        return {**arrays, **self.records.snapshot()}, keys

    def restore(self, model: Model, arrays: Mapping[str, Array], keys: Sequence[str] | None) -> None:
        super().restore(model, arrays, keys)
        self.records.restore(arrays)

    def stop(self) -> None:
        super().stop()
        self.cluster.stop()
