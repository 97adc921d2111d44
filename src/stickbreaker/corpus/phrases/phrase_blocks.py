"""The tokens of a block with phrases joined: `joining.join_words` for many documents at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stickbreaker.corpus.blocks import entries_of, only_chunk, tokens_of
from stickbreaker.corpus.phrases.joining import BREAK, Round
from stickbreaker.corpus.string_bytes import string_bytes
from stickbreaker.corpus.text.characters import characters_of_classes


@dataclass(frozen=True)
class TokenBlock:
    """The tokens of a block's documents, one after another."""

    words: list[str]  # the distinct words
    codes: NDArray[np.int64]  # (tokens,) into `words`
    breaks: NDArray[np.bool_]  # (tokens,) no phrase goes on with this token
    places: NDArray[np.int64]  # (tokens,) where each began before phrases were joined
    owners: NDArray[np.int64]  # (tokens,) its document

    @classmethod
    def of(cls, table: pa.Table) -> "TokenBlock":
        """The tokens of a block of texts."""
        from stickbreaker.kernels.word_spans import mark_breaks  # most corpora are opened without it

        entries, begun = tokens_of(table)
        codes = entries.codes.astype(np.int64)
        breaks = np.zeros(len(codes), np.bool_)
        breaks[begun] = True
        flat = table.select(["text", "starts"]).combine_chunks()
        texts, starts = only_chunk(flat.column("text")), only_chunk(flat.column("starts"))
        begins = _every_start(starts, entries.offsets, -1)
        mark_breaks(*string_bytes(texts), characters_of_classes((BREAK, 1)), begins, entries.offsets, breaks)
        owners = np.repeat(np.arange(table.num_rows), np.diff(entries.offsets))
        return cls(entries.words(), codes, breaks, np.arange(len(codes)), owners)

    def joined(self, rounds: Sequence[Round]) -> "TokenBlock":
        """The tokens with phrases joined, round by round."""
        block = self
        for pairs in rounds:
            block = block._join(pairs)
        return block

    def table(self, table: pa.Table) -> pa.Table:
        """The block's table with these tokens; `table` is the one that they came from."""
        table = table.combine_chunks()
        before = entries_of(table, "text").offsets
        offsets = np.searchsorted(self.places, before)
        used, codes = np.unique(self.codes, return_inverse=True)
        spelled = pa.array([self.words[code] for code in used.tolist()], pa.string())
        tokens = pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), spelled)
        columns = {
            "tokens": pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), tokens),
            "starts": self._starts(only_chunk(table.column("starts")), before),
            "sentences": self._sentences(only_chunk(table.column("sentences")), before),
        }
        for name, values in columns.items():
            table = table.set_column(table.schema.get_field_index(name), table.schema.field(name), values)
        return table

    def _starts(self, starts: pa.ListArray, offsets: NDArray[np.int64]) -> pa.Array:
        """Where tokens begin in their text, of documents that tell; `offsets` are those of before."""
        known = np.asarray(starts.is_valid())
        has_starts = np.repeat(known, np.diff(offsets))
        every = _every_start(starts, offsets, 0)
        lengths = np.where(known, np.diff(np.searchsorted(self.places, offsets)), 0)
        return _lists(every[self.places][has_starts[self.places]], lengths, known)

    def _sentences(self, sentences: pa.ListArray, offsets: NDArray[np.int64]) -> pa.Array:
        """The tokens at which sentences begin, of documents that tell."""
        lengths = np.asarray(sentences.value_lengths().fill_null(0), np.int64)
        places = np.asarray(sentences.flatten(), np.int64) + np.repeat(offsets[:-1], lengths)
        now = np.searchsorted(self.places, places)
        now -= np.repeat(np.searchsorted(self.places, offsets[:-1]), lengths)
        return _lists(now, lengths, np.asarray(sentences.is_valid()))

    def _join(self, pairs: Round) -> "TokenBlock":
        index = {word: code for code, word in enumerate(self.words)}
        here = [(index[a], index[b], joined) for (a, b), joined in pairs.items() if a in index and b in index]
        if not here:
            return self
        width = len(self.words)
        keys = np.array([first * width + second for first, second, _ in here])
        order = np.argsort(keys)
        following = self.codes[:-1] * width + self.codes[1:]
        at = np.minimum(np.searchsorted(keys[order], following), len(keys) - 1)
        found = (keys[order][at] == following) & ~self.breaks[1:]
        chosen = np.flatnonzero(_apart(found))
        words = list(dict.fromkeys([*self.words, *(joined for _, _, joined in here)]))
        row = {word: code for code, word in enumerate(words)}
        made = np.array([row[joined] for _, _, joined in here])[order]
        codes, kept = self.codes.copy(), np.ones(len(self.codes), np.bool_)
        codes[chosen], kept[chosen + 1] = made[at[chosen]], False
        return TokenBlock(words, codes[kept], self.breaks[kept], self.places[kept], self.owners[kept])


def _every_start(starts: pa.ListArray, offsets: NDArray[np.int64], missing: int) -> NDArray[np.int64]:
    """Where each token begins in its text, `missing` in documents that do not tell."""
    every = np.full(int(offsets[-1]), missing, np.int64)
    has_starts = np.repeat(np.asarray(starts.is_valid()), np.diff(offsets))
    every[has_starts] = np.asarray(starts.flatten(), np.int64)
    return every


def _apart(found: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Of pairs that overlap, the first, the third and so on, from left to right.

    >>> _apart(np.array([True, True, True, False, True])).tolist()
    [True, False, True, False, True]
    """
    number = np.arange(len(found))
    run = np.maximum.accumulate(np.where(found, -1, number)) if len(found) else number
    return found & ((number - run) % 2 == 1)


def _lists(values: NDArray[np.int64], lengths: NDArray[np.int64], known: NDArray[np.bool_]) -> pa.Array:
    """Lists of values; null where they are not known."""
    offsets = pa.array(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32))
    return pa.ListArray.from_arrays(offsets, pa.array(values.astype(np.int32)), mask=pa.array(~known))
