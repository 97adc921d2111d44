"""The HDP's kernels draw from the oracle's distributions."""

import numpy as np
import pytest
from numba import config
from scipy.stats import beta as beta_law
from scipy.stats import kstest
from tests.oracle import hdp_gibbs as oracle
from tests.tiers import sampled
from tests.topics.kernels.test_gibbs_sweeps import chance_of_worse, prepared

from stickbreaker.core.random_streams import numbered_keys
from stickbreaker.kernels.restaurant_tables import draw_tables
from stickbreaker.topics.kernels.samplers.gibbs import Table, add_counts
from stickbreaker.topics.kernels.samplers.hdp_gibbs import (
    GrowingPrior,
    Progress,
    Topics,
    sweep_growing,
)

pytestmark = pytest.mark.kernels
DRAWS = 1_000 if config.DISABLE_JIT else 20_000
WIDTH = 32


def padded_to(values, width, kind):
    return np.concatenate([values, np.zeros(width - len(values))]).astype(kind)


def topics_of(weights, width=WIDTH):
    weights = np.array(weights)
    return Topics(
        padded_to(weights, width, float),
        padded_to(np.arange(len(weights)), width, np.int64),
        np.array([1.0 - weights.sum()]),
        np.array([len(weights)]),
    )


def progress():
    return Progress(np.zeros(1, np.int64), np.zeros(2, np.uint64))


def copied(record):
    return type(record)(*(values.copy() for values in record))


@pytest.mark.parametrize(
    "groups", sampled([[0, 0, 0, 0], [0, 0, 1, 1]], 2), ids=["one language", "two languages"]
)
@pytest.mark.parametrize("form", sampled(["number", "words"], 2))
def test_a_token_is_drawn_from_its_conditional(form, groups):
    """The first token that is visited, whose word no other token has before it; and the stick it breaks."""
    words, documents, z = [0, 2, 2, 2, 3, 2], [0, 0, 0, 1, 1, 1], [1, 0, 1, 2, 1, 0]
    weights, alpha, gamma = [0.3, 0.2, 0.1], 1.7, 2.5
    eta = np.full(4, 0.3) if form == "number" else np.array([0.4, 0.1, 0.9, 0.2])
    order, block, table, start = prepared(words, documents, z, groups, WIDTH)
    own = np.array([eta[np.array(groups) == g].sum() for g in range(max(groups) + 1)])
    prior = GrowingPrior(
        alpha,
        gamma,
        eta[:1, None].copy() if form == "number" else eta[:, None].copy(),
        np.repeat(own[:, None], WIDTH, 1),
    )
    first, sticks = np.zeros(4), []
    for key in numbered_keys(3, "test", 0, np.arange(DRAWS)):
        mine, topics, drawn = copied(table), topics_of(weights), start.copy()
        assert sweep_growing(block, mine, prior, topics, key, progress(), drawn)
        first[min(drawn[0], 3)] += 1
        if drawn[0] == 3:
            sticks.append(topics.weights[3] / 0.4)
            assert topics.numbers[3] == 3
        assert topics.weights.sum() + topics.rest[0] == pytest.approx(1.0)
    assert order[0] == 0
    chances = oracle.conditional(words, documents, z, 0, weights, 0.4, alpha, eta, groups)
    assert chance_of_worse(first, DRAWS * chances) > 1e-3
    assert kstest(sticks, beta_law(1.0, gamma).cdf).pvalue > 1e-3


def test_a_topic_just_born_is_there_for_the_next_token():
    """Two words in two documents: where the first opens a topic, the second's chances, over all sticks."""
    _, block, table, start = prepared([0, 1], [0, 1], [0, 0], [0, 0], WIDTH)
    prior = GrowingPrior(1.7, 2.5, np.full((1, 1), 0.3), np.full((1, WIDTH), 0.6))
    seen = np.zeros(3)
    for key in numbered_keys(4, "test", 0, np.arange(2 * DRAWS)):
        drawn = start.copy()
        assert sweep_growing(block, copied(table), prior, topics_of([0.4]), key, progress(), drawn)
        if drawn[0] == 1:
            seen[drawn[1]] += 1
    expected = np.zeros(3)
    for stick in beta_law(1.0, 2.5).ppf((np.arange(1_000) + 0.5) / 1_000):
        weights = [0.4, 0.6 * stick]
        expected += oracle.conditional(
            [0, 1], [0, 1], [1, 0], 1, weights, 0.6 * (1.0 - stick), 1.7, np.full(2, 0.3), [0, 0]
        )
    assert chance_of_worse(seen, seen.sum() * expected / 1_000) > 1e-3


def test_out_of_columns_a_sweep_stops_and_goes_on_as_if_they_had_been_there():
    rng = np.random.default_rng(1)
    words, documents = rng.integers(0, 20, 300), np.repeat(range(10), 30)
    _, block, table, start = prepared(words, documents, np.zeros(300, int), [0] * 20, 96)
    prior = GrowingPrior(30.0, 80.0, np.full((1, 1), 0.1), np.full((1, 96), 2.0))
    topics, wide = topics_of([0.5], 96), start.copy()
    key = numbered_keys(1, "test", 0, np.arange(1))[0]
    assert sweep_growing(block, table, prior, topics, key, progress(), wide)
    assert np.count_nonzero(topics.weights) > 32
    narrow, params, place, stops = start.copy(), topics_of([0.5], 32), progress(), 0
    width = 32
    while True:
        table = Table(np.zeros((20, width), np.int32), np.zeros((1, width), np.int64))
        add_counts(block, narrow, table)
        prior = prior._replace(eta_totals=np.full((1, width), 2.0))
        if sweep_growing(block, table, prior, params, key, place, narrow):
            break
        stops, width = stops + 1, width + 32
        params = params._replace(
            weights=padded_to(params.weights, width, float),
            numbers=padded_to(params.numbers, width, np.int64),
        )
    assert 1 <= stops <= 2
    assert (narrow == wide).all()
    assert params.weights == pytest.approx(topics.weights[:width])
    assert params.born == topics.born


def test_counts_stay_those_of_the_assignments():
    rng = np.random.default_rng(0)
    documents = np.repeat(np.arange(5), [1, 0, 40, 2, 7])
    words, z = rng.integers(0, 9, 50), rng.integers(0, 5, 50)
    _, block, table, topics = prepared(words, documents, z, np.repeat([0, 1], 6), WIDTH)
    prior = GrowingPrior(1.0, 1.0, np.full((1, 1), 0.1), np.full((2, WIDTH), 0.6))
    state = topics_of([0.1] * 5)
    for key in numbered_keys(1, "test", 0, np.arange(20)):
        if not sweep_growing(block, table, prior, state, key, progress(), topics):
            break
    anew = Table(np.zeros_like(table.counts), np.zeros_like(table.totals))
    add_counts(block, topics, anew)
    assert (anew.counts == table.counts).all()
    assert (anew.totals == table.totals).all()
    assert (state.weights[np.unique(topics)] > 0.0).all()


def test_tables_have_the_antoniak_distribution():
    seen = np.zeros((DRAWS, 3), np.int64)
    columns, counts = np.array([2, 0, 0], np.int32), np.array([6, 1, 3], np.int32)
    masses = np.array([0.8, 5.0, 1.5])
    for row, key in zip(seen, numbered_keys(2, "test", 0, np.arange(DRAWS)), strict=True):
        draw_tables(columns, counts, masses, key, row)
    assert (seen[:, 1] == 0).all()
    expected = oracle.antoniak(6, 1.5)
    assert chance_of_worse(np.bincount(seen[:, 2] - 1, minlength=6), DRAWS * expected) > 1e-3
    expected = oracle.antoniak(3, 0.8)
    assert chance_of_worse(np.bincount(seen[:, 0] - 2, minlength=3), DRAWS * expected) > 1e-3


def test_the_oracles_antoniak_sums_to_one_and_has_the_known_mean():
    chances = oracle.antoniak(9, 0.7)
    assert chances.sum() == pytest.approx(1.0)
    assert (chances * np.arange(1, 10)).sum() == pytest.approx(sum(0.7 / (0.7 + i) for i in range(9)))
