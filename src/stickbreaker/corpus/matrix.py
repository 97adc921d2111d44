"""Corpora that are given as a matrix of weights: documents in rows, words in columns."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from stickbreaker.core.arguments import refuse_no_list
from stickbreaker.core.errors import UserError
from stickbreaker.corpus.arrow_arrays import ArrowArray, arrow_lists, arrow_numbers, arrow_words
from stickbreaker.corpus.blocks import BAG_SCHEMA, BLOCK_DOCUMENTS, BLOCK_TOKENS, BlockSource, Entries
from stickbreaker.corpus.metadata import checked_ids, storable
from stickbreaker.corpus.shards import Bags, cut_blocks
from stickbreaker.corpus.vocabulary import Vocabulary, refuse_long_words

LARGEST = 1e9  # a larger weight exceeds the models' single precision


class MatrixSource(BlockSource):
    """Blocks of a matrix's rows, held in memory as one `Bags`; strings are made only on request."""

    kind = "bag"

    def __init__(self, bags: Bags, words: tuple[str, ...], ids: list[str] | None) -> None:
        self.bags = bags
        self.words = words
        self.given_ids = ids
        cuts = cut_blocks(bags.offsets, BLOCK_TOKENS, BLOCK_DOCUMENTS)
        self.starts = [0, *(stop for _, stop in cuts)]
        self.sizes = tuple(np.diff(self.starts).tolist())

    @cached_property
    def spelled(self) -> pa.StringArray:
        """The words of the columns, as an Arrow array."""
        return pa.array(self.words, pa.string())

    def bag(self, block: int) -> Bags:
        """The bags of a block, whose word numbers are the matrix's columns; arrays are not copied."""
        return self.bags.slice(self.starts[block], self.starts[block + 1])

    def columns(self, block: int, names: list[str]) -> pa.Table:
        return self.read(block).select(names)

    def entries(self, block: int) -> Entries:
        bags = self.bag(block)
        return Entries(bags.offsets, bags.words, self.spelled, bags.counts.astype(np.float64))

    def ids(self, block: int) -> list[str]:
        start, stop = self.starts[block], self.starts[block + 1]
        return list(map(str, range(start, stop))) if self.given_ids is None else self.given_ids[start:stop]

    def read(self, block: int) -> pa.Table:
        bags = self.bag(block)
        used, codes = np.unique(bags.words, return_inverse=True)
        spelled = pa.array([self.words[word] for word in used], pa.string())
        nothing: list[None] = [None] * (len(bags.offsets) - 1)
        columns: dict[str, list[str] | list[None] | ArrowArray] = {
            "id": self.ids(block),
            "language": nothing,
            "metadata": nothing,
            "words": arrow_lists(bags.offsets, arrow_words(codes.astype(np.int32), spelled)),
            "weights": arrow_lists(bags.offsets, arrow_numbers(bags.counts.astype(np.float64))),
        }
        return pa.table(columns, schema=BAG_SCHEMA)


def matrix_bags(matrix: object) -> tuple[Bags, int]:
    """A sparse or dense matrix (documents × words) as bags, and its number of columns.

    Duplicate entries are added up and zeros dropped. Raises UserError for weights that are negative, NaN,
    infinite or above 1e9, and for anything that is not a matrix of numbers.

    >>> bags, n_words = matrix_bags([[0, 2], [1, 0]])
    >>> bags.words.tolist(), n_words
    ([1, 0], 2)
    """
    from scipy import sparse

    try:
        csr: Any = sparse.csr_array(  # pyright: ignore[reportCallIssue]
            matrix if sparse.issparse(matrix) else np.atleast_2d(np.asarray(matrix, np.float64))  # pyright: ignore[reportArgumentType]
        )
        csr = csr.astype(np.float64, copy=False) if csr.dtype.kind in "biuf" else None
    except (TypeError, ValueError) as error:
        raise UserError(f"not a matrix of weights: {error}") from None
    if csr is None or csr.shape is None or len(csr.shape) != 2:
        raise UserError(
            "not a matrix of weights", remedy="give documents in rows, words in columns, numbers inside"
        )
    if not csr.has_canonical_format or (csr.data == 0).any():
        csr = csr.copy()
        csr.sum_duplicates()
        csr.eliminate_zeros()
    right = (csr.data >= 0) & (csr.data <= LARGEST)
    if not right.all():
        wrong = int(np.flatnonzero(~right)[0])
        row = int(np.searchsorted(csr.indptr, wrong, side="right")) - 1
        where = f"row {row}, column {csr.indices[wrong]}"
        large = np.isfinite(csr.data[wrong]) and csr.data[wrong] > LARGEST
        remedy = f"weights are at most {LARGEST:g}" if large else "weights are finite and not below zero"
        raise UserError(f"the weight {csr.data[wrong]} cannot be used", where=where, remedy=remedy)
    unseen = np.zeros(csr.shape[0], np.float32)
    words, counts = csr.indices.astype(np.int32), csr.data.astype(np.float32)
    return Bags(csr.indptr.astype(np.int64), words, counts, unseen), int(csr.shape[1])


def matrix_parts(
    matrix: object, feature_names: Sequence[str] | Vocabulary | None, ids: Sequence[str] | None
) -> tuple[MatrixSource, Vocabulary]:
    """The documents of a matrix, and the vocabulary of its columns.

    `feature_names`: the words of the columns (None: "0", "1", …), whose counts are computed, or a vocabulary
    that is used unchanged. Raises UserError for a name or id given twice, the wrong number of them, or an
    empty matrix.
    """
    bags, n_columns = matrix_bags(matrix)
    if not isinstance(feature_names, Vocabulary | None):
        refuse_no_list("feature_names", feature_names)
    names = [str(column) for column in range(n_columns)] if feature_names is None else feature_names
    if len(names) != n_columns:
        raise UserError(f"{len(names)} feature names for {n_columns} columns", remedy="give one per column")
    if not n_columns or not len(bags.unseen):
        raise UserError("the matrix is empty", remedy="give at least one document and one word")
    known = None if ids is None else checked_ids(ids, len(bags.unseen))
    if isinstance(names, Vocabulary):
        return MatrixSource(bags, names.words, known), names
    words = Vocabulary.of([storable(str(name)) for name in names]).words
    refuse_long_words(words)
    documents = np.bincount(bags.words, minlength=n_columns).astype(np.int64)
    tokens = np.bincount(bags.words, bags.counts, minlength=n_columns).astype(np.float64)
    return MatrixSource(bags, words, known), Vocabulary(words, documents, tokens)
