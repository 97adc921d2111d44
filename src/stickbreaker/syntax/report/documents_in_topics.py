"""What a saved syntactic topic model has of documents and sentences for its report."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from stickbreaker.core.json_checks import (
    is_count,
    is_flag,
    is_text,
    is_whole_number,
    list_of,
    record_with,
    refuse_other_kinds,
)
from stickbreaker.core.untrusted import making_sense_of
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
from stickbreaker.syntax.report.syntax_page_data import DocumentRow, ParsedSentence
from stickbreaker.syntax.report_documents import (
    BEYOND,
    COLUMNS,
    LIMIT,
    MOST_WORDS,
    SENTENCES,
)

_SENTENCE = {
    "size": is_count,
    "tokens": list_of(is_text),
    "known": list_of(is_flag),
    "heads": list_of(is_whole_number),
    "topics": list_of(is_count),
    "sure": are_shares,
}
_ROW = {**ROW, "sentences": list_of(record_with(_SENTENCE))}


class DocumentsInTopics(NamedTuple):
    """The documents and sentences of a model's directory; of how many documents there were, and which
    documents the sentences are of: "held-out", "learned" or "other" ones."""

    documents: list[DocumentRow]
    sentences: list[ParsedSentence]
    total: int
    whose: str


def read_documents(folder: Path, manifest: dict[str, Any], n_topics: int) -> DocumentsInTopics | None:
    """What a model's directory has of documents; None for a model that has nothing of them.

    Raises UserError for a file that does not hold them.
    """
    if DOCUMENTS not in manifest["files"]:
        return None
    file = folder / DOCUMENTS
    with making_sense_of(file, RESTORE):
        rows, figures = read_with_figures(file, COLUMNS, LIMIT, "documents")
        refuse_other_kinds(figures, {"documents": is_count, "sentences": is_whose})
        documents = [_document(row, n_topics) for row in rows]
        sentences = [_sentence(row["id"], one, n_topics) for row in rows for one in row["sentences"]]
        if len(sentences) > SENTENCES:
            raise ValueError(f"more than {SENTENCES} sentences")
        return DocumentsInTopics(documents, sentences, figures["documents"], figures["sentences"])


def _document(row: dict[str, Any], n_topics: int) -> DocumentRow:
    refuse_other_kinds(row, _ROW)
    return DocumentRow(row["id"], row["words"], topics_with_shares(row, n_topics), row["held_out"])


def _sentence(name: str, row: dict[str, Any], n_topics: int) -> ParsedSentence:
    n = len(row["tokens"])
    refuse_other_topics(row["topics"], n_topics)
    if not 0 < n == min(row["size"], MOST_WORDS) or any(
        len(row[part]) != n for part in _SENTENCE if part != "size"
    ):
        raise ValueError("a sentence with topics of another")
    if not all(BEYOND <= head < n and head != place for place, head in enumerate(row["heads"])):
        raise ValueError("heads that are no words of their sentence")
    return ParsedSentence(name, **{part: row[part] for part in _SENTENCE})
