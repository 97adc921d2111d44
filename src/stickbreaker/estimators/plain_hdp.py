"""The parameters of the hierarchical Dirichlet process, and the model that they describe."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Array
from stickbreaker.engines import LocalEngine
from stickbreaker.estimators.plain_topics import PlainTopics
from stickbreaker.estimators.settings import concentration
from stickbreaker.learning.loop import RunState
from stickbreaker.learning.observers import TraceRecord
from stickbreaker.learning.schedules import Online
from stickbreaker.models.topics import Gibbs, GrowingTopics, Hybrid, TopicModel


@dataclass(eq=False, repr=False)
class PlainHDP(PlainTopics):
    """Topics of a hierarchical Dirichlet process: their weights are learned, and unneeded ones fall empty.

    Direct assignment (Bryant & Sudderth 2012, section 2): beta ~ GEM(gamma) are weights of topics without
    end, theta_d ~ DP(alpha beta). The number of topics does not grow beyond `n_topics` yet: give more than
    are needed, and read `n_topics_`.

    Parameters
    ----------
    n_topics : topics to start with, which bound those in use.
    inference : "mean-field", or "hybrid" (or `Hybrid(burn_in=5, samples=5)`), sampled documents.
    schedule : "batch" (bHDP), "online" (oHDP), or `Online(...)`; kappa 0.5 and tau0 1 by default.
    alpha : concentration of documents around the weights: a number is fixed, "learned" starts at 1.
    concentration : gamma, that of the weights: a number is fixed, "learned" starts at 1.
    eta : prior of words in topics. A number or an array (words) is fixed, "learned" starts at 1 / n_topics.
    words, init, n_init, max_iter, tol, doc_max_iter, doc_tol, keep_local, fold_in, engine, n_jobs,
        random_state, callbacks : as in `LDA`.

    Attributes
    ----------
    n_topics_ : topics in use, those with an expected token at least and 1e-4 of all; others are not told, and
        every attribute, and `transform`, has these alone.
    topic_weights_ : (topics,) beta, the weights of topics in use; their sum is below one.
    alpha_ : (topics,) alpha beta, the prior of topics in documents.
    components_, topic_word_, eta_, topic_shares_, bound_, n_iter_, converged_, trace_ : as in `LDA`.

    >>> from stickbreaker import HDP
    >>> model = HDP(n_topics=5, max_iter=20, tol=0.0).fit(["a river bank", "bank money"])
    >>> model.n_topics_ <= 5
    True
    """

    kind: ClassVar[str] = "HDP"
    documents: ClassVar[str] = "growing"
    online: ClassVar[tuple[float, float]] = (0.5, 1.0)  # kappa and tau0 (Bryant & Sudderth 2012, section 4)

    n_topics: int = 50
    _: KW_ONLY
    inference: str | Hybrid | Gibbs = "mean-field"
    schedule: str | Online = "batch"
    alpha: float | str = "learned"
    concentration: float | str = "learned"
    eta: float | str | Array = 0.01
    words: str = "closed"
    init: str = "documents"
    n_init: int = 1
    max_iter: int | None = None
    tol: float = 1e-4
    doc_max_iter: int = 20
    doc_tol: float = 1e-3
    keep_local: bool = False
    fold_in: str = "mean-field"
    engine: str = "local"
    n_jobs: int | None = None
    random_state: Any = None
    callbacks: Sequence[Callable[[TraceRecord], object]] | None = None

    def _documents(self) -> GrowingTopics:
        if isinstance(self.alpha, str) and self.alpha != "learned":
            raise UserError(f"alpha={self.alpha!r}", remedy='alpha is a number or "learned"')
        alpha, alpha_learned = concentration("alpha", self.alpha, {}, 1.0)
        gamma, gamma_learned = concentration("concentration", self.concentration, {}, 1.0)
        return GrowingTopics(int(self.n_topics), float(alpha), float(gamma), alpha_learned, gamma_learned)

    def _take(self, model: TopicModel, engine: LocalEngine, state: RunState) -> None:
        super()._take(model, engine, state)
        self.n_topics_ = len(self._told)
        self.topic_weights_: Array = state.small["weights"].values[self._told].copy()
