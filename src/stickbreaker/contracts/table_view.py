"""The table as a move sees it: sums over parts of its rows, and arrays over them that are made part by part.

No process need hold the whole of a large table. What a move asks of rows is therefore a function of a part,
which an engine may send to where the rows are.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from stickbreaker.core.records import Array

RowArray = Any  # an array over all rows, as an engine keeps it: here an ndarray; only engines look inside


class RowBlock(NamedTuple):
    """Consecutive rows of the table."""

    first: int  # number of its first row
    n_rows: int  # rows of the whole table
    counts: Array  # the part's rows × columns
    held: Mapping[str, Array]  # what else was asked for, the part's rows of it


class ReportRows(NamedTuple):
    """Stands for the rows of a step's report: those of the trial of this name, or the report's own.

    A part gets zeros for its rows that the report does not have.
    """

    trial: str = ""


@dataclass(frozen=True, slots=True)
class RowQuery:
    """A function of a part, and what of the part's rows it needs besides their counts.

    The function can be sent to other processes (it is a module's, `functools.partial` of one, or a frozen
    dataclass with `__call__`), and all that it needs besides is its own. One that looks at no `counts` of the
    table may get none (rows × 0).
    """

    function: Callable[[RowBlock], Mapping[str, Array]]
    held: Mapping[str, RowArray | ReportRows] = field(default_factory=dict[str, RowArray | ReportRows])
    counts: bool = True


class TableView(ABC):
    """What a move may ask of the table, as it is, and of the rows of one report.

    Every call may go over all rows, so that what can be asked at once is asked in one call.
    """

    n_rows: int
    totals: Array  # sums over the rows (groups × columns)

    @abstractmethod
    def add(self, queries: Mapping[str, RowQuery]) -> dict[str, dict[str, Array]]:
        """Each function's arrays, added up over the parts."""

    @abstractmethod
    def fields(self, queries: Mapping[str, RowQuery]) -> dict[str, dict[str, RowArray]]:
        """Each function's arrays, which have the part's rows first, as arrays over all rows.

        They may be values of fields and of edits. Of a table whose rows have keys they are ndarrays.
        """

    @abstractmethod
    def top(self, columns: Sequence[int], n: int) -> list[list[int]]:
        """The n largest rows of columns, the largest first; of equal ones the first."""
