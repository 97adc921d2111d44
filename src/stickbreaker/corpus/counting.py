"""Counts of words, digests and bags, added up over the blocks of a corpus.

scipy.sparse is imported on use: loading a model does not need it.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stickbreaker.corpus.arrow_arrays import ArrowArray, arrow_numbers, arrow_strings, one_chunk, strings_in
from stickbreaker.corpus.blocks import Entries, entries_of, tokens_of
from stickbreaker.corpus.shards import Bags
from stickbreaker.corpus.string_bytes import string_bytes
from stickbreaker.corpus.text.numbered_words import FirstNumbers, NumberedWords
from stickbreaker.corpus.vocabulary import Vocabulary

Rules = Callable[[Sequence[str]], "list[str | None]"]


class WordCounts:
    """For each word, the number of documents that contain it and of its tokens, added up block by block.

    Words are numbered in order of first occurrence: their rows. In bags, tokens are total weights.
    """

    def __init__(self) -> None:
        self.rows = FirstNumbers()
        self.documents = np.zeros(0, np.int64)
        self.tokens = np.zeros(0)

    def add(self, entries: Entries, words: Sequence[str] | None = None) -> NDArray[np.int64]:
        """Count the words of a block; `words`: its distinct words, if they are known as strings already.

        Returns an array (2 × distinct words): each word's row in this table, and how many of the block's
        documents have it.
        """
        width = len(entries.spelled)
        if not width:
            return np.zeros((2, 0), np.int64)
        rows = self.rows.of(entries.words() if words is None else words)
        new = len(self.rows) - len(self.documents)
        self.documents = np.append(self.documents, np.zeros(new, np.int64))
        self.tokens = np.append(self.tokens, np.zeros(new))
        by_number = isinstance(words, NumberedWords)  # a kernel found them, and numba is loaded
        documents = (_documents_by_kernel if by_number else _documents_of_words)(entries, width)
        self.documents[rows] += documents
        self.tokens[rows] += np.bincount(entries.codes, entries.weights, width)
        return np.stack([rows, documents])

    def vocabulary(self) -> Vocabulary:
        """A vocabulary of all words counted so far, with their counts."""
        return Vocabulary(tuple(self.rows.words), self.documents, self.tokens)


def _documents_by_kernel(entries: Entries, width: int) -> NDArray[np.int64]:
    """For each distinct word of a block (`width` words), the number of its documents that contain it.

    Several times faster than `_documents_of_words` once numba is loaded.
    """
    from stickbreaker.kernels.document_frequencies import count_documents

    documents = np.zeros(width, np.int64)
    count_documents(entries.codes, entries.offsets, documents)
    return documents


def _documents_of_words(entries: Entries, width: int) -> NDArray[np.int64]:
    """For each distinct word of a block (`width` words), the number of its documents that contain it."""
    from scipy.sparse import csr_array

    shape = (len(entries.offsets) - 1, width)
    ones = np.ones(len(entries.codes), np.int8)
    by_word = csr_array((ones, entries.codes, entries.offsets), shape=shape).tocsc()
    first = np.diff(by_word.indices, prepend=-1) != 0  # the first occurrence of a word in a document
    first[by_word.indptr[:-1][np.diff(by_word.indptr) > 0]] = True
    return np.diff(np.concatenate([[0], np.cumsum(first)])[by_word.indptr])


class Digest:
    """A digest of strings and arrays that are added under names, in pieces.

    It does not depend on how they are cut into pieces, such as blocks.
    """

    def __init__(self) -> None:
        self.parts: dict[str, hashlib.blake2b] = {}

    def strings(self, name: str, values: "ArrowArray | list[str]") -> None:
        """Add strings; they continue those added under this name before."""
        array = arrow_strings(values) if isinstance(values, list) else values
        if not len(array):
            return
        content, offsets = string_bytes(array)
        self.array(name + " lengths", np.diff(offsets))
        if len(content):
            self.array(name, content[offsets[0] : offsets[-1]])

    def array(self, name: str, values: NDArray[np.generic]) -> None:
        """Add an array; it continues those added under this name before."""
        self._part(name).update(np.ascontiguousarray(values).data)

    def hex(self) -> str:
        """The digest of everything added, 32 hexadecimal digits."""
        whole = hashlib.blake2b(digest_size=16)
        for name in sorted(self.parts):
            whole.update(name.encode() + b"=" + self.parts[name].digest())
        return whole.hexdigest()

    def _part(self, name: str) -> "hashlib.blake2b":
        if name not in self.parts:
            self.parts[name] = hashlib.blake2b(digest_size=32)
        return self.parts[name]


class Reasons:
    """Why each word may not be in a vocabulary: the analysis's rule against it, or None if it may.

    A word's reason is computed once, when it first occurs.
    """

    def __init__(self, rules_against: Rules) -> None:
        self.rules_against = rules_against
        self.reasons: list[str | None] = []
        self._eligible = np.empty(0, np.bool_)

    def eligible(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Whether each word may be in a vocabulary. words: all that have occurred so far, in their order."""
        new = self.rules_against(words[len(self.reasons) :])
        if new:
            self.reasons += new
            self._eligible = np.append(self._eligible, np.array([reason is None for reason in new], np.bool_))
        return self._eligible


def _witnesses(
    entries: Entries, rows: NDArray[np.int64], documents: NDArray[np.int64], eligible: NDArray[np.bool_]
) -> NDArray[np.int32]:
    """For each document of a block, the row of a word that the vocabulary will probably contain.

    -1 for a document without words. If the vocabulary turns out to have that word, the document is known not
    to be empty, and need not be read again. The choice is the eligible word in closest to a tenth of the
    documents (one that is not eligible only if there is no other). For each distinct word of the block: rows,
    its row in the counts; documents, how many of the block have it; eligible, whether it may be in a
    vocabulary.
    """
    found = np.full(len(entries.offsets) - 1, -1, np.int32)
    some = np.flatnonzero(np.diff(entries.offsets))
    if len(some):
        tenth = max(0.1 * len(found), 1.0)
        order = np.argsort(np.where(eligible, np.minimum(documents, tenth * tenth / documents), 0.0))
        rank = np.empty(len(rows), np.int32)
        rank[order] = np.arange(len(rows))
        found[some] = rows[order[np.maximum.reduceat(rank[entries.codes], entries.offsets[some])]]
    return found


class Tally:
    """What is counted while a corpus is built: words, languages, metadata fields, tags; and a digest.

    `fields`: names of metadata fields, filled in by the caller. With `sentences`, the digest covers where
    sentences begin (needed if punctuation alone does not decide it).

    With `rules_against` (for each word, the rule that keeps it out of a vocabulary, or None), it notes for
    each document a word that the vocabulary is likely to have, so that `totals` need not read most documents
    again.
    """

    def __init__(
        self, kind: str, fields: dict[str, None], sentences: bool = False, rules_against: Rules | None = None
    ) -> None:
        self.kind = kind
        self.reasons = None if rules_against is None else Reasons(rules_against)
        self.witnesses: list[NDArray[np.int32]] = []  # for each block
        self.fields = fields
        self.sentences = sentences
        self.tags: set[str] | None = None
        self.counts = WordCounts()
        self.languages: Counter[str] = Counter()
        self.digest = Digest()
        self.is_digested = True  # False if the digest is never used
        self.n_documents = self.n_tokens = 0

    def add(self, table: pa.Table, words: Sequence[str] | None = None) -> None:
        """Add a block to the counts; `words`: its distinct words, if they are known as strings already."""
        entries, starts = tokens_of(table) if self.sentences else (entries_of(table, self.kind), None)
        rows, documents = self.counts.add(entries, words)
        if self.reasons is not None:
            eligible = self.reasons.eligible(self.counts.rows.words)[rows]
            self.witnesses.append(_witnesses(entries, rows, documents, eligible))
        self.n_documents += table.num_rows
        for codes, times in Counter(table.column("language").to_pylist()).items():
            for code in codes.split("+") if codes else ():  # polylingual documents have several
                self.languages[code] += times
        if self.kind == "text" and self.is_digested:
            self.digest.strings("ids", strings_in(table.column("id")))
            self.digest.array("lengths", np.diff(entries.offsets))
            self.digest.strings("tokens", entries.spelled.take(arrow_numbers(entries.codes)))
        if starts is not None:
            self.digest.array("sentences", starts + self.n_tokens)
            self.n_tokens += int(entries.offsets[-1])
        if "heads" in table.column_names:
            self._add_trees(table)

    def _add_trees(self, table: pa.Table) -> None:
        """Record the tags of a block with trees, and add its tags and heads to the digest."""
        table = table.unify_dictionaries().combine_chunks()
        tags = one_chunk(table.column("tags")).flatten()
        self.tags = (self.tags or set()) | set(tags.dictionary.to_pylist())
        self.digest.strings("tags", tags.dictionary.take(tags.indices))
        heads = one_chunk(table.column("heads")).flatten()
        self.digest.array("heads", heads.to_numpy(zero_copy_only=False).astype("<i4"))

    def totals(self, entries_of_block: Callable[[int], Entries], vocabulary: Vocabulary) -> tuple[float, int]:
        """The number of tokens in a vocabulary, and of documents without any; not for hashed vocabularies.

        Needs `rules_against`. A block is read again (`entries_of_block`) only if the vocabulary lacks the
        word noted for one of its documents.
        """
        known = np.append(vocabulary.lookup(self.counts.rows.words) >= 0, False)
        empty = 0
        for block, witnesses in enumerate(self.witnesses):
            if known[witnesses[witnesses >= 0]].all():
                empty += int((witnesses < 0).sum())
                continue
            entries = entries_of_block(block)
            held = np.zeros(len(entries.codes) + 1, np.int64)
            np.cumsum((vocabulary.lookup(entries.spelled) >= 0)[entries.codes], out=held[1:])
            empty += int((np.diff(held[entries.offsets]) == 0).sum())
        return float(self.counts.tokens[known[:-1]].sum()), empty

    @property
    def tag_names(self) -> tuple[str, ...] | None:
        """The sorted tags of a corpus with trees; None for others."""
        return None if self.tags is None else tuple(sorted(self.tags))

    @property
    def content(self) -> str | None:
        """The digest of ids and tokens; None if not computed, and for bags, where it needs the vocabulary."""
        return self.digest.hex() if self.kind == "text" and self.is_digested else None


def bags_of(entries: Entries, rows: NDArray[np.int32], eligible: NDArray[np.bool_], n_words: int) -> Bags:
    """The bags of words of a block's documents, under a vocabulary of `n_words`.

    rows, eligible (distinct words of the block): the vocabulary row of each (-1: none), and whether a word
    without a row counts as unseen.
    """
    codes, weights, n_documents = entries.codes, entries.weights, len(entries.offsets) - 1
    owners = np.arange(n_documents).repeat(entries.offsets[1:] - entries.offsets[:-1])
    columns = rows[codes] if len(rows) else np.zeros(0, np.int32)
    known = (columns >= 0).nonzero()[0]
    places = owners[known] * n_words + columns[known]
    order = places.argsort(kind="stable")
    places = places[order]
    first = np.ones(len(places), np.bool_)  # the first entry of each word of a document
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
