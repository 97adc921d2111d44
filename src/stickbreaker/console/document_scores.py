"""`stickbreaker evaluate` for kinds without an evaluation of their own: the log probability of documents."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from stickbreaker.console.console import Outcome, note
from stickbreaker.console.inputs import open_documents_for
from stickbreaker.console.requests import ScoringRequest
from stickbreaker.core.errors import UserError, counted, naming
from stickbreaker.core.json_checks import JsonObject

if TYPE_CHECKING:
    from stickbreaker.corpus import Corpus


def score_documents(asked: ScoringRequest) -> Outcome:
    """Score documents by their log probability under a model; returns the scores, and how to show them."""
    from stickbreaker.estimators.model_files import load

    with naming(" ".join(asked.inputs)):
        learned = load(asked.model, verb="evaluate")
        corpus = open_documents_for(learned, asked.inputs, asked.reading)
        scores = part_scores(asked.model, corpus, learned.part_scores(corpus))
    return scores, scores_as_text


def part_scores(model: Path, corpus: "Corpus", parts: Mapping[str, tuple[float, float]]) -> JsonObject:
    """The result of `evaluate` for documents: how many, and scores for each part of their words.

    parts: (log probability in nats, number of words) by the part's name; "all" must be among them, and parts
    without words are left out. Prints a note if all words are unseen. Raises UserError if "all" has no words.
    """
    from stickbreaker.saved.own_corpus import share_of_own_corpus

    if not parts["all"][1]:
        raise UserError("there is nothing to score", remedy="no document has a word of the vocabulary")
    scores = {
        "documents": corpus.n_documents,
        "empty_documents": corpus.n_empty,
        "unseen_share": corpus.unseen_share,
        "learned_from": share_of_own_corpus(model, corpus),
        **{name: _figures(*part) for name, part in parts.items() if part[1]},
    }
    note_all_unseen(scores)
    return scores


def _figures(nats: float, tokens: float) -> dict[str, float]:
    return {"events": tokens, "nats_per_word": nats / tokens, "perplexity": math.exp(-nats / tokens)}


def scores_as_text(scores: JsonObject) -> str:
    """The scores that `part_scores` returned, as text with a table."""
    parts = {name: part for name, part in scores.items() if isinstance(part, dict)}
    documents, width = counted(scores["documents"], "document"), max(9, *map(len, parts))
    lines = [
        f"{documents}; {100 * scores['unseen_share']:.1f} % of their words are not in the text learned from",
        *learned_from_lines(scores["learned_from"]),
        f"  {'':<{width}}      events  nats/word  perplexity",
    ]
    for name, part in parts.items():
        figures = f"{part['events']:10.0f}  {part['nats_per_word']:9.4f}  {part['perplexity']:10.1f}"
        lines.append(f"  {name.replace('_', ' '):<{width}}  {figures}")
    return "\n".join(lines)


def learned_from_lines(share: float | None) -> list[str]:
    """A line that warns that the model has learned from these documents; an empty list if it has not.

    share: the share of the documents that it has learned from; None if unknown.

    >>> learned_from_lines(1.0)
    ['The model has learned from these documents: expect lower scores for new ones']
    """
    if not share:
        return []
    part = "these documents" if share == 1.0 else f"{max(0.1, 100 * share):.1f} % of these documents"
    return [f"The model has learned from {part}: expect lower scores for new ones"]


def note_all_unseen(scores: JsonObject) -> None:
    """Print a note if no scored document has a word that the model knows."""
    if scores["unseen_share"] == 1.0:
        note("note: no document has a word that the model knows; are they in its language?")
