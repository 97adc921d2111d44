"""Diversity, effective topics, by hand."""

from math import exp, log

import numpy as np
import pytest

from stickbreaker.core.errors import UserError
from stickbreaker.topics.evaluation import effective_topics, top_words_of, topic_diversity


def test_diversity_by_hand() -> None:
    assert topic_diversity([["a", "b"], ["c", "d"]]) == 1
    assert topic_diversity([["a", "b"]] * 4) == 0.25
    assert topic_diversity(np.array([[0, 1, 2], [2, 1, 5]])) == pytest.approx(4 / 6)
    assert topic_diversity([list("ab"), list("bc")]) == 0.75
    for nothing in ([], [[]], np.zeros((3, 0), np.int64)):
        with pytest.raises(UserError, match="at least one"):
            topic_diversity(nothing)


def test_top_words_and_their_ties() -> None:
    topics = np.array([[0.1, 0.4, 0.4, 0.1], [0.7, 0.0, 0.1, 0.2]])
    assert top_words_of(topics, 3).tolist() == [[1, 2, 0], [0, 3, 2]]
    assert top_words_of(topics, 3, slice(2, 4)).tolist() == [[2, 3], [3, 2]]


def test_effective_topics_by_hand() -> None:
    assert effective_topics([5, 5, 5, 5]) == pytest.approx(4)
    assert effective_topics([1, 0, 0]) == 1
    assert effective_topics([0.75, 0.25]) == pytest.approx(exp(-0.75 * log(0.75) - 0.25 * log(0.25)))


@pytest.mark.parametrize("shares", [[], [0, 0], [1, -1], [1, np.nan], [[1, 2]]])
def test_shares_that_make_no_sense(shares) -> None:
    with pytest.raises(UserError, match="topic shares"):
        effective_topics(shares)
