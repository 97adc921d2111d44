"""Named arrays that know their axes, rows of a table, and the statistics that shards report."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Field(NamedTuple):
    """An array whose axes have names, so that one `apply(edit, ...)` serves all records of all models.

    `additive` fields are counts: a merge adds, a split shares out, growth brings zeros. Others are
    parameters: a merge keeps the first, a split copies, growth brings `fresh`.
    """

    values: Array
    axes: tuple[str, ...] = ()
    additive: bool = True
    fresh: float = 0.0


Record = Mapping[str, Field]


class Rows(NamedTuple):
    """Some rows of a table: `positions` (n, int64, ascending) and `values` (n × columns)."""

    positions: NDArray[np.int64]
    values: Array

    def plus(self, other: "Rows") -> "Rows":
        """The sum, over the union of the two sets of rows."""
        positions = np.union1d(self.positions, other.positions)
        values = np.zeros((len(positions), self.values.shape[1]))
        values[np.searchsorted(positions, self.positions)] += self.values
        values[np.searchsorted(positions, other.positions)] += other.values
        return Rows(positions, values)

    def scaled(self, factor: float) -> "Rows":
        return Rows(self.positions, self.values * factor)


def no_rows(n_columns: int) -> Rows:
    """No rows at all.

    >>> no_rows(3).values.shape
    (0, 3)
    """
    return Rows(np.empty(0, np.int64), np.empty((0, n_columns)))


@dataclass(frozen=True, slots=True)
class Stats:
    """What a shard reports, and the sum of such reports: everything in it adds.

    `rows` are known rows by their position in the table; `found` are new rows by their content (a
    spelling), which only the driver may admit; `usage` small sums (topic use, E[log theta]); `score` nats;
    `trial` the statistics of plans under test, by the plan's name.
    """

    rows: Rows
    found: Mapping[str, Array] = field(default_factory=dict[str, Array])
    usage: Record = field(default_factory=dict[str, Field])
    score: float = 0.0
    documents: float = 0.0
    tokens: float = 0.0
    trial: "Mapping[str, Stats]" = field(default_factory=dict[str, "Stats"])

    def plus(self, other: "Stats") -> "Stats":
        """The sum of two reports; a key that only one has counts as zero in the other."""
        return replace(
            self.plus_small(other),
            rows=self.rows.plus(other.rows),
            trial=_union(self.trial, other.trial, Stats.plus),
        )

    def plus_small(self, other: "Stats") -> "Stats":
        """The sum of all but `rows` and `trial`, which stay this report's."""
        return replace(
            self,
            found=_union(self.found, other.found, lambda a, b: a + b),
            usage=_union(self.usage, other.usage, lambda a, b: a._replace(values=a.values + b.values)),
            score=self.score + other.score,
            documents=self.documents + other.documents,
            tokens=self.tokens + other.tokens,
        )

    def scaled(self, factor: float) -> "Stats":
        """Every sum times `factor`; with -1 and `plus`, a report is taken back."""
        return Stats(
            rows=self.rows.scaled(factor),
            found={key: row * factor for key, row in self.found.items()},
            usage={key: value._replace(values=value.values * factor) for key, value in self.usage.items()},
            score=self.score * factor,
            documents=self.documents * factor,
            tokens=self.tokens * factor,
            trial={name: stats.scaled(factor) for name, stats in self.trial.items()},
        )


T = TypeVar("T")


def _union(first: Mapping[str, T], second: Mapping[str, T], add: Callable[[T, T], T]) -> dict[str, T]:
    joined = dict(first)
    for key, value in second.items():
        joined[key] = add(joined[key], value) if key in joined else value
    return joined
