"""Do the top words of a topic keep company? Normalised pointwise mutual information over documents."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from stickbreaker.core.errors import UserError
from stickbreaker.corpus.shards import Bags


class Coherence(NamedTuple):
    """NPMI of topics, each in [-1, 1]: `per_topic` (K), their `mean`, and how many pairs were never seen."""

    per_topic: NDArray[np.float64]
    mean: float
    unseen_pairs: int


def npmi(top_words: ArrayLike, blocks: Iterable[Bags], n_words: int) -> Coherence:
    """Mean over the pairs of a topic's top words of log(p_ij / p_i p_j) / -log p_ij (Bouma 2009).

    `top_words` (K × N, integers below `n_words`), N of 2 or more, as a rule 10; `blocks` are the documents
    of the reference corpus, read once; p are shares of documents that have the word or both words.
    Nothing is smoothed, the limits are taken instead: a pair that never meets counts -1, also where one
    of its words never occurs; a pair that is in every document counts 0. So the result is never NaN.
    Memory: the pairs of the distinct top words that meet. Raises UserError without documents or pairs.

    >>> bags = Bags(np.array([0, 2, 3]), np.array([0, 1, 2]), np.ones(3), np.zeros(2))
    >>> npmi([[0, 1], [0, 2]], [bags], 3).per_topic
    array([ 1., -1.])
    """
    top = np.asarray(top_words, np.int64)
    if top.ndim != 2 or top.shape[1] < 2 or not top.size:
        raise UserError("coherence needs at least one topic with two top words")
    distinct, flat = np.unique(top, return_inverse=True)
    if distinct[0] < 0 or distinct[-1] >= n_words:
        raise UserError(f"a top word is outside the vocabulary of {n_words} words")
    together, documents = _meetings(distinct, blocks, n_words)
    if documents == 0:
        raise UserError("coherence needs documents")
    first, second = np.triu_indices(top.shape[1], 1)
    position = flat.reshape(top.shape)
    left, right = position[:, first], position[:, second]  # topics × pairs
    alone = together.diagonal()
    both = np.asarray(together[left.ravel(), right.ravel()], np.float64).reshape(left.shape)
    pairs = _npmi_of(both / documents, alone[left] / documents, alone[right] / documents)
    per_topic = pairs.mean(axis=1)
    return Coherence(per_topic, float(per_topic.mean()), int((both == 0).sum()))


def _meetings(
    distinct: NDArray[np.int64], blocks: Iterable[Bags], n_words: int
) -> tuple[sparse.csr_array, int]:
    """In how many documents each pair of distinct words meets (U × U), and the number of documents."""
    column = np.full(n_words, -1, np.int64)
    column[distinct] = np.arange(len(distinct))
    together = sparse.csr_array((len(distinct), len(distinct)), dtype=np.int64)
    documents = 0
    for bags in blocks:
        size = len(bags.offsets) - 1
        entry_column = column[bags.words]
        kept = entry_column >= 0
        rows = np.repeat(np.arange(size), np.diff(bags.offsets))[kept]
        ones = np.ones(len(rows), np.int64)
        presence = sparse.csr_array((ones, (rows, entry_column[kept])), shape=(size, len(distinct)))
        together = together + presence.T @ presence
        documents += size
    return sparse.csr_array(together), documents


def _npmi_of(
    both: NDArray[np.float64], left: NDArray[np.float64], right: NDArray[np.float64]
) -> NDArray[np.float64]:
    """NPMI of pairs from three arrays of probabilities of one shape, with the limits at 0 and 1."""
    result = np.where(both > 0, 0.0, -1.0)
    inner = (both > 0) & (both < 1)
    surprise = -np.log(both[inner])
    result[inner] = (np.log(both[inner] / (left[inner] * right[inner]))) / surprise
    return result
