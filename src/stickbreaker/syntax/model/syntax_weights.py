"""Updates of q(pi), tau and the alphas of the syntactic topic model, from sums over documents.

In document d, n_di are expected words of topic i, and m_dj those whose head has topic j; T_ji counts words of
topic i whose head has topic j, in all documents; w_dj = m_dj / xi_dj (`tree_sums`), and r_di = 1 + sum_j w_dj
E[pi_ji] are the rates of q(theta). In w and xi, the means of a row of pi sum to one.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, psi

from stickbreaker.core.records import Array, Record
from stickbreaker.syntax.kernels.tree_sums import TreeReport
from stickbreaker.syntax.model.syntax_chain import Prior

LEAST = 1e-8  # of tau
LEAST_PULL = 1e-150  # its square does not underflow
CERTAIN = 1e12  # shape and rate of a Gamma concentrated at one
STEPS = 60
SUMS = {  # sums over documents, by name: axes
    "transitions": ("heads", "topics"),  # T
    "count_pulls": ("heads", "topics"),  # sum_d w_dj n_di / r_di
    "prior_pulls": ("heads", "topics"),  # sum_d w_dj / r_di
    "tables": ("topics",),  # sum_d y (psi(y + n_di) - psi(y)), y = alpha_D tau_i
    "excess": ("topics",),  # sum_d log r_di - 1 + 1 / r_di
}


POINTS = ("alpha_documents", "alpha_transitions", "sigma")


class Concentrations(NamedTuple):
    """The point estimates of a variational run: tau, alpha_D and alpha_T; and sigma, which stays fixed.

    tau (topics): overall topic weights; alphas: how close documents' shares (D) and transitions from heads'
    topics (T) are to tau; sigma: the Dirichlet parameter of topics' words.
    """

    tau: Array
    alpha_documents: float
    alpha_transitions: float
    sigma: float


class Transitions(NamedTuple):
    """q(pi_ji) = Gamma(shapes, rates) of each transition (topics + 1 × topics; the last row is for roots)."""

    shapes: Array
    rates: Array

    def relative(self) -> tuple[Array, Array]:
        """E[log pi] and E[pi], with each row scaled so that the means in it sum to one."""
        means = self.shapes / self.rates
        sums = means.sum(axis=1, keepdims=True)
        return psi(self.shapes) - np.log(self.rates * sums), means / sums


def concentrations_of(params: Record) -> Concentrations:
    """Read the point estimates from a run's params."""
    alphas = (float(params[name].values) for name in POINTS)
    return Concentrations(params["tau"].values, *alphas)


def refuse_params(params: Record) -> None:
    """Raise ValueError for a checkpoint's params with impossible values."""
    for name, field in params.items():
        least, most = (-1.0, 1e50) if name in SUMS else (5e-324, 1e15)
        if not ((field.values >= least) & (field.values <= most)).all():
            raise ValueError(f"{name} has impossible values")


def document_sums(report: TreeReport, shapes: Array, prior: Prior) -> dict[str, Array]:
    """Compute the sums over documents that updates of q(pi), tau and the alphas need, by name (`SUMS`).

    report: the results of inferring these documents; shapes (topics): alpha_D tau. In the limit "itic", sums
    that belong to documents' shares are 0.
    """
    pulls = report.pulls.T
    zeros, k = np.zeros(report.transitions.shape), len(shapes)
    if prior.limit == "itic":
        count_pulls = np.repeat(pulls.sum(axis=1, keepdims=True), k, axis=1)
        own = {"count_pulls": count_pulls, "prior_pulls": zeros, "tables": zeros[0], "excess": zeros[0]}
        return {"transitions": report.transitions, **own}
    n, r = report.counts, report.rates
    return {
        "transitions": report.transitions,
        "count_pulls": pulls @ (n / r),
        "prior_pulls": pulls @ (1.0 / r),
        "tables": expected_tables(shapes, n).sum(axis=0),
        "excess": (np.log(r) - 1.0 + 1.0 / r).sum(axis=0),
    }


def expected_tables(shapes: Array, counts: Array) -> Array:
    """y (psi(y + n) - psi(y)) for shapes y and counts n, as updates of tau and the alphas need it.

    It is the derivative of log Gamma(y + n) - log Gamma(y) by log y. As a function of log y, that difference
    lies above its tangent, so a step to y' gains at least the derivative times log(y' / y) (Minka 2000).
    """
    return shapes * (psi(shapes + counts) - psi(shapes))


def expected_transitions(params: Record, prior: Prior) -> Transitions:
    """The optimal q(pi), of transitions from heads' topics, given the sums over documents in `params`.

    In the limit "hdp", where topics do not depend on heads, all are Gammas concentrated at 1.
    """
    now = concentrations_of(params)
    if prior.limit == "hdp":
        ones = np.ones(params["transitions"].values.shape)
        return Transitions(CERTAIN * ones, CERTAIN * ones)
    return _transitions(now, {name: params[name].values for name in SUMS})[0]


def _transitions(now: Concentrations, sums: Mapping[str, Array]) -> tuple[Transitions, Array]:
    """The optimal q(pi) given sums over documents (`SUMS`), and the scale c of each row (topics + 1 × 1).

    c_j is the best common factor of xi_dj in all documents d; the sums are for c = 1, and have w_dj = m_dj /
    xi_dj, with m_dj expected nodes whose head has topic j. Rates are 1 + sum_d w_dj E[theta_di] / c_j. The
    bound is highest, jointly in q(pi) and c, when the means of a row sum to sum_i alpha_T tau_i. (Its slope
    in log c is sum_i shapes_i - sum_i means_i - sum_d m_dj.) The sum of means is concave and increasing in c,
    so Newton's steps from below never overshoot. For a row that no node has, c is arbitrary and rates are 1.
    """
    y = now.alpha_transitions * now.tau
    shapes = y + sums["transitions"]
    pulls = sums["count_pulls"] + now.alpha_documents * now.tau * sums["prior_pulls"]
    some = pulls.sum(axis=1, keepdims=True) > 0.0
    pulls = np.where(some, np.maximum(pulls, LEAST_PULL), 1.0)
    scale = y.sum() / (shapes / pulls).sum(axis=1, keepdims=True)
    for _ in range(STEPS):
        means = shapes * scale / (scale + pulls)
        short = y.sum() - means.sum(axis=1, keepdims=True)
        step = short / (shapes * pulls / (scale + pulls) ** 2).sum(axis=1, keepdims=True)
        scale = scale + np.where(some, np.maximum(step, 0.0), 0.0)
        if (step <= 1e-13 * scale)[some].all():
            break
    return Transitions(shapes, np.where(some, 1.0 + pulls / scale, 1.0)), scale


def updated(now: Concentrations, sums: Mapping[str, Array], prior: Prior) -> Concentrations:
    """New values of tau and the alphas, which never lower the bound; an alpha that `prior.limit` lacks stays.

    Each maximises a lower limit of the bound that is tight at its present value. When they change, q(theta)
    and q(pi) change with them: the shapes y + n (y = alpha tau_i) follow y, while the rates r stay. Then each
    Gamma contributes log Gamma(y + n) - log Gamma(y) - (y + n) (log r - 1 + E / r), E = 1 + its pulls. The
    first two terms are at least L log y, up to a constant, where L is `expected_tables`. The pulls of theta
    contain pi and those of pi theta, which makes the bound quadratic in tau and linear in each alpha. With
    the Gamma priors, each maximum has a closed form.
    """
    grammar, documents = prior.limit != "hdp", prior.limit != "itic"
    k, tau = prior.n_topics, now.tau
    q_pi, scale = _transitions(now, sums)
    of_documents = sums["tables"] if documents else np.zeros(k)
    of_transitions = np.zeros(k)
    if grammar:
        of_transitions = expected_tables(now.alpha_transitions * tau, sums["transitions"]).sum(axis=0)

    def cost_of_documents(alpha_t: float, tau: Array) -> Array:
        """(topics,) By how many nats the documents' part of the bound falls per unit of alpha_D tau_i."""
        pi = (alpha_t * tau + sums["transitions"]) / q_pi.rates / scale if grammar else 1.0 / k
        return sums["excess"] + (sums["prior_pulls"] * pi).sum(axis=0)

    def cost_of_transitions(alpha_d: float, tau: Array) -> Array:
        """(topics,) By how many nats the part of q(pi) in the bound falls per unit of alpha_T tau_i."""
        pulls = (sums["count_pulls"] + alpha_d * tau * sums["prior_pulls"]) / scale
        return (np.log(q_pi.rates) - 1.0 + (1.0 + pulls) / q_pi.rates).sum(axis=0)

    alpha_d, alpha_t = now.alpha_documents, now.alpha_transitions
    slope, bend = np.full(k, prior.a), np.zeros(k)
    if documents:
        slope = slope + alpha_d * cost_of_documents(alpha_t, tau)
    if grammar:
        slope = slope + alpha_t * cost_of_transitions(alpha_d, tau)
        bend = alpha_d * alpha_t * (sums["prior_pulls"] / q_pi.rates / scale).sum(axis=0)
    after = highest(prior.a / k + of_documents + of_transitions, slope, bend, tau)
    if documents:
        cost = after @ cost_of_documents(alpha_t, after)
        alpha_d = (prior.shape + of_documents.sum()) / (prior.rate + cost)
    if grammar:
        cost = after @ cost_of_transitions(alpha_d, after)
        alpha_t = (prior.shape + of_transitions.sum()) / (prior.rate + cost)
    return Concentrations(after, float(alpha_d), float(alpha_t), now.sigma)


def highest(weight: Array, slope: Array, bend: Array, at: Array) -> Array:
    """The maximiser x >= `LEAST` of weight log x - slope x - bend (x - at)^2; weight > 0, bend >= 0.

    >>> highest(np.array([6.0]), np.array([2.0]), np.array([0.0]), np.array([9.0])).tolist()
    [3.0]
    """
    linear = slope - 2.0 * bend * at
    root = np.sqrt(linear**2 + 8.0 * bend * weight)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(linear > 0.0, 2.0 * weight / (linear + root), (root - linear) / (4.0 * bend))
    return np.maximum(found, LEAST)


def gamma_terms(prior_shapes: Array, found: Transitions) -> float:
    """The transitions' part of the bound, in nats: the sum of -KL(q || p) over Gammas q (`found`).

    p = Gamma(prior_shapes, 1) are their priors.
    """
    shapes, rates = found
    nats = gammaln(shapes) - gammaln(prior_shapes) + (prior_shapes - shapes) * psi(shapes)
    return float((nats - prior_shapes * np.log(rates) + shapes - shapes / rates).sum())


def prior_terms(params: Record, prior: Prior) -> float:
    """The log prior density of log tau and the log alphas, in nats.

    Without the alpha that a limit of the model lacks: "itic" that of documents, "hdp" that of transitions.
    """
    now, shape = concentrations_of(params), prior.a / prior.n_topics
    nats = shape * np.log(prior.a * now.tau) - prior.a * now.tau - gammaln(shape)
    alphas = [
        *([now.alpha_documents] if prior.limit != "itic" else []),
        *([now.alpha_transitions] if prior.limit != "hdp" else []),
    ]
    logs = prior.shape * np.log(prior.rate * np.array(alphas)) - prior.rate * np.array(alphas)
    return float(nats.sum() + (logs - gammaln(prior.shape)).sum())
