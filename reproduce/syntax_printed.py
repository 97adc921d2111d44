"""The syntactic topic model by the inference that its paper prints, with the misprints corrected.

Letters and equations are those of Zhai, Boyd-Graber and Blei (Syntactic topic models, 2.2 and appendices A to
D). Everything is independent under q: Dirichlets gamma_d for theta_d and nu_j for pi_j (the last row of nu is
that of `start`), a multinomial phi_n and a slack omega_n for each word, a point for tau. Topics' words are
Dirichlets too, lambda_k, as footnote 9 has it, so that no word is impossible. Coordinate ascent: phi by
equation 3, omega by appendix C, lambda in closed form; gamma (equation 4), nu (equation 5) and tau (D.2) by
conjugate gradients of logarithms.

gamma and nu have one objective: a part of the bound in x = gamma_d or nu_j is, up to a constant,

    sum_i (c_i - x_i) (psi(x_i) - psi(x.)) + sum_i log Gamma(x_i) - log Gamma(x.) - sum_i b_i x_i / x.

with x. = sum_i x_i. Of gamma_d, c is alpha_D tau plus the document's expected words of each topic, and b_i =
sum_j s_dj E[pi_ji], s_dj the sum of phi_p(n),j / omega_n over the document's words n; of nu_j, c is alpha_T
tau plus the expected words below topic j, and b_i = sum_d s_dj E[theta_di].
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from reproduce.syntax_printed_kernels import (
    Counts,
    Expected,
    count_words,
    new_counts,
    share_part,
    update_words,
)
from scipy.optimize import minimize
from scipy.special import gammaln, psi

from stickbreaker.core.random_streams import stream
from stickbreaker.core.records import Array
from stickbreaker.syntax.kernels.tree_topics import Nodes

SPREAD = 10.0  # of each word's shares of topics in a random start; from .1 and .5 bounds end far lower
STEPS = 20  # of conjugate gradients, at most, in an update
FARTHEST = 40.0  # a logarithm that no step may reach


class Settings(NamedTuple):
    """The truncation, and the hyperparameters, of which the paper says alpha = .1 alone.

    Of seven pairs of the other alphas from 1 to 300 these have the best bound on the first split of the
    treebank sample.
    """

    topics: int
    alpha: float = 0.1
    alpha_documents: float = 100.0
    alpha_transitions: float = 30.0
    sigma: float = 0.1
    rounds: int = 3  # of phi, omega and gamma of each document in a sweep


def climb(start: Array, c: Array, b: Array) -> Array:
    """The x at which conjugate gradients of log x end, from `start`; never lower than there."""
    slope = np.empty(len(start))

    def lost(logs: Array) -> tuple[float, Array]:
        if np.abs(logs).max() > 300.0 or logs.max() > FARTHEST:
            return np.inf, np.zeros(len(logs))
        return share_part(logs, c, b, slope), slope.copy()

    logs = np.log(start)
    found = minimize(lost, logs, jac=True, method="CG", options={"maxiter": STEPS, "gtol": 1e-4})
    return np.exp(found.x) if found.fun <= lost(logs)[0] else start


def weights_part(
    logs: Array, settings: Settings, documents: int, log_theta: Array, log_pi: Array
) -> tuple[float, Array]:
    """Minus the part of the bound in tau, and its slope in logarithms of which tau is the normalised
    exponential: D.2 with K + 1 rows of pi, tau_K being what the others leave.

    log_theta and log_pi: sums over documents, and over rows, of E[log theta] and E[log pi].
    """
    tau = np.exp(logs - logs.max())
    tau /= tau.sum()
    k = len(tau)
    kinds = (
        (settings.alpha_documents, documents, log_theta),
        (settings.alpha_transitions, k + 1, log_pi),
    )
    left = np.cumsum(tau[::-1])[::-1]  # T
    value = (settings.alpha - 1.0) * np.log(left[-1]) - np.log(left[:-1]).sum()
    value += (k - 1) * np.log(settings.alpha)
    after = np.cumsum(1.0 / left[-2::-1])[::-1] - 1.0 / left[:-1]
    slope = np.append(after - (settings.alpha - 1.0) / left[-1], 0.0)
    for alpha, rows, sums in kinds:
        value += rows * (gammaln(alpha) - gammaln(alpha * tau).sum()) + alpha * (tau * sums).sum()
        each = alpha * (sums - rows * psi(alpha * tau))
        slope += each - each[-1]
    return -value, -tau * (slope - (tau * slope).sum())


def expected_log(shapes: Array) -> Array:
    """E log of Dirichlets, by row."""
    return psi(shapes) - psi(shapes.sum(axis=-1, keepdims=True))


def means(shapes: Array) -> Array:
    """Of Dirichlets, by row."""
    return shapes / shapes.sum(axis=-1, keepdims=True)


def dirichlet_part(shapes: Array, prior: Array) -> float:
    """Minus the Kullback-Leibler divergences of rows of Dirichlets from a prior, without the logarithm of its
    normaliser."""
    entropies = (gammaln(shapes).sum(axis=-1) - gammaln(shapes.sum(axis=-1))).sum()
    return float(entropies + ((prior - shapes) * expected_log(shapes)).sum())


class PrintedInference:
    """q of a corpus, from a random start; `words` are how many the vocabulary has."""

    def __init__(self, nodes: Nodes, words: int, settings: Settings, seed: int):
        k, n = settings.topics, len(nodes.words)
        documents = len(nodes.offsets) - 1
        self.nodes, self.settings = nodes, settings
        known = np.bincount(nodes.words[nodes.words >= 0], minlength=words)
        shares = stream(seed, "start of the printed inference").dirichlet(np.full(k, SPREAD), words)
        self.lambda_ = settings.sigma + (known[:, None] * shares).T
        self.tau = np.full(k, 1.0 / k)
        self.gamma = settings.alpha_documents * self.tau + np.diff(nodes.offsets)[:, None] / k
        self.nu = np.tile(settings.alpha_transitions * self.tau + n / k**2, (k + 1, 1))
        self.phi, self.omega = np.full((n, k), 1.0 / k), np.full(n, 1.0 / k)
        self.counts = new_counts(documents, k, words)

    @property
    def expected(self) -> Expected:
        """What documents are inferred from."""
        log_beta = np.ascontiguousarray(expected_log(self.lambda_).T)
        return Expected(expected_log(self.nu), means(self.nu), log_beta)

    def sweep(self) -> None:
        """All coordinates once; the bound falls in none of the steps."""
        self.infer_documents()
        self.climb_transitions()
        self.climb_weights()
        self.learn_words()

    def infer_documents(self) -> None:
        """phi, omega and gamma of each document, and the sums over them."""
        prior = self.settings.alpha_documents * self.tau
        infer_documents(
            self.nodes, self.expected, prior, self.settings.rounds,
            self.gamma, self.phi, self.omega, self.counts,
        )  # fmt: skip

    def climb_transitions(self) -> None:
        """nu, row by row."""
        alpha = self.settings.alpha_transitions
        pulls = self.counts.slack.T @ means(self.gamma)
        for j in range(len(self.nu)):
            self.nu[j] = climb(self.nu[j], alpha * self.tau + self.counts.transitions[j], pulls[j])

    def climb_weights(self) -> None:
        """tau."""
        sums = expected_log(self.gamma).sum(axis=0), expected_log(self.nu).sum(axis=0)
        rest = self.settings, len(self.gamma), *sums
        start = np.log(self.tau)
        found = minimize(
            lambda logs: weights_part(logs, *rest), start, jac=True, method="CG", options={"maxiter": STEPS}
        )
        if found.fun <= weights_part(start, *rest)[0]:
            tau = np.exp(found.x - found.x.max())
            self.tau = tau / tau.sum()

    def learn_words(self) -> None:
        """lambda."""
        self.lambda_ = self.settings.sigma + self.counts.words.T

    def bound(self) -> float:
        """The bound in nats: equation D.1, and of lambda what footnote 9 leaves out."""
        log_theta, log_pi, log_beta = (
            expected_log(self.gamma),
            expected_log(self.nu),
            expected_log(self.lambda_),
        )
        counts, settings = self.counts, self.settings
        sums = log_theta.sum(axis=0), log_pi.sum(axis=0)
        words = len(log_beta.T)
        nats = -weights_part(np.log(self.tau), settings, len(self.gamma), *sums)[0]
        nats += dirichlet_part(self.gamma, np.zeros(1)) + dirichlet_part(self.nu, np.zeros(1))
        nats += dirichlet_part(self.lambda_, np.full(1, settings.sigma))
        nats += len(log_beta) * (gammaln(words * settings.sigma) - words * gammaln(settings.sigma))
        nats += (counts.topics * log_theta).sum() + (counts.transitions * log_pi).sum()
        nats += (counts.words.T * log_beta).sum() + counts.rest[0]
        return float(nats - (counts.slack * (means(self.gamma) @ means(self.nu).T)).sum())


def infer_documents(
    nodes: Nodes, expected: Expected, prior: Array, rounds: int,
    gamma: Array, phi: Array, omega: Array, counts: Counts,
) -> None:  # fmt: skip
    """phi, omega and gamma of each document in turn, `rounds` times; then the sums over documents."""
    counts.transitions[:], counts.words[:], counts.rest[:] = 0.0, 0.0, 0.0
    below = np.empty((max(1, int(np.diff(nodes.offsets).max(initial=0))), gamma.shape[1]))
    for d, (first, last) in enumerate(
        zip(nodes.offsets[:-1].tolist(), nodes.offsets[1:].tolist(), strict=True)
    ):
        of = slice(first, last)
        words, heads = nodes.words[of], nodes.heads[of]
        for _ in range(rounds):
            x = expected.mean_pi @ means(gamma[d])
            log_theta = expected_log(gamma[d])
            update_words(words, heads, log_theta, x, expected, below[: last - first], phi[of], omega[of])
            n, s = phi[of].sum(axis=0), slack(heads, phi[of], omega[of])
            gamma[d] = climb(gamma[d], prior + n, s @ expected.mean_pi)
        count_words(words, heads, d, phi[of], omega[of], counts)


def slack(heads: NDArray[np.int32], phi: Array, omega: Array) -> Array:
    """(topics + 1,) s of a document."""
    roots = heads < 0
    return np.append((phi[heads[~roots]] / omega[~roots, None]).sum(axis=0), (1.0 / omega[roots]).sum())
