"""Word counts of a stream that fade at several rates, for unigram models that follow the stream."""

from collections.abc import Sequence
from typing import Self

import numpy as np

from stickbreaker.core.records import AnyArray, Array
from stickbreaker.core.serialize import Arrays, flat_words, words_from
from stickbreaker.core.untrusted import refuse_negative
from stickbreaker.corpus.vocabulary import language_of

FADING = (0.9, 0.95, 0.97, 0.99, 1.0)  # the factor of older counts after a step, for each rate
MOST_WORDS = 1 << 18  # most words counted at once; beyond that the rarest half is dropped
PREFIX = "fading/"  # begins the names of arrays in a checkpoint


class FadingCounts:
    """Counts of words that fade: each `add` first multiplies them by the rates in `FADING`, one per column.

    `counts` is (words × rates, with spare rows); `words` has the row of each word. Beyond `MOST_WORDS` words,
    the rarer half is forgotten. `nats` (rates) is for finding the best rate: the caller adds to it the log
    probability of words, each predicted by the unigrams of that rate before the word was added.

    >>> fading = FadingCounts()
    >>> fading.add(["bank", "loan"], np.array([2.0, 1.0]))
    >>> fading.add(["bank"], np.array([1.0]))
    >>> fading.of(["bank", "loan", "boat"])[:, 0].tolist()
    [2.8, 0.9, 0.0]
    """

    def __init__(self) -> None:
        self.words: dict[str, int] = {}
        self.counts: Array = np.zeros((0, len(FADING)))
        self.nats: Array = np.zeros(len(FADING))

    def of(self, words: Sequence[str]) -> Array:
        """The fading counts of these words (words × rates); zero for unknown ones."""
        rows = np.array([self.words.get(word, -1) for word in words], np.int64)
        if not len(self.counts):
            return np.zeros((len(words), len(FADING)))
        return np.where(rows[:, None] >= 0, self.counts[rows], 0.0)

    def totals(self, languages: Sequence[str] = ()) -> Array:
        """Sums over all words (rates), or over those of each language (languages × rates)."""
        counts = self.counts[: len(self.words)]
        if not languages:
            return np.asarray(counts.sum(axis=0))
        places = {code: place for place, code in enumerate(languages)}
        sums = np.zeros((len(languages), len(FADING)))
        np.add.at(sums, [places[language_of(word)] for word in self.words], counts)
        return sums

    def best(self) -> int:
        """The index of the rate that has predicted best; of equal ones (to 1e-6 nats), the fastest."""
        return int(np.round(self.nats, 6).argmax())

    def add(self, words: Sequence[str], tokens: Array) -> None:
        """Multiply all counts by their rates, then add new tokens.

        words: distinct; tokens (words): the number of tokens of each.
        """
        rows = np.array([self.words.setdefault(word, len(self.words)) for word in words], np.int64)
        if len(self.words) > len(self.counts):
            counts = np.zeros((max(1024, 2 * len(self.words)), len(FADING)))
            counts[: len(self.counts)] = self.counts
            self.counts = counts
        self.counts *= FADING
        self.counts[rows] += tokens[:, None]
        if len(self.words) > MOST_WORDS:
            self._drop_rarest()

    def _drop_rarest(self) -> None:
        """Forget the rarer half of the words, by sums over the rates; of equals, the later ones."""
        sums = self.counts[: len(self.words)].sum(axis=1)
        kept = np.sort(np.argsort(-sums, kind="stable")[: MOST_WORDS // 2])
        spelled = list(self.words)
        self.words = {spelled[row]: place for place, row in enumerate(kept.tolist())}
        self.counts = self.counts[kept]

    def copy(self) -> Self:
        """An independent copy."""
        made = type(self)()
        made.words, made.counts, made.nats = dict(self.words), self.counts.copy(), self.nats.copy()
        return made

    def to_arrays(self) -> dict[str, AnyArray]:
        """These counts as named arrays, for a checkpoint."""
        return {
            **flat_words(PREFIX, self.words),
            f"{PREFIX}counts": self.counts[: len(self.words)].copy(),
            f"{PREFIX}nats": self.nats.copy(),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self | None:
        """The counts from a checkpoint's arrays; None if it has none. Raises ValueError if invalid."""
        if not any(name.startswith(PREFIX) for name in arrays):
            return None
        counts, nats = arrays[f"{PREFIX}counts"], arrays[f"{PREFIX}nats"]
        made = cls()
        made.words = {word: row for row, word in enumerate(words_from(PREFIX, arrays))}
        if counts.shape != (len(made.words), len(FADING)) or nats.shape != (len(FADING),):
            raise ValueError("fading counts of other words")
        if not np.isfinite(nats).all():
            raise ValueError("fading counts that are not finite")
        refuse_negative(counts, "fading counts")
        made.counts, made.nats = counts.astype(np.float64), nats.astype(np.float64)
        return made
