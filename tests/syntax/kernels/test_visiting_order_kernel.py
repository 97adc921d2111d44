"""Heads come first, and all that hangs below a word comes next."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stickbreaker.syntax.kernels.visiting_order import heads_first

pytestmark = pytest.mark.kernels


def visited(heads, word, order):
    """Words in order, by their definition: a word, then each that hangs below it in turn."""
    order.append(word)
    for one, head in enumerate(heads):
        if head == word:
            visited(heads, one, order)
    return order


@st.composite
def trees(draw):
    """Heads of the words of a sentence: some are roots, the others hang below words wherever these are."""
    n = draw(st.integers(0, 7))
    order = draw(st.permutations(range(n)))
    heads = [-1] * n
    for place, word in enumerate(order):
        above = draw(st.integers(-1, place - 1))
        heads[word] = -1 if above < 0 else order[above]
    return heads


@given(st.lists(trees(), max_size=3))
def test_the_order_is_that_of_visits(sentences):
    starts = np.concatenate([[0], np.cumsum([len(one) for one in sentences])]).astype(np.int64)
    heads = np.array([head for one in sentences for head in one], np.int32)
    tokens, places = np.empty(len(heads), np.int64), np.empty(len(heads), np.int32)
    heads_first(starts, heads, tokens, places)
    for first, one in zip(starts.tolist(), sentences, strict=False):
        order = [w for root, head in enumerate(one) if head < 0 for w in visited(one, root, [])]
        own = slice(first, first + len(one))
        assert (tokens[own] - first).tolist() == order
        assert places[own].tolist() == [-1 if one[w] < 0 else order.index(one[w]) for w in order]
