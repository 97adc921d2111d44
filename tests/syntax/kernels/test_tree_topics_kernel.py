"""Sums over trees and draws from them, against every assignment of topics."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracle import syntax as oracle

from stickbreaker.core.random_streams import numbered_keys
from stickbreaker.syntax.kernels.tree_topics import (
    Nodes,
    Weights,
    draw_topics,
    sum_topics,
)
from stickbreaker.syntax.kernels.word_predictions import predict_words

pytestmark = pytest.mark.kernels
K, V = 3, 4


@st.composite
def documents(draw):
    """Words and heads of some small documents: forests, nodes without a word, empty documents; all below a
    node follows it."""
    found = []
    for _ in range(draw(st.integers(1, 3))):
        n = draw(st.integers(0, 5))
        words, heads = [draw(st.integers(-1, V - 1)) for _ in range(n)], []
        for node in range(n):
            above = [node - 1]  # what may be a head: the node before, and those that it hangs below
            while above[-1] >= 0:
                above.append(heads[above[-1]])
            heads.append(draw(st.sampled_from(above)))
        found.append((words, heads))
    return found


def nodes_of(found):
    words, heads = (np.array([x for one in found for x in one[part]], np.int32) for part in (0, 1))
    return Nodes(np.concatenate([[0], np.cumsum([len(w) for w, _ in found])]).astype(np.int64), words, heads)


def weights_of(n, seed):
    draw = np.random.default_rng(seed)
    beta = draw.dirichlet(np.ones(V), K).T.copy()
    theta, pi = draw.gamma(0.5, size=(n, K)), draw.gamma(0.5, size=(K + 1, K))
    return Weights(np.log(theta + 1e-9), np.log(pi + 1e-9), beta)


@given(documents(), st.integers(0, 99))
def test_sums_are_those_over_all_topics(found, seed):
    weights, nats = weights_of(len(found), seed), np.empty(len(found))
    sum_topics(nodes_of(found), weights, nats)
    expected = [
        oracle.log_p(*one, np.exp(weights.log_theta[d]), np.exp(weights.log_pi), weights.beta)
        for d, one in enumerate(found)
    ]
    assert nats == pytest.approx(expected, abs=1e-9)


@given(documents(), st.integers(0, 99))
def test_words_are_predicted_from_those_before(found, seed):
    weights, nodes = weights_of(len(found), seed), nodes_of(found)
    nats = np.empty(len(nodes.words))
    predict_words(nodes, weights, nats)
    for d, (words, heads) in enumerate(found):
        own = (np.exp(weights.log_theta[d]), np.exp(weights.log_pi), weights.beta)
        whole = [oracle.log_p(words[:n], heads[:n], *own) for n in range(len(words) + 1)]
        assert nats[nodes.offsets[d] : nodes.offsets[d + 1]] == pytest.approx(np.diff(whole), abs=1e-9)


def test_draws_have_the_posteriors_probabilities():
    words, heads = [0, -1, 2, 1, 3], [-1, 0, 0, 1, -1]
    weights = weights_of(1, 3)
    expected = oracle.configurations(
        words, heads, np.exp(weights.log_theta[0]), np.exp(weights.log_pi), weights.beta
    )
    n = 20_000
    one = nodes_of([(words, heads)] * n)
    many = weights._replace(log_theta=np.repeat(weights.log_theta, n, axis=0))
    topics = np.empty(len(one.words), np.int32)
    draw_topics(one, many, numbered_keys(1, "test", 0, np.arange(n)), topics)
    places = np.ravel_multi_index(topics.reshape(n, 5).T, (K,) * 5)
    seen = np.bincount(places, minlength=K**5)
    chances = np.array(list(expected.values())) / sum(expected.values())
    common = n * chances > 20
    errors = (seen - n * chances) / np.sqrt(n * chances)
    assert common.sum() > 10
    assert np.abs(errors[common]).max() < 4.5
    assert abs((errors[common] ** 2).mean() - 1.0) < 6.0 / np.sqrt(common.sum())


def test_a_head_of_thousands_has_a_probability():
    n = 5_000
    words, heads = np.arange(n, dtype=np.int32) % V, np.zeros(n, np.int32)
    heads[0] = -1
    weights, nats = weights_of(1, 2), np.empty(1)
    one = Nodes(np.array([0, n]), words, heads)
    sum_topics(one, weights, nats)
    each = np.empty(n)
    predict_words(one, weights, each)
    assert nats[0] == pytest.approx(each.sum(), rel=1e-10)
    assert np.isfinite(nats[0])
