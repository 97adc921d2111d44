"""A report: one HTML file that shows what a model learned, and opens offline.

The rest of the library fills the records of `stickbreaker.report.page_data`;
`render` turns a `Page` into HTML.
`place_topics` gives the coordinates of the topic map, `nearest_topics` each topic's neighbours, `relate` the
tree of topics, `growth_of` how they came about, `changes_of` how they changed, and `choose_words` the words a
topic is shown with.
"""

from stickbreaker.report.display_words import choose_words
from stickbreaker.report.genealogy import growth_of
from stickbreaker.report.hierarchy import relate
from stickbreaker.report.maps.topic_map import nearest_topics, place_topics, topic_distances
from stickbreaker.report.page_data import (
    Breakdown,
    Changes,
    DocumentEntry,
    Growth,
    Life,
    Move,
    Page,
    Refinement,
    Relations,
    Search,
    Topic,
    TopicMember,
    TracePoint,
    Wording,
    WordRow,
)
from stickbreaker.report.render import render
from stickbreaker.report.topic_evolution import changes_of

__all__ = [
    "Breakdown",
    "Changes",
    "DocumentEntry",
    "Growth",
    "Life",
    "Move",
    "Page",
    "Refinement",
    "Relations",
    "Search",
    "Topic",
    "TopicMember",
    "TracePoint",
    "WordRow",
    "Wording",
    "changes_of",
    "choose_words",
    "growth_of",
    "nearest_topics",
    "place_topics",
    "relate",
    "render",
    "topic_distances",
]
