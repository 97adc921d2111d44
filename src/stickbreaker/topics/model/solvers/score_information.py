"""A local step that infers nothing: it sums what documents' words say of the coefficients of their prior."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from stickbreaker.contracts.contract import Local
from stickbreaker.core import purposes
from stickbreaker.core.random_streams import derived_seed
from stickbreaker.core.records import Array, Field, Stats, no_rows
from stickbreaker.corpus.shards import Bags, Shard
from stickbreaker.topics.model.priors.prevalence_terms import sums_by_level
from stickbreaker.topics.model.slots import LocalSolver, TopicView
from stickbreaker.topics.model.solvers.mean_field import tokens_of_documents, words_of
from stickbreaker.topics.model.solvers.prevalence_sums import draw_topics, mean_terms

BURN_IN, SAMPLES = 10, 20  # sweeps for each of two estimates


@dataclass(frozen=True, slots=True)
class ScoreInformation(LocalSolver):
    """Reports the information sum_d s_d s_d' about all coefficients, with the topics held fixed: s_d is the
    derivative of log p(words of d) by the coefficients, x_d ⊗ E[slopes] (Louis 1982).

    The two factors are estimated by draws of their own, so that the noise of the draws is not counted as
    information. Its side is columns × topics, in the order of `coefficients.ravel()`. Also, with the weight
    that its length gives each document, sums of weight x x' ("squares", columns × columns) and over each
    level's documents of weight x ("means", levels × columns), if there are levels.
    """

    draws: ClassVar[bool] = True

    def infer(
        self, view: TopicView, shard: Shard[Bags], local: Local | None, seed: int
    ) -> tuple[Local, Stats]:
        alphas, words = view.alphas(shard), words_of(view, shard)
        assert shard.covariates is not None
        assert view.coefficients is not None
        columns = shard.covariates[:, : len(view.coefficients.columns)]
        rows = np.nan_to_num(columns)  # a row of zeros says nothing
        offsets = np.concatenate([[0], np.cumsum(tokens_of_documents(shard))]).astype(np.int64)
        scores, terms = list[Array](), None
        for half in (0, 1):
            own = derived_seed(seed, purposes.AGAIN, half)
            samples = draw_topics(words, shard, alphas, (BURN_IN, SAMPLES), own)
            terms = mean_terms(offsets, samples, alphas)
            scores.append((rows[:, :, None] * terms.slopes[:, None, :]).reshape(len(rows), -1))
        assert terms is not None
        information = scores[0].T @ scores[1]
        half_sum = (information + information.T) / 2.0
        usage = {"information": Field(half_sum, ("coefficients", "coefficients"))}
        if len(view.coefficients.levels):
            codes = np.nan_to_num(shard.covariates[:, rows.shape[1] :], nan=-1.0)
            sums = sums_by_level(rows, terms.spreads[:, None], codes, len(view.coefficients.levels))
            usage["means"] = Field(sums[0].T, ("levels", "terms"))
            usage["squares"] = Field((rows * terms.spreads[:, None]).T @ rows, ("terms", "terms"))
        return {}, Stats(no_rows(alphas.shape[1]), usage=usage, documents=float(len(rows)))
