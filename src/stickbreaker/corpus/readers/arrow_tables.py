"""Parquet, Arrow and Feather files, and tables of other libraries: a row a document."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import Any, BinaryIO

import pyarrow as pa

from stickbreaker.core.errors import UserError, shortened, shown
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.readers.base import Reader, ReadingOptions, parts_of, text_fields
from stickbreaker.corpus.readers.document_inputs import is_missing, tokens_of
from stickbreaker.corpus.readers.field_rules import checked_columns, document_of
from stickbreaker.corpus.readers.limits import too_large
from stickbreaker.corpus.readers.problems import Bad, Problems
from stickbreaker.corpus.readers.sources import Source, seekable

_ROWS = 1_024  # decoded at a time
_FEW_ROWS = 16  # of strings that share beginnings, and so may be much longer than the file
_LONG_VALUE = 1 << 18  # bytes
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
        with seekable(source, options.largest_text) as stream:
            for record in _records(batches, stream, options):
                row += 1
                try:
                    if _characters(record) > options.largest_text:
                        raise too_large("the row", options.largest_text)
                    yield document_of(record, options, f"{source.label}:{row}", source.name, row)
                except Bad as bad:
                    problems.tell(bad, source.name, row)
    except Bad as bad:
        problems.tell(bad, source.name)


def _characters(record: dict[str, Any]) -> int:
    """The characters of a row's strings and lists of strings."""
    characters = 0
    for value in record.values():
        if isinstance(value, str):
            characters += len(value)
        elif isinstance(value, list):
            characters += sum(len(item) for item in value if isinstance(item, str))
    return characters


def frame_documents(frame: Any, options: ReadingOptions) -> Iterator[Document]:
    """The documents of a table of pandas, polars, Arrow or another library, or of a list of records (dicts),
    rows numbered from 0.

    Raises UserError for what is no table, and for the first row that is wrong.
    """
    place, record = "the table", {}
    try:
        for row, record in enumerate(_frame_records(frame, options)):
            place = f"row {row}"
            yield document_of(record, options, str(row), place)
            place = "the table"
    except Bad as bad:
        if is_missing(record.get(options.text_field, "")):
            bad.remedy = "leave the row out, or give an empty text"
        raise bad.at(place) from None


def table_documents(table: Any) -> list[Document]:
    """The documents of a table or of records by their column "text"; ids that are given twice are left out.

    Raises UserError as `frame_documents` does.
    """
    documents = list(frame_documents(table, ReadingOptions()))
    if len({document.id for document in documents}) == len(documents):
        return documents
    return [replace(document, id=None) for document in documents]


def _frame_records(frame: Any, options: ReadingOptions) -> Iterator[dict[str, Any]]:
    """The rows of a table, or the records of a list. Raises UserError for what is neither, and Bad."""
    if callable(getattr(frame, "__arrow_c_stream__", None)):
        yield from _records(pa.RecordBatchReader.from_stream, frame, options)
        return
    remedy = "give a table of pandas (2.2 or later), polars or Arrow, or a list of dicts"
    number, records = 0, iter(frame) if isinstance(frame, list | tuple | Iterator) else None
    for number, record in enumerate(records or ()):
        if not isinstance(record, Mapping):
            records = None
            break
        text = record.get(options.text_field)
        tokens = None if text is None or isinstance(text, str) else tokens_of(text)
        yield dict(record) if tokens is None else {**record, options.text_field: tokens}
    if records is None:
        place = f"record {number}" if number else type(frame).__name__
        problem = "is no dict" if number else "is no table that Arrow can take"
        raise UserError(f"{place} {problem}", remedy=remedy)


def _records(
    batches: Callable[[Any], Iterable[pa.RecordBatch]], given: Any, options: ReadingOptions
) -> Iterator[dict[str, Any]]:
    """The rows of what is given, by column name. Raises Bad."""
    fields = text_fields(options.text_field)
    named = fields.values() if isinstance(fields, dict) else (fields,)
    texts = {name for field in named for name in (field, *parts_of(field))}
    try:
        for batch in batches(given):
            names: list[str] = batch.schema.names
            checked_columns(names, options)
            kept = [
                (name, column)
                for name, column in zip(names, batch.columns, strict=True)
                if name in texts or not (_is_no_metadata(column.type) or _INDEX.fullmatch(name))
            ]
            for start in range(0, batch.num_rows, _ROWS):
                columns = {name: _values(name, column.slice(start, _ROWS)) for name, column in kept}
                for row in zip(*columns.values(), strict=True):
                    yield dict(zip(columns, row, strict=True))
    except _TROUBLE as error:
        raise Bad("unreadable table", f"cannot be read ({_reason(error)})", "write the table anew") from None


def _is_no_metadata(kind: pa.DataType) -> bool:
    """Whether values are lists or objects, but no lists of strings."""
    if not pa.types.is_nested(kind):
        return False
    items = kind.value_type if pa.types.is_list(kind) or pa.types.is_large_list(kind) else None
    return items is None or not (pa.types.is_string(items) or pa.types.is_large_string(items))


def _values(name: str, column: pa.Array) -> list[Any]:
    try:
        if pa.types.is_timestamp(column.type) and column.type.unit == "ns":  # finer than Python's dates
            column = column.cast(pa.timestamp("us", column.type.tz), safe=False)
        elif pa.types.is_decimal(column.type):
            column = column.cast(pa.float64())
        elif pa.types.is_dictionary(column.type):
            return _looked_up(name, column)
        elif pa.types.is_list(column.type) and pa.types.is_dictionary(column.type.value_type):
            items = iter(_looked_up(name, column.flatten()))
            lengths = column.value_lengths().to_pylist()
            return [None if length is None else list(islice(items, length)) for length in lengths]
        return column.to_pylist()
    except _TROUBLE as error:
        problem = f"the column {shown(name)} cannot be read ({_reason(error)})"
        raise Bad("unreadable table", problem, "leave the column out") from None


def _looked_up(name: str, column: Any) -> list[Any]:
    """The values of a column that points into a dictionary; each that occurs is made once."""
    used = column.indices.unique().drop_null()
    values = dict(zip(used.to_pylist(), _values(name, column.dictionary.take(used)), strict=True))
    return [None if place is None else values[place] for place in column.indices.to_pylist()]


def _reason(error: BaseException) -> str:
    return shortened(" ".join(str(one)[:2000] for one in error.args), 200)


def _parquet(stream: BinaryIO) -> Iterator[pa.RecordBatch]:
    """The batches of a Parquet file, in which no long value of a dictionary is written out for every row."""
    from pyarrow import parquet

    file = parquet.ParquetFile(stream)
    for group in range(file.num_row_groups):
        chunks = [file.metadata.row_group(group).column(i) for i in range(file.metadata.num_columns)]
        strings = [chunk for chunk in chunks if chunk.physical_type == "BYTE_ARRAY"]
        rows = _FEW_ROWS if any("DELTA_BYTE_ARRAY" in chunk.encodings for chunk in strings) else _ROWS
        large = [one.path_in_schema for one in strings if one.total_uncompressed_size > _LONG_VALUE]
        long = _with_long_values(stream, group, large) if large else []
        reader = parquet.ParquetFile(stream, read_dictionary=long) if long else file
        yield from reader.iter_batches(rows, row_groups=[group])


def _with_long_values(stream: BinaryIO, group: int, paths: list[str]) -> list[str]:
    """Those columns of strings whose dictionary has a long value, or may have one."""
    from pyarrow import compute, parquet

    file = parquet.ParquetFile(stream, read_dictionary=paths, buffer_size=1 << 16)
    short: set[str] = set()
    first = islice(file.iter_batches(_ROWS, row_groups=[group]), 1)
    for name, column in chain.from_iterable(zip(one.schema.names, one.columns, strict=True) for one in first):
        values = column.values if pa.types.is_list(column.type) else column
        if pa.types.is_dictionary(values.type):
            lengths = compute.call_function("binary_length", [values.dictionary])
            longest = compute.call_function("max", [lengths]).as_py()  # None: all these rows are null
            short |= {name} if longest is not None and longest <= _LONG_VALUE else set()
    return [path for path in paths if path.partition(".list.")[0] not in short]


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
