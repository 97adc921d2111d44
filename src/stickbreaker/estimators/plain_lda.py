"""The parameters of latent Dirichlet allocation, and the model that they describe."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Array
from stickbreaker.corpus import Vocabulary
from stickbreaker.corpus.building import AnyAnalysis
from stickbreaker.estimators.combinations import Combination, refuse_illegal
from stickbreaker.estimators.guiding import Guide
from stickbreaker.estimators.settings import concentration, guide_of, inference_of, positive, schedule_of
from stickbreaker.estimators.topics import FOLD_IN, TopicEstimator
from stickbreaker.learning.loop import Limits
from stickbreaker.learning.observers import TraceRecord
from stickbreaker.learning.schedules import Online
from stickbreaker.models.topics import ClosedVocabulary, FiniteTopics, Gibbs, Hybrid, MeanField, TopicModel

INIT = ("random", "documents")
SWEEPS, PASSES = 500, 100  # that a run takes by default, of Gibbs sampling and of all else


@dataclass(eq=False, repr=False)
class PlainLDA(TopicEstimator):
    """Latent Dirichlet allocation: documents as mixtures of topics, topics as distributions over words.

    Parameters
    ----------
    n_topics : topics to learn.
    inference : "mean-field" (Zhai 2014, section 2.3; Hoffman et al. 2010); "hybrid" or `Hybrid(burn_in=5,
        samples=5)`, sampled documents (section 4.2); "gibbs", exact collapsed sampling (section 4.1), or
        "gibbs-delayed", approximate (Chen et al. 2016), or `Gibbs(burn_in=None, every=10, chains=1,
        delayed=False)`. Sampling needs whole counts.
    schedule : "batch", "online", or `Online(batch_size=256, kappa=0.7, tau0=64, total=None, shuffle=True)`.
    alpha : prior of topics in documents. A number is fixed, an array (topics) is an asymmetric fixed prior,
        "learned" starts at 1 / n_topics and is learned, asymmetric (eq. 3.1-3.3), "learned-symmetric" keeps
        one number for all topics.
    eta : prior of words in topics. A number or an array (words) or (topics, words) is fixed, "learned" starts
        at 1 / n_topics and is learned, symmetric.
    words : "closed": the vocabulary is that of the corpus. In a polylingual one a topic is a distribution
        over the words of each language (section 3.3.2), and documents have a text for each.
    guide : words that the first topics should be about, as {"topic": ["word", "begin*"]} or `Guide(...)`, or
        None. It sets those topics' eta (section 3.3.1) and gives them names.
    init : "documents": each topic starts from a few documents, far from the other topics' (3.2.1, with seeds
        chosen as k-means++ does); or "random" noise, usually a worse end.
    n_init : starts to try; the best final score is kept.
    max_iter : passes over the corpus, batch and online alike (None: 100), or sweeps (None: 500).
    tol : a run ends when the mean of the last three relative changes of the score is below this (of hybrid
        runs: the mean change of five passes to the next five); 0: never. Gibbs sampling takes all its sweeps.
    doc_max_iter, doc_tol : inner rounds a document, and the mean change of gamma that ends them.
    keep_local : carry gamma from pass to pass (batch only) instead of starting afresh. The bound then never
        falls, and topics are usually worse.
    fold_in : how `transform` infers new documents: "mean-field", or "sampled", by draws keyed by content.
    engine : "local".
    n_jobs : threads; None or -1 is every core. The result is the same for any number.
    random_state : whole number; the same number gives the same bytes. None draws one (kept in `seed_`).
    callbacks : functions that get each record of the trace (a dict); one that returns True ends the run. Of
        Gibbs sampling only every `every`-th sweep has a "score".

    Attributes
    ----------
    components_ : (topics × words) parameters lambda of q(beta), expected counts plus eta.
    topic_word_ : (topics × words) E[beta]; rows sum to one, over the words of each language.
    alpha_ : (topics,); eta_ : number or array.
    topic_names_ : (topics,) the guide's name of each topic, None of free ones.
    topic_shares_ : (topics,) share of the tokens that each topic explains.
    bound_ : nats a token of the last pass: the exact bound in batch mean-field runs, an estimate in online
        and hybrid ones, log p(w, z) of the last sample in Gibbs sampling.
    n_iter_ : passes done; converged_ : whether they ended before max_iter; trace_ : list of records.

    >>> from stickbreaker import LDA
    >>> model = LDA(n_topics=2, random_state=0).fit(["a river bank", "bank money"])
    >>> model.transform(["river money"]).shape
    (1, 2)
    """

    kind: ClassVar[str] = "LDA"

    n_topics: int = 100
    _: KW_ONLY
    inference: str | Hybrid | Gibbs = "mean-field"
    schedule: str | Online = "batch"
    alpha: float | str | Array = "learned"
    eta: float | str | Array = 0.01
    words: str = "closed"
    guide: Mapping[str, Any] | Guide | None = None
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

    def _topic_model(
        self, vocabulary: Vocabulary | None = None, analysis: AnyAnalysis | None = None
    ) -> TopicModel:
        """The model that the parameters describe. Raises UserError naming the parameter that is wrong."""
        positive("n_topics", self.n_topics, whole=True)
        name, inference = inference_of(self.inference)
        schedule = "batch" if schedule_of(self.schedule).exact else "online"
        self._refuse(schedule)
        for parameter, choices in (("init", INIT), ("fold_in", tuple(FOLD_IN))):
            if getattr(self, parameter) not in choices:
                told = " or ".join(repr(choice) for choice in choices)
                raise UserError(f"{parameter}={getattr(self, parameter)!r}", remedy=f"{parameter} is {told}")
        for parameter in ("n_init", "doc_max_iter", *(() if self.max_iter is None else ("max_iter",))):
            positive(parameter, getattr(self, parameter), whole=True)
        for parameter in ("tol", "doc_tol"):
            positive(parameter, getattr(self, parameter), zero=True)
        sampling, sweeps = self._sampling(), self._limits().max_iter
        if sampling is not None and (sampling.burn_in or 0) >= sweeps:
            told = f"burn_in={sampling.burn_in} leaves no sample of {sweeps} sweeps"
            raise UserError(told, remedy="raise max_iter or lower burn_in")
        if self.n_jobs is not None and (not isinstance(self.n_jobs, Integral) or self.n_jobs == 0):
            raise UserError(f"n_jobs={self.n_jobs!r}", remedy="n_jobs is a whole number or None")
        if self.keep_local and (name, schedule) != ("mean-field", "batch"):
            raise UserError("keep_local needs batch mean-field inference", remedy="leave keep_local False")
        K = int(self.n_topics)
        alpha, alpha_learned = concentration("alpha", self.alpha, {"topics": (K,)}, 1.0 / K)
        alphas = tuple(np.broadcast_to(alpha, K).tolist())
        return TopicModel(
            FiniteTopics(alphas, alpha_learned, str(self.alpha) == "learned-symmetric"),
            self._words(vocabulary, analysis),
            inference if isinstance(inference, Hybrid) else self._mean_field(),
        )

    def _words(self, vocabulary: Vocabulary | None, analysis: AnyAnalysis | None) -> ClosedVocabulary:
        n_words, K = 1 if vocabulary is None else len(vocabulary), int(self.n_topics)
        shapes = {"words": (n_words,), "topics × words": (K, n_words)}
        eta, learned = concentration("eta", self.eta, shapes, 1.0 / K)
        guide = guide_of(self.guide)
        if guide is not None and (learned or np.ndim(eta) == 2):
            told = "learned" if learned else "an array (topics, words)"
            raise UserError(f"eta is {told}, and the guide sets it too", remedy="give eta as a number")
        if guide is not None and vocabulary is not None:
            eta = guide.prior(vocabulary, analysis, K, eta)
        elif isinstance(eta, np.ndarray) and eta.ndim == 2:
            eta = np.ascontiguousarray(eta.T)
        ranges = {} if vocabulary is None else vocabulary.ranges
        firsts = tuple(part.start for part in ranges.values()) or (0,)
        return ClosedVocabulary(n_words, eta, learned, firsts)

    def _names(self) -> tuple[str | None, ...]:
        guide = guide_of(self.guide)
        names = () if guide is None else guide.names
        return (*names, *[None] * (int(self.n_topics) - len(names)))

    def _refuse(self, schedule: str) -> None:
        inference = inference_of(self.inference)[0]
        refuse_illegal(Combination(("finite",), (self.words,), (inference,), (schedule,), (self.engine,)))

    def _refuse_stream(self) -> None:
        self._refuse("partial_fit")

    def _mean_field(self) -> MeanField:
        return MeanField(int(self.doc_max_iter), float(self.doc_tol), bool(self.keep_local))

    def _fold_in(self) -> MeanField | Hybrid:
        solver = FOLD_IN[self.fold_in]
        if isinstance(solver, MeanField):
            return MeanField(max(solver.max_iter, int(self.doc_max_iter)), float(self.doc_tol))
        return solver

    def _sampling(self) -> Gibbs | None:
        inference = inference_of(self.inference)[1]
        return inference if isinstance(inference, Gibbs) else None

    def _limits(self) -> Limits:
        sampled = self._sampling() is not None
        passes = (SWEEPS if sampled else PASSES) if self.max_iter is None else int(self.max_iter)
        return Limits(passes, 0.0 if sampled else float(self.tol))
