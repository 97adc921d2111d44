"""The mean-field local solver: q(theta) q(z) of each document, by coordinate ascent.

Kernels are imported on use, so that models load without numba.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from stickbreaker.contracts.contract import Local
from stickbreaker.core.records import Array, Field, Record, Rows, Stats
from stickbreaker.corpus.shards import Bags, Shard, tokens_by_document
from stickbreaker.topics.model.slots import Inference, LocalSolver, TopicPrior, TopicView, TopicVocabulary
from stickbreaker.topics.model.solvers.prevalence_sums import sampled_sums
from stickbreaker.topics.model.vocabularies.new_rows import report_rows

if TYPE_CHECKING:
    from stickbreaker.kernels.document_words import Words
    from stickbreaker.topics.kernels.mean_field import Report


@dataclass(frozen=True, slots=True)
class MeanField(LocalSolver):
    """The mean-field solver: at most `max_iter` rounds per document, fewer if gamma's mean change is below
    `tol`.

    gamma starts at alpha + N / K, with N the document's tokens and K topics. If there is a record of an
    earlier pass: with `keep_local`, gamma starts from the record instead; without, both starts are tried and
    the better result is used. `in_full`: also report statistics for split-merge moves and for the bound of
    the memoised schedule.
    """

    goes_on_from: ClassVar[tuple[str, ...]] = ("gamma",)

    max_iter: int = 20
    tol: float = 1e-3
    keep_local: bool = False
    in_full: bool = False

    def with_full_reports(self) -> "MeanField":
        return replace(self, in_full=True)

    def infer(
        self, view: TopicView, shard: Shard[Bags], local: Local | None, seed: int
    ) -> tuple[Local, Stats]:
        """Infer a shard's documents. Returns their records, with gamma (documents × topics) and scores, and
        the statistics (sums over the shard). local: their records of an earlier pass, or None; unchanged.

        The seed matters only for documents with covariates, whose prior is learned from draws.
        """
        from stickbreaker.topics.kernels.mean_field import (
            Report,
            Rule,
            infer_documents,
            infer_documents_twice,
        )

        n_topics = len(view.alpha)
        tokens, alphas = tokens_of_documents(shard), view.alphas(shard)
        if local is not None and self.keep_local:
            gamma = local["gamma"].values.copy()
        else:
            gamma = alphas + tokens[:, None] / n_topics
        words, rule = words_of(view, shard), Rule(self.max_iter, self.tol)
        report = Report(
            gamma=np.ascontiguousarray(gamma),
            counts=np.zeros((len(words.positions), n_topics), np.float32),
            log_theta=np.zeros(n_topics),
            scores=np.zeros(shard.n_documents),
            rounds=np.zeros(shard.n_documents, np.int64),
        )
        if local is None or self.keep_local:
            infer_documents(words, alphas, rule, report)
        else:
            infer_documents_twice(words, alphas, rule, local["gamma"].values, report)
        usage = {"log_theta": Field(report.log_theta, ("topics",))}
        if view.rest > 0.0:
            usage["log_rest"] = Field(_add_rest(view.alpha, view.rest, tokens, report))
        if view.coefficients is not None and shard.covariates is not None:
            usage |= sampled_sums(words, shard, shard.covariates, view.coefficients, alphas, seed)
        if self.in_full:
            usage |= _in_full(view, words, report, usage)
        rows, new_rows = report_rows(view, shard, Rows(np.arange(len(words.positions)), report.counts))
        stats = Stats(
            rows=rows,
            new_rows=new_rows,
            usage=usage,
            score=float(report.scores.sum()),
            documents=float(shard.n_documents),
            tokens=float(tokens.sum()),
        )
        return {
            "gamma": Field(report.gamma, ("documents", "topics")),
            "scores": Field(report.scores, ("documents",)),
        }, stats


class CoordinateAscent(Inference):
    """The choice of mean-field inference. It has no settings and no solver of its own: the estimator supplies
    the mean-field solver for its prior of documents.
    """

    @property
    def name(self) -> str:
        return "mean-field"

    def goes_with(self, documents: type[TopicPrior], words: type[TopicVocabulary]) -> bool:
        return documents.direct or words.dirichlet  # tables need a closed vocabulary


def _in_full(view: TopicView, words: "Words", report: "Report", usage: Record) -> dict[str, Field]:
    """Additional sums over a shard's documents, from which the bound can be computed after priors and topics
    have changed.

    "own": the score without the terms of alpha and of the topics. With S_k the document's expected tokens of
    topic k, it is sum_k ((S_k - gamma_k) E[log theta_k] + log Gamma(gamma_k)) - log Gamma(sum gamma) +
    entropy of phi. "together" (topics × topics): sums over documents of theta_k theta_l, "shares" (topics):
    of theta, for theta the mean of q.
    """
    from stickbreaker.topics.kernels.mean_field import expected_log_words

    prior = prior_score(view.alpha, view.rest, usage, len(report.scores))
    own = float(report.scores.sum()) - prior - expected_log_words(words, report.counts)
    theta = report.gamma / report.gamma.sum(axis=1, keepdims=True)
    return {
        "own": Field(np.array(own)),
        "together": Field(theta.T @ theta, ("topics", "topics")),
        "shares": Field(theta.sum(axis=0), ("topics",)),
    }


def prior_score(alpha: Array, rest: float, usage: Record, documents: float) -> float:
    """The bound's terms that depend on alpha, in nats, given sums of E[log theta] over `documents` documents.

    alpha (topics): documents' pseudo-counts of topics; rest: that of all unused topics together, or 0; usage:
    the sums, "log_theta" (topics) and, if there is a rest, "log_rest".
    """
    from scipy.special import gammaln

    nats = documents * (gammaln(alpha.sum() + rest) - gammaln(alpha).sum())
    nats += float(alpha @ usage["log_theta"].values)
    if rest > 0.0:
        nats += rest * float(usage["log_rest"].values) - documents * gammaln(rest)
    return float(nats)


def _add_rest(alpha: Array, rest: float, tokens: Array, report: "Report") -> Array:
    """Correct the sums of E[log theta] and the scores in `report`, in place, for one more entry of theta: all
    unused topics together, whose alpha is `rest`.

    Returns the sum over documents of E[log theta] of that entry. Its gamma is its alpha, since no token has
    these topics, so only the totals of alpha and gamma change. tokens: of each document.
    """
    from scipy.special import gammaln, psi

    total, gamma = alpha.sum(), report.gamma.sum(axis=1)
    shift = psi(gamma) - psi(gamma + rest)
    report.log_theta[:] += shift.sum()
    report.scores[:] += (tokens + total - gamma) * shift
    report.scores[:] += gammaln(total + rest) - gammaln(total) - gammaln(gamma + rest) + gammaln(gamma)
    return np.asarray((psi(rest) - psi(gamma + rest)).sum())


def words_of(view: TopicView, shard: Shard[Bags]) -> "Words":
    """A shard's documents and the weights of their words in all topics (exp E[log beta]), as the compiled
    functions take them.
    """
    from stickbreaker.kernels.document_words import Words

    if shard.keys is not None:  # the view covers exactly the shard's words
        positions = np.arange(len(shard.rows))
    else:
        positions = view.places(shard.rows)
        if view.paths is not None:
            positions = view.paths.words[positions[view.paths.firsts(positions)]]
    bags = shard.content
    return Words(bags.offsets, bags.words, bags.counts, positions, view.weights, view.log_scale)


def tokens_of_documents(shard: Shard[Bags]) -> Array:
    """The number of tokens of each document in a shard."""
    return tokens_by_document(shard.content.offsets, shard.content.counts)
