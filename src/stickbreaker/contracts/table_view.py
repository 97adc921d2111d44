"""The table as a move sees it: by queries that are computed for one block of rows at a time.

No process has to hold the whole of a large table. A query is therefore a function of a block, which an engine
can send to where the rows are stored.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from stickbreaker.core.records import Array

RowArray = Any  # an array over all rows, in the engine's form: here an ndarray; only engines look inside


class RowBlock(NamedTuple):
    """Consecutive rows of the table, as a query's function gets them."""

    first: int  # number of its first row
    n_rows: int  # rows of the whole table
    counts: Array  # the block's rows × columns
    held: Mapping[str, Array]  # other arrays that were asked for, restricted to the block's rows


class ReportRows(NamedTuple):
    """A placeholder in `RowQuery.held` for rows of the report: its own or, if `trial` is set, that trial's.

    The report is the statistics of a step. Rows of a block that it does not have are zeros.
    """

    trial: str = ""


@dataclass(frozen=True, slots=True)
class RowQuery:
    """A function that computes named arrays from a block of rows, and what it needs besides their counts.

    The function can be sent to other processes: it is a module's function, `functools.partial` of one, or a
    frozen dataclass with `__call__`. `held`: arrays over all rows of the table, or rows of the report; the
    function gets the block's part of each. With `counts=False` it may get no counts (rows × 0).
    """

    function: Callable[[RowBlock], Mapping[str, Array]]
    held: Mapping[str, RowArray | ReportRows] = field(default_factory=dict[str, RowArray | ReportRows])
    counts: bool = True


class TableView(ABC):
    """What a move may ask about the table, and about the rows of one report (a step's statistics).

    Every call may go over all rows, so combine queries into one call.
    """

    n_rows: int
    totals: Array  # sums over the rows (groups × columns)

    @abstractmethod
    def add(self, queries: Mapping[str, RowQuery]) -> dict[str, dict[str, Array]]:
        """The results of each query, summed over the blocks of the table: {query: {array: sum}}."""

    @abstractmethod
    def fields(self, queries: Mapping[str, RowQuery]) -> dict[str, dict[str, RowArray]]:
        """Arrays over all rows of the table, in the engine's form: {query: {array: values}}.

        Each query computes them for one block; the results are concatenated. They may become values of fields
        and of edits. For a table with keys they are ndarrays.
        """

    @abstractmethod
    def top(self, columns: Sequence[int], n: int) -> list[list[int]]:
        """The numbers of the n rows with the largest counts in each column, largest first; ties by row."""
