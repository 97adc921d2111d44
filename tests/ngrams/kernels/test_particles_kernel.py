"""Prediction left to right against sums over all topics of tiny documents, where a word may have no topic."""

import numpy as np
import pytest
from tests.oracle import topic_paths as oracle

from stickbreaker.ngrams.kernels.particles import (
    Particles,
    Rounds,
    Words,
    posterior_shares,
    predict_left_to_right,
    predict_with_shares,
)

pytestmark = [pytest.mark.kernels, pytest.mark.usefixtures("wrapping_integers")]

ERRORS = 4.5  # standard errors: a true value is further off once in 150,000 tests
OUTSIDE = pytest.mark.parametrize("outside", [0.0, 0.3])


def model(seed, outside, n_topics=3, n_words=4):
    """Words' probabilities inside (words × topics) and outside, which sum to one for any theta; alpha."""
    rng = np.random.default_rng(seed)
    inside = (1.0 - outside) * rng.dirichlet(np.full(n_words, 0.5), n_topics).T
    return inside, outside * rng.dirichlet(np.ones(n_words)), rng.gamma(1.0, 0.4, n_topics) + 0.1


def document(inside, outside, tokens, copies=1):
    """The same document, several times."""
    tokens = np.tile(tokens, copies)
    offsets = np.arange(copies + 1) * (len(tokens) // copies)
    return Words(offsets, np.ascontiguousarray(inside[tokens]), outside[tokens])


def predicted(words, alpha, particles, keys):
    p = np.empty(len(words.outside))
    predict_left_to_right(words, alpha, particles, np.asarray(keys, np.uint64), p)
    return p.reshape(len(keys), -1)


def with_shares(words, alpha, particles, keys):
    p, shares = np.empty(len(words.outside)), np.empty(words.inside.shape)
    predict_with_shares(words, alpha, particles, np.asarray(keys, np.uint64), p, shares)
    return p, shares


@OUTSIDE
@pytest.mark.parametrize(("every", "most"), [(0, 1), (1, 2), (2, 9)])
def test_one_particle_has_the_document_s_probability_in_the_mean(outside, every, most):
    inside, none, alpha = model(1, outside)
    tokens, copies = np.array([0, 1, 1, 3, 0]), 4000
    words = document(inside, none, tokens, copies)
    found = predicted(words, alpha, Particles(1, every, most), np.arange(copies)).prod(axis=1)
    truth = oracle.probability(inside[tokens], none[tokens], alpha)
    assert abs(found.mean() - truth) < ERRORS * found.std() / np.sqrt(copies)


@OUTSIDE
@pytest.mark.parametrize("most", [30, 99])
def test_redraws_lead_to_the_exact_conditional(outside, most):
    inside, none, alpha = model(2, outside)
    inside, none = np.vstack([inside, np.zeros(3)]), np.append(none, 1.0)
    past, copies, particles = np.array([2, 0, 0, 1, 3]), 300, Particles(2, 1, most)
    tokens = np.concatenate([past, np.full(60, 4), [0]])  # words of no topic, before which others are redrawn
    p, shares = with_shares(document(inside, none, tokens, copies), alpha, particles, np.arange(copies))
    p, shares = p.reshape(copies, -1)[:, -1], shares.reshape(copies, len(tokens), -1)[:, -1]
    joint = [oracle.probability(inside[seen], none[seen], alpha) for seen in (past, np.append(past, 0))]
    assert abs(p.mean() - joint[1] / joint[0]) < ERRORS * p.std() / np.sqrt(copies)
    truth = oracle.shares(inside[past], none[past], alpha)
    assert (abs(shares.mean(axis=0) - truth) < ERRORS * shares.std(axis=0) / np.sqrt(copies)).all()


@OUTSIDE
def test_shares_are_theta_before_each_word(outside):
    inside, none, alpha = model(3, outside)
    words, keys = document(inside, none, np.array([0, 1, 1, 2, 2])), np.array([9], np.uint64)
    p, shares = with_shares(words, alpha, Particles(4, 2, 9), keys)
    assert shares.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
    assert shares[0] == pytest.approx(alpha / alpha.sum(), abs=1e-12)
    assert p == pytest.approx(words.outside + (words.inside * shares).sum(axis=1), rel=1e-12)
    assert p.tolist() == predicted(words, alpha, Particles(4, 2, 9), keys)[0].tolist()


@OUTSIDE
def test_probabilities_of_the_next_word_sum_to_one(outside):
    inside, none, alpha = model(4, outside)
    past = np.array([1, 3, 0, 0, 2, 1, 1])
    particles = Particles(3, 2, 4)
    last = [
        predicted(document(inside, none, np.append(past, word)), alpha, particles, [7])[0, -1]
        for word in range(len(inside))
    ]
    assert sum(last) == pytest.approx(1.0, abs=1e-12)


def test_a_document_s_numbers_depend_on_its_key_alone():
    inside, none, alpha = model(5, 0.2)
    parts = [np.array([0, 1, 2, 3, 3, 0]), np.array([], np.int64), np.array([2, 2])]
    tokens, keys = np.concatenate(parts), np.array([5, 6, 7], np.uint64)
    words = Words(np.array([0, 6, 6, 8]), np.ascontiguousarray(inside[tokens]), none[tokens])
    together, _ = with_shares(words, alpha, Particles(4, 2, 3), keys)
    for d, part in enumerate(parts):
        alone = predicted(document(inside, none, part), alpha, Particles(4, 2, 3), keys[d : d + 1])[0]
        assert together[words.offsets[d] : words.offsets[d + 1]].tolist() == alone.tolist()
    others = predicted(document(inside, none, parts[0]), alpha, Particles(4, 2, 3), [8])[0]
    assert (others[1:] != together[1:6]).any()


def test_single_precision_gives_about_the_same():
    inside, none, alpha = model(6, 0.2, n_topics=40)
    tokens = np.array([0, 1, 2, 3, 3, 0, 1, 1])
    words = document(inside, none, tokens)
    single = words._replace(inside=words.inside.astype(np.float32))
    plan = Particles(3, 3, 4)
    assert predicted(single, alpha, plan, [1]) == pytest.approx(predicted(words, alpha, plan, [1]), rel=1e-5)


def test_one_topic_leaves_nothing_to_learn():
    inside, none, alpha = model(7, 0.3, n_topics=1)
    tokens = np.array([0, 3, 2, 1, 1])
    words = document(inside, none, tokens)
    assert predicted(words, alpha, Particles(2, 2, 2), [3])[0] == pytest.approx(
        inside[tokens, 0] + none[tokens], rel=1e-12
    )


def test_words_that_no_topic_has_do_not_count():
    inside, none, alpha = model(8, 0.0)
    inside, none = np.vstack([inside, np.zeros((2, 3))]), np.append(none, [0.4, 0.0])
    tokens = np.array([4, 5, 4, 0])
    p, shares = with_shares(document(inside, none, tokens), alpha, Particles(3, 2, 2), [1])
    assert p[:3].tolist() == [0.4, 0.0, 0.4]
    assert shares == pytest.approx(np.tile(alpha / alpha.sum(), (4, 1)))


@OUTSIDE
@pytest.mark.parametrize("rounds", [0, 1, 12])
def test_expected_topics_equal_the_oracle(outside, rounds):
    inside, none, alpha = model(9, outside)
    parts = [np.array([0, 1, 2, 3, 3, 0]), np.array([], np.int64), np.array([2, 2])]
    tokens = np.concatenate(parts)
    words = Words(np.array([0, 6, 6, 8]), np.ascontiguousarray(inside[tokens]), none[tokens])
    gamma = np.empty((len(tokens), len(alpha)))
    posterior_shares(words, alpha, Rounds(rounds, 0.0), gamma)
    for d, part in enumerate(parts):
        found = gamma[words.offsets[d] : words.offsets[d + 1]]
        expected = oracle.expected_topics(inside[part], none[part], alpha, rounds)[:, :-1]
        assert found == pytest.approx(expected, rel=1e-9)


@OUTSIDE
def test_expected_topics_are_a_fixed_point(outside):
    inside, none, alpha = model(10, outside)
    words = document(inside, none, np.array([0, 1, 2, 3, 3, 0, 2, 2, 1]))
    gamma, further = np.empty((9, 3)), np.empty((9, 3))
    posterior_shares(words, alpha, Rounds(2000, 1e-10), gamma)
    posterior_shares(words, alpha, Rounds(2001, 0.0), further)
    assert gamma == pytest.approx(further, abs=1e-6)
    rest = 1.0 - gamma.sum(axis=1)
    assert (rest > 0.0).all() if outside else rest == pytest.approx(0.0, abs=1e-12)


def test_expected_topics_of_one_topic():
    inside, none, alpha = model(11, 0.3, n_topics=1)
    words = document(inside, none, np.array([0, 1, 2, 3]))
    gamma = np.empty((4, 1))
    posterior_shares(words, alpha, Rounds(), gamma)
    assert gamma[:, 0] == pytest.approx(inside[:, 0] / (inside[:, 0] + none), rel=1e-12)
