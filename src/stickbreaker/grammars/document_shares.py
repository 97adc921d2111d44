"""log p and rule shares of documents, for a grammar with a symbol `by_document`."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core import purposes
from stickbreaker.core.errors import UserError
from stickbreaker.core.random_streams import numbered_keys
from stickbreaker.core.records import Array
from stickbreaker.grammars.grammar_estimator import GrammarEstimator
from stickbreaker.grammars.model.documents.document_rules import Choices, draw_choices, types_of
from stickbreaker.grammars.model.grammar_sentences import Sentences
from stickbreaker.grammars.model.parser import LearnedGrammar
from stickbreaker.grammars.text_symbols import word_reader

SAMPLES = 50  # sweeps over a document after the burn-in


def choices_of(
    learned: LearnedGrammar, sentences: Sentences, numbers: NDArray[np.int64], seed: int = 0
) -> Choices:
    """Draw which of the grammar's rules for documents (topics) the sentences of each document use.

    numbers: of the documents that `sentences.documents` refers to; they key the random streams. Sentences
    that cannot be parsed are ignored.
    """
    assert learned.alpha is not None
    types = types_of(sentences._replace(letters=sentences.numbered(learned.new_symbol)))
    nats = learned.nats_by_rule(types.letters, types.starts)
    keys = numbered_keys(seed, purposes.ASSIGNMENTS, 0, numbers)
    weights = np.ones(len(learned.alpha))
    return draw_choices(types.codes, sentences.documents, nats, learned.alpha, weights, SAMPLES, keys)


def nats_of_documents(learned: LearnedGrammar, sentences: Sentences) -> float:
    """log p of all documents, in nats: a sum of logs of unbiased estimates, so too low on average."""
    numbers, places = np.unique(sentences.documents, return_inverse=True)
    found = choices_of(learned, sentences._replace(documents=places.astype(np.int64)), numbers)
    return float(found.scores.sum())


def log_p_of_all(learned: LearnedGrammar, sentences: Sentences, nats: Array) -> float:
    """log p in nats of all sentences that can be parsed, or of documents if the grammar has weights by
    document.

    learned: `opened`; nats: log p of each sentence independently.
    """
    if learned.alpha is not None:
        return nats_of_documents(learned, sentences)
    return float(nats[np.isfinite(nats)].sum())


def shares_of(model: GrammarEstimator, texts: Iterable[str], seed: int = 0) -> Array:
    """The expected probabilities of the start symbol's rules (topics) in each text (documents × rules).

    New words are parsed by their spelling. Raises UserError for a grammar without weights by document.
    """
    learned = model.learned_.opened
    if learned.alpha is None:
        problem = "documents have no rule weights of their own in this grammar"
        raise UserError(problem, remedy='learn the grammar "topic" by inference="hybrid"')
    content = model._lines_of(texts)
    n = len(content.tokens)
    if model._of_topics:
        words = list(dict.fromkeys(word for line in content.tokens for word in line))
        rows = {word: row for row, word in enumerate(words)}
        given = np.array([rows[word] for line in content.tokens for word in line], np.int32)
        reader = word_reader(words, model.compiled_.terminals, None)
        sentences = reader.read(replace(content.content, words=given), documents=np.arange(n))
    else:
        sentences = model._sentences_in(content.content)
    gamma = choices_of(learned, sentences, np.arange(n), seed).gamma
    return gamma / gamma.sum(axis=1, keepdims=True)
