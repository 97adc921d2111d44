"""Which topics are proposed to be handed over to which."""

import numpy as np
import pytest

from stickbreaker.contracts.table_view import RowBlock
from stickbreaker.core.edits import Split
from stickbreaker.core.records import Field
from stickbreaker.topics.model.moves.decisions import Candidate, MoveLimits, chosen
from stickbreaker.topics.model.moves.pairs import MOST_PARTS, PARTS, mixtures
from stickbreaker.topics.model.moves.row_queries import centred, moments


def test_a_topic_that_failed_is_tried_with_twice_as_many():
    generator = np.random.default_rng(0)
    words = generator.dirichlet(np.full(200, 0.1), 40).T  # words × topics
    words[:, 0] = words[:, [3, 7]].mean(axis=1)
    products = words.T @ words
    tried = {}
    for times in range(5):
        failed = np.zeros(40)
        failed[0] = times
        [(topic, *targets)] = mixtures(products, [0], failed)
        assert topic == 0
        assert set(targets[:2]) == {3, 7}
        assert len(set(targets)) == len(targets)
        tried[times] = len(targets)
    assert tried == {0: 2, 1: 2 * PARTS, 2: MOST_PARTS, 3: MOST_PARTS, 4: MOST_PARTS}


def test_of_few_topics_all_others_are_the_most():
    assert list(mixtures(np.eye(3), [1], np.array([0.0, 9.0, 0.0]))) == [(1, 0, 2)]
    assert list(mixtures(np.eye(1), [0], np.zeros(1))) == []


def test_a_topic_that_failed_for_thousands_of_rounds_waits_the_longest():
    """As in runs of a thousand passes, where two to the power of the failures overflows."""
    failed = np.array([[5000.0, 4.0], [0.0, 5000.0]])
    params = {
        "failed": Field(failed, ("kinds", "topics"), additive=False),
        "wait": Field(np.zeros((2, 2)), ("kinds", "topics"), additive=False),
        "apart": Field(np.zeros((2, 2)), ("topics", "topics"), additive=False),
    }
    found = [Candidate("split", (topic,), Split("topics", topic), -1.0, None) for topic in (0, 1)]
    with np.errstate(over="raise"):
        best, memory = chosen(params, found, MoveLimits(0.0, 1), np.array([9.0, 9.0]), lambda rounds: rounds)
        assert len(next(iter(mixtures(np.eye(40), [1], failed[:, 0].repeat(20))))) > 1
    assert best == []
    assert memory["wait"].values[0].tolist() == [32.0, 32.0]
    assert memory["failed"].values.tolist() == [[5001.0, 5.0], [0.0, 5000.0]]


def test_words_of_equal_scores_tell_no_documents_apart():
    """But for rounding, which would be standardised to scores so large that they overflow."""
    tokens = np.array([3.0, 0.0, 7.0, 2.0])
    scores = np.array([0.1, 0.0, 0.1 + 1e-17, 0.3 - 0.2])
    for own, expected in ((scores, 0.0), (scores + np.array([0.0, 0.0, 1.0, 0.0]), 1.0)):
        part = RowBlock(0, 4, np.zeros((4, 1)), {"trial": np.stack([own * (tokens + 1.0), tokens], axis=1)})
        found = centred(part, moments(part)["moments"])["direction"]
        assert found[1] == 0.0
        assert (tokens * found).sum() == pytest.approx(0.0)
        assert (tokens * found**2).sum() / tokens.sum() == pytest.approx(expected)
