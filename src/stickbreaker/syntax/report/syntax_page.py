"""The page about syntactic topics: its header, its sections, and what these share of a model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from stickbreaker.pages.document_rows import DocumentRows
from stickbreaker.pages.learning_curves import LearningCurve, learning_section, perplexities
from stickbreaker.pages.page import Choice, Section
from stickbreaker.pages.saved_models import SavedReport
from stickbreaker.syntax.learned import SyntaxLearned
from stickbreaker.syntax.report.documents import documents
from stickbreaker.syntax.report.graph import graph
from stickbreaker.syntax.report.parts_of_speech import parts_of, parts_of_speech
from stickbreaker.syntax.report.sentences import read_documents, sentences
from stickbreaker.syntax.report.topics import colours_of, topics, topics_of
from stickbreaker.syntax.topic_graph import edges_of

CURVES = {  # what "text" is called, by the kind of a run's scores
    "joint": "Of the words learned from, given their documents’ shares and all topics",
    "bound": "Of the words learned from, by the bound of mean-field inference",
    "documents": "Of the documents of each step, before it, by the bound of mean-field inference",
}
HELD_OUT = "Of held-out documents, half of whose sentences are seen"
UNITS = {"bound": "pass", "documents": "step"}
LIMITS = {"hdp": ", without grammar (limit hdp)", "itic": ", without documents’ shares (limit itic)"}


def learning(report: Any) -> Section | None:
    return learning_section(report, "How the run went")


class SyntaxReport(SavedReport[SyntaxLearned]):
    """The report on syntactic topics in use, largest first; all sections show them in the same colours."""

    estimator, noun = SyntaxLearned, "a model of syntactic topics"
    sections = (topics, graph, parts_of_speech, documents, sentences, learning)

    @cached_property
    def subtitle(self) -> str:
        held_out, n = self.manifest["held_out"], self.manifest["corpus"]["documents"]
        aside = f", with {100 * held_out:g}% of them held out" if held_out else ""
        limit = LIMITS.get(self.model.facts.settings.limit or "", "")
        return f"Topics that know grammar{limit}, learned from {n:,} documents{aside}"

    @cached_property
    def facts(self) -> list[tuple[str, str]]:
        corpus, model = self.manifest["corpus"], self.model
        last = {curve.kind: curve.points[-1][1] for curve in self.curves}
        facts = [
            ("documents", f"{corpus['documents']:,}"),
            ("known words read", f"{corpus['tokens']:,.0f}"),
            ("different known words", f"{len(model.vocabulary):,}"),
            ("topics in use", f"{len(model.topics_in_use):,}"),
            ("samples", str(len(model.samples.tau))),
        ]
        if "held-out" in last:
            facts.append(("held-out perplexity", f"{last['held-out']:,.1f}"))
        return facts

    curves = cached_property(lambda self: curves_of(self.model.facts.trace))
    unit = cached_property(lambda self: UNITS.get(score_kind(self.model.facts.trace), "sweep"))
    topics = cached_property(lambda self: topics_of(self.model))
    parts = cached_property(lambda self: parts_of(self.model))
    edges = cached_property(lambda self: edges_of(self.model))

    @cached_property
    def document_rows(self) -> DocumentRows:
        return read_documents(self.path, self.manifest, self.model.n_shares)

    def choices(self) -> dict[str, Choice]:
        labels, keys = [topic.label for topic in self.topics], [topic.number for topic in self.topics]
        return {"topic": Choice(labels, colours_of(self.topics), keys, home="graph")} if labels else {}


def curves_of(trace: Sequence[dict[str, object]]) -> list[LearningCurve]:
    """The curves of perplexity over a run, from its trace: of held-out documents, and of training words.

    Their horizontal axis counts sweeps, passes or steps. A curve without points is left out.

    >>> curves_of([{"pass": 1, "held_out": -1.0}, {"pass": 2}])[0].points
    [(1, 2.718281828459045)]
    """
    kind = score_kind(trace)
    at = "step" if kind == "documents" else "pass"
    curves = [
        LearningCurve("held-out", HELD_OUT, perplexities(trace, "held_out", at)),
        LearningCurve("text", CURVES[kind], perplexities(trace, "score", at)),
    ]
    return [curve for curve in curves if curve.points]


def score_kind(trace: Sequence[dict[str, object]]) -> str:
    """What the scores in a run's trace are of: "joint" (chains), "bound" (batches), "documents" (online)."""
    kind = str(trace[-1].get("kind", "joint")) if trace else "joint"
    return kind if kind in CURVES else "joint"


syntax_page_of = SyntaxReport.page_of
