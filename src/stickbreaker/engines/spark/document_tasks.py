"""Tasks of executors on documents: local steps of portions of them."""

import uuid
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickbreaker.contracts.contract import Local, Model, Proposal, View
from stickbreaker.core.edits import Edit, apply_to_local, without_trials
from stickbreaker.core.errors import UserError
from stickbreaker.core.records import AnyArray, Array, Field, Record, Stats, no_rows
from stickbreaker.core.serialize import flat_record, record_from
from stickbreaker.core.threads import one_thread
from stickbreaker.corpus.shards import Shard
from stickbreaker.corpus.source import Shards, Source
from stickbreaker.engines.local import LocalEngine
from stickbreaker.engines.row_files import COUNTS, REMEDY, replacing
from stickbreaker.engines.spark.failures import freeze_gc, sending_user_errors
from stickbreaker.engines.spark.stats_sum import SMALL, Combiner, Key, without_rows
from stickbreaker.engines.stored_table import StoredRows, StoredTable

CHECKSUM = 4  # bytes at the end of a file of records
ENTRY = 8  # bytes for a document's word and its count
WHOLE: dict[str, View] = {}  # the view of all rows in the step that this process works on, by `MapTask.step`


@dataclass(frozen=True)
class Records:
    """The records of a portion's documents, in a file; a killed or repeated task leaves the old or the new
    one.

    `edits` were made after it was written.
    """

    path: Path
    edits: tuple[Edit, ...] = ()

    def read(self) -> dict[int, Local]:
        """Records by the number of a shard's first document. Raises UserError if they are damaged."""
        held: dict[int, dict[str, Any]] = {}
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

        arrays: dict[str, Any] = {}
        for first, local in locals_.items():
            arrays |= flat_record(f"{first}|", local)
        content = save({name: np.asarray(values, order="C") for name, values in arrays.items()})
        with replacing(self.path) as partial:
            partial.write_bytes(content + zlib.crc32(content).to_bytes(CHECKSUM))


@dataclass(frozen=True)
class Portion:
    """Documents that one task learns from: chunks of a corpus's documents, or shards themselves; and where
    their records are read and written, if they have any."""

    number: int
    chunks: tuple[int | NDArray[np.int64], ...] = ()
    given: tuple[Shard, ...] = ()
    before: Records | None = None
    after: Records | None = None

    def shards(self, source: Source | None) -> Shards | tuple[Shard, ...]:
        """The portion's shards; documents in files are read on each iteration."""
        return self.given if source is None else source.shards(*self.chunks)

    def records(self) -> dict[int, Local]:
        """Records by the number of a shard's first document."""
        return {} if self.before is None else self.before.read()


class RowsAt:
    """The rows of an array that one shard needs; indexed by their numbers in the whole table."""

    def __init__(self, positions: NDArray[np.int64], values: Array) -> None:
        self.positions, self.values = positions, values

    def __getitem__(self, rows: NDArray[np.int64]) -> Array:
        return self.values[np.searchsorted(self.positions, rows)]


@dataclass(frozen=True)
class StoredField:
    """A field over all rows whose values are in files; proposals and edits have it in place of an array."""

    rows: StoredRows
    shape: tuple[int, ...]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """All of its values, for a snapshot of proposals under way."""
        return self.at(np.arange(self.shape[0]))

    def at(self, rows: NDArray[np.int64]) -> Array:
        """The field's values in some rows."""
        return self.rows.rows(rows).reshape(-1, *self.shape[1:])

    def chunk(self, chunk: int) -> Array:
        """The field's values in the rows of a chunk."""
        return self.rows.chunk(chunk).reshape(-1, *self.shape[1:])


@dataclass(frozen=True)
class MapTask:
    """Makes the local steps of portions' documents with the step's table; yields records by key."""

    model: Any  # a broadcast variable, whose `value` is the Model
    params: Record
    table: StoredTable
    seed: int
    source: Source | None
    most_bytes: int  # bytes of rows in one view, of their documents, and of reports that wait
    proposals: tuple[Proposal, ...] = ()
    retry: bool = False  # only try proposals, on the records of the current step
    step: str = field(default_factory=lambda: uuid.uuid4().hex)  # identifies the tasks of one step

    def __call__(self, portions: Iterable[Portion]) -> Iterator[tuple[Key, Any]]:
        with sending_user_errors(), one_thread():
            for portion in portions:
                yield from self._portion(portion)
        freeze_gc("map")

    def _portion(self, portion: Portion) -> Iterator[tuple[Key, Any]]:
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
        self, view: View, shard: Shard, local: Local | None, proposals: Sequence[Proposal]
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

    def _viewed(self, shards: Iterable[Shard]) -> Iterator[tuple[Shard, View, Sequence[Proposal]]]:
        """Group shards, and yield each with the model's view of the rows that its group reads, and its
        proposals.

        A group's rows and documents take at most `most_bytes` each. If it reads most rows, the view is of all
        rows.
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
        """The view of all rows, made once per step in each process."""
        if self.step not in WHOLE:
            counts, totals = self.table.counts(slice(None)), self.table.totals()
            WHOLE[self.step] = self.model.value.expectations(self.params, counts, totals, None)
        return WHOLE[self.step]


def over_files(model: Any, table: StoredTable) -> LocalEngine:
    """An engine over a table in files. `model`: a broadcast variable, whose `value` is the Model."""
    return LocalEngine.over(model.value, table)


def over_sent(sent: Any) -> LocalEngine:
    """An engine for the model and table in a broadcast variable."""
    return LocalEngine.over(*sent.value)


@dataclass(frozen=True)
class EachTask:
    """A function of items and of an engine, which each task makes for itself."""

    made: Callable[[], LocalEngine]
    function: Callable[[LocalEngine, Any], Any]

    def __call__(self, items: Iterable[Any]) -> Iterator[Any]:
        engine = self.made()
        with sending_user_errors():
            for item in items:
                yield self.function(engine, item)
        freeze_gc("each")


def _cut(change: Record, rows: NDArray[np.int64]) -> dict[str, Field]:
    """The fields of a proposal; those over all rows are restricted to these rows."""
    return {
        name: item._replace(values=RowsAt(rows, item.values.at(rows)))  # type: ignore[arg-type]
        if isinstance(item.values, StoredField)
        else item
        for name, item in change.items()
    }


def _grouped(
    shards: Iterable[Shard], most_rows: int, most_entries: int, n_rows: int
) -> Iterator[tuple[NDArray[np.int64], list[Shard]]]:
    """Group consecutive shards; yields the rows that each group reads, and its shards.

    A group is within both limits, or has a single shard.
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
