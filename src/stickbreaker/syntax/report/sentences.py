"""Sentences of some documents as trees, each word in the colour of its topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from stickbreaker.core.json_checks import JsonObject, is_count, is_flag, is_text, is_whole_number, list_of
from stickbreaker.pages.document_rows import DocumentRows, document_name, read_document_rows, whose_documents
from stickbreaker.pages.template_page import Section
from stickbreaker.pages.text_values import one_line, rounded
from stickbreaker.pages.topic_rows import places_of
from stickbreaker.saved.documents_with_topics import LEARNED, are_shares, refuse_other_topics
from stickbreaker.syntax.report.topics import NO_HEAD, colours_of
from stickbreaker.syntax.report_documents import BEYOND, LEAST_WORDS, LIMIT, MOST_WORDS, SENTENCES

if TYPE_CHECKING:
    from stickbreaker.syntax.report.syntax_page import SyntaxReport

_FIELDS = {
    "size": is_count,
    "tokens": list_of(is_text),
    "known": list_of(is_flag),
    "heads": list_of(is_whole_number),
    "topics": list_of(is_count),
    "sure": are_shares,
}


@dataclass(frozen=True, slots=True)
class ParsedSentence:
    """A sentence of `size` words, of which at most the first `MOST_WORDS` are stored here.

    For each of these: whether it is known, the position of its head (-1: a root, -2: after the words stored
    here), its most probable topic and the probability of that (`sure`). `id` is that of the document.
    """

    id: str
    size: int
    tokens: Sequence[str]
    known: Sequence[bool]
    heads: Sequence[int]
    topics: Sequence[int]
    sure: Sequence[float]


class Sentences(Section["SyntaxReport"]):
    anchor, heading, link = "sentences", "Sentences as trees", "Sentences"
    template = "sentences.html.j2"
    styles = ("topic_cards.css", "syntax.css")
    scripts = ("sentence_arcs.js", "sentences_view.js")

    def values(self, report: SyntaxReport) -> JsonObject:
        colours = dict(zip(places_of(report.topics), colours_of(report.topics), strict=True))
        whose = report.document_rows.whose
        none = f"No sentence of the documents{{}} has {LEAST_WORDS} words or more."
        return {
            "sentences": [_coloured(row, colours) for row in report.document_rows.parts],
            "missing": report.document_rows.why_no_parts(none),
            "whose": "the " * (whose == LEARNED) + whose_documents(whose),
        }

    def payload(self, report: SyntaxReport) -> JsonObject:
        places = places_of(report.topics)
        sentences = [_sentence(row, places) for row in report.document_rows.parts]
        return {"sentences": sentences}


def _sentence(row: ParsedSentence, places: dict[int, int]) -> JsonObject:
    return {
        "tokens": [one_line(token) for token in row.tokens],
        "known": [int(known) for known in row.known],
        "heads": list(row.heads),
        "topics": [places.get(k, NO_HEAD) for k in row.topics],
        "sure": [rounded(sure, 3) or 0.0 for sure in row.sure],
    }


def _coloured(row: ParsedSentence, colours: dict[int, str]) -> JsonObject:
    """A sentence as values for the template: its words, each with the colour of its topic.

    The colour is "" for a topic that the report does not show; "more" is the number of words left out.
    """
    return {
        "id": document_name(row.id),
        "more": row.size - len(row.tokens),
        "words": [
            (one_line(token), colours.get(k, "")) for token, k in zip(row.tokens, row.topics, strict=True)
        ],
    }


def read_documents(folder: Path, manifest: JsonObject, n_topics: int) -> DocumentRows:
    """The documents saved in a model's directory for its report, with their sentences.

    Raises UserError for invalid files.
    """

    def sentence(document: JsonObject, row: JsonObject) -> ParsedSentence:
        n = len(row["tokens"])
        refuse_other_topics(row["topics"], n_topics)
        if not 0 < n == min(row["size"], MOST_WORDS) or any(
            len(row[part]) != n for part in _FIELDS if part != "size"
        ):
            raise ValueError("a sentence with topics of another")
        if not all(BEYOND <= head < n and head != place for place, head in enumerate(row["heads"])):
            raise ValueError("heads that are not words of their sentence")
        return ParsedSentence(document["id"], **{part: row[part] for part in _FIELDS})

    return read_document_rows(
        *(folder, manifest, n_topics, "sentences", _FIELDS, sentence),
        most_documents=LIMIT,
        most_parts=SENTENCES,
    )
