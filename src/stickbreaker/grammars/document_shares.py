"""log p of documents and their shares of rules, if a grammar has rule weights of each document (topics)."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core import purposes
from stickbreaker.core.errors import UserError
from stickbreaker.core.random_streams import numbered_keys
from stickbreaker.core.records import Array
from stickbreaker.grammars.model.documents.document_rules import Choices, draw_choices, types_of
from stickbreaker.grammars.model.grammar_sentences import Sentences
from stickbreaker.grammars.model.sentence_parser import LearnedGrammar
from stickbreaker.grammars.text_grammar import TextGrammar
from stickbreaker.grammars.text_symbols import word_reader

SAMPLES = 50  # sweeps over a document after the burn-in


def choices_of(
    learned: LearnedGrammar, sentences: Sentences, numbers: NDArray[np.int64], seed: int = 0
) -> Choices:
    """Sample which of the start symbol's rules (topics) the sentences of each document use.

    learned: a grammar as `LearnedGrammar.opened` returns it, in which documents have rule weights of their
    own. `sentences.documents` counts documents from 0; numbers (documents): the number of each, which
    selects its random stream. Sentences that cannot be parsed are ignored.
    """
    assert learned.alpha is not None
    types = types_of(sentences._replace(letters=sentences.numbered(learned.new_symbol)))
    nats = learned.nats_by_rule(types.letters, types.starts)
    keys = numbered_keys(seed, purposes.ASSIGNMENTS, 0, numbers)
    weights = np.ones(len(learned.alpha))
    return draw_choices(types.codes, sentences.documents, nats, learned.alpha, weights, SAMPLES, keys)


def nats_of_documents(learned: LearnedGrammar, sentences: Sentences) -> float:
    """Estimate log p of all documents, in nats, if each has its own weights for the rules (topics).

    learned: as in `choices_of`. Each document's p is estimated without bias by sampling, so that the sum of
    logs is too low on average.
    """
    numbers, places = np.unique(sentences.documents, return_inverse=True)
    found = choices_of(learned, sentences._replace(documents=places.astype(np.int64)), numbers)
    return float(found.scores.sum())


def log_p_of_all(learned: LearnedGrammar, sentences: Sentences, nats: Array) -> float:
    """The total log p, in nats, of the sentences that can be parsed.

    nats: log p of each sentence on its own, -inf if it cannot be parsed; learned: the grammar, as `opened`
    returns it. If documents have their own weights for its rules, sentences of a document are not
    independent: `nats` is then ignored, and whole documents are scored.
    """
    if learned.alpha is not None:
        return nats_of_documents(learned, sentences)
    return float(nats[np.isfinite(nats)].sum())


def shares_of(model: TextGrammar, texts: Iterable[str], seed: int = 0) -> Array:
    """(documents × rules) The expected probabilities of the start symbol's rules (topics) in each text.

    A text without sentences has those of the prior. New words are parsed by their spelling. Raises UserError
    for a grammar in which documents have no weights of their own.
    """
    learned = model.parser.opened
    if learned.alpha is None:
        problem = "documents have no rule weights of their own in this grammar"
        raise UserError(problem, remedy='learn the grammar "topic" by inference="hybrid"')
    content = model.lines_of(texts)
    n = len(content.tokens)
    if model.has_topics:
        words = list(dict.fromkeys(word for line in content.tokens for word in line))
        rows = {word: row for row, word in enumerate(words)}
        given = np.array([rows[word] for line in content.tokens for word in line], np.int32)
        reader = word_reader(words, model.compiled.terminals, None)
        sentences = reader.read(replace(content.content, words=given), documents=np.arange(n))
    else:
        sentences = model.sentences_in(content.content)
    gamma = choices_of(learned, sentences, np.arange(n), seed).gamma
    return gamma / gamma.sum(axis=1, keepdims=True)
