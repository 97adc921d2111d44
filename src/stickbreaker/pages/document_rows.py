"""Documents in a report, with their largest topics and what is shown of their text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from stickbreaker.core.json_checks import JsonObject, Kind, is_count, list_of, record_with, refuse_other_kinds
from stickbreaker.core.untrusted import making_sense_of
from stickbreaker.pages.text_values import clean, cut_short
from stickbreaker.saved.documents_with_topics import HELD_OUT, OTHER, ROW, is_whose, topics_with_shares
from stickbreaker.saved.manifest import RESTORE
from stickbreaker.saved.manifest_fields import DOCUMENTS
from stickbreaker.saved.parquet_figures import read_with_figures

T = TypeVar("T")
_LONGEST_ID = 80  # characters


@dataclass(frozen=True, slots=True)
class DocumentRow(Generic[T]):
    """A document in a report.

    words: how many it has; topics: (topic, share of the words), the largest first; parts: sentences or
    excerpts of its text, for some documents only.
    """

    id: str
    words: int
    topics: Sequence[tuple[int, float]]
    held_out: bool = False
    parts: Sequence[T] = ()

    @property
    def name(self) -> str:
        return document_name(self.id)


class DocumentRows(NamedTuple, Generic[T]):
    """The documents saved with a model for its report.

    rows: those that are listed; total: how many there are in all; whose: where those with parts of text come
    from, "held-out", "learned" or "other" documents ("": none).
    """

    rows: Sequence[DocumentRow[T]] = ()
    total: int = 0
    whose: str = ""

    @property
    def parts(self) -> list[T]:
        return [part for row in self.rows for part in row.parts]

    def why_no_parts(self, none: str) -> str:
        """A sentence on why no text of documents is shown, or "" if some is.

        none: the sentence if there are documents but no text of them; its {} becomes " held out" if held-out
        documents would be shown, else "".
        """
        if not self.whose:
            return "This model has no documents: only a run into a directory, such as stickbreaker fit, has."
        return "" if self.parts else none.format(" held out" if self.whose == HELD_OUT else "")


def document_name(id: str) -> str:
    return cut_short(clean(id), _LONGEST_ID)


def whose_documents(whose: str) -> str:
    """A phrase that says which documents are shown. whose: "held-out", "learned" or "other" (given ones)."""
    if whose == HELD_OUT:
        return "held-out documents, which the model has not learned from"
    return f"documents that {'were given for this page' if whose == OTHER else 'the model has learned from'}"


def read_document_rows(
    folder: Path,
    manifest: JsonObject,
    n_topics: int,
    parts: str,
    fields: Mapping[str, Kind],
    part_of: Callable[[JsonObject, JsonObject], T],
    *,
    most_documents: int,
    most_parts: int,
) -> DocumentRows[T]:
    """Read the documents saved in a model's directory for its report; empty `DocumentRows` if none are saved.

    Args:
        parts: the column with the parts of text, such as sentences, that are shown of each document.
        fields: checks of the values in a part, by name.
        part_of: makes a part from its document's row and its own row.
        most_documents, most_parts: limits over all documents together.

    Raises UserError for an invalid file, or one beyond the limits.
    """
    if DOCUMENTS not in manifest["files"]:
        return DocumentRows()
    file, row_fields = folder / DOCUMENTS, {**ROW, parts: list_of(record_with(fields))}
    with making_sense_of(file, RESTORE):
        rows, figures = read_with_figures(file, list(row_fields), most_documents, "documents")
        refuse_other_kinds(figures, {"documents": is_count, parts: is_whose})
        found: list[DocumentRow[T]] = []
        for row in rows:
            refuse_other_kinds(row, row_fields)
            topics = topics_with_shares(row, n_topics)
            own = [part_of(row, one) for one in row[parts]]
            found.append(DocumentRow(row["id"], row["words"], topics, row["held_out"], own))
        documents = DocumentRows(found, figures["documents"], figures[parts])
        if len(documents.parts) > most_parts:
            raise ValueError(f"more than {most_parts} {parts}")
        return documents
