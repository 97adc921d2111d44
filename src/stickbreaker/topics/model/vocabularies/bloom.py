"""A Bloom filter: which words were seen before, in bounded memory."""

import hashlib
from typing import Any

import numpy as np

from stickbreaker.core.records import Field

WORDS, WRONG = 2_000_000, 0.01  # capacity, and its error rate for new words when full


class SeenBefore:
    """A set of words in bounded memory (a Bloom filter): it never forgets a word, but takes one in a hundred
    new words for a known one.

    It takes 2.4 MB for two million words; beyond that it errs more often, so that words are added sooner. The
    hash is BLAKE2b, which is the same on every machine.
    """

    def __init__(self, bloom: Any) -> None:
        self._bloom = bloom

    @classmethod
    def empty(cls) -> "SeenBefore":
        from rbloom import Bloom

        return cls(Bloom(WORDS, WRONG, _hashed))

    @classmethod
    def of(cls, item: Field) -> "SeenBefore":
        """The filter with the bytes that `field` returned."""
        from rbloom import Bloom

        return cls(Bloom.load_bytes(item.values.astype(np.uint8).tobytes(), _hashed))

    def add(self, word: str) -> bool:
        """Add a word; returns whether it seemed to be there already, which may be wrong for a new word."""
        known = word in self._bloom
        self._bloom.add(word)
        return known

    def field(self) -> Field:
        """The filter's bytes, as part of a model's state."""
        return Field(np.frombuffer(self._bloom.save_bytes(), np.uint8).copy(), (), additive=False)


def _hashed(word: str) -> int:
    """A signed 128-bit hash, as the filter requires."""
    digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return int.from_bytes(digest, "little", signed=True)
