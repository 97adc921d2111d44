import numpy as np
import pytest
from tests.oracle.word_documents import document_counts, document_weights

from stickbreaker.topics.kernels.document_counts import count_documents, count_meetings, count_support

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


def test_support_is_summed_as_the_definition_has_it():
    documents, offsets, words = some_documents()
    random = np.random.default_rng(1)
    theta, beta = random.dirichlet(np.ones(3), size=40), random.dirichlet(np.ones(12), size=3)
    counts = random.integers(1, 9, len(words))
    rows, codes = np.unique(words, return_inverse=True)
    sums = np.ones((len(rows), 9))
    count_support(offsets, codes, np.log1p(counts), theta, np.ascontiguousarray(beta[:, rows].T), sums)
    bags = [
        dict(zip(one.tolist(), own.tolist(), strict=True))
        for one, own in zip(documents, np.split(counts, offsets[1:-1]), strict=True)
    ]
    weights = document_weights(bags, theta.tolist(), beta.tolist())
    for place, w in enumerate(rows.tolist()):
        for k in range(3):
            each = [(d[k].get(w, 0.0), sum(d[k].values())) for d in weights]
            three = [sum(o for o, _ in each), sum(o * o for o, _ in each), sum(o * t for o, t in each)]
            assert (sums[place, k::3] - 1.0).tolist() == pytest.approx(three, rel=1e-12)


def test_the_sums_of_a_tiny_case_by_hand():
    """Two documents, "a a a b" of one topic and "a" of both; log(1 + 3) = 2 log 2, log(1 + 1) = log 2."""
    sums, unit = np.zeros((2, 6)), np.log(2.0)
    probabilities, theta = np.full((2, 2), 0.5), np.array([[1.0, 0.0], [0.25, 0.75]])
    count_support(
        np.array([0, 2, 3]), np.array([0, 1, 0]), np.log1p([3.0, 1.0, 1.0]), theta, probabilities, sums
    )
    a, b = sums / np.array([unit, unit, unit**2, unit**2, unit**2, unit**2])
    assert a == pytest.approx([2.25, 0.75, 4 + 1 / 16, 9 / 16, 2 * 3 + 1 / 16, 9 / 16])
    assert b == pytest.approx([1.0, 0.0, 1.0, 0.0, 3.0, 0.0])


def test_a_word_that_no_topic_of_a_document_has_adds_nothing():
    counts, sums, two = np.zeros((2, 2)), np.zeros((2, 6)), np.array([0, 1])
    words, theta = np.array([[0.0, 1.0], [0.5, 0.5]]), np.array([[1.0, 0.0]])
    count_documents(np.array([0, 2]), two, theta, words, counts)
    count_support(np.array([0, 2]), two, np.ones(2), theta, words, sums)
    assert counts.tolist() == [[0.0, 0.0], [1.0, 0.0]]
    assert sums.tolist() == [[0.0] * 6, [1.0, 0.0] * 3]


def test_meetings_are_counted_topic_by_topic():
    """Words in lists of several topics, of some, of none; the 31st place; words repeated or unknown."""
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
    again, twice = np.zeros_like(meetings), np.column_stack([words, np.full_like(words, -1), words]).ravel()
    count_meetings(3 * offsets, twice, places, order // 31, order % 31, again)
    assert again.tolist() == meetings.tolist()
