"""Texts and their metadata that were passed from Python apart from each other, as one table."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from stickbreaker.core.errors import UserError, counted
from stickbreaker.corpus.readers.document_inputs import as_list, column_names, document_input, is_table


def with_metadata(documents: object, metadata: object) -> object:
    """Documents as a table that `fit` and `transform` take, with the texts in the column "text".

    documents: texts or lists of tokens; metadata: a table of pandas, polars or Arrow, or a list of dicts,
    with a row for each. None returns the documents as they are. Raises UserError for documents of another
    form, another number of rows, and a field called "text".

    >>> with_metadata(["a cat", "a dog"], [{"year": 1988}, {"year": 1989}])[1]
    {'year': 1989, 'text': 'a dog'}
    """
    if metadata is None:
        return documents
    given = None if hasattr(documents, "vocabulary") else document_input(documents)
    if given is None or given.form not in ("texts", "tokens") or isinstance(given.values[0], Mapping):
        problem = "metadata= goes with a list of texts or of token lists"
        raise UserError(
            problem, remedy="give a table with the texts in a column, or Corpus.from_texts(texts, metadata=…)"
        )
    texts = as_list(given.values)
    rows: Any = metadata
    if not is_table(rows):
        if not isinstance(rows, Sequence) or not all(isinstance(row, Mapping) for row in rows):
            problem = f"metadata= is of the class {type(rows).__name__}"
            raise UserError(problem, remedy="give a table of pandas, polars or Arrow, or a list of dicts")
        names = {str(name) for row in rows for name in row}
    else:
        rows = rows.collect() if type(rows).__name__ == "LazyFrame" else rows
        names = set(column_names(rows))
    if "text" in names:
        raise UserError("metadata= has a field 'text'", remedy="rename it, or give the table alone")
    if len(rows) != len(texts):
        problem = f"metadata= has {counted(len(rows), 'row')} for {counted(len(texts), 'document')}"
        raise UserError(problem, remedy="give a row for each document")
    if not is_table(rows):
        return [{**row, "text": text} for row, text in zip(rows, texts, strict=True)]
    if callable(getattr(rows, "reset_index", None)):  # pandas: its index would be a column
        rows = rows.reset_index(drop=True)
    return pa.table(rows).append_column("text", pa.array(texts))
