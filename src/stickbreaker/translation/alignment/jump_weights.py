"""Estimation of jump weights of the hidden Markov model from expected counts; near a sentence's ends, not
every jump is possible."""

import numpy as np
from numpy.typing import NDArray

from stickbreaker.translation.kernels.ordered_alignment import Contexts
from stickbreaker.translation.kernels.word_alignment import WIDEST, Direction

_ROUNDS = 20  # of the iteration below; each raises the expected log likelihood
_JUMPS = np.arange(-WIDEST, WIDEST + 1)
_PLACES = np.arange(WIDEST + 1)


def first_jumps() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Initial weights of jumps from one link to the next, -WIDEST to WIDEST positions (2 WIDEST + 1), and of
    the first link's positions (WIDEST); each array sums to one.

    The jump to the next position, and the first position, are the likeliest; each position further away
    halves the weight.
    """
    jumps, starts = 0.5 ** np.abs(_JUMPS - 1.0), 0.5 ** np.arange(WIDEST, dtype=np.float64)
    return jumps / jumps.sum(), starts / starts.sum()


def fit_jumps(
    direction: Direction, counts: Direction, contexts: Contexts
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Estimate the weights of jumps and of first positions by maximum likelihood: returns both arrays.

    direction: has the current weights, where the iteration starts; it never lowers the likelihood. counts:
    has the expected number of each jump; contexts: how often which jumps were possible (`Contexts`).
    """
    before, after = np.meshgrid(_PLACES, _PLACES, indexing="ij")
    possible = (before.reshape(-1, 1) + _JUMPS >= 0) & (after.reshape(-1, 1) - _JUMPS >= 0)
    jumps = fit_weights(direction.jumps, counts.jumps, contexts.jumps.ravel(), possible)
    starts = fit_weights(direction.starts, counts.starts, contexts.starts, np.tri(WIDEST, dtype=np.bool_))
    return jumps, starts


def fit_weights(
    weights: NDArray[np.float64],
    counts: NDArray[np.float64],
    contexts: NDArray[np.float64],
    possible: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Fit weights w of choices, which sum to 1, if each context allows only some of the choices.

    In context x, choice b has the probability w_b / (sum of the w possible in x). The log likelihood is
    sum_b c_b log w_b - sum_x n_x log(sum of the w possible in x). weights (choices): initial values; counts c
    (choices) and contexts n (contexts): how often each choice was made and each context occurred; possible
    (contexts × choices): whether the context allows the choice. Runs `_ROUNDS` rounds of Hunter (2004), MM
    algorithms for generalized Bradley-Terry models, equation 30, none of which lowers the likelihood. If all
    counts are 0, `weights` is returned.
    """
    if not counts.any():
        return weights
    for _ in range(_ROUNDS):
        totals = np.maximum(possible @ weights, 1e-300)
        weights = counts / np.maximum(possible.T @ (contexts / totals), 1e-300)
        weights /= weights.sum()
    return weights
