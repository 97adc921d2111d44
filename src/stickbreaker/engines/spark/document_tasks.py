"""Work of Spark tasks on documents: the local steps of portions of them."""

import uuid
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Generic

import numpy as np
from numpy.typing import DTypeLike, NDArray

from stickbreaker.contracts.contract import Local, Model, Proposal, Proposals, View
from stickbreaker.core.edits import Edit, apply_to_local, without_trials
from stickbreaker.core.errors import UserError
from stickbreaker.core.records import AnyArray, Array, Field, Record, Stats, no_rows
from stickbreaker.core.serialize import flat_record, record_from
from stickbreaker.core.threads import one_thread
from stickbreaker.corpus.shards import Shard
from stickbreaker.corpus.source import Shards, Source
from stickbreaker.engines.engine import Item, Result
from stickbreaker.engines.local import LocalEngine
from stickbreaker.engines.row_files import COUNTS, REMEDY, replacing
from stickbreaker.engines.spark.failures import freeze_gc, sending_user_errors
from stickbreaker.engines.spark.stats_sum import SMALL, Combiner, Key, Sent, without_rows
from stickbreaker.engines.stored_table import StoredRows, StoredTable
from stickbreaker.engines.table import Table
from stickbreaker.engines.truncated_table import TruncatedTable

if TYPE_CHECKING:
    from pyspark import Broadcast

CHECKSUM = 4  # bytes at the end of a file of records
ENTRY = 8  # bytes for a document's word and its count
SentTable = tuple[Model, Table | TruncatedTable | StoredTable]
WHOLE: dict[str, View] = {}  # the view of all rows in the step that this process works on, by `MapTask.step`


@dataclass(frozen=True)
class Records:
    """A file with the records (latent variables) of a portion's documents, and the later `edits`.

    `read` applies the edits, which were made since the file was written. The file is written in one rename: a
    task that is killed or repeated leaves the old or the new file.
    """

    path: Path
    edits: tuple[Edit, ...] = ()

    def read(self) -> dict[int, Local]:
        """The documents' records after the edits, by the number of a shard's first document.

        Raises UserError for a damaged file.
        """
        held: dict[int, dict[str, AnyArray]] = {}
        for name, values in self._arrays().items():
            held.setdefault(int(name.split("|", 1)[0]), {})[name] = values
        out: dict[int, Local] = {}
        for first, arrays in held.items():
            local = record_from(f"{first}|", arrays)
            for edit in self.edits:
                local = apply_to_local(edit, local)
            out[first] = local
        return out

    def _arrays(self) -> dict[str, AnyArray]:
        from safetensors import SafetensorError
        from safetensors.numpy import load

        try:
            content = self.path.read_bytes()
            held, checksum = content[:-CHECKSUM], content[-CHECKSUM:]
            if zlib.crc32(held).to_bytes(CHECKSUM) != checksum:
                raise ValueError("altered or cut off since it was written")
            return load(held)
        except (OSError, ValueError, SafetensorError) as error:
            problem = f"documents' records cannot be read ({error})"
            raise UserError(problem, where=self.path, remedy=REMEDY) from None

    def write(self, locals_: Mapping[int, Local]) -> None:
        from safetensors.numpy import save

        arrays: dict[str, AnyArray] = {}
        for first, local in locals_.items():
            arrays |= flat_record(f"{first}|", local)
        content = save({name: np.asarray(values, order="C") for name, values in arrays.items()})
        with replacing(self.path) as partial:
            partial.write_bytes(content + zlib.crc32(content).to_bytes(CHECKSUM))


@dataclass(frozen=True)
class Portion:
    """Documents that one task processes, and the files of their records to read and to write.

    The documents are given as `chunks` of a corpus (see `Shards`), or as shards (`given`). `before`: records
    of the last visit; `after`: where to write new ones.
    """

    number: int
    chunks: tuple[int | NDArray[np.int64], ...] = ()
    given: tuple[Shard, ...] = ()
    before: Records | None = None
    after: Records | None = None

    def shards(self, source: Source | None) -> Shards | tuple[Shard, ...]:
        """The portion's shards; with a `source`, they are read from the corpus on each iteration."""
        return self.given if source is None else source.shards(*self.chunks)

    def records(self) -> dict[int, Local]:
        """The documents' records from their last visit, by the number of a shard's first document.

        Empty if there are none.
        """
        return {} if self.before is None else self.before.read()


class RowsAt:
    """Values for some rows of the table (`positions`, ascending), to be indexed by the rows' own numbers."""

    def __init__(self, positions: NDArray[np.int64], values: Array) -> None:
        self.positions, self.values = positions, values

    def __getitem__(self, rows: NDArray[np.int64]) -> Array:
        return self.values[np.searchsorted(self.positions, rows)]


@dataclass(frozen=True)
class StoredField:
    """An array with a value for each row of the table, stored in files.

    It is used in place of an array in proposals and edits, so that no process has to hold all values.
    """

    rows: StoredRows
    shape: tuple[int, ...]

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        """All values in memory, as numpy asks for them; used to save open proposals in a snapshot."""
        return self.at(np.arange(self.shape[0]))

    def at(self, rows: NDArray[np.int64]) -> Array:
        """The values for the rows with these ascending numbers."""
        return self.rows.rows(rows).reshape(-1, *self.shape[1:])

    def chunk(self, chunk: int) -> Array:
        """The values for the rows of a chunk."""
        return self.rows.chunk(chunk).reshape(-1, *self.shape[1:])


@dataclass(frozen=True)
class MapTask:
    """A Spark task that runs the local steps of portions of documents, with the table read from files.

    Yields pairs of a `Key` and what it is for: the rows of the statistics by chunk (consecutive rows of the
    table), and all other statistics once per portion. Writes the documents' records to the portions' files.
    """

    model: "Broadcast[Model]"
    params: Record
    table: StoredTable
    seed: int
    source: Source | None
    most_bytes: int  # bytes of rows in one view, of their documents, and of reports that wait
    proposals: tuple[Proposal, ...] = ()
    retry: bool = False  # only try proposals, on the records of the current step
    step: str = field(default_factory=lambda: uuid.uuid4().hex)  # identifies the tasks of one step

    def __call__(self, portions: Iterable[Portion]) -> Iterator[tuple[Key, Sent | Stats]]:
        with sending_user_errors(), one_thread():
            for portion in portions:
                yield from self._portion(portion)
        freeze_gc("map")

    def _portion(self, portion: Portion) -> Iterator[tuple[Key, Sent | Stats]]:
        if self.step not in WHOLE:
            WHOLE.clear()  # remove that of an earlier step
        shards, held = portion.shards(self.source), portion.records()
        combiner = Combiner(portion.number, self.table.stored.layout, self.most_bytes)
        n_columns = self.table.shape[1]
        sums, fresh = Stats(no_rows(n_columns)), dict[int, Local]()
        for shard, view, proposals in self._viewed(shards):
            first = int(shard.documents[0])
            local, stats = self._step(view, shard, held.get(first), proposals)
            if portion.after is not None:
                fresh[first] = local
            sums = sums.plus(without_rows(stats))
            yield from combiner.add(COUNTS, stats.rows)
            for name, trial in stats.trial.items():
                yield from combiner.add(name, trial.rows)
        yield from combiner.rest()
        if portion.after is not None:
            portion.after.write(fresh)
        yield Key(SMALL, portion.number, 0), sums

    def _step(
        self, view: View, shard: Shard, local: Local | None, proposals: Proposals
    ) -> tuple[Local, Stats]:
        model: Model = self.model.value
        if self.retry:
            assert local is not None
            stats = Stats(no_rows(self.table.shape[1]))
        else:
            clean = None if local is None else without_trials(local)
            local, stats = model.local_step(view, shard, clean, self.seed)
        if proposals:
            extra, trial = model.evaluate_proposals(view, shard, local, self.seed, proposals)
            local, stats = {**local, **extra}, replace(stats, trial=trial)
        return local, stats

    def _viewed(self, shards: Iterable[Shard]) -> Iterator[tuple[Shard, View, Proposals]]:
        """Yield each shard with the model's `expectations` for it, and the proposals restricted to its rows.

        Consecutive shards share expectations: of the rows that they read, or of all rows if they read most.
        The rows and the documents of such a group of shards take at most `most_bytes` each.
        """
        model: Model = self.model.value
        most_rows, most_entries = self.most_bytes // (8 * self.table.shape[1]), self.most_bytes // ENTRY
        located = (replace(shard, rows=model.reads(shard, self.table.positions)) for shard in shards)
        for rows, group in _grouped(located, most_rows, most_entries, self.table.n_rows):
            if 2 * len(rows) >= self.table.n_rows <= most_rows:
                view = self._whole_view()
            else:
                view = model.expectations(self.params, self.table.counts(rows), self.table.totals(), rows)
            proposals = [replace(plan, change=_cut(plan.change, rows)) for plan in self.proposals]
            for shard in group:
                yield shard, view, proposals

    def _whole_view(self) -> View:
        """The model's `expectations` of all rows, computed once per step in each process."""
        if self.step not in WHOLE:
            counts, totals = self.table.counts(slice(None)), self.table.totals()
            WHOLE[self.step] = self.model.value.expectations(self.params, counts, totals, None)
        return WHOLE[self.step]


def over_files(model: "Broadcast[Model]", table: StoredTable) -> LocalEngine:
    """An engine in a task for a table in files. model: a broadcast variable, whose `value` is the Model."""
    return LocalEngine.over(model.value, table)


def over_sent(sent: "Broadcast[SentTable]") -> LocalEngine:
    """An engine in a task for the pair (model, table) in a broadcast variable."""
    return LocalEngine.over(*sent.value)


@dataclass(frozen=True)
class EachTask(Generic[Item, Result]):
    """A Spark task that makes an engine by `made()`, and yields `function(engine, item)` for each item.

    UserErrors of `function` are sent to the driver.
    """

    made: Callable[[], LocalEngine]
    function: Callable[[LocalEngine, Item], Result]

    def __call__(self, items: Iterable[Item]) -> Iterator[Result]:
        engine = self.made()
        with sending_user_errors():
            for item in items:
                yield self.function(engine, item)
        freeze_gc("each")


def _cut(change: Record, rows: NDArray[np.int64]) -> dict[str, Field]:
    """A proposal's fields for a task that reads only `rows`: arrays over all rows are restricted to these."""
    return {
        name: item._replace(values=RowsAt(rows, item.values.at(rows)))  # pyright: ignore[reportArgumentType]
        if isinstance(item.values, StoredField)
        else item
        for name, item in change.items()
    }


def _grouped(
    shards: Iterable[Shard], most_rows: int, most_entries: int, n_rows: int
) -> Iterator[tuple[NDArray[np.int64], list[Shard]]]:
    """Group consecutive shards that can share one view of the table; yields each group's rows and shards.

    The rows are the numbers of those that the shards read. A group reads at most `most_rows` rows and has at
    most `most_entries` entries (distinct words per document, summed), or is a single shard.
    """
    group: list[Shard] = []
    read, n_read, entries = np.zeros(n_rows, np.bool_), 0, 0
    for shard in shards:
        wanted = shard.table_rows()
        more = int(np.count_nonzero(~read[wanted]))
        if group and (n_read + more > most_rows or entries + shard.n_entries > most_entries):
            yield np.flatnonzero(read), group
            group, n_read, entries, more = [], 0, 0, len(wanted)
            read[:] = False
        group.append(shard)
        read[wanted] = True
        n_read, entries = n_read + more, entries + shard.n_entries
    if group:
        yield np.flatnonzero(read), group
