"""From a saved language model to the records of its report."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stickbreaker.core.errors import UserError
from stickbreaker.core.untrusted import making_sense_of
from stickbreaker.estimators.saving import load
from stickbreaker.ngrams.language_estimator import UNBOUNDED, LanguageEstimator
from stickbreaker.ngrams.plain_ngram import PlainNgramModel
from stickbreaker.ngrams.report.language_page import LanguagePage
from stickbreaker.ngrams.report.notable_contexts import context_lengths, expressions_of, longest_contexts
from stickbreaker.ngrams.report.scored_sentences import read_sentences
from stickbreaker.pages.learning_curves import LearningCurve
from stickbreaker.pages.saved_models import readable_manifest, settings_of
from stickbreaker.saved.manifest import RESTORE

HELD_OUT, TEXT, JOINT = "held-out", "text", "joint"  # kinds of curves
CURVES = {  # what each is called, and in which field of the trace it is
    HELD_OUT: ("Of documents held out, never learned from", "held_out"),
    TEXT: ("Of the text, each word given all others", "perplexity"),
    JOINT: ("Of the words and their seating together", "score"),
}
MOST_NATS = 50.0  # a word: what is worse is no point


def language_page_of(path: Path, title: str) -> LanguagePage:
    """The report of the language model at `path`.

    Raises UserError for what is not one (a run that is not finished is none).
    """
    manifest = readable_manifest(path)
    model = load(path, verb="report")
    if not isinstance(model, PlainNgramModel):
        raise UserError("is not a language model", where=path)
    with making_sense_of(path, RESTORE):
        return _language_page(path, manifest, model, title)


def _language_page(path: Path, manifest: dict[str, Any], model: PlainNgramModel, title: str) -> LanguagePage:
    documents = manifest["corpus"]["documents"]
    order = "of unbounded order" if model.order == UNBOUNDED else f"of order {model.order}"
    aside = f", with {manifest['held_out']:.2%} of them held out" if manifest["held_out"] else ""
    sentences = read_sentences(path, manifest)
    rows, held_out = sentences or ([], False)
    return LanguagePage(
        title=title,
        subtitle=f"A language model {order}, learned from {documents:,} documents{aside}",
        facts=_facts(model, manifest),
        settings=settings_of(manifest),
        curves=curves_of(model.trace_),
        lengths=context_lengths(model),
        unbounded=model.order == UNBOUNDED,
        spelled=model.numbers_.spelled,
        longest=longest_contexts(model),
        expressions=expressions_of(model),
        sentences=rows,
        held_out=held_out,
        no_sentences="" if rows else _why_none(no_file=sentences is None, held_out=held_out),
    )


def _why_none(*, no_file: bool, held_out: bool) -> str:
    if no_file:
        return "This model keeps no sentences: only a run into a directory, such as stickbreaker fit, does."
    return f"No sentence of the {'documents held out' if held_out else 'text'} has four words or more."


def curves_of(trace: Sequence[dict[str, Any]]) -> list[LearningCurve]:
    """Perplexity by sweep, of held-out documents and of the text; where neither is known, exp(-joint score).

    >>> curves_of([{"pass": 1, "held_out": -1.0}, {"pass": 2}])[0].points
    [(1, 2.718281828459045)]
    """
    points = {kind: _points(trace, kind) for kind in CURVES}
    if points[HELD_OUT] or points[TEXT]:
        del points[JOINT]
    return [LearningCurve(kind, CURVES[kind][0], held) for kind, held in points.items() if held]


def _points(trace: Sequence[dict[str, Any]], kind: str) -> list[tuple[int, float]]:
    """(sweep, perplexity) of the records that have it, where it is a number that can be drawn."""
    found: list[tuple[int, float]] = []
    for record in trace:
        value = record.get(CURVES[kind][1])
        if value is None:
            continue
        perplexity = float(value) if kind == TEXT else math.exp(min(-value, 2.0 * MOST_NATS))
        if 1.0 <= perplexity <= math.exp(MOST_NATS):
            found.append((int(record["pass"]), perplexity))
    return found


def _facts(model: PlainNgramModel, manifest: dict[str, Any]) -> list[tuple[str, str]]:
    held = model.language_model_
    sizes = [("contexts kept", f"{held.n_contexts:,}"), ("samples", str(len(held.discounts)))]
    return facts_of(model, manifest, sizes)


def facts_of(
    model: LanguageEstimator, manifest: dict[str, Any], sizes: Sequence[tuple[str, str]]
) -> list[tuple[str, str]]:
    """What stands at the top of the page; `sizes`: what only one kind of language model has of it."""
    corpus = manifest["corpus"]
    last = {curve.kind: curve.points[-1][1] for curve in curves_of(model.trace_)}
    facts = [
        ("order (unbounded)", "∞") if model.order == UNBOUNDED else ("order", str(model.order)),
        ("documents", f"{corpus['documents']:,}"),
        ("words read", f"{corpus['tokens']:,.0f}"),
        ("known words", f"{len(model.numbers_.known):,}"),
        *sizes,
    ]
    if TEXT in last:
        facts.append(("perplexity, each word given all others", f"{last[TEXT]:,.1f}"))
    if HELD_OUT in last:
        facts.append(("held-out perplexity", f"{last[HELD_OUT]:,.1f}"))
    return facts
