"""Words of documents in the colours of their topics, and the shares of topics along each document."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from stickbreaker.core.json_checks import JsonObject, is_count, is_flag, is_number, is_text, list_of
from stickbreaker.ngrams.report_documents import (
    EXCERPT_WORDS,
    EXCERPTS,
    LEAST_WORDS,
    LIMIT,
    WINDOW_TOPICS,
    WINDOWS,
)
from stickbreaker.ngrams.word_numbers import END, UNKNOWN
from stickbreaker.pages.colour import distinct_colours
from stickbreaker.pages.document_rows import DocumentRows, read_document_rows, whose_documents
from stickbreaker.pages.shades import legend, level_of, shaded_word
from stickbreaker.pages.template_page import Section
from stickbreaker.pages.text_values import one_line, percent, rounded
from stickbreaker.pages.topic_rows import places_of
from stickbreaker.saved.documents_with_topics import are_shares, refuse_other_topics

if TYPE_CHECKING:
    from stickbreaker.ngrams.report.topic_language_page import TopicLanguageReport
    from stickbreaker.pages.document_rows import DocumentRow

# least probabilities that a word is not common, one for each shade
LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
COLOURED = 0.5  # the least such probability of a word in the colour of its topic
LEAST_VISIBLE = 0.005  # share of a document that a topic needs to be named next to its strip
FIRST = 3  # topics of a document in its line
_PER_WORD = ("tokens", "known", "ends", "nats", "best", "sure", "specific")
_FIELDS = {
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


@dataclass(frozen=True, slots=True)
class SharesAlong:
    """The shares of topics along a document, in consecutive windows of `size` words and ends (the last may be
    shorter).

    `shares` (windows × topics + 1): of `topics`, and at the end of each row that of the common topic; the
    rest to one belongs to other topics.
    """

    size: int
    topics: Sequence[int]
    shares: Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class ExcerptRow:
    """An excerpt from a document, consecutive sentences, with an item for each word and end in each list.

    `first`: the position of its first word among the `read` words and ends that the model read; `bits`: -log2
    p; `best`: the most probable topic that is not the common one, `sure` its probability; `specific`: the
    probability of a topic that is not the common one; `along`: topic shares along all that was read.
    """

    first: int
    read: int
    tokens: Sequence[str]
    known: Sequence[bool]
    ends: Sequence[bool]
    bits: Sequence[float]
    best: Sequence[int]
    sure: Sequence[float]
    specific: Sequence[float]
    along: SharesAlong


class Documents(Section["TopicLanguageReport"]):
    anchor, heading = "documents", "Words in documents"
    template = "documents.html.j2"
    styles = ("topic_cards.css", "sentences.css", "topic_language.css")
    scripts = ("length_charts.js", "topic_strip.js", "documents_view.js")

    def values(self, report: TopicLanguageReport) -> JsonObject:
        labels = {topic.number: topic.label for topic in report.topics}
        colours = dict(zip(labels, distinct_colours(len(labels)), strict=True))
        documents = report.document_rows
        whose = whose_documents(documents.whose)
        scaled = [100.0 * level for level in LEVELS]
        return {
            "excerpts": [_shown(row, report, labels, colours) for row in documents.rows if row.parts],
            "missing": documents.why_no_parts(f"No document{{}} has {LEAST_WORDS} words or more."),
            "whose": whose[0].upper() + whose[1:],
            "common": report.common,
            "spelled": report.spelled,
            "levels": legend(scaled, "under {:.0f}%", "{:.0f} to {:.0f}%", "{:.0f}% and more"),
            "end": END,
            "unknown": UNKNOWN,
        }

    def payload(self, report: TopicLanguageReport) -> JsonObject:
        places = places_of(report.topics)
        return {"strips": [_strip(excerpt, places) for excerpt in report.document_rows.parts]}


def _shown(
    row: DocumentRow[ExcerptRow],
    report: TopicLanguageReport,
    labels: Mapping[int, str],
    colours: Mapping[int, str],
) -> JsonObject:
    """A document with its excerpt, as the values that the page's template takes."""
    (excerpt,) = row.parts
    n, along = len(excerpt.tokens), [k for k in _visible(excerpt.along) if k in labels]
    return {
        "id": row.name,
        "words": row.words,
        "held_out": row.held_out,
        "first": [(k, colours[k], percent(share)) for k, share in row.topics[:FIRST] if k in labels],
        "legend": [(colours[k], labels[k]) for k in along],
        "others": len(labels) > len(along),
        "shaded": [_word(excerpt, i, report, labels, colours) for i in range(n)],
        "starts_late": excerpt.first > 0,
        "stops_early": excerpt.first + n < excerpt.read,
    }


def _word(
    row: ExcerptRow,
    i: int,
    report: TopicLanguageReport,
    labels: Mapping[int, str],
    colours: Mapping[int, str],
) -> JsonObject:
    k, specific, bits = row.best[i], row.specific[i], row.bits[i]
    parts = [f"{labels.get(k, f'topic {k}, which is hardly used')} ({percent(row.sure[i])})"]
    if report.common:
        parts = [f"{percent(specific)} not common", f"of topics most probably {parts[0]}"]
    if row.ends[i]:
        parts.insert(0, "the end of the sentence")
    elif not row.known[i]:
        parts.insert(0, f"not known, {'by its letters' if report.spelled else UNKNOWN}")
    note = "; ".join([*parts, f"{bits:.1f} bits"])
    level = level_of(specific, LEVELS) if report.common else 0
    colour = colours.get(k, "") if specific >= COLOURED else ""
    token = END if row.ends[i] else one_line(row.tokens[i])
    return shaded_word(token, level, bits, note, known=row.known[i], end=row.ends[i], colour=colour)


def _strip(row: ExcerptRow, places: Mapping[int, int]) -> JsonObject:
    """The chart of a document, as JSON values: the shares of topics along it, and which part the excerpt
    covers.

    places: each topic's position on the page; -1 is drawn for others.
    """
    along = row.along
    return {
        "size": along.size,
        "read": row.read,
        "excerpt": [row.first, row.first + len(row.tokens)],
        "topics": [places.get(k, -1) for k in along.topics],
        "shares": [[rounded(share, 3) or 0.0 for share in shares] for shares in along.shares],
    }


def _visible(along: SharesAlong) -> list[int]:
    """The topics along a document whose mean share is at least `LEAST_VISIBLE`, so that they can be seen."""
    n = max(len(along.shares), 1)
    means = [sum(row[place] for row in along.shares) / n for place in range(len(along.topics))]
    return [k for k, mean in zip(along.topics, means, strict=True) if mean >= LEAST_VISIBLE]


def read_documents(folder: Path, manifest: JsonObject, n_topics: int) -> DocumentRows:
    """Read the documents that were saved in a model's directory for its report, and their excerpts; none if
    there is no such file. Raises UserError for an invalid file."""

    def excerpt(document: JsonObject, row: JsonObject) -> ExcerptRow:
        if len(document["excerpts"]) > 1:
            raise ValueError("a document with two excerpts")
        return _excerpt(row, n_topics)

    return read_document_rows(
        *(folder, manifest, n_topics, "excerpts", _FIELDS, excerpt), most_documents=LIMIT, most_parts=EXCERPTS
    )


def _excerpt(row: JsonObject, n_topics: int) -> ExcerptRow:
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


def _along(row: JsonObject, n_topics: int) -> SharesAlong:
    size, topics, flat = row["window"], row["window_topics"], row["window_shares"]
    refuse_other_topics(topics, n_topics)
    width = len(topics) + 1
    if width > WINDOW_TOPICS + 1 or not size or len(flat) != width * -(-row["read"] // size):
        raise ValueError("shares along another document")
    rows = [flat[at : at + width] for at in range(0, len(flat), width)]
    if len(rows) > WINDOWS or any(sum(each) > 1.001 for each in rows):
        raise ValueError("shares along another document")
    return SharesAlong(size, topics, rows)
