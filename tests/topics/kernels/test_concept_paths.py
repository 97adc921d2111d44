"""Weights of words over paths, and the sweep over them, beside slow plain Python."""

import numpy as np
import pytest
from scipy.special import psi
from tests.tiers import sampled

from stickbreaker.topics.kernels.concept_paths import (
    expected_log_paths,
    expected_log_ways,
    spread_counts,
)
from stickbreaker.topics.kernels.samplers.gibbs import Block
from stickbreaker.topics.kernels.samplers.tree_gibbs import (
    Places,
    Tree,
    TreeCounts,
    add_places,
    sweep_tree,
    sweep_tree_lists,
)

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize("seed", sampled(range(4), 2))
def test_weights_are_sums_over_paths(seed):
    draw = np.random.default_rng(seed)
    starts = np.cumsum([0, *draw.integers(1, 4, 6)])
    n, topics = int(starts[-1]), 3
    concentration, nodes = draw.gamma(0.5, 2.0, (n, topics)) + 1e-3, draw.normal(-3.0, 2.0, (4, topics))
    groups = draw.integers(4, size=n).astype(np.int32)
    alone = np.array([False, True, False, True])
    weights, scale = np.empty((6, topics), np.float32), np.empty(6)
    shares = np.empty((n, topics), np.float32)
    expected_log_paths(concentration, groups, nodes, alone, starts, weights, scale, shares)
    paths = np.exp(np.where(alone[groups][:, None], 0.0, psi(concentration)) + nodes[groups])
    for word in range(6):
        own = paths[starts[word] : starts[word + 1]]
        logs = np.log(own.sum(axis=0))
        assert scale[word] == pytest.approx(logs.max(), abs=1e-9)
        assert weights[word] == pytest.approx(np.exp(logs - logs.max()), rel=1e-5, abs=1e-12)
        assert shares[starts[word] : starts[word + 1]] == pytest.approx(own / own.sum(axis=0), rel=1e-5)
    counts, out = draw.random((6, topics)), np.empty((n, topics))
    codes = np.repeat(np.arange(6), np.diff(starts))
    spread_counts(counts, codes, np.arange(n), shares, out)
    assert np.add.reduceat(out, starts[:-1], axis=0) == pytest.approx(counts, rel=1e-6)


@pytest.mark.parametrize("seed", sampled(range(3), 2))
def test_ways_add_logs_of_choices(seed):
    """Below the top (3): two groups by edges 0 and 1, a third by edge 2 of a node (4) that has no other."""
    draw = np.random.default_rng(seed)
    edges, nodes = draw.gamma(0.5, 2.0, (4, 2)) + 1e-3, draw.gamma(2.0, 2.0, (5, 2)) + 1e-3
    sources, starts = np.array([3, 3, 4, 3], np.int32), np.array([0, 1, 2, 4])
    ways, alone = np.array([0, 1, 3, 2], np.int32), np.array([False, True, False, False, True])
    logs = np.empty((3, 2))
    expected_log_ways(edges, nodes, sources, starts, ways, alone, logs)
    top = psi(edges) - psi(nodes[3])
    assert logs == pytest.approx(np.stack([top[0] - psi(nodes[0]), top[1], top[3] - psi(nodes[2])]), rel=1e-9)


@pytest.mark.parametrize("sweep", [sweep_tree, sweep_tree_lists])
def test_a_sweep_keeps_the_counts_of_its_tokens(sweep):
    """Two words below a node of two, one of them also by the top: counts stay those of the places."""
    tree = Tree(
        starts=np.array([0, 2, 3, 4]),
        groups=np.array([0, 1, 1, 0], np.int32),
        way_starts=np.array([0, 0, 1]),
        ways=np.array([0], np.int32),
        sources=np.array([0], np.int32),
        leaf_priors=np.array([0.5, 1.0, 1.0, 0.5]),
        edge_priors=np.array([0.7]),
        node_priors=np.array([1.7, 2.0]),
    )
    draw = np.random.default_rng(2)
    starts = np.array([0, 6, 9, 12])
    documents = np.sort(draw.integers(3, size=(3, 6)), axis=1)
    documents = np.concatenate([documents[0], documents[1][:3], documents[2][:3]]).astype(np.int32)
    block = Block(np.arange(3, dtype=np.int32), np.zeros(3, np.int32), starts, documents, 3)
    places = Places(draw.integers(2, size=12).astype(np.int32), np.zeros(12, np.int32))

    def counted():
        counts = TreeCounts(*(np.zeros((size, 2), np.int32) for size in (4, 1, 2)))
        add_places(block, tree, places, counts)
        return counts

    counts = counted()
    for number in range(5):
        sweep(block, tree, np.array([0.3, 0.6]), np.uint64(number), counts, places)
        assert all(np.array_equal(*pair) for pair in zip(counts, counted(), strict=True))
    assert counts.leaves.sum() == 12
    assert counts.nodes[0].sum() == 12
    assert np.array_equal(counts.edges[0], counts.nodes[1])
