"""Rows for words by a hash of their spelling (Weinberger et al. 2009)."""

import hashlib
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

MOST_ROWS = 1 << 24


def hashed_rows(words: Iterable[str], n_rows: int) -> NDArray[np.int32]:
    """The row number of each word in a vocabulary of `n_rows` rows, by a hash: the same on every machine.

    It is blake2b (8 bytes) of the spelling in UTF-8, as a little-endian number, modulo `n_rows`; int32.

    >>> hashed_rows(["river", "bank", "river"], 30_000).tolist()
    [13030, 19288, 13030]
    """
    spellings = (word.encode("utf-8", "surrogatepass") for word in words)
    digests = (hashlib.blake2b(spelling, digest_size=8).digest() for spelling in spellings)
    return np.fromiter((int.from_bytes(digest, "little") % n_rows for digest in digests), np.int32)
