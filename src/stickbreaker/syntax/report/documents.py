"""Documents with the shares of their topics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stickbreaker.core.errors import counted
from stickbreaker.pages.page import Section
from stickbreaker.pages.text_values import rounded
from stickbreaker.pages.topic_rows import places_of
from stickbreaker.pages.views import Entry, List

if TYPE_CHECKING:
    from stickbreaker.syntax.report.syntax_page import SyntaxReport

LEAST_PART = 0.002  # of a document, that is drawn
AT_ONCE = 20  # documents


def documents(report: SyntaxReport) -> Section | None:
    rows, total, _ = report.document_rows
    if not rows:
        return None
    text = (
        "The share of each document’s words that topics are expected to have, as one bar, by the last sample."
    )
    if len(rows) < total:
        text += f" Here are {len(rows):,} documents of {total:,}, drawn evenly."
    if any(row.held_out for row in rows):
        text += " Those marked were held out: the model has not learned from them."
    places = places_of(report.topics)
    entries: list[Entry] = []
    for row in rows:
        mix = [(places[k], rounded(share, 3) or 0.0) for k, share in row.topics if k in places]
        shown = [(place, share) for place, share in mix if share >= LEAST_PART]
        badge = "held out" if row.held_out else ""
        entries.append(Entry(row.name, counted(row.words, "word"), shown, badge=badge))
    missing = "No document has this topic among its largest."
    view = List(entries, "topic", AT_ONCE, order=True, missing=missing)
    return Section("documents", "Documents", text, [view])
