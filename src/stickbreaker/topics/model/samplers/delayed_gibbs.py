"""Metropolis-Hastings over topic assignments with delayed counts: the time per token does not depend on the
number of topics.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.random_streams import numbered_keys
from stickbreaker.core.records import Array
from stickbreaker.topics import purposes
from stickbreaker.topics.kernels.samplers.delayed_gibbs import (
    Chain,
    Index,
    Prior,
    Range,
    count_words,
    index_words,
    visit_documents,
    visit_informed_words,
    visit_words,
)
from stickbreaker.topics.model.priors.dirichlet import DirichletPrior
from stickbreaker.topics.model.samplers.collapsed import CollapsedChain
from stickbreaker.topics.model.samplers.mean_counts import Arrays
from stickbreaker.topics.model.samplers.tokens import TokensInOrder
from stickbreaker.topics.model.vocabularies.closed import ClosedVocabulary

COMPACT = 1 << 16  # number of topics that fit in two bytes

Used = NDArray[np.int64]  # groups × topics


class DelayedGibbs(CollapsedChain):
    """WarpLDA (Chen et al. 2016), an approximate sampler for many topics, in which most counts are one phase
    old.

    A sweep has two phases. The first visits documents and accepts or rejects topics proposed from words'
    counts; the second visits words and does so with topics proposed from documents' counts. Each phase also
    draws the proposals for the next. Counts of the visited document (word) are up to date and, like the
    proposals, exclude the token itself; counts of topics and those behind a proposal are from the previous
    phase. With these fixed, every step leaves a token's conditional invariant, but the chain as a whole only
    samples near the posterior: on a planted corpus, a learned eta was 15 % above that of the exact chain.

    Time per token does not depend on the number of topics, and threads share the documents (words). More
    sweeps are needed than for exact sampling. Memory is 8 bytes per token (12 from 65,537 topics on), besides
    the tokens.
    """

    def __init__(
        self,
        tokens: TokensInOrder,
        assignments: NDArray[np.integer],
        documents: DirichletPrior,
        words: ClosedVocabulary,
        seed: int,
    ) -> None:
        super().__init__(tokens, documents, words, seed)
        groups = words.groups()
        self._offsets = by_group(tokens, groups, len(words.firsts))
        self._index = _by_word(tokens, groups)
        self._place(assignments, assignments)  # no proposals yet

    def sweep(self, number: int, threads: int) -> None:
        alpha = draws_of(self._alpha)

        def visit_some_documents(part: Range, used_out: Used) -> None:
            visit_documents(self._offsets, alpha, part, self._chain, used_out)

        self._phase(purposes.DELAYED_DOCUMENTS, number, threads, self._tokens.offsets, visit_some_documents)
        eta, visit = self._eta_and_kernel()

        def visit_some_words(part: Range, used_out: Used) -> None:
            visit(self._index, eta, part, self._chain, used_out)

        self._phase(purposes.DELAYED_WORDS, number, threads, self._index.offsets, visit_some_words)

    def counts(self) -> NDArray[np.int32]:
        counts = np.zeros((self._closed.n_words, len(self._alpha)), np.int32)
        count_words(self._index, self._chain.topics, counts)
        return counts

    def _state_arrays(self) -> Arrays:
        """The state as arrays of a snapshot: topics and proposed topics in document order, and the params
        that are learned.
        """
        topics, proposals = (array.copy() for array in self._chain)
        return {"assignments": topics, "proposals": proposals, **self._hyperparameters()}

    def _take_state(self, arrays: Arrays) -> None:
        """Restore a state, or start from another sampler's snapshot, which has no proposals: then each
        token's own topic is proposed.
        """
        self._place(arrays["assignments"], arrays.get("proposals", arrays["assignments"]))
        self._take_hyperparameters(arrays)

    def _topics(self) -> NDArray[np.integer]:
        return self._chain.topics

    def _totals(self) -> NDArray[np.int64]:
        return self._used

    def _place(self, assignments: NDArray[np.integer], proposals: NDArray[np.integer]) -> None:
        n_topics = self._documents.n_topics
        kind = np.uint16 if n_topics <= COMPACT else np.int32
        self._chain = Chain(self._checked(assignments).astype(kind), self._checked(proposals).astype(kind))
        n_groups = len(self._closed.firsts)
        cells = self._chain.topics
        if n_groups > 1:
            cells = cells + self._index.groups[self._tokens.words].astype(np.int64) * n_topics
        used = np.bincount(cells, minlength=n_groups * n_topics)
        self._used = used.astype(np.int64).reshape(n_groups, n_topics)

    def _eta_and_kernel(self) -> tuple[Array, Callable[..., None]]:
        """eta as an array, and the compiled function of the phase over words that takes it: eta is (words),
        or (words × topics) if it differs between topics.
        """
        eta = np.asarray(self._closed.prior(self._params, slice(None)), np.float64)
        if eta.ndim == 2 and eta.shape[1] > 1:
            return np.ascontiguousarray(eta), visit_informed_words
        return np.broadcast_to(eta.ravel(), self._closed.n_words).copy(), visit_words

    def _phase(
        self,
        purpose: str,
        number: int,
        threads: int,
        offsets: NDArray[np.int64],
        visit: Callable[[Range, Used], None],
    ) -> None:
        """Run one phase of a sweep: call `visit` for all documents or words, one range per thread, and then
        replace the counts of topics by those that the calls counted.

        offsets: where the tokens of each document (word) begin; visit: takes a range of them, and an array of
        zeros (groups × topics) to fill with its counts of topics; purpose, number: of the random draws.
        """
        keys = numbered_keys(self._seed, purpose, number, np.arange(len(offsets) - 1))
        totals = np.asarray(self._used + self._closed.prior_totals(self._params), np.float64)
        parts = [Range(first, last, keys, totals) for first, last in _equal_ranges(offsets, threads)]
        used = np.zeros((len(parts), *totals.shape), np.int64)
        if len(parts) == 1:
            visit(parts[0], used[0])
        elif parts:
            with ThreadPoolExecutor(len(parts)) as pool:
                list(pool.map(visit, parts, used))
        self._used = used.sum(axis=0)


def draws_of(alpha: Array) -> Prior:
    """alpha (topics) with its running sums and a lookup table, by which a topic can be drawn in proportion to
    alpha in constant time.
    """
    sums = np.cumsum(alpha)
    cells = np.arange(len(alpha)) * (sums[-1] / len(alpha))
    starts = np.minimum(np.searchsorted(sums, cells, side="right"), len(alpha) - 1)
    return Prior(alpha, sums, starts)


def by_group(tokens: TokensInOrder, groups: NDArray[np.int32], n_groups: int) -> NDArray[np.int64]:
    """Where the tokens of each group of words, such as a language, begin in each document: one array of
    documents × groups + 1 offsets.

    groups: the group of each word. Within a document, words ascend, so those of a group are adjacent.
    """
    if n_groups == 1:
        return tokens.offsets
    n_documents = len(tokens.offsets) - 1
    owners = np.repeat(np.arange(n_documents), np.diff(tokens.offsets))
    lengths = np.bincount(owners * n_groups + groups[tokens.words], minlength=n_documents * n_groups)
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _by_word(tokens: TokensInOrder, groups: NDArray[np.int32]) -> Index:
    n_tokens = len(tokens.words)
    offsets = np.zeros(tokens.n_words + 1, np.int64)
    np.cumsum(np.bincount(tokens.words, minlength=tokens.n_words), out=offsets[1:])
    index = Index(offsets, np.empty(n_tokens, np.int32 if n_tokens < 1 << 31 else np.int64), groups)
    index_words(tokens.words, index)
    return index


def _equal_ranges(offsets: NDArray[np.int64], number: int) -> Iterator[tuple[int, int]]:
    """Cut documents or words into at most `number` ranges with similar numbers of tokens, one per thread.
    Yields (first, last), last exclusive.

    offsets (documents or words + 1): where the tokens of each begin.
    """
    ends = np.searchsorted(offsets, np.arange(1, number) * (offsets[-1] / number))
    for first, last in pairwise([0, *ends.tolist(), len(offsets) - 1]):
        if first < last:
            yield first, last
