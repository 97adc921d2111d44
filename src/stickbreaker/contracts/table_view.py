"""The table as a move sees it: sums over blocks of rows, and arrays over rows that are computed block by
block.

No process has to hold the whole of a large table. A move therefore queries rows by a function of a block,
which an engine can send to where the rows are stored.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from stickbreaker.core.records import Array

RowArray = Any  # an array over all rows, in the engine's form: here an ndarray; only engines look inside


class RowBlock(NamedTuple):
    """Consecutive rows of the table."""

    first: int  # number of its first row
    n_rows: int  # rows of the whole table
    counts: Array  # the block's rows × columns
    held: Mapping[str, Array]  # other arrays that were asked for, restricted to the block's rows


class ReportRows(NamedTuple):
    """Placeholder for rows of a step's report: the rows of the trial named `trial`, or the report's own if it
    is "".

    A block gets zeros for its rows that the report does not have.
    """

    trial: str = ""


@dataclass(frozen=True, slots=True)
class RowQuery:
    """A function of a block, and what it needs of the block's rows besides their counts.

    The function can be sent to other processes (it is a module's function, `functools.partial` of one, or a
    frozen dataclass with `__call__`), and carries everything else that it needs. A function that does not use
    `counts` may get none (rows × 0).
    """

    function: Callable[[RowBlock], Mapping[str, Array]]
    held: Mapping[str, RowArray | ReportRows] = field(default_factory=dict[str, RowArray | ReportRows])
    counts: bool = True


class TableView(ABC):
    """The queries that a move may make of the table, and of the rows of one report.

    Every call may go over all rows, so combine queries into one call.
    """

    n_rows: int
    totals: Array  # sums over the rows (groups × columns)

    @abstractmethod
    def add(self, queries: Mapping[str, RowQuery]) -> dict[str, dict[str, Array]]:
        """The results of each query, summed over the blocks of the table: {query: {array: sum}}."""

    @abstractmethod
    def fields(self, queries: Mapping[str, RowQuery]) -> dict[str, dict[str, RowArray]]:
        """Arrays over all rows of the table: {query: {array: values}}.

        Each query is a function that computes such arrays for the rows of one block; they are concatenated.
        They may become values of fields and of edits. For a table whose rows have keys they are ndarrays.
        """

    @abstractmethod
    def top(self, columns: Sequence[int], n: int) -> list[list[int]]:
        """The numbers of the n rows with the largest counts in each column, largest first; ties in order of
        rows.
        """
