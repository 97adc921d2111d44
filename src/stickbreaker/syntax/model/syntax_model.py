"""Variational inference of the syntactic topic model, in batches or online.

The model is that of `syntax_chain`: theta_di ~ Gamma(alpha_D tau_i, 1), pi_ji ~ Gamma(alpha_T tau_i, 1), and
a word's topic i given its head's topic j has the probability theta_di pi_ji / x_dj. Zhai, Boyd-Graber and
Blei normalise theta and pi and assume independent topics of words under q. Here q(theta_di) and q(pi_ji) are
Gammas, q(beta_k) Dirichlets, and the topics of a tree have their exact joint distribution. tau, alpha_D and
alpha_T are point estimates, like the paper's tau: they maximise the bound, with the density of their
logarithms as prior. The bound on log p(words, tau, alphas), in nats, is the sum of

    documents: log sum_z exp(E[log theta] + E[log pi] - log xi + E[log beta]) - KL(q(theta) || p(theta)),
    table: -KL(q(beta) || p(beta)), one Dirichlet per topic, small part: -KL(q(pi) || p(pi)), and the log
    densities of log tau, log alpha_D and log alpha_T.

xi_dj = E[x_dj] is the best value in E[-log x_dj] >= -log xi_dj - (E[x_dj] - xi_dj) / xi_dj; the second term
is then zero. `tree_sums` and `mean_field_shares` derive a document's part, `syntax_weights` the small one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, psi

from stickbreaker.contracts.contract import Counts, Local, Model, Score, Step, Summary, TableSpec
from stickbreaker.core.random_streams import keyed_uniforms
from stickbreaker.core.records import Array, Field, Record, Rows, Stats
from stickbreaker.corpus.sequences import Trees
from stickbreaker.corpus.shards import Shard
from stickbreaker.kernels.dirichlet import add_dirichlet_terms
from stickbreaker.syntax import purposes
from stickbreaker.syntax.kernels.mean_field_shares import infer_documents
from stickbreaker.syntax.kernels.tree_sums import (
    Expected,
    TreeNodes,
    TreeReport,
    expected_words,
    room_for,
    sum_documents,
)
from stickbreaker.syntax.model.ordered_trees import ordered_trees
from stickbreaker.syntax.model.syntax_chain import Prior
from stickbreaker.syntax.model.syntax_weights import (
    POINTS,
    SUMS,
    Concentrations,
    concentrations_of,
    document_sums,
    expected_transitions,
    gamma_terms,
    prior_terms,
    updated,
)

SHARD_DOCUMENTS = 16  # documents per shard; parsed documents are long


class Turns(NamedTuple):
    """When the inference of a document stops: after `most` rounds, or when its expected topic counts change
    by at most `tolerance` of its words."""

    most: int
    tolerance: float


SETTLED = Turns(50, 1e-3)


class SyntaxView(NamedTuple):
    """What a local step reads: expectations of the parameters, for some rows of the table.

    rows: those that `expected.words` covers (None: all, in order).
    """

    expected: Expected
    rows: NDArray[np.int64] | None

    def places(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Convert rows of the table, which must be covered, into positions in `expected.words`."""
        return rows if self.rows is None else np.searchsorted(self.rows, rows)


@dataclass(frozen=True)
class SyntaxModel(Model):
    """The syntactic topic model for variational inference, in batches or online.

    The table has expected counts (words × topics), the params have everything else. `prior` is that of
    `SyntaxChain`, with its limiting cases. Inference of a document alternates sums over its trees and updates
    of its shares, at most `most` times, until expected topic counts change by less than `tolerance` of its
    words. Learning needs few rounds: in batches documents continue from the last pass, and online one round
    is as good as thirty. Start a run with `initialise` (`syntax_start`): random counts end worse.

    >>> model = SyntaxModel(n_words=1000, prior=Prior(n_topics=8))
    >>> model.unit.__name__, model.n_columns(model.start())
    ('Trees', 8)
    """

    n_words: int
    prior: Prior
    most: int = 2
    tolerance: float = 0.02
    unit = Trees
    shard_size = SHARD_DOCUMENTS
    table = TableSpec()

    def for_new_documents(self) -> "SyntaxModel":
        """The same model for new documents: it infers each until its shares hardly change."""
        return replace(self, most=SETTLED.most, tolerance=SETTLED.tolerance)

    def n_columns(self, params: Record) -> int:
        return self.prior.n_topics

    def start(self) -> Record:
        """The initial params: no counts, tau at its mean, alphas equal to the number of topics."""
        k = self.prior.n_topics
        start = Concentrations(np.full(k, 1.0 / k), float(k), float(k), self.prior.sigma)
        return params_of(start, {name: np.zeros((k + 1, k)[-len(axes) :]) for name, axes in SUMS.items()})

    def seed(self, keys: Sequence[str], tokens: float, seed: int) -> Array:
        """Random counts (words × topics) with the sum `tokens`, each 0.5 to 1.5 times their mean.

        They depend on the spellings of the words (`keys`), not on their order.
        """
        k = self.prior.n_topics
        noise = keyed_uniforms(seed, purposes.SYNTAX_START, keys, k)
        return (0.5 + noise) * tokens / max(1, len(keys) * k)

    def expectations(
        self, params: Record, counts: Counts, totals: Array, rows: NDArray[np.int64] | None
    ) -> SyntaxView:
        assert isinstance(counts, np.ndarray)
        now = concentrations_of(params)
        sigma = now.sigma
        words, log_scale = np.empty(counts.shape), np.empty(len(counts))
        log_totals = np.asarray(psi(totals[0] + sigma * self.n_words))
        expected_words(np.ascontiguousarray(counts + sigma), log_totals, words, log_scale)
        log_pi, mean_pi = expected_transitions(params, self.prior).relative()
        return SyntaxView(Expected(log_pi, mean_pi, now.alpha_documents * now.tau, words, log_scale), rows)

    def local_step(
        self, view: SyntaxView, shard: Shard[Trees], local: Local | None, seed: int
    ) -> tuple[Local, Stats]:
        """Infer the topics of a shard's documents, starting from their last record (`local`) if there is one.

        Returns a new record and the statistics for `global_step`. The record has q(theta) of each document,
        as `counts` (expected words by topic) and `rates`, and its part of the bound (`scores`, nats).
        """
        trees, k = ordered_trees(shard.content).nodes, self.prior.n_topics
        nodes = TreeNodes(*trees, view.places(shard.rows))
        report = new_report(shard.n_documents, len(shard.rows), k)
        room = room_for(trees.offsets, k)
        if local is not None:
            report.known[:] = True
            report.counts[:], report.rates[:] = local["counts"].values, local["rates"].values
        if self.prior.limit == "itic":
            sum_documents(nodes, view.expected, room, report)
        else:
            infer_documents(nodes, view.expected, self.most, self.tolerance, room, report)
        sums = document_sums(report, view.expected.shapes, self.prior)
        stats = Stats(
            rows=Rows(shard.rows, report.words),
            usage={name: Field(sums[name], axes) for name, axes in SUMS.items()},
            score=float(report.scores.sum()),
            documents=float(shard.n_documents),
            tokens=float((trees.words >= 0).sum()),
        )
        axes = ("documents", "topics")
        scores = Field(report.scores, ("documents",))
        return {
            "counts": Field(report.counts, axes),
            "rates": Field(report.rates, axes, additive=False),
            "scores": scores,
        }, stats

    def summary(self, params: Record, counts: Counts, first: int) -> Summary:
        """Sums over words that the bound needs (topics each): of log Gamma(lambda) and counts × psi(lambda).

        lambda = counts + sigma are the Dirichlet parameters of q(beta).
        """
        assert isinstance(counts, np.ndarray)
        sums = np.zeros((3, counts.shape[1]))
        known = np.ascontiguousarray(counts)
        add_dirichlet_terms(known + concentrations_of(params).sigma, known, *sums)
        return {"log_gammas": sums[0], "expected": sums[1]}

    def global_step(
        self, params: Record, stats: Stats, totals: Array, summary: Summary | None, step: Step
    ) -> Record:
        """Params after a step: the sums over documents are blended, then tau and the alphas are updated.

        The sums become (1 - step.rate) · step.growth · old + step.rate · step.scale · new. This is a natural
        gradient step of q(pi), whose natural parameters are linear in the sums, and online EM for the point
        estimates (Cappe & Moulines 2009), which `updated` then maximises.
        """
        keep, add = (1.0 - step.rate) * step.growth, step.rate * step.scale
        sums = {name: keep * params[name].values + add * stats.usage[name].values for name in SUMS}
        return params_of(updated(concentrations_of(params), sums, self.prior), sums)

    def score(self, params: Record, stats: Stats, totals: Array, summary: Summary) -> Score:
        """The bound on log p(words, tau, alphas), in nats, at the params and table that the local steps used.

        It sums documents' parts (`tree_sums`), -KL of q(pi) and q(beta), and the log density of log tau and
        the log alphas.
        """
        now = concentrations_of(params)
        nats = stats.score + prior_terms(params, self.prior)
        nats += self._word_terms(now.sigma, totals[0], summary)
        if self.prior.limit != "hdp":
            nats += gamma_terms(now.alpha_transitions * now.tau, expected_transitions(params, self.prior))
        return Score(nats, stats.tokens)

    def memoized_score(self, params: Record, stats: Stats, totals: Array, summary: Summary) -> Score:
        """An estimate of the bound, in which each document's part is that of its last local step."""
        return self.score(params, stats, totals, summary)._replace(kind="estimate")

    def _word_terms(self, sigma: float, totals: Array, summary: Summary) -> float:
        """The part of topics' words in the bound, in nats: the sum of -KL(q(beta) || p(beta)) over topics."""
        n = self.n_words
        nats = gammaln(n * sigma) - n * gammaln(sigma) - gammaln(totals + n * sigma)
        nats += summary["log_gammas"] - summary["expected"] + totals * psi(totals + n * sigma)
        return float(nats.sum())

    def figures(self, params: Record, totals: Array) -> dict[str, int]:
        return {"topics": len(self.in_use(totals.sum(axis=0)))}

    def in_use(self, totals: Array) -> NDArray[np.int64]:
        """The topics whose expected number of words is at least one; totals (topics): these numbers."""
        return np.flatnonzero(totals >= 1.0)


def new_report(n_documents: int, n_words: int, n_topics: int) -> TreeReport:
    """A `TreeReport` for kernels to fill, of the given sizes: sums are zero, rates one."""
    k = n_topics
    return TreeReport(
        np.zeros(n_documents, np.bool_), np.zeros((n_documents, k)), np.ones((n_documents, k)),
        np.zeros((n_documents, k + 1)), np.zeros((k + 1, k)), np.zeros((n_words, k)), np.zeros(n_documents),
    )  # fmt: skip


def params_of(now: Concentrations, sums: dict[str, Array]) -> dict[str, Field]:
    """The params of a run: point estimates (tau, alphas, sigma), and blended sums over documents (`SUMS`)."""
    points = {
        "tau": Field(now.tau, ("topics",), additive=False),
        **{name: Field(np.array(getattr(now, name)), (), additive=False) for name in POINTS},
    }
    return {**points, **{name: Field(np.asarray(sums[name]), axes) for name, axes in SUMS.items()}}
