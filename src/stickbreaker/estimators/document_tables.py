"""Documents as rows of a table: their shares of topics, and what is known of them."""

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from stickbreaker.core.topk import first_largest
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.frames import ID, MetadataColumns, as_frame

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from stickbreaker.estimators.estimator import Estimator

TOPIC = "topic"
ALL_UNSEEN = "no document has a word that the model knows: all shares are the prior's mean"


class DocumentTable:
    """The documents of a corpus as Arrow tables, one for each block.

    Columns: `id`, and `topic0` and so on, the shares. With `metadata` its fields come between
    (`MetadataColumns`), and then `topic`, the number of the topic with the largest share, none where a
    document has no known word.
    """

    def __init__(self, estimator: "Estimator", corpus: Corpus, *, metadata: bool = False) -> None:
        self.estimator, self.corpus = estimator, corpus
        self.shares = [f"topic{k}" for k in range(estimator.n_shares)]
        self.metadata = MetadataColumns(corpus, (ID, TOPIC, *self.shares)) if metadata else None

    @cached_property
    def schema(self) -> "pa.Schema":
        """The columns, the same for all blocks."""
        import pyarrow as pa

        between = [] if self.metadata is None else [*self.metadata.fields, (TOPIC, pa.int32())]
        return pa.schema([(ID, pa.string()), *between, *((name, pa.float64()) for name in self.shares)])

    def __iter__(self) -> "Iterator[pa.Table]":
        for block in range(len(self.corpus.block_sizes)):
            yield self._block(block)

    def _block(self, block: int) -> "pa.Table":
        import pyarrow as pa

        shares = self.estimator.block_shares(self.corpus, block)
        columns = [pa.array(self.corpus.ids(block), pa.string())]
        if self.metadata is not None:
            topics = first_largest(shares.T).astype(np.int32) if len(shares) else np.zeros(0, np.int32)
            wordless = np.diff(self.corpus.bags(block).offsets) == 0
            columns += [*self.metadata.of(block), pa.array(topics, pa.int32(), mask=wordless)]
        return pa.table([*columns, *map(pa.array, shares.T)], schema=self.schema)

    def frame(self) -> "pd.DataFrame":
        """All documents as a pandas DataFrame. Raises UserError where pandas is missing."""
        import pyarrow as pa

        return as_frame(pa.concat_tables(self) if len(self.corpus.block_sizes) else self.schema.empty_table())
