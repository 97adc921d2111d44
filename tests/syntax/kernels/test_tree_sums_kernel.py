"""Expected counts over trees and documents' shares: against every assignment of topics, and differences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import gammaln, psi
from tests.oracle import syntax as oracle

from stickbreaker.syntax.kernels.mean_field_shares import infer_documents
from stickbreaker.syntax.kernels.tree_sums import (
    Expected,
    TreeNodes,
    expected_words,
    room_for,
    sum_documents,
)
from stickbreaker.syntax.model.syntax_model import new_report

pytestmark = pytest.mark.kernels
K, V = 2, 4
WORDS, HEADS = [0, -1, 2, 1, 3], [-1, 0, 0, 1, -1]


def expected_of(seed, k=K):
    """Expectations of a random q: E[log] below the log of the mean."""
    draw = np.random.default_rng(seed)
    shapes, rates = draw.gamma(1.0, size=(k + 1, k)) + 0.1, draw.gamma(5.0, size=(k + 1, k))
    means = shapes / rates
    sums = means.sum(axis=1, keepdims=True)
    words, log_scale = np.empty((V, k)), np.empty(V)
    concentration = draw.gamma(1.0, size=(V, k)) + 0.1
    expected_words(concentration, psi(concentration.sum(axis=0)), words, log_scale)
    return Expected(
        psi(shapes) - np.log(rates * sums), means / sums, draw.gamma(1.0, size=k) + 0.1, words, log_scale
    )


def nodes_of(documents):
    words, heads = (np.array([x for one in documents for x in one[part]], np.int32) for part in (0, 1))
    offsets = np.cumsum([0, *(len(words) for words, _ in documents)]).astype(np.int64)
    return TreeNodes(offsets, words, heads, np.arange(V))


def inferred(documents, expected, most=1, tolerance=0.0, rates=None, counts=None):
    """The report of an inference, from given q(theta) if there are any."""
    nodes, k = nodes_of(documents), len(expected.shapes)
    report = new_report(len(documents), V, k)
    if rates is not None:
        report.known[:], report.rates[:], report.counts[:] = True, rates, counts
    infer_documents(nodes, expected, most, tolerance, room_for(nodes.offsets, k), report)
    return report


def chances(expected, log_theta, theta):
    """A: what heads' topics (topics + 1) give topics, and xi."""
    xi = expected.mean_pi @ theta
    return np.exp(log_theta + expected.log_pi) / xi[:, None], xi


def by_enumeration(words, heads, expected, A):
    """log of the sum, and expected counts: of topics, heads' topics, transitions and words."""
    k = len(expected.shapes)
    beta = expected.words * np.exp(expected.log_scale)[:, None]
    n, m, transitions, tokens, total = np.zeros(k), np.zeros(k + 1), np.zeros((k + 1, k)), np.zeros((V, k)), 0
    for topics in oracle.configurations(words, heads, np.ones(k), np.ones((k + 1, k)), np.ones((V, k))):
        rows = [k if head < 0 else topics[head] for head in heads]
        p = np.prod([A[row, topic] for row, topic in zip(rows, topics, strict=True)])
        p *= np.prod([beta[w, topic] for w, topic in zip(words, topics, strict=True) if w >= 0])
        total += p
        for word, row, topic in zip(words, rows, topics, strict=True):
            n[topic] += p
            m[row] += p
            transitions[row, topic] += p
            tokens[word, topic] += p * (word >= 0)
    return float(np.log(total)), n / total, m / total, transitions / total, tokens / total


def share_terms(shapes, counts, rates):
    """E[log p(theta)] - E[log q(theta)] of Gammas, by definition."""
    a, s, r = shapes, shapes + counts, rates
    log_theta = psi(s) - np.log(r)
    prior = (a - 1.0) * log_theta - s / r - gammaln(a)
    own = (s - 1.0) * log_theta - s + s * np.log(r) - gammaln(s)
    return float((prior - own).sum())


@given(st.integers(0, 10_000), st.integers(0, 6))
def test_counts_and_score_are_those_over_all_topics(seed, size):
    draw, expected = np.random.default_rng(seed), expected_of(seed, k=3)
    words = draw.integers(-1, V, size).tolist()
    heads = [int(draw.integers(-1, node)) if node else -1 for node in range(size)]
    counts, rates = draw.gamma(1.0, size=3), draw.gamma(2.0, size=3) + 0.2
    report = inferred([(words, heads)], expected, 1, 0.0, rates, counts)
    rates = rates * ((expected.shapes + counts) / rates).sum() / expected.shapes.sum()
    shapes = expected.shapes + counts
    A, _ = chances(expected, psi(shapes) - np.log(rates), shapes / rates)
    if size == 0:
        assert report.scores[0] == 0.0
        assert not report.counts.any()
        return
    nats, n, m, transitions, tokens = by_enumeration(words, heads, expected, A)
    assert report.scores[0] == pytest.approx(nats + share_terms(expected.shapes, counts, rates), abs=1e-8)
    assert report.counts[0] == pytest.approx(n, abs=1e-8)
    assert report.transitions == pytest.approx(transitions, abs=1e-8)
    assert report.words == pytest.approx(tokens, abs=1e-8)
    assert report.pulls[0].sum() > 0.0
    assert ((report.pulls[0] > 0) == (m > 1e-300)).all()


def test_pulls_are_heads_divided_by_what_their_shares_are_on_average():
    """Once all has settled xi = E[x], and the rates are those of the pulls."""
    expected = expected_of(1)
    report = inferred([(WORDS, HEADS)], expected, most=2000, tolerance=1e-14)
    theta = (expected.shapes + report.counts[0]) / report.rates[0]
    m = report.transitions.sum(axis=1)
    assert report.pulls[0] == pytest.approx(m / (expected.mean_pi @ theta), rel=1e-6)
    assert report.rates[0] == pytest.approx(1.0 + report.pulls[0] @ expected.mean_pi, rel=1e-12)
    assert theta.sum() == pytest.approx(expected.shapes.sum(), rel=1e-6)


def test_counts_are_slopes_of_the_log_of_the_sum():
    """d log Z / d log A[j, i] are expected transitions, d log Z / d log beta words: by finite differences."""
    expected, step = expected_of(4), 1e-5
    theta = {"rates": np.array([[2.0, 3.0]]), "counts": np.array([[1.5, 0.5]])}

    def score(change_of_pi=0.0, change_of_beta=0.0):
        log_pi, words = expected.log_pi + change_of_pi, expected.words * np.exp(change_of_beta)
        return inferred([(WORDS, HEADS)], expected._replace(log_pi=log_pi, words=words), **theta).scores[0]

    report = inferred([(WORDS, HEADS)], expected, **theta)
    for j, i in np.ndindex(K + 1, K):
        change = np.zeros((K + 1, K))
        change[j, i] = step
        slope = (score(change) - score(-change)) / (2 * step)
        assert report.transitions[j, i] == pytest.approx(slope, abs=1e-7)
    for w, i in np.ndindex(V, K):
        change = np.zeros((V, K))
        change[w, i] = step
        slope = (score(0.0, change) - score(0.0, -change)) / (2 * step)
        assert report.words[w, i] == pytest.approx(slope, abs=1e-7)


def test_shares_end_where_no_other_gammas_have_a_higher_bound():
    expected = expected_of(7)
    document = (WORDS, HEADS)
    report = inferred([document], expected, most=3000, tolerance=1e-13)

    def bound(logs):
        shapes, rates = np.exp(logs.reshape(2, K))
        A, _ = chances(expected, psi(shapes) - np.log(rates), shapes / rates)
        nats = by_enumeration(*document, expected, A)[0]
        return -nats - share_terms(expected.shapes, shapes - expected.shapes, rates)

    start = np.log([expected.shapes + report.counts[0], report.rates[0]]).ravel()
    assert -bound(start) == pytest.approx(report.scores[0], abs=1e-6)
    best = minimize(
        bound, start, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-11, "maxiter": 4000}
    )
    assert -best.fun < report.scores[0] + 1e-7


@given(st.integers(0, 1000))
def test_every_turn_raises_the_bound(seed):
    expected, draw = expected_of(seed, k=3), np.random.default_rng(seed)
    words, heads = draw.integers(-1, V, 12), [-1, *(int(draw.integers(-1, node)) for node in range(1, 12))]
    scores = [inferred([(words, heads)], expected, most).scores[0] for most in range(1, 12)]
    assert (np.diff(scores) > -1e-10).all(), scores


def test_documents_are_inferred_by_themselves():
    expected = expected_of(2)
    documents = [(WORDS, HEADS), ([], []), ([1], [-1]), (WORDS[::-1], [-1, 0, 1, 2, 3])]
    together = inferred(documents, expected, 5)
    for d, document in enumerate(documents):
        alone = inferred([document], expected, 5)
        assert alone.scores[0] == together.scores[d]
        assert alone.rates[0].tobytes() == together.rates[d].tobytes()
    assert together.rates[1].tolist() == [1.0] * K
    assert together.scores[1] == 0.0


def test_without_documents_sums_are_of_pi_alone():
    expected = expected_of(3)
    nodes, report = nodes_of([(WORDS, HEADS)]), new_report(1, V, K)
    sum_documents(nodes, expected, room_for(nodes.offsets, K), report)
    A, xi = chances(expected, np.zeros(K), np.ones(K))
    nats, n, m, transitions, tokens = by_enumeration(WORDS, HEADS, expected, A)
    assert report.scores[0] == pytest.approx(nats)
    assert report.counts[0] == pytest.approx(n)
    assert report.pulls[0] == pytest.approx(m / xi)
    assert report.transitions == pytest.approx(transitions)
    assert report.words == pytest.approx(tokens)


@pytest.mark.parametrize("shape", ["star", "chain", "forest"])
def test_sentences_of_thousands_of_words(shape):
    n = 5_000
    heads = {"star": np.zeros(n), "chain": np.arange(n) - 1, "forest": np.full(n, -1)}[shape].astype(np.int32)
    heads[0] = -1
    expected = expected_of(5)
    expected.log_pi[0] -= 90.0  # of a topic that hardly any word has below it
    report = inferred([(np.arange(n) % V, heads)], expected, 3)
    assert np.isfinite(report.scores).all()
    assert report.transitions.sum() == pytest.approx(n)
    assert report.words.sum() == pytest.approx(n)
    assert report.counts.sum() == pytest.approx(n)
