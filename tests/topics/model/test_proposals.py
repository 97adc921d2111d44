"""Which topics are proposed to be handed over to which."""

import numpy as np

from stickbreaker.topics.model.moves.pairs import MOST_PARTS, PARTS, mixtures


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
