"""NPMI against a plain-Python oracle, and its limits."""

from itertools import combinations
from math import log

import numpy as np
import pytest

from stickbreaker.core.errors import UserError
from stickbreaker.corpus.shards import Bags
from stickbreaker.evaluation import npmi


def bags_of(documents: list[set[int]]) -> Bags:
    offsets = np.cumsum([0] + [len(document) for document in documents])
    words = np.array([word for document in documents for word in sorted(document)], np.int32)
    counts = np.full(len(words), 3, np.float32)  # counts must not matter
    return Bags(offsets, words, counts, np.zeros(len(documents), np.float32))


def oracle(topic: list[int], documents: list[set[int]]) -> float:
    total, pairs = 0.0, list(combinations(topic, 2))
    for a, b in pairs:
        with_a = sum(a in document for document in documents) / len(documents)
        with_b = sum(b in document for document in documents) / len(documents)
        both = sum({a, b} <= document for document in documents) / len(documents)
        if both == 0:
            total -= 1
        elif both < 1:
            total += log(both / (with_a * with_b)) / -log(both)
    return total / len(pairs)


def random_documents(seed: int, n: int = 30, n_words: int = 12) -> list[set[int]]:
    draw = np.random.default_rng(seed)
    return [set(np.flatnonzero(draw.random(n_words) < draw.random()).tolist()) for _ in range(n)]


@pytest.mark.parametrize("seed", range(5))
def test_equals_the_oracle(seed: int) -> None:
    documents = random_documents(seed)
    topics = [np.random.default_rng([seed, k]).permutation(12)[:4].tolist() for k in range(6)]
    result = npmi(topics, [bags_of(documents)], 12)
    np.testing.assert_allclose(result.per_topic, [oracle(topic, documents) for topic in topics], atol=1e-12)
    assert result.mean == pytest.approx(np.mean(result.per_topic))


def test_blocks_do_not_matter() -> None:
    documents = random_documents(7)
    topics = [[0, 3, 5], [1, 2, 11]]
    whole = npmi(topics, [bags_of(documents)], 12)
    parts = npmi(topics, (bags_of(documents[i : i + 4]) for i in range(0, 30, 4)), 12)
    np.testing.assert_array_equal(whole.per_topic, parts.per_topic)
    assert whole.unseen_pairs == parts.unseen_pairs


def test_limits_are_never_nan() -> None:
    always_together = bags_of([{0, 1}, {0, 1}])
    assert npmi([[0, 1]], [always_together], 5).per_topic.tolist() == [0.0]
    assert npmi([[0, 4]], [always_together], 5) == ([-1.0], -1.0, 1)  # word 4 never occurs
    assert npmi([[0, 1], [2, 3]], [bags_of([{0, 1}, {2, 3}])], 4).per_topic.tolist() == [1.0, 1.0]
    assert npmi([[0, 2], [1, 3]], [bags_of([{0, 1}, {2, 3}])], 4).unseen_pairs == 2


def test_documents_without_top_words_count() -> None:
    assert npmi([[0, 1]], [bags_of([{0, 1}, {2}, set()])], 3).per_topic.tolist() == [1.0]


def test_mistakes_are_told() -> None:
    bags = bags_of([{0, 1}])
    for topics, blocks in (([[0]], [bags]), ([[0, 9]], [bags]), ([[-1, 0]], [bags]), ([[0, 1]], [])):
        with pytest.raises(UserError):
            npmi(topics, blocks, 2)
