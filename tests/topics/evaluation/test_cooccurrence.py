"""Counts of documents and windows against counting them one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stickbreaker.topics.evaluation import Meetings, Tokens, cooccurrence

N = 4
texts = st.lists(st.lists(st.integers(-1, N - 1), max_size=14), min_size=1, max_size=6)


def tokens_of(documents: list[list[int]]) -> Tokens:
    offsets = np.cumsum([0, *map(len, documents)])
    return Tokens(offsets, np.array([word for document in documents for word in document], np.int64))


def windows_of(documents: list[list[int]], width: int) -> list[set[int]]:
    return [
        set(document[start : start + width])
        for document in documents
        if document
        for start in range(max(1, len(document) - width + 1))
    ]


def counted(units: list[set[int]]) -> np.ndarray:
    return np.array([[sum({i, j} <= unit for unit in units) for j in range(N)] for i in range(N)])


@settings(max_examples=150, deadline=None)
@given(texts, st.integers(1, 8), st.sampled_from([1, 3, 1000]))
def test_windows_equal_counting_them_one_by_one(documents, width, at_once):
    units = windows_of(documents, width)
    found = Meetings(N)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cooccurrence, "STATES_AT_ONCE", at_once)
        found.add_windows(tokens_of(documents), width)
    assert found.total == len(units)
    np.testing.assert_array_equal(found.together.toarray(), counted(units))


@settings(max_examples=60, deadline=None)
@given(texts)
def test_documents_equal_counting_them_one_by_one(documents):
    found = Meetings(N)
    found.add_documents(tokens_of(documents[:2]))
    found.add_documents(tokens_of(documents[2:]))
    assert found.total == len(documents)
    np.testing.assert_array_equal(found.together.toarray(), counted([set(one) for one in documents]))


def test_a_word_that_comes_back_within_the_window_stays():
    """The first 0 leaves the window while the second is still in it."""
    found = Meetings(2)
    found.add_windows(tokens_of([[0, 1, 0, -1, -1]]), 3)
    both, left, right = found.pairs(np.array([0]), np.array([1]))
    assert (found.total, both.tolist(), left.tolist(), right.tolist()) == (3, [2.0], [3.0], [2.0])
