"""The sections of the page with the documents, and with the map of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stickbreaker.core.json_checks import JsonObject
from stickbreaker.corpus.document import Scalar
from stickbreaker.pages.text_values import clean, cut_short, rounded
from stickbreaker.topics.report.document_entries import DocumentEntry
from stickbreaker.topics.report.hierarchy import relations_payload
from stickbreaker.topics.report.packed import MOST_PAIR, base36_pairs, size_of
from stickbreaker.topics.report.topic_section import TopicSection
from stickbreaker.topics.report.topics import spread_payload, topics_payload

if TYPE_CHECKING:
    from stickbreaker.topics.report.topic_page import TopicReport

_LONGEST_VALUE = 80  # characters of a metadata value
_MOST_FIELDS = 16  # of a document's metadata
_LONGEST_TITLE = 120
_MOST_METADATA = 600_000  # bytes of all documents' metadata
_LEAST_SHARE = 0.01  # of a document: smaller ones cannot be seen
_MOST_BYTES = 1_900_000  # of all documents except their mixes and changes, so that a page stays below 3 MB
_FEW_TOPICS = 400_000  # bytes for topics and their relations, for which there is always room


class DocumentMap(TopicSection):
    anchor, heading = "document-map", "Map of documents"
    template = "document_map.html.j2"

    def shown(self, report: TopicReport) -> bool:
        return any(place is not None for place in report.document_places)

    def values(self, report: TopicReport) -> dict[str, object]:
        return {
            "n_places": sum(place is not None for place in report.document_places),
            "n_documents": len(report.documents),
            "documents_total": max(report.documents_total, len(report.documents)),
        }

    def payload(self, report: TopicReport) -> dict[str, object]:
        if len(report.document_places) != len(report.documents):
            raise ValueError(f"{len(report.document_places)} places for {len(report.documents)} documents")
        return {"documentPlaces": places_payload(report.document_places)}


class Documents(TopicSection):
    anchor, heading = "documents", "Documents"
    needs = ("documents",)
    template = "documents.html.j2"

    def values(self, report: TopicReport) -> dict[str, object]:
        return {
            "n_topics": len(report.topics),
            "n_documents": len(report.documents),
            "documents_total": max(report.documents_total, len(report.documents)),
        }

    def payload(self, report: TopicReport) -> dict[str, object]:
        """The documents as JSON values; their texts are cut so that the page does not become too large."""
        changes = report.changes.payload() if report.changes else None
        relations = relations_payload(report.relations) if report.relations else None
        taken = size_of([changes, spread_payload(report.spread, len(report.topics))])
        taken += max(0, size_of([topics_payload(report), relations]) - _FEW_TOPICS)
        return {
            "documents": documents_payload(report.documents, len(report.topics), _MOST_BYTES - taken),
            "total": max(report.documents_total, len(report.documents)),
        }


def documents_payload(documents: Sequence[DocumentEntry], n_topics: int, most: int) -> list[JsonObject]:
    """All documents as JSON values for the page, cut to fit.

    If they need more than `most` bytes, all texts are cut to the same fraction of their length; if their
    metadata are too large, only the first fields of each document remain. Shares below 1 % are left out.
    """
    entries = [_document(document, n_topics) for document in documents]
    metadata = sum(size_of(d["metadata"]) for d in entries)
    n_fields = int(_MOST_FIELDS * min(_MOST_METADATA / max(metadata, 1), 1.0))  # the first of them
    for entry in entries:
        entry["metadata"] = entry["metadata"][:n_fields]
    fixed = sum(size_of([d["id"], d["title"], d["metadata"]]) for d in entries)
    texts = sum(size_of(d["text"]) for d in entries) + 6 * sum(len(d.marks) for d in documents)
    part = min(max(most - fixed, 0) / max(texts, 1), 1.0)
    for entry, document in zip(entries, documents, strict=True):
        room = int(part * len(document.text))
        entry["text"] = cut_short(entry["text"], room)
        entry["marks"] = base36_pairs(number for mark in _marks(document, n_topics, room) for number in mark)
    return entries


def places_payload(places: Sequence[tuple[float, float] | None]) -> str:
    """Positions on a map as one compact text: per document four digits of base 36, two for x and two for y.

    Coordinates from -1 to 1 become numbers from 0 to 1294. "zzzz" stands for a missing position; the text is
    empty if all are missing.
    """
    if not any(places):
        return ""
    none = (MOST_PAIR, MOST_PAIR)
    top = MOST_PAIR - 1
    numbers = ([round(top * min(max(v / 2 + 0.5, 0), 1)) for v in one] if one else none for one in places)
    return base36_pairs(number for both in numbers for number in both)


def _document(document: DocumentEntry, n_topics: int) -> JsonObject:
    mix = [(k, rounded(share, 3) or 0) for k, share in document.mix if 0 <= k < n_topics]
    fields = list(document.metadata.items())[:_MOST_FIELDS]
    return {
        "id": cut_short(clean(document.id), _LONGEST_TITLE),
        "title": cut_short(clean(document.title), _LONGEST_TITLE),
        "text": clean(document.text).rstrip(),
        "mix": [[int(k), share] for k, share in mix if share >= _LEAST_SHARE],
        "marks": "",
        "tokens": int(document.n_tokens),
        "metadata": [[_value(name), _value(_listed(value))] for name, value in fields],
    }


def _marks(document: DocumentEntry, n_topics: int, room: int) -> list[tuple[int, int, int]]:
    """The coloured words of a document's snippet, in the page's compact form: (characters since the end of
    the word before, length, topic).

    Only words within the first `room` characters are included, and none that overlap or are too large for the
    form.
    """
    marks, end = [], 0
    room -= room < len(document.text)  # the last character is an ellipsis then
    for start, length, k in document.marks:
        inside = start >= end and length > 0 and start + length <= room
        fits = start - end <= MOST_PAIR and length <= MOST_PAIR and k <= MOST_PAIR
        if inside and fits and 0 <= k < n_topics:
            marks.append((start - end, length, k))
            end = start + length
    return marks


def _value(value: Scalar) -> str:
    return cut_short(clean(value), _LONGEST_VALUE)


def _listed(value: Scalar) -> Scalar:
    """A metadata value to be shown: the items of a list are joined by commas, other values stay as they
    are.
    """
    return ", ".join(value) if isinstance(value, list) else value
