"""Sentences as numbers of words, and which of their words are linked."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Sentences(NamedTuple):
    """Sentences one after another."""

    words: NDArray[np.int32]  # numbers of words, -1: not known
    offsets: NDArray[np.int64]  # (sentences + 1,)

    @classmethod
    def of(cls, lists: Iterable[Sequence[int]]) -> "Sentences":
        """Sentences of lists of numbers.

        >>> Sentences.of([[3, 1], []]).offsets.tolist()
        [0, 2, 2]
        """
        held = [np.asarray(one, np.int32) for one in lists]
        return cls(
            np.concatenate([np.zeros(0, np.int32), *held]),
            np.cumsum([0, *map(len, held)]).astype(np.int64),
        )


class Links(NamedTuple):
    """Which words of pairs of sentences are linked, of each pair in order of (target, source)."""

    source: NDArray[np.int32]  # positions within the source sentence
    target: NDArray[np.int32]  # positions within the target sentence
    offsets: NDArray[np.int64]  # (pairs + 1,)
