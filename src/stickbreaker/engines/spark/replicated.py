"""The engine on Spark for small tables, which the driver holds and sends to all executors in each step."""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from stickbreaker.contracts.contract import Model, Proposal, Proposals
from stickbreaker.core.edits import Edit
from stickbreaker.core.records import AnyArray, Array, Record, Stats
from stickbreaker.corpus.shards import Shard
from stickbreaker.corpus.source import Source
from stickbreaker.engines.engine import Item, Piece, Result, Seeds
from stickbreaker.engines.local import LocalEngine
from stickbreaker.engines.spark.array_sums import map_items_with_sums
from stickbreaker.engines.spark.document_tasks import EachTask, Portion, SentTable, over_sent
from stickbreaker.engines.spark.failures import freeze_gc, sending_user_errors
from stickbreaker.engines.spark.jobs import Cluster
from stickbreaker.engines.spark.partitions import CarriedRecords, source_behind
from stickbreaker.engines.spark.spark_settings import SparkSettings

if TYPE_CHECKING:
    from pyspark import Broadcast


@dataclass(frozen=True)
class EverywhereTask:
    """A Spark task that runs the local steps of portions of documents, with the whole table in memory.

    Yields the sum of each portion's statistics. Writes the documents' records to the portions' files.
    """

    sent: "Broadcast[SentTable]"
    params: Record
    seed: int
    source: Source | None
    proposals: tuple[Proposal, ...] = ()
    retry: bool = False

    def __call__(self, portions: Iterable[Portion]) -> Iterator[Stats]:
        with sending_user_errors():
            for portion in portions:
                yield self._portion(portion)
        freeze_gc("everywhere")

    def _portion(self, portion: Portion) -> Stats:
        engine, shards = over_sent(self.sent), portion.shards(self.source)
        if self.retry:
            engine.fresh = portion.records()
            stats = engine.retry(self.params, shards, self.seed, self.proposals)
        else:
            engine.locals, engine.keep_local = portion.records(), portion.after is not None
            stats = engine.map(self.params, shards, len(shards), self.seed, self.proposals)
        if portion.after is not None:
            portion.after.write(engine.fresh)
        return stats


class ReplicatedEngine(LocalEngine):
    """A local engine, except that Spark's executors run the local steps on portions of documents.

    The driver holds the table, and sends it to all executors in each step. Documents' records are stored in
    `folder`, which all machines must see.
    """

    def __init__(self, settings: SparkSettings, *, folder: Path, keep_local: bool = False) -> None:
        super().__init__(1)
        self.settings, self.folder = settings, folder
        self.cluster = Cluster(settings.session)
        self.records = CarriedRecords(folder, keep_local)

    def start(self, model: Model, counts: Seeds, keys: Sequence[str] | None = None) -> None:
        super().start(model, counts, keys)
        self.records.clear()

    def map(
        self, params: Record, shards: Iterable[Shard], n_shards: int, seed: int, proposals: Proposals = ()
    ) -> Stats:
        return self._sent(params, shards, seed, proposals, retry=False)

    def retry(self, params: Record, shards: Iterable[Shard], seed: int, proposals: Proposals) -> Stats:
        return self._sent(params, shards, seed, proposals, retry=True)

    def _sent(
        self, params: Record, shards: Iterable[Shard], seed: int, proposals: Proposals, *, retry: bool
    ) -> Stats:
        from stickbreaker.engines.stats_sum import Sum

        sizes = self.settings.portion, self.model.shard_size
        portions = self.records.portions(shards, *sizes, tried=bool(proposals), retry=retry)
        total = Sum(self.table.shape)
        with self._sent_table() as sent:
            task = EverywhereTask(sent, params, seed, source_behind(shards), tuple(proposals), retry)
            with self.cluster.until_stopped():
                found = self.cluster.each(portions, task)
            for stats in found:
                total.add(stats)
        return total.stats()

    @contextmanager
    def _sent_table(self) -> "Generator[Broadcast[SentTable]]":
        """A context that yields the pair (model, table) as a broadcast variable."""
        sent = self.cluster.context.broadcast((self.model, self.table))
        try:
            yield sent
        finally:
            sent.destroy()

    def map_items(
        self, function: Callable[[LocalEngine, Item], Result], items: Sequence[Item]
    ) -> list[Result]:
        with self._sent_table() as sent:
            return self.cluster.each(items, EachTask(partial(over_sent, sent), function))

    def map_items_with_sums(
        self,
        function: Callable[[LocalEngine, Item], tuple[Result, Array]],
        items: Sequence[Item],
        finish: Callable[[int, Array], Piece],
    ) -> tuple[list[Result], list[Piece]]:
        with self._sent_table() as sent:
            return map_items_with_sums(self.cluster, partial(over_sent, sent), function, items, finish)

    def commit(self, *, carry: bool = True) -> None:
        self.records.commit(carry=carry)

    def edit(self, edit: Edit, stats: Stats | None = None) -> Stats | None:
        after = super().edit(edit, stats)
        self.records.edit(edit, self.table.axes[0])
        return after

    def snapshot(self) -> tuple[dict[str, AnyArray], list[str] | None]:
        arrays, keys = super().snapshot()
        return {**arrays, **self.records.snapshot()}, keys

    def restore(self, model: Model, arrays: Mapping[str, Array], keys: Sequence[str] | None) -> None:
        super().restore(model, arrays, keys)
        self.records.restore(arrays)

    def stop(self) -> None:
        super().stop()
        self.cluster.stop()
