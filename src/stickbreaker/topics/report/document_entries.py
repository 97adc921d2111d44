"""The documents, and numbers about the whole corpus, that a saved model stores for its report, read from its
directory.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow.parquet as pq

from stickbreaker.core.json_checks import (
    JsonObject,
    is_amount,
    is_count,
    is_number,
    is_text,
    list_of,
    optional,
    refuse_other_kinds,
)
from stickbreaker.core.untrusted import making_sense_of
from stickbreaker.corpus.document import Scalar
from stickbreaker.saved import ModelDirectory
from stickbreaker.saved.manifest import RESTORE
from stickbreaker.saved.manifest_fields import DOCUMENTS, METADATA_SUMS
from stickbreaker.saved.parquet_figures import figures_in
from stickbreaker.topics.metadata_sums import MetadataSums, read_sums
from stickbreaker.topics.report_documents import HELD_OUT, OF_OTHERS

_MARKS = ("starts", "lengths", "word_topics")  # columns with the words that are marked
_ROW = {
    "number": is_count,
    "id": is_text,
    "title": is_text,
    "text": is_text,
    "metadata": is_text,
    "tokens": lambda value: is_amount(value) and value <= 1 << 53,
    "topics": list_of(is_count),
    "shares": list_of(is_amount),
}
_FIGURES = {
    OF_OTHERS: is_count,
    HELD_OUT: is_amount,
    "coherence": list_of(optional(is_number)),  # None: of a topic that was merged
    "coherence_in": list_of(is_count),
    "unigram": optional(is_number),
    "unigram_held_out": optional(is_number),
}


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """A document as stored for the report: a snippet of its text and its leading topics.

    `mix` holds (topic, share of the document's tokens), largest first; it need not sum to one. `marks`: words
    of the snippet that are coloured by topic, as (first character, length, topic). Topics are numbers of the
    model's topics as read, and indices into `TopicReport.topics` in `TopicReport.documents`.
    """

    id: str
    title: str
    text: str
    mix: Sequence[tuple[int, float]]
    n_tokens: int
    metadata: Mapping[str, Scalar] = field(default_factory=dict)
    marks: Sequence[tuple[int, int, int]] = ()


def read_documents(model: Path) -> tuple[list[DocumentEntry], JsonObject]:
    """The documents that a saved model stores for its report, and numbers about its whole corpus, by name.

    Both are empty for a model that stores none. Raises UserError for an invalid file.
    """
    manifest = ModelDirectory(model).manifest()
    if DOCUMENTS not in manifest["files"]:
        return [], {}
    file = model / DOCUMENTS
    with making_sense_of(file, RESTORE):
        with pq.ParquetFile(file) as opened:  # read_table would import all that pyarrow can compute
            figures = figures_in(opened)
            if len(set(opened.schema_arrow.names)) < len(opened.schema_arrow.names):
                raise ValueError("two columns of one name")
            if not {*_ROW, *_MARKS} <= set(opened.schema_arrow.names):
                raise ValueError("a column is missing")
            rows = opened.read().to_pylist()
        refuse_other_kinds(figures, _FIGURES, needed=False)
        return [_entry(row) for row in rows], figures


def read_figures(model: Path) -> JsonObject:
    """The numbers about its whole corpus that a saved model stores for its report, by name; empty if it
    stores none. Raises UserError for an invalid file.
    """
    if DOCUMENTS not in ModelDirectory(model).manifest()["files"]:
        return {}
    with making_sense_of(model / DOCUMENTS, RESTORE), pq.ParquetFile(model / DOCUMENTS) as opened:
        figures = figures_in(opened)
        refuse_other_kinds(figures, _FIGURES, needed=False)
        return figures


def read_metadata_sums(model: Path, n_topics: int) -> MetadataSums | None:
    """The sums of topics' tokens over all documents, by metadata field, that are saved with a model; None if
    it has none.

    Raises UserError for an invalid file, also if the sums have another number of topics.
    """
    if METADATA_SUMS not in ModelDirectory(model).manifest()["files"]:
        return None
    with making_sense_of(model / METADATA_SUMS, RESTORE):
        sums = read_sums(model / METADATA_SUMS, _refuse)
        _refuse(sums.n_topics != n_topics)
        return sums


def _refuse(wrong: bool) -> None:
    if wrong:
        raise ValueError("sums that are none of this model's documents")


def _entry(row: JsonObject) -> DocumentEntry:
    metadata = json.loads(row["metadata"])
    refuse_other_kinds(row, _ROW)
    if not isinstance(metadata, dict):
        raise ValueError("metadata that are not fields")
    marks = zip(*(row[name] for name in _MARKS), strict=True)
    return DocumentEntry(
        id=row["id"],
        title=row["title"],
        text=row["text"],
        mix=list(zip(row["topics"], row["shares"], strict=True)),
        n_tokens=round(row["tokens"]),
        metadata=metadata,
        marks=list(marks),
    )
