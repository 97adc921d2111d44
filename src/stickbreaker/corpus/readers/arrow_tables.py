"""Reads Parquet, Arrow and Feather files, and tables of other libraries: one document per row."""

import importlib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from stickbreaker.core.errors import UserError, shortened, shown
from stickbreaker.core.json_checks import Classes, is_mapping
from stickbreaker.corpus.arrow_arrays import ArrowArray, ArrowNested, parquet_file
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.metadata import LONGEST_VALUE, characters_of
from stickbreaker.corpus.readers.arrow_sizes import decoded_sizes, wrong_end
from stickbreaker.corpus.readers.arrow_types import can_be_metadata, item_type, with_plain_extensions
from stickbreaker.corpus.readers.base import Reader, ReadingOptions
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
            for record in _records(batches, stream, options, source.name):
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
    package = type(frame).__module__.partition(".")[0]
    if package == "polars":
        frame = _with_64_bits(frame)
    elif not getattr(getattr(frame, "columns", None), "is_unique", True):  # pandas: Arrow would refuse it
        checked_columns(list(map(str, frame.columns)), options)
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


def _with_64_bits(frame: Any) -> Any:
    """A frame of polars whose whole numbers of 128 bits, which Arrow lacks, have 64 or else are text."""
    polars = importlib.import_module("polars")
    frame = frame.collect() if type(frame).__name__ == "LazyFrame" else frame
    for name, kind in zip(getattr(frame, "columns", ()), getattr(frame, "dtypes", ()), strict=True):
        if str(kind) in ("Int128", "UInt128"):
            try:
                frame = frame.with_columns(polars.col(name).cast(polars.Int64))
            except polars.exceptions.PolarsError:
                frame = frame.with_columns(polars.col(name).cast(polars.String))
    return frame


def _records(
    batches: "Batches", given: object, options: ReadingOptions, place: str = "the table"
) -> Iterator[dict[str, Any]]:
    """The rows of the input as dicts by column name, without columns that can be neither text nor metadata.

    batches: makes Arrow batches of `given`; place: its name in remarks. Values too long for metadata are left
    out. Raises Bad if unreadable.
    """
    choice = ColumnChoice(options, place)
    far = options.notes.far
    try:
        for batch in batches(given, choice):
            batch = with_plain_extensions(batch)
            for rows in _slices(batch):
                columns = {
                    name: _values(name, column, far)
                    if name in choice.texts
                    else _metadata_values(name, column, far)
                    for name, column in _columns(rows)
                }
                for row in zip(*columns.values(), strict=True):
                    yield {
                        name: value
                        for name, value in zip(columns, row, strict=True)
                        if value is not _LEFT_OUT
                    }
    except _TROUBLE as error:
        problem, remedy = f"cannot be read ({_reason(error)})", "write the table again"
        if "more than 64 bits" in problem:  # Int128 and UInt128 of polars, which Arrow lacks
            problem = "has a column of whole numbers of 128 bits, which cannot be read"
            remedy = "write the column as Int64 or String, or leave it out"
        raise Bad("unreadable table", problem, remedy) from None


class ColumnChoice:
    """Chooses the columns of a table to be read: those that the options name, and those that can be metadata.

    `texts`: the columns of text; `needed`: these and those of ids and languages.
    """

    def __init__(self, options: ReadingOptions, place: str) -> None:
        self.options, self.place = options, place
        self.texts = options.text_columns
        self.needed = self.texts | {options.id_column, options.language_field}

    def names(self, schema: Any) -> list[str]:
        """The names of the columns to be read.

        Raises Bad for columns that are wrong, and for a text column of maps or records.
        """
        checked_columns(schema.names, self.options)
        self.options.met.update(name for name in self.options.without if name in schema.names)
        chosen: list[str] = []
        for field in schema:
            name = field.name
            if name in self.texts:
                if _is_no_text(field.type):
                    problem = f"the column {shown(name)} holds maps or records, not text"
                    raise Bad("text is not a string", problem, "name a column of text by --text-field")
            elif name in self.options.without or _INDEX.fullmatch(name):
                continue
            elif not can_be_metadata(field):
                self.options.notes.left_out.setdefault(name, 1)
                continue
            chosen.append(name)
        return chosen


def _is_no_text(kind: pa.DataType) -> bool:
    """Whether a column of a type can be neither strings nor lists of strings, which is not worth decoding."""
    if not pa.types.is_nested(kind):
        return False
    items = item_type(kind)
    return items is None or pa.types.is_nested(items)


def _slices(batch: Any) -> Iterator[Any]:
    """A batch in pieces of rows that are converted together, few if they are long views of the same text."""
    views = [column for column in batch.columns if pa.types.is_string_view(column.type)]
    start = 0
    while start < batch.num_rows:
        rows = _ROWS
        while rows > 1 and any(_view_bytes(one.slice(start, rows)) > _LARGEST_BATCH for one in views):
            rows //= 8
        yield batch.slice(start, max(rows, 1))
        start += max(rows, 1)


def _view_bytes(column: ArrowNested) -> int:
    """The total length in bytes of the strings of a column of views, which may share a buffer."""
    places = np.frombuffer(column.buffers()[1], np.int32)
    return int(places[4 * column.offset : 4 * (column.offset + len(column)) : 4].sum(dtype=np.int64))


def _columns(batch: Any) -> Iterator[tuple[str, ArrowNested]]:
    """The names and values of a batch's columns."""
    return zip(batch.schema.names, batch.columns, strict=True)


def _metadata_values(name: str, column: ArrowNested, far: dict[str, int]) -> list[Any]:
    """The values of a metadata column; `_LEFT_OUT` in place of those that are too long for metadata."""
    short = _without_long(column)
    values = _values(name, short, far)
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


def _values(name: str, column: ArrowNested, far: dict[str, int]) -> list[Any]:
    """The values of a column as Python values. far: counts the dates that Python does not have, by column."""
    kind = column.type
    try:
        if pa.types.is_timestamp(kind) and kind.unit == "ns":  # finer than Python's dates
            column = column.cast(pa.timestamp("us", kind.tz), safe=False)
        elif pa.types.is_time(kind) or pa.types.is_duration(kind):
            fine = pa.time64("us") if pa.types.is_time(kind) else pa.duration("us")
            column = column.cast(fine, safe=False)
        elif pa.types.is_dictionary(kind):
            return _looked_up(name, column, far)
        elif item_type(kind) is not None and not _has_plain_items(kind):
            items = iter(_values(name, column.flatten(), far))
            lengths = _computed("list_value_length", column).to_pylist()
            return [None if length is None else list(islice(items, length)) for length in lengths]
        if pa.types.is_temporal(kind):
            return _dates(name, column, far)
        return column.to_pylist()
    except _TROUBLE as error:
        problem = f"the column {shown(name)} cannot be read ({_reason(error)})"
        raise Bad("unreadable table", problem, "leave the column out by --without") from None


def _has_plain_items(kind: Any) -> bool:
    """Whether the items of a list type are strings or the like, which are converted with the lists."""
    items = item_type(kind)
    return not (pa.types.is_dictionary(items) or pa.types.is_string_view(items))


def _dates(name: str, column: ArrowNested, far: dict[str, int]) -> list[Any]:
    """The dates, times or durations of a column; None for those that Python lacks, which are counted."""
    try:
        return column.to_pylist()
    except (ValueError, OverflowError, ArithmeticError):
        values = list(map(_date_or_none, column))
        number = sum(value is None for value in values) - column.null_count
        if not number:
            raise
        far[name] = far.get(name, 0) + number
        return values


def _date_or_none(value: Any) -> Any:
    try:
        return value.as_py()
    except (ValueError, OverflowError, ArithmeticError):
        return None


def _looked_up(name: str, column: ArrowNested, far: dict[str, int]) -> list[Any]:
    """The values of a dictionary-encoded column; each distinct value is converted only once."""
    used = column.indices.unique().drop_null()
    words = column.dictionary
    if pa.types.is_string_view(words.type):
        words = words.cast(pa.large_string())
    values = dict(zip(used.to_pylist(), _values(name, words.take(used), far), strict=True))
    return [None if place is None else values[place] for place in column.indices.to_pylist()]


def _reason(error: BaseException) -> str:
    return shortened(" ".join(str(one)[:2000] for one in error.args), 200)


Batches = Callable[[Any, ColumnChoice], Iterable[pa.RecordBatch]]


def _streamed(frame: Any, chosen: ColumnChoice) -> Iterator[pa.RecordBatch]:
    """The batches of a table in memory that has Arrow's protocol, with the columns that `chosen` selects."""
    reader = pa.RecordBatchReader.from_stream(frame)
    names = chosen.names(reader.schema)
    for batch in reader:
        yield batch.select(names)


def _parquet(stream: BinaryIO, chosen: ColumnChoice) -> Iterator[pa.RecordBatch]:
    """The batches of a Parquet file, small enough for memory, with the columns that `chosen` selects.

    Columns with long values are read as dictionary arrays, so that a repeated value is not copied to every
    row.
    """
    file = parquet_file(stream)
    names = chosen.names(file.schema_arrow)
    if _is_encrypted(stream, file):
        names = _decrypted(file, names, chosen)
    paths = [file.schema.column(i).path for i in range(file.metadata.num_columns)]
    columns = [i for i, path in enumerate(paths) if _is_of(path, names)]
    for group in range(file.num_row_groups):
        about = file.metadata.row_group(group)
        chunks = [about.column(i) for i in columns]
        strings = [chunk for chunk in chunks if chunk.physical_type == "BYTE_ARRAY"]
        rows = _FEW_ROWS if any("DELTA_BYTE_ARRAY" in chunk.encodings for chunk in strings) else _ROWS
        size = max((chunk.total_uncompressed_size for chunk in strings), default=0)
        rows = max(1, min(rows, _LARGEST_BATCH * about.num_rows // max(size, 1)))
        large = [one.path_in_schema for one in strings if one.total_uncompressed_size > _LONG_VALUE]
        long = _with_long_values(stream, group, large, rows) if large else []
        reader = parquet_file(stream, long, 1 << 20)
        left = about.num_rows
        for batch in reader.iter_batches(rows, row_groups=[group], columns=names, use_threads=not large):
            left -= batch.num_rows
            yield batch.select(names)
        if left:
            problem = f"row group {group} has {about.num_rows - left} rows, and should have {about.num_rows}"
            raise ValueError(problem)


def _is_encrypted(stream: BinaryIO, file: Any) -> bool:
    """Whether columns of a Parquet file are encrypted: its footer, if readable, then has a signature."""
    stream.seek(-8, 2)
    return int.from_bytes(stream.read(4), "little") != file.metadata.serialized_size


def _decrypted(file: Any, names: list[str], chosen: ColumnChoice) -> list[str]:
    """Those columns of a Parquet file that can be read without a key.

    pyarrow ends the process if it is asked for facts about another column. Raises Bad for a needed column.
    """
    readable: list[str] = []
    for name in names:
        try:
            for group in range(file.num_row_groups):
                next(file.iter_batches(1, row_groups=[group], columns=[name]), None)
        except OSError:
            if name in chosen.needed:
                problem = f"the column {shown(name)} is encrypted"
                raise Bad("unreadable table", problem, "write the table without encryption") from None
            chosen.options.notes.encrypted.setdefault(name, 1)
        else:
            readable.append(name)
    return readable


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


def _arrow(stream: BinaryIO, chosen: ColumnChoice) -> Iterator[pa.RecordBatch]:
    """The batches of an Arrow file or stream, or of a Feather file of version 2.

    They have the columns that `chosen` selects. Raises Bad if a batch is too large to be decoded.
    """
    whole = stream.read(6) == b"ARROW1"
    stream.seek(0)
    for size, decoded in decoded_sizes(stream):
        if decoded > max(_LARGEST_DECODED, _PACKED_AT_MOST * size):
            problem = f"a batch of {decoded / 1e9:.1f} GB, packed into {size / 1e6:.1f} MB, is not decoded"
            raise Bad("too large", problem, "leave the column with the longest values out")
    if not whole and (wrong := wrong_end(stream)) is not None:
        chosen.options.notes.remark(wrong, chosen.place)
    stream.seek(0)
    opened = _ARROW_OPENERS[whole]
    schema = opened(stream).schema
    names = chosen.names(schema)
    stream.seek(0)
    options = pa.ipc.IpcReadOptions(included_fields=[schema.get_field_index(name) for name in names])
    file = opened(stream, options=options)
    batches = map(file.get_batch, range(file.num_record_batches)) if whole else iter(file)
    for batch in batches:
        batch.validate(full=True)  # checks lengths and offsets, so that a damaged file is not followed
        yield batch.select(names)


PARQUET = Reader("parquet", "Parquet", (".parquet", ".pq"), "text", partial(read, batches=_parquet))
ARROW = Reader("arrow", "Arrow and Feather", (".arrow", ".feather"), "text", partial(read, batches=_arrow))
