"""A guide's prior: equal to the array that it stands for, and much smaller."""

import pickle
import tracemalloc

import numpy as np
import pytest
from scipy.special import gammaln

from stickbreaker.corpus import Vocabulary
from stickbreaker.topics.model.model import TopicModel
from stickbreaker.topics.model.priors.dirichlet import DirichletPrior
from stickbreaker.topics.model.solvers.mean_field import MeanField
from stickbreaker.topics.model.vocabularies.closed import ClosedVocabulary
from stickbreaker.topics.model.vocabularies.informed_prior import InformedPrior
from stickbreaker.topics.seed_words import Guide

WORDS, TOPICS = 50, 7


def drawn(seed, n_cells=40, by_word=False):
    """A prior of three guided topics, and the array that it stands for, written cell by cell."""
    rng = np.random.default_rng(seed)
    cells = np.sort(rng.choice(WORDS * 3, n_cells, replace=False))
    words, topics, values = cells // 3, cells % 3, rng.gamma(2.0, 3.0, n_cells)
    rest = rng.gamma(1.0, 0.2, WORDS) if by_word else 0.3
    dense = np.empty((WORDS, TOPICS))
    for w in range(WORDS):
        dense[w, :3], dense[w, 3:] = 0.01, rest[w] if by_word else rest
    for w, k, value in zip(words, topics, values, strict=True):
        dense[w, k] = value
    return InformedPrior((WORDS, TOPICS), 3, 0.01, rest, words, topics, values), dense


@pytest.mark.parametrize("by_word", [False, True])
@pytest.mark.parametrize("n_cells", [0, 1, 40, 3 * WORDS])
def test_rows_and_sums_are_those_of_the_array(n_cells, by_word):
    prior, dense = drawn(n_cells, n_cells, by_word)
    for rows in (
        slice(None),
        slice(3, 21),
        slice(9, 9),
        np.array([0, 4, 49]),
        np.array([7, 2, 2]),
        np.arange(0),
    ):
        assert prior[rows].tolist() == dense[rows].tolist()
    for part in (slice(0, WORDS), slice(0, 20), slice(20, WORDS), slice(5, 5)):
        assert prior.sums(part) == pytest.approx(dense[part].sum(axis=0), rel=1e-12)
        assert prior.sums(part, gammaln) == pytest.approx(gammaln(dense[part]).sum(axis=0), rel=1e-12)
    assert [prior.of_topic(k).tolist() for k in range(3)] == dense[:, :3].T.tolist()


@pytest.mark.parametrize("firsts", [(0,), (0, 17)])
def test_terms_are_those_of_the_array(firsts):
    prior, dense = drawn(1)
    counts = np.random.default_rng(2).gamma(1.0, 2.0, (WORDS, TOPICS))
    found = []
    for eta in (prior, dense):
        words = ClosedVocabulary(WORDS, eta, firsts=firsts)
        totals, summary = words.totals(counts), words.summary({}, counts, 0)
        rows = np.arange(1, WORDS, 3)
        made = words.topic_words_of({}, counts[rows], totals, rows)
        found.append((words.by_topic, words.score({}, totals, summary), made.ravel().tolist()))
    assert found[0][0] is found[1][0] is True
    assert found[0][1] == pytest.approx(found[1][1], rel=1e-12)
    assert found[0][2] == pytest.approx(found[1][2], rel=1e-12)


def test_a_guide_of_many_words_takes_little_memory():
    """An array of 100,000 words × 200 topics is 160 MB."""
    vocabulary = Vocabulary.of([f"w{v:06}" for v in range(100_000)])
    guide = Guide({f"topic {k}": [f"w{k * 500 + v:06}" for v in range(10)] for k in range(100)})
    prior = guide.prior(vocabulary, None, 200, 0.01)
    assert len(prior.values) == 1000
    model = TopicModel(DirichletPrior((0.1,) * 200), ClosedVocabulary(100_000, prior), MeanField())
    assert len(pickle.dumps(model)) < 100_000
    counts, rows = np.ones((20, 200)), np.arange(0, 100_000, 5_000)
    params, totals = model.start(), np.full((1, 200), 1e5)
    model.expectations(params, counts, totals, rows)  # what is imported is so by now
    tracemalloc.start()
    try:
        view = model.expectations(params, counts, totals, rows)
        model.summary(params, counts, 50_000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert view.weights.shape == (20, 200)
    assert peak < 5_000_000
