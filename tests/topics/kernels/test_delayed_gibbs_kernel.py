"""Each Metropolis-Hastings step by enumeration, and whole phases against the oracle."""

import numpy as np
import pytest
from tests.oracle import delayed_gibbs as oracle
from tests.tiers import sampled

from stickbreaker.core.random_streams import numbered_keys
from stickbreaker.kernels.random import seeded, uniform
from stickbreaker.topics.kernels.samplers import delayed_gibbs as kernel
from stickbreaker.topics.model.samplers.delayed_gibbs import by_group, draws_of
from stickbreaker.topics.model.samplers.tokens import TokensInOrder

pytestmark = [pytest.mark.kernels, pytest.mark.usefixtures("wrapping_integers")]


def transitions(proposal, weights, totals):
    """The step's matrix (from × to), from the odds that the kernel itself uses."""
    n = len(proposal)
    P = np.zeros((n, n))
    for s in range(n):
        for t in range(n):
            if s != t:
                gain, cost = kernel.odds(weights[s], weights[t], totals[s], totals[t])
                P[s, t] = proposal[t] * min(1.0, gain / cost)
        P[s, s] = 1.0 - P[s].sum()
    return P


def fixed_counts(seed, n_topics=5):
    """n_dk + alpha_k, n_wk + eta_wk and n_k + eta_k of one token, which is not counted."""
    rng = np.random.default_rng(seed)
    document = rng.integers(0, 4, n_topics) + rng.gamma(0.5, 1.0, n_topics) + 0.01
    word = rng.integers(0, 6, n_topics) + rng.gamma(0.3, 0.2, n_topics) + 0.01
    return document, word, rng.integers(8, 40, n_topics) + rng.gamma(1.0, 2.0, n_topics)


@pytest.mark.parametrize("seed", sampled(range(10), 2))
def test_both_steps_leave_the_conditional_as_it_is(seed):
    document, word, totals = fixed_counts(seed)
    target = oracle.conditional(document, word, totals)
    for own, other in ((document, word), (word, document)):
        P = transitions(other / other.sum(), own, totals)
        assert (target @ P) == pytest.approx(target, abs=1e-12)
        assert target[:, None] * P == pytest.approx((target[:, None] * P).T, abs=1e-12)


class Case:
    """Three documents of random tokens, asymmetric alpha, eta as given, words in one language or in two."""

    def __init__(self, seed, eta, n_topics=4, n_words=5, kind=np.uint16, groups=(0, 0, 0, 0, 0)):
        rng = np.random.default_rng(seed)
        lengths = np.array([6, 0, 1, 9])
        self.offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        self.words = np.concatenate([np.sort(rng.integers(0, n_words, n)) for n in lengths]).astype(np.int32)
        self.words[self.words == 3] = 2  # a word that never occurs
        self.topics = rng.integers(0, n_topics, len(self.words))
        self.proposals = rng.integers(0, n_topics, len(self.words))
        self.alpha = rng.gamma(1.0, 0.5, n_topics) + 0.02
        self.eta = {
            "number": np.full(n_words, 0.3),
            "words": rng.gamma(1.0, 0.3, n_words) + 0.01,
            "both": rng.gamma(1.0, 0.3, (n_words, n_topics)) + 0.01,
        }[eta]
        self.by_topic = self.eta if eta == "both" else np.tile(self.eta[:, None], n_topics)
        counts = np.bincount(self.words, minlength=n_words)
        self.groups = np.array(groups, np.int32)
        self.index = kernel.Index(
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            np.empty(len(self.words), np.int32),
            self.groups,
        )
        tokens = TokensInOrder(self.words, self.offsets, n_words)
        self.ends = by_group(tokens, self.groups, int(self.groups.max()) + 1)
        kernel.index_words(self.words, self.index)
        self.visit_words = kernel.visit_informed_words if eta == "both" else kernel.visit_words
        self.kind, self.seed = kind, seed

    @property
    def totals(self):
        """n_k + eta_k of each group."""
        return self.use(self.topics) + [self.by_topic[self.groups == g].sum(0) for g in set(self.groups)]

    def use(self, topics):
        """Tokens of each topic in each group."""
        out = np.zeros((self.groups.max() + 1, len(self.alpha)))
        np.add.at(out, (self.groups[self.words], topics), 1)
        return out

    def run(self, phase, number):
        """One phase of the kernel, in two calls: the chain after it and the topics' counts."""
        size = len(self.offsets if phase == "documents" else self.index.offsets) - 1
        self.keys = numbered_keys(self.seed, phase, number, np.arange(size))
        chain = kernel.Chain(self.topics.astype(self.kind), self.proposals.astype(self.kind))
        used = np.zeros((self.groups.max() + 1, len(self.alpha)), np.int64)
        for first, last in ((0, size // 2), (size // 2, size)):
            part = kernel.Range(first, last, self.keys, self.totals)
            if phase == "documents":
                kernel.visit_documents(self.ends, draws_of(self.alpha), part, chain, used)
            else:
                self.visit_words(self.index, self.eta, part, chain, used)
        return chain, used

    def expected(self, phase):
        """The same by the oracle."""
        if phase == "documents":
            groups = [range(*pair) for pair in zip(self.offsets[:-1], self.offsets[1:], strict=True)]
            priors = [self.alpha] * len(groups)
        else:
            groups = [np.flatnonzero(self.words == w).tolist() for w in range(len(self.eta))]
            priors = list(self.by_topic)
        streams = [uniforms(key) for key in self.keys]
        totals = self.totals[self.groups[self.words]]
        return oracle.phase(groups, self.topics, self.proposals, priors, totals, streams)


def uniforms(key):
    """The random numbers of one document or word, one a call."""
    state = np.empty(2, np.uint64)
    seeded(key, state)
    return lambda: uniform(state)


@pytest.mark.parametrize(
    ("kind", "groups"),
    sampled([(np.uint16, [0] * 5), (np.int32, [0] * 5), (np.uint16, [0, 0, 1, 1, 1])], 2, several=True),
)
@pytest.mark.parametrize("eta", sampled(["number", "words", "both"], 2))
@pytest.mark.parametrize("seed", sampled(range(4), 2))
def test_phases_equal_the_oracle(seed, eta, kind, groups):
    case = Case(seed, eta, kind=kind, groups=groups)
    for number in range(6):
        for phase in ("documents", "words"):
            chain, used = case.run(phase, number)
            topics, proposals = case.expected(phase)
            assert chain.topics.tolist() == topics
            assert chain.proposals.tolist() == proposals
            assert used.tolist() == case.use(topics).tolist()
            case.topics, case.proposals = np.array(topics), np.array(proposals)


@pytest.mark.parametrize("eta", sampled(["number", "words", "both"], 2))
@pytest.mark.parametrize("phase", ["documents", "words"])
def test_frequencies_agree_with_the_matrix(phase, eta):
    """Two tokens of one word, in documents of their own or in one: the first token's moves are counted."""
    case = Case(3, eta, n_topics=3)
    first = 0 if phase == "documents" else case.index.tokens[0]
    rng, runs = np.random.default_rng(0), 4000
    group = range(6) if phase == "documents" else np.flatnonzero(case.words == case.words[first])
    prior = case.alpha if phase == "documents" else case.by_topic[case.words[first]]
    others = [case.topics[i] for i in group if i != first]
    weights = prior + np.bincount(np.array(others, int), minlength=3)
    proposal = np.array([0.5, 0.2, 0.3])
    totals = case.totals[0] - (np.arange(3) == case.topics[first])
    expected = transitions(proposal, weights, totals)[case.topics[first]]
    seen = np.zeros(3)
    for number in range(runs if not kernel_is_plain() else 300):
        case.proposals = rng.choice(3, len(case.words), p=proposal)
        chain, _ = case.run(phase, number)
        seen[chain.topics[first]] += 1
    error = np.sqrt(expected * (1 - expected) / seen.sum())
    assert (np.abs(seen / seen.sum() - expected) < 4 * error + 1e-9).all()


@pytest.mark.parametrize("eta", sampled(["number", "words", "both"], 2))
@pytest.mark.parametrize("phase", ["documents", "words"])
def test_proposals_come_from_counts_and_prior(phase, eta):
    """With nothing to accept, the first token's proposals follow the others' counts and the prior."""
    case = Case(5, eta, n_topics=3)
    case.proposals = case.topics.copy()
    first = 0 if phase == "documents" else case.index.tokens[0]
    group = range(6) if phase == "documents" else np.flatnonzero(case.words == case.words[first])
    prior = case.alpha if phase == "documents" else case.by_topic[case.words[first]]
    weights = prior + np.bincount([case.topics[i] for i in group if i != first], minlength=3)
    expected, seen = weights / weights.sum(), np.zeros(3)
    for number in range(4000 if not kernel_is_plain() else 300):
        chain, _ = case.run(phase, number)
        seen[chain.proposals[first]] += 1
    error = np.sqrt(expected * (1 - expected) / seen.sum())
    assert (np.abs(seen / seen.sum() - expected) < 4 * error).all()


def kernel_is_plain():
    return not hasattr(kernel.visit_documents, "py_func")


@pytest.mark.parametrize("n_topics", [1, 2, 7, 300])
def test_alpha_is_found_from_any_place_of_its_line(n_topics):
    rng = np.random.default_rng(n_topics)
    prior = draws_of(rng.gamma(0.1, 1.0, n_topics) + 1e-5)
    total, cells = prior.sums[-1], len(prior.starts)
    for x in [*(rng.random(500) * total), 0.0, total * (1 - 1e-15)]:
        found = kernel.first_above(x, prior.sums, prior.starts[min(int(x * cells / total), cells - 1)])
        assert found == min(np.searchsorted(prior.sums, x, side="right"), n_topics - 1)
        assert found == kernel.search_above(x, prior.sums)


def test_words_are_indexed_and_counted():
    case = Case(2, "number")
    counts = np.zeros((5, 4), np.int32)
    kernel.count_words(case.index, case.topics.astype(np.uint16), counts)
    expected = np.zeros((5, 4), int)
    np.add.at(expected, (case.words, case.topics), 1)
    assert counts.tolist() == expected.tolist()
    assert case.words[case.index.tokens].tolist() == sorted(case.words)
    assert case.index.tokens.tolist() == np.argsort(case.words, kind="stable").tolist()
