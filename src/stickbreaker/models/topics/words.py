"""The words slot: what a topic is a distribution over.

Kernels and scipy.special are imported on use: a model is loaded without them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.randomness import keyed_uniforms
from stickbreaker.core.records import Array, Field, Record
from stickbreaker.models.contract import Summary

BLOCK = 4096  # rows whose Dirichlet parameters are held at once


@dataclass(frozen=True, slots=True, eq=False)
class ClosedVocabulary:
    """beta_k ~ Dirichlet(eta) over `n_words` known words.

    `eta` is one number, or an array (words) or (words × topics); `learned` lets a run move a number.
    """

    n_words: int
    eta: float | Array
    learned: bool = False

    def start(self) -> dict[str, Field]:
        if isinstance(self.eta, np.ndarray):
            return {}
        return {"eta": Field(np.array(float(self.eta)), (), additive=False)}

    def prior(self, small: Record, rows: NDArray[np.int64] | slice) -> Array | float:
        """eta of some rows, in a shape that broadcasts with rows × topics."""
        if not isinstance(self.eta, np.ndarray):
            return float(small["eta"].values)
        values = self.eta[rows]
        return values[:, None] if values.ndim == 1 else values

    def prior_totals(self, small: Record) -> Array | float:
        """Sum of eta over the words: one number, or one a topic."""
        if not isinstance(self.eta, np.ndarray):
            return float(small["eta"].values) * self.n_words
        return self.eta.sum(axis=0)

    def seed(self, keys: Sequence[str], n_topics: int, tokens: float, seed: int) -> Array:
        """Nearly flat noise (words × topics) by the word's spelling, `tokens` in all.

        Normal around one mean with a tenth of it as deviation, as flat as the Gamma(100, 1/100) that others
        start from (Hoffman et al. 2010). Peaked or lighter noise locks words in random topics: on AP it cost
        0.1 to 0.4 nats a word of held-out score.
        """
        from scipy.special import ndtri

        noise = np.maximum(1.0 + 0.1 * ndtri(keyed_uniforms(seed, "topics", keys, n_topics)), 0.01)
        return noise * (tokens / max(1, noise.size))

    def weights(
        self, small: Record, counts: Array, totals: Array, rows: NDArray[np.int64] | None
    ) -> tuple[NDArray[np.float32], Array]:
        """exp E[log beta] of rows (rows × topics, single, largest of a row 1), and each row's log scale."""
        from scipy.special import psi

        from stickbreaker.kernels.topic_words import expected_log_weights

        log_totals = np.asarray(psi(totals[0] + self.prior_totals(small)))
        out, log_scale = np.empty(counts.shape, np.float32), np.empty(len(counts))
        for start in range(0, len(counts), BLOCK):
            part = slice(start, start + BLOCK)
            prior = self.prior(small, part if rows is None else rows[part])
            concentration = np.ascontiguousarray(counts[part] + prior)
            expected_log_weights(concentration, log_totals, out[part], log_scale[part])
        return out, log_scale

    def summary(self, small: Record, counts: Array) -> Summary:
        """The words' terms of the bound and the sum of psi(lambda), a number a topic each."""
        from scipy.special import gammaln

        from stickbreaker.kernels.topic_words import add_dirichlet_terms

        terms, digammas = np.zeros(counts.shape[1]), np.zeros(counts.shape[1])
        for start in range(0, len(counts), BLOCK):
            part = slice(start, start + BLOCK)
            prior = self.prior(small, part)
            concentration = np.ascontiguousarray(counts[part] + prior)
            add_dirichlet_terms(concentration, np.ascontiguousarray(counts[part]), terms, digammas)
            terms -= np.broadcast_to(gammaln(prior), concentration.shape).sum(axis=0)
        return {"terms": terms, "digammas": digammas}

    def score(self, small: Record, totals: Array, summary: Summary) -> float:
        """-KL(q(beta) || p(beta)) over all topics, in nats: the table's part of eq. 2.4."""
        from scipy.special import gammaln, psi

        prior = self.prior_totals(small)
        total = totals[0] + prior
        ends = gammaln(prior) - gammaln(total) + totals[0] * psi(total)
        return float((summary["terms"] + ends).sum())

    def topic_words(self, small: Record, counts: Array) -> Array:
        """E[beta] (words × topics); columns sum to one."""
        concentration = counts + self.prior(small, slice(None))
        return concentration / concentration.sum(axis=0)
