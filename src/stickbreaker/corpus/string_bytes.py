"""The bytes of Arrow strings, in the form that kernels read."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def string_bytes(strings: Any) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """An Arrow array's strings in UTF-8, concatenated, and their offsets; null becomes empty.

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
