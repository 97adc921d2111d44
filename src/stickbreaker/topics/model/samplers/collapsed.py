"""The common base of chains over single tokens' topics: priors, their learning, and the score."""

from abc import abstractmethod
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from stickbreaker.contracts.contract import Fitted, Sampler, Score
from stickbreaker.core.errors import UserError
from stickbreaker.core.records import AnyArray, Array, Field
from stickbreaker.core.untrusted import refuse_negative
from stickbreaker.topics.kernels.document_counts import DocumentTopics
from stickbreaker.topics.kernels.samplers.gibbs import document_counts
from stickbreaker.topics.model.priors.dirichlet import DirichletPrior
from stickbreaker.topics.model.priors.polya import Histogram, fit_alpha, fit_eta, histogram, log_gamma_sum
from stickbreaker.topics.model.priors.prevalence import CODING, COEFFICIENTS, LEVELS, PrevalencePrior
from stickbreaker.topics.model.samplers.mean_counts import Arrays, MeanCounts
from stickbreaker.topics.model.samplers.tokens import TokensInOrder
from stickbreaker.topics.model.vocabularies.closed import ClosedVocabulary
from stickbreaker.topics.model.vocabularies.concepts import ConceptVocabulary

ROWS = 4096  # rows of the table scored at once


class TokenChain(Sampler):
    """Base of collapsed Gibbs chains over the topics of `tokens`, in which theta and beta are integrated out.

    This class has what concerns words: their prior, its learning, their part of the score, and the mean
    counts of topics over the samples. The table of counts may have spare columns without tokens.
    """

    def __init__(self, tokens: TokensInOrder, words: ClosedVocabulary | ConceptVocabulary, seed: int) -> None:
        self._tokens, self._words, self._seed = tokens, words, seed
        self._params = {**words.start()}
        self._mean = MeanCounts()

    @property
    def _closed(self) -> ClosedVocabulary:
        """The vocabulary of a chain without concepts; an assertion fails if there are concepts."""
        assert isinstance(self._words, ClosedVocabulary)
        return self._words

    @abstractmethod
    def counts(self) -> NDArray[np.int32]:
        """The current table of counts (rows × topics). The next sweep may change the array."""

    @property
    @abstractmethod
    def _n_columns(self) -> int:
        """The number of columns of the chain's table."""

    @abstractmethod
    def _topics(self) -> NDArray[np.integer]:
        """The topic of each token (tokens), in document order, as the number of its column in the table."""

    @abstractmethod
    def _totals(self) -> NDArray[np.int64]:
        """The number of tokens of each topic by group of words, such as a language (groups × columns)."""

    @abstractmethod
    def _document_terms(self) -> float:
        """The documents' part of the score, log p of the topics of tokens, in nats."""

    def learn(self) -> None:
        """Update eta by Minka's fixed point, if it is a single number that is learned."""
        if self._words.learned and "eta" in self._params:
            eta = float(self._params["eta"].values)
            groups, topics = np.nonzero(self._totals())
            totals = histogram(groups, self._totals()[groups, topics])
            updated = fit_eta(eta, self._closed.sizes, _alone(self.counts()), totals)
            self._params["eta"] = self._params["eta"]._replace(values=np.array(updated))

    def score(self) -> Score:
        """The joint log p of topics and of words given them, with their priors, in nats (Zhai 2014, eqs. 4.4,
        4.5).
        """
        return Score(self._document_terms() + self._word_terms(), float(len(self._tokens.words)), "joint")

    def _word_terms(self) -> float:
        """The words' part of the score, log p of the words given the topics of tokens, in nats."""
        nats, totals = 0.0, self._closed.prior_totals(self._params)
        nats -= float((gammaln(self._totals() + totals) - gammaln(totals)).sum())
        counts = self.counts()
        if "eta" in self._params:
            nats += log_gamma_sum(_alone(counts), self._params["eta"].values, 1)
        else:
            nats += sum(self._informed_terms(counts))
        return float(nats)

    def params(self) -> dict[str, Field]:
        """The current hyperparameters, by name, in the same fields with which the model started."""
        return dict(self._params)

    def keep(self) -> None:
        counts = self.counts()
        self._mean.add(self._numbers(counts.shape[1]), counts)

    def fitted(self) -> Fitted:
        """What the chain has learned: the mean counts of each topic over the samples that had it, and the
        current params.
        """
        counts = self.counts()
        return Fitted(self.params(), self._mean.of(self._numbers(counts.shape[1]), counts))

    def snapshot(self) -> dict[str, AnyArray]:
        return {**self._state_arrays(), **self._mean.arrays()}

    def restore(self, arrays: Arrays) -> None:
        self._take_state(arrays)
        self._mean = MeanCounts.restored(arrays, len(self.counts()))

    @abstractmethod
    def _state_arrays(self) -> Arrays:
        """The arrays of a snapshot that restore the chain's state, without the mean counts of its samples."""

    @abstractmethod
    def _take_state(self, arrays: Arrays) -> None:
        """Restore a state from `_state_arrays`; all counts are recomputed from the topics of tokens."""

    def _numbers(self, n_topics: int) -> NDArray[np.int64]:
        """The lasting numbers of the chain's topics, ascending: a topic keeps its number even if its column
        changes. Here, columns never change, so they are 0 to `n_topics` - 1.
        """
        return np.arange(n_topics, dtype=np.int64)

    def _hyperparameters(self) -> Arrays:
        """Copies of the current hyperparameters, by name, for a snapshot."""
        return {name: item.values.copy() for name, item in self._params.items() if name != CODING}

    def _take_hyperparameters(self, arrays: Arrays) -> None:
        for name, item in self._params.items():
            if name == CODING:
                continue  # learned again from the documents
            values = np.array(arrays[name], np.float64)
            if values.shape != item.values.shape:
                raise ValueError(f"{name} of another shape")
            if name not in (COEFFICIENTS, LEVELS):
                refuse_negative(values, name)
            self._params[name] = item._replace(values=values)

    def _checked(self, topics: NDArray[np.integer]) -> NDArray[np.integer]:
        """The given topics of tokens, unchanged. Raises UserError if one is out of range, or there is not one
        per token.
        """
        n_tokens, n_topics = len(self._tokens.words), self._n_columns
        if topics.shape != (n_tokens,):
            raise UserError(
                f"{topics.size:,} topics were given for {n_tokens:,} tokens",
                remedy="start from topics of the same corpus",
            )
        if topics.size and not 0 <= int(topics.min()) <= int(topics.max()) < n_topics:
            raise UserError(
                f"a token's topic is not one of the {n_topics}",
                remedy="start from a chain with as many topics",
            )
        return topics

    def _pairs(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Two arrays with an element per document and topic that occurs in it, document by document: the
        topic, and its number of tokens in the document.
        """
        topics, counts = np.empty((2, len(self._tokens.words)), np.int32)
        n = document_counts(self._tokens.offsets, self._topics(), self._n_columns, topics, counts)
        return topics[:n], counts[:n]

    def document_topics(self) -> DocumentTopics:
        """The topics of each document's tokens in the current state, as columns of `fitted` counts, and as
        their shares the numbers of these tokens.
        """
        topics, counts = self._pairs()
        starts = np.searchsorted(np.concatenate([[0], np.cumsum(counts)]), self._tokens.offsets)
        return DocumentTopics(starts, self._fitted_columns()[topics], counts.astype(np.float64))

    def _fitted_columns(self) -> NDArray[np.int32]:
        """For each column of the chain's table, its column in `fitted` counts. Here they are the same."""
        return np.arange(self._n_columns, dtype=np.int32)

    def _use(self) -> Histogram:
        """For each topic, in how many documents it has 1, 2, 3, … tokens: a histogram grouped by topic, for
        learning alpha.
        """
        return histogram(*self._pairs())

    def _lengths(self) -> Histogram:
        return _alone(np.diff(self._tokens.offsets))

    def _informed_terms(self, counts: NDArray[np.int32]) -> Iterator[float]:
        """The words' terms of the score, in nats, for an eta that differs between words. Yields sums over
        chunks of rows of `counts`, of log Gamma(n_wk + eta_wk) - log Gamma(eta_wk).
        """
        for start in range(0, len(counts), ROWS):
            part = slice(start, start + ROWS)
            used = counts[part] > 0
            eta = np.broadcast_to(self._closed.prior(self._params, part), used.shape)[used]
            yield float((gammaln(counts[part][used] + eta) - gammaln(eta)).sum())


class CollapsedChain(TokenChain):
    """Base of the chains of LDA, with a fixed number of topics: adds the documents' part of the score, and
    learns alpha.
    """

    def __init__(
        self,
        tokens: TokensInOrder,
        documents: DirichletPrior | PrevalencePrior,
        words: ClosedVocabulary | ConceptVocabulary,
        seed: int,
    ) -> None:
        super().__init__(tokens, words, seed)
        self._documents = documents
        self._params = {**documents.start(), **self._params}

    @property
    def _n_columns(self) -> int:
        return self._documents.n_topics

    @property
    def _alpha(self) -> Array:
        return np.array(self._params["alpha"].values, np.float64)

    def learn(self) -> None:
        """Update alpha, and eta if it is a single number, by Minka's fixed point; each only if it is
        learned.
        """
        self._learn_alpha()
        super().learn()

    def _learn_alpha(self) -> None:
        """Update alpha, which is the same for all documents, if it is learned."""
        assert isinstance(self._documents, DirichletPrior)
        if self._documents.learned:
            updated = fit_alpha(self._alpha, self._use(), self._lengths(), self._documents.symmetric)
            self._params["alpha"] = self._params["alpha"]._replace(values=updated)

    def _assignments(self) -> NDArray[np.integer]:
        """The topics of all tokens in document order, in the smallest integer type, for a snapshot."""
        kind = np.uint16 if self._documents.n_topics <= 2**16 else np.int32
        return self._topics().astype(kind)

    def _document_terms(self) -> float:
        """log p(z | alpha) in nats, the documents' part of the score (Zhai 2014, eq. 4.4)."""
        nats = log_gamma_sum(self._use(), self._alpha, self._n_columns)
        return nats - log_gamma_sum(self._lengths(), self._alpha.sum(), 1)


def _alone(counts: NDArray[np.integer]) -> Histogram:
    """The histogram of all positive counts together, in group 0."""
    used = counts[counts > 0]
    return histogram(np.zeros(len(used), np.int64), used)
