"""Arrow arrays of NumPy numbers and of strings, made without pandas.

`pyarrow.array` imports pandas if it is installed, which takes a third of a second.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stickbreaker.core.records import AnyArray

ArrowArray: TypeAlias = "pa.Array[Any]"  # of any type of values
ArrowColumn: TypeAlias = "pa.ChunkedArray[Any]"
ArrowNested: TypeAlias = Any  # with parts (lists, or words of a dictionary), which pyarrow-stubs do not know
# as Any, since pyarrow-stubs refuse what these are given
_ListArray: Any = pa.ListArray
_DictionaryArray: Any = pa.DictionaryArray
_py_buffer: Any = pa.py_buffer


def arrow_numbers(values: AnyArray) -> ArrowArray:
    """An Arrow array of whole or real numbers.

    >>> arrow_numbers(np.array([2, 3], np.int32)).to_pylist()
    [2, 3]
    """
    values = np.ascontiguousarray(values)
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, _py_buffer(values)])


def numbers_in(array: Any) -> AnyArray:
    """The numbers of an Arrow array as a NumPy array, without copying. Raises ValueError if one is null.

    >>> numbers_in(arrow_numbers(np.array([1, 2, 3]))[1:]).tolist()
    [2, 3]
    """
    if array.null_count:
        raise ValueError("numbers are missing")
    kind = array.type.to_pandas_dtype()
    held = np.frombuffer(array.buffers()[1], kind) if len(array) else np.empty(0, kind)
    return held[array.offset : array.offset + len(array)] if len(array) else held


def arrow_strings(texts: Sequence[str | None]) -> pa.StringArray:
    """An Arrow array of strings; None becomes null. Raises ValueError for more than two gigabytes.

    >>> arrow_strings(["sea", None, "é"]).to_pylist()
    ['sea', None, 'é']
    """
    given = [text or "" for text in texts]
    content = "".join(given)
    pieces = [] if content.isascii() else [text.encode() for text in given]
    offsets = np.zeros(len(given) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, pieces or given), np.int64, len(given)), out=offsets[1:])
    if offsets[-1] > np.iinfo(np.int32).max:
        raise ValueError("more than two gigabytes of text in one array")
    present = None
    if None in texts:
        present = _py_buffer(np.packbits([text is not None for text in texts], bitorder="little"))
    whole = b"".join(pieces) if pieces else content.encode()
    places = _py_buffer(offsets.astype(np.int32))
    return pa.StringArray.from_buffers(len(given), places, pa.py_buffer(whole), present)


def arrow_words(codes: NDArray[np.integer], words: ArrowArray) -> ArrowArray:
    """The strings `words[codes]` as a dictionary-encoded Arrow array.

    >>> arrow_words(np.array([1, 0, 1], np.int32), arrow_strings(["sea", "the"])).to_pylist()
    ['the', 'sea', 'the']
    """
    return _DictionaryArray.from_arrays(arrow_numbers(codes), words)


def arrow_lists(
    offsets: NDArray[np.integer], values: ArrowArray, known: NDArray[np.bool_] | None = None
) -> ArrowArray:
    """An Arrow array of lists: list i is `values[offsets[i]:offsets[i + 1]]`, or null if it is not `known`.

    >>> arrow_lists(np.array([0, 2, 2]), arrow_strings(["sea", "the"])).to_pylist()
    [['sea', 'the'], []]
    """
    mask = None if known is None else pa.array(~known)
    return _ListArray.from_arrays(arrow_numbers(offsets.astype(np.int32)), values, mask=mask)


def one_chunk(column: ArrowColumn) -> ArrowNested:
    """A column's values as one array; copied only if the column consists of several arrays (chunks)."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def strings_in(column: "ArrowArray | ArrowColumn") -> list[str]:
    """The strings of an Arrow column as a list. It should have no nulls: these become None."""
    values: list[Any] = column.to_pylist()
    return values


def field_of(schema: Any, name: str) -> "pa.Field[Any]":
    """The field (name and type) of the column called `name`. Raises KeyError if the schema lacks it."""
    return schema.field(name)


def parquet_file(source: Path | BinaryIO, by_dictionary: Sequence[str] = (), buffer_size: int = 0) -> Any:
    """Open a Parquet file for reading.

    by_dictionary: columns of strings to be read as dictionary arrays, in which each distinct value is decoded
    once; buffer_size: bytes of a buffer to read through (0: no buffer).
    """
    from pyarrow import parquet

    return parquet.ParquetFile(source, read_dictionary=list(by_dictionary) or None, buffer_size=buffer_size)
