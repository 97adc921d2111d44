"""The tree of topics: against a slow version, and by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.tiers import sampled

from stickbreaker.topics.report.hierarchy import agglomerate, leaf_order, relate, relate_used
from stickbreaker.topics.report.maps.topic_map import place_topics, place_used


def random_distances(n: int, seed: int) -> np.ndarray:
    d = np.random.default_rng(seed).random((n, n))
    return np.triu(d, 1) + np.triu(d, 1).T


def slow_merges(d: np.ndarray) -> list[tuple[frozenset[int], float]]:
    """Average linkage from its definition: the mean distance over all pairs of members."""
    clusters = [frozenset([k]) for k in range(len(d))]
    merges = []
    while len(clusters) > 1:
        pairs = itertools.combinations(clusters, 2)
        height, one, other = min((np.mean([d[i, j] for i in a for j in b]), a, b) for a, b in pairs)
        clusters = [c for c in clusters if c not in (one, other)] + [one | other]
        merges.append((one | other, height))
    return merges


@pytest.mark.parametrize("seed", sampled(range(4), 2))
@pytest.mark.parametrize("n", [2, 3, 9, 14])
def test_tree_equals_the_slow_one(n: int, seed: int) -> None:
    d = random_distances(n, seed)
    members = {k: frozenset([k]) for k in range(n)}
    for i, ((left, right, height), (joined, slow)) in enumerate(
        zip(agglomerate(d), slow_merges(d), strict=True)
    ):
        members[n + i] = members.pop(left) | members.pop(right)
        assert members[n + i] == joined
        assert height == pytest.approx(slow)
    assert set(members) == {2 * n - 2}


def test_each_branch_is_a_run_of_the_order() -> None:
    d = random_distances(17, 5)
    merges = agglomerate(d)
    order = leaf_order(merges, d)
    assert sorted(order) == list(range(17))
    members = {k: {k} for k in range(17)}
    for i, (left, right, _) in enumerate(merges):
        members[17 + i] = members[left] | members[right]
        places = sorted(order.index(k) for k in members[17 + i])
        assert places == list(range(places[0], places[0] + len(places)))


def test_branches_are_turned_so_that_near_topics_meet() -> None:
    d = np.abs(np.subtract.outer([0.0, 1.0, 10.0, 12.0], [0.0, 1.0, 10.0, 12.0]))
    assert leaf_order(agglomerate(d), d) in ([0, 1, 2, 3], [3, 2, 1, 0])


@pytest.mark.parametrize("n", [0, 1])
def test_no_tree_of_one(n: int) -> None:
    assert agglomerate(np.zeros((n, n))) == []
    assert leaf_order([], np.zeros((n, n))) == list(range(n))


def test_similarity_is_one_less_the_divergence_in_bits() -> None:
    d = np.array([[0.0, np.sqrt(np.log(2))], [np.sqrt(np.log(2)), 0.0]])
    np.testing.assert_allclose(relate(d).similarity, [[1.0, 0.0], [0.0, 1.0]], atol=1e-12)
    np.testing.assert_allclose(relate(d / 2).similarity, [[1.0, 0.75], [0.75, 1.0]])


def test_topics_not_in_use_are_in_no_tree() -> None:
    d = random_distances(9, 4)
    used = np.array([1, 2, 4, 5, 8])
    inner, outer = relate(d[np.ix_(used, used)]), relate_used(d, used)
    assert list(outer.order) == used[list(inner.order)].tolist()
    assert len(outer.merges) == 4
    number = dict(enumerate([*used.tolist(), 9, 10, 11, 12]))
    assert outer.merges == [(number[a], number[b], height) for a, b, height in inner.merges]
    similarity = np.array(outer.similarity)
    np.testing.assert_array_equal(similarity[np.ix_(used, used)], inner.similarity)
    assert similarity[0, 1:].sum() == 0
    assert relate_used(d, np.arange(9)) == relate(d)
    places = place_used(d, used)
    assert [places[k] for k in used] == place_topics(d[np.ix_(used, used)])
    assert {places[k] for k in (0, 3, 6, 7)} == {(0.0, 0.0)}
