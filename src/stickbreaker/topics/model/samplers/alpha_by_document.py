"""The prior of topic shares by metadata in a Gibbs chain: alpha of its documents, learning, and the score."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from stickbreaker.core.records import Array, Field, Record
from stickbreaker.topics.model.priors.prevalence import PrevalencePrior, coefficients_in
from stickbreaker.topics.model.priors.prevalence_steps import known_bends
from stickbreaker.topics.model.priors.prevalence_terms import PrevalenceSums, alphas_of, sums_of_terms
from stickbreaker.topics.model.samplers.tokens import TokensInOrder
from stickbreaker.topics.model.solvers.prevalence_sums import mean_terms

BLOCK = 2048  # documents whose terms are in memory at once
STEPS = 3  # of Newton's method per sample
FADES = 0.7  # how fast later samples change the coefficients less, once samples count


class AlphaByDocument:
    """What a chain over `tokens` needs of a prior by metadata. Raises ValueError if these lack covariates."""

    def __init__(self, prior: PrevalencePrior, tokens: TokensInOrder) -> None:
        if tokens.covariates is None:
            raise ValueError("tokens without their documents' covariates")
        self._prior, self._offsets, self._covariates = prior, tokens.offsets, tokens.covariates

    def alphas(self, params: Record, start: int, stop: int) -> Array:
        """alpha of the documents `start` to `stop` (exclusive), a row for each (documents × topics)."""
        rows = self._covariates[start:stop]
        return alphas_of(rows, coefficients_in(params), params["alpha"].values)

    def learned(
        self, params: Record, topics: NDArray[np.int32], before: NDArray[np.int32], taken: int
    ) -> dict[str, Field]:
        """The fields of the params after a few Newton steps given the topics of all tokens (tokens), the
        variances by their evidence, for which `before` are the topics of an earlier sweep.

        taken: the number of samples so far. The more, the less the coefficients change, so that they
        converge (Robbins and Monro 1951; Celeux and Diebolt 1985 for one sample per step).
        """
        prior, start, now = self._prior, coefficients_in(params), params
        sums = self._sums(params, topics, before)
        evidence = sums
        for step in range(STEPS):
            if step > 0:
                sums = self._sums(now, topics, before)
            now = {
                **params,
                **prior.with_coefficients(params, prior.stepped(now, sums)),
            }
        rate = (1.0 + taken) ** -FADES
        moved = start.moved(rate, coefficients_in(now) - start)
        found = prior.with_coefficients(params, moved)
        found |= prior.with_variances(params, moved, evidence, rate)
        found |= prior.with_level_variances(params, coefficients_in(now).levels, known_bends(sums), rate)
        now = {**params, **found}
        mean = sum(alphas.sum(axis=0) for _, _, alphas in self._blocks(now)) / max(1, len(self._covariates))
        return {**found, "alpha": params["alpha"]._replace(values=np.asarray(mean))}

    def log_probability(self, params: Record, topics: NDArray[np.int32]) -> float:
        """log p of the topics of all tokens (tokens), in nats."""
        nats = 0.0
        for start, stop, alphas in self._blocks(params):
            offsets, own = self._part(topics, start, stop)
            documents, n_topics = len(alphas), alphas.shape[1]
            cells = np.repeat(np.arange(documents), np.diff(offsets)) * n_topics + own
            used, counts = np.unique(cells, return_counts=True)
            held, totals = alphas.ravel()[used], alphas.sum(axis=1)
            nats += float((gammaln(held + counts) - gammaln(held)).sum())
            nats -= float((gammaln(totals + np.diff(offsets)) - gammaln(totals)).sum())
        return nats

    def _blocks(self, params: Record) -> Iterator[tuple[int, int, Array]]:
        for start in range(0, len(self._covariates), BLOCK):
            stop = min(start + BLOCK, len(self._covariates))
            yield start, stop, self.alphas(params, start, stop)

    def _part(
        self, topics: NDArray[np.int32], start: int, stop: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The offsets, from 0, and the topics of the tokens of some documents."""
        first = self._offsets[start]
        return self._offsets[start : stop + 1] - first, topics[first : self._offsets[stop]]

    def _sums(self, params: Record, topics: NDArray[np.int32], before: NDArray[np.int32]) -> PrevalenceSums:
        total: PrevalenceSums | None = None
        for start, stop, alphas in self._blocks(params):
            offsets, own = self._part(topics, start, stop)
            terms = mean_terms(offsets, own[None], alphas)
            other = mean_terms(offsets, self._part(before, start, stop)[1][None], alphas).slopes
            rows, coefficients = self._covariates[start:stop], coefficients_in(params)
            sums = sums_of_terms(rows, coefficients, alphas, terms, terms.slopes, other)
            total = sums if total is None else PrevalenceSums(*map(np.add, total, sums))
        assert total is not None
        return total
