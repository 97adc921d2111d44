"""Shares of new documents: Gamma numbers, and the chain of one document against a grid."""

import numpy as np
import pytest
from numba import njit
from scipy.stats import gamma, kstest
from tests.oracle import syntax as oracle
from tests.syntax.kernels.test_tree_topics_kernel import nodes_of

from stickbreaker.core.random_streams import numbered_keys
from stickbreaker.kernels.random import seeded
from stickbreaker.kernels.random_gammas import log_gamma_number
from stickbreaker.syntax.kernels import shares_of_documents
from stickbreaker.syntax.kernels.shares_of_documents import Learned, Room, sample_shares

pytestmark = pytest.mark.kernels


@njit
def numbers(shape, n):
    state, out = np.empty(2, np.uint64), np.empty(n)
    seeded(np.uint64(3), state)
    for i in range(n):
        out[i] = log_gamma_number(shape, state)
    return out


@pytest.mark.parametrize("shape", [1e-3, 0.3, 1.0, 4.5, 200.0])
def test_gamma_numbers(shape):
    drawn = numbers(shape, 20_000)
    assert kstest(np.exp(drawn[drawn > -600]), gamma(shape).cdf).pvalue > 1e-3 or shape < 0.01
    assert (drawn < -600).mean() == pytest.approx(gamma(shape).cdf(np.exp(-600)), abs=0.02)


def test_shares_are_drawn_from_their_posterior():
    """Two topics, theta on a grid of both Gammas; the mean share of topics over sweeps."""
    draw = np.random.default_rng(2)
    pi, beta = draw.gamma(1.0, size=(3, 2)), draw.dirichlet(np.ones(4), 2).T.copy()
    words, heads, shapes = [0, 2, 1, 3], [-1, 0, 0, 1], np.array([0.7, 1.2])
    logs = np.linspace(-9, 3, 60)
    expected, whole = np.zeros(3), 0.0
    for a in logs:
        for b in logs:
            theta = np.exp([a, b])
            prior = np.exp(shapes @ [a, b] - theta.sum())
            for topics, p in oracle.configurations(words, heads, theta, pi, beta).items():
                p *= prior
                whole += p
                share = theta[0] / theta.sum()
                expected += p * np.array([topics.count(0), share, share**2])
    expected /= whole
    n, kept = 200, 60
    nodes = nodes_of([(words, heads)] * n)
    counts, theta = np.empty((n, 2)), np.empty((n, kept, 2))
    sample_shares(
        nodes, Learned(np.log(pi), beta, shapes), 30, numbered_keys(7, "test", 0, np.arange(n)), counts, theta
    )
    share = 1.0 / (1.0 + np.exp(theta[:, :, 1] - theta[:, :, 0]))
    seen = np.column_stack([counts[:, 0], share.mean(axis=1), (share**2).mean(axis=1)])
    errors = (seen.mean(axis=0) - expected) / (seen.std(axis=0, ddof=1) / np.sqrt(n))
    assert np.abs(errors).max() < 4.0, errors


def test_words_are_counted_by_their_own_topic_and_by_that_of_their_head():
    count = getattr(shares_of_documents._count, "py_func", shares_of_documents._count)
    heads, topics = np.array([9, 9, -1, 0, 0, 1, -1], np.int32), np.array([2, 0, 0, 1, 2], np.int32)
    empty = np.empty((0, 3))
    room = Room(empty, empty, empty, topics, np.empty(3), np.empty(4), *(np.empty(3) for _ in range(3)))
    count(heads, 2, 5, room)
    assert room.n.tolist() == [2.0, 1.0, 2.0]
    assert room.m.tolist() == [1.0, 0.0, 2.0, 2.0], "heads have topics 2, 2, 0; two words are roots"
