import numpy as np
import pytest
from tests.oracle.word_documents import document_counts, document_weights

from stickbreaker.topics.kernels.document_counts import DocumentTopics, count_meetings, count_words

pytestmark = pytest.mark.kernels


def some_documents(seed=0, n_documents=40, n_words=12):
    random = np.random.default_rng(seed)
    documents = [
        np.flatnonzero(random.random(n_words) < random.uniform(0.0, 0.6)) for _ in range(n_documents)
    ]
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in documents])]).astype(np.int64)
    return documents, offsets, np.concatenate(documents).astype(np.int32)


def topics_of(theta):
    """All topics of documents, of which some are listed last first."""
    n_documents, n_topics = theta.shape
    topics = np.tile(np.arange(n_topics), (n_documents, 1))
    topics[::3] = topics[::3, ::-1]
    starts = np.arange(n_documents + 1) * n_topics
    return DocumentTopics(
        starts, topics.ravel().astype(np.int32), np.take_along_axis(theta, topics, 1).ravel()
    )


def sums_of(offsets, words, damped, theta, beta):
    """The sums, as words × topics × 4; beta: topics × words."""
    n_topics, n_words = beta.shape
    sums = np.ones((n_words, 4 * n_topics))
    documents = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    count_words(
        np.arange(len(words)), documents, words, damped, topics_of(theta), np.ascontiguousarray(beta.T), sums
    )
    return (sums - 1.0).reshape(n_words, n_topics, 4)


def test_documents_are_counted_as_the_definition_has_them():
    documents, offsets, words = some_documents()
    random = np.random.default_rng(1)
    theta, beta = random.dirichlet(np.ones(3), size=40), random.dirichlet(np.ones(12), size=3)
    counts = sums_of(offsets, words, np.ones(len(words)), theta, beta)[:, :, 0]
    expected, of_words = document_counts([one.tolist() for one in documents], theta.tolist(), beta.tolist())
    np.testing.assert_allclose(counts, np.array(expected).T, rtol=1e-12)
    np.testing.assert_allclose(counts.sum(axis=1), np.array(of_words), rtol=1e-12)


def test_support_is_summed_as_the_definition_has_it():
    documents, offsets, words = some_documents()
    random = np.random.default_rng(1)
    theta, beta = random.dirichlet(np.ones(3), size=40), random.dirichlet(np.ones(12), size=3)
    counts = random.integers(1, 9, len(words))
    sums = sums_of(offsets, words, np.log1p(counts), theta, beta)
    bags = [
        dict(zip(one.tolist(), own.tolist(), strict=True))
        for one, own in zip(documents, np.split(counts, offsets[1:-1]), strict=True)
    ]
    weights = document_weights(bags, theta.tolist(), beta.tolist())
    for w in range(12):
        for k in range(3):
            each = [(d[k].get(w, 0.0), sum(d[k].values())) for d in weights]
            three = [sum(o for o, _ in each), sum(o * o for o, _ in each), sum(o * t for o, t in each)]
            assert sums[w, k, 1:].tolist() == pytest.approx(three, rel=1e-12)


def test_the_sums_of_a_tiny_case_by_hand():
    """Two documents, "a a a b" of one topic and "a" of both; log(1 + 3) = 2 log 2, log(1 + 1) = log 2."""
    unit = np.log(2.0)
    beta, theta = np.full((2, 2), 0.5), np.array([[1.0, 0.0], [0.25, 0.75]])
    sums = sums_of(np.array([0, 2, 3]), np.array([0, 1, 0]), np.log1p([3.0, 1.0, 1.0]), theta, beta)
    a, b = sums / np.array([1.0, unit, unit**2, unit**2])
    np.testing.assert_allclose(a, [[1.25, 2.25, 4 + 1 / 16, 2 * 3 + 1 / 16], [0.75, 0.75, 9 / 16, 9 / 16]])
    np.testing.assert_allclose(b, [[1.0, 1.0, 1.0, 3.0], [0.0, 0.0, 0.0, 0.0]], atol=1e-15)


def test_a_word_that_no_topic_of_a_document_has_adds_nothing():
    beta, theta = np.array([[0.0, 0.5], [1.0, 0.5]]), np.array([[1.0, 0.0]])
    sums = sums_of(np.array([0, 2]), np.array([0, 1]), np.ones(2), theta, beta)
    assert sums.tolist() == [[[0.0] * 4] * 2, [[1.0] * 4, [0.0] * 4]]


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
