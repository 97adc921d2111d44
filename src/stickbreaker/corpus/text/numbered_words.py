"""Words by number: tokens of which only the distinct ones are strings."""

from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray


class NumberedWords(Sequence[str]):
    """Words in order, as numbers (int32) of those in a list, which others share.

    >>> list(NumberedWords(np.array([1, 0, 1], np.int32), ["sea", "the"]))
    ['the', 'sea', 'the']
    """

    __slots__ = ("codes", "spelled")

    def __init__(self, codes: NDArray[np.int32], spelled: list[str]) -> None:
        self.codes, self.spelled = codes, spelled

    def __len__(self) -> int:
        return len(self.codes)

    def __iter__(self) -> Iterator[str]:
        return map(self.spelled.__getitem__, self.codes.tolist())

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> "NumberedWords": ...
    def __getitem__(self, index: int | slice) -> "str | NumberedWords":
        if isinstance(index, slice):
            return NumberedWords(self.codes[index], self.spelled)
        return self.spelled[self.codes[index]]


class FirstNumbers(dict[str, int]):
    """Numbers of words, in the order in which they are first asked for.

    >>> numbers = FirstNumbers()
    >>> [numbers[word] for word in ["the", "sea", "the"]], numbers.words
    ([0, 1, 0], ['the', 'sea'])
    """

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []  # by number

    def __missing__(self, word: str) -> int:
        self[word] = number = len(self)
        self.words.append(word)
        return number

    def of(self, words: Sequence[str]) -> NDArray[np.int64]:
        """The numbers of words."""
        return np.fromiter(map(self.__getitem__, words), np.int64, len(words))


def numbered_anew(codes: NDArray[np.int32], n_words: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The distinct numbers, below `n_words`, in the order in which they first come; and for each its place
    among those.

    >>> [each.tolist() for each in numbered_anew(np.array([7, 2, 7, 5], np.int32), 8)]
    [[7, 2, 5], [0, 1, 0, 2]]
    """
    places = np.arange(len(codes), dtype=np.int32)
    first = np.empty(n_words, np.int32)
    first[codes[::-1]] = places[::-1]  # of several places the last that is assigned, the first in the text
    distinct = codes[first[codes] == places]
    number = first
    number[distinct] = np.arange(len(distinct), dtype=np.int32)
    return distinct, number[codes]
