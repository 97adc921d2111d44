"""Columns of pyspark.ml's vectors of word counts, sparse or dense, as bags of words."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Corpus, Vocabulary, VocabularyRule
from stickbreaker.corpus.building import new_directory
from stickbreaker.corpus.matrix import MatrixSource, matrix_bags
from stickbreaker.corpus.shards import Bags
from stickbreaker.corpus.store import StoreWriter
from stickbreaker.engines.spark.session import in_one_line
from stickbreaker.spark.partition_tasks import Batches
from stickbreaker.spark.store_completion import complete
from stickbreaker.spark.store_files import Part, write_parts
from stickbreaker.spark.vocabulary_counts import choose

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ROWS = 1_024  # rows made into bags at a time
SPARSE = 0  # the type that pyspark.ml stores with a sparse vector; 1 is a dense one


def corpus_from_vectors(
    frame: "DataFrame", out: str | Path, column: str, vocabulary: Vocabulary | None = None
) -> Corpus:
    """A corpus of bags of words from a column of vectors, written by executors into the directory `out`.

    All words of the vocabulary are kept, in order; None names them "0", "1", …. Documents are numbered in the
    order of the partitions. Raises UserError naming the rows that are wrong.
    """
    only = frame.select(column)
    words = tuple(map(str, range(_size(only)))) if vocabulary is None else vocabulary.words

    def write(batches: Batches, start: int, folder: Path) -> Part:
        writer = StoreWriter(folder, "bag")
        for batch in batches:
            for first in range(0, batch.num_rows, ROWS):
                vectors = batch.column(0).slice(first, ROWS)
                bags = bags_of_vectors(vectors, len(words), start)
                ids = [str(start + row) for row in range(len(vectors))]
                source = MatrixSource(bags, words, ids)
                for block in range(len(source.sizes)):
                    writer.write(source.read(block))
                start += len(vectors)
        return Part(writer.close(), {}, ())

    with new_directory(Path(out), overwrite=False) as directory:
        written, about = write_parts(only, write, directory, "bag")
        chosen = choose(frame.sparkSession, written, VocabularyRule(words=words), None)
        complete(frame.sparkSession, written, chosen, None, about)
    return Corpus.open(out)


def _size(frame: "DataFrame") -> int:
    """The length of the first vector in a table of one column. Raises UserError if there is none."""
    with in_one_line():
        first = frame.dropna().first()
    if first is None:
        raise UserError(
            "there is no document", where="the table", remedy="give a table with vectors of counts"
        )
    return int(first[0].size)


def bags_of_vectors(vectors: Any, n_words: int, start: int | None = None) -> Bags:
    """Convert an Arrow column of pyspark.ml's vectors (type, size, indices, values) to bags of words.

    `start`: the number of the first row, for errors (None: rows have no numbers). Raises UserError for a
    null, a vector of another size than `n_words`, and counts that are negative, NaN or infinite.
    """
    if vectors.null_count:
        row = vectors.is_null().to_pylist().index(True)
        raise UserError("the vector is null", where=_rows(start, row, row), remedy="leave such rows out")
    types, sizes, indices, values = vectors.flatten()
    sparse = types.to_numpy(zero_copy_only=False) == SPARSE
    lengths = values.value_lengths().to_numpy(zero_copy_only=False).astype(np.int64)
    n_entries = np.where(sparse, sizes.fill_null(0).to_numpy(zero_copy_only=False), lengths)
    if (n_entries != n_words).any():
        wrong = int(np.flatnonzero(n_entries != n_words)[0])
        problem = f"the vector has {n_entries[wrong]} entries, the model {n_words} words"
        raise UserError(
            problem, where=_rows(start, wrong, wrong), remedy="make all vectors with the same vocabulary"
        )
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    columns = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
    columns[np.repeat(sparse, lengths)] = indices.flatten().to_numpy(zero_copy_only=False)
    return _checked(values.flatten().to_numpy(zero_copy_only=False), columns, offsets, n_words, start)


def _checked(values: Any, columns: Any, offsets: Any, n_words: int, start: int | None) -> Bags:
    from scipy.sparse import csr_array

    matrix = csr_array((values, columns, offsets), shape=(len(offsets) - 1, n_words))
    try:
        return matrix_bags(matrix)[0]
    except UserError as error:
        raise error.replace(where=_rows(start, 0, len(offsets) - 2)) from None


def _rows(start: int | None, first: int, last: int) -> str:
    if start is None:
        return "the table"
    return f"row {start + first}" if first == last else f"rows {start + first} to {start + last}"
