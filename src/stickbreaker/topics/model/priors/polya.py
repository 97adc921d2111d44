"""Estimation of Dirichlet parameters from counts, by the Polya (Dirichlet-multinomial) likelihood.

Sums of psi(n + a) - psi(a) are taken over histograms ("how many documents have n tokens of topic k"), so that
an iteration is cheap compared with a sweep and skips zero counts (Minka 2000, eq. 55).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, psi

from stickbreaker.core.records import Array
from stickbreaker.topics.model.priors.dirichlet_newton import CEILING, FLOOR, newton_direction

ROUNDS = 20
ENOUGH = 1e-4  # relative change at which iterations stop


class Histogram(NamedTuple):
    """How often each count occurs within each group: in group `group[i]`, the count `size[i]` occurs
    `times[i]` times.
    """

    group: NDArray[np.int64]
    size: NDArray[np.int64]
    times: NDArray[np.int64]


def histogram(groups: NDArray[np.integer], counts: NDArray[np.integer]) -> Histogram:
    """How often each count occurs within each group, such as the tokens per document by topic.

    groups, counts: parallel arrays, the group of each count and the count, which is positive.

    >>> histogram(np.array([0, 1, 1, 1]), np.array([5, 2, 2, 3])).times.tolist()
    [1, 2, 1]
    """
    width = int(counts.max(initial=0)) + 1
    keys = groups.astype(np.int64) * width + counts
    if keys.max(initial=0) < 4 * len(keys) + 2**20:
        tally = np.bincount(keys)
        found = np.flatnonzero(tally)
        times = tally[found]
    else:
        found, times = np.unique(keys, return_counts=True)
    return Histogram(found // width, found % width, times)


def digamma_sums(seen: Histogram, parameter: Array, n_groups: int) -> Array:
    """For each group of a histogram, the sum over its counts n of psi(n + a) - psi(a) (groups).

    `parameter`: a, one for all groups or one per group.
    """
    a = np.broadcast_to(parameter, n_groups)[seen.group]
    terms = seen.times * (psi(seen.size + a) - psi(a))
    return np.asarray(np.bincount(seen.group, terms, n_groups), float)


def log_gamma_sum(seen: Histogram, parameter: Array, n_groups: int) -> float:
    """The sum over all counts n of a histogram of log Gamma(n + a) - log Gamma(a), in nats.

    `parameter`: a, one for all groups or one per group.
    """
    a = np.broadcast_to(parameter, n_groups)[seen.group]
    return float((seen.times * (gammaln(seen.size + a) - gammaln(a))).sum())


def polya_step(alpha: Array, numerator: Array, denominator: float, symmetric: bool) -> Array:
    """alpha (topics) after one step of Minka's fixed point, which raises the likelihood, within FLOOR and
    CEILING; unchanged if `denominator` is 0.

    `numerator` (topics): sum over documents of psi(n_dk + alpha_k) - psi(alpha_k); `denominator`: of psi(n_d
    + sum alpha) - psi(sum alpha). Sums of several shards or samples can be added. `symmetric`: all topics
    get the mean step.
    """
    if denominator <= 0.0:
        return alpha
    ratio = numerator / denominator
    if symmetric:
        ratio = np.full(len(alpha), ratio.mean())
    return np.clip(alpha * ratio, FLOOR, CEILING)


class PolyaSums(NamedTuple):
    """What `polya_newton` needs of documents: sums over them, at the alpha before the step, which can be
    added over shards or samples.

    `gains`, `bends` (topics): of psi(n_dk + alpha_k) - psi(alpha_k), for the n_dk tokens of topic k in
    document d, and of minus its derivative; `spread`, `spread_bend`: the same for the document's length n_d
    and the sum of alpha.
    """

    gains: Array  # topics: psi(n_dk + alpha_k) - psi(alpha_k)
    bends: Array  # topics: psi'(alpha_k) - psi'(n_dk + alpha_k)
    spread: float  # psi(n_d + sum alpha) - psi(sum alpha)
    spread_bend: float  # psi'(sum alpha) - psi'(n_d + sum alpha)


def polya_newton(alpha: Array, sums: PolyaSums, symmetric: bool) -> Array:
    """alpha (topics) after one Newton step of E[log p(z | alpha)], if that is concave; else `polya_step`.

    The Hessian is diagonal plus a constant (Minka 2000, section 3), so a step takes O(topics). No topic's
    alpha changes by more than a factor of three, since the objective cannot be evaluated again. Topics
    without tokens have no curvature of their own; they decrease by that factor, independently of the rest.
    """
    if sums.spread <= 0.0 or len(alpha) == 1:
        return alpha
    gradient, used = sums.gains - sums.spread, sums.bends > 0.0
    step = np.where(used, 0.0, -alpha)
    if symmetric:
        curve = sums.bends.sum() - len(alpha) ** 2 * sums.spread_bend
        concave = curve > 0.0
        step = np.full(len(alpha), gradient.sum() / curve) if concave else step
    else:
        bends = sums.bends[used]
        concave = sums.spread_bend * (1.0 / bends).sum() < 1.0
        if concave:
            step[used] = newton_direction(gradient[used], -bends, sums.spread_bend)
    moved = alpha + step if concave else polya_step(alpha, sums.gains, sums.spread, symmetric)
    return np.clip(np.clip(moved, alpha / 3.0, alpha * 3.0), FLOOR, CEILING)


def fit_alpha(alpha: Array, topics: Histogram, lengths: Histogram, symmetric: bool) -> Array:
    """alpha (topics) after up to 20 iterations of Minka's fixed point, from whole counts of tokens.

    topics: histogram of each document's tokens with a topic, grouped by topic; lengths: histogram of document
    lengths, in one group; symmetric: all topics get the same steps.
    """
    for _ in range(ROUNDS):
        numerator = digamma_sums(topics, alpha, len(alpha))
        denominator = float(digamma_sums(lengths, alpha.sum(), 1)[0])
        updated = polya_step(alpha, numerator, denominator, symmetric)
        change = np.abs(updated / alpha - 1.0).max(initial=0.0)
        alpha = updated
        if change < ENOUGH:
            break
    return alpha


def fit_eta(eta: float, sizes: NDArray[np.int64], cells: Histogram, totals: Histogram) -> float:
    """A symmetric eta after up to 20 iterations of Minka's fixed point.

    cells: histogram of tokens by word and topic; totals: histogram of tokens by topic, for each group of
    words with a distribution of its own, such as a language; sizes: the number of words in each group.
    """
    for _ in range(ROUNDS):
        numerator = float(digamma_sums(cells, np.array(eta), 1)[0])
        sums = digamma_sums(totals, np.asarray(eta * sizes, np.float64), len(sizes))
        denominator = float((sizes * sums).sum())
        before = eta
        eta = float(polya_step(np.array([eta]), np.array([numerator]), denominator, symmetric=True)[0])
        if abs(eta / before - 1.0) < ENOUGH:
            break
    return eta


class CellSums(NamedTuple):
    """What `climb_eta` needs of a table of expected counts n (words × topics): sums over its entries, at the
    eta before the step.

    `gains`: of psi(n + eta) - psi(eta); `bends`: of eta n / (eta + n)².
    """

    gains: float  # psi(n + eta) - psi(eta)
    bends: float  # eta n / (eta + n)^2


def climb_eta(eta: float, sizes: NDArray[np.int64], totals: Array, cells: CellSums) -> float:
    """A symmetric eta that increases sum_k log B(eta + n_k) - log B(eta), within FLOOR and CEILING, from
    expected counts n.

    `sizes` (V): the number of words of each group, such as a language; `totals` (N, groups × topics): sums of
    n. With s = log eta and d = s' - s, log of the new eta is the maximum over s' of

        gains eta d - bends (exp|d| - 1 - |d|) - sum of (log Gamma(V eta' + N) - log Gamma(V eta')).

    This function is tangent to the likelihood at s and never above it: a cell contributes log Gamma(eta + n)
    - log Gamma(eta) = s - log(exp(s) + n) + log Gamma(eta + 1 + n) - log Gamma(eta + 1); the difference of
    the last two is convex in s, and the second derivative of log(exp(s) + n) grows by at most a factor of
    exp|d|. Without counts, eta does not change.
    """
    from scipy.optimize import brentq

    if cells.bends <= 0.0:
        return eta
    tops = sizes[:, None]

    def slope(step: float) -> float:
        ends = tops * eta * np.exp(step)
        fall = float((ends * (psi(ends + totals) - psi(ends))).sum())
        return eta * cells.gains - np.sign(step) * cells.bends * np.expm1(abs(step)) - fall

    low, high = np.log(FLOOR / eta), np.log(CEILING / eta)
    start = slope(0.0)
    end = float(high if start > 0.0 else low)
    if start == 0.0:
        return eta
    if slope(end) * start > 0.0:  # uphill all the way
        return CEILING if start > 0.0 else FLOOR
    root: Any = brentq(slope, min(0.0, end), max(0.0, end), xtol=1e-10)
    return float(np.clip(eta * np.exp(float(root)), FLOOR, CEILING))
