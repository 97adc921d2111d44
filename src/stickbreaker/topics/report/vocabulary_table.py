"""The section with a table of the words that a model knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.topk import descending
from stickbreaker.pages.text_values import clean, rounded
from stickbreaker.topics.names.named_topics import NamedTopics
from stickbreaker.topics.report.topic_section import TopicSection
from stickbreaker.topics.report_documents import likeliest_topics

if TYPE_CHECKING:
    from stickbreaker.topics.report.topic_page import TopicReport

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


class Vocabulary(TopicSection):
    anchor, heading = "vocabulary", "Words"
    needs = ("words",)
    template = "vocabulary.html.j2"

    def values(self, report: TopicReport) -> dict[str, object]:
        return {
            "n_topics": len(report.topics),
            "n_words": len(report.words),
            "words_total": max(report.words_total, len(report.words)),
            "words_counted": all(row.documents is not None for row in report.words),
            "fades": len(report.predictions) > 1 or report.changes is not None,
        }

    def payload(self, report: TopicReport) -> dict[str, object]:
        counted = [row for row in report.words if row.tokens is not None and row.documents is not None]
        tokens = [rounded(row.tokens, 7) or 0 for row in counted]
        by_language = any(row.language for row in report.words)
        by_share = len(counted) < len(report.words)
        columns: dict[str, Sequence[object]] = {
            "word": [clean(row.word) for row in report.words],
            "tokens": [int(n) if n == int(n) else n for n in tokens],
            "documents": [int(row.documents or 0) for row in counted],
            "share": [rounded(row.share, 4) or 0 for row in report.words] if by_share else [],
            "topic": [int(row.topic) for row in report.words],
            "language": [clean(row.language) for row in report.words] if by_language else [],
        }
        return {"words": columns}


def words_of(named: NamedTopics, overall: NDArray[np.floating]) -> list[WordRow]:
    """The rows of the report's table of words: the most frequent words, each with the topic that has most of
    its tokens.

    `overall`: each word's share of all words according to the model, used if words were not counted.
    """
    vocabulary = named.model.vocabulary_
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
