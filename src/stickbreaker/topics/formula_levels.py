"""The levels of terms such as (1 | author) and walk(day, "month"), as learned from documents.

Each level has coefficients of its own, one per topic, and they have a prior whose variance is learned. A
document has one level of a term, so it is coded by the number of that level and not by a column for each.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from stickbreaker.core.errors import UserError, counted, shown
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.records import Array
from stickbreaker.corpus.document import Scalar
from stickbreaker.corpus.text.dates import PERIODS, date_of
from stickbreaker.topics.formula_grammar import Factor

MOST_PERIODS = 1_000  # of a walk
NONE = -1.0  # the code of a document without a level that was learned


class TermLevels(NamedTuple):
    """The levels of one term: values of `field`, most frequent first, or its periods in order, and how many
    documents have each.

    `period`: None if levels are pooled; for a walk, "month" and the like. `first`: for a walk, the number of
    the first period (see `PERIODS`).
    """

    field: str
    period: str | None
    names: tuple[str, ...]
    documents: tuple[int, ...]
    first: int = 0

    def __str__(self) -> str:
        return f"(1 | {self.field})" if self.period is None else f'walk({self.field}, "{self.period}")'

    def codes(self, metadata: Sequence[Mapping[str, Scalar]]) -> Array:
        """The number of each document's level (documents); -1 for one that was not learned. A date before the
        first period or after the last counts as in that one.
        """
        values = [row.get(self.field) for row in metadata]
        if self.period is None:
            places = {name: float(place) for place, name in enumerate(self.names)}
            return np.array([places.get(label_of(value) or "", NONE) for value in values])
        numbers = [_period_of(value, self.period) for value in values]
        last = len(self.names) - 1
        return np.array(
            [NONE if one is None else min(max(one - self.first, 0), last) for one in numbers], float
        )

    def beyond(self, metadata: Sequence[Mapping[str, Scalar]]) -> int:
        """How many documents are dated before the first period of a walk or after its last."""
        if self.period is None:
            return 0
        numbers = (_period_of(row.get(self.field), self.period) for row in metadata)
        ends = self.first, self.first + len(self.names) - 1
        return sum(one is not None and not ends[0] <= one <= ends[1] for one in numbers)

    def to_json(self) -> JsonObject:
        return self._asdict()


def learn_levels(factor: Factor, metadata: Sequence[Mapping[str, Scalar]]) -> TermLevels:
    """The levels that documents have of a factor of the kind "pooled" or "walk". Raises UserError if a
    document has none, with their number, and for too many periods.
    """
    field, walks = factor.fields[0], factor.kind == "walk"
    values = [row.get(field) for row in metadata]
    numbers = [_period_of(value, factor.function) for value in values] if walks else []
    labels = [] if walks else [label_of(value) for value in values]
    missing = sum(one is None for one in (numbers if walks else labels))
    if missing == len(values):
        known = ", ".join(sorted({key for row in metadata for key in row})[:20]) or "none"
        what = f"a date in {shown(field)}" if walks else f"the field {shown(field)}"
        raise UserError(f"no document has {what}", remedy=f"there are: {known}")
    if missing:
        what = f"date in {shown(field)}" if walks else shown(field)
        problem = f"{counted(missing, 'document')} of {len(values):,} have no {what}"
        raise UserError(problem, remedy=f"leave them out, give them a value, or leave out {factor}")
    if not walks:
        found = Counter(label for label in labels if label is not None)
        order = sorted(found, key=lambda name: (-found[name], name))
        return TermLevels(field, None, tuple(order), tuple(found[name] for name in order))
    known = [number for number in numbers if number is not None]
    first, last = min(known), max(known)
    if last - first >= MOST_PERIODS:
        problem = f"{factor} has {last - first + 1:,} periods, and {MOST_PERIODS:,} are possible"
        raise UserError(problem, remedy=f'choose a longer one, such as walk({field}, "year")')
    counts: tuple[int, ...] = tuple(np.bincount(np.array(known) - first).tolist())
    names = tuple(PERIODS[factor.function][1](number) for number in range(first, last + 1))
    return TermLevels(field, factor.function, names, counts, first)


def levels_from(saved: JsonObject) -> TermLevels:
    """The levels that were saved as JSON. Raises ValueError, TypeError or KeyError if they are none."""
    lists = {name: tuple(saved[name]) for name in ("names", "documents")}
    made = TermLevels(**{**saved, **lists})
    right = isinstance(made.field, str) and (made.period is None or made.period in PERIODS)
    right &= all(isinstance(name, str) for name in made.names) and len(set(made.names)) == len(made.names)
    right &= len(made.names) == len(made.documents) > 0 and type(made.first) is int
    if not right or min(map(int, made.documents)) < 0:
        raise ValueError("no levels of a term")
    return made


def label_of(value: Scalar) -> str | None:
    """The label of a value as a level: its text; None for a missing value and a list."""
    if value is None or value == "" or isinstance(value, list):
        return None
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _period_of(value: Scalar, period: str) -> int | None:
    day = date_of(value)
    return None if day is None else PERIODS[period][0](day)
