"""Reads Parquet, Arrow and Feather files, and tables of other libraries: one document per row."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import Any, BinaryIO

import pyarrow as pa

from stickbreaker.core.errors import UserError, shortened, shown
from stickbreaker.core.json_checks import Classes, is_mapping
from stickbreaker.corpus.arrow_arrays import ArrowArray, ArrowNested, parquet_file
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.metadata import LONGEST_VALUE, characters_of
from stickbreaker.corpus.readers.arrow_sizes import decoded_sizes
from stickbreaker.corpus.readers.base import Reader, ReadingOptions, parts_of, text_fields
from stickbreaker.corpus.readers.document_inputs import is_missing, tokens_of
from stickbreaker.corpus.readers.field_rules import checked_columns, document_of
from stickbreaker.corpus.readers.limits import too_large
from stickbreaker.corpus.readers.problems import Bad, Problems
from stickbreaker.corpus.readers.sources import Source, seekable

_ROWS = 1_024  # rows decoded at a time
_FEW_ROWS = 16  # for strings that share beginnings, and so may be much longer than the file
_LONG_VALUE = 1 << 18  # bytes
_LARGEST_BATCH = 1 << 25  # bytes of a column's strings that are decoded at a time
_LARGEST_DECODED, _PACKED_AT_MOST = (
    1 << 28,
    100,
)  # bytes of an Arrow batch, or this many times its compressed size
_RECORDS: Classes = (list, tuple, Iterator)
_scalar: Any = pa.scalar  # of types that are not known before
_LEFT_OUT = object()  # stands for a value that is too long for metadata
_INDEX = re.compile(r"__index_level_[0-9]+__")  # the name that pandas gives to an unnamed index
_TROUBLE = (pa.ArrowException, OSError, ValueError, OverflowError, LookupError, TypeError, MemoryError)


def read(
    source: Source, options: ReadingOptions, problems: Problems, batches: "Batches"
) -> Iterator[Document]:
    """Yield a document for each row of a file. A text column with lists of strings has tokens.

    One row group or batch is read at a time, and only the columns of text and metadata. `batches` reads the
    format. A row or table that is wrong is reported to `problems`.
    """
    row = 0
    try:
        with seekable(source, options.largest_text) as stream:
            for record in _records(batches, stream, options):
                row += 1
                try:
                    if sum(map(characters_of, record.values())) > options.largest_text:
                        raise too_large("the row", options.largest_text)
                    yield document_of(record, options, f"{source.label}:{row}", source.name, row)
                except Bad as bad:
                    problems.tell(bad, source.name, row)
    except Bad as bad:
        problems.tell(bad, source.name)


def frame_documents(frame: object, options: ReadingOptions) -> Iterator[Document]:
    """The documents of a table in memory (pandas, polars, Arrow …) or of a list of dicts.

    Rows without an id have their number, from 0. Raises UserError if it is neither, and for the first row
    that is wrong.
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


def table_documents(table: object) -> list[Document]:
    """The documents of a table, or of a list of dicts, with the text in the column "text".

    If an id repeats, all documents have id None. Raises UserError if it is neither, and for a wrong row.
    """
    documents = list(frame_documents(table, ReadingOptions()))
    if len({document.id for document in documents}) == len(documents):
        return documents
    return [replace(document, id=None) for document in documents]


def _frame_records(frame: Any, options: ReadingOptions) -> Iterator[dict[str, Any]]:
    """The rows of a table in memory as dicts, or the dicts of a list.

    Raises UserError if it is neither, and Bad for columns that are wrong.
    """
    if callable(getattr(frame, "__arrow_c_stream__", None)):
        yield from _records(_streamed, frame, options)
        return
    remedy = "give a table of pandas (2.2 or later), polars or Arrow, or a list of dicts"
    if not isinstance(frame, _RECORDS):
        raise UserError(f"{type(frame).__name__} is not a table that Arrow can read", remedy=remedy)
    for number, record in enumerate(frame):
        if not is_mapping(record):
            place = f"record {number} is not a dict" if number else f"{type(frame).__name__} is not a table"
            raise UserError(place + (" that Arrow can read" if not number else ""), remedy=remedy)
        text = record.get(options.text_field)
        tokens = None if text is None or isinstance(text, str) else tokens_of(text)
        yield dict(record) if tokens is None else {**record, options.text_field: tokens}


def _records(batches: "Batches", given: object, options: ReadingOptions) -> Iterator[dict[str, Any]]:
    """The rows of the input as dicts by column name, without columns that can be neither text nor metadata.

    batches: makes Arrow batches of `given`. Values too long for metadata are left out. Raises Bad if
    unreadable.
    """
    fields = text_fields(options.text_field)
    named = fields.values() if isinstance(fields, dict) else (fields,)
    texts = {name for field in named for name in (field, *parts_of(field))}

    def chosen(schema: pa.Schema) -> list[str]:
        checked_columns(schema.names, options)
        return [
            name
            for name, kind in zip(schema.names, schema.types, strict=True)
            if name in texts or not (_is_no_metadata(kind) or _INDEX.fullmatch(name))
        ]

    try:
        for batch in batches(given, chosen):
            for start in range(0, batch.num_rows, _ROWS):
                rows = batch.slice(start, _ROWS)
                columns = {
                    name: _values(name, column) if name in texts else _metadata_values(name, column)
                    for name, column in _columns(rows)
                }
                for row in zip(*columns.values(), strict=True):
                    yield {
                        name: value
                        for name, value in zip(columns, row, strict=True)
                        if value is not _LEFT_OUT
                    }
    except _TROUBLE as error:
        raise Bad("unreadable table", f"cannot be read ({_reason(error)})", "write the table again") from None


def _columns(batch: Any) -> Iterator[tuple[str, ArrowNested]]:
    """The names and values of a batch's columns."""
    return zip(batch.schema.names, batch.columns, strict=True)


def _metadata_values(name: str, column: ArrowNested) -> list[Any]:
    """The values of a metadata column; `_LEFT_OUT` in place of those that are too long for metadata."""
    short = _without_long(column)
    values = _values(name, short)
    if short is column:
        return values
    nulls = column.is_null().to_pylist()
    return [_LEFT_OUT if one is None and not null else one for one, null in zip(values, nulls, strict=True)]


def _without_long(column: ArrowNested) -> ArrowArray:
    """A metadata column with values that are too long set to null, before they are decoded."""
    if pa.types.is_dictionary(column.type):
        dictionary = column.dictionary
        short = _without_long(dictionary)
        return column if short is dictionary else column.from_arrays(column.indices, short)
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    lengths = _computed("binary_length", column)
    longest = _computed("max", lengths).as_py()
    if longest is None or longest <= 4 * LONGEST_VALUE:  # bytes per character
        return column
    short = _computed("less_equal", lengths, _scalar(4 * LONGEST_VALUE, lengths.type))
    return _computed("if_else", short, column, _scalar(None, column.type))


def _computed(name: str, *values: object) -> ArrowNested:
    """Call a function of `pyarrow.compute` by its name, such as "max"; returns its result."""
    from pyarrow import compute

    return compute.call_function(name, list(values))  # pyright: ignore[reportUnknownMemberType]


def _is_no_metadata(kind: pa.DataType) -> bool:
    """Whether columns of a type cannot be metadata: bytes, objects, and lists of anything but strings."""
    if not pa.types.is_nested(kind):
        is_bytes = pa.types.is_binary(kind) or pa.types.is_large_binary(kind)
        return is_bytes or pa.types.is_fixed_size_binary(kind)
    items = kind.value_type if pa.types.is_list(kind) or pa.types.is_large_list(kind) else None
    return items is None or not (pa.types.is_string(items) or pa.types.is_large_string(items))


def _values(name: str, column: ArrowNested) -> list[Any]:
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


def _looked_up(name: str, column: ArrowNested) -> list[Any]:
    """The values of a dictionary-encoded column; each distinct value is converted only once."""
    used = column.indices.unique().drop_null()
    values = dict(zip(used.to_pylist(), _values(name, column.dictionary.take(used)), strict=True))
    return [None if place is None else values[place] for place in column.indices.to_pylist()]


def _reason(error: BaseException) -> str:
    return shortened(" ".join(str(one)[:2000] for one in error.args), 200)


Choice = Callable[[pa.Schema], list[str]]  # returns the columns to read
Batches = Callable[[Any, Choice], Iterable[pa.RecordBatch]]


def _streamed(frame: Any, chosen: Choice) -> Iterator[pa.RecordBatch]:
    """The batches of a table in memory that has Arrow's protocol, with the columns that `chosen` selects."""
    reader = pa.RecordBatchReader.from_stream(frame)
    names = chosen(reader.schema)
    for batch in reader:
        yield batch.select(names)


def _parquet(stream: BinaryIO, chosen: Choice) -> Iterator[pa.RecordBatch]:
    """The batches of a Parquet file, small enough for memory, with the columns that `chosen` selects.

    Columns with long values are read as dictionary arrays, so that a repeated value is not copied to every
    row.
    """
    file = parquet_file(stream)
    names = chosen(file.schema_arrow)
    for group in range(file.num_row_groups):
        about = file.metadata.row_group(group)
        chunks = [about.column(i) for i in range(file.metadata.num_columns)]
        chunks = [chunk for chunk in chunks if _is_of(chunk.path_in_schema, names)]
        strings = [chunk for chunk in chunks if chunk.physical_type == "BYTE_ARRAY"]
        rows = _FEW_ROWS if any("DELTA_BYTE_ARRAY" in chunk.encodings for chunk in strings) else _ROWS
        size = max((chunk.total_uncompressed_size for chunk in strings), default=0)
        rows = max(1, min(rows, _LARGEST_BATCH * about.num_rows // max(size, 1)))
        large = [one.path_in_schema for one in strings if one.total_uncompressed_size > _LONG_VALUE]
        long = _with_long_values(stream, group, large, rows) if large else []
        reader = parquet_file(stream, long, 1 << 20)
        for batch in reader.iter_batches(rows, row_groups=[group], columns=names, use_threads=not large):
            yield batch.select(names)


def _is_of(path: str, names: Iterable[str]) -> bool:
    """Whether a Parquet column path is one of these columns, or inside one."""
    return any(path == name or path.startswith(f"{name}.") for name in names)


def _with_long_values(stream: BinaryIO, group: int, paths: list[str], rows: int) -> list[str]:
    """Those of a row group's string columns (`paths`) that may have long values, judged by its first rows."""
    file = parquet_file(stream, paths, 1 << 16)
    short: set[str] = set()
    names = list({path.partition(".list.")[0] for path in paths})
    first = islice(file.iter_batches(rows, row_groups=[group], columns=names), 1)
    for name, column in chain.from_iterable(map(_columns, first)):
        values = column.values if pa.types.is_list(column.type) else column
        if pa.types.is_dictionary(values.type):
            longest = _computed(
                "max", _computed("binary_length", values.dictionary)
            ).as_py()  # None: all these rows are null
            short |= {name} if longest is not None and longest <= _LONG_VALUE else set()
    return [path for path in paths if path.partition(".list.")[0] not in short]


_ARROW_OPENERS: dict[bool, Callable[..., Any]] = {True: pa.ipc.open_file, False: pa.ipc.open_stream}


def _arrow(stream: BinaryIO, chosen: Choice) -> Iterator[pa.RecordBatch]:
    """The batches of an Arrow file or stream, or of a Feather file of version 2.

    They have the columns that `chosen` selects. Raises Bad if a batch is too large to be decoded.
    """
    whole = stream.read(6) == b"ARROW1"
    stream.seek(0)
    for size, decoded in decoded_sizes(stream):
        if decoded > max(_LARGEST_DECODED, _PACKED_AT_MOST * size):
            problem = f"a batch of {decoded / 1e9:.1f} GB, packed into {size / 1e6:.1f} MB, is not decoded"
            raise Bad("too large", problem, "leave the column with the longest values out")
    stream.seek(0)
    opened = _ARROW_OPENERS[whole]
    schema = opened(stream).schema
    names = chosen(schema)
    stream.seek(0)
    options = pa.ipc.IpcReadOptions(included_fields=[schema.get_field_index(name) for name in names])
    file = opened(stream, options=options)
    batches = map(file.get_batch, range(file.num_record_batches)) if whole else iter(file)
    for batch in batches:
        batch.validate(full=True)  # checks lengths and offsets, so that a damaged file is not followed
        yield batch.select(names)


PARQUET = Reader("parquet", "Parquet", (".parquet", ".pq"), "text", partial(read, batches=_parquet))
ARROW = Reader("arrow", "Arrow and Feather", (".arrow", ".feather"), "text", partial(read, batches=_arrow))
