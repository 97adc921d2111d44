"""How unsure the coefficients of a prior by metadata are, if terms such as (1 | author) have levels.

The documents of an author share the author's coefficients, which are not known either: twenty documents of
one author say less of a party than documents of twenty. How much levels leave unknown is computed as if all
documents said the same of topics, each by its weight: with s_l the share of the weights that level l has, J
(topics × topics) the information of all documents about an intercept, and Q the precisions of the levels'
prior, levels have the posterior precisions diag(s) ⊗ J + Q ⊗ 1. In the eigenvectors of J it is a matrix for
each eigenvalue.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array
from stickbreaker.topics.model.priors.prevalence_steps import LevelRange

LEAST = 1e-6  # precision of a direction about which nothing is known
FIXED = 1e6  # precision of the mean of a walk over documents, which is 0, in place of infinity


class _Eigen(NamedTuple):
    """Eigenvalues (topics) and vectors (topics × topics, in columns) of an information."""

    values: Array
    vectors: Array


class LevelSums:
    """Sums over documents by their weights: `squares` of x x' (columns × columns), and over each level's
    documents `means` of x (levels × columns). `whole`: the information J about an intercept, as estimated.
    """

    def __init__(self, squares: Array, means: Array, whole: Array) -> None:
        total = max(float(squares[0, 0]), 1e-300)
        self.squares, self.shares, self.whole = squares / total, means[:, 0] / total, whole
        self.means = means / np.maximum(means[:, :1], 1e-300)

    @cached_property
    def eigen(self) -> _Eigen:
        return eigen_of(self.whole)


def eigen_of(whole: Array) -> _Eigen:
    """Eigenvalues, those below 0 as 0, and eigenvectors."""
    values, vectors = np.linalg.eigh((whole + whole.T) / 2.0)
    return _Eigen(np.maximum(values, 0.0), vectors)


def with_unknown_levels(
    information: Array,
    sums: LevelSums,
    precisions: Array,
    variances: Array,
    ranges: Sequence[LevelRange],
) -> Array:
    """The information about the coefficients of columns if those of levels are not known either. Each term
    adds variance.

    information (columns · topics on each side): as if levels were known; precisions (columns): of the
    columns' prior; variances (terms): of levels.
    """
    prior = np.diag(np.repeat(precisions, len(sums.whole)) + LEAST)
    eigen = sums.eigen
    alike = np.kron(sums.squares, (eigen.vectors * eigen.values) @ eigen.vectors.T)
    known = np.linalg.inv(alike + prior)
    values, vectors = np.linalg.eigh(information + prior)
    covariance = np.asarray((vectors / np.maximum(values, LEAST)) @ vectors.T, np.float64)
    for one, variance in zip(ranges, variances.tolist(), strict=True):
        within = slice(one.start, one.stop)
        shares, x = sums.shares[within], sums.means[within]
        lost = np.zeros_like(alike)
        for value, vector in zip(eigen.values.tolist(), eigen.vectors.T, strict=True):
            sides = value * shares[:, None] * x
            own = sides.T @ solved(one, variance, value * shares, sides)
            lost += np.kron(own, np.outer(vector, vector))
        covariance += np.linalg.inv(alike - lost + prior) - known
    return np.asarray(np.linalg.inv(covariance), np.float64) - prior


def solved(one: LevelRange, variance: float, said: Array, sides: Array) -> Array:
    """The solutions (levels × sides) of diag(said) + the prior's precisions, where the mean of a walk over
    documents is 0.
    """
    diagonal, beside = one.precisions(variance)
    if not one.walks:
        return sides / (said + diagonal)[:, None]
    return np.asarray(np.linalg.solve(_of_walk(one, diagonal + said, beside), sides), np.float64)


def level_draws(
    one: LevelRange,
    variance: float,
    shares: Array,
    whole: Array,
    places: NDArray[np.int64],
    noise: Array,
) -> Array:
    """Draws of how far the coefficients of some levels lie from their means (draws × places × topics).

    shares (levels of the term), whole: as of `LevelSums`; places: positions in the term; noise: standard
    normal numbers (draws × places × topics).
    """
    eigen, found = eigen_of(whole), np.zeros_like(noise)
    diagonal, beside = one.precisions(variance)
    for number, value in enumerate(eigen.values.tolist()):
        if one.walks:
            inverse = np.linalg.inv(_of_walk(one, diagonal + value * shares, beside))
            values, vectors = np.linalg.eigh(inverse[np.ix_(places, places)])
            drawn = (noise[:, :, number] * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
        else:
            first = np.unique(places, return_inverse=True)[1]  # a level has one draw wherever it stands
            drawn = noise[:, first, number] / np.sqrt(value * shares + diagonal)[places]
        found += drawn[:, :, None] * eigen.vectors[:, number]
    return found


def _of_walk(one: LevelRange, diagonal: Array, beside: Array) -> Array:
    share = one.documents / one.documents.sum()
    matrix = np.diag(diagonal) - np.diag(beside[:-1], 1) - np.diag(beside[:-1], -1)
    return matrix + FIXED * len(diagonal) * np.outer(share, share)
