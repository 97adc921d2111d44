"""Left-to-right evaluation against its plain form, and against sums over every assignment of topics."""

import itertools
import os

import numpy as np
import pytest
from tests.oracle import left_to_right as oracle
from tests.tiers import sampled

from stickbreaker.kernels.random import seeded, uniform
from stickbreaker.topics.kernels.left_to_right import Documents, InUse, _choose, left_to_right

pytestmark = [pytest.mark.kernels, pytest.mark.usefixtures("wrapping_integers")]

UNJITTED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
ERRORS = 4.5  # standard errors: a true value is further off once in 150,000 tests


def random_model(seed, n_topics, n_words=4):
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.full(n_words, 0.5), n_topics), rng.gamma(1.0, 0.4, n_topics) + 0.05


def packed(documents, keys):
    offsets = np.cumsum([0] + [len(tokens) for tokens in documents]).astype(np.int64)
    return Documents(offsets, np.concatenate(documents).astype(np.int32), np.asarray(keys, np.uint64))


def run(documents, phi, alpha, particles, keys):
    """The averages of each document, one array a document."""
    records = packed(documents, keys)
    sums = np.zeros(records.offsets[-1])
    left_to_right(records, np.ascontiguousarray(phi.T), alpha, particles, sums)
    return np.split(sums / particles, records.offsets[1:-1])


def numbers_of(key):
    """The random numbers that the kernel draws for a key."""
    state = np.empty(2, np.uint64)
    seeded(np.uint64(key), state)
    return lambda: uniform(state)


@pytest.mark.parametrize("seed", sampled(range(6), 2))
def test_averages_equal_the_oracle(seed):
    rng = np.random.default_rng(seed)
    phi, alpha = random_model(seed, 1 + seed, 6)
    documents = [rng.integers(0, 6, size) for size in (5, 0, 1, 12)]
    keys = rng.integers(0, 2**64, 4, dtype=np.uint64)
    result = run(documents, phi, alpha, 7, keys)
    for tokens, key, averages in zip(documents, keys, result, strict=True):
        expected = oracle.averages(tokens, phi, alpha, 7, numbers_of(key))
        assert averages == pytest.approx(expected, rel=1e-9)


def test_one_particle_has_the_exact_probability_as_its_mean():
    """Each position's draw moves an exact weight: E exp(score) = p(w), by enumeration, for any order."""
    runs = 300 if UNJITTED else 20_000
    for n_topics, tokens in ((2, [0, 1, 1, 3, 0, 1]), (3, [2, 0, 2, 2, 1, 3])):
        phi, alpha = random_model(n_topics, n_topics)
        keys = np.random.default_rng(1).integers(0, 2**64, runs, dtype=np.uint64)
        scores = np.array([np.prod(averages) for averages in run([tokens] * runs, phi, alpha, 1, keys)])
        error = scores.std() / np.sqrt(runs)
        assert abs(scores.mean() - oracle.probability(tokens, phi, alpha)) < ERRORS * error


@pytest.mark.parametrize(("n_topics", "tokens"), [(2, [0, 1, 1, 3, 0, 1]), (3, [2, 0, 2, 2, 1, 3])])
def test_many_particles_approach_their_limit(n_topics, tokens):
    """A mean of R numbers between 0 and 1 has an error below 1 / (2 sqrt R)."""
    phi, alpha = random_model(10 + n_topics, n_topics)
    particles = 500 if UNJITTED else 200_000
    averages = run([tokens], phi, alpha, particles, [5])[0]
    limit = oracle.limit(tokens, phi, alpha)
    assert np.abs(averages - limit).max() < ERRORS * 0.5 / np.sqrt(particles)
    assert np.prod(limit[:2]) == pytest.approx(oracle.probability(tokens[:2], phi, alpha), rel=1e-12)


@pytest.mark.parametrize("seed", sampled(range(3), 2))
def test_the_limit_is_a_distribution_over_documents_but_not_the_exact_one(seed):
    """What the docstring of the score says: on average over the model's documents it is not too high."""
    phi, alpha = random_model(seed, 2, 3)
    documents = list(itertools.product(range(3), repeat=5))
    limits = np.array([np.prod(oracle.limit(tokens, phi, alpha)) for tokens in documents])
    exact = np.array([oracle.probability(tokens, phi, alpha) for tokens in documents])
    assert [limits.sum(), exact.sum()] == pytest.approx([1.0, 1.0], rel=1e-9)
    excess = np.log(limits / exact)
    assert -0.02 < exact @ excess < 0  # nats a document
    assert excess.min() < 0 < excess.max()


def test_a_word_of_no_topic_ends_the_sums():
    phi = np.array([[0.5, 0.5, 0.0], [0.0, 1.0, 0.0]])
    averages = run([[0, 2, 1], [1, 0]], phi, np.array([0.3, 0.2]), 3, [1, 2])
    assert averages[0][0] > 0
    assert averages[0][1:].tolist() == [0, 0]
    assert (averages[1] > 0).all()


def test_a_topic_without_the_word_is_never_drawn():
    """Each word belongs to one topic, alpha is zero for another: there is one assignment, so no chance."""
    phi, alpha = np.array([[0.5, 0.0, 0.5], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]), np.array([0.3, 0.2, 0.0])
    tokens = [0, 1, 2, 1, 1, 0]
    averages = run([tokens], phi, alpha, 4, [3])[0]
    assert np.prod(averages) == pytest.approx(oracle.probability(tokens, phi, alpha), rel=1e-12)


@pytest.mark.parametrize("in_use", [0.0, 0.7])
def test_rounding_at_the_end_does_not_reach_a_topic_without_the_word(in_use):
    used = InUse(np.zeros(3, np.int64), np.ones(3), np.array([0, -1, -1]), np.full(3, in_use))
    prior = np.array([[0.1, 0.3, 0.3]])  # the last topic adds nothing
    for x in (in_use + 0.3, in_use + 0.31):
        assert _choose(x, 1, in_use, prior, 0, used) == 1
