"""The documents that a run learns from, block by block, without those held out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.core.random_streams import share_of
from stickbreaker.corpus.corpus import Corpus
from stickbreaker.corpus.shards import SHARD, Bags, Shard, Unit, shard_of

U = TypeVar("U", bound=Unit)

WINDOW = 8  # blocks that are shuffled together
PIECE = 8  # shards whose documents are read together, if they are given by number
PARTS, SPAN = 64, 32  # engines divide a corpus into parts: number of parts, and most blocks in one


class Blocks(Protocol):
    """What a source needs of a corpus: its blocks of documents (here as bags) and their ids."""

    @property
    def block_sizes(self) -> Sequence[int]: ...
    @property
    def n_words(self) -> int: ...
    def bags(self, block: int) -> Bags: ...
    def ids(self, block: int) -> Sequence[str]: ...


class Covariates(Protocol):
    """Numbers of documents by which their priors differ. It can be compared, hashed and pickled."""

    def of(self, corpus: Corpus, block: int) -> NDArray[np.float64]:
        """The numbers of a block's documents (documents × columns), NaN if they are not known."""
        ...


class Source:
    """The documents of a corpus that a run learns from, read as a model reads them, block by block.

    `held_out`: the share of documents, in [0, 1), that is left out, chosen by a hash of their id. `words`:
    spellings by row; if given, shards have the spellings of their words. `unit` (`Bags`, `Sequences`,
    `Trees`), `shard_size` (most documents in a shard) and `covariates` (None if priors are the same for all
    documents) are the model's. In memory: one flag per document and its covariates, the content of a
    minibatch, and the blocks that the corpus caches.
    """

    def __init__(
        self,
        corpus: Blocks,
        held_out: float = 0.0,
        words: Sequence[str] | None = None,
        unit: type[Any] = Bags,
        shard_size: int = SHARD,
        covariates: Covariates | None = None,
    ) -> None:
        self.corpus = corpus
        self.held_out = held_out
        self.words = words
        self.unit = unit
        self.shard_size = shard_size
        self.covariates = covariates
        self._rows: dict[int, NDArray[np.float64]] = {}  # covariates by block, each read once
        self.n_words = corpus.n_words
        self.first = np.concatenate([[0], np.cumsum(corpus.block_sizes)]).astype(np.int64)
        self._window = np.zeros(0, np.int64)  # blocks that minibatches are cut from, see `read`
        self._places = np.zeros(0, np.int64)  # for each block: its start in `_joined`, or -1
        self._joined: Any = None

    @cached_property
    def training(self) -> NDArray[np.bool_]:
        """A flag for each document: whether it is learned from."""
        training = np.ones(int(self.first[-1]), np.bool_)
        if self.held_out > 0.0:
            ids = (name for block in range(self.n_blocks) for name in self.corpus.ids(block))
            training[:] = [share_of(name) >= self.held_out for name in ids]
        return training

    @cached_property
    def n_documents(self) -> int:
        """The number of documents to learn from."""
        return int(self.training.sum() if self.held_out > 0.0 else self.first[-1])

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the corpus's path and the settings, not its content. Raises UserError if it is in memory."""
        path = None if not isinstance(self.corpus, Corpus) else self.corpus.path
        if path is None:
            remedy = "write the corpus to a directory that all machines see"
            raise UserError("a corpus held in memory cannot be sent", remedy=remedy)
        assert isinstance(self.corpus, Corpus)
        where = str(Path(path).resolve())
        spelled = self.words is not None
        asked = self.held_out, spelled, self.unit, self.shard_size, self.covariates
        return _source_at, (where, self.corpus.fingerprint, *asked)

    @property
    def n_blocks(self) -> int:
        return len(self.first) - 1

    def block(self, number: int, held_out: bool = False) -> tuple[NDArray[np.int64], Any]:
        """A block's training documents (or its held-out ones): their numbers, and their content."""
        content, numbers = self.content(number), self.numbers(number, held_out)
        if len(numbers) < self.corpus.block_sizes[number]:
            content = content.take(numbers - self.first[number])
        return numbers, content

    def parts(self, longest: int = SPAN) -> list[range]:
        """Cut the blocks into consecutive ranges of block numbers, among which engines divide the work.

        There are at most 64 ranges (`PARTS`), more if they would be longer than `longest` blocks.
        """
        size = max(1, min(-(-self.n_blocks // PARTS), longest))
        return [range(start, min(start + size, self.n_blocks)) for start in range(0, self.n_blocks, size)]

    def in_order(self) -> Iterator[tuple[NDArray[np.int64], Any]]:
        """The training documents of each block with their numbers, in the order of the corpus."""
        for number in range(self.n_blocks):
            yield self.block(number)

    def windows(self, generator: np.random.Generator | None) -> Iterator[NDArray[np.int64]]:
        """Yield the numbers of all training documents, a group of 8 blocks at a time, for minibatches.

        The blocks of a group are picked at random from the whole corpus, and their documents are shuffled.
        Without a generator, all is in the corpus's order. Until the next group, `read` is fast for its
        documents.
        """
        order = np.arange(self.n_blocks) if generator is None else generator.permutation(self.n_blocks)
        for start in range(0, self.n_blocks, WINDOW):
            self._window, self._joined = order[start : start + WINDOW], None
            self._places = np.full(self.n_blocks, -1, np.int64)
            self._places[self._window] = np.cumsum(np.append(0, np.diff(self.first)[self._window]))[:-1]
            numbers = np.concatenate([self.numbers(int(block)) for block in order[start : start + WINDOW]])
            yield numbers if generator is None else numbers[generator.permutation(len(numbers))]

    def content(self, block: int) -> Any:
        """All documents of a block, held-out ones too, as the model reads them (`unit`)."""
        return self.unit.of_block(self.corpus, block)

    def numbers(self, block: int, held_out: bool = False) -> NDArray[np.int64]:
        """The numbers of a block's training documents, or of its held-out ones."""
        return np.flatnonzero(self.training_in(block) != held_out) + self.first[block]

    def held_out_in(self, block: int) -> NDArray[np.int64]:
        """The positions of a block's held-out documents in it."""
        return np.flatnonzero(~self.training_in(block))

    def training_in(self, block: int) -> NDArray[np.bool_]:
        """A flag for each of a block's documents: whether it is learned from."""
        if self.held_out == 0.0:
            return np.ones(self.corpus.block_sizes[block], np.bool_)
        if "training" in vars(self):
            return self.training[self.first[block] : self.first[block + 1]]
        return np.array([share_of(name) >= self.held_out for name in self.corpus.ids(block)], np.bool_)

    def read(self, numbers: NDArray[np.int64]) -> Any:
        """The content of the documents with these numbers, in the given order, in the model's form (`unit`).

        The blocks of the current group (`windows`) are joined once, so that each minibatch is cut from them
        quickly.
        """
        blocks = np.searchsorted(self.first, numbers, side="right") - 1
        if len(self._window) and (self._places[blocks] >= 0).all():
            if self._joined is None:
                held = [self.content(int(block)) for block in self._window]
                self._joined = self.unit.join(held)
            return self._joined.take(self._places[blocks] + numbers - self.first[blocks])
        order = np.argsort(blocks, kind="stable")
        present, starts = np.unique(blocks[order], return_index=True)
        parts = [
            self.content(block).take(numbers[here] - self.first[block])
            for block, here in zip(present.tolist(), np.split(order, starts[1:]), strict=True)
        ]
        joined = self.unit.join(parts)
        if len(present) == 1:
            return joined
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        return joined.take(back)

    def rows_of(self, numbers: NDArray[np.int64]) -> NDArray[np.float64] | None:
        """The covariates of the documents with these numbers (documents × columns); None without them."""
        if self.covariates is None:
            return None
        assert isinstance(self.corpus, Corpus)
        blocks = np.searchsorted(self.first, numbers, side="right") - 1
        found: NDArray[np.float64] | None = None
        for block in np.unique(blocks).tolist():
            if block not in self._rows:
                self._rows[block] = self.covariates.of(self.corpus, block)
            own = self._rows[block]
            found = np.empty((len(numbers), own.shape[1])) if found is None else found
            here = blocks == block
            found[here] = own[numbers[here] - self.first[block]]
        return found

    def shards(self, *chunks: "int | NDArray[np.int64]") -> "Shards":
        """These documents as shards, which are read when one iterates over them.

        A chunk is the number of a block (its training documents), or an array of document numbers; no shard
        has documents of two chunks.
        """
        return Shards(self, chunks)

    def all_shards(self) -> "Shards":
        """All documents to learn from as shards, block by block."""
        return self.shards(*range(self.n_blocks))


@lru_cache(maxsize=4)
def _source_at(
    path: str,
    fingerprint: str,
    held_out: float,
    spelled: bool,
    unit: type[Any],
    shard_size: int,
    covariates: Covariates | None,
) -> Source:
    """Unpickle a source in another process: opens its corpus, once per process.

    Raises UserError if the corpus at the path has another fingerprint.
    """
    corpus = Corpus.open(path)
    if corpus.fingerprint != fingerprint:
        raise UserError("is not the corpus that the run reads", where=path, remedy="restore it, or fit again")
    words = corpus.vocabulary.words if spelled else None
    return Source(corpus, held_out, words, unit, shard_size, covariates)


@dataclass(frozen=True, slots=True)
class Shards:
    """The documents of a step as shards, which are read afresh on each iteration.

    `chunks`: numbers of blocks, or arrays of document numbers; each is cut into shards separately.
    """

    source: Source
    chunks: Sequence[int | NDArray[np.int64]]

    def __len__(self) -> int:
        return sum(-(-self._size(chunk) // self.source.shard_size) for chunk in self.chunks)

    def __iter__(self) -> Iterator[Shard]:
        source, piece = self.source, PIECE * self.source.shard_size
        for chunk in self.chunks:
            if isinstance(chunk, int):
                yield from self._cut(*source.block(chunk))
                continue
            for start in range(0, len(chunk), piece):
                numbers = chunk[start : start + piece]
                yield from self._cut(numbers, source.read(numbers))

    def _cut(self, numbers: NDArray[np.int64], content: Any) -> Iterator[Shard]:
        source = self.source
        rows = source.rows_of(numbers)
        return cut_shards(numbers, content, source.n_words, source.words, source.shard_size, rows)

    @property
    def n_documents(self) -> int:
        return sum(map(self._size, self.chunks))

    def numbers(self) -> NDArray[np.int64]:
        """Numbers of the documents, in order."""
        chunks = [self.source.numbers(each) if isinstance(each, int) else each for each in self.chunks]
        return np.concatenate([np.empty(0, np.int64), *chunks])

    def portions(self, documents: int) -> "list[Shards]":
        """Cut the shards into groups of about `documents` documents, one for each task of an engine.

        The groups depend only on the shards and `documents`, not on the number of workers, so that sums are
        reproducible.
        """
        size = max(1, documents // self.source.shard_size) * self.source.shard_size
        cut: list[list[int | NDArray[np.int64]]] = [[]]
        held = 0
        for chunk in self.chunks:
            parts = [chunk] if isinstance(chunk, int) else np.split(chunk, range(size, len(chunk), size))
            for part in parts:
                if held and held + self._size(part) > size:
                    cut.append([])
                    held = 0
                cut[-1].append(part)
                held += self._size(part)
        return [replace(self, chunks=tuple(part)) for part in cut if part]

    def _size(self, chunk: int | NDArray[np.int64]) -> int:
        return int(self.source.training_in(chunk).sum()) if isinstance(chunk, int) else len(chunk)


def cut_shards(
    numbers: NDArray[np.int64],
    content: U,
    n_words: int,
    words: Sequence[str] | None = None,
    size: int = SHARD,
    covariates: NDArray[np.float64] | None = None,
) -> Iterator[Shard[U]]:
    """Cut documents into shards of at most `size` documents each.

    numbers: the documents' numbers in the corpus; content: what they contain, with words as rows of a
    vocabulary of `n_words`; words: spellings by row, from which shards get their `keys` (None: no keys);
    covariates (documents × columns): numbers by which documents' priors differ, or None.
    """
    for start in range(0, len(numbers), size):
        stop = min(start + size, len(numbers))
        shard = shard_of(content.slice(start, stop), numbers[start:stop], n_words)
        if words is not None:
            shard = replace(shard, keys=[words[row] for row in shard.rows.tolist()])
        yield shard if covariates is None else replace(shard, covariates=covariates[start:stop])
