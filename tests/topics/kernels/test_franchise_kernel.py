"""Tables and their topics against the oracle, round by round and term by term."""

import numpy as np
import pytest
from scipy.special import psi
from tests.oracle import franchise as oracle
from tests.tiers import sampled

from stickbreaker.topics.kernels.franchise import Menu, Prior, Seats, expected_logs, seat_documents
from stickbreaker.topics.kernels.mean_field import Rule

pytestmark = pytest.mark.kernels
K, V, T = 4, 9, 3


def random_case(seed):
    """Documents, lambda (topics × words), E[log sigma], and a start: sizes and zeta."""
    rng = np.random.default_rng(seed)
    documents = []
    for _ in range(5):
        words = np.sort(rng.choice(V, rng.integers(1, 6), replace=False))
        documents.append((words, rng.integers(1, 5, len(words)).astype(float)))
    lam = rng.gamma(0.5, 2.0, (K, V)) + 0.05
    log_weights = np.log(rng.dirichlet(np.ones(K)))
    sizes = np.array([rng.dirichlet(np.ones(T)) * counts.sum() for _, counts in documents])
    return documents, lam, log_weights, sizes, rng.dirichlet(np.full(K, 0.5), (5, T))


def run(documents, lam, log_weights, sizes, zeta, alpha, rule):
    logs, log_scale = np.empty((V, K), np.float32), np.empty(V)
    expected_logs(np.ascontiguousarray(lam.T), psi(lam.sum(1)), logs, log_scale)
    offsets = np.cumsum([0] + [len(words) for words, _ in documents]).astype(np.int64)
    codes = np.concatenate([words for words, _ in documents]).astype(np.int32)
    counts = np.concatenate([counts for _, counts in documents]).astype(np.float32)
    menu = Menu(offsets, codes, counts, np.arange(V), logs, log_scale)
    seats = Seats(
        sizes.copy(),
        zeta.astype(np.float32),
        np.zeros((V, K), np.float32),
        np.zeros((len(documents), K)),
        np.zeros(K),
        np.zeros(2),
        np.zeros(len(documents)),
    )
    seat_documents(menu, Prior(alpha, log_weights), rule, seats)
    return seats


def expected_log_topics(lam):
    return psi(lam) - psi(lam.sum(1, keepdims=True))


def test_expected_logs():
    lam = np.random.default_rng(0).gamma(0.2, 1.0, (K, V)) + 1e-3
    logs, log_scale = np.empty((V, K), np.float32), np.empty(V)
    expected_logs(np.ascontiguousarray(lam.T), psi(lam.sum(1)), logs, log_scale)
    assert logs.max(axis=1).tolist() == [0.0] * V
    assert logs + log_scale[:, None] == pytest.approx(expected_log_topics(lam).T, rel=1e-5)


@pytest.mark.parametrize("seed", sampled(range(5), 2))
@pytest.mark.parametrize("rounds", [1, 4])
def test_rounds_and_statistics_equal_the_oracle(seed, rounds):
    documents, lam, log_weights, sizes, zeta = random_case(seed)
    alpha, logs = 0.7, expected_log_topics(lam)
    report = run(documents, lam, log_weights, sizes, zeta, alpha, Rule(rounds, 0.0))
    counts, served, rests, n_open = np.zeros((V, K)), np.zeros(K), 0.0, 0
    for d, (words, ns) in enumerate(documents):
        n, z = sizes[d], zeta[d]
        for _ in range(rounds):
            n, z = oracle.one_round(words, ns, logs, log_weights, n, z, alpha)
        assert report.sizes[d] == pytest.approx(n, rel=2e-4, abs=2e-5)
        assert report.zeta[d] == pytest.approx(z, rel=2e-4, abs=2e-5)
        phi = oracle.seated(words, ns, logs, n, z, alpha)
        tokens = np.zeros(K)
        for w, number, each in zip(words, ns, phi, strict=True):
            for t, share in each.items():
                counts[w] += number * share * z[t]
                tokens += number * share * z[t]
        assert report.tokens[d] == pytest.approx(tokens, rel=1e-3, abs=1e-4)
        served += z.sum(0)
        n_open += (n > 0).sum()
        rests += sum(psi(b) - psi(a + b) for a, b in oracle.sticks(n, alpha)[0])
    assert report.counts == pytest.approx(counts, rel=1e-3, abs=1e-4)
    assert report.served == pytest.approx(served, rel=1e-3, abs=1e-4)
    assert report.sticks == pytest.approx([n_open, rests], rel=1e-4)
    assert report.counts.sum() == pytest.approx(sum(ns.sum() for _, ns in documents), rel=1e-5)


@pytest.mark.parametrize("seed", sampled(range(5), 2))
def test_scores_equal_their_definition(seed):
    documents, lam, log_weights, sizes, zeta = random_case(seed)
    report = run(documents, lam, log_weights, sizes, zeta, 1.3, Rule(10, 0.0))
    for d, (words, counts) in enumerate(documents):
        state = (report.sizes[d], report.zeta[d].astype(float))
        expected = oracle.document_bound(words, counts, expected_log_topics(lam), log_weights, *state, 1.3)
        assert report.scores[d] == pytest.approx(expected, rel=2e-6, abs=1e-5)


@pytest.mark.parametrize("seed", sampled(range(8), 2))
def test_no_round_lowers_a_score(seed):
    documents, lam, log_weights, sizes, zeta = random_case(seed)
    scores = [
        run(documents, lam, log_weights, sizes, zeta, 0.4, Rule(rounds, 0.0)).scores for rounds in range(25)
    ]
    assert (np.diff(scores, axis=0) > -1e-5).all()
    assert (scores[-1] > scores[0] + 1e-3).any()


def test_the_largest_table_comes_first():
    """No other order of the sticks has a greater bound: alike for tables in a document and in all."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        sizes, alpha = rng.gamma(0.5, 4.0, 4), rng.gamma(1.0, 1.0) + 0.05
        best = oracle.stick_evidence(sizes, alpha)
        for _ in range(10):
            order = rng.permutation(sizes)
            other = sum(
                oracle.betaln(1 + n, alpha + order[place + 1 :].sum()) - oracle.betaln(1, alpha)
                for place, n in enumerate(order)
            )
            assert other <= best + 1e-9


def test_closed_tables_leave_no_trace():
    documents, lam, log_weights, sizes, zeta = random_case(3)
    more = np.concatenate([sizes, np.zeros((5, 2))], axis=1)
    stale = np.concatenate([zeta, np.zeros((5, 2, K))], axis=1)
    with_closed = run(documents, lam, log_weights, more, stale, 0.9, Rule(5, 0.0))
    without = run(documents, lam, log_weights, sizes, zeta, 0.9, Rule(5, 0.0))
    for name in ("counts", "tokens", "served", "sticks", "scores"):
        assert getattr(with_closed, name) == pytest.approx(getattr(without, name)), name
    assert (with_closed.sizes[:, T:] == 0.0).all()


def test_a_table_that_loses_its_tokens_closes():
    """Two tables, of which the second serves a topic that has no word of the document."""
    lam = np.full((K, V), 1e-2)
    lam[0, :4], lam[1, 5:] = 500.0, 500.0
    zeta = np.zeros((1, 2, K))
    zeta[0, 0, 0] = zeta[0, 1, 1] = 1.0
    documents = [(np.array([0, 1]), np.array([20.0, 30.0]))]
    report = run(documents, lam, np.full(K, -1.4), np.array([[25.0, 25.0]]), zeta, 1.0, Rule(10, 0.0))
    assert report.sizes[0] == pytest.approx([50.0, 0.0])
    assert report.zeta[0, 1].tolist() == [0.0] * K
    assert report.sticks[0] == 1


@pytest.mark.parametrize("tokens", [1e-5, 1.0, 1e6])
@pytest.mark.parametrize("alpha", [1e-3, 1e3])
def test_corners_stay_finite(tokens, alpha):
    lam = np.random.default_rng(0).gamma(0.3, 1.0, (K, V)) + 1e-4
    documents = [(np.array([0]), np.array([tokens])), (np.array([1, 2]), np.array([tokens, 1.0]))]
    sizes = np.array([[tokens, 0.0, 0.0], [tokens, 1.0, 0.0]])
    zeta = np.full((2, T, K), 1 / K)
    report = run(documents, lam, np.array([-1.0, -2.0, -300.0, -1e4]), sizes, zeta, alpha, Rule(50, 1e-3))
    for part in report:
        assert np.isfinite(part).all()
    assert report.tokens.sum(1) == pytest.approx([tokens, tokens + 1.0], rel=1e-5)


def test_an_empty_document_has_no_tables():
    lam = np.ones((K, V))
    nothing = (np.empty(0, np.int64), np.empty(0))
    documents = [nothing, (np.array([0]), np.array([2.0]))]
    sizes, zeta = np.array([[0.0, 0.0], [2.0, 0.0]]), np.full((2, 2, K), 1 / K)
    report = run(documents, lam, np.full(K, -1.4), sizes, zeta, 1.0, Rule(10, 1e-3))
    assert report.scores[0] == 0.0
    assert report.tokens[0].tolist() == [0.0] * K
    assert report.sticks[0] == 1
