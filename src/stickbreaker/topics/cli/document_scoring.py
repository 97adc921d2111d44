"""`stickbreaker evaluate` of models that give whole documents a probability, and no topics."""

import math
from pathlib import Path
from typing import Any

from stickbreaker.console.console import note
from stickbreaker.console.inputs import ReadingChoice
from stickbreaker.core.errors import UserError, counted, noun_for
from stickbreaker.topics.cli.topics import open_documents


def score_documents(model: Path, inputs: tuple[str, ...], reading: ReadingChoice) -> dict[str, Any]:
    """The log probability of whole documents, and of parts of them, of a model that gives it."""
    from stickbreaker.cli.learned_documents import share_learned_from
    from stickbreaker.estimators.saving import load
    from stickbreaker.topics.evaluation import unseen_share

    estimator = load(model, verb="evaluate")
    corpus = open_documents(estimator, inputs, reading)
    parts = estimator.score_parts(corpus)
    if not parts["all"][1]:
        raise UserError("there is nothing to score", remedy="no document has a word of the vocabulary")
    return {
        "documents": corpus.n_documents,
        "empty_documents": corpus.n_empty,
        "unseen_share": unseen_share(corpus),
        "learned_from": share_learned_from(model, corpus),
        **{name: _figures(*part) for name, part in parts.items() if part[1]},
    }


def _figures(nats: float, tokens: float) -> dict[str, float]:
    return {"events": tokens, "nats_per_word": nats / tokens, "perplexity": math.exp(-nats / tokens)}


def score_as_text(scores: dict[str, Any]) -> str:
    """What `score_documents` gives, as lines."""
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


def segmentation_scores(
    model: Path, inputs: tuple[str, ...], reading: ReadingChoice, nonterminal: str | None
) -> dict[str, Any]:
    """How well a grammar cuts and predicts sentences: see `estimators.grammars.grammar_scores`."""
    from stickbreaker.cli.learned_documents import share_learned_from
    from stickbreaker.corpus import Corpus
    from stickbreaker.grammars.cli.segment import load_grammar, note_new_symbols, texts_of
    from stickbreaker.grammars.grammar_scores import scores_of

    estimator = load_grammar(model, "evaluate", None, overwrite=False)
    documents = texts_of(inputs, reading)
    ids, texts = [name for name, _ in documents], [text for _, text in documents]
    scores = scores_of(estimator, texts, nonterminal)
    note_new_symbols(scores["with_new_symbols"], scores["new_symbols"], scores["sentences"])
    learned = None
    if len(set(ids)) == len(ids):  # as those of every corpus do, they differ
        seen_by = {"analysis": estimator.analysis_, "vocabulary": estimator.vocabulary_}
        learned = share_learned_from(model, Corpus.from_texts(texts, ids, **seen_by))
    return {**scores, "learned_from": learned}


def segmentation_as_text(scores: dict[str, Any]) -> str:
    """What `segmentation_scores` gives, as lines."""
    unparsed = f", {scores['unparsed']:,} of which cannot be parsed" if scores["unparsed"] else ""
    number, nats = scores["sentences"], scores["nats_per_symbol"]
    lines = [
        f"{number:,} {noun_for(number, 'sentence')}{unparsed}; {nats:.4f} nats/symbol of "
        f"{scores['symbols']:,}",
        *learned_from_lines(scores["learned_from"]),
    ]
    if "token" in scores:
        lines.append("            precision  recall     f1")
    for name in ("token", "boundary", "type"):
        if name in scores:
            part = scores[name]
            lines.append(f"  {name:<9} {part['precision']:9.3f} {part['recall']:7.3f} {part['f1']:6.3f}")
    return "\n".join(lines)
