"""Joins the phrases in a block's tokens: `joining.join_words` for many documents at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stickbreaker.corpus.arrow_arrays import (
    ArrowArray,
    ArrowNested,
    arrow_lists,
    arrow_numbers,
    arrow_strings,
    arrow_words,
    field_of,
    one_chunk,
)
from stickbreaker.corpus.blocks import entries_of, tokens_of
from stickbreaker.corpus.phrases.joining import Round, break_classes
from stickbreaker.corpus.string_bytes import string_bytes
from stickbreaker.corpus.text.characters import characters_of_classes
from stickbreaker.corpus.vocabulary import Vocabulary


@dataclass(frozen=True)
class RoundIndex:
    """The word pairs of a round (a mapping from pairs to joined words) as numbers.

    With it, pairs in a block are found without comparing strings.
    """

    words: Vocabulary  # the words of all pairs
    pairs: NDArray[np.int64]  # (pairs × 2) rows of their words
    keys: NDArray[np.int64]  # (pairs,) row of the first × number of words + row of the second, ascending
    numbers: NDArray[np.int64]  # (pairs,) the pair of each key
    joined: Vocabulary  # the words that pairs become
    made: NDArray[np.int32]  # (pairs,) row of the word that each becomes

    @classmethod
    def of(cls, pairs: Round) -> "RoundIndex":
        """Index the pairs of a round, numbered in the round's order."""
        words = Vocabulary.of(list(dict.fromkeys(word for pair in pairs for word in pair)))
        rows = words.lookup([word for pair in pairs for word in pair]).reshape(-1, 2).astype(np.int64)
        keys = rows @ np.array([len(words), 1])
        joined = Vocabulary.of(list(dict.fromkeys(pairs.values())))
        order = np.argsort(keys)
        return cls(words, rows, keys[order], order, joined, joined.lookup(list(pairs.values())))


@dataclass(frozen=True)
class TokenBlock:
    """The tokens of a block's documents, one after another, in the form in which phrases are joined.

    For each token: its code, an index of the distinct `words`; whether a phrase ends before it (`breaks`, as
    after a comma); its position before phrases were joined (`places`); its document (`owners`).
    """

    words: ArrowArray  # the distinct words
    codes: NDArray[np.int32]  # (tokens,) into `words`
    breaks: NDArray[np.bool_]  # (tokens,) no phrase continues with this token
    places: NDArray[np.int64]  # (tokens,) position before phrases were joined
    owners: NDArray[np.int64]  # (tokens,) the document of each

    @classmethod
    def of(
        cls, table: pa.Table, packed: NDArray[np.uint8] | None = None, letters: str = "unicode"
    ) -> "TokenBlock":
        """Read the tokens of a block's table of texts.

        letters: how texts were read, as in `Analysis`. packed: `breaks` as packed bits, if they were computed
        before; the table then needs only the column "tokens".
        """
        if packed is None:
            entries, begun = tokens_of(table)
            breaks = np.zeros(len(entries.codes), np.bool_)
            breaks[begun] = True
            cls._mark_breaks(table, letters, entries.offsets, breaks)
        else:
            entries = entries_of(table, "text")
            breaks = np.unpackbits(packed, count=len(entries.codes)).view(np.bool_)
        codes = entries.codes
        owners = np.repeat(np.arange(table.num_rows), np.diff(entries.offsets))
        return cls(entries.spelled, codes, breaks, np.arange(len(codes)), owners)

    @staticmethod
    def _mark_breaks(
        table: pa.Table, letters: str, offsets: NDArray[np.int64], breaks: NDArray[np.bool_]
    ) -> None:
        """Set `breaks` for tokens before which the text has something that ends a phrase, such as a comma."""
        from stickbreaker.kernels.word_spans import mark_breaks  # most corpora are opened without it

        flat = table.select(["text", "starts"]).combine_chunks()
        texts, starts = one_chunk(flat.column("text")), one_chunk(flat.column("starts"))
        begins = _every_start(starts, offsets, -1)
        classes = characters_of_classes(*break_classes(letters))
        mark_breaks(*string_bytes(texts), classes, begins, offsets, breaks)

    def joined(self, rounds: Sequence[RoundIndex]) -> "TokenBlock":
        """The tokens with phrases joined, round by round."""
        block = self
        for pairs in rounds:
            block = block._join(pairs)
        return block

    def table(self, table: pa.Table) -> pa.Table:
        """A block's table with these joined tokens in place of its own.

        table: what the tokens were read from before they were joined.
        """
        table = table.combine_chunks()
        before = entries_of(table, "text").offsets
        offsets = np.searchsorted(self.places, before)
        used = np.bincount(self.codes, minlength=len(self.words)) > 0
        codes = (np.cumsum(used, dtype=np.int32) - np.int32(1))[self.codes]
        spelled = self.words.take(arrow_numbers(np.flatnonzero(used)))
        columns = {
            "tokens": arrow_lists(offsets, arrow_words(codes, spelled)),
            "starts": self._starts(one_chunk(table.column("starts")), before),
            "sentences": self._sentences(one_chunk(table.column("sentences")), before),
        }
        for name, values in columns.items():
            table = table.set_column(table.schema.get_field_index(name), field_of(table.schema, name), values)
        return table

    def _starts(self, starts: ArrowNested, offsets: NDArray[np.int64]) -> ArrowArray:
        """The column "starts" after joining: where tokens begin in their text; null if that is unknown.

        offsets: of the documents, before joining.
        """
        known = np.asarray(starts.is_valid())
        has_starts = np.repeat(known, np.diff(offsets))
        every = _every_start(starts, offsets, 0)
        lengths = np.where(known, np.diff(np.searchsorted(self.places, offsets)), 0)
        return _lists(every[self.places][has_starts[self.places]], lengths, known)

    def _sentences(self, sentences: ArrowNested, offsets: NDArray[np.int64]) -> ArrowArray:
        """The column "sentences" after joining: the first token of each sentence; null if unknown.

        offsets: of the documents, before joining.
        """
        lengths = np.asarray(sentences.value_lengths().fill_null(0), np.int64)
        places = np.asarray(sentences.flatten(), np.int64) + np.repeat(offsets[:-1], lengths)
        now = np.searchsorted(self.places, places)
        now -= np.repeat(np.searchsorted(self.places, offsets[:-1]), lengths)
        return _lists(now, lengths, np.asarray(sentences.is_valid()))

    def _join(self, pairs: RoundIndex) -> "TokenBlock":
        rows = pairs.words.lookup(self.words)
        present = np.zeros(len(pairs.words), np.bool_)
        present[rows[rows >= 0]] = True
        here = present[pairs.pairs[:, 0]] & present[pairs.pairs[:, 1]]
        if not here.any():
            return self
        own = rows[self.codes]
        able = own >= 0
        at = np.flatnonzero(able[:-1] & able[1:] & ~self.breaks[1:])
        following = own[at].astype(np.int64) * len(pairs.words) + own[at + 1]
        found = np.minimum(np.searchsorted(pairs.keys, following), len(pairs.keys) - 1)
        right = pairs.keys[found] == following
        at, found = at[right], pairs.numbers[found[right]]
        first = _apart(at)
        at, found = at[first], found[first]
        code_of_joined, words = self._with_joined(pairs, here)
        codes, kept = self.codes.copy(), np.ones(len(self.codes), np.bool_)
        codes[at], kept[at + 1] = code_of_joined[pairs.made[found]], False
        return TokenBlock(words, codes[kept], self.breaks[kept], self.places[kept], self.owners[kept])

    def _with_joined(
        self, pairs: RoundIndex, here: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int32], ArrowArray]:
        """Add the words that phrases become to the block's distinct words; returns (their codes, all words).

        Codes are by row of `pairs.joined`; -1 for words that are neither made here nor in the block. here
        (pairs): whether both words of a pair are in the block.
        """
        made, place = np.unique(pairs.made[here], return_index=True)
        made = made[np.argsort(place)]  # in the order of the pairs
        rows = pairs.joined.lookup(self.words)
        codes = np.full(len(pairs.joined), -1, np.int32)
        codes[rows[rows >= 0]] = np.flatnonzero(rows >= 0)
        new = made[codes[made] < 0]
        codes[new] = np.arange(len(self.words), len(self.words) + len(new))
        numbers: list[int] = new.tolist()
        spelled = arrow_strings([pairs.joined.words[row] for row in numbers])
        return codes, pa.concat_arrays([self.words, spelled])


def _every_start(starts: ArrowNested, offsets: NDArray[np.int64], missing: int) -> NDArray[np.int64]:
    """For each token, the character of its text at which it begins; `missing` if that is unknown."""
    every = np.full(int(offsets[-1]), missing, np.int64)
    has_starts = np.repeat(np.asarray(starts.is_valid()), np.diff(offsets))
    every[has_starts] = np.asarray(starts.flatten(), np.int64)
    return every


def _apart(places: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of some pairs of adjacent words to join, so that none overlap: every second in a run of overlaps.

    places: ascending positions of the pairs' first words.

    >>> _apart(np.array([0, 1, 2, 4])).tolist()
    [True, False, True, True]
    """
    begins = np.flatnonzero(np.diff(places, prepend=-2) != 1)  # starts of runs of overlapping pairs
    return (np.arange(len(places)) - np.repeat(begins, np.diff(begins, append=len(places)))) % 2 == 0


def _lists(values: NDArray[np.int64], lengths: NDArray[np.int64], known: NDArray[np.bool_]) -> ArrowArray:
    """An Arrow array of lists with these lengths, cut from `values`; null for lists that are not `known`."""
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return arrow_lists(offsets, arrow_numbers(values.astype(np.int32)), known)
