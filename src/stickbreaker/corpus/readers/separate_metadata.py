"""Texts and their metadata that were passed from Python apart from each other, as one table."""

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.json_checks import is_list, is_mapping
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
    if given is None or given.form not in ("texts", "tokens") or is_mapping(given.values[0]):
        problem = "metadata= goes with a list of texts or of token lists"
        raise UserError(
            problem, remedy="give a table with the texts in a column, or Corpus.from_texts(texts, metadata=…)"
        )
    texts, rows = as_list(given.values), _rows(metadata)
    names = column_names(rows) if is_table(rows) else [name for row in rows for name in row]
    if "text" in names:
        raise UserError("metadata= has a field 'text'", remedy="rename it, or give the table alone")
    if len(rows) != len(texts):
        problem = f"metadata= has {counted(len(rows), 'row')} for {counted(len(texts), 'document')}"
        raise UserError(problem, remedy="give a row for each document")
    if is_table(rows):
        table: Any = pa.table(rows)
        return table.append_column("text", pa.array(texts))
    return [{**row, "text": text} for row, text in zip(rows, texts, strict=True)]


def _rows(metadata: Any) -> Any:
    """Metadata as a table that is computed and has no index, or as a list of dicts. Raises UserError for
    anything else.
    """
    if is_table(metadata):
        table = metadata.collect() if type(metadata).__name__ == "LazyFrame" else metadata
        reset: Callable[..., Any] | None = getattr(table, "reset_index", None)  # pandas: it would be a column
        return reset(drop=True) if callable(reset) else table
    if is_list(metadata) and all(map(is_mapping, metadata)):
        return metadata
    problem = f"metadata= is of the class {type(metadata).__name__}"
    raise UserError(problem, remedy="give a table of pandas, polars or Arrow, or a list of dicts")
