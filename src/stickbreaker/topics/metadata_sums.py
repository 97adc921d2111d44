"""Sums of topics' tokens over all documents, by value and date of their metadata fields.

With them, a model can report topics by metadata over all documents without storing any document's shares.
Sums are integers, so the order of addition does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from stickbreaker.corpus.document import Scalar
from stickbreaker.corpus.text.dates import date_of
from stickbreaker.saved.parquet_figures import figures_in, write_with_figures

Rows = dict[str, NDArray[np.int64]]  # by value or date: documents, tokens, tokens of each topic (2 + K)

SCALE = 1 << 16  # units per token
MOST_CELLS = 1 << 18  # values × topics of a field: 2 MB
LEAST_VALUES = 100  # values that are stored however many topics there are
LEAST_DATES = 1200  # likewise for dates; enough for years
MOST_FIELDS = 64  # the first ones by name
PRECISIONS = (10, 7, 4)  # characters of ISO 8601: a day, a month, a year
_date_of = lru_cache(1 << 14)(date_of)


@dataclass
class FieldSums:
    """Sums over documents by the values of one metadata field. Each sum is an array of 2 + K integers: the
    number of documents, their tokens, and the tokens of each topic. Tokens are counted in units of 1 /
    `SCALE`.

    `values`: sums by value, None if there are too many; `dates`: sums by date, cut to its first `precision`
    characters in ISO 8601 (a day, month or year, as fine as there is room for). `known`: number of documents
    with a value. A document with a list of values counts under each.
    """

    values: Rows | None = field(default_factory=dict)
    dates: Rows = field(default_factory=dict)
    precision: int = PRECISIONS[0]
    known: int = 0

    def coarsen(self, precision: int) -> None:
        """Merge dates, in place: sums of dates with the same first `precision` characters (10: day, 7:
        month, 4: year) are added up. If dates are coarser already, nothing changes.
        """
        dates, self.dates, self.precision = self.dates, {}, min(precision, self.precision)
        for name, row in dates.items():
            _add(self.dates, name[: self.precision], row)


@dataclass
class MetadataSums:
    """Sums of topics' tokens over `documents` documents, by the values of each metadata field.

    `most_cells` limits memory: the number of values of a field times the number of topics. Beyond it, dates
    become coarser, and all sums by value of the field are dropped; but 100 values and 1,200 dates are always
    allowed. None: no limit. Only the first 64 fields by name are kept.
    """

    n_topics: int
    documents: int = 0
    fields: dict[str, FieldSums] = field(default_factory=dict)
    most_cells: int | None = MOST_CELLS

    def add(
        self,
        metadata: Sequence[Mapping[str, Scalar]],
        tokens: NDArray[np.floating],
        shares: NDArray[np.floating],
    ) -> None:
        """Add documents to the sums.

        metadata: each document's fields and their values; tokens (documents): each document's number of
        tokens; shares (documents × topics): topic shares.
        """
        self.documents += len(metadata)
        rows = np.ones((len(metadata), 2 + self.n_topics), np.int64)
        rows[:, 1] = np.rint(tokens * SCALE)
        rows[:, 2:] = np.rint(shares * tokens[:, None] * SCALE)
        for name in dict.fromkeys(name for fields in metadata for name in fields):
            found, values = self._field(name), [fields.get(name) for fields in metadata]
            labels = [labels_of(value) for value in values]
            found.known += sum(map(bool, labels))
            if found.values is not None:
                _add_all(found.values, labels, rows)
            days = [None if isinstance(value, list) else _date_of(value) for value in values]
            texts = [[day.isoformat()[: found.precision]] if day else [] for day in days]
            _add_all(found.dates, texts, rows)
            self._bound(name)
        self._drop_fields()

    def plus(self, other: MetadataSums) -> MetadataSums:
        """Add the sums over other documents to these, in place, and return these. In `other`, dates may be
        made coarser, to match.
        """
        self.documents += other.documents
        for name, more in other.fields.items():
            own = self._field(name)
            precision = min(own.precision, more.precision)
            own.coarsen(precision)
            more.coarsen(precision)
            own.known += more.known
            own.values = None if own.values is None or more.values is None else own.values
            for into, rows in ((own.values, more.values), (own.dates, more.dates)):
                for value, row in (rows or {}).items():
                    if into is not None:
                        _add(into, value, row)
            self._bound(name)
        self._drop_fields()
        return self

    def _field(self, name: str) -> FieldSums:
        return self.fields.setdefault(name, FieldSums())

    def _bound(self, name: str) -> None:
        """Limit the memory of a field: if it has too many values, drop all sums by value; if it has too many
        dates, merge them by month or year.
        """
        if self.most_cells is None:
            return
        found, room = self.fields[name], self.most_cells // self.n_topics
        if found.values is not None and len(found.values) > max(room, LEAST_VALUES):
            found.values = None
        for precision in PRECISIONS[1:]:
            if len(found.dates) > max(room, LEAST_DATES):
                found.coarsen(precision)

    def _drop_fields(self) -> None:
        if len(self.fields) > MOST_FIELDS:
            first = set(sorted(self.fields)[:MOST_FIELDS])
            self.fields = {name: sums for name, sums in self.fields.items() if name in first}


def labels_of(value: Scalar) -> list[str]:
    """The labels of a document, given the value of a metadata field: its text, or for a list each different
    item; none for an empty value.

    >>> labels_of(1990), labels_of(""), labels_of(["a", "b", "a"])
    (['1990'], [], ['a', 'b'])
    """
    several = value if isinstance(value, list) else [value]
    return list(dict.fromkeys(str(one) for one in several if one is not None and one != ""))


def _add(into: Rows, name: str, row: NDArray[np.int64]) -> None:
    before = into.get(name)
    into[name] = row if before is None else before + row


def _add_all(into: Rows, names: Sequence[Sequence[str]], rows: NDArray[np.int64]) -> None:
    """Add each document's row to the sums under each of its names (values or dates); documents without names
    are ignored.

    names: a list per document; rows (documents × 2 + K).
    """
    numbers: dict[str, int] = {}
    places = np.repeat(np.arange(len(names)), [len(several) for several in names])
    if not len(places):
        return
    codes = np.array([numbers.setdefault(name, len(numbers)) for several in names for name in several])
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    sums = np.add.reduceat(rows[places[order]], starts, axis=0)
    for name, row in zip(numbers, sums, strict=True):
        _add(into, name, row)


def write_sums(sums: MetadataSums, file: Path) -> None:
    """Write sums to a Parquet file, with a row for each value and each date of a field. Numbers about whole
    fields and about all documents are written to the file's own metadata.
    """
    rows = [
        (name, kind, value, row)
        for name, own in sums.fields.items()
        for kind, part in (("value", own.values or {}), ("date", own.dates))
        for value, row in part.items()
    ]
    about = {
        "documents": sums.documents,
        "topics": sums.n_topics,
        "scale": SCALE,
        "fields": [
            [name, own.values is not None, own.precision, own.known] for name, own in sums.fields.items()
        ],
    }
    columns = {
        "field": pa.array([row[0] for row in rows], pa.string()),
        "kind": pa.array([row[1] for row in rows], pa.string()),
        "value": pa.array([row[2] for row in rows], pa.string()),
        "sums": pa.array([row[3] for row in rows], pa.list_(pa.int64())),
    }
    write_with_figures(file, columns, about)


def read_sums(file: Path, refuse: Callable[[bool], None]) -> MetadataSums:
    """Read sums from a file that `write_sums` wrote.

    `refuse` is called after each check, with True if something is invalid; it should then raise an error.
    The result has no limit of memory (`most_cells` None).
    """
    with pq.ParquetFile(file) as opened:
        about = figures_in(opened)
        rows = opened.read(["field", "kind", "value", "sums"]).to_pylist()
    n_topics, documents = about["topics"], about["documents"]
    refuse(about["scale"] != SCALE or type(n_topics) is not int or type(documents) is not int)
    sums = MetadataSums(n_topics, documents, most_cells=None)
    for name, has_values, precision, known in about["fields"]:
        refuse(type(name) is not str or type(has_values) is not bool or precision not in PRECISIONS)
        refuse(type(known) is not int or not 0 <= known <= documents)
        sums.fields[name] = FieldSums({} if has_values else None, {}, precision, known)
    for row in rows:
        own, counts = sums.fields[row["field"]], np.array(row["sums"], np.int64)
        into = {"value": own.values, "date": own.dates}[row["kind"]]
        refuse(into is None or row["value"] is None or row["value"] in into)
        refuse(counts.shape != (2 + n_topics,) or counts.min() < 0 or counts[0] > documents)
        if into is not None:
            into[row["value"]] = counts
    return sums
