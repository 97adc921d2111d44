"""Steps that learn a prior of topic shares by metadata: its coefficients, and how far these lie from 0."""

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array
from stickbreaker.topics.model.priors.prevalence_terms import LEAST, MOST, PrevalenceSums

FARTHEST = np.log(3.0)  # by how much a step may change log alpha of a topic, root mean square over documents
FLAT = 1e-8  # curvature of a direction about which the documents say nothing
SHRINKS = 8  # times that the topics' coupling is weakened until a step exists
ONE = 1.0  # variance of a coefficient that counts as seen, besides those that were learned


def coefficient_step(
    coefficients: Array, precisions: Array, sums: PrevalenceSums, *, together: bool
) -> Array:
    """The coefficients (columns × topics) after a Newton step of the topics' log probability plus the log of
    the coefficients' prior.

    precisions (columns): 1 / variance of the prior, 0 for the intercept, which has none; sums: over
    documents, at the coefficients before the step. `together`: only the intercept is learned, the same for
    all topics. The intercept of a topic without tokens decreases.

    The Hessian is, apart from terms whose sum is the gradient, minus `bends` B_k of each topic, plus the sum
    over documents of spreads p p' ⊗ x x', which couples the topics, with p their shares under the prior. In
    its place stands E W^-1 E', with E_k the `couplings` of topic k and W their sum. The two are equal if p is
    the same for all documents, and otherwise this one is the smaller (a Schur complement), so that a step is
    never too long; and each topic's system has only one more, which all share (Woodbury's formula): a step
    takes O(topics × columns³). Without covariates it is Newton's step of Minka (2000), section 3, for log
    alpha.
    """
    used = sums.bends[:, 0, 0] > 0.0
    couplings = sums.couplings * used[:, None, None]
    shared = couplings.sum(axis=0)
    slopes = sums.slopes - precisions[:, None] * coefficients
    if together:
        curve = sums.bends[:, 0, 0].sum() - shared[0, 0]
        rise = slopes[0].sum()
        step = np.zeros_like(coefficients)
        step[0] = np.clip(rise / curve if curve > 0.0 else np.sign(rise), -FARTHEST, FARTHEST)
        return _bounded(coefficients + step)
    systems = sums.bends + np.diag(precisions + FLAT)
    alone = np.linalg.solve(systems, slopes.T[:, :, None])[:, :, 0]  # topics × columns
    through = np.linalg.solve(systems, couplings)  # topics × columns × columns: B^-1 E
    lost = np.einsum("kji,kjl->il", couplings, through)
    pull = np.einsum("kji,kj->i", couplings, alone)
    step = alone
    for weakened in range(SHRINKS):
        capacity = shared * 2.0**weakened + FLAT * np.eye(len(shared)) - lost
        if np.linalg.eigvalsh(capacity).min() > 0.0:
            step = alone + np.einsum("kij,j->ki", through, np.linalg.solve(capacity, pull))
            break
    moments = shared / max(float(shared[0, 0]), FLAT)  # mean of x x' over documents with tokens
    spans = np.sqrt(np.maximum(np.einsum("ki,ij,kj->k", step, moments, step), 0.0))
    step = step * np.minimum(1.0, FARTHEST / np.maximum(spans, 1e-300))[:, None]
    step[~used] = 0.0
    step[~used, 0] = -FARTHEST
    return _bounded(coefficients + step.T)


def _bounded(coefficients: Array) -> Array:
    """The coefficients with the intercept (row 0) such that alpha at the mean is within its bounds."""
    coefficients[0] = np.clip(coefficients[0], np.log(LEAST), np.log(MOST))
    return coefficients


def learned_variances(
    coefficients: Array, variances: Array, scores: Array, groups: NDArray[np.int64]
) -> Array:
    """The prior variances of the coefficients (columns) after a step by their evidence: columns of one term
    (`groups`, columns) have one variance, the mean of gamma² plus the posterior variance over its columns and
    topics (MacKay 1992; Tipping 2001, as steps of EM). It is as if one more coefficient of variance 1 had
    been seen, so that it does not become 0. The intercept's stays.

    scores (topics × columns × columns): the information that documents' words have about each topic's
    coefficients, estimated without bias, so that some may be below 0, which counts as 0.
    """
    precisions = 1.0 / variances
    precisions[0] = 0.0
    whole = _above_zero((scores + scores.transpose(0, 2, 1)) / 2.0) + np.diag(precisions + FLAT)
    posterior = np.linalg.inv(whole)
    second = coefficients**2 + np.einsum("kii->ik", posterior)  # columns × topics
    updated = variances.copy()
    for group in range(1, int(groups.max(initial=0)) + 1):
        own = groups == group
        updated[own] = (second[own].sum() + ONE) / (second[own].size + 1.0)
    return updated


def _above_zero(scores: Array) -> Array:
    """Symmetric matrices (topics × columns × columns) without their eigenvalues below 0, if any has some."""
    try:
        np.linalg.cholesky(scores)
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(scores)
        return np.einsum("kij,kj,klj->kil", vectors, np.maximum(values, 0.0), vectors)
    return scores
