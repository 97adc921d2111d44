"""The documents slot: how a document's topic shares come about."""

from dataclasses import dataclass

import numpy as np

from stickbreaker.core.records import Array, Field, Record
from stickbreaker.models.topics.dirichlet import fit_dirichlet


@dataclass(frozen=True, slots=True)
class FiniteTopics:
    """theta_d ~ Dirichlet(alpha) over a fixed number of topics.

    `alpha`: one number a topic; `learned` lets a run move it from there.
    """

    alpha: tuple[float, ...]
    learned: bool = False

    @property
    def n_topics(self) -> int:
        return len(self.alpha)

    def start(self) -> dict[str, Field]:
        return {"alpha": Field(np.array(self.alpha), ("topics",), additive=False, fresh=self.alpha[0])}

    def prior(self, small: Record) -> Array:
        """alpha (topics)."""
        return small["alpha"].values

    def update(self, small: Record, usage: Record, documents: float, rate: float) -> dict[str, Field]:
        """alpha moved by `rate` towards its maximum given sums of E[log theta] (Zhai 2014, eq. 3.1)."""
        item = small["alpha"]
        if not self.learned or documents <= 0.0:
            return {"alpha": item}
        best = fit_dirichlet(item.values, usage["log_theta"].values / documents)
        return {"alpha": item._replace(values=(1.0 - rate) * item.values + rate * best)}
