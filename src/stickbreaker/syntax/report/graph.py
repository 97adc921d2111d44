"""The graph of syntactic topics: the topics of heads and of their dependents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stickbreaker.pages.template_page import Section
from stickbreaker.pages.text_values import rounded
from stickbreaker.pages.topic_rows import places_of
from stickbreaker.syntax.report.topics import NO_HEAD

if TYPE_CHECKING:
    from stickbreaker.syntax.report.syntax_page import SyntaxReport

MOST_NODES = 48  # topics in the graph, the largest


class Graph(Section["SyntaxReport"]):
    anchor, heading = "graph", "Topic graph"
    needs = ("topics",)
    template = "graph.html.j2"
    styles = ("syntax.css",)
    scripts = ("topic_graph.js", "graph_view.js")

    def values(self, report: SyntaxReport) -> dict[str, object]:
        return {"n_topics": len(report.topics), "n_drawn": min(len(report.topics), MOST_NODES)}

    def payload(self, report: SyntaxReport) -> dict[str, object]:
        """The edges for the page's script: [the head's topic, the dependent's topic, share].

        Topics are given by position in the report's list; `NO_HEAD` stands for no head.
        """
        places = {None: NO_HEAD, **places_of(report.topics)}
        edges = [
            [places[edge.head], places[edge.topic], share]
            for edge in report.edges
            if edge.topic in places and edge.head in places and (share := rounded(edge.share)) is not None
        ]
        return {"edges": edges, "most": MOST_NODES}
