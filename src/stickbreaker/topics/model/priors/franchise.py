"""The prior of documents in the Chinese restaurant franchise: shared sticks, and sticks of each document.

scipy is imported on use, so that models load without it.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.contracts.contract import Step
from stickbreaker.core.records import Array, Field, Record
from stickbreaker.topics.model.priors.hdp import LEAST, WeighedTopics

TABLES = 10.0  # served by each topic at the start, so that initial weights are nearly uniform
ROUNDS = 100  # of learning gamma, at most
RANGE = (1e-3, 1e4)  # of a learned concentration


class Sticks(NamedTuple):
    """The distributions of the topics' sticks, q(V_k) = Beta(u_k, v_k), largest topic first: `order[i]` is
    the topic of stick i.
    """

    order: NDArray[np.int64]
    u: Array
    v: Array


@dataclass(frozen=True, slots=True)
class FranchisePrior(WeighedTopics):
    """The prior of documents whose tokens sit at tables, each with one topic (Chinese restaurant franchise).

    V_k ~ Beta(1, gamma) are the sticks of topics, pi'_dt ~ Beta(1, alpha) those of a document's tables (Wang,
    Paisley & Blei 2011, section 3). q(V) is stored as the expected number of tables with each topic: u = 1 +
    tables, v = gamma + tables of later sticks. Sticks are sorted by tables, which is the best order. All
    sticks are random, and the mass behind the last one is the rest, which no table has, so that more topics
    never lower the best bound. `alpha` and `gamma` are initial values if learned, else fixed.
    """

    name: ClassVar[str] = "franchise"
    direct: ClassVar[bool] = False

    def start(self) -> dict[str, Field]:
        return {
            "tables": Field(np.full(self.n_topics, TABLES), ("topics",)),
            "alpha": Field(np.array(float(self.alpha))),
            "gamma": Field(np.array(float(self.gamma))),
        }

    def count(self, params: Record) -> int:
        """The current number of topics."""
        return len(params["tables"].values)

    def sticks(self, params: Record) -> Sticks:
        """The optimal q(V) of the topics' sticks, given the expected number of tables with each topic."""
        tables = np.maximum(params["tables"].values, 0.0)
        order = np.argsort(-tables, kind="stable")
        return Sticks(order, 1.0 + tables[order], float(params["gamma"].values) + _later(tables[order]))

    def weights(self, params: Record) -> Array:
        """The expected share of each topic over all documents, E[sigma(V)] (topics); they sum to one minus
        the rest.
        """
        sticks = self.sticks(params)
        share = sticks.u / (sticks.u + sticks.v)
        weights = np.empty(len(share))
        weights[sticks.order] = share * np.append(1.0, np.cumprod(1.0 - share[:-1]))
        return weights

    def log_weights(self, params: Record) -> Array:
        """E[log sigma(V)], the expected log of each topic's share (topics)."""
        from scipy.special import psi

        order, u, v = self.sticks(params)
        logs = np.empty(len(u))
        logs[order] = psi(u) - psi(u + v) + np.append(0.0, np.cumsum(psi(v) - psi(u + v))[:-1])
        return logs

    def prior(self, params: Record) -> Array:
        """The pseudo-counts of topics in a document, alpha × the topic's expected share (topics), at least
        `LEAST`.
        """
        return np.maximum(params["alpha"].values * self.weights(params), LEAST)

    def rest(self, params: Record) -> float:
        """alpha times the expected share of all topics beyond the last stick, at least `LEAST`."""
        return max(float(params["alpha"].values * (1.0 - self.weights(params).sum())), LEAST)

    def score(self, params: Record) -> float:
        """The bound's terms for the topics' sticks V, in nats: -KL(q(V) || p(V | gamma)).

        If gamma is learned, plus log p(gamma) with gamma ~ Gamma(1, 1).
        """
        from scipy.special import betaln, psi

        _, u, v = self.sticks(params)
        gamma = float(params["gamma"].values)
        nats = betaln(u, v) + np.log(gamma)
        nats -= (u - 1.0) * (psi(u) - psi(u + v)) + (v - gamma) * (psi(v) - psi(u + v))
        return float(nats.sum() - gamma if self.gamma_learned else nats.sum())

    def update(self, params: Record, usage: Record, documents: float, step: Step) -> dict[str, Field]:
        """Move tables, alpha and gamma by the step's rate towards their maximum given the documents'
        statistics.

        `usage`: "served" (topics), the expected number of tables with each topic; "sticks", the number of
        open tables, and "log_rests", the sum of their E[log(1 - pi')]; so alpha = -sticks / log_rests. Tables
        are multiplied by the step's scale. Nothing changes if there are no documents.
        """
        if documents <= 0.0:
            return dict(params)
        moved = dict(params)

        def move(name: str, value: Array | float) -> None:
            blended = (1.0 - step.rate) * params[name].values + step.rate * np.asarray(value)
            moved[name] = params[name]._replace(values=np.asarray(blended))

        move("tables", step.scale * usage["served"].values)
        sticks = float(usage["sticks"].values)
        if self.alpha_learned and sticks > 0.0:
            move("alpha", np.clip(-sticks / float(usage["log_rests"].values), *RANGE))
        if self.gamma_learned:
            move("gamma", _fit_gamma(moved["tables"].values, float(params["gamma"].values)))
        return moved


def _later(tables: Array) -> Array:
    """For each entry, the sum of all entries after it."""
    return np.append(np.cumsum(tables[::-1])[::-1][1:], 0.0)


def _fit_gamma(tables: Array, gamma: float) -> float:
    """The mode of gamma given the number of tables with each topic, with the sticks V integrated out.

    It is found by repeating gamma = K / (1 - sum of E[log(1 - V_k)]), with q(V) at the previous gamma, up to
    `ROUNDS` times. No round lowers the bound. gamma: where to start.
    """
    from scipy.special import psi

    tables = np.sort(np.maximum(tables, 0.0))[::-1]
    later = _later(tables)
    for _ in range(ROUNDS):
        before = gamma
        log_rest = float((psi(gamma + later) - psi(1.0 + tables + gamma + later)).sum())
        gamma = float(np.clip(len(tables) / (1.0 - log_rest), *RANGE))
        if abs(gamma - before) < 1e-6 * before:
            break
    return gamma
