"""The section with a table of the words that a model knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.topk import descending
from stickbreaker.pages.page import Section
from stickbreaker.pages.text_values import rounded
from stickbreaker.pages.views import Column, Table
from stickbreaker.topics.names.named_topics import NamedTopics
from stickbreaker.topics.report_documents import likeliest_topics

if TYPE_CHECKING:
    from stickbreaker.topics.report.topic_page import TopicReport

AT_ONCE = 25  # words
MOST_WORDS = 8000  # of the vocabulary, the most frequent


@dataclass(frozen=True, slots=True)
class WordRow:
    """A word in the report's table of the vocabulary: its numbers of tokens and documents in the collection,
    and the index of the topic that has most of its tokens.

    If words were not counted, as in a stream, both numbers are None, and `share` is the word's share of all
    words according to the model; otherwise `share` is None.
    """

    word: str
    tokens: float | None
    documents: int | None
    topic: int
    language: str = ""
    share: float | None = None


def vocabulary(report: TopicReport) -> Section | None:
    words = report.words
    if not words:
        return None
    counted, total = all(row.documents is not None for row in words), max(report.words_total, len(words))
    text = "The words that the model knows"
    text += f": the {len(words):,} most frequent of {total:,}. " if total > len(words) else ". "
    text += "Stop words, and words too rare or too common to learn from, it never saw."
    if not counted:
        fades = len(report.predictions) > 1 or report.changes is not None
        text += " How often each was used nobody counted; shown is its share of all words by the model"
        text += ", in which what a stream brought long ago may count less." if fades else "."
    by_language = any(row.language for row in words)
    columns = [Column("word", "item", of="word", sorts=True)]
    columns += [Column("language", sorts=True)] if by_language else []
    columns += (
        [Column("times used", "number", sorts=True), Column("documents with it", "number", sorts=True)]
        if counted
        else [Column("share of all words", "number", 4, sorts=True, unit="%")]
    )
    columns.append(Column("topic it mostly belongs to", "item", of="topic"))
    places = {word: place for place, word in enumerate(report.shown_words)}
    rows = [[places[row.word], *_row(row, by_language, counted)] for row in words]
    first = 2 if by_language else 1
    table = Table(
        columns,
        rows,
        (first, True),
        AT_ONCE,
        f"Search {len(words):,} words",
        "No such word here.",
        len(columns) - 1,
    )
    return Section("vocabulary", "Words", text, [table])


def _row(row: WordRow, by_language: bool, counted: bool) -> list[object]:
    language = [row.language] if by_language else []
    numbers = [rounded(row.tokens, 7) or 0, row.documents] if counted else [100.0 * (row.share or 0.0)]
    return [*language, *numbers, row.topic]


def words_of(named: NamedTopics, overall: NDArray[np.floating]) -> list[WordRow]:
    """The rows of the report's table of words: the most frequent words, each with the topic that has most of
    its tokens.

    `overall`: each word's share of all words according to the model, used if words were not counted.
    """
    vocabulary = named.model.vocabulary
    counted = vocabulary.is_counted
    if counted:
        frequent = np.argsort(-vocabulary.tokens, kind="stable")[:MOST_WORDS]
    else:
        frequent = descending(overall, MOST_WORDS)
    best = likeliest_topics(frequent, named.shares, named.words)
    language = {row: code for code, rows in vocabulary.ranges.items() for row in range(rows.start, rows.stop)}
    return [
        WordRow(
            vocabulary.spelled[row],
            float(vocabulary.tokens[row]) if counted else None,
            int(vocabulary.documents[row]) if counted else None,
            int(k),
            language.get(row, ""),
            None if counted else float(overall[row]),
        )
        for row, k in zip(frequent.tolist(), best.tolist(), strict=True)
    ]
