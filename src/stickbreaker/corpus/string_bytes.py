"""The bytes of Arrow strings, in the form that kernels read."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def string_bytes(strings: Any) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """The bytes of Arrow strings, not copied: their buffer in UTF-8, and each string's offsets in it (n + 1).

    A null counts as an empty string. For a slice of an array, the buffer is that of the whole array, and the
    offsets need not begin at 0.

    >>> import pyarrow as pa
    >>> content, offsets = string_bytes(pa.array(["sea", "", "é"]))
    >>> content.tobytes(), offsets.tolist()
    (b'sea\\xc3\\xa9', [0, 3, 3, 5])
    """
    _, offsets, content = strings.buffers()
    if not len(strings):
        return np.zeros(0, np.uint8), np.zeros(1, np.int32)
    ends = np.frombuffer(offsets, np.int32)[strings.offset : strings.offset + len(strings) + 1]
    return np.frombuffer(b"" if content is None else content, np.uint8), ends
