"""`stickbreaker evaluate` of syntactic topics: how probable sentences are given others of their documents."""

import math

import numpy as np

from stickbreaker.console.console import Outcome, tell_of_compiling
from stickbreaker.console.document_scores import learned_from_lines, note_all_unseen
from stickbreaker.console.inputs import open_documents_for
from stickbreaker.console.requests import ScoringRequest
from stickbreaker.core.errors import UserError, counted, naming
from stickbreaker.core.json_checks import JsonObject


def evaluate_trees(asked: ScoringRequest) -> Outcome:
    """Score a corpus by a saved model: the perplexity of its known words, over all and by tag.

    Every other sentence is predicted from the rest of its document. Returns the scores and the function that
    formats them as text. Raises UserError if no word can be scored.
    """
    from stickbreaker.estimators.model_files import load_of
    from stickbreaker.saved.own_corpus import share_of_own_corpus
    from stickbreaker.syntax.learner import SYNTAX

    tell_of_compiling()
    model = load_of(SYNTAX, asked.model, asked.threads, verb="evaluate")
    with naming(" ".join(asked.inputs)):
        corpus = open_documents_for(model, asked.inputs, asked.reading)
        names = corpus.about.tag_names or ()
        nats, words = np.zeros(len(names)), np.zeros(len(names))
        for block in range(len(corpus.block_sizes)):
            scores = model.word_scores(corpus, block)
            nats += np.bincount(scores.tags, scores.nats, len(names))
            words += np.bincount(scores.tags, minlength=len(names))
        if not words.sum():
            raise UserError("there is nothing to score", remedy="no document has a word of the vocabulary")
    by_tag = {name: _figures(nats[k], words[k]) for k, name in enumerate(names) if words[k]}
    result = {
        "documents": corpus.n_documents,
        "empty_documents": corpus.n_empty,
        "unseen_share": corpus.unseen_share,
        "learned_from": share_of_own_corpus(asked.model, corpus),
        **_figures(nats.sum(), words.sum()),
        "by_tag": dict(sorted(by_tag.items(), key=lambda one: -one[1]["words"])),
    }
    note_all_unseen(result)
    return result, _as_text


def _figures(nats: float, words: float) -> dict[str, float]:
    return {"words": int(words), "nats_per_word": nats / words, "perplexity": math.exp(-nats / words)}


def _as_text(result: JsonObject) -> str:
    seen = counted(result["documents"], "document")
    lines = [
        f"{seen}; {100 * result['unseen_share']:.1f} % of their words are not known, and not scored",
        *learned_from_lines(result["learned_from"]),
        "Even-numbered sentences given the odd-numbered ones of their document:",
        f"  {'':<10}       words  nats/word  perplexity",
    ]
    for name, part in (("all", result), *result["by_tag"].items()):
        figures = f"{part['words']:10,}  {part['nats_per_word']:9.4f}  {part['perplexity']:10.1f}"
        lines.append(f"  {name:<10}  {figures}")
    return "\n".join(lines)
