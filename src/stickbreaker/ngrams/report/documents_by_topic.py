"""What a saved language model with topics has of documents for its report."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

from stickbreaker.core.json_checks import (
    is_count,
    is_flag,
    is_number,
    is_text,
    list_of,
    record_with,
    refuse_other_kinds,
)
from stickbreaker.core.untrusted import making_sense_of
from stickbreaker.ngrams.report.topic_language_page_data import ExcerptRow, MixedDocument, SharesAlong
from stickbreaker.ngrams.report_documents import (
    COLUMNS,
    EXCERPT_WORDS,
    EXCERPTS,
    LIMIT,
    WINDOW_TOPICS,
    WINDOWS,
)
from stickbreaker.saved.documents_with_topics import (
    ROW,
    are_shares,
    is_whose,
    refuse_other_topics,
    topics_with_shares,
)
from stickbreaker.saved.manifest import RESTORE
from stickbreaker.saved.manifest_fields import DOCUMENTS
from stickbreaker.saved.parquet_figures import read_with_figures

_PER_WORD = ("tokens", "known", "ends", "nats", "best", "sure", "specific")
_EXCERPT = {
    "first": is_count,
    "read": is_count,
    "tokens": list_of(is_text),
    "known": list_of(is_flag),
    "ends": list_of(is_flag),
    "nats": list_of(lambda value: is_number(value) and value <= 1e-9),
    "best": list_of(is_count),
    "sure": are_shares,
    "specific": are_shares,
    "window": is_count,
    "window_topics": list_of(is_count),
    "window_shares": are_shares,
}
_ROW = {**ROW, "excerpts": list_of(record_with(_EXCERPT))}


class DocumentsByTopic(NamedTuple):
    """The documents of a model's directory, of how many documents they are, and which have excerpts:
    "held-out", "learned" or "other" ones."""

    documents: list[MixedDocument]
    total: int
    whose: str


def read_topic_documents(folder: Path, manifest: dict[str, Any], n_topics: int) -> DocumentsByTopic | None:
    """What a model's directory has of documents; None for a model that has nothing of them.

    Raises UserError for a file that does not hold them.
    """
    if DOCUMENTS not in manifest["files"]:
        return None
    file = folder / DOCUMENTS
    with making_sense_of(file, RESTORE):
        rows, figures = read_with_figures(file, COLUMNS, LIMIT, "documents")
        refuse_other_kinds(figures, {"documents": is_count, "excerpts": is_whose})
        documents = [_document(row, n_topics) for row in rows]
        if sum(row.excerpt is not None for row in documents) > EXCERPTS:
            raise ValueError(f"more than {EXCERPTS} excerpts")
        return DocumentsByTopic(documents, figures["documents"], figures["excerpts"])


def _document(row: dict[str, Any], n_topics: int) -> MixedDocument:
    refuse_other_kinds(row, _ROW)
    topics = topics_with_shares(row, n_topics)
    if len(row["excerpts"]) > 1:
        raise ValueError("a document with two excerpts")
    excerpts = [_excerpt(one, n_topics) for one in row["excerpts"]]
    return MixedDocument(
        row["id"],
        row["words"],
        row["held_out"],
        topics,
        excerpts[0] if excerpts else None,
    )


def _excerpt(row: dict[str, Any], n_topics: int) -> ExcerptRow:
    n = len(row["tokens"])
    refuse_other_topics(row["best"], n_topics)
    if not 0 < n <= EXCERPT_WORDS or any(len(row[part]) != n for part in _PER_WORD):
        raise ValueError("an excerpt with topics of another")
    if row["first"] + n > row["read"]:
        raise ValueError("an excerpt beyond the end of its document")
    return ExcerptRow(
        **{part: row[part] for part in ("first", "read", *_PER_WORD) if part != "nats"},
        bits=[max(-nats / math.log(2.0), 0.0) for nats in row["nats"]],
        along=_along(row, n_topics),
    )


def _along(row: dict[str, Any], n_topics: int) -> SharesAlong:
    size, topics, flat = row["window"], row["window_topics"], row["window_shares"]
    refuse_other_topics(topics, n_topics)
    width = len(topics) + 1
    if width > WINDOW_TOPICS + 1 or not size or len(flat) != width * -(-row["read"] // size):
        raise ValueError("shares along another document")
    rows = [flat[at : at + width] for at in range(0, len(flat), width)]
    if len(rows) > WINDOWS or any(sum(each) > 1.001 for each in rows):
        raise ValueError("shares along another document")
    return SharesAlong(size, topics, rows)
