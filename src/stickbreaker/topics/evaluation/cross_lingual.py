"""Evaluation on aligned corpora, whose documents have texts in two languages: is one side of a document found
from the other, and do a topic's words in both languages occur together?
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from stickbreaker.core.arguments import refuse_no, refuse_other_number
from stickbreaker.core.errors import UserError
from stickbreaker.corpus.shards import Bags
from stickbreaker.topics.evaluation.coherence import Coherence, distinct_words, in_documents, npmi_of
from stickbreaker.topics.evaluation.nearest import roots_of

QUERIES_AT_ONCE = 1024
TIE = 1e-12  # similarities that differ by less are equal


def one_side(bags: Bags, rows: slice) -> Bags:
    """The same documents with only the words of one language: those in a range of rows of the vocabulary,
    `vocabulary.ranges[code]`. Documents without such words become empty.

    Tokens outside the vocabulary are not counted by language, so the result has none.

    >>> bags = Bags(np.array([0, 2]), np.array([1, 4]), np.ones(2, np.float32), np.zeros(1, np.float32))
    >>> one_side(bags, slice(3, 6)).words.tolist()
    [4]
    """
    refuse_no("bags", bags, Bags, "corpus.bags(block)")
    refuse_no("rows", rows, slice, "vocabulary.ranges[code]")
    kept = (bags.words >= rows.start) & (bags.words < rows.stop)
    offsets = np.concatenate([[0], np.cumsum(kept)])[bags.offsets].astype(np.int64)
    return Bags(offsets, bags.words[kept], bags.counts[kept], np.zeros_like(bags.unseen))


def both_sides(bags: Bags, first: slice, second: slice) -> Bags:
    """Only the documents that have words in both ranges of rows, those of two languages; their words are
    unchanged.

    >>> bags = Bags(np.array([0, 2, 3]), np.array([0, 4, 1]), np.ones(3), np.zeros(2))
    >>> both_sides(bags, slice(0, 3), slice(3, 6)).words.tolist()
    [0, 4]
    """
    lengths = [np.diff(one_side(bags, rows).offsets) for rows in (first, second)]
    return bags.take(np.flatnonzero((lengths[0] > 0) & (lengths[1] > 0)))


def retrieval_mrr(theta_a: ArrayLike, theta_b: ArrayLike) -> float:
    """Mean reciprocal rank of each document's text in a second language, found by its text in a first one; in
    (0, 1], higher is better.

    `theta_a`, `theta_b` (documents × topics): topic shares of the texts in the two languages, with rows for
    the same documents. Each row of `theta_a` ranks all rows of `theta_b` by Hellinger distance; ties get the
    mean of their ranks, so if all rows are equal, ranks are (1 + D) / 2. Time grows with D² K.
    Chance is about log(D) / D, see `chance_mrr`. Raises UserError unless the shapes are the same and shares
    finite and not negative.

    >>> retrieval_mrr([[1, 0], [0, 1]], [[0.9, 0.1], [0.2, 0.8]])
    1.0
    """
    a, b = roots_of(theta_a), roots_of(theta_b)
    if a.ndim != 2 or a.shape != b.shape or not len(a):
        raise UserError(f"the sides are {a.shape} and {b.shape}", remedy="give one row per document in both")
    total = 0.0
    for start in range(0, len(a), QUERIES_AT_ONCE):
        affinity = a[start : start + QUERIES_AT_ONCE] @ b.T  # 1 - squared distance
        own = affinity[np.arange(len(affinity)), np.arange(start, start + len(affinity))][:, None]
        before = (affinity > own + TIE).sum(axis=1)
        equal = (np.abs(affinity - own) <= TIE).sum(axis=1)
        total += float((1 / (before + (equal + 1) / 2)).sum())
    return total / len(a)


def chance_mrr(documents: int) -> float:
    """The expected reciprocal rank (1 / rank) of one document in a random order of `documents` documents.

    >>> chance_mrr(2)
    0.75
    """
    refuse_other_number("documents", documents)
    return float((1 / np.arange(1, documents + 1)).mean())


def cross_lingual_npmi(top_a: ArrayLike, top_b: ArrayLike, blocks: Iterable[Bags], n_words: int) -> Coherence:
    """Coherence across two languages: the mean NPMI of each top word in one language with each of the same
    topic's top words in the other (Hao et al. 2018).

    `top_a` (K × N) and `top_b` (K × M): row numbers below `n_words`; two words co-occur if an aligned
    document has both. `blocks`: only documents with both languages (`both_sides`). Pairs that never co-occur,
    or are in every document, count as in `npmi`.

    >>> bags = Bags(np.array([0, 2, 4]), np.array([0, 2, 1, 3]), np.ones(4), np.zeros(2))
    >>> cross_lingual_npmi([[0], [0]], [[2], [3]], [bags], 4).per_topic
    array([ 1., -1.])
    """
    a, b = np.asarray(top_a, np.int64), np.asarray(top_b, np.int64)
    if a.ndim != 2 or b.ndim != 2 or len(a) != len(b) or not a.size * b.size:
        raise UserError(f"top words are {a.shape} and {b.shape}", remedy="give those of the same topics")
    distinct, position = distinct_words(np.concatenate([a, b], axis=1), n_words)
    left, right = np.indices((a.shape[1], b.shape[1])).reshape(2, -1)
    meetings = in_documents(distinct, blocks, n_words)
    return npmi_of(position[:, left], position[:, a.shape[1] + right], meetings)
