"""Counts the documents that have each word."""

import numpy as np
from numba import njit

from stickbreaker.kernels.math import OPTIONS, Integers


@njit(**OPTIONS)
def count_documents(codes: Integers, offsets: Integers, documents_out: Integers) -> None:
    """Fill documents_out (words, int64, all 0 before) with the number of documents that contain each word.

    Document d has the words codes[offsets[d]:offsets[d + 1]].
    """
    last = np.full(len(documents_out), -1, np.int32)  # the last document with each word
    for d in range(len(offsets) - 1):
        for i in range(offsets[d], offsets[d + 1]):
            if last[codes[i]] != d:
                last[codes[i]] = d
                documents_out[codes[i]] += 1
