"""The graph of syntactic topics: the topics of heads and of their dependents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stickbreaker.pages.page import Section
from stickbreaker.pages.text_values import one_line, rounded
from stickbreaker.pages.topic_rows import places_of
from stickbreaker.pages.views import (
    Bars,
    Chosen,
    Column,
    Graph,
    Item,
    Node,
    Note,
    Row,
    Table,
    Text,
    View,
    strong,
)
from stickbreaker.syntax.report.topics import NO_HEAD, percent

if TYPE_CHECKING:
    from stickbreaker.syntax.report.syntax_page import SyntaxReport
    from stickbreaker.syntax.report.topics import SyntaxTopic

MOST_NODES = 48  # topics in the graph, the largest
BESIDE = 10  # words of the chosen topic
HOW = "Choose a topic: with a click, or with Tab and the arrow keys."
MEANS = "A line marks a word’s share of all words; × is how much larger it is here."


def graph(report: SyntaxReport) -> Section | None:
    topics = report.topics
    if not topics:
        return None
    text = (
        "A circle is a topic, as large as its share of the words; under it are its number, its commonest "
        "part of speech and its first words. Topics whose words stand near the root of their trees are "
        "further up. A line leads from the topic of heads to a topic of the words below them, and is as "
        "wide as the share of these words that the topic has; one under 10% has no line. Choose a topic to "
        "see its lines alone, and more of it."
    )
    if len(topics) > MOST_NODES:
        text += f" Drawn are the {MOST_NODES} largest topics of {len(topics):,}."
    places = {None: NO_HEAD, **places_of(topics)}
    edges = [
        (places[edge.head], places[edge.topic], share)
        for edge in report.edges
        if edge.topic in places and edge.head in places and (share := rounded(edge.share)) is not None
    ]
    nodes = [_node(place, topic) for place, topic in enumerate(topics[:MOST_NODES])]
    drawn = Graph("topic", nodes, edges, "no head", figure="topic-graph")
    beside = Chosen("topic", [Row(_details(topic, places)) for topic in topics], Note(HOW, muted=True))
    row = Row([drawn, beside], widths="minmax(0, 1fr) 21rem", panel=True, pinned=True)
    return Section("graph", "Topic graph", text, [row])


def _node(place: int, topic: SyntaxTopic) -> Node:
    tag = one_line(topic.tags[0][0]) if topic.tags else ""
    words = [one_line(word) for word, *_ in topic.words[:3]]
    note = f"{topic.label}{f', mostly {tag}' if tag else ''}, {percent(topic.share)} of the words"
    lines = [f"{topic.number} {tag}".strip(), *words]
    return Node(place, rounded(topic.share) or 0.0, rounded(topic.depth, 6) or 0.0, lines, note)


def _details(topic: SyntaxTopic, places: dict[int | None, int]) -> list[View]:
    """What stands next to the graph of a chosen topic."""
    tags = " · ".join(f"{one_line(tag)} {percent(share)}" for tag, share in topic.tags)
    place, words = places[topic.number], topic.words[:BESIDE]
    views: list[View] = [
        Note(
            [strong(Item("topic", place, plain=True)), f" {percent(topic.share)} of the words. {tags}"],
            muted=True,
        )
    ]
    if words:
        bars = Bars(
            [one_line(word) for word, *_ in words],
            [rounded(p) or 0.0 for _, p, _ in words],
            figures=[[percent(p), _times(p, overall)] for _, p, overall in words],
            marks=[rounded(overall) or 0.0 for _, _, overall in words],
            of="topic",
            colour_of=place,
        )
        views += [bars, Note(MEANS, muted=True)]
    return [
        *views,
        _neighbours("below it", topic.below, places),
        _neighbours("above it", topic.above, places),
    ]


def _times(p: float, overall: float) -> str:
    ratio = p / overall if overall > 0.0 else 1000.0
    return "× >999" if ratio >= 1000.0 else f"× {ratio:.{0 if ratio >= 9.95 else 1}f}"


def _neighbours(title: str, rows: Sequence[tuple[int | None, float]], places: dict[int | None, int]) -> View:
    known = [(places[k], share) for k, share in rows if k in places]
    if not known:
        return Note(f"None stands out {title}.", muted=True)
    cells: list[list[Text | float]] = [
        ["no head" if place == NO_HEAD else Item("topic", place), share] for place, share in known
    ]
    return Table([Column(title), Column("share", "share")], cells)
