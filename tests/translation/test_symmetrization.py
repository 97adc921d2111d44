"""grow-diag-final-and by hand, and against sets."""

import numpy as np
import pytest
from tests.oracle import word_links as oracle
from tests.tiers import sampled

from stickbreaker.translation.alignment.aligned_words import as_lists
from stickbreaker.translation.alignment.symmetrization import Choices, grow_diag_final_and

pytestmark = pytest.mark.kernels


def choices(*sentences):
    offsets = np.cumsum([0, *map(len, sentences)])
    return Choices(np.array([position for sentence in sentences for position in sentence], np.int32), offsets)


def grown(of_target, of_source):
    return as_lists(grow_diag_final_and(choices(of_target), choices(of_source)))[0]


def test_what_both_chose():
    assert grown([0, 1], [0, 1]) == [(0, 0), (1, 1)]


def test_a_neighbour_of_an_unlinked_word_is_added():
    assert grown([0, 0], [0]) == [(0, 0), (0, 1)]
    assert grown([0, 1, 1], [0, 2]) == [(0, 0), (1, 1), (1, 2)]  # straight, before diagonal


def test_a_diagonal_neighbour_is_added():
    assert grown([0, 1], [0, -1]) == [(0, 0), (1, 1)]


def test_a_link_apart_is_added_only_between_unlinked_words():
    assert grown([0, -1, 2], [0, -1, -1]) == [(0, 0), (2, 2)]
    assert grown([0, -1, 0], [0]) == [(0, 0)]


def test_links_that_target_words_chose_come_first():
    """Nothing to grow from: source word 2 goes to the target word that chose it."""
    assert grown([2, -1, -1], [-1, -1, 2]) == [(2, 0)]


def test_nothing():
    empty = grow_diag_final_and(choices([], [-1], []), choices([], [], [-1, -1]))
    assert as_lists(empty) == [[], [], []]
    assert as_lists(grow_diag_final_and(choices(), choices())) == []


@pytest.mark.parametrize("seed", sampled(range(60), 2))
def test_any_choices(seed):
    draw = np.random.default_rng(seed)
    n, m = draw.integers(1, 9, 2)
    of_target, of_source = draw.integers(-1, m, n), draw.integers(-1, n, m)
    if seed % 2:  # near the diagonal, as text is
        of_target = np.clip(np.arange(n) + draw.integers(-1, 2, n), -1, m - 1)
        of_source = np.clip(np.arange(m) + draw.integers(-1, 2, m), -1, n - 1)
    expected = oracle.grown(
        {t: int(s) for t, s in enumerate(of_target) if s >= 0},
        {s: int(t) for s, t in enumerate(of_source) if t >= 0},
    )
    assert grown(of_target.tolist(), of_source.tolist()) == [(s, t) for t, s in sorted(expected)]
