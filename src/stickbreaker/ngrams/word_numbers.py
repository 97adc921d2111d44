"""The words of a language model: their numbers, their names, and the base distribution G0."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Array, Field, Record
from stickbreaker.corpus import Vocabulary
from stickbreaker.corpus.spelling.string_prior import CharacterModel, Spelling

UNKNOWN, END = "<unk>", "</s>"
END_SHARE = "end_share"  # name in params: G0 of the end of a sentence, if words are spelled


@dataclass(frozen=True)
class WordNumbers:
    """The numbers of a language model's words: the known words, `<unk>`, the end-of-sentence mark.

    If `spelled`, unknown words are scored by their letters: all words of the vocabulary are known, and
    `<unk>` has no number.
    """

    of_rows: NDArray[np.int64]  # rows of the vocabulary: their numbers
    known: tuple[str, ...]
    spelled: bool

    @classmethod
    def of(cls, vocabulary: Vocabulary, min_count: int, *, spelled: bool) -> "WordNumbers":
        """Number the words that occur at least `min_count` times, or all if `spelled`; other words get the
        number of `<unk>`.

        Unless `spelled`, the word `<unk>` of a text is not a known word. Raises UserError if there are none.
        """
        kept = np.ones(len(vocabulary), np.bool_) if spelled else vocabulary.tokens >= min_count
        kept &= np.array([word != UNKNOWN for word in vocabulary.words], np.bool_) | spelled
        if not kept.any():
            problem = f"no word of the text occurs {min_count} times"
            raise UserError(problem, remedy="lower --min-count, or give more text")
        numbers = np.where(kept, np.cumsum(kept) - 1, int(kept.sum()))
        known = tuple(vocabulary.words[row] for row in np.flatnonzero(kept).tolist())
        return cls(numbers, known, spelled)

    @property
    def unknown(self) -> int:
        """The number that stands for unknown words: that of `<unk>`, or -1 if `spelled`."""
        return -1 if self.spelled else len(self.known)

    @property
    def end(self) -> int:
        """The number of the end-of-sentence mark, which is the last."""
        return len(self.known) + (0 if self.spelled else 1)

    @property
    def n_words(self) -> int:
        """The number of possible next words, marks included."""
        return self.end + 1

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All words and marks, by number."""
        return (*self.known, END) if self.spelled else (*self.known, UNKNOWN, END)

    def numbered(self, rows: NDArray[np.int32]) -> NDArray[np.int64]:
        """The word numbers of vocabulary rows; row -1 (not in the vocabulary) gets the number of unknown
        words."""
        return self._of_rows_and_none[rows]

    @cached_property
    def _of_rows_and_none(self) -> NDArray[np.int64]:
        return np.append(self.of_rows, self.unknown)


@dataclass(frozen=True)
class Base:
    """G0, the base distribution of a language model's words: uniform over all, or, if `numbers.spelled`, by
    their letters."""

    numbers: WordNumbers
    spelling: CharacterModel | None
    end_share: float  # G0 of the end-of-sentence mark, if words are spelled

    @classmethod
    def even(cls, numbers: WordNumbers) -> "Base":
        """G0 uniform over all words."""
        return cls(numbers, None, 1.0 / numbers.n_words)

    @classmethod
    def of_spelling(cls, numbers: WordNumbers, end_share: float) -> "Base":
        """G0 by a model of the letters of the known words, in which each word counts once.

        end_share: G0 of the end-of-sentence mark.
        """
        return cls(numbers, CharacterModel.learn(numbers.known, Spelling()), end_share)

    @classmethod
    def from_params(cls, numbers: WordNumbers, params: Record) -> "Base":
        """The G0 whose fields `to_fields` returned. Raises ValueError or KeyError for invalid params."""
        if not numbers.spelled:
            return cls.even(numbers)
        share = float(params[END_SHARE].values)
        if not 0.0 < share < 1.0:
            raise ValueError("the share of sentences' ends is out of range")
        return cls(numbers, CharacterModel.from_fields(params), share)

    def to_fields(self) -> dict[str, Field]:
        """What must be saved of G0: its spelling model and the share of ends; nothing if it is uniform."""
        if self.spelling is None:
            return {}
        share = Field(np.array(self.end_share), (), additive=False)
        return {**self.spelling.to_fields(), END_SHARE: share}

    @cached_property
    def log_p(self) -> Array:
        """log G0 of each word by number, the mark of a sentence's end last, in nats (words).

        Unless `numbers.spelled`, it is uniform. Otherwise words have it from the spelling model, which leaves
        probability for unknown words, so that G0 sums to less than one; the end has `end_share`.
        """
        if self.spelling is None:
            return np.full(self.numbers.n_words, -np.log(self.numbers.n_words))
        return np.append(self.log_spelled(self.numbers.known), np.log(self.end_share))

    def log_spelled(self, words: tuple[str, ...] | list[str]) -> Array:
        """log G0 (nats) of any words by their letters; only if `numbers.spelled`. Raises UserError for
        invalid text."""
        assert self.spelling is not None
        return self.spelling.log_probability(words) + np.log1p(-self.end_share)
