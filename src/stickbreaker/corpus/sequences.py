"""Documents as tokens in order, with the sentences and, for trees, heads and tags."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stickbreaker.corpus.arrow_arrays import one_chunk
from stickbreaker.corpus.blocks import Entries
from stickbreaker.corpus.shards import entries_between, joined_offsets

if TYPE_CHECKING:
    from stickbreaker.corpus.corpus import Corpus


_Places = NDArray[np.int64] | slice


@dataclass(frozen=True, slots=True)
class Sequences:
    """Documents as their tokens in order, split into sentences.

    The tokens of document d are words[offsets[d]:offsets[d + 1]], rows of the vocabulary (-1: unknown).
    `starts`: for each sentence, the position of its first token in `words`.

    >>> from stickbreaker.corpus import Corpus, VocabularyRule
    >>> corpus = Corpus.from_texts(["One cat. Two cats!"], rule=VocabularyRule(words=("cats", "cat")))
    >>> Sequences.of_block(corpus, 0)
    Sequences(offsets=array([0, 4]), words=array([-1,  1, -1,  0], dtype=int32), starts=array([0, 2]))
    """

    offsets: NDArray[np.int64]  # (documents + 1,) into `words`
    words: NDArray[np.int32]  # (tokens,) row numbers of the vocabulary in order; -1: not in the vocabulary
    starts: NDArray[np.int64]  # (sentences,) first token of each; every document with tokens begins one

    @classmethod
    def of_block(cls, corpus: "Corpus", block: int) -> "Sequences":
        """The documents of a corpus's block as Sequences. Raises UserError for bags, which have no order."""
        return corpus.sequences(block)

    @classmethod
    def join(cls, parts: "Sequence[Sequences]") -> "Sequences":
        """The documents of several Sequences as one, in order."""
        if len(parts) == 1:
            return parts[0]
        offsets, words, starts = _joined([(part.offsets, part.words, part.starts) for part in parts])
        return Sequences(offsets, words, starts)

    def take(self, documents: NDArray[np.int64]) -> "Sequences":
        """The documents with these numbers, in the order given."""
        offsets, tokens, starts = _taken(self.offsets, self.starts, documents)
        return Sequences(offsets, self.words[tokens], starts)

    def slice(self, start: int, stop: int) -> "Sequences":
        """Documents from number `start` to before `stop`."""
        offsets, tokens, starts = _sliced(self.offsets, self.starts, start, stop)
        return Sequences(offsets, self.words[tokens], starts)

    def with_words(self, words: NDArray[np.int32]) -> "Sequences":
        """The same documents with different word numbers."""
        return replace(self, words=words)


@dataclass(frozen=True, slots=True)
class Trees:
    """Documents as tokens in order (as in `Sequences`), each with its tag and the word that it depends on.

    `heads`: position of the token's head within its sentence (-1: a root); `tags`: indexes in `tag_names`.
    """

    offsets: NDArray[np.int64]  # as in Sequences
    words: NDArray[np.int32]
    starts: NDArray[np.int64]
    heads: NDArray[np.int32]  # (tokens,) position of the head within its sentence, from 0; -1: a root
    tags: NDArray[np.int32]  # (tokens,) into `tag_names`
    tag_names: tuple[str, ...]  # those of the whole corpus, sorted

    @classmethod
    def of_block(cls, corpus: "Corpus", block: int) -> "Trees":
        """The documents of a corpus's block as Trees. Raises UserError if the corpus has no trees."""
        return corpus.trees(block)

    @classmethod
    def join(cls, parts: "Sequence[Trees]") -> "Trees":
        """The documents of several Trees as one, in order. Raises ValueError if their tag names differ."""
        if len(parts) == 1:
            return parts[0]
        if len({part.tag_names for part in parts}) > 1:
            raise ValueError("trees of several corpora, with other tags")
        return Trees(
            *_joined([(part.offsets, part.words, part.starts) for part in parts]),
            np.concatenate([part.heads for part in parts]),
            np.concatenate([part.tags for part in parts]),
            parts[0].tag_names,
        )

    def take(self, documents: NDArray[np.int64]) -> "Trees":
        """The documents with these numbers, in the order given."""
        return self._at(*_taken(self.offsets, self.starts, documents))

    def slice(self, start: int, stop: int) -> "Trees":
        """Documents from number `start` to before `stop`."""
        return self._at(*_sliced(self.offsets, self.starts, start, stop))

    def with_words(self, words: NDArray[np.int32]) -> "Trees":
        """The same documents with different word numbers."""
        return replace(self, words=words)

    def _at(self, offsets: NDArray[np.int64], tokens: _Places, starts: NDArray[np.int64]) -> "Trees":
        return Trees(
            offsets, self.words[tokens], starts, self.heads[tokens], self.tags[tokens], self.tag_names
        )


def _taken(
    offsets: NDArray[np.int64], starts: NDArray[np.int64], documents: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Pick documents by number; returns (their offsets, their tokens' old positions, their sentence starts).

    Offsets and starts (each sentence's first token) are positions among the picked tokens only.
    """
    first, last = offsets[documents], offsets[documents + 1]
    after, tokens = entries_between(first, last)
    ends, sentences = entries_between(*np.searchsorted(starts, np.stack([first, last])))
    moved = np.repeat(after[:-1] - first, np.diff(ends))
    return after, tokens, starts[sentences] + moved


def _sliced(
    offsets: NDArray[np.int64], starts: NDArray[np.int64], start: int, stop: int
) -> tuple[NDArray[np.int64], slice, NDArray[np.int64]]:
    """Cut out documents `start` to before `stop`; returns (their offsets, slice of tokens, sentence starts).

    Offsets and starts (each sentence's first token) count from the first token that was cut out.
    """
    first, last = int(offsets[start]), int(offsets[stop])
    begin, end = np.searchsorted(starts, [first, last]).tolist()
    return offsets[start : stop + 1] - first, slice(first, last), starts[begin:end] - first


def _joined(
    parts: Sequence[tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]],
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Concatenate several groups of documents; each is given by its offsets, words and sentence starts.

    Returns the same three for all documents.
    """
    ends = np.cumsum([0] + [len(words) for _, words, _ in parts])
    return (
        joined_offsets([offsets for offsets, _, _ in parts]),
        np.concatenate([words for _, words, _ in parts]),
        np.concatenate([starts + end for (_, _, starts), end in zip(parts, ends, strict=False)]),
    )


def sequences_of(entries: Entries, starts: NDArray[np.int64], rows: NDArray[np.int32]) -> Sequences:
    """The Sequences of a block, from its tokens.

    starts: the first token of each sentence; rows: for each distinct word of the block, its vocabulary row.
    """
    words = rows[entries.codes] if len(rows) else np.zeros(0, np.int32)
    return Sequences(entries.offsets, words, starts)


def trees_of(table: pa.Table, tokens: Sequences, tag_names: tuple[str, ...]) -> Trees:
    """The Trees of a block, from its table, its Sequences and the names of all tags of the corpus.

    Raises ValueError if heads or tags do not form trees of the tokens, KeyError for an unknown tag.
    """
    lists = table.unify_dictionaries().combine_chunks()
    heads, tags = one_chunk(lists.column("heads")), one_chunk(lists.column("tags"))
    for each in (heads, tags):
        if not np.array_equal(each.value_lengths().to_numpy(), np.diff(tokens.offsets)):
            raise ValueError("heads or tags of other tokens")
    places = heads.flatten().to_numpy().astype(np.int32, copy=False)
    refuse_no_trees(tokens.starts, places)
    spelled, numbers = tags.flatten(), {tag: number for number, tag in enumerate(tag_names)}
    codes = np.array([numbers[tag] for tag in spelled.dictionary.to_pylist()], np.int32)
    tags_of_tokens = codes[spelled.indices.to_numpy()]
    return Trees(tokens.offsets, tokens.words, tokens.starts, places, tags_of_tokens, tag_names)


def refuse_no_trees(starts: NDArray[np.int64], heads: NDArray[np.int32]) -> None:
    """Raise ValueError if heads do not form trees of the sentences that begin at `starts`.

    A head is a position within the sentence, or -1 for a root, of which there may be several.

    >>> refuse_no_trees(np.array([0, 2]), np.array([1, -1, -1], np.int32))
    >>> refuse_no_trees(np.array([0]), np.array([1, 0], np.int32))
    Traceback (most recent call last):
    ValueError: words that depend on themselves
    """
    sizes = np.diff(starts, append=len(heads))
    if (heads < -1).any() or (heads >= np.repeat(sizes, sizes)).any():
        raise ValueError("heads that are not words of their sentence")
    above = np.where(heads < 0, np.arange(len(heads)), np.repeat(starts, sizes) + heads)
    for _ in range(int(sizes.max(initial=1)).bit_length()):
        above = above[above]  # twice as far up
    if (heads[above] >= 0).any():
        raise ValueError("words that depend on themselves")
