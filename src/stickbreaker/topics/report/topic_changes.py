"""The section on how topics changed, for a model that learns new words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from stickbreaker.pages.changes import Changes, changes_of, paths_of, sizes_of
from stickbreaker.pages.page import Section
from stickbreaker.pages.text_values import clean
from stickbreaker.pages.views import Column, Each, Note, Paths, Table, Text, View, muted
from stickbreaker.saved import ModelDirectory
from stickbreaker.topics.names.named_topics import NamedTopics

if TYPE_CHECKING:
    from stickbreaker.topics.report.topic_page import TopicReport


FIGURES = 3  # topics, the largest
LEARNS = (
    "This model learns new words as it reads: a word that it has not met can enter a topic and rise in it."
)
FRESH = (
    "Of the fifty first words that each topic has at the end, those that entered the model during the run."
)


def changes(report: TopicReport) -> Section | None:
    found = report.changes
    if not found:
        return None
    text = LEARNS
    views: list[View] = []
    figures: list[View] = []
    if found.moments:
        text += (
            " Each column has the first words of the chosen topic at one moment of the run, a line leads "
            "to the same word in the next column, and the box holds words that entered the model since the "
            "column before. Numbers are ranks in the topic: 1 is its most probable word."
        )
        views += [
            paths_of(found, "Topic", of="topic"),
            Note(FRESH, title="New words of the topics"),
            _fresh(report, found),
        ]
        figures = [
            _figure(report, found, number, k) for number, k in enumerate(_largest(report, found)[:FIGURES], 1)
        ]
    if found.vocabulary:
        each = f"How many words the model held after each {found.unit}, and how many entered and left it."
        views += [Note(each, title="The vocabulary"), sizes_of(found, "", "vocabulary")]
    return Section("changes", "How topics changed", text, views, figures=figures)


def _largest(report: TopicReport, found: Changes) -> list[int]:
    order = sorted(range(len(report.topics)), key=lambda k: -report.topics[k].share)
    return [k for k in order if k < len(found.wordings) and found.wordings[k]]


def _figure(report: TopicReport, found: Changes, number: int, k: int) -> Paths:
    topic, one = report.topics[k], replace(found, wordings=[found.wordings[k]])
    path = paths_of(one, "", names=[topic.label], figure=f"changes-{number}")
    return replace(path, title=f"How topic {topic.id} changed: {clean(topic.label)}")


def _fresh(report: TopicReport, found: Changes) -> View:
    """The new words of each topic, the largest first, with their ranks and since when they are there."""
    dated = all(date for _, _, date in found.moments)
    rows: list[list[object]] = []
    for k in _largest(report, found):
        own = found.wordings[k]
        words: list[Text] = [
            [word, " ", muted(f"{rank:,}, since {date[:10] if dated and date else f'step {step:,}'}")]
            for word, rank, step, date in (own.fresh if own else ())
        ]
        if words:
            rows.append([k, Each(words)])
    if not rows:
        return Note("No word that entered during the run is among the first fifty of a topic.", muted=True)
    said = "new words, their rank at the end, and when they entered"
    return Table([Column("topic", "item", of="topic"), Column(said, wide=75)], rows, title="")


def changes_of_topics(path: Path, named: NamedTopics) -> Changes | None:
    """How the topics of the model at `path` changed while it learned, for the report; None if the model has
    no snapshots of topics and its trace does not record the vocabulary.

    Among topics with the same name, only the largest one is followed.
    """
    model = named.model
    ids = [model.topic_ids[group[0]] for group in named.members]
    return changes_of(ModelDirectory(path).evolution(), ids, model.facts.trace)
