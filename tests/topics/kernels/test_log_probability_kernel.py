"""The probability of documents against its plain form, and against sums over all documents."""

import itertools

import numpy as np
import pytest
from tests.oracle.left_to_right import log_probability, probability
from tests.tiers import sampled

from stickbreaker.topics.kernels.left_to_right import Orders, log_probabilities

pytestmark = pytest.mark.kernels


def random_model(seed, n_topics, n_words):
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.full(n_words, 0.5), n_topics), rng.gamma(1.0, 0.4, n_topics) + 0.05


def run(documents, phi, alpha):
    """Nats of documents, each (entries, sizes, distinct words)."""
    offsets = np.cumsum([0] + [len(entries) for entries, _, _ in documents])
    firsts = np.cumsum([0] + [len(words) for _, _, words in documents])
    entries, sizes, words = (np.concatenate(parts) for parts in zip(*documents, strict=True))
    orders = Orders(offsets, entries.astype(np.int32), sizes.astype(float), firsts, words.astype(np.int32))
    nats = np.full(len(documents), np.nan)
    log_probabilities(orders, np.ascontiguousarray(phi.T), alpha, nats)
    return nats


def of_tokens(tokens):
    words, entries = np.unique(np.array(tokens, int), return_inverse=True)
    return entries, np.ones(len(tokens)), words


@pytest.mark.parametrize("seed", sampled(range(6), 2))
def test_nats_equal_the_oracle(seed):
    rng = np.random.default_rng(seed)
    phi, alpha = random_model(seed, 1 + seed, 6)
    documents = [of_tokens(rng.integers(0, 6, size)) for size in (5, 0, 1, 33)]
    entries = rng.integers(0, 4, 20)
    documents.append((entries, rng.gamma(1.0, 0.5, 20), np.array([5, 0, 3, 1])))  # parts of tokens
    expected = [log_probability(*document, phi, alpha) for document in documents]
    assert run(documents, phi, alpha) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.long("sums over all documents of five words")
@pytest.mark.parametrize("length", [1, 2, 3, 5])
def test_it_sums_to_one_over_all_documents_of_a_length(length):
    phi, alpha = random_model(length, 3, 4)
    documents = list(itertools.product(range(4), repeat=length))
    p = np.exp(run([of_tokens(tokens) for tokens in documents], phi, alpha))
    exact = np.array([probability(tokens, phi, alpha) for tokens in documents])
    assert p.sum() == pytest.approx(1.0, rel=1e-12)
    if length <= 2:
        assert p == pytest.approx(exact, rel=1e-12)
    assert -0.06 < exact @ np.log(p / exact) <= 1e-12  # never too high on average


def test_a_word_of_no_topic_is_impossible():
    phi = np.array([[0.5, 0.5, 0.0], [0.0, 1.0, 0.0]])
    nats = run([of_tokens([0, 2, 1]), of_tokens([1, 0])], phi, np.array([0.3, 0.2]))
    assert nats[0] == -np.inf
    assert np.isfinite(nats[1])


def test_priors_and_probabilities_may_be_tiny():
    """Products of both are below the smallest number; and what rounding leaves of a topic is not negative."""
    phi = np.array([[1.0 - 1e-290, 0.0, 1e-290], [0.0, 1.0, 0.0]])
    (nats,) = run([of_tokens([2])], phi, np.array([1e-200, 1e-200]))
    assert nats == pytest.approx(np.log(0.5e-290))
    rng = np.random.default_rng(0)
    phi = np.vstack([rng.dirichlet(np.ones(3)), [0.0, 0.0, 1.0]])
    (nats,) = run([of_tokens([*rng.integers(0, 2, 64), 2])], phi, np.array([0.1, 1e-30]))
    assert np.isfinite(nats)
