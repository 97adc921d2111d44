"""The section on how topics changed, for a model that learns new words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from stickbreaker.pages.changes import Changes, changes_of
from stickbreaker.saved import ModelDirectory
from stickbreaker.topics.names.named_topics import NamedTopics
from stickbreaker.topics.report.topic_section import TopicSection

if TYPE_CHECKING:
    from stickbreaker.topics.report.topic_page import TopicReport


class TopicChanges(TopicSection):
    anchor, heading = "changes", "How topics changed"
    needs = ("changes",)
    template = "changes.html.j2"

    def values(self, report: TopicReport) -> dict[str, object]:
        return {"changes": report.changes}

    def payload(self, report: TopicReport) -> dict[str, object]:
        return {"changes": report.changes.payload() if report.changes else None}


def changes_of_topics(path: Path, named: NamedTopics) -> Changes | None:
    """How the topics of the model at `path` changed while it learned, for the report; None if the model has
    no snapshots of topics and its trace does not record the vocabulary.

    Among topics with the same name, only the largest one is followed.
    """
    model = named.model
    ids = [model.topic_ids_[group[0]] for group in named.members]
    return changes_of(ModelDirectory(path).evolution(), ids, model.trace_)
