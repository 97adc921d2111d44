"""`stickbreaker export --format dot`: syntactic topics as a graph for Graphviz."""

import json

from stickbreaker.core.errors import counted
from stickbreaker.core.files import write_atomic
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.estimators.exports import ExportRequest
from stickbreaker.syntax.learned import SyntaxLearned
from stickbreaker.syntax.topic_graph import edges_of


def write_dot(asked: ExportRequest) -> tuple[JsonObject, str]:
    """Write the topic graph to a file for Graphviz; returns how many topics and edges it has.

    Topics are nodes with their words and commonest tag; edges lead from the topics of heads to those of their
    dependents. The numbers are returned as values for JSON and as a line of text.
    """
    model = asked.learned
    assert isinstance(model, SyntaxLearned)
    top, tags = model.top_words(min(asked.settings.top, 10)), model.samples.topic_tags
    lines = ["digraph topics {", "  node [shape=box];", '  start [label="no head", shape=plaintext];']
    for k in model.topics_in_use:
        tag = model.words.tags[int(tags[k].argmax())]
        label = f"{k} {tag} {100 * model.samples.topic_shares[k]:.1f} %\n{' '.join(top[k])}"
        lines.append(f"  topic{k} [label={json.dumps(label, ensure_ascii=False)}];")
    edges = edges_of(model)
    for edge in edges:
        head = "start" if edge.head is None else f"topic{edge.head}"
        width = f"{0.5 + 4.0 * edge.share:.2f}"
        lines.append(f'  {head} -> topic{edge.topic} [label="{100 * edge.share:.0f} %", penwidth={width}];')
    write_atomic(asked.out, "\n".join([*lines, "}", ""]).encode(), overwrite=asked.overwrite)
    result = {"topics": len(model.topics_in_use), "edges": len(edges)}
    return result, f"{counted(result['topics'], 'topic')}, {counted(result['edges'], 'edge')}"
