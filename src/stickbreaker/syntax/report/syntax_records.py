"""From a saved syntactic topic model to the records of its report."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Array
from stickbreaker.core.topk import descending
from stickbreaker.core.untrusted import making_sense_of
from stickbreaker.estimators.saving import load
from stickbreaker.pages.learning_curves import LearningCurve
from stickbreaker.pages.saved_models import readable_manifest, settings_of
from stickbreaker.saved.documents_with_topics import HELD_OUT
from stickbreaker.saved.manifest import RESTORE
from stickbreaker.syntax.plain_syntactic_topics import PlainSyntacticTopics
from stickbreaker.syntax.report.documents_in_topics import DocumentsInTopics, read_documents
from stickbreaker.syntax.report.syntax_page import SyntaxPage
from stickbreaker.syntax.report.syntax_page_data import GraphEdge, TopicRow
from stickbreaker.syntax.report_documents import LEAST_WORDS
from stickbreaker.syntax.topic_graph import depths_of, edges_of, heads_of

CURVES = {  # what each is called, and in which field of the trace it is
    "held-out": ("Of held-out documents, half of whose sentences are seen", "held_out"),
    "text": ("Of the words learned from, given their documents’ shares and all topics", "score"),
}
VARIATIONAL = {  # what "text" is called by the kind of a variational run's scores
    "bound": "Of the words learned from, by the bound of mean-field inference",
    "documents": "Of the documents of each step, before it, by the bound of mean-field inference",
}
UNITS = {"bound": "pass", "documents": "step"}
MOST_NATS = 50.0  # a word: what is worse is no point
WORDS, TAGS, NEIGHBOURS = 20, 5, 6  # shown of a topic
LEAST_SHARE = 0.005  # of a tag or a neighbour
LIMITS = {
    "hdp": ", without grammar (limit hdp)",
    "itic": ", without documents’ shares (limit itic)",
}


def syntax_page_of(path: Path, title: str) -> SyntaxPage:
    """The report of the syntactic topics at `path`.

    Raises UserError for what is not such a model (a run that is not finished is none).
    """
    manifest = readable_manifest(path)
    model = load(path, verb="report")
    if not isinstance(model, PlainSyntacticTopics):
        raise UserError("is not a model of syntactic topics", where=path)
    with making_sense_of(path, RESTORE):
        return _syntax_page(path, manifest, model, title)


def _syntax_page(path: Path, manifest: dict[str, Any], model: PlainSyntacticTopics, title: str) -> SyntaxPage:
    held_out = f", with {100 * manifest['held_out']:g}% of them held out" if manifest["held_out"] else ""
    limit = LIMITS.get(model.limit or "", "")
    documents = read_documents(path, manifest, model.n_topics)
    n = manifest["corpus"]["documents"]
    return SyntaxPage(
        title=title,
        subtitle=f"Topics that know grammar{limit}, learned from {n:,} documents{held_out}",
        facts=_facts(model, manifest),
        settings=settings_of(manifest),
        curves=curves_of(model.trace_),
        unit=UNITS.get(_kind(model.trace_), "sweep"),
        topics=topics_of(model),
        edges=[GraphEdge(*edge) for edge in edges_of(model)],
        documents=documents.documents if documents else [],
        n_documents=documents.total if documents else 0,
        sentences=documents.sentences if documents else [],
        whose=documents.whose if documents else "",
        no_sentences=_why_none(documents),
    )


def _why_none(documents: DocumentsInTopics | None) -> str:
    if documents is None:
        return "This model has no documents: only a run into a directory, such as stickbreaker fit, has."
    if documents.sentences:
        return ""
    held_out = " held out" if documents.whose == HELD_OUT else ""
    return f"No sentence of the documents{held_out} has {LEAST_WORDS} words or more."


def topics_of(model: PlainSyntacticTopics) -> list[TopicRow]:
    """The topics in use, the largest first."""
    shares, words, tags = model.topic_shares_, model.topic_word_, model.topic_tags_
    overall = shares @ words
    below, above, depths = model.head_topics_, heads_of(model), depths_of(model)
    names = [*range(model.n_topics), None]
    return [
        TopicRow(
            number=k,
            share=float(shares[k]),
            tags=_largest(tags[k], model.tags_, TAGS),
            words=[
                (model.words_[row], float(words[k, row]), float(overall[row]))
                for row in descending(words[k], WORDS).tolist()
            ],
            below=_largest(below[k], names[:-1], NEIGHBOURS),
            above=_largest(above[k], names, NEIGHBOURS),
            depth=float(depths[k]),
        )
        for k in model.topics_in_use
    ]


def _largest(shares: Array, names: Sequence[Any], n: int) -> list[tuple[Any, float]]:
    """The names of the largest shares, without those that are next to nothing."""
    return [(names[k], float(shares[k])) for k in descending(shares, n).tolist() if shares[k] >= LEAST_SHARE]


def curves_of(trace: Sequence[dict[str, Any]]) -> list[LearningCurve]:
    """Perplexity by sweep, pass or step, of held-out documents and of the words learned from.

    >>> curves_of([{"pass": 1, "held_out": -1.0}, {"pass": 2}])[0].points
    [(1, 2.718281828459045)]
    """
    points = {kind: _points(trace, field) for kind, (_, field) in CURVES.items()}
    names = {"held-out": CURVES["held-out"][0], "text": VARIATIONAL.get(_kind(trace), CURVES["text"][0])}
    return [LearningCurve(kind, names[kind], found) for kind, found in points.items() if found]


def _kind(trace: Sequence[dict[str, Any]]) -> str:
    """The kind of a run's scores: "joint" of a chain, "bound" or "documents"."""
    return str(trace[-1].get("kind", "joint")) if trace else "joint"


def _points(trace: Sequence[dict[str, Any]], field: str) -> list[tuple[int, float]]:
    """(sweep, pass or step, perplexity) of the records that have it as a number that can be drawn."""
    at = "step" if _kind(trace) == "documents" else "pass"
    found = [(int(record[at]), record[field]) for record in trace if record.get(field) is not None]
    return [(place, math.exp(-nats)) for place, nats in found if -MOST_NATS <= nats <= 0.0]


def _facts(model: PlainSyntacticTopics, manifest: dict[str, Any]) -> list[tuple[str, str]]:
    corpus = manifest["corpus"]
    last = {curve.kind: curve.points[-1][1] for curve in curves_of(model.trace_)}
    facts = [
        ("documents", f"{corpus['documents']:,}"),
        ("known words read", f"{corpus['tokens']:,.0f}"),
        ("different known words", f"{len(model.vocabulary_):,}"),
        ("topics in use", f"{len(model.topics_in_use):,}"),
        ("samples", str(len(model.learned_.tau))),
    ]
    if "held-out" in last:
        facts.append(("held-out perplexity", f"{last['held-out']:,.1f}"))
    return facts
