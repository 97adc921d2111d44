"""Exact collapsed Gibbs sampling of LDA: a chain over the topics of single tokens."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.random_streams import numbered_keys
from stickbreaker.corpus.shards import cut_blocks
from stickbreaker.topics import purposes
from stickbreaker.topics.kernels.samplers.gibbs import Block, Prior, Table, add_counts, sweep_all_topics
from stickbreaker.topics.kernels.samplers.sparse_gibbs import sweep_lists
from stickbreaker.topics.model.priors.dirichlet import DirichletPrior
from stickbreaker.topics.model.priors.prevalence import PrevalencePrior
from stickbreaker.topics.model.samplers.alpha_by_document import AlphaByDocument
from stickbreaker.topics.model.samplers.collapsed import CollapsedChain
from stickbreaker.topics.model.samplers.mean_counts import Arrays
from stickbreaker.topics.model.samplers.tokens import TokensInOrder
from stickbreaker.topics.model.vocabularies.closed import ClosedVocabulary

FEW_TOPICS = 500  # up to here loop over all topics, beyond it over those in the document; equally fast at 500
BLOCK_TOKENS = 2**20  # so that documents' lists or counts of a block stay in cache
BLOCK_CELLS = 2**22  # documents × topics of a block, when looping over all topics


class Visit(NamedTuple):
    """Consecutive documents that a sweep visits at once, with their tokens sorted by word.

    `block`: the sorted tokens; `tokens`: the range of these tokens in the corpus; `order`: for each sorted
    token, its position within that range; `documents`: the first, and the one after the last.
    """

    block: Block
    tokens: slice
    order: NDArray[np.int32]
    documents: tuple[int, int]


class CollapsedGibbs(CollapsedChain):
    """LDA's exact chain: each sweep draws every token's topic from p(z | all other z, w, alpha, eta) (Zhai
    2014, eq. 4.6).

    `assignments`: the initial topics of `tokens`, in document order. Tokens are visited by blocks of
    documents, word by word. Sweeps are sequential and use one thread.
    """

    def __init__(
        self,
        tokens: TokensInOrder,
        assignments: NDArray[np.integer],
        documents: DirichletPrior | PrevalencePrior,
        words: ClosedVocabulary,
        seed: int,
    ) -> None:
        super().__init__(tokens, documents, words, seed)
        by_document = isinstance(documents, PrevalencePrior)
        self._apart = AlphaByDocument(documents, tokens) if by_document else None
        self._few = documents.n_topics <= FEW_TOPICS or by_document
        self._visits = visits_of(tokens, words.groups(), documents.n_topics if self._few else None)
        self._place(assignments)
        self._before = self._topics()  # when alpha was learned last, if it differs between documents

    def sweep(self, number: int, threads: int) -> None:
        keys = numbered_keys(self._seed, purposes.GIBBS, number, np.arange(len(self._visits)))
        prior, kernel = self._prior(), sweep_all_topics if self._few else sweep_lists
        for visit, key, topics in zip(self._visits, keys, self._by_visit, strict=True):
            if self._apart is not None:
                prior = prior._replace(alphas=self._apart.alphas(self._params, *visit.documents))
            kernel(visit.block, self._table, prior, key, topics)

    def _learn_alpha(self) -> None:
        if self._apart is None:
            super()._learn_alpha()
            return
        topics = self._topics()
        taken = 0 if self._mean.sums is None else int(self._mean.sums.samples.max())
        self._params |= self._apart.learned(self._params, topics, self._before, taken)
        self._before = topics

    def _document_terms(self) -> float:
        if self._apart is None:
            return super()._document_terms()
        return self._apart.log_probability(self._params, self._topics())

    def counts(self) -> NDArray[np.int32]:
        return self._table.counts

    def _state_arrays(self) -> Arrays:
        """The state as arrays of a snapshot: topics in document order, and the params that are learned."""
        before = {} if self._apart is None else {"before": self._before.astype(self._assignments().dtype)}
        return {"assignments": self._assignments(), **before, **self._hyperparameters()}

    def _take_state(self, arrays: Arrays) -> None:
        self._place(arrays["assignments"])
        self._before = self._topics()
        if self._apart is not None:
            self._before = self._checked(arrays["before"]).astype(np.int32)
        self._take_hyperparameters(arrays)

    def _place(self, assignments: NDArray[np.integer]) -> None:
        """Set the topics of all tokens, given in document order, and recompute the counts."""
        self._checked(assignments)
        n_topics = self._documents.n_topics
        self._by_visit = [assignments[v.tokens][v.order].astype(np.int32) for v in self._visits]
        counts = np.zeros((self._tokens.n_words, n_topics), np.int32)
        self._table = Table(counts, np.zeros((len(self._closed.firsts), n_topics), np.int64))
        for visit, topics in zip(self._visits, self._by_visit, strict=True):
            add_counts(visit.block, topics, self._table)

    def _totals(self) -> NDArray[np.int64]:
        return self._table.totals

    def _topics(self) -> NDArray[np.int32]:
        return in_document_order(self._visits, self._by_visit, len(self._tokens.words))

    def _prior(self) -> Prior:
        eta = np.asarray(self._closed.prior(self._params, slice(None)), float)
        alpha = self._alpha
        totals = np.broadcast_to(self._closed.prior_totals(self._params), self._table.totals.shape)
        return Prior(
            alpha[None, :], np.ascontiguousarray(eta.reshape(-1, 1) if eta.ndim < 2 else eta), totals.copy()
        )


def in_document_order(
    visits: Sequence[Visit], by_visit: Sequence[NDArray[np.int32]], n_tokens: int
) -> NDArray[np.int32]:
    """The topics of all tokens in document order, from those of each visit, whose tokens are sorted by word.

    by_visit: for each visit, the topics of its sorted tokens.
    """
    out = np.empty(n_tokens, np.int32)
    for visit, topics in zip(visits, by_visit, strict=True):
        out[visit.tokens][visit.order] = topics
    return out


def visits_of(tokens: TokensInOrder, groups: NDArray[np.int32], n_topics: int | None) -> list[Visit]:
    """Divide the documents into blocks for the sweeps, with a limited number of tokens each.

    groups: the group (language) of each word; n_topics: if given, the number of documents × topics per block
    is limited too.
    """
    limit = 2**62 if n_topics is None else max(1, BLOCK_CELLS // n_topics)
    cuts = cut_blocks(tokens.offsets, BLOCK_TOKENS, limit)
    return [visit_of(tokens, groups, start, stop) for start, stop in cuts]


def visit_of(tokens: TokensInOrder, groups: NDArray[np.int32], start: int, stop: int) -> Visit:
    """The block of the documents `start` to `stop` (exclusive), with tokens sorted by word. groups: the group
    (language) of each word.
    """
    part = slice(int(tokens.offsets[start]), int(tokens.offsets[stop]))
    words = tokens.words[part]
    order = np.argsort(words, kind="stable").astype(np.int32)
    documents = np.repeat(np.arange(stop - start, dtype=np.int32), np.diff(tokens.offsets[start : stop + 1]))
    occurring, first = np.unique(words[order], return_index=True)
    starts = np.append(first, len(words)).astype(np.int64)
    block = Block(occurring, groups[occurring], starts, documents[order], stop - start)
    return Visit(block, part, order, (start, stop))
