"""What a saved model kept of its documents for the report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from stickbreaker.report.data import DocumentEntry

_MARKS = ("starts", "lengths", "word_topics")  # columns that older models lack


def read_documents(model: Path) -> tuple[list[DocumentEntry], dict[str, Any]]:
    """The documents kept in a model's directory, and figures of its whole corpus.

    Both are empty for a model that kept none; older ones kept no figures and marked no words.
    """
    import pyarrow.parquet as pq

    file = model / "documents.parquet"
    if not file.exists():
        return [], {}
    with pq.ParquetFile(file) as opened:  # read_table would import all that pyarrow can compute
        told = (opened.schema_arrow.metadata or {}).get(b"stickbreaker", b"{}")
        rows = opened.read().to_pylist()
    return [_entry(row) for row in rows], json.loads(told)


def _entry(row: dict[str, Any]) -> DocumentEntry:
    marks = zip(*(row[name] for name in _MARKS), strict=True) if _MARKS[0] in row else ()
    return DocumentEntry(
        id=row["id"],
        title=row["title"],
        text=row["text"],
        mix=list(zip(row["topics"], row["shares"], strict=True)),
        n_tokens=round(row["tokens"]),
        metadata=json.loads(row["metadata"]),
        marks=list(marks),
    )
