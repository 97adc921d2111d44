"""Topics in two and topics handed over, against what they mean; inference from two starts."""

import numpy as np
import pytest
from scipy.special import psi
from tests.oracle import lda
from tests.oracle import split_merge as oracle
from tests.topics.kernels.test_mean_field import packed, random_corpus

from stickbreaker.topics.kernels.mean_field import (
    Report,
    Rule,
    expected_log_words,
    infer_documents_twice,
)
from stickbreaker.topics.kernels.split_merge import (
    CLOSE,
    ROUNDS,
    Document,
    Halves,
    Handover,
    add_direction,
    add_halves,
    add_handover,
    topic_parts,
)

pytestmark = pytest.mark.kernels
N_WORDS, N_TOPICS, REST = 7, 4, 0.3


class Case:
    """A few documents, one of them empty, with their gamma under some topics."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.rng = rng
        self.documents = [*random_corpus(seed), (np.empty(0, int), np.empty(0))]
        self.lam = rng.gamma(0.5, 1.0, (N_TOPICS, N_WORDS)) + 0.02
        tokens = [counts.sum() for _, counts in self.documents]
        self.gamma = np.array([0.1 + n * rng.dirichlet(np.full(N_TOPICS, 0.4)) for n in tokens])
        self.words = packed(self.documents, self.lam)
        self.totals = self.gamma.sum(1) + REST
        self.document = Document(self.words.offsets, self.words.codes, self.totals)
        self.everyone = np.ones(len(self.documents), np.bool_)

    def parts(self, topics):
        out = np.empty((len(topics), len(self.words.codes)), np.float32)
        topic_parts(self.words, self.gamma, np.array(topics), out)
        return out

    def each(self, parts):
        """Every document's number, words and tokens of the topics."""
        for d, (words, _) in enumerate(self.documents):
            yield d, words, parts[:, self.words.offsets[d] : self.words.offsets[d + 1]].T.astype(float)


seeds = pytest.mark.parametrize("seed", range(6))


@seeds
def test_parts_are_counts_times_phi(seed):
    case = Case(seed)
    expected = oracle.topic_parts(case.documents, case.gamma, case.lam, [2, 0])
    parts = case.parts([2, 0]).T
    assert parts == pytest.approx(expected, rel=2e-5, abs=1e-6)


def test_parts_of_a_word_whose_topics_have_faded_from_its_document():
    """Single precision has nothing left of the word; its tokens are shared out all the same."""
    lam = np.full((2, 3), 1e-3)
    lam[0, :2] = lam[1, 2] = 500.0
    documents = [(np.array([0, 2]), np.array([40.0, 2.0]))]
    gamma = np.array([[42.0, 4e-2]])
    out = np.empty((2, 2), np.float32)
    topic_parts(packed(documents, lam), gamma, np.arange(2), out)
    expected = oracle.topic_parts(documents, gamma, lam, [0, 1]).T
    assert out == pytest.approx(expected, rel=1e-3)
    assert out.sum(axis=0) == pytest.approx([40.0, 2.0], rel=1e-5)


@seeds
@pytest.mark.parametrize("hard", [False, True])
def test_a_step_of_reciprocal_averaging(seed, hard):
    case = Case(seed)
    parts, scores = case.parts([1, 3]), case.rng.standard_normal(N_WORDS)
    sums = np.zeros((N_WORDS, 2))
    add_direction(case.document, parts, 1, scores, case.everyone, 1.0, sums, hard)
    expected = oracle.direction(case.documents, parts[1].astype(float), scores, 1.0, hard)
    for word in range(N_WORDS):
        assert sums[word] == pytest.approx(expected.get(word, (0.0, 0.0)), rel=1e-9, abs=1e-12)


@seeds
def test_a_topic_in_two(seed):
    """Tokens, shares and sums, and the gain as the difference of the documents' whole bounds."""
    case = Case(seed)
    parts, gamma = case.parts([0, 2]), case.gamma[:, 2].copy()
    log_odds, priors = case.rng.normal(0, 2, N_WORDS), np.array([0.3, 0.1])
    out, whole = _halves(len(case.documents)), np.zeros(1)
    add_halves(case.document, parts, 1, gamma, log_odds, priors, case.everyone, out, whole)
    counts, log_theta, own = np.zeros((N_WORDS, 2)), np.zeros(2), 0.0
    for d, words, mine in case.each(parts):
        share, tokens, apart = oracle.halves(
            words, mine[:, 1], gamma[d], case.totals[d], log_odds, priors, ROUNDS, CLOSE
        )
        assert out.shares[d] == pytest.approx(share, rel=1e-6)
        np.add.at(counts, words, tokens)
        log_theta += psi(apart) - psi(case.totals[d])
        own += oracle.own_terms(tokens, apart, case.totals[d])
        own -= oracle.own_terms(mine[:, 1:], gamma[d : d + 1], case.totals[d])
    assert out.counts == pytest.approx(counts, rel=1e-6, abs=1e-9)
    assert out.counts.sum(1) == pytest.approx(_by_word(case, parts[1]), rel=1e-9), "no token is lost"
    assert out.log_theta == pytest.approx(log_theta, rel=1e-7)
    assert whole[0] == pytest.approx((psi(gamma) - psi(case.totals)).sum(), rel=1e-7)
    assert out.own[0] == pytest.approx(own, rel=1e-6, abs=1e-7)


def test_a_topic_without_tokens_is_parted_as_the_prior_is():
    case = Case(0)
    parts = np.zeros((1, len(case.words.codes)), np.float32)
    out, gamma = _halves(len(case.documents)), np.full(len(case.documents), 0.4)
    odds, priors = np.full(N_WORDS, 30.0), np.array([0.3, 0.1])
    add_halves(case.document, parts, 0, gamma, odds, priors, case.everyone, out, np.zeros(1))
    assert out.shares == pytest.approx(0.25)
    assert out.counts.sum() == 0.0


@pytest.mark.parametrize("odds", [-1e6, 1e6])
def test_words_that_are_all_of_one_half_stay_finite(odds):
    case = Case(1)
    parts, priors = case.parts([2]), np.array([1e-8, 1e-8])
    out, gamma = _halves(len(case.documents)), case.gamma[:, 2].copy()
    add_halves(
        case.document, parts, 0, gamma, np.full(N_WORDS, odds), priors, case.everyone, out, np.zeros(1)
    )
    for part in out:
        assert np.isfinite(part).all()
    # but for documents of few tokens, which follow the priors
    assert out.counts.sum(axis=0)[0 if odds > 0 else 1] == pytest.approx(parts.sum(), rel=1e-3)


@pytest.mark.parametrize("far", [250.0, 350.0, 1e5])
def test_extremes_of_a_word_and_of_its_document_cancel(far):
    """A word that belongs to one half, in a document of the other: what counts is the sum of both."""
    document = Document(np.array([0, 2]), np.array([0, 1], np.int32), np.array([50.0]))
    parts, gamma = np.array([[3.0, 1e-3]], np.float32), np.array([3.0021])
    log_odds, priors = np.array([-5.0, far]), np.array([1e-3, 1e-3])
    out = _halves(1)
    add_halves(document, parts, 0, gamma, log_odds, priors, np.ones(1, np.bool_), out, np.zeros(1))
    with np.errstate(over="ignore"):
        share, tokens, apart = oracle.halves(
            np.array([0, 1]), parts[0].astype(float), gamma[0], 50.0, log_odds, priors, ROUNDS, CLOSE
        )
    assert out.shares[0] == pytest.approx(share, rel=1e-6)
    assert out.counts[:2] == pytest.approx(tokens, rel=1e-6, abs=1e-9)
    own = oracle.own_terms(tokens, apart, 50.0) - oracle.own_terms(parts.T.astype(float), gamma, 50.0)
    assert out.own[0] == pytest.approx(own, rel=1e-6, abs=1e-6)


def test_documents_that_are_not_chosen_are_not_read():
    case = Case(2)
    parts, gamma, chosen = case.parts([1]), case.gamma[:, 1].copy(), case.everyone.copy()
    odds, priors = case.rng.normal(0, 1, N_WORDS), np.array([0.2, 0.2])
    first, second, everyone = (_halves(len(chosen)) for _ in range(3))
    wholes, sums = np.zeros((3, 1)), np.zeros((3, N_WORDS, 2))
    chosen[::2] = False
    for which, out, whole, total in zip(
        [chosen, ~chosen, case.everyone], [first, second, everyone], wholes, sums, strict=True
    ):
        add_halves(case.document, parts, 0, gamma, odds, priors, which, out, whole)
        add_direction(case.document, parts, 0, odds, which, 1.0, total, False)
    for name in ("counts", "log_theta", "own"):
        assert getattr(first, name) + getattr(second, name) == pytest.approx(getattr(everyone, name))
        assert getattr(second, name).any()
    assert wholes[0] + wholes[1] == pytest.approx(wholes[2])
    assert sums[0] + sums[1] == pytest.approx(sums[2])


@seeds
@pytest.mark.parametrize("mixing", [False, True], ids=["apart", "mixing"])
@pytest.mark.parametrize("targets", [[3], [0, 3], [3, 0, 1]], ids=len)
def test_a_topic_handed_over(seed, targets, mixing):
    case = Case(seed)
    columns = [*targets, 2]
    parts = case.parts([0, 1, 2, 3])
    gamma = np.ascontiguousarray(case.gamma[:, columns])
    log_words, prior = (
        case.rng.normal(-2, 2, (N_WORDS, len(targets))),
        case.rng.uniform(0.05, 0.4, len(targets)),
    )
    out = _handover(len(case.documents), len(targets))
    add_handover(case.document, parts, np.array(columns), gamma, log_words, prior, mixing, out)
    counts, after, before, own = np.zeros((N_WORDS, len(targets))), 0.0, 0.0, 0.0
    for d, words, every in case.each(parts):
        mine, total = every[:, columns], case.totals[d]
        moved, wide = oracle.handover(words, mine, gamma[d], total, log_words, prior, ROUNDS, CLOSE, mixing)
        assert out.shares[d] == pytest.approx((wide - gamma[d, :-1]) / gamma[d, -1], rel=1e-5)
        np.add.at(counts, words, moved)
        after, before = after + psi(wide) - psi(total), before + psi(gamma[d]) - psi(total)
        own += oracle.own_terms(mine[:, :-1] + moved, wide, total) - oracle.own_terms(mine, gamma[d], total)
    assert out.counts == pytest.approx(counts, rel=1e-6, abs=1e-9)
    assert out.counts.sum(1) == pytest.approx(_by_word(case, parts[2]), rel=1e-9)
    assert out.shares.sum(1) == pytest.approx(np.ones(len(gamma)))
    assert out.log_theta == pytest.approx(after, rel=1e-7)
    assert out.log_whole == pytest.approx(before, rel=1e-7)
    assert out.own[0] == pytest.approx(own, rel=1e-6, abs=1e-6)


@seeds
def test_in_two_and_handed_back_is_as_before(seed):
    """What a split gains by its documents, the merge of the two parts loses."""
    case = Case(seed)
    n = len(case.documents)
    parts, gamma = case.parts([2]), case.gamma[:, 2].copy()
    odds, priors = case.rng.normal(0, 2, N_WORDS), np.array([0.3, 0.1])
    out = _halves(n)
    add_halves(case.document, parts, 0, gamma, odds, priors, case.everyone, out, np.zeros(1))
    both = np.empty((2, len(case.words.codes)), np.float32)
    apart = gamma[:, None] * np.stack([1.0 - out.shares, out.shares], axis=1)
    for d, words, mine in case.each(parts):
        _, tokens, _ = oracle.halves(words, mine[:, 0], gamma[d], case.totals[d], odds, priors, ROUNDS, CLOSE)
        both[:, case.words.offsets[d] : case.words.offsets[d + 1]] = tokens.T
    back = _handover(n, 1)
    add_handover(
        case.document, both, np.arange(2), apart, np.zeros((N_WORDS, 1)), np.array([0.3]), False, back
    )
    assert back.own[0] == pytest.approx(-out.own[0], rel=1e-5, abs=1e-5)
    assert back.shares == pytest.approx(1.0)


@seeds
def test_inference_from_two_starts_takes_the_better(seed):
    """As many rounds from each start; documents of few words under peaked topics have several optima."""
    rng = np.random.default_rng(seed)
    documents = random_corpus(seed, n_documents=30, longest=3)
    alpha, lam = np.full(N_TOPICS, 0.02), rng.gamma(0.3, 3.0, (N_TOPICS, N_WORDS)) + 0.02
    tokens = np.array([counts.sum() for _, counts in documents])
    starts = alpha + tokens[:, None] * np.eye(N_TOPICS)[rng.integers(0, N_TOPICS, 30)]
    pairs = zip(documents, starts, strict=True)
    kept = np.array([lda.infer(*document, alpha, lam, 20, gamma) for document, gamma in pairs])
    start = np.repeat((alpha[0] + tokens / N_TOPICS)[:, None], N_TOPICS, axis=1)
    report = _report(start.copy())
    words, rule = packed(documents, lam), Rule(5, 0.0)
    infer_documents_twice(words, alpha[None, :], rule, kept, report)
    table = lda.bound([], [], alpha, 0.1, lam)
    stayed = 0
    for d, document in enumerate(documents):
        fresh = lda.infer(*document, alpha, lam, 5, start[d])

        def value(gamma, document=document):
            return lda.bound([document], [gamma], alpha, 0.1, lam) - table

        if abs(value(kept[d]) - value(fresh)) < 1e-4:
            continue  # single precision decides
        better = value(kept[d]) > value(fresh)
        stayed += better
        expected = lda.infer(*document, alpha, lam, 5, kept[d]) if better else fresh
        assert report.gamma[d] == pytest.approx(expected, rel=2e-3, abs=1e-4)
        assert report.scores[d] == pytest.approx(value(report.gamma[d]), rel=1e-5, abs=1e-5)
        assert report.scores[d] >= value(kept[d]) - 1e-5
        assert report.rounds[d] == (10 if better else 5)
    assert 0 < stayed < 30


def test_an_empty_document_gets_the_prior_from_any_start():
    words = packed([(np.empty(0, int), np.empty(0)), (np.array([0]), np.array([1.0]))], np.ones((2, 3)))
    report = _report(np.ones((2, 2)), n_words=3)
    infer_documents_twice(words, np.array([[0.3, 0.6]]), Rule(10, 1e-3), np.full((2, 2), 9.0), report)
    assert report.gamma[0].tolist() == [0.3, 0.6]
    assert report.scores[0] == pytest.approx(0.0, abs=1e-12)


@seeds
def test_expected_log_words(seed):
    case = Case(seed)
    counts = case.rng.gamma(0.5, 2.0, (N_WORDS, N_TOPICS)).astype(np.float32)
    counts[case.words.weights == 0.0] = 0.0  # as the local step leaves them
    expected = (counts * lda.expected_log(case.lam).T).sum()
    assert expected_log_words(case.words, counts) == pytest.approx(expected, rel=1e-5)


def _halves(n_documents):
    return Halves(np.zeros((N_WORDS, 2)), np.zeros(2), np.zeros(1), np.full(n_documents, 0.5))


def _handover(n_documents, n):
    return Handover(
        np.zeros((N_WORDS, n)), np.zeros(n), np.zeros(n + 1), np.zeros(1), np.empty((n_documents, n))
    )


def _report(gamma, n_words=N_WORDS):
    n_documents, n_topics = gamma.shape
    counts = np.zeros((n_words, n_topics), np.float32)
    rounds = np.zeros(n_documents, np.int64)
    return Report(gamma, counts, np.zeros(n_topics), np.zeros(n_documents), rounds)


def _by_word(case, parts):
    return np.bincount(case.words.codes, parts, N_WORDS)
