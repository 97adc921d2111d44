"""The page about a language model: its header, its sections, and what these share of a model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, TypeVar

from stickbreaker.ngrams.language_learned import LanguageLearned
from stickbreaker.ngrams.ngram_learned import NgramLearned
from stickbreaker.ngrams.report.context_lengths import context_lengths, lengths_section
from stickbreaker.ngrams.report.notable_contexts import (
    expressions,
    expressions_of,
    longest,
    longest_contexts,
)
from stickbreaker.ngrams.report.sentences import read_sentences, sentences
from stickbreaker.ngrams.settings import UNBOUNDED
from stickbreaker.pages.learning_curves import LearningCurve, learning_section, perplexities
from stickbreaker.pages.page import Section
from stickbreaker.pages.saved_models import SavedReport

HELD_OUT, TEXT, JOINT = "held-out", "text", "joint"  # kinds of curves
CURVES = {
    HELD_OUT: "Of documents held out, never learned from",
    TEXT: "Of the text, each word given all others",
    JOINT: "Of the words and their seating together",
}

M = TypeVar("M", bound=LanguageLearned[Any, Any])


def learning(report: Any) -> Section | None:
    return learning_section(report, more=" Ends of sentences count as words.")


class AnyLanguageReport(SavedReport[M]):
    """What the reports on language models with and without topics have in common."""

    unit = "sweep"  # of the curves

    @cached_property
    def facts(self) -> list[tuple[str, str]]:
        corpus, model = self.manifest["corpus"], self.model
        last = {curve.kind: curve.points[-1][1] for curve in self.curves}
        order = model.facts.settings.order
        facts = [
            ("order (unbounded)", "∞") if order == UNBOUNDED else ("order", str(order)),
            ("documents", f"{corpus['documents']:,}"),
            ("words read", f"{corpus['tokens']:,.0f}"),
            ("known words", f"{len(model.numbers.known):,}"),
            *self.sizes(),
        ]
        if TEXT in last:
            facts.append(("perplexity, each word given all others", f"{last[TEXT]:,.1f}"))
        if HELD_OUT in last:
            facts.append(("held-out perplexity", f"{last[HELD_OUT]:,.1f}"))
        return facts

    def sizes(self) -> list[tuple[str, str]]:
        """Facts on the size of the model, as (name, value); subclasses define them."""
        raise NotImplementedError

    @property
    def order(self) -> str:
        order = self.model.facts.settings.order
        return "of unbounded order" if order == UNBOUNDED else f"of order {order}"

    @cached_property
    def curves(self) -> list[LearningCurve]:
        return curves_of(self.model.facts.trace)

    # whether words that are not known have a probability by their letters
    spelled = cached_property(lambda self: self.model.numbers.spelled)


class LanguageReport(AnyLanguageReport[NgramLearned]):
    estimator, noun = NgramLearned, "a language model"
    sections = (sentences, expressions, longest, lengths_section, learning)

    @cached_property
    def subtitle(self) -> str:
        held_out, n = self.manifest["held_out"], self.manifest["corpus"]["documents"]
        aside = f", with {held_out:.2%} of them held out" if held_out else ""
        return f"A language model {self.order}, learned from {n:,} documents{aside}"

    def sizes(self) -> list[tuple[str, str]]:
        held = self.model.model
        return [("contexts kept", f"{held.n_contexts:,}"), ("samples", str(len(held.discounts)))]

    expressions = cached_property(lambda self: expressions_of(self.model))
    longest = cached_property(lambda self: longest_contexts(self.model))
    saved_sentences = cached_property(lambda self: read_sentences(self.path, self.manifest))
    lengths = cached_property(lambda self: context_lengths(self.model))
    # whether it is shown how many words stop at each length of context
    counts_stops = cached_property(lambda self: self.model.facts.settings.order == UNBOUNDED)


def curves_of(trace: Sequence[dict[str, object]]) -> list[LearningCurve]:
    """Curves of perplexity by sweep, of held-out documents and of the text; if there is neither, of
    exp(-score).

    >>> curves_of([{"pass": 1, "held_out": -1.0}, {"pass": 2}])[0].points
    [(1, 2.718281828459045)]
    """
    points = {
        HELD_OUT: perplexities(trace, "held_out"),
        TEXT: perplexities(trace, "perplexity", nats=False),
        JOINT: perplexities(trace, "score"),
    }
    if points[HELD_OUT] or points[TEXT]:
        del points[JOINT]
    return [LearningCurve(kind, CURVES[kind], found) for kind, found in points.items() if found]


language_page_of = LanguageReport.page_of
