"""The prior of documents with a fixed number of topics: a Dirichlet distribution of topic shares.

The code that learns alpha is imported on use, so that models load without scipy.special.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from stickbreaker.contracts.contract import Step
from stickbreaker.core.edits import Merge
from stickbreaker.core.records import Array, Field, Record
from stickbreaker.topics.model.priors.fixed_number import FixedNumberPrior

TOGETHER = 10.0  # in how many steps all topics have one alpha, by documents read
DRIFT = "alpha_drift"  # of the params: mean change of log sum alpha in the last steps, see `update`
NEW = 0.2  # weight of the last change in the drift
STILL = 5e-3  # drift below which alpha has settled


@dataclass(frozen=True, slots=True)
class DirichletPrior(FixedNumberPrior):
    """The prior of LDA: theta_d ~ Dirichlet(alpha), for a fixed number of topics.

    `alpha`: one number per topic. With `learned` these are initial values; with `symmetric` they stay equal
    to each other.
    """

    name: ClassVar[str] = "finite"

    alpha: tuple[float, ...]
    learned: bool = False
    symmetric: bool = False

    def start(self) -> dict[str, Field]:
        return {"alpha": Field(np.array(self.alpha), ("topics",), additive=False, fresh=self.alpha[0])}

    def update(self, params: Record, usage: Record, documents: float, step: Step) -> dict[str, Field]:
        """Move alpha by the step's rate towards its maximum given the documents' statistics; unchanged if it
        is not learned or there are no documents. Returns {"alpha": …}, and its drift once topics may differ.

        Mean-field documents report sums of E[log theta] (Zhai 2014, eq. 3.1); sampled ones the first and
        second derivatives of E[log p(z | alpha)] at the old alpha.

        All topics have one alpha until `TOGETHER` times the documents of a step were read: 10 passes of a
        batch run, or 10 minibatches. Topics that are still alike have shares by chance, and with an alpha of
        its own a small topic vanishes, which no later step undoes. The drift, by which `is_settled` decides,
        is the mean of the last changes of log sum alpha, in which old ones fade. It is 0 for mean-field
        documents, whose score itself shows whether alpha still raises it; that of sampled ones is too noisy,
        and level for many passes in which alpha still moves.
        """
        item = params["alpha"]
        if not self.learned or documents <= 0.0:
            return {"alpha": item}
        early = DRIFT not in params and np.ptp(item.values) == 0.0 and step.seen < TOGETHER * documents
        best = self._best(item.values, usage, documents, self.symmetric or bool(early))
        alpha = (1.0 - step.rate) * item.values + step.rate * best
        learned = {"alpha": item._replace(values=alpha)}
        if self.symmetric or not early:
            change = float(np.log(alpha.sum() / item.values.sum())) if "gains" in usage else 0.0
            before = float(params[DRIFT].values) if DRIFT in params else change
            learned[DRIFT] = Field(np.array(before + NEW * (change - before)), (), additive=False)
        return learned

    def is_settled(self, params: Record) -> bool:
        """Whether alpha may differ between topics and has nearly stopped changing, or is not learned."""
        settled = DRIFT in params and abs(float(params[DRIFT].values)) < STILL
        return settled or not self.learned or self.n_topics == 1

    def merged(self, params: Record, change: Merge, *, adds: bool = True) -> dict[str, Field]:
        """The params after two topics became one: alpha is the sum of theirs, since the sum of two shares of
        a Dirichlet distribution is a share with the sum of their parameters.
        """
        after = super(DirichletPrior, self).merged(params, change)
        if adds:
            alpha, into = params["alpha"].values, change.into - (change.source < change.into)
            values = after["alpha"].values.copy()
            values[into] = alpha[change.into] + alpha[change.source]
            after["alpha"] = after["alpha"]._replace(values=values)
        return after

    def _best(self, alpha: Array, usage: Record, documents: float, together: bool) -> Array:
        """The alpha (topics) towards which `update` moves, equal for all topics if `together`."""
        from stickbreaker.topics.model.priors.dirichlet_newton import fit_dirichlet, fit_symmetric_dirichlet
        from stickbreaker.topics.model.priors.polya import PolyaSums, polya_newton

        if "gains" in usage:
            sums = PolyaSums(
                usage["gains"].values,
                usage["bends"].values,
                float(usage["spread"].values),
                float(usage["spread_bend"].values),
            )
            return polya_newton(alpha, sums, together)
        mean = usage["log_theta"].values / documents
        if together:
            return np.full(len(alpha), fit_symmetric_dirichlet(float(alpha[0]), len(alpha), 1, mean.sum()))
        return fit_dirichlet(alpha, mean)
