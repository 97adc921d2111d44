"""What an engine is to the run loop."""

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
    """The counts that a table begins with (rows × columns), made for the rows that are asked for."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    def __getitem__(self, rows: slice, /) -> Array: ...


def sum_arrays(
    pairs: Iterable[tuple[Any, Array]], finish: Callable[[int, Array], Any]
) -> tuple[list[Any], list[Any]]:
    """Results, and what `finish` makes of the sum of the arrays beside them, added up as they come."""
    results, total = list[Any](), None
    for result, array in pairs:
        results.append(result)
        total = array if total is None else total + array
    return results, [] if total is None else [finish(0, total)]


class Engine(ABC):
    """Owns the table of counts; every method leaves it whole.

    `table` is there from `start` or `restore` on, to be looked at; what it gives is void after a change.
    Where no process can hold the counts, it has their totals, and reads rows that are asked for.
    `folder` is where it keeps files, if it does; `keeper` lasts as long as a folder that is temporary.
    """

    table: CountTable
    folder: Any  # a Path, or None
    keeper: object

    @abstractmethod
    def start(self, model: Model, counts: Seeds, keys: Sequence[str] | None = None) -> None:
        """Begin with a table (rows × columns). Rows have `keys` where the model may find new ones."""

    @abstractmethod
    def map(
        self,
        params: Record,
        shards: Iterable[Shard[Any]],
        n_shards: int,
        seed: int,
        proposals: Sequence[Proposal] = (),
    ) -> Stats:
        """Local steps of shards, reports summed in the shards' order. Raises Interrupted if asked to stop.

        Nothing of the engine changes but what `retry` needs; `commit` makes the step count.
        """

    @abstractmethod
    def retry(
        self, params: Record, shards: Iterable[Shard[Any]], seed: int, proposals: Sequence[Proposal]
    ) -> Stats:
        """Try proposals once more on shards that `map` has just mapped with proposals; the report has trials
        alone."""

    @abstractmethod
    def commit(self, *, carry: bool = True) -> None:
        """Keep the documents' records of the step, where they are kept from pass to pass.

        Without `carry` they are forgotten, with what was kept of these documents before: their next visit
        starts anew.
        """

    @abstractmethod
    def replace_report(self, number: int, stats: Stats, keep: float) -> Stats:
        """table ← table + the report's rows - those of the last report of this number, if `keep` is 1; if it
        is 0, table ← the rows of all reports kept, this one's among them, and nothing else.

        `number` is the minibatch's; its report is kept until the next one of that number. Gives the sum of
        all reports kept: without their rows, and with those trials (and the trials' rows) that every report
        has.
        """

    @abstractmethod
    def blend(self, rows: Rows | SparseCounts, keep: float, add: float) -> None:
        """table ← keep · table + add · rows."""

    @abstractmethod
    def edit(self, edit: Edit, stats: Stats | None = None) -> Stats | None:
        """Change the table's shape, and with it the documents' records and the reports that are kept.

        Gives `stats`, a step's report that is still to be used, in the new shape too.
        """

    @abstractmethod
    def map_items(self, function: Callable[[Any, Any], Any], items: Sequence[Any]) -> list[Any]:
        """What a function makes of each item, in their order, with a `LocalEngine` of the present table.

        The function can be pickled; it changes nothing.
        """

    def map_items_with_sums(
        self,
        function: Callable[[Any, Any], tuple[Any, Array]],
        items: Sequence[Any],
        finish: Callable[[int, Array], Any],
    ) -> tuple[list[Any], list[Any]]:
        """`map_items` of a function that gives a result and an array; the arrays of all items are added up.

        Gives the results, and what `finish(first, piece)` makes of the sum: of pieces of its last axis, from
        the place `first` on, in their order. An engine that adds up on other machines chooses the pieces;
        here the sum is one.
        """
        return sum_arrays(self.map_items(function, items), finish)

    @abstractmethod
    def summary(self, params: Record) -> Summary:
        """The model's summary, summed over the table."""

    @abstractmethod
    def table_view(self, report: Stats | None) -> TableView:
        """The table as it is, and the rows of a report, for moves; void after the next change."""

    @abstractmethod
    def snapshot(self) -> tuple[dict[str, Array], list[str] | None]:
        """Arrays and row keys from which `restore` makes the same engine state, byte for byte."""

    def files(self, *, run: bool) -> Sequence[Path]:
        """Files that the last snapshot refers to; `run`: with those that serve the run alone.

        They stay until the next snapshot but one.
        """
        return ()

    @abstractmethod
    def restore(self, model: Model, arrays: Mapping[str, Array], keys: Sequence[str] | None) -> None:
        """Take the state of a snapshot."""

    @abstractmethod
    def stop(self) -> None:
        """Ask a map under way to raise Interrupted; may be called from a signal handler."""
