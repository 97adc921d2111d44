"""Sentence pairs prepared for word alignment: long ones are cut into pieces, and each possible link (a source
word and a target word of a pair) has a number, its cell."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.translation.alignment.aligned_words import Links, Sentences
from stickbreaker.translation.kernels.word_alignment import Pairs

LONGEST = 200  # words of a piece: time grows with their square and cube
_BLOCK = 1 << 20  # cells processed at a time, 4 bytes each


class Pieces(NamedTuple):
    """Sentence pairs after long ones were cut into pieces.

    A piece is a part of the source sentence with the part of the target sentence at the same relative
    position.
    """

    source: Sentences
    target: Sentences
    pair: NDArray[np.int64]  # pieces: their sentence pairs


def pieces_of(source: Sentences, target: Sentences) -> Pieces:
    """Cut sentence pairs into pieces of at most `LONGEST` (200) words on each side.

    A pair with a longer side is cut into as few pieces as possible, which have equal shares of both sides.
    """
    lengths = np.maximum(source.lengths, target.lengths)
    n_pieces = np.maximum(-(-lengths // LONGEST), 1)
    pair = np.repeat(np.arange(len(lengths)), n_pieces)
    number = np.arange(len(pair)) - np.repeat(np.cumsum(n_pieces) - n_pieces, n_pieces)

    def cut(side: Sentences) -> Sentences:
        begins = side.offsets[pair] + number * side.lengths[pair] // n_pieces[pair]
        return Sentences(side.words, np.append(begins, side.offsets[-1]))

    return Pieces(cut(source), cut(target), pair)


def links_of_sentences(links: Links, pieces: Pieces, source: Sentences, target: Sentences) -> Links:
    """Convert links between pieces to links between the uncut sentences, with positions counted from the
    sentences' beginnings."""
    piece = np.repeat(np.arange(len(pieces.pair)), np.diff(links.offsets))
    pair = pieces.pair[piece]
    in_source = links.source + pieces.source.offsets[piece] - source.offsets[pair]
    in_target = links.target + pieces.target.offsets[piece] - target.offsets[pair]
    first = np.searchsorted(pieces.pair, np.arange(len(source.offsets)))
    return Links(in_source.astype(np.int32), in_target.astype(np.int32), links.offsets[first])


def cell_starts(source: Sentences, target: Sentences) -> NDArray[np.int64]:
    """The number of the first cell of each sentence pair, and at the end that of all cells (pairs + 1).

    A cell is a possible link: a source word and a target word of the same pair.
    """
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(source.lengths * target.lengths)])


def pairs_of(
    source: Sentences, target: Sentences, slots: NDArray[np.int32], starts: NDArray[np.int64]
) -> tuple[Pairs, Pairs]:
    """The sentence pairs as kernels take them, in both directions: target words given source words, then
    source words given target words.

    A cell is a possible link: a source and a target word of a pair, numbered by source, then target position.
    slots (cells): index of the two words among translation probabilities; starts: from `cell_starts`.
    """
    one, row = np.ones(len(starts) - 1, np.int64), target.lengths
    to_target = Pairs(target.words, target.offsets, source.offsets, slots, starts, one, row)
    return to_target, Pairs(source.words, source.offsets, target.offsets, slots, starts, row, one)


def blocks(source: Sentences, target: Sentences) -> Iterator[tuple[Sentences, Sentences]]:
    """Group sentence pairs into blocks of consecutive pairs, which are processed at a time to limit memory.

    A block has about a million possible links (source words × target words), and at least one pair. Blocks
    share `words` with the whole, so their offsets do not start at 0.
    """
    starts = cell_starts(source, target)
    ends = np.searchsorted(starts, np.arange(_BLOCK, starts[-1] + _BLOCK, _BLOCK), "right")
    begin = 0
    for end in np.unique(np.minimum(ends, len(starts) - 1)).tolist():
        if end > begin:
            source_part = Sentences(source.words, source.offsets[begin : end + 1])
            yield source_part, Sentences(target.words, target.offsets[begin : end + 1])
            begin = end
