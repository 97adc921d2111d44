"""The documents that a run learns from, block by block, and those that it must not see."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.randomness import share_of
from stickbreaker.corpus.shards import Bags, Shard, join_bags, shard_of

SHARD = 128  # documents a shard, whatever the number of threads
WINDOW = 8  # blocks that are shuffled together


class Blocks(Protocol):
    """What a source needs of a corpus."""

    @property
    def block_sizes(self) -> Sequence[int]: ...
    @property
    def n_words(self) -> int: ...
    def bags(self, block: int) -> Bags: ...
    def ids(self, block: int) -> Sequence[str]: ...


class Source:
    """A corpus less its held-out documents, which are chosen by a hash of their id.

    `held_out` is a share in [0, 1). With `words`, shards tell their words by spelling. Memory: a flag a
    document, and the bags of one block (of `WINDOW` blocks where documents are shuffled).
    """

    def __init__(self, corpus: Blocks, held_out: float = 0.0, words: Sequence[str] | None = None) -> None:
        self.corpus = corpus
        self.words = words
        self.n_words = corpus.n_words
        self.first = np.concatenate([[0], np.cumsum(corpus.block_sizes)]).astype(np.int64)
        self.kept = np.ones(int(self.first[-1]), np.bool_)
        if held_out > 0.0:
            ids = (name for block in range(self.n_blocks) for name in corpus.ids(block))
            self.kept[:] = [share_of(name) >= held_out for name in ids]
        self.n_documents = int(self.kept.sum())

    @property
    def n_blocks(self) -> int:
        return len(self.first) - 1

    def block(self, number: int, held_out: bool = False) -> tuple[NDArray[np.int64], Bags]:
        """Numbers and bags of a block's documents: those to learn from, or the held-out ones."""
        bags = self.corpus.bags(number)
        wanted = self.kept[self.first[number] : self.first[number + 1]] != held_out
        positions = np.flatnonzero(wanted)
        if len(positions) < len(wanted):
            bags = bags.take(positions)
        return positions + self.first[number], bags

    def in_order(self) -> Iterator[tuple[NDArray[np.int64], Bags]]:
        """Blocks in the corpus's order."""
        for number in range(self.n_blocks):
            yield self.block(number)

    def shuffled(self, generator: np.random.Generator) -> Iterator[tuple[NDArray[np.int64], Bags]]:
        """Windows of `WINDOW` blocks picked at random from the whole corpus, documents mixed within each."""
        order = generator.permutation(self.n_blocks)
        for start in range(0, self.n_blocks, WINDOW):
            yield self._window(order[start : start + WINDOW], generator)

    def _window(
        self, blocks: NDArray[np.int64], generator: np.random.Generator
    ) -> tuple[NDArray[np.int64], Bags]:
        """Some blocks' documents, mixed; a function of its own so that the unmixed ones are let go."""
        parts = [self.block(int(number)) for number in blocks]
        numbers = np.concatenate([numbers for numbers, _ in parts])
        mixed = generator.permutation(len(numbers))
        return numbers[mixed], join_bags([bags for _, bags in parts]).take(mixed)

    def shards(self, numbers: NDArray[np.int64], bags: Bags) -> Iterator[Shard]:
        """Consecutive documents as shards."""
        return cut_shards(numbers, bags, self.n_words, self.words)


def cut_shards(
    numbers: NDArray[np.int64], bags: Bags, n_words: int, words: Sequence[str] | None = None
) -> Iterator[Shard]:
    """Cut consecutive documents, with their numbers, into shards of at most `SHARD`; `words` spell them."""
    for start in range(0, len(numbers), SHARD):
        stop = min(start + SHARD, len(numbers))
        shard = shard_of(bags.slice(start, stop), numbers[start:stop], n_words)
        yield shard if words is None else replace(shard, keys=[words[row] for row in shard.rows.tolist()])
