"""The interface of an engine to the run loop."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from stickbreaker.contracts.contract import CountTable, Model, Proposal, Summary
from stickbreaker.contracts.table_view import TableView
from stickbreaker.core.edits import Edit
from stickbreaker.core.records import Array, Record, Rows, SparseCounts, Stats
from stickbreaker.corpus.shards import Shard


class Seeds(Protocol):
    """The initial counts of a table (rows × columns), computed when rows are requested."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    def __getitem__(self, rows: slice, /) -> Array: ...


def sum_arrays(
    pairs: Iterable[tuple[Any, Array]], finish: Callable[[int, Array], Any]
) -> tuple[list[Any], list[Any]]:
    """For pairs (result, array): the results, and a list with `finish(0, sum of the arrays)`."""
    results, total = list[Any](), None
    for result, array in pairs:
        results.append(result)
        total = array if total is None else total + array
    return results, [] if total is None else [finish(0, total)]


class Engine(ABC):
    """Owns the table of counts; every method leaves it consistent.

    `table` is readable from `start` or `restore` on; what it returns is invalid after a change. If no process
    can hold the counts, it has their totals, and reads rows on request. `folder`: where it stores files, if
    any; `keeper` lives as long as a temporary folder.
    """

    table: CountTable
    folder: Any  # a Path, or None
    keeper: object

    @abstractmethod
    def start(self, model: Model, counts: Seeds, keys: Sequence[str] | None = None) -> None:
        """Begin with a table of these counts (rows × columns).

        The rows have `keys` if the model may add new ones.
        """

    @abstractmethod
    def map(
        self,
        params: Record,
        shards: Iterable[Shard],
        n_shards: int,
        seed: int,
        proposals: Sequence[Proposal] = (),
    ) -> Stats:
        """Local steps of shards, reports summed in the shards' order. Raises Interrupted if asked to stop.

        The engine's state does not change, except for what `retry` needs; `commit` completes the step.
        """

    @abstractmethod
    def retry(
        self, params: Record, shards: Iterable[Shard], seed: int, proposals: Sequence[Proposal]
    ) -> Stats:
        """Try proposals again on shards that `map` has just mapped with some; the report has only trials."""

    @abstractmethod
    def commit(self, *, carry: bool = True) -> None:
        """End a step: keep its documents' records, if records are carried over to the next pass.

        Without `carry` they are dropped, with earlier records of these documents: their next visit starts
        afresh.
        """

    @abstractmethod
    def replace_report(self, number: int, stats: Stats, keep: float) -> Stats:
        """table ← table + the report's rows - those of the last report of this number, if `keep` is 1; if it
        is 0, table ← the rows of all stored reports, including this one, and nothing else.

        `number` is the minibatch's; its report is stored until the next one of that number. Returns the sum
        of all stored reports: without their rows, and with those trials (and the trials' rows) that every
        report has.
        """

    @abstractmethod
    def blend(self, rows: Rows | SparseCounts, keep: float, add: float) -> None:
        """Replace the table by keep · table + add · rows."""

    @abstractmethod
    def edit(self, edit: Edit, stats: Stats | None = None) -> Stats | None:
        """Change the table's shape, and with it the documents' records and the stored reports.

        Also returns `stats`, a step's report that is still to be used, in the new shape.
        """

    @abstractmethod
    def map_items(self, function: Callable[[Any, Any], Any], items: Sequence[Any]) -> list[Any]:
        """The results of a function for each item, in order, called with a `LocalEngine` of the present
        table.

        The function must be picklable, and must not change anything.
        """

    def map_items_with_sums(
        self,
        function: Callable[[Any, Any], tuple[Any, Array]],
        items: Sequence[Any],
        finish: Callable[[int, Array], Any],
    ) -> tuple[list[Any], list[Any]]:
        """`map_items` for a function that returns a result and an array; the arrays of all items are summed.

        Returns the results, and a list with `finish(first, piece)` for each piece of the sum along its last
        axis, in order; `first` is the piece's first index. An engine that sums on other machines chooses the
        pieces; here the whole sum is one piece.
        """
        return sum_arrays(self.map_items(function, items), finish)

    @abstractmethod
    def summary(self, params: Record) -> Summary:
        """The model's summary, summed over the table."""

    @abstractmethod
    def table_view(self, report: Stats | None) -> TableView:
        """The table as it is, and the rows of a report, for moves; invalid after the next change."""

    @abstractmethod
    def snapshot(self) -> tuple[dict[str, Array], list[str] | None]:
        """Arrays and row keys from which `restore` rebuilds the same engine state exactly."""

    def files(self, *, run: bool) -> Sequence[Path]:
        """Files that the last snapshot refers to; with `run`, also those that only the run needs.

        They are deleted at the next snapshot but one.
        """
        return ()

    @abstractmethod
    def restore(self, model: Model, arrays: Mapping[str, Array], keys: Sequence[str] | None) -> None:
        """Restore the state of a snapshot."""

    @abstractmethod
    def stop(self) -> None:
        """Ask a map under way to raise Interrupted; may be called from a signal handler."""
