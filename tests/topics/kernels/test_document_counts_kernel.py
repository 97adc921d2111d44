import numpy as np
import pytest
from tests.oracle.word_documents import document_counts

from stickbreaker.topics.kernels.document_counts import count_documents, count_meetings

pytestmark = pytest.mark.kernels


def some_documents(seed=0, n_documents=40, n_words=12):
    random = np.random.default_rng(seed)
    documents = [
        np.flatnonzero(random.random(n_words) < random.uniform(0.0, 0.6)) for _ in range(n_documents)
    ]
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in documents])]).astype(np.int64)
    return documents, offsets, np.concatenate(documents).astype(np.int32)


def test_documents_are_counted_as_the_definition_has_them():
    documents, offsets, words = some_documents()
    random = np.random.default_rng(1)
    theta, beta = random.dirichlet(np.ones(3), size=40), random.dirichlet(np.ones(12), size=3)
    rows, codes = np.unique(words, return_inverse=True)
    counts = np.ones((len(rows), 3))
    count_documents(offsets, codes, theta, np.ascontiguousarray(beta[:, rows].T), counts)
    expected, of_words = document_counts([one.tolist() for one in documents], theta.tolist(), beta.tolist())
    np.testing.assert_allclose(counts - 1.0, np.array(expected)[:, rows].T, rtol=1e-12)
    np.testing.assert_allclose((counts - 1.0).sum(axis=1), np.array(of_words)[rows], rtol=1e-12)


def test_a_word_that_no_topic_of_a_document_has_adds_nothing():
    counts = np.zeros((2, 2))
    words = np.array([[0.0, 1.0], [0.5, 0.5]])
    count_documents(np.array([0, 2]), np.array([0, 1]), np.array([[1.0, 0.0]]), words, counts)
    assert counts.tolist() == [[0.0, 0.0], [1.0, 0.0]]


def test_meetings_are_counted_topic_by_topic():
    """Words in the lists of several topics, of some, and of none; the 31st place too."""
    documents, offsets, words = some_documents(2, 60, 40)
    random = np.random.default_rng(3)
    lists = np.array([random.permutation(40)[:31] for _ in range(3)])
    order = np.argsort(lists.ravel(), kind="stable")
    places = np.searchsorted(lists.ravel()[order], np.arange(41))
    meetings = np.zeros((3, 31, 31), np.int64)
    count_meetings(offsets, words, places, order // 31, order % 31, meetings)
    sets = [set(one.tolist()) for one in documents]
    for own, counted in zip(lists.tolist(), meetings, strict=True):
        assert counted.tolist() == [[sum(a in s and b in s for s in sets) for b in own] for a in own]
