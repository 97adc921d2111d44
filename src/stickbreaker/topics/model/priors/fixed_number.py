"""What priors of documents with a fixed number of topics have in common."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array, Record
from stickbreaker.topics.model.slots import TopicPrior


class FixedNumberPrior(TopicPrior):
    """Base of the priors with a fixed number of topics, whose shares are Dirichlet draws by alpha.

    `alpha`: one number per topic, at the start.
    """

    __slots__ = ()

    grows: ClassVar[bool] = False
    direct: ClassVar[bool] = True

    alpha: tuple[float, ...]

    @property
    def n_topics(self) -> int:  # type: ignore[override]
        return len(self.alpha)

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
        """alpha: the pseudo-counts of topics in each document (topics); if it differs between documents, its
        mean.
        """
        return params["alpha"].values

    def rest(self, params: Record) -> float:
        """alpha of all topics without tokens together: 0, since a fixed number of topics has no others."""
        return 0.0

    def score(self, params: Record) -> float:
        """The bound's terms for parameters that all documents share, in nats: 0, since the bound is given
        alpha, or the coefficients that it follows from.
        """
        return 0.0
