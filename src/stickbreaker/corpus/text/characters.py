"""Classes of Unicode characters, from the tables of the `regex` package."""

import functools

import numpy as np
import regex
from numpy.typing import NDArray


@functools.cache
def characters_of_classes(*classes: tuple[str, int | np.uint8]) -> NDArray[np.uint8]:
    """For each Unicode character, the bits of the classes that it belongs to (0x110000 values, uint8).

    A class is (a pattern that matches one character of it, the bit that stands for it).

    >>> characters_of_classes((r"\\p{L}", 1), (r"\\p{Ll}", 2))[[ord("A"), ord("a"), ord("4")]].tolist()
    [1, 3, 0]
    """
    found = np.zeros(0x110000, np.uint8)
    characters = np.arange(len(found), dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    for pattern, bit in classes:
        for run in regex.finditer(f"(?V1){pattern}++", characters):
            found[run.start() : run.end()] |= bit
    return found
