"""Sentences of some documents as trees, each word in the colour of its topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from stickbreaker.core.errors import counted
from stickbreaker.core.json_checks import JsonObject, is_count, is_flag, is_text, is_whole_number, list_of
from stickbreaker.pages.document_rows import DocumentRows, document_name, read_document_rows, whose_documents
from stickbreaker.pages.page import Section
from stickbreaker.pages.text_values import one_line, rounded
from stickbreaker.pages.topic_rows import places_of
from stickbreaker.pages.views import Entry, List, Note, Styled, Text, View
from stickbreaker.saved.documents_with_topics import LEARNED, are_shares, refuse_other_topics
from stickbreaker.syntax.report.topics import NO_HEAD, colours_of
from stickbreaker.syntax.report_documents import BEYOND, LEAST_WORDS, LIMIT, MOST_WORDS, SENTENCES

if TYPE_CHECKING:
    from stickbreaker.syntax.report.syntax_page import SyntaxReport

FIGURES = 3  # sentences
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


@dataclass(frozen=True, slots=True)
class SentenceArcs(View):
    """A sentence as a tree: its words in a row, each on the colour of its topic (a place in the choice `of`,
    or -1), and an arc from each head (-1: none, -2: after these words) to each word."""

    of: str
    tokens: Sequence[str]
    known: Sequence[bool]
    heads: Sequence[int]
    topics: Sequence[int]
    sure: Sequence[float]


def sentences(report: SyntaxReport) -> Section:
    rows, title = report.document_rows, "Sentences as trees"
    missing = rows.why_no_parts(f"No sentence of the documents{{}} has {LEAST_WORDS} words or more.")
    if missing:
        return Section("sentences", title, missing, link="Sentences")
    whose = "the " * (rows.whose == LEARNED) + whose_documents(rows.whose)
    text = (
        f"Sentences of {whose}, drawn evenly; each word in the colour of its most probable topic, by the "
        "last sample. Open one to see its tree: an arc leads from a word’s head to the word. Point at a "
        "word, or go to it with Tab, ← and →, to see its topic. A dotted line is under a word that is not "
        "known, whose topic comes from the words around it."
    )
    places, colours = places_of(report.topics), colours_of(report.topics)
    arcs = [_arcs(row, places) for row in rows.parts]
    entries = [_entry(row, one, colours) for row, one in zip(rows.parts, arcs, strict=True)]
    figures = [replace(one, figure=f"tree-{n}") for n, one in enumerate(arcs[:FIGURES], 1)]
    return Section("sentences", title, text, [List(entries, open=1)], link="Sentences", figures=figures)


def _arcs(row: ParsedSentence, places: dict[int, int]) -> SentenceArcs:
    tokens, sure = [one_line(token) for token in row.tokens], [rounded(each, 3) or 0.0 for each in row.sure]
    topics = [places.get(k, NO_HEAD) for k in row.topics]
    return SentenceArcs("topic", tokens, row.known, row.heads, topics, sure)


def _entry(row: ParsedSentence, arcs: SentenceArcs, colours: Sequence[str]) -> Entry:
    words: list[Text] = [
        Styled(token, "lined", colour=colours[k] if k >= 0 else "")
        for token, k in zip(arcs.tokens, arcs.topics, strict=True)
    ]
    spaced: list[Text] = [part for word in words for part in (" ", word)][1:]
    more = row.size - len(row.tokens)
    rest = f" … {counted(more, 'more word')}" if more > 0 else ""
    return Entry(Styled(spaced, "sentence"), rest, views=[arcs, Note(document_name(row.id), muted=True)])


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
