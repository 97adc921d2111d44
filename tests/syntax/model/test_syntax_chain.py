"""The chain of the syntactic topic model: laws of samplers, Geweke's test, its two limits."""

import numpy as np
import pytest
from scipy.special import gammaln
from tests.oracle import syntax as oracle
from tests.tiers import EXHAUSTIVE

from stickbreaker.corpus.sequences import Trees
from stickbreaker.learning.chains import Chains
from stickbreaker.syntax.kernels.tree_topics import Nodes
from stickbreaker.syntax.model.ordered_trees import OrderedTrees, ordered_trees
from stickbreaker.syntax.model.syntax_chain import (
    Prior,
    SyntaxChain,
    SyntaxState,
    log_gammas,
    sliced,
    weights_of,
)
from stickbreaker.testing import ExactSamplerTests, chain_deviations

N_WORDS = 4
HEADS = [[-1, 0, 1, 0, -1], [], [-1, 0, 0, 1], [-1], [-1, 0, 1, 2, 2, 0, -1, 6]]


def trees_of(words, heads):
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in heads])]).astype(np.int64)
    nodes = Nodes(offsets, np.array(words, np.int32), np.array([h for one in heads for h in one], np.int32))
    n = len(nodes.words)
    documents = np.repeat(np.arange(len(heads)), np.diff(offsets))
    return OrderedTrees(nodes, np.arange(n), documents, np.arange(n, dtype=np.int32) % 2, 2)


def drawn_words(topics, beta, generator):
    return np.array([generator.choice(len(beta), p=beta[:, k]) for k in topics], np.int32)


class SyntaxChainTests(ExactSamplerTests):
    """Everything learned, of five small documents."""

    limit = "none"
    sweeps = 10_000 if EXHAUSTIVE else 6_000  # concentrations are remembered for some hundreds

    @property
    def prior(self):
        return Prior(3, sigma=0.5, a=6.0, limit=self.limit, shape=4.0, rate=2.0)  # mild: extremes mix slowly

    def sampler(self, seed):
        generator = np.random.default_rng(1)
        heads = HEADS * 8
        words = generator.integers(-1, N_WORDS, sum(map(len, heads)))
        return SyntaxChain(trees_of(words, heads), N_WORDS, self.prior, seed)

    def another(self):
        heads = HEADS * 7
        return SyntaxChain(trees_of(np.zeros(sum(map(len, heads))), heads), N_WORDS, self.prior, 1)

    def log_joint(self, sampler):
        state = SyntaxState(*(sampler.snapshot()[name] for name in SyntaxState._fields))
        nodes, nats = sampler._trees.nodes, 0.0
        theta, pi = np.exp(state.log_theta), np.exp(state.log_pi)
        for d in range(len(nodes.offsets) - 1):
            own = slice(nodes.offsets[d], nodes.offsets[d + 1])
            nats += oracle.log_p(nodes.words[own], nodes.heads[own], theta[d], pi, state.beta)
        return nats

    def draw(self, generator):
        k, a = self.prior.n_topics, self.prior.a
        tau = np.maximum(generator.gamma(a / k, 1 / a, k), 1e-100)
        alphas = generator.gamma(self.prior.shape, 1.0 / self.prior.rate, 2)
        log_theta, log_pi = np.zeros((len(HEADS), k)), np.zeros((k + 1, k))
        if self.limit != "itic":
            log_theta = log_gammas(np.broadcast_to(alphas[0] * tau, log_theta.shape), generator)
        if self.limit != "hdp":
            log_pi = log_gammas(np.broadcast_to(alphas[1] * tau, log_pi.shape), generator)
        sigma = generator.gamma(self.prior.shape, self.prior.sigma / self.prior.shape)
        beta = np.exp(log_gammas(np.full((N_WORDS, k), sigma), generator))
        beta = np.maximum(beta / beta.sum(axis=0), 1e-100)
        state = SyntaxState(
            np.zeros(0, np.int32),
            log_theta,
            log_pi,
            beta,
            tau,
            *(np.array(alpha) for alpha in (*alphas, sigma)),
        )
        weights, topics = weights_of(state), []
        for d, heads in enumerate(HEADS):
            first = len(topics)
            for head in heads:
                logs = weights.log_theta[d] + weights.log_pi[k if head < 0 else topics[first + head]]
                chances = np.exp(logs - logs.max())
                topics.append(int(generator.choice(k, p=chances / chances.sum())))
        state = state._replace(topics=np.array(topics, np.int32))
        words = drawn_words(topics, beta, generator)
        sampler = SyntaxChain(trees_of(words, HEADS), N_WORDS, self.prior, int(generator.integers(2**60)))
        sampler.state = state
        return words, sampler

    def redraw(self, data, sampler, generator):
        state = sampler.state
        words = drawn_words(state.topics, state.beta, generator)
        again = SyntaxChain(trees_of(words, HEADS), N_WORDS, self.prior, sampler._seed)
        again.state = state
        return words, again

    def functions(self, data, sampler):
        state, counts = sampler.state, sampler.counts()
        theta = np.exp(state.log_theta - state.log_theta.max(axis=1, keepdims=True))
        pi = np.exp(state.log_pi - state.log_pi.max(axis=1, keepdims=True))
        theta, pi = theta / theta.sum(axis=1, keepdims=True), pi / pi.sum(axis=1, keepdims=True)
        sizes = counts.documents.sum(axis=0)
        alphas = [  # of a limit one has no meaning, and stays as it is
            *([state.alpha_documents] if self.limit != "itic" else []),
            *([state.alpha_transitions] if self.limit != "hdp" else []),
        ]
        return [
            *map(float, alphas), *np.sqrt(alphas), float(state.sigma), np.log(state.sigma),
            state.tau.sum(), (state.tau**2).sum(), np.exp(state.tau * -2).sum(),
            (sizes**2).sum(), (counts.words**2).sum(), (counts.documents**2).sum(),
            (counts.transitions**2).sum(), (theta**2).sum(), (pi**2).sum(), (state.beta**2).sum(),
            np.trace(counts.transitions), data[0] == data[1], data[5] == data[6],
        ]  # fmt: skip


@pytest.mark.long("draws of trees and of all concentrations in Python")
class TestSyntaxChain(SyntaxChainTests):
    pass


@pytest.mark.slow
class TestWithoutGrammar(SyntaxChainTests):
    limit = "hdp"


@pytest.mark.slow
class TestWithoutDocuments(SyntaxChainTests):
    limit = "itic"


def test_tau_is_drawn_from_its_density():
    """A long chain over one tau, against the density on a grid of its logarithm."""
    shape, rate, rows, alpha = 0.4, 3.0, 5, 2.0
    logs = np.linspace(-40, 6, 40_000)
    density = shape * logs - rate * np.exp(logs) - rows * gammaln(alpha * np.exp(logs))
    density = np.exp(density - density.max())
    functions = [logs, logs**2, np.exp(logs)]
    expected = [np.average(f, weights=density) for f in functions]
    generator, tau, seen = np.random.default_rng(0), np.array([0.5]), []
    for _ in range(8_000):
        tau = sliced(tau, np.array([shape]), np.array([rate]), rows, alpha, generator)
        at = float(np.log(tau[0]))
        seen.append([at, at**2, tau[0]])
    assert chain_deviations(np.array(seen), np.array(expected)).max() < 4.0


def test_tau_is_drawn_given_all_rows_of_pi():
    """One topic: its row and that of roots; tau given alpha_T and pi, against the density on a grid."""
    prior = Prior(1, a=1.0, limit="itic")
    sampler = SyntaxChain(trees_of([0, 0], [[-1, 0]]), N_WORDS, prior, 0)
    log_pi, alpha = np.ones((2, 1)), 2.0
    logs = np.linspace(-20, 5, 20_000)
    tau = np.exp(logs)
    density = prior.a * logs - prior.a * tau + alpha * tau * log_pi.sum() - 2 * gammaln(alpha * tau)
    weights = np.exp(density - density.max())
    expected = [np.average(f, weights=weights) for f in (logs, tau)]
    generator, seen = np.random.default_rng(0), []
    for _ in range(400):
        sampler.state = sampler.state._replace(log_pi=log_pi, alpha_transitions=np.array(alpha))
        sampler._draw_weights(generator)
        drawn = float(sampler.state.tau[0])
        seen.append([np.log(drawn), drawn])
    assert chain_deviations(np.array(seen), np.array(expected)).max() < 4.0


def test_pi_is_drawn_given_the_shares_of_documents_that_were_just_drawn():
    """All words have topic 1, of which the last shares had almost none: the new one makes its rate large."""
    heads = [-1, *range(400)]
    sampler = SyntaxChain(trees_of([0] * 401, [heads]), N_WORDS, Prior(2), 0)
    sampler.state = sampler.state._replace(
        topics=np.ones(401, np.int32), log_theta=np.array([[0.0, -20.0]]), log_pi=np.zeros((3, 2))
    )
    sampler._draw_weights(np.random.default_rng(0))
    assert abs(sampler.state.log_theta[0, 1]) < 1.0
    assert abs(sampler.state.log_pi[1, 1]) < 1.0, "Gamma(400) / (1 + 400 theta)"


def test_heads_come_first_whatever_the_order_of_the_text():
    starts, heads = np.array([0, 4]), np.array([2, 0, 3, -1, -1, 0, 3, 1], np.int32)
    words = np.arange(8, dtype=np.int32)
    trees = Trees(np.array([0, 4, 4, 8]), words, starts, heads, np.zeros(8, np.int32), ("x",))
    found = ordered_trees(trees)
    nodes = found.nodes
    for d in range(found.n_documents):
        own = nodes.heads[nodes.offsets[d] : nodes.offsets[d + 1]]
        assert all(head < place for place, head in enumerate(own.tolist()))
    for node, (word, head) in enumerate(zip(nodes.words.tolist(), nodes.heads.tolist(), strict=True)):
        first = 4 * (word >= 4)
        above = heads[word]
        assert (head < 0) == (above < 0)
        if head >= 0:
            assert nodes.words[nodes.offsets[found.documents[node]] + head] == first + above


def test_sigma_is_drawn_from_its_density():
    """A long chain over sigma given how often topics have words, against the density on a grid."""
    counts = np.array([[5, 0, 1], [0, 0, 2], [9, 0, 0], [1, 0, 0]])
    prior = Prior(3, sigma=0.4, shape=2.0)
    sampler = SyntaxChain(trees_of([0], [[-1]]), N_WORDS, prior, 0)
    grid = np.exp(np.linspace(-9, 4, 4_000))
    log_p = prior.shape * np.log(grid) - grid * prior.shape / prior.sigma  # of log sigma
    for column in counts.T:
        log_p += gammaln(N_WORDS * grid) - gammaln(N_WORDS * grid + column.sum())
        log_p += (gammaln(grid[:, None] + column) - gammaln(grid[:, None])).sum(axis=1)
    weights = np.exp(log_p - log_p.max())
    functions = np.column_stack([grid, np.log(grid), grid**2])
    expected = np.average(functions, axis=0, weights=weights)
    generator, seen = np.random.default_rng(0), []
    for _ in range(8_000):
        sigma = sampler._draw_sigma(counts, generator)
        sampler.state = sampler.state._replace(sigma=np.array(sigma))
        seen.append([sigma, np.log(sigma), sigma**2])
    assert chain_deviations(np.array(seen), expected).max() < 4.0


def test_chains_pool_their_samples_the_best_first():
    chains = Chains([TestSyntaxChain().sampler(seed) for seed in (1, 2, 3)], 2, 2, 1)
    for number in range(6):
        chains.sweep(number, last=number == 5)
    best, params = chains.best(), chains.fitted().params
    assert params["tau"].values.shape == (6, 3)
    own = chains.samplers[best].fitted().params
    for name, field in params.items():
        assert np.array_equal(field.values[:2], own[name].values)
    taus = {row.tobytes() for sampler in chains.samplers for row in sampler.fitted().params["tau"].values}
    assert {row.tobytes() for row in params["tau"].values} == taus
