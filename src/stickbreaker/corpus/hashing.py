"""Rows for words by a hash of their spelling (Weinberger et al. 2009)."""

import hashlib
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

MOST_ROWS = 1 << 24


def digests_of(words: Iterable[str]) -> NDArray[np.uint64]:
    """A number for each word by which it is known whatever its row: blake2b (8 bytes) of its UTF-8.

    >>> digests_of(["river", "bank"])[::-1].tolist() == digests_of(["bank", "river"]).tolist()
    True
    """
    spellings = (word.encode("utf-8", "surrogatepass") for word in words)
    digests = (hashlib.blake2b(spelling, digest_size=8).digest() for spelling in spellings)
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64, copy=False)


def hashed_rows(words: Iterable[str], n_rows: int) -> NDArray[np.int32]:
    """The row number of each word in a vocabulary of `n_rows` rows, by a hash: the same on every machine.

    It is blake2b (8 bytes) of the spelling in UTF-8, as a little-endian number, modulo `n_rows`; int32.

    >>> hashed_rows(["river", "bank", "river"], 30_000).tolist()
    [13030, 19288, 13030]
    """
    return (digests_of(words) % np.uint64(n_rows)).astype(np.int32)
