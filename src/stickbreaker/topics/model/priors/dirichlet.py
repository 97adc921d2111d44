"""The prior of documents with a fixed number of topics: a Dirichlet distribution of topic shares.

The code that learns alpha is imported on use, so that models load without scipy.special.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array, Field, Record
from stickbreaker.topics.model.slots import TopicPrior


@dataclass(frozen=True, slots=True)
class DirichletPrior(TopicPrior):
    """The prior of LDA: theta_d ~ Dirichlet(alpha), for a fixed number of topics.

    `alpha`: one number per topic. With `learned` these are initial values; with `symmetric` they stay equal
    to each other.
    """

    name: ClassVar[str] = "finite"
    grows: ClassVar[bool] = False
    direct: ClassVar[bool] = True

    alpha: tuple[float, ...]
    learned: bool = False
    symmetric: bool = False

    @property
    def n_topics(self) -> int:  # type: ignore[override]
        return len(self.alpha)

    def start(self) -> dict[str, Field]:
        return {"alpha": Field(np.array(self.alpha), ("topics",), additive=False, fresh=self.alpha[0])}

    def count(self, params: Record) -> int:
        """The number of topics, which is fixed."""
        return self.n_topics

    def in_use(self, totals: Array) -> NDArray[np.int64]:
        """The numbers of the topics that users see: all, since their number is fixed."""
        return np.arange(self.n_topics)

    def figures(self, totals: Array) -> dict[str, int]:
        """Numbers of topics for the trace: none, since their number is fixed."""
        return {}

    def weights(self, params: Record) -> Array:
        """The expected share of each topic over all documents, alpha / sum of alpha (topics)."""
        alpha = self.prior(params)
        return alpha / alpha.sum()

    def prior(self, params: Record) -> Array:
        """alpha: the pseudo-counts of topics in each document (topics)."""
        return params["alpha"].values

    def rest(self, params: Record) -> float:
        """alpha of all topics without tokens together: 0, since a fixed number of topics has no others."""
        return 0.0

    def score(self, params: Record) -> float:
        """The bound's terms for parameters that all documents share, in nats: 0, since alpha has no prior."""
        return 0.0

    def update(
        self, params: Record, usage: Record, documents: float, rate: float, scale: float
    ) -> dict[str, Field]:
        """Move alpha by `rate` towards its maximum given the documents' statistics; unchanged if it is not
        learned or there are no documents. Returns {"alpha": …}.

        Mean-field documents report sums of E[log theta] (Zhai 2014, eq. 3.1); sampled ones the first and
        second derivatives of E[log p(z | alpha)] at the old alpha.
        """
        from stickbreaker.topics.model.priors.dirichlet_newton import fit_dirichlet, fit_symmetric_dirichlet
        from stickbreaker.topics.model.priors.polya import PolyaSums, polya_newton

        item = params["alpha"]
        if not self.learned or documents <= 0.0:
            return {"alpha": item}
        if "gains" in usage:
            sums = PolyaSums(
                usage["gains"].values,
                usage["bends"].values,
                float(usage["spread"].values),
                float(usage["spread_bend"].values),
            )
            best = polya_newton(item.values, sums, self.symmetric)
        elif self.symmetric:
            n_topics, mean = self.n_topics, usage["log_theta"].values / documents
            best = np.full(n_topics, fit_symmetric_dirichlet(item.values[0], n_topics, 1, mean.sum()))
        else:
            best = fit_dirichlet(item.values, usage["log_theta"].values / documents)
        return {"alpha": item._replace(values=(1.0 - rate) * item.values + rate * best)}
