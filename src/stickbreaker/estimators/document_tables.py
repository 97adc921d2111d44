"""Documents as rows of a table, with their shares of topics and their metadata."""

import warnings
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.records import Array
from stickbreaker.core.topk import first_largest
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.frames import ID, METADATA, MetadataColumns, as_frame
from stickbreaker.corpus.metadata import metadata_from
from stickbreaker.corpus.shards import tokens_by_document
from stickbreaker.corpus.text.parts import NUMBER, WHOLE
from stickbreaker.estimators.learned import HasShares
from stickbreaker.estimators.verb_settings import TransformSettings

if TYPE_CHECKING:
    import pandas as pd

    from stickbreaker.corpus.arrow_arrays import ArrowArray, ArrowColumn

TOPIC = "topic"
FAINT, LEAST = 1e-9, 1e-3  # weights, in tokens, of a part without a known word, and of a part with one
ALL_UNSEEN = "no document has a word that the model knows: all shares are the prior's mean"


class DocumentTable:
    """The documents of a corpus with their topic shares; iterating yields an Arrow table for each block.

    Columns: `id`, then the shares `topic0` and so on. With `metadata`, the metadata fields (see
    `MetadataColumns`) and `topic` come between: `topic` is the number of the topic with the largest share, or
    missing if a document has no known word.
    """

    without: ClassVar[tuple[str, ...]] = ()  # fields of metadata to leave out

    def __init__(self, learned: HasShares[Any], corpus: Corpus, *, metadata: bool = False) -> None:
        self.learned, self.corpus = learned, corpus
        self.shares = [f"topic{k}" for k in range(learned.n_shares)]
        taken = (ID, TOPIC, *self.shares)
        self.metadata = MetadataColumns(corpus, taken, self.without) if metadata else None

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns of the tables, with their types."""
        between = [] if self.metadata is None else [*self.metadata.fields, (TOPIC, pa.int32())]
        return pa.schema([(ID, pa.string()), *between, *((name, pa.float64()) for name in self.shares)])

    def __iter__(self) -> "Iterator[pa.Table]":
        for block in range(len(self.corpus.block_sizes)):
            yield self._block(block)

    def _block(self, block: int) -> pa.Table:
        shares = self.learned.shares(self.corpus, block)
        between = [] if self.metadata is None else self.metadata.of(block)
        return self._table(self.corpus.ids(block), between, shares, self._tokens(block) == 0.0)

    def _tokens(self, block: int) -> Array:
        """The number of tokens of known words in each document of a block."""
        bags = self.corpus.bags(block)
        return tokens_by_document(bags.offsets, bags.counts)

    def _table(
        self,
        ids: list[str],
        metadata: "Sequence[ArrowArray | ArrowColumn]",
        shares: Array,
        wordless: NDArray[np.bool_],
    ) -> pa.Table:
        columns: list[ArrowArray | ArrowColumn] = [pa.array(ids, pa.string()), *metadata]
        if self.metadata is not None:
            topics = first_largest(shares.T).astype(np.int32) if len(shares) else np.zeros(0, np.int32)
            columns.append(pa.array(topics, pa.int32(), mask=wordless))
        return pa.table([*columns, *map(pa.array, shares.T)], schema=self.schema)

    def table(self) -> pa.Table:
        """All documents as an Arrow table."""
        return pa.concat_tables(self) if len(self.corpus.block_sizes) else self.schema.empty_table()

    def frame(self) -> "pd.DataFrame":
        """All documents as a pandas DataFrame. Raises UserError if pandas is not installed."""
        return as_frame(self.table())

    def as_json(self) -> JsonObject:
        """The numbers about the table that `stickbreaker transform` prints with --json, but for its file."""
        return {
            "documents": self.corpus.n_documents,
            "topics": self.learned.n_shares,
            "empty_documents": self.corpus.n_empty,
            "unseen_share": self.corpus.unseen_share,
        }

    @property
    def size(self) -> str:
        """The size of the table as text, such as "1,000 documents × 20 topics"."""
        return f"{counted(self.corpus.n_documents, 'document')} × {counted(self.learned.n_shares, 'topic')}"

    def __str__(self) -> str:
        return (
            f"{self.size}; {self.corpus.n_empty} without a known word, "
            f"{100 * self.corpus.unseen_share:.1f} % of the words unseen"
        )

    def __repr__(self) -> str:
        return str(self)


def transform(learned: HasShares[Any], corpus: Corpus, settings: TransformSettings) -> DocumentTable:
    """The topic shares of documents as a table. Warns (UserWarning) if none has a known word."""
    made = DocumentTable if settings.by is None else WholeTable
    found = made(learned, corpus, metadata=settings.metadata)
    if corpus.n_empty == corpus.n_documents:
        warnings.warn(ALL_UNSEEN, UserWarning, stacklevel=2)
    return found


class WholeTable(DocumentTable):
    """A table of topic shares with a row per original document, for documents that were split into parts.

    A document's topic shares are the mean over its parts, weighted by their tokens in the vocabulary; its
    metadata are those of its first part. Rows are in order of first parts. Iterating yields one table for the
    whole corpus.
    """

    without = (WHOLE, NUMBER)

    def __iter__(self) -> "Iterator[pa.Table]":
        numbers: dict[str, int] = {}  # numbers of the whole documents
        first: list[list[ArrowArray]] = []  # for each metadata column, the values of first parts, by block
        sums, tokens = np.zeros((0, len(self.shares))), np.zeros(0)
        for block in range(len(self.corpus.block_sizes)):
            own, new = self._wholes(block, numbers)
            shares, counts = self.learned.shares(self.corpus, block), self._tokens(block)
            grown = len(numbers) - len(tokens)
            sums = np.concatenate([sums, np.zeros((grown, sums.shape[1]))])
            tokens = np.concatenate([tokens, np.zeros(grown)])
            # so that a document without a known word has the prior's mean
            weights = np.maximum(counts, FAINT)
            np.add.at(sums, own, shares * weights[:, None])
            np.add.at(tokens, own, weights)
            if self.metadata is not None:
                first.append([column.take(pa.array(new)) for column in self.metadata.of(block)])
        columns = [pa.chunked_array(parts) for parts in zip(*first, strict=True)]
        yield self._table(list(numbers), columns, sums / tokens[:, None], tokens < LEAST)

    def _wholes(self, block: int, numbers: dict[str, int]) -> tuple[NDArray[np.int64], list[int]]:
        """Find the original documents of the parts in a block.

        numbers: the original documents' numbers by id; new ones are added in place. Returns each part's
        number, and the positions in the block of the parts that are the first of their documents. Raises
        UserError if a document is not a part.
        """
        column = self.corpus.source.columns(block, [METADATA]).column(METADATA).to_pylist()
        found, new = np.empty(len(column), np.int64), list[int]()
        for place, text in enumerate(column):
            whole = metadata_from(text).get(WHOLE)
            if not isinstance(whole, str):
                remedy = "build the corpus with --split, or leave --by out"
                raise UserError(
                    "the documents are not parts of others", where=self.corpus.path, remedy=remedy
                )
            if whole not in numbers:
                numbers[whole] = len(numbers)
                new.append(place)
            found[place] = numbers[whole]
        return found, new


def frame_of_topics(
    words: Sequence[Sequence[str]], names: Sequence[str | None] | None, shares: Array
) -> "pd.DataFrame":
    """A row for each topic, as a pandas DataFrame: its number, name, share and top words.

    Raises UserError if pandas is not installed.
    """
    columns = {
        "topic": pa.array(range(len(words)), pa.int32()),
        "name": pa.array(names or [None] * len(words), pa.string()),
        "share": pa.array(shares, pa.float64()),
        "words": pa.array([" ".join(own) for own in words], pa.string()),
    }
    return as_frame(pa.table(columns))
