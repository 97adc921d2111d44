"""How well a grammar segments: F1 on sample sentences in which spaces show the words."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.records import Record, TruncatedCounts
from stickbreaker.corpus import Analysis, Corpus
from stickbreaker.corpus.sequences import Sequences
from stickbreaker.corpus.source import Source
from stickbreaker.engines import Engine
from stickbreaker.grammars.grammar_scores import gold_of
from stickbreaker.grammars.model.compiled import Compiled
from stickbreaker.grammars.model.online_grammar import OnlineGrammar
from stickbreaker.grammars.parsing import segmented_texts
from stickbreaker.grammars.plan import grammar_of, has_topics
from stickbreaker.grammars.segmentation_agreement import SEGMENTATION, segmentation_of
from stickbreaker.grammars.settings import GrammarSettings
from stickbreaker.grammars.text_grammar import TextGrammar
from stickbreaker.grammars.training_sentences import without_uses

PART, FEWEST, MOST = 50, 20, 50  # one document in 50 is sampled, but from 20 to 50 of them
MOST_AT_END = 1_000  # documents in the sample for a learned grammar
TREES = 11  # drawn per sentence: few, to save time; odd, so that no cut is in exactly half of them

Measure = Callable[[Engine, Any, Record], JsonObject]


def segmentation_measure(
    settings: GrammarSettings, corpus: Corpus, source: Source, grammar: Compiled
) -> Measure | None:
    """A function that scores a run's present segmentation against the words of the text, for its trace.

    The function takes the engine, the model and its params, and returns {"segmentation": {"documents",
    "token_f1", "boundary_f1"}}, on a fixed sample of at most `MOST` training documents, spread evenly. None
    instead of a function if the sample has no spaces between words, if documents have no text, or if the
    grammar does not segment.
    """
    if has_topics(settings):
        return None
    vocabulary, analysis, documents = corpus.vocabulary, corpus.analysis or Analysis(), corpus.n_documents
    rules = grammar_of(settings, vocabulary, documents)
    start = TextGrammar(settings, vocabulary, analysis, documents, rules, without_uses(grammar), {})
    n = int(source.training.sum())
    size = min(n, MOST, max(FEWEST, n // PART))
    texts = _sample(corpus, source, size) if start.symbol_number(None) != grammar.start else []
    gold = gold_of(start, texts)
    if not any(len(words) > 1 for words in gold):
        return None
    letters = start.sentences_in(start.lines_of(texts).content).letters

    def measure(engine: Engine, model: OnlineGrammar, params: Record) -> JsonObject:
        counts = engine.table.whole()
        assert isinstance(counts, TruncatedCounts)
        now = replace(start, parser=model.learned(params, counts, letters), params=params)
        cut = segmented_texts(now, texts, n_trees=TREES)
        found = segmentation_of([one.pieces for one in cut], gold)
        of_sample = {"documents": len(texts), "token_f1": found.token.f1, "boundary_f1": found.boundary.f1}
        return {SEGMENTATION: of_sample}

    return measure


def agreement_with_blanks(model: TextGrammar, corpus: Corpus, held_out: float) -> JsonObject | None:
    """Compare the pieces that a learned grammar cuts with the words of its text, which spaces separate.

    Returns {"documents", "token_f1", "boundary_f1"}, on at most `MOST_AT_END` training documents; None if
    there are no spaces between words, if documents have no text, or if the grammar does not segment.
    held_out: the share of documents that the run held out, which are not training documents.
    """
    if model.has_topics or model.symbol_number(None) == model.compiled.start:
        return None
    source = Source(corpus, held_out, unit=Sequences)
    texts = _sample(corpus, source, min(int(source.training.sum()), MOST_AT_END))
    gold = gold_of(model, texts)
    if not any(len(words) > 1 for words in gold):
        return None
    found = segmentation_of([one.pieces for one in segmented_texts(model, texts, n_trees=TREES)], gold)
    return {"documents": len(texts), "token_f1": found.token.f1, "boundary_f1": found.boundary.f1}


def _sample(corpus: Corpus, source: Source, size: int) -> list[str]:
    """The texts of `size` training documents, evenly spaced; documents without a text are left out."""
    training = np.flatnonzero(source.training)
    chosen = training[np.linspace(0, len(training) - 1, size).round().astype(np.int64)]
    blocks = np.searchsorted(source.first, chosen, side="right") - 1
    texts: list[str] = []
    for block in np.unique(blocks).tolist():
        documents = corpus.documents(block, (chosen[blocks == block] - source.first[block]).tolist())
        texts += [document.text for document in documents if document.text is not None]
    return texts
