"""How well a grammar cuts sentences while it learns: F1 of some of them, whose words are known by spaces."""

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np

from stickbreaker.core.records import Record, TruncatedCounts
from stickbreaker.corpus import Analysis, Corpus
from stickbreaker.corpus.sequences import Sequences
from stickbreaker.corpus.source import Source
from stickbreaker.engines import Engine
from stickbreaker.grammars.grammar_estimator import GrammarEstimator
from stickbreaker.grammars.grammar_scores import gold_of
from stickbreaker.grammars.model.compiled import Compiled
from stickbreaker.grammars.model.online_grammar import OnlineGrammar
from stickbreaker.grammars.parsing import segmented_texts
from stickbreaker.grammars.segmentation_agreement import SEGMENTATION, segmentation_of
from stickbreaker.grammars.training_sentences import without_uses

PART, FEWEST, MOST = 50, 20, 50  # one document of so many is in the sample: at least, and at most so many
MOST_AT_END = 1_000  # documents of a learned grammar's sample
TREES = 11  # drawn of each sentence: few, since a run is not to wait for them; odd, so that no cut is in half

Measure = Callable[[Engine, Any, Record], dict[str, Any]]


def segmentation_measure(
    estimator: GrammarEstimator, corpus: Corpus, source: Source, grammar: Compiled
) -> Measure | None:
    """What tells, of a table and params, how like the words of the text the pieces are that sentences would
    be cut into now: {"segmentation": {"documents", "token_f1", "boundary_f1"}}.

    It is of a sample of the documents to learn from, at most 50, spread evenly over them, and the same
    throughout. None if no blank in the sample parts words, where documents have no text, and of grammars
    by which nothing is cut.
    """
    if estimator.of_topics:
        return None
    probe = copy(estimator)  # a model as it would be, were the run over
    probe.vocabulary_, probe.analysis_ = corpus.vocabulary, corpus.analysis or Analysis()
    probe.corpus_ = {"documents": corpus.n_documents}
    probe.grammar_ = estimator.grammar_of(corpus.vocabulary, corpus.n_documents)
    probe.learned_ = without_uses(grammar)
    n = int(source.training.sum())
    size = min(n, MOST, max(FEWEST, n // PART))
    texts = _sample(corpus, source, size) if probe.symbol_number(None) != grammar.start else []
    gold = gold_of(probe, texts)
    if not any(len(words) > 1 for words in gold):
        return None
    letters = probe.sentences_in(probe.lines_of(texts).content).letters

    def measure(engine: Engine, model: OnlineGrammar, params: Record) -> dict[str, Any]:
        counts = engine.table.whole()
        assert isinstance(counts, TruncatedCounts)
        probe.learned_, probe.params_ = model.learned(params, counts, letters), params
        cut = segmented_texts(probe, texts, n_trees=TREES)
        found = segmentation_of([one.pieces for one in cut], gold)
        of_sample = {"documents": len(texts), "token_f1": found.token.f1, "boundary_f1": found.boundary.f1}
        return {SEGMENTATION: of_sample}

    return measure


def agreement_with_blanks(
    estimator: GrammarEstimator, corpus: Corpus, held_out: float
) -> dict[str, Any] | None:
    """How like the words of the text the pieces are that a learned grammar cuts it into: {"documents",
    "token_f1", "boundary_f1"}, of at most 1,000 documents learned from. None if no blank parts words, if
    documents have no text, and of grammars by which nothing is cut."""
    if estimator.of_topics or estimator.symbol_number(None) == estimator.compiled_.start:
        return None
    source = Source(corpus, held_out, unit=Sequences)
    texts = _sample(corpus, source, min(int(source.training.sum()), MOST_AT_END))
    gold = gold_of(estimator, texts)
    if not any(len(words) > 1 for words in gold):
        return None
    found = segmentation_of([one.pieces for one in segmented_texts(estimator, texts, n_trees=TREES)], gold)
    return {"documents": len(texts), "token_f1": found.token.f1, "boundary_f1": found.boundary.f1}


def _sample(corpus: Corpus, source: Source, size: int) -> list[str]:
    """The texts of that many of the documents to learn from; one that has none, or several, is left out."""
    training = np.flatnonzero(source.training)
    chosen = training[np.linspace(0, len(training) - 1, size).round().astype(np.int64)]
    blocks = np.searchsorted(source.first, chosen, side="right") - 1
    texts: list[str] = []
    for block in np.unique(blocks).tolist():
        documents = corpus.documents(block, (chosen[blocks == block] - source.first[block]).tolist())
        texts += [document.text for document in documents if document.text is not None]
    return texts
