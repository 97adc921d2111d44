"""Diagnostics of topics for finding uninformative ones, like those of MALLET."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import entr, rel_entr

from stickbreaker.core.records import Array
from stickbreaker.core.topk import first_largest

PRESENT, MOST = 0.02, 0.5  # of a document's words: topic is present; document is about it


class Diagnostics(NamedTuple):
    """Diagnostics of each topic (arrays over topics).

    `tokens`: expected number. `document_entropy` (nats): of p(document | topic), low if it is concentrated in
    few documents. `word_length`: mean characters of its top words. `uniform_distance`, `corpus_distance`
    (nats): Kullback-Leibler divergence of its words from uniform shares, and from those of the documents; a
    topic close to the latter is uninformative. `effective_words`: 1 / sum of its words' squared
    probabilities. `exclusivity`: mean over its top words of the word's probability in this topic, divided by
    the sum of its probabilities in all topics. `first_documents`: of the documents in which
    the topic has a share of 2 % or more, the part in which it is the largest. `allocation_ratio`: documents
    that have half of their tokens or more in the topic, divided by those with 2 % or more.
    """

    tokens: Array
    document_entropy: Array
    word_length: Array
    uniform_distance: Array
    corpus_distance: Array
    effective_words: Array
    exclusivity: Array
    first_documents: Array
    allocation_ratio: Array


def diagnostics_of(
    topic_word: Array, top_words: Sequence[Sequence[int]], words: Sequence[str], shares: Array, tokens: Array
) -> Diagnostics:
    """Compute diagnostics of topics from their words and from documents' topic shares.

    `topic_word` (topics × words): rows sum to one; `top_words`: the numbers of each topic's top words;
    `words`: the vocabulary; `shares` (documents × topics); `tokens` (documents): their lengths. Documents
    without tokens are ignored.

    >>> beta = np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])
    >>> shares, tokens = np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([4.0, 2.0])
    >>> found = diagnostics_of(beta, [[0, 1], [2]], ["sea", "sand", "sky"], shares, tokens)
    >>> found.tokens.tolist(), found.effective_words.tolist(), found.allocation_ratio.tolist()
    ([5.0, 1.0], [2.0, 1.0], [1.0, 1.0])
    """
    shares, tokens = shares[tokens > 0.0], tokens[tokens > 0.0]
    counts = shares * tokens[:, None]
    totals = counts.sum(axis=0)
    of_documents = counts / np.maximum(totals, 1e-300)
    corpus = totals @ topic_word / max(totals.sum(), 1e-300)
    columns = topic_word.sum(axis=0)
    first = np.bincount(first_largest(shares.T), minlength=shares.shape[1]) if len(shares) else 0.0 * totals
    present, most = (shares >= PRESENT).sum(axis=0), (shares >= MOST).sum(axis=0)
    return Diagnostics(
        totals,
        entr(of_documents).sum(axis=0),
        np.array([np.mean([len(words[row]) for row in own]) if len(own) else 0.0 for own in top_words]),
        np.log(topic_word.shape[1]) * topic_word.sum(axis=1) - entr(topic_word).sum(axis=1),
        rel_entr(topic_word, np.maximum(corpus, 1e-300)).sum(axis=1),
        1.0 / np.maximum((topic_word**2).sum(axis=1), 1e-300),
        np.array([np.mean(topic_word[k, own] / columns[own]) for k, own in enumerate(map(list, top_words))]),
        first / np.maximum(present, 1),
        most / np.maximum(present, 1),
    )
