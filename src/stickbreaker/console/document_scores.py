"""`stickbreaker evaluate` of any kind: the probability of documents, and what is said of all scores."""

import math
from typing import Any

from stickbreaker.console.console import Outcome, note
from stickbreaker.console.inputs import open_documents
from stickbreaker.console.requests import ScoringRequest
from stickbreaker.core.errors import UserError, counted, naming


def score_documents(asked: ScoringRequest) -> Outcome:
    """The log probability of whole documents, and of parts of them, by a model that gives it."""
    from stickbreaker.estimators.saving import load
    from stickbreaker.saved.own_corpus import share_of_own_corpus

    with naming(" ".join(asked.inputs)):
        estimator = load(asked.model, verb="evaluate")
        corpus = open_documents(estimator, asked.inputs, asked.reading)
        parts = estimator.score_parts(corpus)
        if not parts["all"][1]:
            raise UserError("there is nothing to score", remedy="no document has a word of the vocabulary")
    scores = {
        "documents": corpus.n_documents,
        "empty_documents": corpus.n_empty,
        "unseen_share": corpus.unseen_share,
        "learned_from": share_of_own_corpus(asked.model, corpus),
        **{name: _figures(*part) for name, part in parts.items() if part[1]},
    }
    note_all_unseen(scores)
    return scores, _as_text


def _figures(nats: float, tokens: float) -> dict[str, float]:
    return {"events": tokens, "nats_per_word": nats / tokens, "perplexity": math.exp(-nats / tokens)}


def _as_text(scores: dict[str, Any]) -> str:
    parts = {name: part for name, part in scores.items() if isinstance(part, dict)}
    documents = counted(scores["documents"], "document")
    lines = [
        f"{documents}; {100 * scores['unseen_share']:.1f} % of their words are not in the text learned from",
        *learned_from_lines(scores["learned_from"]),
        "                events  nats/word  perplexity",
    ]
    for name, part in parts.items():
        figures = f"{part['events']:10.0f}  {part['nats_per_word']:9.4f}  {part['perplexity']:10.1f}"
        lines.append(f"  {name:<10} {figures}")
    return "\n".join(lines)


def learned_from_lines(share: float | None) -> list[str]:
    """A line about documents that the model has learned from; none where there are none, or nobody knows.

    >>> learned_from_lines(1.0)
    ['The model has learned from these documents: of new ones expect less']
    """
    if not share:
        return []
    part = "these documents" if share == 1.0 else f"{max(0.1, 100 * share):.1f} % of these documents"
    return [f"The model has learned from {part}: of new ones expect less"]


def note_all_unseen(scores: dict[str, Any]) -> None:
    """Note that documents were scored of which the model knows no word."""
    if scores["unseen_share"] == 1.0:
        note("note: no document has a word that the model knows; is it of this language, and of such texts?")
