"""Steps that learn a prior of topic shares by metadata: its coefficients, and how far these lie from 0."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array
from stickbreaker.topics.model.priors.prevalence_terms import LEAST, MOST, Coefficients, PrevalenceSums

FARTHEST = np.log(3.0)  # by how much a step may change log alpha of a topic, root mean square over documents
FLAT = 1e-8  # curvature of a direction about which the documents say nothing
SHRINKS = 8  # times that the topics' coupling is weakened until a step exists
ONE = 1.0  # variance of a coefficient that counts as seen, besides those that were learned
ONE_LEVEL = 0.01  # likewise, of a level, of which there are many
HELD = (
    1e-3  # precision of each level of a walk, besides that of their differences, which do not say where it is
)


class LevelRange(NamedTuple):
    """The levels of a term, as (1 | author): the first, the one after the last, and how many documents each
    has (levels). `walks`: whether neighbours differ by a random walk.
    """

    start: int
    stop: int
    documents: Array
    walks: bool

    def precisions(self, variance: float) -> tuple[Array, Array]:
        """The tridiagonal matrix of the prior's precisions: its diagonal, and minus its elements between a
        level and the next (levels, the last is 0).
        """
        size = self.stop - self.start
        if not self.walks:
            return np.full(size, 1.0 / variance), np.zeros(size)
        beside = np.append(np.full(size - 1, 1.0 / variance), 0.0)
        return beside + np.append(0.0, beside[:-1]) + HELD, beside


class Precisions(NamedTuple):
    """Precisions of the coefficients' normal prior: `columns` (columns), 0 for the intercept, which has none;
    of levels a matrix that is tridiagonal, since neighbours in a random walk are tied: `diagonal` (levels),
    and `beside`, minus its elements between a level and the next (levels). `terms`: how many have levels.
    """

    columns: Array
    diagonal: Array
    beside: Array
    terms: int

    def times_levels(self, values: Array) -> Array:
        """The matrix of levels times values (levels × …)."""
        pulled = self.beside[:-1, None]
        found = self.diagonal[:, None] * values
        found[:-1] -= pulled * values[1:]
        found[1:] -= pulled * values[:-1]
        return found


def column_precisions(variances: Array) -> Array:
    """The precisions of the columns' coefficients (columns) by their variances; 0 for the intercept's."""
    columns = 1.0 / variances
    columns[0] = 0.0
    return columns


def precisions_of(variances: Array, level_variances: Array, ranges: Sequence[LevelRange]) -> Precisions:
    """The precisions by the variances of the columns, and of each term with levels (`ranges`)."""
    own = [one.precisions(float(v)) for one, v in zip(ranges, level_variances, strict=True)]
    diagonal, beside = (np.concatenate([np.zeros(0), *(pair[i] for pair in own)]) for i in (0, 1))
    return Precisions(column_precisions(variances), diagonal, beside, len(ranges))


class _Systems(NamedTuple):
    """For each topic, a symmetric matrix over columns and levels: `columns` (topics × columns × columns),
    `across` (topics × columns × levels), of levels a tridiagonal part: `diagonal` (topics × levels), and
    `beside` (levels), minus its elements between a level and the next.
    """

    columns: Array
    across: Array
    diagonal: Array
    beside: Array

    def solved(self, columns: Array, levels: Array) -> tuple[Array, Array]:
        """The solutions for the right sides `columns` (topics × columns × sides) and `levels` (topics ×
        levels × sides), by elimination of the levels.
        """
        if not levels.shape[1]:
            return np.asarray(np.linalg.solve(self.columns, columns), np.float64), levels
        crossed = self.across.transpose(0, 2, 1)
        found = solve_chains(self.diagonal, self.beside, np.concatenate([crossed, levels], axis=2))
        through, own = found[:, :, : crossed.shape[2]], found[:, :, crossed.shape[2] :]
        left, right = self.columns - self.across @ through, columns - self.across @ own
        alone = np.asarray(np.linalg.solve(left, right), np.float64)
        return alone, own - through @ alone


def solve_chains(diagonal: Array, beside: Array, sides: Array) -> Array:
    """The solutions (topics × levels × sides) of a tridiagonal system for each topic: `diagonal` (topics ×
    levels), `beside` (levels) is minus the element between a level and the next.
    """
    if not beside.any():
        return sides / diagonal[:, :, None]
    from scipy.linalg import solveh_banded  # models load without scipy

    bands = np.empty((len(diagonal), 2, diagonal.shape[1]))
    bands[:, 0], bands[:, 1] = diagonal, -beside
    return np.array([solveh_banded(one, side, lower=True) for one, side in zip(bands, sides, strict=True)])


def coefficient_step(
    coefficients: Coefficients,
    prior: Precisions,
    sums: PrevalenceSums,
    *,
    together: bool,
    whole: bool = True,
) -> Coefficients:
    """The coefficients after a Newton step of the topics' log probability plus the log of their prior.

    sums: over documents, at the coefficients before the step. `together`: only the intercept is learned, the
    same for all topics. The intercept of a topic without tokens decreases. `whole`: the sums are over all
    documents, not a minibatch.

    The Hessian is, apart from terms whose sum is the gradient, minus `bends` B_k of each topic, plus the sum
    over documents of spreads p p' ⊗ x x', which couples the topics, with p their shares under the prior. In
    its place stands E W^-1 E', with E_k the `couplings` of topic k and W their sum. The two are equal if p is
    the same for all documents, and otherwise this one is the smaller (a Schur complement), so that a step is
    never too long; and each topic's system has only one more, which all share (Woodbury's formula): a step
    takes O(topics × columns³). Without covariates it is Newton's step of Minka (2000), section 3, for log
    alpha.

    Levels are eliminated first (`_Systems.solved`), in O(topics × levels × columns²). Only columns couple
    topics, and the levels' bends count once for each term that has levels, in place of their products between
    terms: both make a step shorter, never too long. If a level's slope is below 0, which a prior may balance,
    it bends that much more; not so in minibatches, where it would depend on the draw of documents.
    """
    used = sums.bends[:, 0, 0] > 0.0
    couplings = sums.couplings * used[:, None, None]
    shared = couplings.sum(axis=0)
    slopes = sums.slopes - prior.columns[:, None] * coefficients.columns
    if together:
        curve = sums.bends[:, 0, 0].sum() - shared[0, 0]
        rise = slopes[0].sum()
        step = np.zeros_like(coefficients.columns)
        step[0] = np.clip(rise / curve if curve > 0.0 else np.sign(rise), -FARTHEST, FARTHEST)
        return Coefficients(_bounded(coefficients.columns + step), coefficients.levels)
    level_slopes = sums.level_slopes - prior.times_levels(coefficients.levels)
    bends = known_bends(sums).T if whole else sums.level_bends[:, 0]
    systems = _Systems(
        sums.bends + np.diag(prior.columns + FLAT),
        sums.level_bends,
        prior.terms * bends + prior.diagonal,
        prior.beside,
    )
    across = sums.level_couplings * used[:, None, None]
    sides = np.concatenate([slopes.T[:, :, None], couplings], axis=2)
    level_sides = np.concatenate([level_slopes.T[:, :, None], across.transpose(0, 2, 1)], axis=2)
    found, by_level = systems.solved(sides, level_sides)
    alone, through = found[:, :, 0], found[:, :, 1:]  # topics × columns, and × columns: B^-1 E
    level_alone, level_through = by_level[:, :, 0], by_level[:, :, 1:]
    lost = np.einsum("kji,kjl->il", couplings, through) + np.einsum("kil,klj->ij", across, level_through)
    pull = np.einsum("kji,kj->i", couplings, alone) + np.einsum("kil,kl->i", across, level_alone)
    step, level_step = alone, level_alone
    for weakened in range(SHRINKS):
        capacity = shared * 2.0**weakened + FLAT * np.eye(len(shared)) - lost
        if np.linalg.eigvalsh(capacity).min() > 0.0:
            more = np.linalg.solve(capacity, pull)
            step, level_step = alone + through @ more, level_alone + level_through @ more
            break
    spans = _spans(step, level_step, shared, across.sum(axis=0), prior.terms)
    shorter = np.minimum(1.0, FARTHEST / np.maximum(spans, 1e-300))[:, None]
    step, level_step = step * shorter, np.clip(level_step * shorter, -2.0 * FARTHEST, 2.0 * FARTHEST)
    step[~used] = 0.0
    step[~used, 0] = -FARTHEST
    return Coefficients(_bounded(coefficients.columns + step.T), coefficients.levels + level_step.T)


def known_bends(sums: PrevalenceSums) -> Array:
    """The curvature of each level's coefficients (levels × topics) for topics of tokens that are known: its
    bends, and a slope below 0, which a prior may balance.
    """
    return sums.level_bends[:, 0].T + np.maximum(-sums.level_slopes, 0.0)


def evened(sums: PrevalenceSums, documents: float, ranges: Sequence[LevelRange]) -> PrevalenceSums:
    """The sums of a minibatch (times the scale) with the curvature of a mean document for each document that
    a level has in the whole corpus, in place of that of the level's documents in the minibatch, often none.

    Steps by such sums are right on average, for their slopes are, and their curvature does not depend on
    which documents were drawn. documents: of the whole corpus.
    """
    if not ranges:
        return sums
    each = np.concatenate([one.documents for one in ranges]) / documents
    return sums._replace(
        level_bends=sums.bends[:, 0, :, None] * each,
        level_couplings=sums.couplings[:, 0, :, None] * each,
        level_scores=np.outer(each, sums.scores[:, 0, 0]),
    )


def _spans(step: Array, level_step: Array, shared: Array, across: Array, terms: int) -> Array:
    """By how much a step changes log alpha of each topic, root mean square over documents (topics).

    step (topics × columns), level_step (topics × levels); shared (columns × columns), across (columns ×
    levels): sums of x x' and of x over the documents of each level, weighted by their tokens.
    """
    squares = np.einsum("ki,ij,kj->k", step, shared, step)
    if level_step.size:
        squares += 2.0 * np.einsum("ki,il,kl->k", step, across, level_step)
        squares += terms * (level_step**2 @ across[0])
    return np.sqrt(np.maximum(squares / max(float(shared[0, 0]), FLAT), 0.0))


def centred(coefficients: Coefficients, ranges: Sequence[LevelRange]) -> Coefficients:
    """The same prior, with the mean of a walk over documents in the intercept instead of its levels."""
    columns, levels = coefficients.columns.copy(), coefficients.levels.copy()
    for one in ranges:
        if one.walks:
            mean = one.documents @ levels[one.start : one.stop] / one.documents.sum()
            levels[one.start : one.stop] -= mean
            columns[0] += mean
    return Coefficients(columns, levels)


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
    whole = _above_zero((scores + scores.transpose(0, 2, 1)) / 2.0) + np.diag(
        column_precisions(variances) + FLAT
    )
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


def learned_level_variances(
    levels: Array, variances: Array, scores: Array, ranges: Sequence[LevelRange]
) -> Array:
    """The prior variances of terms with levels (terms) after a step by their evidence, as
    `learned_variances`: for a pooled term, the mean of gamma² plus the posterior variance over levels and
    topics; for a walk, that of the differences between neighbours.

    levels: levels × topics; scores (the same): the information that documents have about each, as estimated,
    or if `levels` are the maximum for one draw of the tokens' topics, that for this draw (`known_bends`).
    """
    updated = variances.copy()
    for number, one in enumerate(ranges):
        own, said = levels[one.start : one.stop], np.maximum(scores[one.start : one.stop], 0.0)
        diagonal, beside = one.precisions(float(variances[number]))
        if one.walks:
            posterior, between = _inverse_of_chains(said.T + diagonal, beside)
            unsure = posterior[:, 1:] + posterior[:, :-1] - 2.0 * between[:, :-1]
            squares = np.diff(own, axis=0) ** 2 + unsure.T
        else:
            squares = own**2 + 1.0 / (said + diagonal[:, None])
        updated[number] = (squares.sum() + ONE_LEVEL) / (squares.size + 1.0)
    return updated


def _inverse_of_chains(diagonal: Array, beside: Array) -> tuple[Array, Array]:
    """The diagonal of the inverse of tridiagonal matrices, and its elements between a level and the next
    (both topics × levels). diagonal: topics × levels; beside (levels): minus the elements next to it.
    """
    n = diagonal.shape[1]
    down, up = diagonal.copy(), diagonal.copy()  # pivots of eliminations from both ends
    for t in range(1, n):
        down[:, t] -= beside[t - 1] ** 2 / down[:, t - 1]
        up[:, n - 1 - t] -= beside[n - 1 - t] ** 2 / up[:, n - t]
    own = 1.0 / (down + up - diagonal)
    return own, np.append(beside[:-1] / down[:, :-1] * own[:, 1:], np.zeros((len(own), 1)), axis=1)
