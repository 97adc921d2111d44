"""What models read: shards, each a few documents as bags, sequences or trees."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

SHARD = 128  # largest number of documents in a shard, unless a model says otherwise
# returns positions of keys in a table, -1 for keys that are not in it
Index = Callable[[Sequence[str]], NDArray[np.int64]]


class Unit(Protocol):
    """The content of some documents in the form that a model reads: `Bags`, `Sequences` or `Trees`.

    Document d has the entries from `offsets[d]` to before `offsets[d + 1]`: tokens, or in bags distinct
    words. `words` (entries, int32) are row numbers of the vocabulary, -1 for words that are not in it. In a
    `Shard`, they number the shard's distinct words instead.
    """

    @property
    def offsets(self) -> NDArray[np.int64]: ...
    @property
    def words(self) -> NDArray[np.int32]: ...

    @classmethod
    def of_block(cls, corpus: "Corpus", block: int) -> Self:
        """A block of a corpus in this form. Raises UserError if the corpus lacks the token order or trees."""
        ...

    @classmethod
    def join(cls, parts: Sequence[Self]) -> Self:
        """The documents of several parts as one, in order."""
        ...

    def take(self, documents: NDArray[np.int64]) -> Self:
        """The documents with these numbers, in the order given."""
        ...

    def slice(self, start: int, stop: int) -> Self:
        """Documents from number `start` to before `stop`."""
        ...

    def with_words(self, words: NDArray[np.int32]) -> Self:
        """The same documents with different word numbers."""
        ...


if TYPE_CHECKING:
    from typing_extensions import TypeVar

    from stickbreaker.corpus.corpus import Corpus

    U = TypeVar("U", bound=Unit, default=Any)  # `Shard` alone is a shard of any unit
else:
    from typing import TypeVar

    U = TypeVar("U", bound=Unit)


class Bags(NamedTuple):
    """Documents as bags of words over one vocabulary, in compressed rows.

    `offsets` (documents + 1, int64); `words` (entries, int32) row numbers of the vocabulary, each at most
    once per document, ascending; `counts` (entries, float32) tokens or weights, above zero; `unseen`
    (documents, float32) tokens of words that are not in the vocabulary but could be (no stop words).
    """

    offsets: NDArray[np.int64]
    words: NDArray[np.int32]
    counts: NDArray[np.float32]
    unseen: NDArray[np.float32]

    @classmethod
    def of_block(cls, corpus: "Corpus", block: int) -> "Bags":
        """The bags of a block of a corpus."""
        return corpus.bags(block)

    @classmethod
    def join(cls, parts: Sequence["Bags"]) -> "Bags":
        """The documents of several Bags as one, in order."""
        if len(parts) == 1:
            return parts[0]
        return Bags(
            joined_offsets([part.offsets for part in parts]),
            np.concatenate([part.words for part in parts]),
            np.concatenate([part.counts for part in parts]),
            np.concatenate([part.unseen for part in parts]),
        )

    def take(self, documents: NDArray[np.int64]) -> "Bags":
        """The bags of the documents with these numbers, in the order given."""
        offsets, entries = entries_of_documents(self.offsets, documents)
        return Bags(offsets, self.words[entries], self.counts[entries], self.unseen[documents])

    def slice(self, start: int, stop: int) -> "Bags":
        """The bags of documents from number `start` to before `stop`, as views: only offsets are copied."""
        first, last = int(self.offsets[start]), int(self.offsets[stop])
        offsets = self.offsets[start : stop + 1] - first
        return Bags(offsets, self.words[first:last], self.counts[first:last], self.unseen[start:stop])

    def with_words(self, words: NDArray[np.int32]) -> "Bags":
        """The same bags with different word numbers."""
        return self._replace(words=words)


def entries_of_documents(
    offsets: NDArray[np.int64], documents: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pick documents by number; returns (their offsets, from 0; for each of their entries, its old position).

    >>> [found.tolist() for found in entries_of_documents(np.array([0, 2, 3, 3]), np.array([1, 0]))]
    [[0, 1, 3], [2, 0, 1]]
    """
    return entries_between(offsets[documents], offsets[documents + 1])


def entries_between(
    first: NDArray[np.int64], last: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Concatenate ranges of entries, first[i] to before last[i].

    Returns (their offsets in the result, from 0; for each entry of the result, its old position).
    """
    lengths = last - first
    after = np.zeros(len(first) + 1, np.int64)
    np.cumsum(lengths, out=after[1:])
    return after, np.repeat(first - after[:-1], lengths) + np.arange(after[-1], dtype=np.int64)


def joined_offsets(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """The offsets of documents that are concatenated from several parts, given the offsets of each part.

    >>> joined_offsets([np.array([0, 2]), np.array([0, 1, 1])]).tolist()
    [0, 2, 3, 3]
    """
    ends = np.cumsum([0] + [int(part[-1]) for part in parts])
    moved = [part[:-1] + end for part, end in zip(parts, ends, strict=False)]
    return np.concatenate([*moved, ends[-1:]]).astype(np.int64)


def tokens_by_document(offsets: NDArray[np.int64], counts: NDArray[np.float32]) -> NDArray[np.float64]:
    """The number of tokens (sum of counts) of each document (documents,).

    Each is summed on its own, since differences of running sums would depend on the other documents.

    >>> tokens_by_document(np.array([0, 2, 2]), np.array([1.0, 2.0])).tolist()
    [3.0, 0.0]
    """
    n_documents = len(offsets) - 1
    owners = np.arange(n_documents).repeat(offsets[1:] - offsets[:-1])
    return np.asarray(np.bincount(owners, counts, n_documents), np.float64)


def content_of(words: NDArray[np.integer], counts: NDArray[np.float32]) -> bytes:
    """A document's words (rows or digests) and counts as bytes; they are the same on every machine."""
    return words.astype(words.dtype.newbyteorder("<"), copy=False).tobytes() + counts.astype("<f4").tobytes()


def in_order_of(bags: Bags, digests: NDArray[np.uint64]) -> Bags:
    """The same documents, the words of each in the order of their digests, so that rows do not matter.

    digests: `Vocabulary.digests`.

    >>> counts = np.array([4.0, 5.0], np.float32)
    >>> bags = Bags(np.array([0, 2]), np.array([0, 1], np.int32), counts, np.zeros(1, np.float32))
    >>> in_order_of(bags, np.array([9, 8], np.uint64) << np.uint64(60)).counts.tolist()
    [5.0, 4.0]
    """
    bits = np.uint64(len(bags.offsets).bit_length())  # of a number that has the document, then the digest
    owners = np.arange(len(bags.offsets) - 1, dtype=np.uint64).repeat(np.diff(bags.offsets))
    order = np.argsort((owners << (np.uint64(64) - bits)) | (digests[bags.words] >> bits))
    return bags._replace(words=bags.words[order], counts=bags.counts[order])


def numbers_of(bags: Bags, digests: NDArray[np.uint64]) -> NDArray[np.int64]:
    """For each document, a hash of its words and counts, used as the key (seed) of its random numbers.

    digests: as for `in_order_of`, of which `bags` is the result.

    >>> bags = Bags(np.array([0, 1, 2]), np.array([0, 0]), np.array([4.0, 4.0]), np.zeros(2))
    >>> len(set(numbers_of(bags, np.array([9], np.uint64)).tolist()))
    1
    """
    ends = zip(bags.offsets[:-1].tolist(), bags.offsets[1:].tolist(), strict=True)
    own = digests[bags.words]
    contents = (content_of(own[start:stop], bags.counts[start:stop]) for start, stop in ends)
    hashes = (hashlib.blake2b(content, digest_size=8).digest() for content in contents)
    return np.frombuffer(b"".join(hashes), "<i8")


def cut_blocks(
    offsets: NDArray[np.int64], most_entries: int, most_documents: int
) -> Iterator[tuple[int, int]]:
    """Cut documents into consecutive blocks; yields for each the first document and the one after the last.

    A block has at most `most_entries` entries and `most_documents` documents, but at least one document.

    >>> list(cut_blocks(np.array([0, 9, 10, 11, 12]), most_entries=2, most_documents=9))
    [(0, 1), (1, 3), (3, 4)]
    """
    start, last = 0, len(offsets) - 1
    while start < last:
        beyond: np.int64 = offsets[start] + most_entries
        full = int(np.searchsorted(offsets, beyond, side="right")) - 1
        stop = max(start + 1, min(start + most_documents, full, last))
        yield start, stop
        start = stop


@dataclass(frozen=True, slots=True)
class Shard(Generic[U]):
    """The input of a local step: a few documents, and the rows of the model's table that they need.

    The table has the model's parameters, usually a row per word. `content.words` are indexes of the shard's
    distinct words, from 0 (-1: not in the vocabulary). In a shard read from a corpus, word c has the
    vocabulary row `rows[c]` (ascending) and, if there are `keys`, the spelling `keys[c]`. Before the local
    step, the engine replaces `rows` by what `Model.reads` returns: row numbers in the table, -1 for missing
    rows; by default, those of the distinct words. `covariates` (documents × columns): numbers by which the
    documents' priors differ, NaN if they are not known; None if the model has none.
    """

    documents: NDArray[np.int64]  # number of each document in its corpus: the key of its random numbers
    content: U
    rows: NDArray[np.int64]
    keys: Sequence[str] | None = None
    covariates: NDArray[np.float64] | None = None

    @property
    def n_documents(self) -> int:
        return len(self.documents)

    @property
    def n_entries(self) -> int:
        """The number of entries (for bags) or tokens (for sequences) in the shard."""
        return len(self.content.words)

    def table_rows(self) -> NDArray[np.int64]:
        """The rows of the model's table that the shard needs, each once, ascending."""
        if not len(self.rows) or (self.rows[0] >= 0 and (self.rows[1:] > self.rows[:-1]).all()):
            return self.rows
        return np.unique(self.rows[self.rows >= 0])


def shard_of(content: U, documents: NDArray[np.int64], n_words: int) -> Shard[U]:
    """Make a shard of some documents: their distinct words are numbered from zero.

    content: the documents, with words as row numbers of a vocabulary of `n_words`; documents: their numbers.
    Takes O(entries + vocabulary), or for few entries O(entries log entries).
    """
    words = content.words
    if len(words) < n_words // 64:
        alone = len(documents) == 1 and (words[1:] > words[:-1]).all()  # usually a bag
        rows = (words if alone else np.unique(words)).astype(np.int64)
        rows = rows[rows.searchsorted(0) :]
        found = rows.searchsorted(words).astype(np.int32)
        found[words < 0] = -1
        return Shard(documents, content.with_words(found), rows)
    present = np.zeros(n_words + 1, np.bool_)
    present[words] = True  # unknown words share the last place
    rows = np.flatnonzero(present[:-1])
    position = np.full(n_words + 1, -1, np.int32)
    position[rows] = np.arange(len(rows), dtype=np.int32)
    return Shard(documents, content.with_words(position[words]), rows)
