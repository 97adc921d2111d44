import numpy as np
import pytest
from numba import config
from scipy.stats import chi2
from tests.oracle.sampled import posterior

from stickbreaker.core.random_streams import numbered_keys
from stickbreaker.kernels.document_words import Words
from stickbreaker.kernels.hybrid import Draws, sample_documents

pytestmark = [pytest.mark.kernels, pytest.mark.filterwarnings("ignore:overflow encountered")]

ALPHA = np.array([0.3, 0.8, 1.4])
CODES, COUNTS = [0, 2, 3], [2.0, 1.0, 2.0]
TOKENS = np.array([0, 0, 2, 3, 3])
COPIES = 300 if config.DISABLE_JIT else 40000


def sample(burn_in, samples, copies=COPIES, seed=3):
    """`copies` times one document, its E[log beta], and what the kernel drew."""
    generator = np.random.default_rng(0)
    weights = generator.random((4, 3)).astype(np.float32)
    weights /= weights.max(axis=1, keepdims=True)
    log_scale = -generator.random(4)
    words = Words(
        np.arange(copies + 1) * len(CODES),
        np.tile(np.array(CODES, np.int32), copies),
        np.tile(np.array(COUNTS, np.float32), copies),
        np.arange(4),
        weights,
        log_scale,
    )
    n = len(TOKENS) * copies
    draws = Draws(
        np.empty((copies, 3)),
        np.empty(copies),
        np.zeros(3),
        np.zeros(3),
        np.empty((samples, n), np.int32),
        *(np.empty(n * samples, np.int32) for _ in range(3)),
    )
    n_cells = sample_documents(
        words, ALPHA[None, :], burn_in, numbered_keys(seed, "t", 0, np.arange(copies)), draws
    )
    return np.log(weights) + log_scale[:, None], draws, n_cells


def test_draws_follow_the_posterior_of_the_assignments():
    """Frequencies of whole assignments z_d against eq. 4.8 by enumeration: chi-squared."""
    log_weights, draws, _ = sample(burn_in=20, samples=1)
    assignments, probability, _ = posterior(TOKENS, log_weights, ALPHA)
    place = 3 ** np.arange(len(TOKENS))[::-1]
    drawn = np.bincount(draws.samples[-1].reshape(-1, len(TOKENS)) @ place, minlength=len(probability))
    expected = probability[np.argsort(assignments @ place)] * COPIES
    large = expected >= 5
    observed = np.append(drawn[large], drawn[~large].sum())
    wanted = np.append(expected[large], expected[~large].sum())
    assert ((observed - wanted) ** 2 / wanted).sum() < chi2.ppf(0.999, len(wanted) - 1)


def test_the_score_is_an_unbiased_estimate_of_the_evidence():
    log_weights, draws, _ = sample(burn_in=0, samples=1)
    _, _, evidence = posterior(TOKENS, log_weights, ALPHA)
    ratio = np.exp(draws.scores - evidence)
    assert ratio.mean() == pytest.approx(1.0, abs=5 * ratio.std() / np.sqrt(COPIES))
    assert draws.scores.mean() < evidence


def test_statistics_are_those_of_the_samples():
    """One document: with a single sample, gamma, cells and gains follow from the last draw."""
    _, draws, n_cells = sample(burn_in=2, samples=1, copies=1)
    n = np.bincount(draws.samples[-1], minlength=3)
    assert draws.gamma[0] == pytest.approx(ALPHA + n)
    told = np.zeros((4, 3))
    np.add.at(told, (draws.codes[:n_cells], draws.topics[:n_cells]), draws.times[:n_cells])
    wanted = np.zeros((4, 3))
    np.add.at(wanted, (TOKENS, draws.samples[-1]), 1)
    assert told.tolist() == wanted.tolist()
    sums = [sum(1 / (ALPHA[k] + j) for j in range(n[k])) for k in range(3)]
    assert draws.gains == pytest.approx(sums)
    squares = [sum(1 / (ALPHA[k] + j) ** 2 for j in range(n[k])) for k in range(3)]
    assert draws.bends == pytest.approx(squares)


def test_cells_count_every_token_of_every_sample():
    _, draws, n_cells = sample(burn_in=1, samples=4, copies=50)
    assert draws.times[:n_cells].sum() == 50 * 4 * len(TOKENS)
    assert draws.gamma.sum() == pytest.approx(50 * (ALPHA.sum() + len(TOKENS)))


def test_a_document_is_drawn_alike_beside_any_others():
    _, alone, _ = sample(burn_in=2, samples=2, copies=1)
    _, beside, _ = sample(burn_in=2, samples=2, copies=7)
    assert alone.samples[-1].tolist() == beside.samples[-1][: len(TOKENS)].tolist()
    assert alone.gamma[0].tolist() == beside.gamma[0].tolist()


def test_topics_without_weight_are_never_drawn():
    weights = np.array([[0.0, 1.0, 0.0]], np.float32)
    words = Words(
        np.array([0, 1]),
        np.zeros(1, np.int32),
        np.array([50.0], np.float32),
        np.arange(1),
        weights,
        np.zeros(1),
    )
    draws = Draws(
        np.empty((1, 3)),
        np.empty(1),
        np.zeros(3),
        np.zeros(3),
        np.empty((2, 50), np.int32),
        *(np.empty(100, np.int32) for _ in range(3)),
    )
    sample_documents(words, ALPHA[None, :], 2, numbered_keys(1, "t", 0, np.arange(1)), draws)
    assert (draws.samples == 1).all()
