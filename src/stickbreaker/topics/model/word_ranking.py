"""Five rankings of a topic's words.

"support", the default, ranks words by how far documents support them, then by how often they occur together.
With q_k(w) a lower bound of the share of w in topic k, in which each document is one witness, and p(w) its
share overall (`word_support.py`), the score of a word is its term of KL(q_k || p),

    q_k(w) log (q_k(w) / p(w)).

Then those of a topic's first words come first that often occur with the others within 200 words of text. If
this was not counted, words are ranked by "documents".

"documents" counts documents in place of tokens: the same score, with q_k the shares of words in the documents
of a topic and p those in all documents. If document counts were stored (`WordDocuments`), q and p are known.
Otherwise they are estimated from the table, with r(w), the documents per token of a word (1 if unknown):

    q_k(w) ∝ p(w|k) r(w),    p(w) ∝ Σ_k share_k p(w|k) r(w).

"company" moves those of the first words by documents to the front that often occur in the same documents as
the others. A topic's most probable words ("probability") are partly those of the whole collection.
"relevance" (Sievert and Shirley 2014, eq. 1) also considers how much more frequent a word is in the topic
than elsewhere:

    λ log p(w|k) + (1 - λ) log (p(w|k) / p(w)),    λ = 0.6.

Like p(w|k), all rankings are within a language.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Array
from stickbreaker.core.topk import SAME, largest
from stickbreaker.topics.model.topic_words import TopicWords, parts_of
from stickbreaker.topics.model.word_documents import Side, WordDocuments, joined_side
from stickbreaker.topics.model.word_scores import OUTSIDE, divergence_scores, order_by_company

SUPPORT, DOCUMENTS, COMPANY = "support", "documents", "company"
RELEVANCE, PROBABILITY = "relevance", "probability"
DEFAULT = SUPPORT
WEIGHT = 0.6  # λ
LEAST_OF_TENTH = 0.1  # least frequency of a relevant word, relative to the topic's tenth word
TENTH = 10


class RankedWords(NamedTuple):
    """The numbers of each topic's words, best first, and their probabilities in the topic (both topics ×
    n).
    """

    words: NDArray[np.int64]
    probabilities: Array


class WordEvidence(NamedTuple):
    """The data for ranking topics' words.

    `topics`: E[beta]; `shares` (K): the topics' shares of all tokens. `per_token` (V): documents per token of
    each word, None if unknown. `counted`: counts from the training documents, None if nothing was counted.
    """

    topics: TopicWords
    shares: Array
    per_token: Array | None = None
    counted: WordDocuments | None = None


def leading_words(topics: TopicWords, n: int, within: slice = slice(None)) -> RankedWords:
    """The `n` most probable words of each topic, among the vocabulary rows `within`; ties by number.

    There are fewer if there are fewer rows.

    >>> from stickbreaker.topics.model.topic_words import Dense
    >>> [found.tolist() for found in leading_words(Dense(np.array([[0.2, 0.5, 0.3]])), 2)]
    [[[1, 2]], [[0.5, 0.3]]]
    """
    places, values = np.zeros((topics.shape[0], 0), np.int64), np.zeros((topics.shape[0], 0))
    for rows, part in parts_of(topics, within):
        own, best = largest(part, n)
        places, values = np.hstack([places, own + rows.start]), np.hstack([values, best])
        order, values = largest(values, n, places)
        places = np.take_along_axis(places, order, axis=1)
    return RankedWords(places, values)


def relevant_words(
    topics: TopicWords, shares: ArrayLike, n: int, within: slice = slice(None), weight: float = WEIGHT
) -> RankedWords:
    """The `n` most relevant words of each topic (Sievert and Shirley 2014), among the vocabulary rows
    `within`; ties by number.

    `shares` (topics): the topics' shares of all tokens; `weight`: λ, the weight of a word's frequency in the
    topic against its lift, p(w|k) / p(w). Words less than a tenth as frequent in the topic as its tenth word
    come last, by probability, since lift would favour accidents among them. There are fewer words if the
    vocabulary has fewer. The table is read twice, part by part.

    >>> from stickbreaker.topics.model.topic_words import Dense
    >>> words = Dense(np.array([[0.5, 0.4, 0.1], [0.5, 0.1, 0.4]]))
    >>> relevant_words(words, [0.5, 0.5], 2).words.tolist()
    [[1, 0], [2, 0]]
    """
    weights = np.asarray(shares, np.float64)
    least = least_probability(leading_words(topics, TENTH, within).probabilities)

    def scores(rows: slice, part: Array) -> Array:
        with np.errstate(divide="ignore"):
            frequency = np.log(part)
        relevant = relevance(frequency, np.log(np.maximum(weights @ part, 1e-300)), weight)
        return np.where(part >= least[:, None], relevant, frequency - OUTSIDE)

    return _best_words(topics, scores, n, within)


def characteristic_words(evidence: WordEvidence, n: int, within: slice = slice(None)) -> RankedWords:
    """The `n` words that best distinguish each topic's documents from all documents, estimated from the
    table; ties by number.

    A word's score is its term in KL(q_k || p): q_k, p are the words' shares in the documents of topic k, and
    in all. The table is read twice, part by part.

    >>> from stickbreaker.topics.model.topic_words import Dense
    >>> words = Dense(np.array([[0.5, 0.4, 0.1], [0.5, 0.1, 0.4]]))
    >>> characteristic_words(WordEvidence(words, np.array([0.5, 0.5])), 2).words.tolist()
    [[1, 0], [2, 0]]
    """
    topics, weights = evidence.topics, np.asarray(evidence.shares, np.float64)
    totals = document_weights(evidence, within)
    overall = max(float(weights @ totals), 1e-300)

    def scores(rows: slice, part: Array) -> Array:
        scaled = _scaled(evidence, rows, part)
        q = scaled / np.maximum(totals, 1e-300)[:, None]
        return divergence_scores(q, (weights @ scaled) / overall)

    return _best_words(topics, scores, n, within)


def document_weights(evidence: WordEvidence, within: slice = slice(None)) -> Array:
    """The mean of r(w), the documents per token of a word, over the words of each topic (K): Σ_w p(w|k) r(w).

    `within`: the sum is over these rows of the vocabulary only.
    """
    totals = np.zeros(evidence.topics.shape[0])
    for rows, part in parts_of(evidence.topics, within):
        totals += _scaled(evidence, rows, part).sum(axis=1)
    return totals


def _scaled(evidence: WordEvidence, rows: slice, part: Array) -> Array:
    return part if evidence.per_token is None else part * evidence.per_token[rows]


def supported_words(evidence: WordEvidence, n: int, within: slice = slice(None)) -> RankedWords:
    """The `n` words of each topic that documents support best, of which the first (at most 30) are also
    ranked by how often they occur together with the others.

    Words after the stored ones are those of `characteristic_words`. If the support of words was not counted,
    these are `document_words`.
    """
    side = _side_of(evidence, within)
    if side is None or side.support is None:
        return document_words(evidence, n, within)
    words, company = side.support.words, side.support.company
    return _with_rest(words if company is None else order_by_company(words, company), evidence, n, within)


def document_words(evidence: WordEvidence, n: int, within: slice = slice(None)) -> RankedWords:
    """The `n` words that best distinguish each topic's documents from all documents, by the document counts
    stored after learning.

    Words after the stored ones, or all if nothing was counted, are those of `characteristic_words`.
    """
    side = _side_of(evidence, within)
    if side is None:
        return characteristic_words(evidence, n, within)
    return _with_rest(side.words, evidence, n, within)


def joined_documents(evidence: WordEvidence, members: Sequence[Sequence[int]]) -> WordDocuments | None:
    """The document counts of groups of topics, for ranking a group's words; None if documents were not
    counted.

    members: the topics of each group. A group's count of a word is the sum over its members. A member stores
    counts of its first words only; that of another word is estimated from the table, as the member's total ×
    q_k(w), the word's share in the documents of topic k.
    """
    if evidence.counted is None:
        return None
    return WordDocuments(tuple(_joined(evidence, side, members) for side in evidence.counted.sides))


def _joined(evidence: WordEvidence, side: Side, members: Sequence[Sequence[int]]) -> Side:
    weights = document_weights(evidence, side.rows)

    def estimate(k: int, words: NDArray[np.int64]) -> Array:
        part = evidence.topics.of(words)[k]
        scaled = part if evidence.per_token is None else part * evidence.per_token[words]
        return side.totals[k] * scaled / max(float(weights[k]), 1e-300)

    return joined_side(side, members, estimate)


def words_in_company(evidence: WordEvidence, n: int, within: slice = slice(None)) -> RankedWords:
    """The `n` words of each topic as `document_words` ranks them, except that the first ones (at most 30) are
    also ranked by how often they occur together with the others.

    Raises UserError if co-occurrences were not counted.
    """
    side = _side_of(evidence, within)
    if side is None or side.company is None:
        problem = f"by={COMPANY!r}: the model has not counted which words occur together"
        raise UserError(problem, remedy="fit it again")
    return _with_rest(order_by_company(side.words, side.company), evidence, n, within)


def _side_of(evidence: WordEvidence, within: slice) -> Side | None:
    """What was counted of the words in these vocabulary rows; None if nothing is stored for exactly these."""
    if evidence.counted is None:
        return None
    return evidence.counted.side(within, evidence.topics.shape[1])


def _with_rest(kept: NDArray[np.int64], evidence: WordEvidence, n: int, within: slice) -> RankedWords:
    """Each topic's first `n` words: those of `kept` (topics × words), then, if these are too few, others as
    `characteristic_words` ranks them.
    """
    n = max(n, 0)
    words = kept[:, :n]
    if n > kept.shape[1]:
        others = characteristic_words(evidence, n, within).words
        missing = others.shape[1] - kept.shape[1]
        rest = [own[~np.isin(own, first)][:missing] for own, first in zip(others, kept, strict=True)]
        words = np.hstack([kept, np.array(rest, np.int64).reshape(len(kept), missing)])
    rows, places = np.unique(words, return_inverse=True)
    found = evidence.topics.of(rows)
    return RankedWords(words, np.take_along_axis(found, places.reshape(words.shape), axis=1))


def _best_words(
    topics: TopicWords, scores_of: Callable[[slice, Array], Array], n: int, within: slice
) -> RankedWords:
    """The `n` words of each topic with the largest scores, which are logarithms; ties by number.

    `scores_of`: a function of rows and their E[beta] (topics × rows); returns scores of the same shape.
    """
    n_topics = topics.shape[0]
    places, values, scores = np.zeros((n_topics, 0), np.int64), *np.zeros((2, n_topics, 0))
    for rows, part in parts_of(topics, within):
        own, best = largest(scores_of(rows, part), n, logs=True)
        places, scores = np.hstack([places, own + rows.start]), np.hstack([scores, best])
        values = np.hstack([values, np.take_along_axis(part, own, axis=1)])
        order, scores = largest(scores, n, places, logs=True)
        places = np.take_along_axis(places, order, axis=1)
        values = np.take_along_axis(values, order, axis=1)
    return RankedWords(places, values)


def relevance(log_probability: Array, log_overall: Array, weight: float) -> Array:
    """The relevance of words in topics: λ log p(w|k) + (1 - λ) log (p(w|k) / p(w)), from the logs of both;
    weight: λ.
    """
    return log_probability - (1 - weight) * log_overall


def least_probability(leading: Array) -> Array:
    """The probability in each topic (topics) below which a word is too rare to be relevant: a tenth of that
    of its tenth word, or of its last if there are fewer.

    leading (topics × n): the probabilities of each topic's most probable words, descending.
    """
    if not leading.shape[1]:
        return np.zeros(len(leading))
    return LEAST_OF_TENTH * (1.0 - SAME) * leading[:, min(TENTH, leading.shape[1]) - 1]


def _by_relevance(evidence: WordEvidence, n: int, within: slice = slice(None)) -> RankedWords:
    return relevant_words(evidence.topics, evidence.shares, n, within)


def _by_probability(evidence: WordEvidence, n: int, within: slice = slice(None)) -> RankedWords:
    return leading_words(evidence.topics, n, within)


Ranking = Callable[[WordEvidence, int, slice], RankedWords]
RANKINGS: Mapping[str, Ranking] = {
    SUPPORT: supported_words,
    DOCUMENTS: document_words,
    COMPANY: words_in_company,
    RELEVANCE: _by_relevance,
    PROBABILITY: _by_probability,
}


def ranking(by: str) -> Ranking:
    """The function that ranks words by the ranking of this name: "support", "documents", "company",
    "relevance" or "probability". Raises UserError for an unknown name.

    >>> ranking("documents") is document_words
    True
    """
    found = RANKINGS.get(by)
    if found is None:
        names = list(RANKINGS)
        raise UserError(f"by={by!r}", remedy=f"words are ranked by {', '.join(names[:-1])} or {names[-1]}")
    return found
