"""The sampled local solver: draws of a document's assignments, with theta integrated out.

Kernels and scipy.special are imported on use, so that models load without them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from stickbreaker.contracts.contract import Local
from stickbreaker.core import purposes
from stickbreaker.core.parameter_fields import with_parameter_section
from stickbreaker.core.random_streams import numbered_keys
from stickbreaker.core.records import Array, Field, SparseCounts, Stats
from stickbreaker.corpus.shards import Bags, Shard
from stickbreaker.topics.model.samplers.tokens import whole_counts
from stickbreaker.topics.model.slots import Inference, LocalSolver, TopicPrior, TopicView, TopicVocabulary
from stickbreaker.topics.model.solvers.mean_field import tokens_of_documents, words_of
from stickbreaker.topics.model.solvers.prevalence_sums import sums_of_draws
from stickbreaker.topics.model.vocabularies.new_rows import report_rows
from stickbreaker.topics.settings import HybridParameters

if TYPE_CHECKING:
    from stickbreaker.kernels.hybrid import Draws


@with_parameter_section
class Hybrid(HybridParameters, LocalSolver, Inference):
    """Hybrid inference: topics are variational, and the topics of documents' tokens are sampled (Mimno et al.
    2012; Zhai 2014, section 4.2).

    A document's tokens are assigned one after another, then resampled in sweeps. Statistics are integers, and
    time depends on the topics in use. Random streams are keyed by the documents' numbers.

    >>> Hybrid().samples
    5
    """

    draws: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return "hybrid"

    def goes_with(self, documents: type[TopicPrior], words: type[TopicVocabulary]) -> bool:
        return documents.direct

    def solver(self, mean_field: LocalSolver) -> LocalSolver:
        return self

    def infer(
        self, view: TopicView, shard: Shard[Bags], local: Local | None, seed: int
    ) -> tuple[Local, Stats]:
        """Infer a shard's documents. Returns their records, with gamma = alpha + mean counts over the samples
        (documents × topics) and scores, and the shard's statistics. Records of an earlier pass (`local`) are
        not used. Raises UserError for counts that are not whole.

        A document's score, in nats, is on average below its term of the bound: it is the log of an unbiased
        estimate of sum_z p(z | alpha) prod_n exp E[log beta], from the normalisers when its tokens are first
        assigned.
        """
        from scipy.special import gammaln, polygamma, psi

        alphas = view.alphas(shard)
        draws, n_cells, tokens = self._sample(view, shard, alphas, seed)
        alpha = view.alpha
        own = alpha.sum()
        total = own + view.rest
        if view.rest > 0.0:
            draws.scores[:] += gammaln(own + tokens) - gammaln(own) - gammaln(total + tokens) + gammaln(total)
        spread = psi(tokens + total).sum() - len(tokens) * psi(total)
        spread_bend = len(tokens) * polygamma(1, total) - polygamma(1, tokens + total).sum()
        cells = SparseCounts(
            draws.codes[:n_cells].astype(np.int64),
            draws.topics[:n_cells].copy(),
            draws.times[:n_cells].copy(),
            len(alpha),
            1.0 / self.samples,
        )
        rows, new_rows = report_rows(view, shard, cells)
        if view.coefficients is not None and shard.covariates is not None:
            usage = sums_of_draws(draws.samples, tokens, alphas, shard.covariates, view.coefficients)
        else:
            usage = {
                "gains": Field(draws.gains / self.samples, ("topics",)),
                "bends": Field(draws.bends / self.samples, ("topics",)),
                "spread": Field(np.array(float(spread))),
                "spread_bend": Field(np.array(float(spread_bend))),
            }
        stats = Stats(
            rows=rows,
            new_rows=new_rows,
            usage=usage,
            score=float(draws.scores.sum()),
            documents=float(shard.n_documents),
            tokens=float(tokens.sum()),
        )
        return {
            "gamma": Field(draws.gamma, ("documents", "topics")),
            "scores": Field(draws.scores, ("documents",)),
        }, stats

    def assign(self, view: TopicView, shard: Shard[Bags], seed: int) -> NDArray[np.int32]:
        """Draw a topic for every token of a shard, to start a Gibbs chain. Returns the last sample (tokens),
        sorted by document, then word.
        """
        return self._sample(view, shard, view.alphas(shard), seed)[0].samples[-1]

    def _sample(
        self, view: TopicView, shard: Shard[Bags], alphas: Array, seed: int
    ) -> tuple[Draws, int, Array]:
        from stickbreaker.kernels.hybrid import room_for_draws, sample_documents
        from stickbreaker.topics.model.priors.dirichlet_newton import FLOOR

        whole_counts(shard.content.counts)
        tokens = tokens_of_documents(shard)
        size, n_topics = int(tokens.sum()), len(view.alpha)
        most = min(size * self.samples, shard.n_entries * n_topics)
        draws = room_for_draws(shard.n_documents, n_topics, self.samples, size, most)
        words = words_of(view, shard)
        keys = numbered_keys(seed, purposes.ASSIGNMENTS, 0, shard.documents)
        alphas = np.maximum(alphas, FLOOR)  # avoids underflow in single precision
        n_cells = sample_documents(words, alphas, self.burn_in, keys, draws)
        return draws, n_cells, tokens
