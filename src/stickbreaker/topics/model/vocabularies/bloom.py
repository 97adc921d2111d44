"""A Bloom filter: which words were seen before, in bounded memory."""

import hashlib
from typing import Any

import numpy as np

from stickbreaker.core.records import Field

WORDS, WRONG = 2_000_000, 0.01  # capacity, and its error rate for new words when full


class SeenBefore:
    """A set of words in bounded memory (a Bloom filter), to learn whether a word was seen before.

    It knows every word that was added, and mistakes one in a hundred new words for a known one. It takes 2.4
    MB and is made for two million words; with more, mistakes are more frequent. The hash is BLAKE2b, which is
    the same on every machine.
    """

    def __init__(self, bloom: Any) -> None:
        self._bloom = bloom

    @classmethod
    def empty(cls) -> "SeenBefore":
        from rbloom import Bloom

        return cls(Bloom(WORDS, WRONG, _hashed))

    @classmethod
    def of(cls, item: Field) -> "SeenBefore":
        """The filter that was stored as this field (see `field`)."""
        from rbloom import Bloom

        return cls(Bloom.load_bytes(item.values.astype(np.uint8).tobytes(), _hashed))

    def add(self, word: str) -> bool:
        """Add a word; returns whether it seemed to be there already, which may be wrong for a new word."""
        known = word in self._bloom
        self._bloom.add(word)
        return known

    def field(self) -> Field:
        """The filter as a field of a model's params, from which `of` restores it."""
        return Field(np.frombuffer(self._bloom.save_bytes(), np.uint8).copy(), (), additive=False)


def _hashed(word: str) -> int:
    """A signed 128-bit hash of a word, the form that the filter's library requires."""
    digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return int.from_bytes(digest, "little", signed=True)
