"""Documents as rows of a table: what is known of them, and their shares of topics."""

import json
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from stickbreaker.core.errors import UserError
from stickbreaker.core.topk import first_largest
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.document import Scalar
from stickbreaker.corpus.metadata import metadata_from

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from stickbreaker.estimators.estimator import Estimator

ID, TOPIC, METADATA = "id", "topic", "metadata"
ALL_UNSEEN = "no document has a word that the model knows: all shares are the prior's mean"


class DocumentTable:
    """The documents of a corpus as Arrow tables, one for each block.

    Columns: `id`, and `topic0` and so on, the shares. With `metadata` its fields come between, and then
    `topic`, the number of the topic with the largest share, none where a document has no known word. A field
    that has the name of another column is called "metadata.id". Fields are whole numbers, numbers, truth
    values or text, whichever holds all their values; a list of texts is text with "; " between.
    """

    def __init__(self, estimator: "Estimator", corpus: Corpus, *, metadata: bool = False) -> None:
        self.estimator, self.corpus, self.metadata = estimator, corpus, metadata

    @cached_property
    def schema(self) -> "pa.Schema":
        """The columns, the same for all blocks. Reads all metadata once, to know the types of fields."""
        import pyarrow as pa

        shares = [(f"topic{k}", pa.float64()) for k in range(self.estimator.n_shares)]
        taken = {ID, TOPIC, *(name for name, _ in shares)}
        fields = [(f"{METADATA}.{name}" if name in taken else name, type) for name, type in self._fields]
        if self.metadata:
            fields.append((TOPIC, pa.int32()))
        return pa.schema([(ID, pa.string()), *fields, *shares])

    @cached_property
    def _fields(self) -> list[tuple[str, "pa.DataType"]]:
        """The fields of metadata in the order in which they are first met, with their types."""
        kinds: dict[str, set[type]] = {}
        for block in range(len(self.corpus.block_sizes)) if self.metadata else ():
            for row in self._metadata(block):
                for name, value in row.items():
                    kinds.setdefault(name, set()).add(_kind_of(value))
        return [(name, _type_for(own - {type(None)})) for name, own in kinds.items()]

    def _metadata(self, block: int) -> Iterator[dict[str, Scalar]]:
        column = self.corpus.source.columns(block, [METADATA]).column(METADATA)
        return map(metadata_from, column.to_pylist())

    def __iter__(self) -> "Iterator[pa.Table]":
        for block in range(len(self.corpus.block_sizes)):
            yield self._block(block)

    def _block(self, block: int) -> "pa.Table":
        import pyarrow as pa

        ids, shares = self.corpus.ids(block), self.estimator.block_shares(self.corpus, block)
        columns = [pa.array(ids, pa.string())]
        rows = list(self._metadata(block)) if self._fields else []
        for name, type in self._fields:
            text = pa.types.is_string(type)
            values = [row.get(name) for row in rows]
            columns.append(pa.array([_as_text(one) for one in values] if text else values, type))
        if self.metadata:
            topics = first_largest(shares.T).astype(np.int32) if len(shares) else np.zeros(0, np.int32)
            wordless = np.diff(self.corpus.bags(block).offsets) == 0
            columns.append(pa.array(topics, pa.int32(), mask=wordless))
        columns += [pa.array(column) for column in shares.T]
        return pa.table(columns, schema=self.schema)

    def frame(self) -> "pd.DataFrame":
        """All documents as a pandas DataFrame. Raises UserError where pandas is missing."""
        import pyarrow as pa

        return as_frame(pa.concat_tables(self) if len(self.corpus.block_sizes) else self.schema.empty_table())


def as_frame(table: "pa.Table") -> "pd.DataFrame":
    """A table as a pandas DataFrame. Raises UserError where pandas is missing."""
    try:
        return table.to_pandas()
    except ModuleNotFoundError:
        raise UserError("a frame needs pandas", remedy="pip install pandas") from None


def _kind_of(value: Scalar) -> type:
    """The type of a value; whole numbers of more than 64 bits count as text."""
    too_long = isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 1 << 63
    return str if too_long else type(value)


def _type_for(kinds: set[type]) -> "pa.DataType":
    """The type of a column that holds values of these types."""
    import pyarrow as pa

    if kinds == {bool}:
        return pa.bool_()
    if kinds == {int}:
        return pa.int64()
    return pa.float64() if kinds and kinds <= {int, float} else pa.string()


def _as_text(value: Scalar) -> str | None:
    """A value of metadata in a column of text."""
    if value is None or isinstance(value, str):
        return value
    return "; ".join(value) if isinstance(value, list) else json.dumps(value)
