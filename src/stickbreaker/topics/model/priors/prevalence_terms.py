"""Sums over documents from which a prior of topic shares by metadata is learned (`prevalence.py`).

A document with covariates x (columns) has alpha_k = exp(x · gamma_k). The log probability of the topics of
its n tokens, of which n_k have topic k, is, with A = sum_k alpha_k (Mimno and McCallum 2008, eq. 2),

    log Gamma(A) - log Gamma(A + n) + sum_k log Gamma(alpha_k + n_k) - log Gamma(alpha_k).
"""

from typing import NamedTuple

import numpy as np

from stickbreaker.core.records import Array, Field, Record

AXES = {
    "slopes": ("terms", "topics"),
    "bends": ("topics", "terms", "terms"),
    "couplings": ("topics", "terms", "terms"),
    "scores": ("topics", "terms", "terms"),
    "alphas": ("topics",),
    "level_slopes": ("levels", "topics"),
    "level_bends": ("topics", "terms", "levels"),
    "level_couplings": ("topics", "terms", "levels"),
    "level_scores": ("levels", "topics"),
}  # of the fields of `PrevalenceSums`
LEAST, MOST = 1e-5, 1e4  # of alpha, as for one that is the same for all documents


class DocumentTerms(NamedTuple):
    """Derivatives of documents' log probabilities by x · gamma_k, from the topics of their tokens.

    `slopes` (documents × topics): alpha_k (psi(A) - psi(A + n) + psi(alpha_k + n_k) - psi(alpha_k)), the
    first derivative; `bends` (documents × topics): alpha_k² (psi'(alpha_k) - psi'(alpha_k + n_k)), and
    `spreads` (documents): A² (psi'(A) - psi'(A + n)), parts of the second.
    """

    slopes: Array
    bends: Array
    spreads: Array


class Coefficients(NamedTuple):
    """The coefficients gamma of a prior by metadata: of each column of the covariates (`columns`, columns ×
    topics), and of each level of terms such as (1 | author) (`levels`, levels × topics; none without such
    terms).
    """

    columns: Array
    levels: Array

    def __sub__(self, other: "Coefficients") -> "Coefficients":
        return Coefficients(self.columns - other.columns, self.levels - other.levels)

    def moved(self, rate: float, change: "Coefficients") -> "Coefficients":
        """These plus the rate times a change."""
        return Coefficients(self.columns + rate * change.columns, self.levels + rate * change.levels)


class PrevalenceSums(NamedTuple):
    """Sums over documents, which can be added: of the covariates x with the terms of `DocumentTerms`.

    `slopes` (columns × topics): of x ⊗ slopes, the gradient; `bends` (topics × columns × columns): of x x'
    bends; `couplings` (the same): of x x' spreads alpha_k / A; `scores` (the same): of x x' times the product
    of two independent estimates of E[slopes], the information about gamma_k that words have; `alphas`
    (topics): of alpha.

    With terms that have levels, the same over the documents of each level: `level_slopes` (levels × topics),
    `level_bends` and `level_couplings` (topics × columns × levels, of x), `level_scores` (levels × topics).
    """

    slopes: Array
    bends: Array
    couplings: Array
    scores: Array
    alphas: Array
    level_slopes: Array
    level_bends: Array
    level_couplings: Array
    level_scores: Array

    def times(self, scale: float) -> "PrevalenceSums":
        return PrevalenceSums(*(scale * one for one in self))


def alphas_of(covariates: Array, coefficients: Coefficients, otherwise: Array) -> Array:
    """alpha (documents × topics) of documents: exp(covariates · coefficients), between 1e-5 and 1e4; for
    documents whose covariates are NaN, `otherwise` (topics).

    covariates: documents × columns and, for each term with levels, the number of the document's level, or -1.

    >>> own = Coefficients(np.zeros((1, 1)), np.log([[2.0]]))
    >>> alphas_of(np.array([[1.0, 0.0], [1.0, -1.0], [np.nan, 0.0]]), own, np.array([0.5])).tolist()
    [[2.0], [1.0], [0.5]]
    """
    logs = log_alphas_of(covariates, coefficients)
    alphas = np.exp(np.clip(logs, np.log(LEAST), np.log(MOST)))
    unknown = np.isnan(alphas).any(axis=1)
    if unknown.any():
        alphas[unknown] = otherwise
    return np.ascontiguousarray(alphas)


def log_alphas_of(covariates: Array, coefficients: Coefficients) -> Array:
    """covariates · coefficients (documents × topics), the logarithm of alpha if that is within its bounds."""
    n_columns = len(coefficients.columns)
    logs = covariates[:, :n_columns] @ coefficients.columns
    for codes in covariates[:, n_columns:].T:
        known = codes >= 0.0
        logs[known] += coefficients.levels[codes[known].astype(np.int64)]
    return logs


def sums_of_terms(
    covariates: Array,
    coefficients: Coefficients,
    alphas: Array,
    terms: DocumentTerms,
    first: Array,
    second: Array,
) -> PrevalenceSums:
    """The sums over some documents. coefficients: their shapes count; first, second (documents × topics): two
    estimates of E[slopes], each from other draws. Documents whose covariates are NaN are left out, except
    from `alphas`.
    """
    n_columns, n_levels = len(coefficients.columns), len(coefficients.levels)
    known = ~np.isnan(covariates[:, :n_columns]).any(axis=1)
    x, codes, total = covariates[known, :n_columns], covariates[known, n_columns:], alphas.sum(axis=0)
    slopes, products = terms.slopes[known], (first * second)[known]
    coupled = ((terms.spreads / alphas.sum(axis=1))[:, None] * alphas)[known]
    ones = np.ones((len(x), 1))

    def by_level(each: Array, weights: Array) -> Array:
        return sums_by_level(each, weights, codes, n_levels)

    return PrevalenceSums(
        slopes=x.T @ slopes,
        bends=_weighted(x, terms.bends[known]),
        couplings=_weighted(x, coupled),
        scores=_weighted(x, products),
        alphas=total,
        level_slopes=by_level(ones, slopes)[:, 0].T,
        level_bends=by_level(x, terms.bends[known]),
        level_couplings=by_level(x, coupled),
        level_scores=by_level(ones, products)[:, 0].T,
    )


def _weighted(x: Array, weights: Array) -> Array:
    """For each topic, the sum over documents of x x' times the topic's weight (topics × columns × columns).

    x: documents × columns; weights: documents × topics.
    """
    return np.array([(x * weights[:, k, None]).T @ x for k in range(weights.shape[1])])


def sums_by_level(x: Array, weights: Array, codes: Array, n_levels: int) -> Array:
    """For each topic, the sums over each level's documents of x times the topic's weight (topics × columns ×
    levels).

    x: documents × columns; weights: documents × topics; codes (documents × terms): the numbers of levels.
    """
    sums = np.zeros((weights.shape[1], x.shape[1], n_levels))
    for own in codes.T:
        order = np.argsort(own, kind="stable")
        order = order[own[order] >= 0.0]
        if not len(order):
            continue
        present, starts = np.unique(own[order].astype(np.int64), return_index=True)
        for column in range(x.shape[1]):
            products = (weights * x[:, column, None])[order]
            sums[:, column, present] += np.add.reduceat(products, starts, axis=0).T
    return sums


def as_fields(sums: PrevalenceSums) -> dict[str, Field]:
    """The sums as statistics that documents report (`Stats.usage`)."""
    own = sums._asdict()
    return {name: Field(own[name], axes) for name, axes in AXES.items() if own[name].size}


def sums_in(usage: Record) -> PrevalenceSums:
    """The sums among the statistics that documents report."""
    n_columns, n_topics = usage["slopes"].values.shape
    none = {
        "level_slopes": np.zeros((0, n_topics)),
        "level_bends": np.zeros((n_topics, n_columns, 0)),
        "level_couplings": np.zeros((n_topics, n_columns, 0)),
        "level_scores": np.zeros((0, n_topics)),
    }
    return PrevalenceSums(*(usage[name].values if name in usage else none[name] for name in AXES))
