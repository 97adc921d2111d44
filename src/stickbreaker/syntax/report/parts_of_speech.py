"""The section on parts of speech: how many words each has, and which topics these words have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from stickbreaker.core.topk import descending
from stickbreaker.pages.page import Section
from stickbreaker.pages.text_values import one_line
from stickbreaker.pages.topic_rows import places_of
from stickbreaker.pages.views import Column, Each, Item, Table, Text, number
from stickbreaker.syntax.report.topics import LEAST_SHARE, NEIGHBOURS, percent

if TYPE_CHECKING:
    from stickbreaker.syntax.learned import SyntaxLearned
    from stickbreaker.syntax.report.syntax_page import SyntaxReport


class PartOfSpeech(NamedTuple):
    """A part of speech: its share of all words, and (topic, share of its words), the largest first."""

    tag: str
    share: float
    topics: Sequence[tuple[int, float]]


def parts_of_speech(report: SyntaxReport) -> Section | None:
    if len(report.parts) < 2:
        return None
    text = (
        "How many of the words each part of speech has, and which topics these words have, the largest "
        "first. A part of speech with one topic has no subjects of its own; one with several is divided by "
        "them."
    )
    places = places_of(report.topics)
    rows: list[list[object]] = []
    for tag, share, topics in report.parts:
        shown: list[Text] = [
            [Item("topic", places[k]), " ", number(percent(part))] for k, part in topics if k in places
        ]
        cells: list[object] = [one_line(tag), share, Each(shown)]
        rows.append(cells)
    columns = [
        Column("part of speech"),
        Column("share of words", "share", meter=True),
        Column("topics", wide=65),
    ]
    return Section("parts", "Parts of speech", text, [Table(columns, rows, stacks=True)])


def parts_of(learned: SyntaxLearned) -> list[PartOfSpeech]:
    """All parts of speech that words have, those with most words first."""
    joint = learned.samples.topic_shares[:, None] * learned.samples.topic_tags  # (topics, tags)
    totals = joint.sum(axis=0)
    found: list[PartOfSpeech] = []
    for tag in descending(totals).tolist():
        if totals[tag] > 0.0:
            own = joint[:, tag] / totals[tag]
            most = [k for k in descending(own, NEIGHBOURS).tolist() if own[k] >= LEAST_SHARE]
            topics = [(k, float(own[k])) for k in most]
            found.append(PartOfSpeech(str(learned.words.tags[tag]), float(totals[tag]), topics))
    return found
