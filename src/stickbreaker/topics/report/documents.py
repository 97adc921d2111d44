"""The sections of the page with the documents, and with the map of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stickbreaker.corpus.document import Scalar
from stickbreaker.pages.packed import MOST_PAIR, base36_pairs, size_of
from stickbreaker.pages.page import Choice, Section
from stickbreaker.pages.text_values import clean, cut_short, rounded
from stickbreaker.pages.views import Documents, Dots, Row, ShownDocument, Styled, Text
from stickbreaker.pages.views.payload import as_json
from stickbreaker.topics.report.document_entries import DocumentEntry
from stickbreaker.topics.report.topics import leading_words_of

if TYPE_CHECKING:
    from stickbreaker.topics.report.topic_page import TopicReport

AT_ONCE = 25  # documents
_WORD_BYTES = 18  # of a word of a topic, with its probabilities
_TOPIC_BYTES = 700  # of a topic, without its words
_TIME_BYTES = 20  # of a topic at a time
_LONGEST_VALUE = 80  # characters of a metadata value
_MOST_FIELDS = 16  # of a document's metadata
_LONGEST_TITLE = 120
_MOST_METADATA = 600_000  # bytes of all documents' metadata
_LEAST_SHARE = 0.01  # of a document: smaller ones cannot be seen
_MOST_BYTES = 1_900_000  # of all documents except their mixes and changes, so that a page stays below 3 MB
_FEW_TOPICS = 400_000  # bytes for topics and their relations, for which there is always room


def document_map(report: TopicReport) -> Section | None:
    places = report.document_places
    if not any(place is not None for place in places):
        return None
    if len(places) != len(report.documents):
        raise ValueError(f"{len(places)} places for {len(report.documents)} documents")
    n, total = sum(place is not None for place in places), _total(report)
    text = (
        "Each dot is a document, in the colour of the topic that has most of it. Near dots have similar "
        "mixes of topics; directions have no meaning, and gaps between groups have no scale."
    )
    if n < total:
        without = "; those without words have no dot" if n < len(report.documents) else ""
        text += f" Shown {'is' if n == 1 else 'are'} {n:,} of {total:,} documents{without}."
    keys = (
        " Once the map has the focus, the arrow keys lead from dot to dot; Enter opens a document, Escape "
        "closes it."
    )
    help: Text = ["Point at a dot to see its document, choose it to read on.", Styled(keys, "keys")]
    packed, name = packed_places(places), "Map of documents"
    dots = Dots(of="document", by="topic", places=packed, name=name, figure="document-map")
    card = Documents(of="topic", documents="document", pointed=True, help=help, **leading_words_of(report))
    return Section(
        "document-map", name, text, [Row([dots, card], panel=True, widths="minmax(0, 1fr) 23.5rem")]
    )


def documents(report: TopicReport) -> Section | None:
    n, total = len(report.documents), _total(report)
    if not n:
        return None
    text = (
        "A document usually mixes a few topics. The coloured bar shows its mix: the length of a colour is "
        "the share of the document’s words that belong to that topic."
    )
    if total > n:
        text += f" Shown here {'is' if n == 1 else 'are'} {n:,} of {total:,} documents."
    view = Documents(
        of="topic" if report.topics else "",
        documents="document",
        page=AT_ONCE,
        find=f"Search {n:,} documents",
        missing="No document has all of these words. Try fewer, or only the beginning of a word.",
        **leading_words_of(report),
    )
    return Section("documents", "Documents", text, [view])


def _total(report: TopicReport) -> int:
    return max(report.documents_total, len(report.documents))


def documents_choice(report: TopicReport) -> Choice:
    """The documents as what views are about; texts are cut so that the page does not become too large."""
    changes = report.changes.payload() if report.changes else None
    taken = size_of([changes, *as_json([report.words_choice.labels, report.words_choice.mixes])])
    n_topics, n_times = len(report.topics), len(report.times.names) if report.times else 0
    words = _WORD_BYTES * sum(len(topic.words) for topic in report.topics)
    pairs = len(report.relations.order) ** 2 if report.relations else 0
    taken += max(0, words + pairs + (_TOPIC_BYTES + _TIME_BYTES * n_times) * n_topics - _FEW_TOPICS)
    return Choice(documents=shown_documents(report.documents, len(report.topics), _MOST_BYTES - taken))


def shown_documents(documents: Sequence[DocumentEntry], n_topics: int, most: int) -> list[ShownDocument]:
    """All documents as the page shows them, cut to fit.

    If they need more than `most` bytes, all texts are cut to the same fraction of their length; if their
    metadata are too large, only the first fields of each document remain. Shares below 1 % are left out.
    """
    entries = [_document(document, n_topics) for document in documents]
    metadata = sum(size_of(one.facts) for one in entries)
    n_fields = int(_MOST_FIELDS * min(_MOST_METADATA / max(metadata, 1), 1.0))  # the first of them
    entries = [one._replace(facts=one.facts[:n_fields]) for one in entries]
    fixed = sum(size_of([one.id, one.title, one.facts]) for one in entries)
    texts = sum(size_of(one.text) for one in entries) + 6 * sum(len(one.marks) for one in documents)
    part = min(max(most - fixed, 0) / max(texts, 1), 1.0)
    found: list[ShownDocument] = []
    for entry, document in zip(entries, documents, strict=True):
        room = int(part * len(document.text))
        marks = base36_pairs(number for mark in _marks(document, n_topics, room) for number in mark)
        found.append(entry._replace(text=cut_short(entry.text, room), marks=marks))
    return found


def packed_places(places: Sequence[tuple[float, float] | None]) -> str:
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


def _document(document: DocumentEntry, n_topics: int) -> ShownDocument:
    shares = [(int(k), rounded(share, 3) or 0) for k, share in document.mix if 0 <= k < n_topics]
    return ShownDocument(
        cut_short(clean(document.id), _LONGEST_TITLE),
        cut_short(clean(document.title or document.id), _LONGEST_TITLE),
        int(document.n_tokens),
        clean(document.text).rstrip(),
        [(k, share) for k, share in shares if share >= _LEAST_SHARE],
        facts=[
            (_value(name), _value(_listed(value)))
            for name, value in list(document.metadata.items())[:_MOST_FIELDS]
        ],
    )


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
