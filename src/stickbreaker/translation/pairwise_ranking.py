"""Learning weights that rank translations by quality: pairwise ranking optimisation (Hopkins and May 2011).

Weights are learned from lists of candidates with features and quality, whatever their origin. Pairs are drawn
among all that differ enough, which keeps translations as long as their references. The pairs that differ
most, chosen by Hopkins and May, often have a candidate that is much too long or short, and teach little else
(Nakov, Guzmán and Vogel 2013).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from stickbreaker.core.errors import UserError
from stickbreaker.core.random_streams import stream
from stickbreaker.core.records import Array
from stickbreaker.core.threads import one_thread
from stickbreaker.translation.purposes import TRANSLATION_PAIRS

ROUNDING = 1e-10  # of the scale of other features: smaller differences are rounding errors


class PairSampling(NamedTuple):
    """How many pairs of a sentence's candidates are sampled, and which of them are used for learning."""

    drawn: int = 5000  # pairs
    chosen: int = 50  # most pairs used, at random among those that differ
    least: float = 0.05  # least difference of quality


SAMPLING = PairSampling()


def learn_weights(
    features: Sequence[Array],
    quality: Sequence[Array],
    seed: int = 0,
    sampling: PairSampling = SAMPLING,
    least_scale: float = ROUNDING,
    step: int = 0,
) -> Array:
    """Learn feature weights that rank the better candidate of a pair higher; their absolute values sum to 1.

    features: candidates × features for each sentence; quality: for each sentence one number per candidate,
    larger is better, such as `sentence_bleu`. Pairs of candidates of one sentence are drawn at random, by
    `seed` and `step`, the round of tuning; logistic regression learns which is better from the differences of
    their features, each divided by its root mean square. A feature whose root mean square is at most
    `least_scale` times the largest gets 0, since its large weight would be meaningless for other sentences.
    Raises UserError if no two candidates of one sentence differ enough.
    """
    differences = np.concatenate(
        [
            _differences(matrix, values, stream(seed, TRANSLATION_PAIRS, step, number), sampling)
            for number, (matrix, values) in enumerate(zip(features, quality, strict=True))
        ]
        or [np.empty((0, 1))]
    )
    scale = np.sqrt((differences**2).sum(axis=0) / max(1, len(differences)))
    if not (scale > 0.0).any():
        problem = f"no two candidates of a sentence differ in features, and by {sampling.least} in quality"
        raise UserError(problem, remedy="give more candidates for each sentence, or more sentences")
    scale[scale <= least_scale * scale.max()] = np.inf
    weights = _separating(differences / scale) / scale
    return weights / (np.abs(weights).sum() or 1.0)


def _differences(matrix: Array, quality: Array, random: np.random.Generator, sampling: PairSampling) -> Array:
    """For sampled pairs of candidates of one sentence, the features of the better minus those of the worse
    (pairs × features).

    matrix: candidates × features; quality (candidates): larger is better. Pairs are distinct, at most
    `sampling.chosen`, and differ in quality by `sampling.least` or more; there may be none.
    """
    if len(quality) < 2:
        return np.empty((0, matrix.shape[1]))
    n = len(quality)
    drawn = np.sort(random.integers(0, n, (sampling.drawn, 2)), axis=1)
    distinct = np.unique(drawn @ [n, 1])  # each pair once, as one number
    drawn = random.permutation(np.stack(np.divmod(distinct, n), axis=1))
    gains = quality[drawn[:, 0]] - quality[drawn[:, 1]]
    chosen = np.flatnonzero(np.abs(gains) >= sampling.least)[: sampling.chosen]
    first, second = matrix[drawn[chosen, 0]], matrix[drawn[chosen, 1]]
    return np.where(gains[chosen, None] > 0.0, first - second, second - first)


def _separating(differences: Array) -> Array:
    """Weights of features by which the better candidate of a pair scores higher in most pairs, by logistic
    regression.

    differences (pairs × features): better minus worse; `differences @ weights` should be positive.
    """
    from sklearn.linear_model import LogisticRegression  # takes a second

    both = np.concatenate([differences, -differences])
    labels = np.repeat([1, 0], len(differences))
    with one_thread():
        fitted = LogisticRegression(fit_intercept=False, tol=1e-8, max_iter=1000).fit(both, labels)
    return fitted.coef_[0]
