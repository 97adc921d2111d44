"""Weights of jumps: likelier with each round, up to the maximum."""

import numpy as np
import pytest
from tests.tiers import sampled

from stickbreaker.translation.alignment.jump_weights import first_jumps, fit_jumps, fit_weights
from stickbreaker.translation.kernels.ordered_alignment import Contexts
from stickbreaker.translation.kernels.word_alignment import WIDEST, Direction


def test_shares_if_everything_is_possible():
    counts = np.array([1.0, 0.0, 3.0])
    found = fit_weights(np.full(3, 1 / 3), counts, np.array([4.0]), np.ones((1, 3), np.bool_))
    assert found == pytest.approx(counts / 4)


@pytest.mark.parametrize("seed", sampled(range(4), 2))
def test_the_likelihood_rises(seed):
    draw = np.random.default_rng(seed)
    possible = np.array([[1, 1, 0, 0, 1], [1, 1, 1, 1, 1], [0, 1, 0, 1, 1]], np.bool_)
    chosen = draw.gamma(1.0, size=possible.shape) * possible
    counts, contexts = chosen.sum(axis=0), chosen.sum(axis=1)

    def likelihood(weights):
        return counts @ np.log(weights) - contexts @ np.log(possible @ weights)

    weights = draw.dirichlet(np.ones(5))
    better = fit_weights(weights, counts, contexts, possible)
    assert better.sum() == pytest.approx(1.0)
    assert likelihood(better) > likelihood(weights)
    for _ in range(50):
        better = fit_weights(better, counts, contexts, possible)
    near = [likelihood(better + step) for step in 1e-3 * (np.eye(5) - better)]  # along the simplex
    assert max(near) < likelihood(better) + 1e-9


def test_jumps_that_the_sentences_had_no_room_for_are_no_evidence():
    """Sentences of two words: a jump of one was chosen whenever it was there to choose, so it has all."""
    jumps, starts = first_jumps()
    counts = Direction(np.zeros(2), np.zeros(1), np.zeros(2 * WIDEST + 1), np.zeros(WIDEST))
    contexts = Contexts(np.zeros((WIDEST + 1, WIDEST + 1)), np.zeros(WIDEST))
    counts.jumps[WIDEST : WIDEST + 2] = 5.0, 9.0  # to the same word, to the next
    contexts.jumps[1, 0], contexts.jumps[0, 1] = 2.0, 12.0
    found, same = fit_jumps(Direction(np.zeros(2), np.zeros(1), jumps, starts), counts, contexts)
    assert found[WIDEST : WIDEST + 2] == pytest.approx([0.25, 0.75], abs=1e-3)
    assert same.tolist() == starts.tolist()
