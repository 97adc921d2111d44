"""How the topics of a model changed during learning: snapshots of their top words, in a Parquet file."""

# pyright: standard
# since pyarrow has no types

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from stickbreaker.core.errors import UserError
from stickbreaker.core.files import atomic_file
from stickbreaker.core.records import AnyArray
from stickbreaker.core.serialize import Arrays
from stickbreaker.corpus.arrow_arrays import arrow_numbers, arrow_words
from stickbreaker.corpus.text.dates import ISO_DATE

TOP_WORDS = 50  # top words per topic in a snapshot
ENTERED_WORDS = 10  # entered words per topic in a snapshot
MOST_SNAPSHOTS = 512
KINDS = ("top", "entered")

_STEP = re.compile(r"(step:)?([0-9]{1,18})")
_COLUMNS = ("snapshot", "step", "documents", "date", "topic", "kind", "rank", "word", "probability")

Top = Mapping[int, Sequence[tuple[str, float]]]  # (word, probability) by lasting id, the most probable first
Entered = Mapping[int, Sequence[tuple[int, str, float]]]  # (rank, word, probability) by lasting id


class SnapshotRows(NamedTuple):
    """The words of all topics in one snapshot, as columns of a table.

    Rows are sorted by topic, then top words before words that entered, then by rank.
    """

    topic: AnyArray  # int32
    kind: AnyArray  # int8, an index in KINDS
    rank: AnyArray  # int32
    word: AnyArray  # strings
    probability: AnyArray  # float32


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """One snapshot of a run: the topics' words after `step` steps and `documents` documents.

    `date` is that of the last document learned from (ISO 8601 or a beginning of it), None if unknown. Topics
    have lasting ids, which they keep when others are added or removed.
    """

    step: int
    documents: int
    date: str | None
    rows: SnapshotRows

    def top(self) -> dict[int, list[tuple[str, float]]]:
        """The most probable words of each topic, by its lasting id, in order.

        They are (word, probability), at most 50 per topic.
        """
        found: dict[int, list[tuple[str, float]]] = {}
        for topic, _, word, probability in self._of(0):
            found.setdefault(topic, []).append((word, probability))
        return found

    def entered(self) -> dict[int, list[tuple[int, str, float]]]:
        """For each topic, by its lasting id, the words that have become top words since the snapshot before.

        They are (rank, word, probability), at most 10 per topic. If a word entered at a snapshot that was
        removed, its rank is that at this snapshot if it is still a top word, otherwise that at its entry.
        """
        found: dict[int, list[tuple[int, str, float]]] = {}
        for topic, rank, word, probability in self._of(1):
            found.setdefault(topic, []).append((rank, word, probability))
        return found

    def _of(self, kind: int) -> Iterable[tuple[int, int, str, float]]:
        here = self.rows.kind == kind
        topic, _, rank, word, probability = (column[here].tolist() for column in self.rows)
        return zip(topic, rank, word, probability, strict=True)


@dataclass(frozen=True, slots=True, eq=False)
class Evolution:
    """The snapshots of a run in order, at most 512.

    >>> run = Evolution().add(1, 155, "1993-04-05", {0: [("comic", 0.2)]}, {})
    >>> run.add(2, 310, "1993-04-06", {0: [("hulk", 0.3)]}, {}).at("1993-04-05").top()[0][0][0]
    'comic'
    """

    moments: tuple[Moment, ...] = ()

    def add(self, step: int, documents: int, date: str | None, top: Top, entered: Entered) -> Evolution:
        """The evolution with one more snapshot; if that makes more than 512, every second one is dropped.

        The first and the last are never dropped. Words that entered at a dropped snapshot move to the next
        one. A snapshot without words is not added.

        Args:
            step: steps done, more than at the snapshot before.
            documents: documents seen.
            date: of the last document, in ISO 8601 or a beginning of that (a year, a month); None if unknown.
            top: the words of each topic by its lasting id, the most probable first; the first 50 are kept.
            entered: for each topic, the words that entered since the snapshot before, with their rank (1 is
                the most probable word of the topic); the ten with the smallest numbers are kept.

        Raises:
            ValueError: for a step that does not follow, or a date of another form.
        """
        if self.moments and step <= self.moments[-1].step:
            raise ValueError(f"step {step} does not follow step {self.moments[-1].step}")
        if date is not None and not ISO_DATE.fullmatch(date):
            raise ValueError(f"{date!r} is not a date in ISO 8601")
        rows = _rows(top, entered)
        if not len(rows.topic):
            return self
        moments = (*self.moments, Moment(step, documents, date, rows))
        return Evolution(moments if len(moments) <= MOST_SNAPSHOTS else _thinned(moments))

    def at(self, when: str | int) -> Moment:
        """The last snapshot at or before a date or a step.

        Args:
            when: a step, as a number; or as text a date or a beginning of one (2020-05-01, 2020-05, 2020), or
                a step (`120`, `step:120`). Four digits are a year if snapshots have dates. Dates are
                compared as they are written: up to the last digit that `when` has.

        Raises:
            UserError: if there is none; it names the steps and dates of the first and the last.
        """
        if not self.moments:
            raise UserError("there are no snapshots of the topics")
        dates = [moment.date for moment in self.moments if moment.date is not None]
        text = str(when)
        number = _STEP.fullmatch(text)
        year = isinstance(when, str) and len(text) == 4 and bool(dates)
        if number and not year:
            step = int(number[2])
            found = [moment for moment in self.moments if moment.step <= step]
        elif not ISO_DATE.fullmatch(text):
            raise UserError(
                f"{text!r} is neither a date (2020-05-01) nor a step", remedy=self._format_range()
            )
        elif not dates:
            raise UserError("the snapshots have no dates", remedy=self._format_range())
        else:
            found = [m for m in self.moments if m.date is not None and m.date[: len(text)] <= text]
        if not found:
            raise UserError(f"there is no snapshot as early as {text}", remedy=self._format_range())
        return found[-1]

    def _format_range(self) -> str:
        first, last = self.moments[0], self.moments[-1]
        dates = sorted(moment.date for moment in self.moments if moment.date is not None)
        span = f" ({dates[0]} to {dates[-1]})" if dates else ""
        return f"there are snapshots of steps {first.step} to {last.step}{span}"

    def write(self, path: Path) -> None:
        """Write the snapshots as a Parquet file, whole or not at all; equal snapshots give equal bytes."""
        lengths = [len(moment.rows.topic) for moment in self.moments]
        each = np.repeat(np.arange(len(self.moments), dtype=np.int32), lengths)
        rows = _joined(moment.rows for moment in self.moments)
        dates = pa.array([moment.date for moment in self.moments], pa.string())
        kinds = arrow_words(rows.kind, pa.array(KINDS))
        columns = {
            "snapshot": pa.array(each),
            "step": pa.array(np.array([moment.step for moment in self.moments], np.int64)[each]),
            "documents": pa.array(np.array([moment.documents for moment in self.moments], np.int64)[each]),
            "date": dates.take(arrow_numbers(each)),
            "topic": pa.array(rows.topic),
            "kind": kinds,
            "rank": pa.array(rows.rank),
            "word": pa.array(rows.word, pa.string()),
            "probability": pa.array(rows.probability),
        }
        with atomic_file(Path(path)) as partial:
            coded: Any = list(_COLUMNS[:-1])  # all but the probabilities have repeated values
            pq.write_table(pa.table(columns), partial, compression="zstd", use_dictionary=coded)

    @classmethod
    def read(cls, path: Path) -> Evolution:
        """Read what `write` wrote. Raises UserError for a file that is missing, damaged or foreign."""
        try:
            with pq.ParquetFile(path, read_dictionary=["date", "kind", "word"]) as file:
                table = file.read(list(_COLUMNS), use_threads=False)
            kinds = [table.schema.field(name).type for name in _COLUMNS]
            if not all(_is_of(kind, name) for name, kind in zip(_COLUMNS, kinds, strict=True)):
                raise ValueError("a column of another type")
            if not table.num_rows:
                return cls()
            return cls(_moments({name: _values(table.column(name)) for name in _COLUMNS}))
        except (OSError, ValueError, KeyError, TypeError, pa.ArrowException) as error:
            if isinstance(error, FileNotFoundError):
                raise UserError("the file is missing", where=path, remedy="fit the model again") from None
            raise UserError(
                "the file cannot be read as snapshots of topics",
                where=path,
                remedy="restore it from a copy or fit again",
            ) from None


def _rows(top: Top, entered: Entered) -> SnapshotRows:
    """The table of one snapshot, from the top words of each topic and the words that entered them."""
    rows = [
        (topic, 0, rank, word, probability)
        for topic, words in top.items()
        for rank, (word, probability) in enumerate(words[:TOP_WORDS], start=1)
    ]
    for topic, words in entered.items():
        first = sorted(words, key=lambda row: row[:2])[:ENTERED_WORDS]
        rows += [(topic, 1, rank, word, probability) for rank, word, probability in first]
    topic, kind, rank, words, probability = zip(*rows, strict=True) if rows else ((),) * 5
    return _ordered(
        SnapshotRows(
            np.array(topic, np.int32),
            np.array(kind, np.int8),
            np.array(rank, np.int32),
            np.array(words, np.object_),
            np.array(probability, np.float32),
        )
    )


def _ordered(rows: SnapshotRows) -> SnapshotRows:
    order = np.lexsort((rows.rank, rows.kind, rows.topic))  # stable: equal ranks stay in order
    return SnapshotRows(*(column[order] for column in rows))


def _thinned(moments: Sequence[Moment]) -> tuple[Moment, ...]:
    """Every second snapshot from the first, and the last.

    Words that entered at a dropped snapshot count as entered at the next one.
    """
    last = len(moments) - 1
    return tuple(
        moment if i % 2 or i == 0 else merged(moments[i - 1 : i + 1])
        for i, moment in enumerate(moments)
        if i % 2 == 0 or i == last
    )


def merged(moments: Sequence[Moment]) -> Moment:
    """Merge consecutive snapshots: the last one, with the words that entered at any of them.

    At most ten entered words per topic are kept.
    """
    last = moments[-1]
    found: dict[int, dict[str, tuple[int, str, float]]] = {}
    for moment in moments:
        for topic, rows in moment.entered().items():
            found.setdefault(topic, {}).update({row[1]: row for row in rows})
    for topic, words in last.top().items():
        by_word = found.get(topic, {})
        for rank, (word, probability) in enumerate(words, start=1):
            if word in by_word:
                by_word[word] = (rank, word, probability)
    entered = _rows({}, {topic: list(by_word.values()) for topic, by_word in found.items()})
    top = SnapshotRows(*(column[last.rows.kind == 0] for column in last.rows))
    return Moment(last.step, last.documents, last.date, _ordered(_joined([top, entered])))


def _joined(parts: Iterable[SnapshotRows]) -> SnapshotRows:
    """The rows of several snapshots, concatenated."""
    return SnapshotRows(*(np.concatenate(columns) for columns in zip(_rows({}, {}), *parts, strict=True)))


def _is_of(kind: pa.DataType, name: str) -> bool:
    """Whether the Arrow type `kind` is valid for the column `name`."""
    if name in ("date", "kind", "word"):
        return pa.types.is_dictionary(kind) and kind.value_type == pa.string()
    return pa.types.is_floating(kind) if name == "probability" else pa.types.is_integer(kind)


def _values(column: pa.ChunkedArray) -> AnyArray:
    """A table's column as an array, in which equal words share one string.

    Raises ValueError if a number is missing.
    """
    # by dlpack: to_numpy imports pandas if it is installed, which takes half a second
    if not pa.types.is_dictionary(column.type):
        if column.null_count:
            raise ValueError("a value is missing")
        return np.from_dlpack(column.combine_chunks())
    whole: Any = column.unify_dictionaries().combine_chunks()
    places = np.asarray(np.from_dlpack(whole.indices.fill_null(len(whole.dictionary))), np.intp)
    return np.array([*whole.dictionary.to_pylist(), None], np.object_)[places]


def _moments(columns: Arrays) -> tuple[Moment, ...]:
    """The snapshots from the columns of a file. Raises ValueError for values that `write` does not write."""
    kind = (columns["kind"] == KINDS[1]).astype(np.int8)
    words, number = columns["word"], columns["snapshot"]
    if not np.all((columns["kind"] == KINDS[0]) | (kind == 1)) or np.any(words == None):  # noqa: E711
        raise ValueError("an unknown kind, or an invalid word")
    dates = set(columns["date"].tolist()) - {None}
    numbers = [columns[name] for name in ("rank", "documents", "step")]
    right = all(0 <= int(values.min()) <= int(values.max()) <= 1 << 53 for values in numbers)
    right = right and np.array_equal(columns["topic"].astype(np.int32), columns["topic"])
    shares = columns["probability"]
    finite = shares.min() >= 0.0 and shares.max() < np.inf  # NaN is neither
    if not right or not finite or not all(map(ISO_DATE.fullmatch, dates)):
        raise ValueError("an invalid number or date")
    starts = np.flatnonzero(np.diff(number, prepend=-1))
    steps = columns["step"][starts]
    if not np.array_equal(number[starts], np.arange(len(starts))) or np.any(np.diff(steps) <= 0):
        raise ValueError("snapshots do not follow one another")
    rows = SnapshotRows(columns["topic"], kind, columns["rank"], words, columns["probability"])
    ends = [*starts[1:].tolist(), len(number)]
    return tuple(
        Moment(
            int(steps[i]),
            int(columns["documents"][start]),
            columns["date"][start],
            SnapshotRows(*(column[start:end] for column in rows)),
        )
        for i, (start, end) in enumerate(zip(starts.tolist(), ends, strict=True))
    )
