"""Exact collapsed Gibbs sampling of LDA: a chain over the topics of single tokens."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from stickbreaker.core.errors import UserError
from stickbreaker.core.randomness import numbered_keys
from stickbreaker.core.records import Field
from stickbreaker.kernels.gibbs import (
    Block,
    Prior,
    Table,
    add_counts,
    document_counts,
    sweep_all_topics,
    sweep_lists,
)
from stickbreaker.models.contract import Sampler, Score
from stickbreaker.models.topics.documents import FiniteTopics
from stickbreaker.models.topics.polya import Histogram, fit_alpha, fit_eta, histogram, log_gamma_sum
from stickbreaker.models.topics.tokens import Tokens
from stickbreaker.models.topics.words import ClosedVocabulary

FEW_TOPICS = 400  # up to here all topics are walked over, beyond those in the document; equal at 500
BLOCK_TOKENS = 2**20  # documents' lists or counts of one block should stay in cache
BLOCK_CELLS = 2**22  # documents × topics of a block where all topics are walked over
ROWS = 4096  # rows of the table that are scored at once


class Visit(NamedTuple):
    """A block, its tokens' range in the corpus, and where in that range each comes from."""

    block: Block
    tokens: slice
    order: NDArray[np.int32]


class CollapsedGibbs(Sampler):
    """LDA's exact chain: p(z | all other z, w, alpha, eta) token by token (Zhai 2014, eq. 4.6).

    `assignments`: the first topics of `tokens`, in document order. Tokens are visited block by block of
    documents, word by word. The chain is one: it uses one thread however many there are.
    """

    def __init__(
        self,
        tokens: Tokens,
        assignments: NDArray[Any],
        documents: FiniteTopics,
        words: ClosedVocabulary,
        seed: int,
    ) -> None:
        self._tokens, self._documents, self._words, self._seed = tokens, documents, words, seed
        self._small = {**documents.start(), **words.start()}
        self._few = documents.n_topics <= FEW_TOPICS
        cells = BLOCK_CELLS if self._few else 2**62
        limit = max(1, cells // documents.n_topics)
        self._visits = [_visit(tokens, start, stop) for start, stop in _cuts(tokens.offsets, limit)]
        self._place(assignments)

    def sweep(self, number: int, threads: int) -> None:
        keys = numbered_keys(self._seed, "gibbs", number, np.arange(len(self._visits)))
        prior, kernel = self._prior(), sweep_all_topics if self._few else sweep_lists
        for visit, key, topics in zip(self._visits, keys, self._topics, strict=True):
            kernel(visit.block, self._table, prior, key, topics)

    def learn(self) -> None:
        """Minka's fixed point for alpha and a symmetric eta, each where it is learned."""
        if self._documents.learned:
            alpha = self._small["alpha"].values.astype(float)
            updated = fit_alpha(alpha, self._use(), self._lengths(), self._documents.symmetric)
            self._small["alpha"] = self._small["alpha"]._replace(values=updated)
        if self._words.learned and not isinstance(self._words.eta, np.ndarray):
            eta = float(self._small["eta"].values)
            updated = fit_eta(eta, self._words.n_words, self._cells(), _alone(self._table.totals))
            self._small["eta"] = self._small["eta"]._replace(values=np.array(updated))

    def score(self) -> Score:
        """log p(w, z | alpha, eta) (Zhai 2014, eq. 4.4 × eq. 4.5)."""
        alpha = self._small["alpha"].values
        nats = log_gamma_sum(self._use(), alpha, len(alpha))
        nats -= log_gamma_sum(self._lengths(), alpha.sum(), 1)
        totals = self._words.prior_totals(self._small)
        nats -= float((gammaln(self._table.totals + totals) - gammaln(totals)).sum())
        if isinstance(self._words.eta, np.ndarray):
            nats += sum(self._informed_terms())
        else:
            nats += log_gamma_sum(self._cells(), self._small["eta"].values, 1)
        return Score(nats, float(len(self._tokens.words)), "joint")

    def counts(self) -> NDArray[np.int32]:
        return self._table.counts

    def small(self) -> dict[str, Field]:
        return dict(self._small)

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Topics in document order, alpha, and eta where it is one number."""
        kind = np.uint16 if self._documents.n_topics <= 2**16 else np.int32
        hyperparameters = {name: item.values.copy() for name, item in self._small.items()}
        return {"assignments": self._assignments().astype(kind), **hyperparameters}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._place(arrays["assignments"])
        for name, item in self._small.items():
            self._small[name] = item._replace(values=np.array(arrays[name], float))

    def _place(self, assignments: NDArray[Any]) -> None:
        """Take topics in document order, and count them."""
        n_topics = self._documents.n_topics
        if assignments.shape != self._tokens.words.shape:
            raise UserError(
                f"{assignments.size:,} topics were given for {self._tokens.words.size:,} tokens",
                remedy="start from topics of the same corpus",
            )
        if assignments.size and not 0 <= int(assignments.min()) <= int(assignments.max()) < n_topics:
            raise UserError(
                f"a token's topic is not one of the {n_topics}", remedy="start from a chain of as many topics"
            )
        self._topics = [assignments[v.tokens][v.order].astype(np.int32) for v in self._visits]
        counts = np.zeros((self._tokens.n_words, n_topics), np.int32)
        self._table = Table(counts, np.zeros(n_topics, np.int64))
        for visit, topics in zip(self._visits, self._topics, strict=True):
            add_counts(visit.block, topics, self._table)

    def _assignments(self) -> NDArray[np.int32]:
        """Topics in document order."""
        out = np.empty(len(self._tokens.words), np.int32)
        for visit, topics in zip(self._visits, self._topics, strict=True):
            out[visit.tokens][visit.order] = topics
        return out

    def _prior(self) -> Prior:
        eta = np.asarray(self._words.prior(self._small, slice(None)), float)
        alpha = np.array(self._small["alpha"].values, float)
        totals = np.broadcast_to(self._words.prior_totals(self._small), len(alpha))
        return Prior(alpha, np.ascontiguousarray(eta.reshape(-1, 1) if eta.ndim < 2 else eta), totals.copy())

    def _use(self) -> Histogram:
        """Tokens of each topic in each document."""
        topics, counts = np.empty((2, len(self._tokens.words)), np.int32)
        n_topics = self._documents.n_topics
        n = document_counts(self._tokens.offsets, self._assignments(), n_topics, topics, counts)
        return histogram(topics[:n], counts[:n])

    def _lengths(self) -> Histogram:
        return _alone(np.diff(self._tokens.offsets))

    def _cells(self) -> Histogram:
        """Tokens of each word in each topic, all in one group."""
        return _alone(self._table.counts[self._table.counts > 0])

    def _informed_terms(self) -> Iterator[float]:
        """Sum of log Gamma(n_wk + eta_wk) - log Gamma(eta_wk), some rows at a time."""
        for start in range(0, self._tokens.n_words, ROWS):
            part = slice(start, start + ROWS)
            counts = self._table.counts[part]
            used = counts > 0
            eta = np.broadcast_to(self._words.prior(self._small, part), counts.shape)[used]
            yield float((gammaln(counts[used] + eta) - gammaln(eta)).sum())


def _alone(counts: NDArray[Any]) -> Histogram:
    """The histogram of counts in one group."""
    used = counts[counts > 0]
    return histogram(np.zeros(len(used), np.int64), used)


def _cuts(offsets: NDArray[np.int64], most_documents: int) -> Iterator[tuple[int, int]]:
    """Ranges of documents: as many as make a block, at least one."""
    start, last = 0, len(offsets) - 1
    while start < last:
        full = int(np.searchsorted(offsets, offsets[start] + BLOCK_TOKENS, side="right")) - 1
        stop = min(max(full, start + 1), start + most_documents, last)
        yield start, stop
        start = stop


def _visit(tokens: Tokens, start: int, stop: int) -> Visit:
    """The block of documents `start` to `stop` (exclusive)."""
    part = slice(int(tokens.offsets[start]), int(tokens.offsets[stop]))
    words = tokens.words[part]
    order = np.argsort(words, kind="stable").astype(np.int32)
    documents = np.repeat(np.arange(stop - start, dtype=np.int32), np.diff(tokens.offsets[start : stop + 1]))
    occurring, first = np.unique(words[order], return_index=True)
    starts = np.append(first, len(words)).astype(np.int64)
    return Visit(Block(occurring, starts, documents[order], stop - start), part, order)
