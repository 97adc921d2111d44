"""A corpus as single tokens, for the samplers that assign a topic to each."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Array
from stickbreaker.corpus.shards import Bags

MOST = 2**24  # tokens of one word in a document, since samplers count in single precision


class TokensInOrder(NamedTuple):
    """The tokens of a corpus in document order. `words` (tokens): the word number of each; document d has the
    tokens from `offsets[d]` to `offsets[d + 1]` (exclusive); `n_words`: the size of the vocabulary;
    `covariates` (documents × columns): numbers by which priors differ, None if they do not.
    """

    words: NDArray[np.int32]  # tokens: row of the table
    offsets: NDArray[np.int64]  # documents + 1
    n_words: int
    covariates: Array | None = None


def tokens_in_order(blocks: Iterable[Bags], n_words: int, covariates: Array | None = None) -> TokensInOrder:
    """List the tokens of documents, n for each word with count n. Raises UserError for counts that are
    fractional, or above 2 ** 24.

    >>> bags = Bags(np.array([0, 2]), np.array([4, 7]), np.array([2.0, 1.0]), np.zeros(1))
    >>> tokens_in_order([bags], 8).words.tolist()
    [4, 4, 7]
    """
    words: list[NDArray[np.int32]] = [np.empty(0, np.int32)]
    lengths: list[NDArray[np.int64]] = [np.zeros(1, np.int64)]
    for bags in blocks:
        counts = whole_counts(bags.counts)
        words.append(np.repeat(bags.words, counts).astype(np.int32))
        running = np.concatenate([[0], np.cumsum(counts)])
        lengths.append(np.diff(running[bags.offsets]))
    offsets = np.cumsum(np.concatenate(lengths))
    return TokensInOrder(np.concatenate(words), offsets, n_words, covariates)


def whole_counts(counts: NDArray[np.float32]) -> NDArray[np.int64]:
    """Counts as integers. Raises UserError if one is fractional, or above 2 ** 24, too large for sampling."""
    whole = np.rint(counts).astype(np.int64)
    right = (whole == counts) & (whole <= MOST)
    if not right.all():
        wrong = float(counts[~right][0])
        mistake = (
            f"is above {MOST:,}" if wrong > MOST else "is not a whole number, and sampling needs whole tokens"
        )
        raise UserError(
            f"a word's weight of {wrong:g} {mistake}",
            remedy='use inference="mean-field" and fold_in="mean-field", or give counts',
        )
    return whole
