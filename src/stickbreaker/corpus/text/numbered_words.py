"""Tokens as numbers into a list of distinct words, so that few strings are made."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, overload

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

if TYPE_CHECKING:
    from stickbreaker.corpus.arrow_arrays import ArrowArray


class WordList(list[str]):
    """A list of distinct words, to which more can be appended; a word's number is its index."""

    def array(self) -> "ArrowArray":
        """The words as an Arrow array; it is cached, and a later call only adds words appended since."""
        from stickbreaker.corpus.arrow_arrays import arrow_strings

        held = self._array if self._array is not None else arrow_strings([])
        if len(held) < len(self):
            held = pa.concat_arrays([held, arrow_strings(self[len(held) :])])
        self._array = held
        return held

    _array: "ArrowArray | None" = None


class NumberedWords(Sequence[str]):
    """A sequence of words stored as numbers (int32) into a shared list.

    >>> list(NumberedWords(np.array([1, 0, 1], np.int32), WordList(["sea", "the"])))
    ['the', 'sea', 'the']
    """

    __slots__ = ("codes", "spelled")

    def __init__(self, codes: NDArray[np.int32], spelled: WordList) -> None:
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
        code: np.int32 = self.codes[index]
        return self.spelled[code]

    def array(self) -> "ArrowArray":
        """These words as an Arrow array of strings."""
        from stickbreaker.corpus.arrow_arrays import arrow_numbers

        return self.spelled.array().take(arrow_numbers(self.codes))


class FirstNumbers(dict[str, int]):
    """A dict that numbers words from 0, in the order in which they are first looked up.

    >>> numbers = FirstNumbers()
    >>> [numbers[word] for word in ["the", "sea", "the"]], numbers.words
    ([0, 1, 0], ['the', 'sea'])
    """

    def __init__(self) -> None:
        super().__init__()
        self.words = WordList()  # by number
        self._others: WordList | None = None  # the list of the last numbered words that were looked up
        self._of_others = np.empty(0, np.int64)  # their numbers here, -1 if not looked up

    def __missing__(self, word: str) -> int:
        self[word] = number = len(self)
        self.words.append(word)
        return number

    def of(self, words: Sequence[str]) -> NDArray[np.int64]:
        """The number of each word; new words get the next numbers. Faster for `NumberedWords`."""
        if not isinstance(words, NumberedWords):
            return np.fromiter(map(self.__getitem__, words), np.int64, len(words))
        if self._others is not words.spelled:
            self._others, self._of_others = words.spelled, np.empty(0, np.int64)
        unasked = np.full(len(words.spelled) - len(self._of_others), -1)
        self._of_others = np.append(self._of_others, unasked)
        new = words.codes[self._of_others[words.codes] < 0]
        self._of_others[new] = self._listed(NumberedWords(new, words.spelled))
        return self._of_others[words.codes]

    def _listed(self, words: Iterable[str]) -> list[int]:
        """The number of each word, as `of` returns it; faster if most words are new."""
        known, spelled, numbers = self.get, self.words, list[int]()
        for word in words:
            number = known(word)
            if number is None:
                self[word] = number = len(spelled)
                spelled.append(word)
            numbers.append(number)
        return numbers


def numbered_anew(codes: NDArray[np.int32], n_words: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Renumber codes in order of first occurrence. n_words: all `codes` are below it.

    Returns the distinct codes in that order, and for each of `codes` its index among them.

    >>> [each.tolist() for each in numbered_anew(np.array([7, 2, 7, 5], np.int32), 8)]
    [[7, 2, 5], [0, 1, 0, 2]]
    """
    places = np.arange(len(codes), dtype=np.int32)
    first = np.empty(n_words, np.int32)
    # for repeated numbers the last assignment counts, the first in the text
    first[codes[::-1]] = places[::-1]
    distinct = codes[first[codes] == places]
    number = first
    number[distinct] = np.arange(len(distinct), dtype=np.int32)
    return distinct, number[codes]
