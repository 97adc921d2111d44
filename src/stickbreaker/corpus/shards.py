"""What the models read: bags of words of a few consecutive documents."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Bags(NamedTuple):
    """Documents as bags over one vocabulary, in compressed rows.

    `offsets` (documents + 1, int64); `words` (entries, int32) row numbers of the vocabulary, each at most
    once a document, ascending; `counts` (entries, float32) tokens or weights, above zero;
    `unseen` (documents, float32) tokens that the vocabulary does not have.
    """

    offsets: NDArray[np.int64]
    words: NDArray[np.int32]
    counts: NDArray[np.float32]
    unseen: NDArray[np.float32]

    def take(self, documents: NDArray[np.int64]) -> "Bags":
        """The bags of some documents, by their position here, in the order given."""
        lengths = np.diff(self.offsets)[documents]
        offsets = np.zeros(len(documents) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        entries = np.repeat(self.offsets[documents] - offsets[:-1], lengths) + np.arange(offsets[-1])
        return Bags(offsets, self.words[entries], self.counts[entries], self.unseen[documents])

    def slice(self, start: int, stop: int) -> "Bags":
        """The bags of documents start to stop (exclusive): views, nothing copied but the offsets."""
        first, last = int(self.offsets[start]), int(self.offsets[stop])
        offsets = self.offsets[start : stop + 1] - first
        return Bags(offsets, self.words[first:last], self.counts[first:last], self.unseen[start:stop])


def tokens_by_document(offsets: NDArray[np.int64], counts: NDArray[np.float32]) -> NDArray[np.float64]:
    """Tokens of each document: a sum of its own, since differences of running sums depend on the others.

    >>> tokens_by_document(np.array([0, 2, 2]), np.array([1.0, 2.0])).tolist()
    [3.0, 0.0]
    """
    n_documents = len(offsets) - 1
    owners = np.repeat(np.arange(n_documents), np.diff(offsets))
    return np.asarray(np.bincount(owners, counts, n_documents), np.float64)


def content_of(words: NDArray[np.int32], counts: NDArray[np.float32]) -> bytes:
    """The bytes of a document, the same on every machine."""
    return words.astype("<i4").tobytes() + counts.astype("<f4").tobytes()


def numbers_of(bags: Bags) -> NDArray[np.int64]:
    """A number for each document that depends on its content alone: the key of what is drawn for it.

    >>> bags = Bags(np.array([0, 1, 2]), np.array([7, 7]), np.array([4.0, 4.0]), np.zeros(2))
    >>> len(set(numbers_of(bags).tolist()))
    1
    """
    ends = zip(bags.offsets[:-1].tolist(), bags.offsets[1:].tolist(), strict=True)
    contents = (content_of(bags.words[start:stop], bags.counts[start:stop]) for start, stop in ends)
    digests = (hashlib.blake2b(content, digest_size=8).digest() for content in contents)
    return np.frombuffer(b"".join(digests), "<i8")


def cut_blocks(
    offsets: NDArray[np.int64], most_entries: int, most_documents: int
) -> Iterator[tuple[int, int]]:
    """First and last (exclusive) document of consecutive blocks, of so much at most or of one document.

    >>> list(cut_blocks(np.array([0, 9, 10, 11, 12]), most_entries=2, most_documents=9))
    [(0, 1), (1, 3), (3, 4)]
    """
    start, last = 0, len(offsets) - 1
    while start < last:
        full = int(np.searchsorted(offsets, offsets[start] + most_entries, side="right")) - 1
        stop = max(start + 1, min(start + most_documents, full, last))
        yield start, stop
        start = stop


def join_bags(parts: Sequence[Bags]) -> Bags:
    """One Bags of several, in order."""
    if len(parts) == 1:
        return parts[0]
    ends = np.cumsum([0] + [int(part.offsets[-1]) for part in parts])
    offsets = [part.offsets[:-1] + end for part, end in zip(parts, ends, strict=False)]
    return Bags(
        np.concatenate([*offsets, ends[-1:]]).astype(np.int64),
        np.concatenate([part.words for part in parts]),
        np.concatenate([part.counts for part in parts]),
        np.concatenate([part.unseen for part in parts]),
    )


@dataclass(frozen=True, slots=True)
class Shard:
    """The unit of the local step: at most a few hundred consecutive documents of one step.

    A document's entries are `codes[offsets[d]:offsets[d + 1]]`, which point into the shard's distinct
    words: word `c` is row `rows[c]` of the model's table (ascending), or -1 where the table does not have
    it, and is then spelled `keys[c]`. Closed vocabularies have no unknown words and need no keys.
    """

    documents: NDArray[np.int64]  # number of each document in its corpus: the key of its randomness
    offsets: NDArray[np.int64]
    codes: NDArray[np.int32]
    counts: NDArray[np.float32]
    rows: NDArray[np.int64]
    keys: Sequence[str] | None = None

    @property
    def n_documents(self) -> int:
        return len(self.documents)


def shard_of(bags: Bags, documents: NDArray[np.int64], n_words: int) -> Shard:
    """Number the distinct words of some bags from zero. O(entries + vocabulary)."""
    present = np.zeros(n_words, np.bool_)
    present[bags.words] = True
    rows = np.flatnonzero(present)
    position = np.empty(n_words, np.int32)
    position[rows] = np.arange(len(rows), dtype=np.int32)
    return Shard(documents, bags.offsets, position[bags.words], bags.counts, rows)
