"""Sums over all words of a context, down its restaurants, against the probabilities of every word."""

import numpy as np
import pytest
from tests.tiers import sampled

from stickbreaker.ngrams.kernels.pitman_yor import Shares
from stickbreaker.ngrams.kernels.rescaling import (
    Words,
    fill_excess,
    sum_down_restaurants,
    sum_down_unbounded,
    sum_empty_context,
)

pytestmark = pytest.mark.kernels

WORDS, SAMPLES = 7, 3
FOLLOWING = [list(range(WORDS)), [1, 2, 5], [2], [0, 2, 6]]  # restaurants: the words that follow the context
PATHS = np.array([[0, 1, 2], [0, 3, -1], [0, -1, 9]])  # of contexts, by restaurants
STEPS = np.array([0, 1, 1])


def restaurants(seed):
    """G0, and shares whose seated words and what is left of each restaurant sum to one."""
    rng = np.random.default_rng(seed)
    seated, left = [], []
    for words in FOLLOWING:
        shares = rng.dirichlet(np.ones(len(words) + 1), SAMPLES).T
        seated.append(shares[:-1])
        left.append(shares[-1])
    ends = rng.uniform(0.1, 0.9, (len(FOLLOWING), SAMPLES))
    return rng.dirichlet(np.ones(WORDS)), Shares(np.concatenate(seated), np.array(left), ends)


def words_of_contexts():
    first = np.cumsum([0] + [len(words) for words in FOLLOWING])
    return Words(first, np.concatenate(FOLLOWING))


def probabilities(base, shares, path):
    """p of every word after the contexts of a path, from the empty one on: contexts × words × samples."""
    first = words_of_contexts().first
    p, found = np.repeat(base[:, None], SAMPLES, axis=1), []
    for restaurant in path:
        p = p * shares.left[restaurant]
        p[FOLLOWING[restaurant]] += shares.seated[first[restaurant] : first[restaurant + 1]]
        found.append(p)
    return np.array(found)


def sums(sum_down, seed, excess):
    base, shares = restaurants(seed)
    empty, found = np.empty((len(excess), SAMPLES)), np.empty(len(STEPS))
    sum_empty_context(excess, base, shares, empty)
    sum_down(PATHS, STEPS, excess, empty, words_of_contexts(), shares, found)
    return found, base, shares


def paths():
    return [row[: (np.append(row, -1) < 0).argmax()] for row in PATHS]


@pytest.mark.parametrize("seed", sampled(range(3), 2))
def test_sums_of_contexts_of_a_fixed_length(seed):
    excess = np.random.default_rng(seed + 9).normal(0.0, 1.0, (2, WORDS))
    found, base, shares = sums(sum_down_restaurants, seed, excess)
    for i, path in enumerate(paths()):
        p = probabilities(base, shares, path)[-1].mean(axis=1)
        assert p.sum() == pytest.approx(1.0)
        assert found[i] == pytest.approx(p @ excess[STEPS[i]], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("seed", sampled(range(3), 2))
def test_sums_of_unbounded_contexts(seed):
    excess = np.random.default_rng(seed + 9).normal(0.0, 1.0, (2, WORDS))
    found, base, shares = sums(sum_down_unbounded, seed, excess)
    for i, path in enumerate(paths()):
        by_length, going, p = probabilities(base, shares, path), np.ones(SAMPLES), np.zeros(WORDS)
        for length, restaurant in enumerate(path):
            stop = shares.ends[restaurant] if length < len(path) - 1 else 1.0
            p += (by_length[length] * going * stop).mean(axis=1)
            going = going * (1.0 - stop)
        assert p.sum() == pytest.approx(1.0)
        assert found[i] == pytest.approx(p @ excess[STEPS[i]], rel=1e-9, abs=1e-12)


def test_excess_is_a_power_of_the_ratio_less_one():
    rng = np.random.default_rng(1)
    shares, lifts, words = rng.dirichlet(np.ones(4), 3), rng.gamma(0.3, 1.0, (2, 4)), np.array([5, 1])
    found = np.empty((3, WORDS))
    for exponent in (0.0, 0.7, 2.0):
        fill_excess(shares, lifts, words, exponent, found)
        expected = np.zeros((3, WORDS))
        expected[:, words] = (shares @ lifts.T) ** exponent - 1.0
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)
        assert (found[:, [0, 2, 3, 4, 6]] == 0.0).all()
        assert exponent or (found == 0.0).all()
