"""Parquet, Arrow and Feather files, and tables of other libraries: a row a document."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, BinaryIO

import pyarrow as pa

from stickbreaker.core.errors import UserError
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.readers.base import Reader, ReadingOptions, text_fields
from stickbreaker.corpus.readers.problems import Bad, Problems
from stickbreaker.corpus.readers.records import checked_columns, document_of
from stickbreaker.corpus.readers.sources import Source, seekable

_ROWS = 1_024  # decoded at a time
_INDEX = re.compile(r"__index_level_[0-9]+__")  # the name that pandas gives to an index without one
_TROUBLE = (pa.ArrowException, OSError, ValueError, OverflowError, LookupError, TypeError, MemoryError)


def read(
    source: Source,
    options: ReadingOptions,
    problems: Problems,
    batches: Callable[[BinaryIO], Iterable[pa.RecordBatch]],
) -> Iterator[Document]:
    """Yield a document for each row, a row group or batch at a time; lists of strings are tokens."""
    row = 0
    try:
        with seekable(source) as stream:
            for record in _records(batches, stream, options):
                row += 1
                try:
                    yield document_of(record, options, f"{source.label}:{row}", source.name, row)
                except Bad as bad:
                    problems.tell(bad, source.name, row)
    except Bad as bad:
        problems.tell(bad, source.name)


def frame_documents(frame: Any, options: ReadingOptions) -> Iterator[Document]:
    """The documents of a table of pandas, polars, Arrow or another library, rows numbered from 0.

    Raises UserError for what is no table, and for the first row that is wrong.
    """
    if not callable(getattr(frame, "__arrow_c_stream__", None)):
        remedy = "give a table of pandas (2.2 or later), polars or Arrow"
        raise UserError(f"{type(frame).__name__} is no table that Arrow can take", remedy=remedy)
    place = "the table"
    try:
        for row, record in enumerate(_records(pa.RecordBatchReader.from_stream, frame, options)):
            place = f"row {row}"
            yield document_of(record, options, str(row), place)
            place = "the table"
    except Bad as bad:
        raise bad.at(place) from None


def _records(
    batches: Callable[[Any], Iterable[pa.RecordBatch]], given: Any, options: ReadingOptions
) -> Iterator[dict[str, Any]]:
    """The rows of what is given, by column name. Raises Bad."""
    fields = text_fields(options.text_field)
    texts = set(fields.values()) if isinstance(fields, dict) else {fields}
    try:
        for batch in batches(given):
            names: list[str] = batch.schema.names
            checked_columns(names, options)
            kept = [
                (name, column)
                for name, column in zip(names, batch.columns, strict=True)
                if name in texts or not (pa.types.is_nested(column.type) or _INDEX.fullmatch(name))
            ]
            for start in range(0, batch.num_rows, _ROWS):
                columns = {name: _values(name, column.slice(start, _ROWS)) for name, column in kept}
                for row in zip(*columns.values(), strict=True):
                    yield dict(zip(columns, row, strict=True))
    except _TROUBLE as error:
        raise Bad("unreadable table", f"cannot be read ({_reason(error)})", "write the table anew") from None


def _values(name: str, column: pa.Array) -> list[Any]:
    try:
        if pa.types.is_timestamp(column.type) and column.type.unit == "ns":  # finer than Python's dates
            column = column.cast(pa.timestamp("us", column.type.tz), safe=False)
        elif pa.types.is_decimal(column.type):
            column = column.cast(pa.float64())
        return column.to_pylist()
    except _TROUBLE as error:
        problem = f"the column {name!r} cannot be read ({_reason(error)})"
        raise Bad("unreadable table", problem, "leave the column out") from None


def _reason(error: BaseException) -> str:
    return " ".join(map(str, error.args))[:200]


def _parquet(stream: BinaryIO) -> Iterable[pa.RecordBatch]:
    from pyarrow import parquet

    return parquet.ParquetFile(stream).iter_batches(_ROWS)


def _arrow(stream: BinaryIO) -> Iterator[pa.RecordBatch]:
    """The batches of an Arrow file, an Arrow stream or a Feather file of version 2."""
    whole = stream.read(6) == b"ARROW1"
    stream.seek(0)
    if whole:
        file = pa.ipc.open_file(stream)
        batches = map(file.get_batch, range(file.num_record_batches))
    else:
        batches = iter(pa.ipc.open_stream(stream))
    for batch in batches:
        batch.validate(full=True)  # lengths and offsets: a damaged file must not be followed
        yield batch


PARQUET = Reader("parquet", "Parquet", (".parquet", ".pq"), "text", partial(read, batches=_parquet))
ARROW = Reader("arrow", "Arrow and Feather", (".arrow", ".feather"), "text", partial(read, batches=_arrow))
