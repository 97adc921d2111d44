"""Sides of aligned documents: planted toys, ranks by hand, NPMI against an oracle."""

from math import log

import numpy as np
import pytest
from tests.bags import bags_of
from tests.tiers import sampled

from stickbreaker.core.errors import UserError
from stickbreaker.topics.evaluation import (
    both_sides,
    chance_mrr,
    cross_lingual,
    cross_lingual_npmi,
    one_side,
    retrieval_mrr,
)

DE, EN = slice(0, 3), slice(3, 6)


def test_a_side_has_its_own_words_alone() -> None:
    bags = bags_of([{0: 2.0, 4: 1.0}, {3: 5.0}, {}, {1: 1.0, 2: 1.0}])
    german, english = one_side(bags, DE), one_side(bags, EN)
    assert (german.offsets.tolist(), german.words.tolist()) == ([0, 1, 1, 1, 3], [0, 1, 2])
    assert (english.offsets.tolist(), english.counts.tolist()) == ([0, 1, 2, 2, 2], [1.0, 5.0])
    assert german.unseen.tolist() == [0, 0, 0, 0]
    assert both_sides(bags, DE, EN).words.tolist() == [0, 4]


def test_ranks_by_hand() -> None:
    candidates = np.array([[1.0, 0.0], [0.6, 0.4], [0.0, 1.0]])
    assert retrieval_mrr(candidates, candidates) == 1
    # each asks for its neighbour: (1, 0) ranks 0 1 2, (.6, .4) ranks 1 0 2, (0, 1) ranks 2 1 0
    assert retrieval_mrr(candidates, candidates[[1, 2, 0]]) == pytest.approx((1 / 2 + 1 / 3 + 1 / 3) / 3)


def test_ties_have_the_rank_that_is_expected() -> None:
    same = np.full((4, 3), 1 / 3)
    assert retrieval_mrr(same, same) == pytest.approx(1 / 2.5)
    a, b = np.array([[1.0, 0.0]] * 3), np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    assert retrieval_mrr(a, b) == pytest.approx((1 / 1.5 + 1 / 1.5 + 1 / 3) / 3)


def test_queries_come_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(0)
    a, b = draw.dirichlet(np.ones(4), 50), draw.dirichlet(np.ones(4), 50)
    ranks = []
    for row in range(50):
        distance = [np.sqrt(((np.sqrt(a[row]) - np.sqrt(other)) ** 2).sum()) for other in b]
        ranks.append(1 + sum(one < distance[row] for one in distance))
    whole = retrieval_mrr(a, b)
    assert whole == pytest.approx(np.mean([1 / rank for rank in ranks]))
    monkeypatch.setattr(cross_lingual, "QUERIES_AT_ONCE", 7)
    assert retrieval_mrr(a, b) == pytest.approx(whole, rel=1e-12)


def test_planted_sides_find_each_other_and_shuffled_ones_do_not() -> None:
    draw = np.random.default_rng(1)
    theta = draw.dirichlet(np.full(8, 0.2), 200)
    noisy = theta + 0.01 * draw.random(theta.shape)
    noisy /= noisy.sum(axis=1, keepdims=True)
    assert retrieval_mrr(theta, noisy) > 0.8
    assert retrieval_mrr(theta, noisy[draw.permutation(200)]) < 4 * chance_mrr(200)
    assert chance_mrr(3) == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)


@pytest.mark.parametrize("seed", sampled(range(3), 2))
def test_cross_lingual_npmi_equals_the_oracle(seed: int) -> None:
    draw = np.random.default_rng(seed)
    documents = [dict.fromkeys(np.flatnonzero(draw.random(6) < 0.5).tolist(), 1.0) for _ in range(25)]
    tops = ([[0, 1], [2, 0]], [[3, 4, 5], [5, 4, 3]])
    expected = []
    for german, english in zip(*tops, strict=True):
        pairs = [(i, j) for i in german for j in english]
        total = 0.0
        for i, j in pairs:
            both, one, other = (sum(w <= set(d) for d in documents) / 25 for w in ({i, j}, {i}, {j}))
            total += -1 if both == 0 else log(both / (one * other)) / -log(both)
        expected.append(total / len(pairs))
    found = cross_lingual_npmi(*tops, [bags_of(documents[:9]), bags_of(documents[9:])], 6)
    np.testing.assert_allclose(found.per_topic, expected, atol=1e-12)


def test_mistakes_are_told() -> None:
    for a, b in (([[1.0]], [[1.0], [1.0]]), ([1.0], [1.0]), (np.zeros((0, 2)), np.zeros((0, 2)))):
        with pytest.raises(UserError, match="the sides are"):
            retrieval_mrr(a, b)
    for wrong in (np.nan, np.inf, -1.0):
        for a, b in (([[wrong, 1.0]], [[0.5, 0.5]]), ([[0.5, 0.5]], [[wrong, 1.0]])):
            with pytest.raises(UserError, match="finite and not negative"):
                retrieval_mrr(a, b)
    with pytest.raises(UserError, match="of the same topics"):
        cross_lingual_npmi([[0]], [[3], [4]], [bags_of([{0: 1.0}])], 6)
