"""Arrow arrays of NumPy numbers and of strings, made without pandas.

`pyarrow.array` imports pandas if it is installed, which takes a third of a second.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from stickbreaker.core.records import AnyArray


def arrow_numbers(values: AnyArray) -> Any:
    """An Arrow array of whole or real numbers.

    >>> arrow_numbers(np.array([2, 3], np.int32)).to_pylist()
    [2, 3]
    """
    values = np.ascontiguousarray(values)
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, pa.py_buffer(values)])


def numbers_in(array: Any) -> AnyArray:
    """The numbers of an Arrow array, which stay where they are. Raises ValueError if one is missing (null).

    >>> numbers_in(arrow_numbers(np.array([1, 2, 3]))[1:]).tolist()
    [2, 3]
    """
    if array.null_count:
        raise ValueError("numbers are missing")
    kind = array.type.to_pandas_dtype()
    held = np.frombuffer(array.buffers()[1], kind) if len(array) else np.empty(0, kind)
    return held[array.offset : array.offset + len(array)] if len(array) else held


def arrow_strings(texts: Sequence[str | None]) -> Any:
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
        present = pa.py_buffer(np.packbits([text is not None for text in texts], bitorder="little"))
    whole = b"".join(pieces) if pieces else content.encode()
    places = pa.py_buffer(offsets.astype(np.int32))
    return pa.StringArray.from_buffers(len(given), places, pa.py_buffer(whole), present)
