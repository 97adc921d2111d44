"""Finds the words of many texts at once, by a kernel with the same rules as the default token pattern."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import AnyArray
from stickbreaker.corpus.string_bytes import string_bytes
from stickbreaker.corpus.text.analysis import AnalysedText, Analysis
from stickbreaker.corpus.text.characters import characters_of_classes
from stickbreaker.corpus.text.letters import LETTER_RULES, LetterRule
from stickbreaker.corpus.text.numbered_words import FirstNumbers, NumberedWords, WordList
from stickbreaker.kernels.string_hash import fill_slots, number_words
from stickbreaker.kernels.word_spans import (
    APOSTROPHE,
    DOCUMENT,
    INVISIBLE,
    LETTER,
    LINE,
    MARK,
    NUMBER,
    PUNCTUATION,
    SMALL,
    SPACE,
    STOP,
    find_word_spans,
)

if TYPE_CHECKING:
    from stickbreaker.corpus.arrow_arrays import ArrowArray

_RULES = {"punctuation": PUNCTUATION, "line": LINE, "document": DOCUMENT}
_MOST_SPELLINGS = 400_000  # spellings cached at a time


class FoundText(NamedTuple):
    """The tokens of a text, as an `AnalysedText`, but with the words stored as numbers."""

    words: NumberedWords
    starts: NDArray[np.int32]
    sentences: NDArray[np.int32]


class WordFinder:
    """Analyses many texts at once, as `Analysis.analyse` would, but faster; words are returned as numbers.

    For an analysis with `is_by_letters` only. The normal forms of spellings are cached.
    """

    def __init__(self, analysis: Analysis) -> None:
        self.analysis, self.form = analysis, analysis.form_maker()
        self.letters = LETTER_RULES[analysis.letters]
        self.inside = LETTER | MARK | NUMBER | (INVISIBLE if self.letters.marks else 0)
        self.classes = characters_of_classes(*_classes_of(self.letters))
        self.rule = _RULES[analysis.sentences]
        self._begin()

    def _begin(self) -> None:
        """Empty the cache."""
        self.spellings = Spellings()
        self.numbers = FirstNumbers()
        self.word_of_spelling = np.empty(0, np.int32)

    def analyse(self, texts: Sequence[str]) -> list[AnalysedText | FoundText]:
        """The tokens of each text, as `Analysis.analyse` would find them.

        They are a `FoundText`; for a text with sentence marks to be dropped, an `AnalysedText`.
        """
        clean = list(map(self.analysis.cleaned, texts))
        marked = [bool(self.analysis.marks_in(text)) for text, _ in clean]
        plain = iter(self._analyse([one.text for one, has in zip(clean, marked, strict=True) if not has]))
        return [
            self.analysis.analyse_cleaned(one, text) if has else _placed(next(plain), one.places)
            for text, one, has in zip(texts, clean, marked, strict=True)
        ]

    def _analyse(self, texts: Sequence[str]) -> list[FoundText]:
        """Find the words of cleaned texts: a `FoundText` for each text, in their order.

        It has the numbers of the words, where each word starts, and the text's sentences. The texts must have
        no sentence marks that are to be dropped. Spellings that are met for the first time are remembered;
        the finder forgets all of them and starts again once it has more than `_MOST_SPELLINGS`.
        """
        if len(self.spellings) > _MOST_SPELLINGS:
            self._begin()
        held = [text.encode("utf-8", "surrogatepass") for text in texts]
        content = np.frombuffer(b"".join(held), np.uint8)
        most = len(content) // 2 + len(held)  # most possible words, since at least a byte separates any two
        begins, lengths, starts = np.empty(most, np.int64), np.empty(most, np.int32), np.empty(most, np.int32)
        counts, sentence_counts = np.empty((2, len(held)), np.int64)
        sentences = np.empty(most, np.int32)
        n_words, n_sentences = find_word_spans(
            content,
            np.cumsum([len(one) for one in held], dtype=np.int64),
            self.classes,
            np.uint8(self.inside),
            self.analysis.joins_apostrophes,
            self.letters.by_annex,
            self.rule,
            begins,
            lengths,
            starts,
            counts,
            sentences,
            sentence_counts,
        )
        codes = self._numbers_of(content, begins[:n_words], lengths[:n_words])
        starts, sentences = starts[:n_words].copy(), sentences[:n_sentences].copy()
        found: list[FoundText] = []
        first = first_sentence = 0
        for n, n_own in zip(counts.tolist(), sentence_counts.tolist(), strict=True):
            part, own = slice(first, first + n), slice(first_sentence, first_sentence + n_own)
            found.append(
                FoundText(NumberedWords(codes[part], self.numbers.words), starts[part], sentences[own])
            )
            first, first_sentence = first + n, first_sentence + n_own
        return found

    def _numbers_of(
        self, text: NDArray[np.uint8], begins: NDArray[np.int64], lengths: NDArray[np.int32]
    ) -> NDArray[np.int32]:
        """The number of the normal form of each span of bytes of a text (given by begin and length)."""
        known = len(self.spellings)
        spelled = self.spellings.number(text, begins, lengths)
        if len(self.spellings) > known:
            numbers = self.numbers.of(list(map(self.form, self.spellings.after(known))))
            self.word_of_spelling = np.append(self.word_of_spelling, numbers.astype(np.int32))
        return self.word_of_spelling[spelled]


class ArrowWords:
    """Numbers the words of Arrow arrays, in order of first occurrence over all arrays."""

    def __init__(self) -> None:
        self.spellings = Spellings()
        self.words = WordList()

    def numbered(self, array: "ArrowArray") -> NumberedWords:
        """The words of an Arrow array as `NumberedWords`."""
        content, offsets = string_bytes(array)
        known, begins = len(self.spellings), offsets[:-1].astype(np.int64)
        codes = self.spellings.number(content, begins, np.diff(offsets))
        self.words += self.spellings.after(known)
        return NumberedWords(codes, self.words)


class Spellings:
    """Distinct spellings, numbered in order of first occurrence, without making strings.

    It is a hash table over their concatenated bytes in UTF-8.
    """

    def __init__(self) -> None:
        self.n = 0
        self.content = np.empty(1 << 16, np.uint8)
        self.offsets = np.zeros(1 << 12, np.int64)
        self.slots = np.full(1 << 14, -1, np.int32)

    def __len__(self) -> int:
        return self.n

    def number(
        self, text: NDArray[np.uint8], begins: NDArray[np.int64], lengths: NDArray[np.int32]
    ) -> NDArray[np.int32]:
        """The number of each spelling in a text, given as spans of bytes; new spellings get new numbers."""
        most = self.n + len(begins)
        self.content = _with_room(self.content, int(self.offsets[self.n]) + int(lengths.sum()))
        self.offsets = _with_room(self.offsets, most + 1)
        if len(self.slots) < 2 * most + 2:
            self.slots = np.full(1 << (2 * most + 2).bit_length(), -1, np.int32)
            fill_slots(self.content, self.offsets[: self.n + 1], self.slots)
        codes = np.empty(len(begins), np.int32)
        self.n = number_words(text, begins, lengths, self.content, self.offsets, self.slots, self.n, codes)
        return codes

    def after(self, first: int) -> list[str]:
        """The spellings with the numbers `first` and above."""
        ends = (self.offsets[first : self.n + 1] - self.offsets[first]).tolist()
        encoded = self.content[self.offsets[first] : self.offsets[self.n]].tobytes()
        text = encoded.decode("utf-8", "surrogatepass")
        if text.isascii():
            return [text[begin:end] for begin, end in pairwise(ends)]
        return [encoded[begin:end].decode("utf-8", "surrogatepass") for begin, end in pairwise(ends)]


def _classes_of(letters: LetterRule) -> tuple[tuple[str, np.uint8], ...]:
    """The classes of characters that the kernel tells apart, each a pattern and its bit."""
    return (
        (rf"[\p{{L}}--[{letters.not_letters}]]" if letters.not_letters else r"\p{L}", LETTER),
        (r"\p{M}", MARK),
        (r"\p{N}", NUMBER),
        *([(f"[{letters.marks}]", INVISIBLE)] if letters.marks else []),
        (f"[{letters.apostrophes}]", APOSTROPHE),
        (r"\s", SPACE),
        (r"\p{Ll}", SMALL),
        ("[.!?…]", STOP),
    )


def _placed(found: FoundText, places: NDArray[np.int64] | None) -> FoundText:
    """The same tokens, with `starts` in the text before cleaning; `places` as in `CleanText`."""
    return found if places is None else found._replace(starts=places[found.starts].astype(np.int32))


def _with_room(values: AnyArray, size: int) -> AnyArray:
    """The array itself if it has at least `size` elements, or else a longer copy padded with zeros."""
    if len(values) >= size:
        return values
    longer = np.zeros(max(size, 2 * len(values)), values.dtype)
    longer[: len(values)] = values
    return longer
