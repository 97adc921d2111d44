"""Documents with the shares of their topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stickbreaker.pages.template_page import Section
from stickbreaker.pages.text_values import rounded
from stickbreaker.pages.topic_rows import places_of

if TYPE_CHECKING:
    from stickbreaker.pages.document_rows import DocumentRow
    from stickbreaker.syntax.report.syntax_page import SyntaxReport

LEAST_PART = 0.002  # of a document, that is drawn


class Documents(Section["SyntaxReport"]):
    anchor, heading = "documents", "Documents"
    template = "documents.html.j2"
    styles = ("topic_cards.css", "syntax.css")
    scripts = ("documents.js", "documents_view.js")

    def shown(self, report: SyntaxReport) -> bool:
        return bool(report.document_rows.rows)

    def values(self, report: SyntaxReport) -> dict[str, object]:
        rows, total, _ = report.document_rows
        return {"n_shown": len(rows), "n_documents": total, "any_held_out": any(row.held_out for row in rows)}

    def payload(self, report: SyntaxReport) -> dict[str, object]:
        places = places_of(report.topics)
        documents = [_document(row, places) for row in report.document_rows.rows]
        return {"documents": documents}


def _document(row: DocumentRow[Sequence[object]], places: dict[int, int]) -> list[object]:
    """A document as a row for the page's script: [id, number of words, 1 if held out or 0, topics].

    `topics` is flat: the position of a topic in the report, its share, and so on; shares below `LEAST_PART`
    are left out.
    """
    mix = [(places[k], rounded(share, 3) or 0.0) for k, share in row.topics if k in places]
    flat = [value for place, share in mix if share >= LEAST_PART for value in (place, share)]
    return [row.name, row.words, int(row.held_out), flat]
