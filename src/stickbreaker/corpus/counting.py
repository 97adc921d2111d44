"""What is added up while the blocks of a corpus pass by.

scipy.sparse is imported on use: a model is loaded without it.
"""

import hashlib
from collections import Counter

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stickbreaker.corpus.blocks import Entries, entries_of, only_chunk, tokens_of
from stickbreaker.corpus.metadata import metadata_from
from stickbreaker.corpus.shards import Bags
from stickbreaker.corpus.vocabulary import Vocabulary


class WordCounts:
    """Documents and tokens of every word, in the order in which words are first met."""

    def __init__(self) -> None:
        self.rows: dict[str, int] = {}
        self.documents: list[int] = []
        self.tokens: list[float] = []

    def add(self, entries: Entries) -> None:
        """Count a block."""
        from scipy.sparse import csr_array

        width = len(entries.spelled)
        if not width:
            return
        weights = np.ones(len(entries.codes)) if entries.weights is None else entries.weights
        shape = (len(entries.offsets) - 1, width)
        matrix = csr_array((weights, entries.codes, entries.offsets), shape=shape, copy=True)
        matrix.sum_duplicates()
        tokens = np.bincount(matrix.indices, matrix.data, minlength=width).tolist()
        documents = np.bincount(matrix.indices, minlength=width).tolist()
        for word, n_documents, n_tokens in zip(entries.words(), documents, tokens, strict=True):
            row = self.rows.setdefault(word, len(self.documents))
            if row == len(self.documents):
                self.documents.append(n_documents)
                self.tokens.append(n_tokens)
            else:
                self.documents[row] += n_documents
                self.tokens[row] += n_tokens

    def vocabulary(self) -> Vocabulary:
        """All words, with their counts."""
        return Vocabulary(
            tuple(self.rows), np.array(self.documents, np.int64), np.array(self.tokens, np.float64)
        )


class Digest:
    """A digest of strings and arrays that does not depend on how they were cut into blocks."""

    def __init__(self) -> None:
        self.parts: dict[str, hashlib.blake2b] = {}

    def strings(self, name: str, values: pa.StringArray | list[str]) -> None:
        """Add strings under a name."""
        array = pa.array(values, pa.string()) if isinstance(values, list) else values
        if not len(array):
            return
        offsets = np.frombuffer(array.buffers()[1], np.int32)[array.offset : array.offset + len(array) + 1]
        characters = array.buffers()[2]
        self.array(name + " lengths", np.diff(offsets))
        if characters is not None:
            self._part(name).update(memoryview(characters)[offsets[0] : offsets[-1]])

    def array(self, name: str, values: NDArray[np.generic]) -> None:
        """Add an array under a name."""
        self._part(name).update(np.ascontiguousarray(values).tobytes())

    def hex(self) -> str:
        """The digest of all that was added, 32 hexadecimal digits."""
        whole = hashlib.blake2b(digest_size=16)
        for name in sorted(self.parts):
            whole.update(name.encode() + b"=" + self.parts[name].digest())
        return whole.hexdigest()

    def _part(self, name: str) -> "hashlib.blake2b":
        if name not in self.parts:
            self.parts[name] = hashlib.blake2b(digest_size=32)
        return self.parts[name]


class Tally:
    """Word counts, languages, metadata fields, tags and (for text) the digest of a corpus being built.

    With `sentences` the digest is of them, too: where they are not those that punctuation tells.
    """

    def __init__(self, kind: str, sentences: bool = False) -> None:
        self.kind = kind
        self.sentences = sentences
        self.tags: set[str] | None = None
        self.counts = WordCounts()
        self.languages: Counter[str] = Counter()
        self.fields: dict[str, None] = {}
        self.digest = Digest()
        self.n_documents = self.n_tokens = 0

    def add(self, table: pa.Table) -> None:
        """Count a block."""
        entries, starts = tokens_of(table) if self.sentences else (entries_of(table, self.kind), None)
        self.counts.add(entries)
        self.n_documents += table.num_rows
        for codes in table.column("language").to_pylist():
            self.languages.update(codes.split("+") if codes else ())  # polylingual documents have several
        for text in table.column("metadata").to_pylist():
            self.fields.update(dict.fromkeys(metadata_from(text)))
        if self.kind == "text":
            self.digest.strings("ids", table.column("id").to_pylist())
            self.digest.array("lengths", np.diff(entries.offsets))
            self.digest.strings("tokens", entries.spelled.take(pa.array(entries.codes)))
        if starts is not None:
            self.digest.array("sentences", starts + self.n_tokens)
            self.n_tokens += int(entries.offsets[-1])
        if "heads" in table.column_names:
            self._add_trees(table)

    def _add_trees(self, table: pa.Table) -> None:
        """Note the tags of a block with trees, and what depends on what."""
        table = table.unify_dictionaries().combine_chunks()
        tags = only_chunk(table.column("tags")).flatten()
        self.tags = (self.tags or set()) | set(tags.dictionary.to_pylist())
        self.digest.strings("tags", tags.dictionary.take(tags.indices))
        heads = only_chunk(table.column("heads")).flatten()
        self.digest.array("heads", heads.to_numpy(zero_copy_only=False).astype("<i4"))

    @property
    def tag_names(self) -> tuple[str, ...] | None:
        """The tags of a corpus with trees, sorted; None for others."""
        return None if self.tags is None else tuple(sorted(self.tags))

    @property
    def content(self) -> str | None:
        """The digest of ids and tokens; None for bags, whose digest is of what the vocabulary keeps."""
        return self.digest.hex() if self.kind == "text" else None


def bags_of(entries: Entries, rows: NDArray[np.int32], eligible: NDArray[np.bool_], n_words: int) -> Bags:
    """The bags of a block under a vocabulary of `n_words`.

    `rows` gives each distinct word's row or -1; of those without a row the eligible ones count as unseen.
    """
    codes, weights, n_documents = entries.codes, entries.weights, len(entries.offsets) - 1
    owners = np.arange(n_documents).repeat(entries.offsets[1:] - entries.offsets[:-1])
    columns = rows[codes] if len(rows) else np.zeros(0, np.int32)
    known = (columns >= 0).nonzero()[0]
    places = owners[known] * n_words + columns[known]
    order = places.argsort(kind="stable")
    places = places[order]
    first = np.ones(len(places), np.bool_)  # of each word of a document
    np.not_equal(places[1:], places[:-1], out=first[1:])
    counts = np.bincount(first.cumsum() - 1, None if weights is None else weights[known[order]])
    places = places[first]
    strange = ((columns < 0) & eligible[codes]).nonzero()[0] if len(rows) else known
    unseen = np.bincount(
        owners[strange], None if weights is None else weights[strange], minlength=n_documents
    )
    return Bags(
        places.searchsorted(np.arange(n_documents + 1) * n_words),
        (places % max(n_words, 1)).astype(np.int32),
        counts.astype(np.float32),
        unseen.astype(np.float32),
    )
