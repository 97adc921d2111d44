"""Both kernels draw from the oracle's distribution, over whole sweeps."""

import numpy as np
import pytest
from numba import config
from scipy.stats import chi2
from tests.oracle import gibbs as oracle

from stickbreaker.core.random_streams import numbered_keys
from stickbreaker.topics.kernels.samplers.gibbs import (
    Block,
    Prior,
    Table,
    add_counts,
    document_counts,
    sweep_all_topics,
)
from stickbreaker.topics.kernels.samplers.sparse_gibbs import sweep_lists

pytestmark = pytest.mark.kernels
DRAWS = 1_500 if config.DISABLE_JIT else 30_000
KERNELS = pytest.mark.parametrize("kernel", [sweep_lists, sweep_all_topics])


def prepared(words, documents, z, groups, n_topics):
    """Tokens as the kernels visit them: the order, a block, a table and the topics in that order."""
    groups = np.array(groups, np.int32)
    words, documents = np.array(words, np.int32), np.array(documents, np.int32)
    order = np.argsort(words, kind="stable")
    occurring, first = np.unique(words[order], return_index=True)
    starts = np.append(first, len(words)).astype(np.int64)
    n_documents = int(documents.max(initial=-1)) + 1
    block = Block(occurring, groups[occurring], starts, documents[order], n_documents)
    n_groups = groups.max() + 1
    table = Table(np.zeros((len(groups), n_topics), np.int32), np.zeros((n_groups, n_topics), np.int64))
    topics = np.array(z, np.int32)[order]
    add_counts(block, topics, table)
    return order, block, table, topics


def draws(kernel, words, documents, z, alpha, eta, shape=None, groups=None):
    """Topics in the corpus's order after one sweep, draws × tokens, always from the same start."""
    full = np.broadcast_to(eta, (len(eta), len(alpha)))
    groups = np.zeros(len(eta), int) if groups is None else groups
    order, block, table, topics = prepared(words, documents, z, groups, len(alpha))
    totals = np.array([full[groups == group].sum(0) for group in range(groups.max() + 1)])
    prior = Prior(alpha[None, :], np.ascontiguousarray(eta if shape is None else shape), totals)
    out = np.empty((DRAWS, len(z)), np.int64)
    for i, key in enumerate(numbered_keys(5, "test", 0, np.arange(DRAWS))):
        mine, drawn = Table(table.counts.copy(), table.totals.copy()), topics.copy()
        kernel(block, mine, prior, key, drawn)
        out[i, order] = drawn
    return out, order


def chance_of_worse(observed, expected):
    """The p-value of Pearson's test, rare cells taken together."""
    rare = expected < 5.0
    if rare.any():
        observed = np.append(observed[~rare], observed[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
    return chi2.sf(((observed - expected) ** 2 / expected).sum(), len(observed) - 1)


@KERNELS
@pytest.mark.parametrize("groups", [[0, 0, 0, 0], [0, 0, 1, 1]], ids=["one language", "two languages"])
@pytest.mark.parametrize("form", ["number", "words", "words × topics"])
def test_a_sweep_has_the_oracles_distribution(kernel, form, groups):
    words, documents, z = [0, 2, 0, 0, 2], [0, 0, 0, 1, 1], [1, 0, 1, 2, 1]
    alpha, rng = np.array([0.2, 0.9, 0.4]), np.random.default_rng(3)
    eta = {"number": np.full((4, 1), 0.3), "words": rng.gamma(1.0, 0.5, (4, 1)) + 0.05}.get(form)
    eta = rng.gamma(1.0, 0.5, (4, 3)) + 0.05 if eta is None else eta
    shape = eta[:1] if form == "number" else None
    groups = np.array(groups)
    drawn, order = draws(kernel, words, documents, z, alpha, eta, shape, groups)
    full = np.broadcast_to(eta, (4, 3))
    chances = oracle.after_a_sweep(words, documents, z, order, alpha, full, groups)
    seen = dict.fromkeys(chances, 0)
    for row in drawn:
        seen[tuple(row.tolist())] += 1
    expected = DRAWS * np.array(list(chances.values()))
    assert chance_of_worse(np.array(list(seen.values())), expected) > 1e-3


@KERNELS
@pytest.mark.parametrize("n_topics", [16, 37, 70])
def test_many_topics_and_long_lists(kernel, n_topics):
    """More topics than are searched at once; the last token's topic is compared, the one before is fixed."""
    rng = np.random.default_rng(n_topics)
    z = [3, *rng.integers(0, n_topics, 14).tolist()]
    words, documents = [5, *rng.integers(0, 5, 14).tolist()], [0] * 10 + [1] * 5
    alpha, eta = rng.gamma(1.0, 0.3, n_topics) + 0.01, np.full((6, 1), 0.2)
    words = [0 if i == 0 else words[i] + 1 for i in range(15)]  # token 0 is drawn first
    drawn, order = draws(kernel, words, documents, z, alpha, eta, eta[:1])
    assert order[0] == 0
    chances = oracle.conditional(words, documents, z, 0, alpha, np.broadcast_to(eta, (6, n_topics)))
    observed = np.bincount(drawn[:, 0], minlength=n_topics)
    assert chance_of_worse(observed, DRAWS * chances) > 1e-3


@KERNELS
def test_counts_stay_those_of_the_assignments(kernel):
    rng = np.random.default_rng(0)
    n_topics, lengths = 5, [1, 0, 40, 2, 7]
    documents = np.repeat(np.arange(5), lengths)
    words, z = rng.integers(0, 9, 50), rng.integers(0, n_topics, 50)
    groups = np.repeat([0, 1], 6)
    _, block, table, topics = prepared(words, documents, z, groups, n_topics)
    prior = Prior(np.full((1, n_topics), 0.1), np.full((1, 1), 0.1), np.full((2, n_topics), 0.6))
    for key in numbered_keys(1, "test", 0, np.arange(20)):
        kernel(block, table, prior, key, topics)
    anew = Table(np.zeros_like(table.counts), np.zeros_like(table.totals))
    add_counts(block, topics, anew)
    assert (anew.counts == table.counts).all()
    assert (anew.totals == table.totals).all()
    assert table.totals.sum(axis=1).tolist() == [(words < 6).sum(), (words >= 6).sum()]


def test_document_counts():
    offsets, z = np.array([0, 0, 4, 5]), np.array([2, 0, 2, 2, 1], np.int32)
    topics, counts = np.zeros(5, np.int32), np.zeros(5, np.int32)
    n = document_counts(offsets, z, 3, topics, counts)
    assert topics[:n].tolist() == [2, 0, 1]
    assert counts[:n].tolist() == [3, 1, 1]
