"""Words of documents in the colours of their topics, and the shares of topics along each document."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from stickbreaker.core.errors import counted
from stickbreaker.core.json_checks import JsonObject, is_count, is_flag, is_number, is_text, list_of
from stickbreaker.ngrams.report.sentences import looks_of
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
from stickbreaker.pages.page import Section
from stickbreaker.pages.shades import legend, level_of
from stickbreaker.pages.text_values import one_line, percent
from stickbreaker.pages.topic_rows import places_of
from stickbreaker.pages.views import Each, Entry, Flow, Item, Line, List, MarkedText, Note, Text, Token, View
from stickbreaker.saved.documents_with_topics import are_shares, refuse_other_topics

if TYPE_CHECKING:
    from stickbreaker.ngrams.report.topic_language_page import TopicLanguageReport
    from stickbreaker.pages.document_rows import DocumentRow

# least probabilities that a word is not common, one for each shade
LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
COLOURED = 0.5  # the least such probability of a word in the colour of its topic
LEAST_VISIBLE = 0.005  # share of a document that a topic needs to be named next to its strip
FIRST = 3  # topics of a document in its line
FIGURES, OPEN = 3, 2  # documents
COMMON = (  # what the text says where a topic is common to all documents
    " among the words that are not common",
    "; what is empty at the top is of the common topic",
    "The darker a word, the more probably it is not of the common topic; a line under it has the colour of "
    "its most probable topic, if it is more probably of a topic than common.",
)
NOT_COMMON = ("", "", "Every word is of a topic of its document: it has the colour of the most probable one.")
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


def documents(report: TopicLanguageReport) -> Section:
    rows, title = report.document_rows, "Words in documents"
    missing = rows.why_no_parts(f"No document{{}} has {LEAST_WORDS} words or more.")
    if missing:
        return Section("documents", title, missing)
    whose = whose_documents(rows.whose)
    whose = whose[0].upper() + whose[1:]
    among, empty, colours = COMMON if report.common else NOT_COMMON
    text = Markup(
        "{}, drawn evenly, with the shares of their largest topics{}. The strip shows the shares of topics "
        "along a document{}. Below it is an excerpt, from where the strip is underlined. {} Point at a "
        "word, or go to the text with Tab and along it with ← and →, to see its topic, and how surprising "
        "the word is given all that comes before it: −log<sub>2</sub> of its probability, in bits."
    ).format(whose, among, empty, colours)
    labels = {topic.number: topic.label for topic in report.topics}
    entries = [_entry(row, report, labels) for row in rows.rows if row.parts]
    figures = [
        replace(strip, title="Topics along a document", figure=f"topics-along-{number}")
        for number, strip in enumerate((_strip(part, report) for part in rows.parts[:FIGURES]), 1)
    ]
    return Section("documents", title, text, [List(entries, "topic", open=OPEN)], figures=figures)


def _entry(row: DocumentRow[ExcerptRow], report: TopicLanguageReport, labels: Mapping[int, str]) -> Entry:
    (excerpt,) = row.parts
    n, places, along = len(excerpt.tokens), places_of(report.topics), _visible(excerpt.along)
    colours = dict(zip(labels, distinct_colours(len(labels)), strict=True))
    named: list[Text] = [Item("topic", places[k], plain=True) for k in along if k in labels]
    named += ["other topics (grey)"] * (len(labels) > len(named)) + [
        "the common topic (empty)"
    ] * report.common
    levels = legend(
        [100.0 * level for level in LEVELS], "under {:.0f}%", "{:.0f} to {:.0f}%", "{:.0f}% and more"
    )
    words = Line(
        [_token(excerpt, i, report, labels, colours) for i in range(n)],
        starts_late=excerpt.first > 0,
        stops_early=excerpt.first + n < excerpt.read,
    )
    text = MarkedText(
        [words],
        levels if report.common else (),
        looks_of(report.spelled),
        "Show the bits of every word",
        reads=True,
        filled=not report.common,
    )
    mix = [(places[k], share) for k, share in row.topics[:FIRST] if k in places]
    badge = "held out" if row.held_out else ""
    views: list[View] = [_strip(excerpt, report), Note(Each(named), muted=True), text]
    return Entry(row.name, counted(row.words, "word"), mix, views, badge=badge)


def _token(
    row: ExcerptRow,
    i: int,
    report: TopicLanguageReport,
    labels: Mapping[int, str],
    colours: Mapping[int, str],
) -> Token:
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
    style = "e" if row.ends[i] else "" if row.known[i] else "u"
    return Token(END if row.ends[i] else one_line(row.tokens[i]), level, f"{bits:.1f}", note, style, colour)


def _strip(row: ExcerptRow, report: TopicLanguageReport) -> Flow:
    """The shares of topics along a document, and which part the excerpt covers."""
    along, places = row.along, places_of(report.topics)
    shares = [
        [*own, max(1.0 - sum(own) - common, 0.0), *([common] if report.common else [])]
        for *own, common in along.shares
    ]
    edges = [min(place * along.size, row.read) for place in range(len(shares) + 1)]
    shown = [*(places.get(k, -1) for k in along.topics), -1, *([-2] if report.common else [])]
    part = (row.first, row.first + len(row.tokens))
    return Flow("topic", shown, shares, edges, part, ("other topics", "the common topic"))


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
