"""The prior of documents in the hierarchical Dirichlet process, whose topics have weights of their own.

The code that learns the weights is imported on use, so that models load without scipy.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from stickbreaker.contracts.contract import Step
from stickbreaker.core.records import Array, Field, Record
from stickbreaker.topics.model.slots import TopicPrior

TOKENS, SHARE = 1.0, 1e-4  # least expected tokens, and share of all tokens, of a topic in use
LEAST = 1e-8  # lower limit of alpha × weight of a topic, to avoid underflow in single precision


@dataclass(frozen=True, slots=True)
class WeighedTopics(TopicPrior):
    """Base of priors in which each topic has a weight over all documents, around which documents' shares
    vary.

    `gamma`: concentration of the weights; `alpha`: concentration of documents' shares. Both are initial
    values if `alpha_learned` and `gamma_learned`, else fixed. `n_topics`: the initial number.
    """

    grows: ClassVar[bool] = True

    n_topics: int
    alpha: float = 1.0
    gamma: float = 1.0
    alpha_learned: bool = True
    gamma_learned: bool = True

    def in_use(self, totals: Array) -> NDArray[np.int64]:
        """The numbers of the topics that users see, given the tokens of each.

        They have at least one token and a share of 1e-4 of all tokens; the largest topic is always one of
        them.
        """
        used = (totals >= TOKENS) & (totals >= SHARE * totals.sum())
        used[int(np.argmax(totals))] = True
        return np.flatnonzero(used)

    def figures(self, totals: Array) -> dict[str, int]:
        """The numbers of topics in the table and in use, which are added to the trace."""
        return {"topics": len(totals), "used": len(self.in_use(totals))}


@dataclass(frozen=True, slots=True)
class HDPPrior(WeighedTopics):
    """The HDP's prior of documents: topics' weights beta ~ GEM(gamma), and topic shares theta_d ~ DP(alpha
    beta).

    Each token has a topic directly, without tables (direct assignment; Bryant & Sudderth 2012). q(beta) is a
    point estimate of K + 1 masses: the topics' weights and the rest, that of all topics without tokens.
    Tokens have one of the first K topics, so more topics never lower the best bound. Runs start with
    `n_topics`; `alpha` and `gamma` are initial values if learned, else fixed.
    """

    name: ClassVar[str] = "growing"
    direct: ClassVar[bool] = True

    def start(self) -> dict[str, Field]:
        whole = self.n_topics + self.gamma
        return {
            "weights": Field(np.full(self.n_topics, 1.0 / whole), ("topics",)),
            "rest": Field(np.array(self.gamma / whole)),
            "alpha": Field(np.array(float(self.alpha))),
            "gamma": Field(np.array(float(self.gamma))),
        }

    def count(self, params: Record) -> int:
        """The current number of topics."""
        return len(params["weights"].values)

    def weights(self, params: Record) -> Array:
        """The weight of each topic, beta (topics); they sum to one minus the rest."""
        return params["weights"].values

    def prior(self, params: Record) -> Array:
        """The pseudo-counts of topics in a document, alpha × the topic's weight (topics), at least
        `LEAST`.
        """
        return np.maximum(params["alpha"].values * params["weights"].values, LEAST)

    def rest(self, params: Record) -> float:
        """alpha times the total weight of all topics without tokens, at least `LEAST`."""
        return max(float(params["alpha"].values * params["rest"].values), LEAST)

    def score(self, params: Record) -> float:
        """The bound's term for the weights of topics, in nats: log p(sticks | gamma) without the factor gamma
        of each stick.

        The factor would make it a density, which is not comparable between numbers of topics.
        """
        return float((params["gamma"].values - 1.0) * np.log(params["rest"].values))

    def log_prior(self, params: Record) -> float:
        """The full log p(sticks | gamma) in nats, plus log p(gamma) with gamma ~ Gamma(1, 1) if gamma is
        learned.
        """
        gamma = float(params["gamma"].values)
        nats = self.count(params) * np.log(gamma) + self.score(params)
        return float(nats - gamma if self.gamma_learned else nats)

    def update(self, params: Record, usage: Record, documents: float, step: Step) -> dict[str, Field]:
        """Move topics' weights, alpha and gamma by the step's rate towards their maximum given the documents'
        statistics.

        Mean-field documents report sums of E[log theta]; with these, the bound of Bryant & Sudderth's eq. 2
        is maximised by L-BFGS. Sampled documents report sums of psi(n + alpha beta) - psi(alpha beta), from
        which the expected numbers of tables are computed.
        """
        if documents <= 0.0:
            return dict(params)
        found = (
            self._by_tables(params, usage, step.scale)
            if "gains" in usage
            else self._by_bound(params, usage, documents, step.scale)
        )
        moved = dict(params)
        for name, value in found.items():
            item = params[name]
            moved[name] = item._replace(
                values=(1.0 - step.rate) * item.values + step.rate * np.asarray(value)
            )
        return moved

    def _by_bound(self, params: Record, usage: Record, documents: float, scale: float) -> dict[str, Array]:
        from stickbreaker.topics.model.priors.hdp_weights import fit_weights

        mean_log = np.append(usage["log_theta"].values, usage["log_rest"].values) / documents
        masses = np.append(params["weights"].values, params["rest"].values)
        gamma = float(params["gamma"].values)
        pull = (gamma - 1.0) / (documents * scale)
        learned = (
            self.alpha_learned and len(masses) > 2
        )  # with one topic all documents are the same, whatever alpha
        fitted = fit_weights(masses, float(params["alpha"].values), mean_log, pull, learned)
        return self._collect_parameters(fitted.masses, fitted.alpha, len(masses) - 1)

    def _by_tables(self, params: Record, usage: Record, scale: float) -> dict[str, Array]:
        tables = scale * self.prior(params) * usage["gains"].values
        gamma = float(params["gamma"].values)
        masses = np.append(np.maximum(tables, 1e-9), gamma)
        spread = scale * float(usage["spread"].values)
        alpha = (
            float(tables.sum()) / max(spread, 1e-12) if self.alpha_learned else float(params["alpha"].values)
        )
        return self._collect_parameters(masses / masses.sum(), alpha, int((tables > 0.5).sum()))

    def _collect_parameters(self, masses: Array, alpha: float, n_topics: int) -> dict[str, Array]:
        """The new values of the params that are learned, by name: topics' weights, the rest for unused
        topics, and alpha and gamma (clipped) if they are learned.

        masses (topics + 1): the weights, and last the rest. gamma is the mode of its posterior given the
        sticks of `n_topics` topics.
        """
        parameters = {"weights": masses[:-1], "rest": np.array(masses[-1])}
        if self.alpha_learned:
            parameters["alpha"] = np.array(np.clip(alpha, 1e-3, 1e4))
        if self.gamma_learned:
            parameters["gamma"] = np.array(np.clip(n_topics / (1.0 - np.log(masses[-1])), 1e-2, 1e4))
        return parameters
