"""Sums over documents from which a prior of topic shares by metadata is learned (`prevalence.py`).

A document with covariates x (columns) has alpha_k = exp(x · gamma_k). The log probability of the topics of
its n tokens, of which n_k have topic k, is, with A = sum_k alpha_k (Mimno and McCallum 2008, eq. 2),

    log Gamma(A) - log Gamma(A + n) + sum_k log Gamma(alpha_k + n_k) - log Gamma(alpha_k).
"""

from typing import NamedTuple

import numpy as np

from stickbreaker.core.records import Array, Record

AXES = {
    "slopes": ("terms", "topics"),
    "bends": ("topics", "terms", "terms"),
    "couplings": ("topics", "terms", "terms"),
    "scores": ("topics", "terms", "terms"),
    "alphas": ("topics",),
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


class PrevalenceSums(NamedTuple):
    """Sums over documents, which can be added: of the covariates x with the terms of `DocumentTerms`.

    `slopes` (columns × topics): of x ⊗ slopes, the gradient; `bends` (topics × columns × columns): of x x'
    bends; `couplings` (the same): of x x' spreads alpha_k / A; `scores` (the same): of x x' times the product
    of two independent estimates of E[slopes], the information about gamma_k that words have; `alphas`
    (topics): of alpha.
    """

    slopes: Array
    bends: Array
    couplings: Array
    scores: Array
    alphas: Array


def alphas_of(covariates: Array, coefficients: Array, otherwise: Array) -> Array:
    """alpha (documents × topics) of documents: exp(covariates · coefficients), between 1e-5 and 1e4; for
    documents whose covariates are NaN, `otherwise` (topics).

    covariates: documents × columns; coefficients: columns × topics.

    >>> alphas_of(np.array([[1.0, 0.0], [np.nan, 0.0]]), np.zeros((2, 1)), np.array([0.5])).tolist()
    [[1.0], [0.5]]
    """
    alphas = np.exp(np.clip(covariates @ coefficients, np.log(LEAST), np.log(MOST)))
    unknown = np.isnan(alphas).any(axis=1)
    if unknown.any():
        alphas[unknown] = otherwise
    return np.ascontiguousarray(alphas)


def sums_of_terms(
    covariates: Array, alphas: Array, terms: DocumentTerms, first: Array, second: Array
) -> PrevalenceSums:
    """The sums over some documents. first, second (documents × topics): two estimates of E[slopes], each from
    other draws. Documents whose covariates are NaN are left out, except from `alphas`.
    """
    known = ~np.isnan(covariates).any(axis=1)
    x, total = covariates[known], alphas.sum(axis=0)
    couplings = (terms.spreads / alphas.sum(axis=1))[:, None] * alphas
    bends, coupled, scores = (_weighted(x, each[known]) for each in (terms.bends, couplings, first * second))
    return PrevalenceSums(x.T @ terms.slopes[known], bends, coupled, scores, total)


def _weighted(x: Array, weights: Array) -> Array:
    """For each topic, the sum over documents of x x' times the topic's weight (topics × columns × columns).

    x: documents × columns; weights: documents × topics.
    """
    return np.array([(x * weights[:, k, None]).T @ x for k in range(weights.shape[1])])


def sums_in(usage: Record) -> PrevalenceSums:
    """The sums among the statistics that documents report (`Stats.usage`)."""
    return PrevalenceSums(*(usage[name].values for name in AXES))
