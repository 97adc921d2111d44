"""Sentences as numbers of words, and links between the words of a sentence and those of its translation."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Sentences(NamedTuple):
    """Sentences of one language as word numbers: sentence s is words[offsets[s]:offsets[s + 1]].

    Unknown words have the number -1.
    """

    words: NDArray[np.int32]  # numbers of words, from 0
    offsets: NDArray[np.int64]  # sentences + 1: where each begins in `words`

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of words of each sentence."""
        return np.diff(self.offsets)

    def spelled(self, words: tuple[str, ...]) -> list[list[str]]:
        """The sentences as lists of words; words: the spelling of each word number.

        No sentence may have an unknown word (-1), which would be spelled as the last word.
        """
        numbers = self.words.tolist()
        return [[words[n] for n in numbers[a:b]] for a, b in pairwise(self.offsets.tolist())]


class Links(NamedTuple):
    """Links between words of sentence pairs, as positions in both sentences (from 0).

    Pair p has the links from offsets[p] to offsets[p + 1] (exclusive), sorted by (target, source).
    """

    source: NDArray[np.int32]  # positions in the source sentence, from 0
    target: NDArray[np.int32]  # positions in the target sentence, from 0
    offsets: NDArray[np.int64]  # pairs + 1: where the links of each begin


def sentences_of(lists: Iterable[Sequence[int]]) -> Sentences:
    """Concatenate lists of word numbers, one list per sentence, as `Sentences`.

    >>> sentences_of([[4, 0], [], [7]])
    Sentences(words=array([4, 0, 7], dtype=int32), offsets=array([0, 2, 2, 3]))
    """
    sentences = list(lists)
    words = np.array([word for sentence in sentences for word in sentence], np.int32)
    return Sentences(words, _offsets([len(sentence) for sentence in sentences]))


def links_of(pairs: Iterable[Iterable[tuple[int, int]]]) -> Links:
    """Links from lists of (source, target) positions, one list per sentence pair; repeated ones count once.

    >>> links_of([[(1, 0), (0, 0)], []])
    Links(source=array([0, 1], dtype=int32), target=array([0, 0], dtype=int32), offsets=array([0, 2, 2]))
    """
    ordered = [sorted(set(links), key=lambda link: link[::-1]) for links in pairs]
    both = np.array([link for links in ordered for link in links], np.int32).reshape(-1, 2)
    return Links(both[:, 0].copy(), both[:, 1].copy(), _offsets([len(links) for links in ordered]))


def as_lists(links: Links) -> list[list[tuple[int, int]]]:
    """Links as lists of (source, target) positions, one list per sentence pair.

    >>> as_lists(links_of([[(1, 0), (0, 0)], []]))
    [[(0, 0), (1, 0)], []]
    """
    both = list(zip(links.source.tolist(), links.target.tolist(), strict=True))
    return [both[start:end] for start, end in pairwise(links.offsets.tolist())]


def _offsets(lengths: list[int]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])
