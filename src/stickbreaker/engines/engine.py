"""What the run loop may ask of an engine."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeVar

from stickbreaker.contracts.contract import CountTable, Model, Proposals, Summary
from stickbreaker.contracts.table_view import TableView
from stickbreaker.core.edits import Edit
from stickbreaker.core.records import Array, Record, Rows, SparseCounts, Stats
from stickbreaker.corpus.shards import Shard

if TYPE_CHECKING:
    from stickbreaker.engines.local import LocalEngine

Item = TypeVar("Item")
Result = TypeVar("Result")
Piece = TypeVar("Piece")  # made of a part of the sum of arrays


class Seeds(Protocol):
    """The counts with which a table begins (rows × columns), computed for a slice of rows when it is read."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    def __getitem__(self, rows: slice, /) -> Array: ...


def sum_arrays(
    pairs: Iterable[tuple[Result, Array]], finish: Callable[[int, Array], Piece]
) -> tuple[list[Result], list[Piece]]:
    """Return the results of pairs (result, array) as a list, and [finish(0, the sum of the arrays)].

    The second list is empty if there are no pairs.
    """
    results, total = list[Result](), None
    for result, array in pairs:
        results.append(result)
        total = array if total is None else total + array
    return results, [] if total is None else [finish(0, total)]


class Cluster(ABC):
    """Machines that share the work of learning; it makes the engines of runs.

    `name`: the engine's name in settings and files, such as "spark"; `folder`: where tables are stored in
    runs of a model without a directory, which all machines see (None: the system's directory for temporary
    files); `task_bytes`: what a task may hold of tables.
    """

    name: ClassVar[str]
    folder: str | Path | None
    task_bytes: int

    @abstractmethod
    def of(self, model: Model, *, keep_local: bool = False, folder: Path | None = None) -> "Engine":
        """An engine for a model's run. keep_local: whether documents' local results are carried from pass to
        pass; folder: for its files (None: a new temporary one)."""


class Engine(ABC):
    """Owns the table of counts, and runs local steps; the table is consistent after every method.

    A local step infers the latent variables of a shard's documents (their "records"), and returns statistics:
    sums for the table and the params. Moves try changes of the model's shape ("proposals"); the statistics
    under these are "trials". `table` can be read after `start` or `restore`; what was read is invalid after a
    change. If no process can hold the counts, `table` has only their totals and reads rows from files.
    `folder`: where the engine stores files, if any; `keeper`: an object that keeps a temporary folder from
    being removed.
    """

    table: CountTable
    folder: Path | None
    keeper: object

    @abstractmethod
    def start(self, model: Model, counts: Seeds, keys: Sequence[str] | None = None) -> None:
        """Begin with a table of these counts (rows × columns), with `keys` of rows if the model is keyed."""

    @abstractmethod
    def map(
        self, params: Record, shards: Iterable[Shard], n_shards: int, seed: int, proposals: Proposals = ()
    ) -> Stats:
        """Run the local step on each shard of a step; returns the sum of their statistics.

        They are added in the order of the shards. Also evaluates `proposals`. Nothing changes until `commit`,
        which completes the step. Raises Interrupted if asked to stop.
        """

    @abstractmethod
    def retry(self, params: Record, shards: Iterable[Shard], seed: int, proposals: Proposals) -> Stats:
        """Evaluate changed proposals on the shards of the last `map`, and return only these trials.

        Only after a `map` with proposals.
        """

    @abstractmethod
    def commit(self, *, carry: bool = True) -> None:
        """End a step: store its documents' records for their next visit, if the engine carries records.

        Without `carry`, the records of these documents are dropped, so that their next visit starts afresh.
        """

    @abstractmethod
    def replace_report(self, number: int, stats: Stats, keep: float) -> Stats:
        """Store minibatch `number`'s statistics in place of its last ones, and update the table accordingly.

        With `keep` 1: table ← table + the new rows - the last rows. With `keep` 0: table ← the sum of the
        rows of all stored statistics, the new ones included. Returns the sum of all stored statistics,
        without their rows, and with only those trials that every minibatch has (with the trials' rows).
        """

    @abstractmethod
    def blend(self, rows: Rows | SparseCounts, keep: float, add: float) -> None:
        """Update the table: table ← keep · table + add · rows."""

    @abstractmethod
    def edit(self, edit: Edit, stats: Stats | None = None) -> Stats | None:
        """Change the table's shape, and with it the documents' records and the stored statistics.

        stats: the statistics of the current step, which are returned in the new shape; None if not needed.
        """

    @abstractmethod
    def map_items(
        self, function: "Callable[[LocalEngine, Item], Result]", items: Sequence[Item]
    ) -> list[Result]:
        """Call `function(engine, item)` for each item; returns the results in order.

        `engine` is a `LocalEngine` with the present table. The function must be picklable, and change
        nothing.
        """

    def map_items_with_sums(
        self,
        function: "Callable[[LocalEngine, Item], tuple[Result, Array]]",
        items: Sequence[Item],
        finish: Callable[[int, Array], Piece],
    ) -> tuple[list[Result], list[Piece]]:
        """As `map_items`, for a function that returns a result and an array; the arrays are summed.

        Returns the results, and `finish(first, piece)` for each piece of the sum along its last axis, in
        order; `first` is the piece's first index. An engine on several machines chooses the pieces; by
        default the whole sum is one.
        """
        return sum_arrays(self.map_items(function, items), finish)

    @abstractmethod
    def summary(self, params: Record) -> Summary:
        """The model's `summary`, added up over the rows of the table."""

    @abstractmethod
    def table_view(self, report: Stats | None) -> TableView:
        """A view by which moves query the table and `report`, a step's statistics (None: no report).

        Invalid after the table's next change.
        """

    @abstractmethod
    def snapshot(self) -> tuple[dict[str, Array], list[str] | None]:
        """Arrays from which `restore` rebuilds the same engine state exactly, and the rows' keys, if any."""

    def files(self, *, run: bool) -> Sequence[Path]:
        """The files to which the last snapshot refers; with `run`, also those that only continuing needs.

        They exist until two more snapshots were taken.
        """
        return ()

    @abstractmethod
    def restore(self, model: Model, arrays: Mapping[str, Array], keys: Sequence[str] | None) -> None:
        """Restore the state that `snapshot` returned, to continue a run or use a model. keys: of the rows."""

    @abstractmethod
    def stop(self) -> None:
        """Ask a `map` that is running to raise Interrupted; may be called from a signal handler."""
