"""The log probability of documents: exact where it can be, and each document's its own."""

import itertools
from collections import Counter

import numpy as np
import pytest
from tests.bags import V, bags_of, corpus, random_topics
from tests.oracle.left_to_right import probability

from stickbreaker.topics.evaluation import left_to_right, left_to_right_score, log_probability


def nats_of(bags, topic_word: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    return log_probability(bags, lambda rows: topic_word[:, rows], alpha).per_document


def every_bag(length: int) -> tuple[list[Counter], np.ndarray]:
    """All bags of so many tokens, and how many orders each has."""
    orders = Counter(tuple(sorted(tokens)) for tokens in itertools.product(range(V), repeat=length))
    return [Counter(tokens) for tokens in orders], np.array(list(orders.values()))


@pytest.mark.parametrize(("length", "tolerance"), [(1, 1e-12), (2, 1e-12), (3, 3e-3), (4, 3e-3)])
def test_bags_of_a_length_sum_to_one(length: int, tolerance: float) -> None:
    """Of longer bags the order that each was given stands for all, so that it is one on average."""
    topic_word, alpha = random_topics(length)
    bags, orders = every_bag(length)
    p = np.exp(nats_of(bags_of(bags), topic_word, alpha))
    assert orders @ p == pytest.approx(1.0, abs=tolerance)
    if length <= 2:
        exact = [probability(list(bag.elements()), topic_word, alpha) for bag in bags]
        assert p == pytest.approx(exact, rel=1e-12)


def test_a_score_depends_on_the_document_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    bags = corpus()
    topic_word, alpha = random_topics(2)
    whole = nats_of(bags, topic_word, alpha)
    for chosen in (np.array([3]), np.array([17, 2, 9, 2]), np.random.default_rng(0).permutation(20)):
        monkeypatch.setattr(left_to_right, "WEIGHTS_AT_ONCE", 40)
        np.testing.assert_array_equal(nats_of(bags.take(chosen), topic_word, alpha), whole[chosen])


def test_it_is_near_what_many_particles_say() -> None:
    topic_word, alpha = random_topics(5)
    ours = nats_of(corpus(), topic_word, alpha)
    theirs = left_to_right_score(corpus(), topic_word, alpha, 2000).per_document
    assert ours.sum() == pytest.approx(theirs.sum(), rel=0.01)
    assert np.abs(ours - theirs).max() < 0.7


def test_empty_documents_parts_of_tokens_and_large_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    topic_word, alpha = random_topics(6)
    mean = np.log(alpha / alpha.sum() @ topic_word)
    nats = nats_of(bags_of([{}, {1: 0.25}, {2: 0.5, 3: 0.5}, {}]), topic_word, alpha)
    assert nats[[0, 1, 3]].tolist() == pytest.approx([0.0, 0.25 * mean[1], 0.0])
    assert 0.5 * (mean[2] + mean[3]) - 0.5 < nats[2] < 0.0
    monkeypatch.setattr(left_to_right, "MOST_UNITS", 1000)
    one, many = nats_of(bags_of([{0: 600.0, 1: 400.0}, {0: 6e9, 1: 4e9}]), topic_word, alpha)
    assert many / 1e10 == pytest.approx(one / 1e3, abs=0.05)
    assert log_probability(bags_of([]), lambda rows: topic_word[:, rows], alpha).nats == 0.0
