"""Effects of metadata on topics: regressions of topic shares that account for the shares' own uncertainty.

By the method of composition (Treier and Jackman 2008; Roberts, Stewart and Airoldi 2016, as `estimateEffect`
in R's stm), documents' shares are drawn many times from their posterior, each draw is regressed on the
metadata by least squares, and coefficients are drawn from the distribution of the estimates. All draws
together represent the effects.
"""

from typing import NamedTuple

import numpy as np

from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.random_streams import stream
from stickbreaker.core.records import Array
from stickbreaker.topics import purposes

COEFFICIENTS = 100  # draws of coefficients per regression
LEVEL = 0.95
LARGEST = 4 << 30  # bytes that all draws may take


class Effects(NamedTuple):
    """Estimated effects of terms on topic shares, by topic and term (topics × terms): by how much the share
    (0 to 1) changes per unit of the term.

    `estimates` and `errors`: mean and standard deviation of the draws; `low` and `high`: bounds of the
    central 95 %.
    """

    estimates: Array
    errors: Array
    low: Array
    high: Array


def effects_of(gamma: Array, design: Array, *, draws: int = 25, seed: int = 0) -> Effects:
    """Estimate effects of terms on topic shares: shares are drawn from their posterior, each draw is
    regressed on a design matrix, and 100 coefficients are drawn from the distribution of each regression's
    estimates.

    gamma (documents × topics): the Dirichlet posterior of each document's shares; design (documents × terms),
    with an intercept if wanted. `draws`: number of draws of the shares. Raises UserError unless there are
    more documents than terms, if terms are collinear, and if all draws together need more than 4 GB.

    >>> ones = np.ones((4, 1))
    >>> found = effects_of(np.array([[9.0, 1.0]] * 4), ones, draws=50)
    >>> bool(abs(found.estimates[0, 0] - 0.9) < 0.1)
    True
    """
    n, terms = design.shape
    if n <= terms:
        problem = f"{counted(n, 'document')} for {counted(terms, 'term')}"
        raise UserError(problem, remedy="give more documents, or a formula of fewer terms")
    if np.linalg.matrix_rank(design) < terms:
        raise UserError("a term of the formula is determined by the others", remedy="leave out one of them")
    each = 2 * 8 * COEFFICIENTS * gamma.shape[1] * terms  # once more for quantiles
    if draws * each > LARGEST:
        problem = f"draws={draws} of {gamma.shape[1]:,} topics and {counted(terms, 'term')}"
        most = max(1, LARGEST // each)
        raise UserError(f"{problem} need {draws * each >> 30:,} GB", remedy=f"give draws={most} or fewer")
    q, r = np.linalg.qr(design)
    back = np.linalg.solve(r, np.eye(terms))  # r^-1: coefficients = back @ (q' shares)
    found = np.empty((draws, COEFFICIENTS, gamma.shape[1], terms))
    for number in range(draws):
        generator = stream(seed, purposes.EFFECTS, number)
        shares = generator.standard_gamma(gamma)
        shares /= shares.sum(axis=1, keepdims=True)
        along = q.T @ shares
        rest = np.maximum((shares**2).sum(axis=0) - (along**2).sum(axis=0), 0.0)
        spread = np.sqrt(rest / (n - terms))  # (topics,) of the residuals
        noise = generator.standard_normal((COEFFICIENTS, gamma.shape[1], terms))
        found[number] = (along.T + spread[:, None] * noise) @ back.T
    pooled = found.reshape(-1, *found.shape[2:])
    low, high = np.quantile(pooled, ((1.0 - LEVEL) / 2.0, (1.0 + LEVEL) / 2.0), axis=0)
    return Effects(pooled.mean(axis=0), pooled.std(axis=0, ddof=1), low, high)
