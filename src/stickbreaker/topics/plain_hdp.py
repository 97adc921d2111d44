"""The parameters of the hierarchical Dirichlet process, and the model that they describe."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from stickbreaker.contracts.contract import Move
from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Array
from stickbreaker.engines import Engine
from stickbreaker.estimators.settings import engine_name, params_of, positive, schedule_of
from stickbreaker.learning.observers import TraceRecord
from stickbreaker.learning.schedules import Online, Schedule
from stickbreaker.learning.variational import VariationalState
from stickbreaker.topics.model.model import TopicModel
from stickbreaker.topics.model.moves.split_merge_settings import SplitMerge
from stickbreaker.topics.model.priors.franchise import FranchisePrior
from stickbreaker.topics.model.priors.hdp import HDPPrior
from stickbreaker.topics.model.samplers.gibbs_settings import Gibbs
from stickbreaker.topics.model.slots import LocalSolver, TopicPrior, TopicVocabulary
from stickbreaker.topics.model.solvers.franchise import Franchise
from stickbreaker.topics.model.solvers.hybrid import Hybrid
from stickbreaker.topics.model.vocabularies.concept_tree import ConceptTree
from stickbreaker.topics.model.vocabularies.open_settings import OpenVocabulary
from stickbreaker.topics.search.search_points import points_from
from stickbreaker.topics.topic_estimator import TopicEstimator
from stickbreaker.topics.topic_settings import concentration, inference_of, vocabulary_choice

if TYPE_CHECKING:
    from stickbreaker.engines.spark import SparkEngine
    from stickbreaker.topics.search.search_points import SearchPoint
    from stickbreaker.topics.search.search_range import TopicRange
    from stickbreaker.topics.search.topic_search import TopicSearch

AUTO, UNSEARCHED = "auto", 50  # n_topics: search for it; its value without a search
BIRTHS = "births"  # of moves
JUDGES = ("bound", "held-out")
ETA_START = 0.05  # start of a learned eta, for any number of topics
REPRESENTATIONS = {"direct": "growing", "franchise": "franchise"}  # and their documents slots


@dataclass(eq=False, repr=False)
class PlainHDP(TopicEstimator):
    """Topics of a hierarchical Dirichlet process, which split and merge: their number is learned.

    Direct assignment (Bryant & Sudderth 2012): beta ~ GEM(gamma) are weights of topics without end,
    theta_d ~ DP(alpha beta). Read `n_topics_` for how many topics are in use.

    Parameters
    ----------
    n_topics : "auto" searches for the number of topics, by the bound or what `judge` says: short runs from
        160 topics (one for four documents at most), from half as many, and so on, show where two runs to the
        end begin; the better one is the model (docs/models/hdp.md). If it has ten topics or fewer, further
        runs hold out a tenth of the documents; if these are predicted clearly better with more topics, the
        last run has that number, and all documents. A number: one run, which starts there. If a search makes
        no sense "auto" is 50: online, in `partial_fit` and on Spark, with sampled documents, the franchise,
        an open vocabulary, and concepts.
    judge : of the search: "bound", or "held-out": a tenth of the documents, which is not learned from, judges
        short runs over 1, 2, 5, 10, 20, ... topics; a run without moves starts from the peak of their scores.
    inference : "mean-field", or "hybrid" (or `Hybrid(burn_in=5, samples=5)`), sampled documents, or "gibbs"
        (or `Gibbs(burn_in=None, every=10, chains=1)`), exact sampling of every token's topic and of the
        weights, in batch; topics come and go (Teh et al. 2006, section 5.3).
    schedule : "memoised" (or `Memoised(batch_size=None)`), exact updates after each minibatch; "batch"
        (bHDP), "online" (oHDP) or `Online(...)`, kappa 0.7 and tau0 64 by default. None: memoised, or batch
        with Gibbs sampling, the franchise and concepts.
    moves : "split-merge" is what suits the schedule: `SplitMerge(accept="exact")` where it sees all
        documents, and none online and in `partial_fit`, where a minibatch says too little of a merge;
        `SplitMerge(accept="halves")` tries them there, "paper" judges as Bryant & Sudderth do; None: none.
        "births": in a stream (`partial_fit`) topics open for documents that are badly explained, and close
        when the last ones are predicted as well without them; mean-field documents and known words.
    alpha : concentration of documents around the weights: a number is fixed, "learned" starts at 1; Gibbs
        sampling draws it, and `concentration`, under Gamma(1, 1) priors.
    concentration : gamma, that of the weights: a number is fixed, "learned" starts at 1 ("learned:5" at 5).
    representation : "direct", or "franchise": tables in documents, each with a topic (Wang, Paisley & Blei
        2011), batch or online mean-field.
    tables : of the franchise, tables a document at most.
    eta : prior of words in topics. A number or an array (words) is fixed, "learned" starts at 0.05. None:
        0.05 with point topics; learned with n_topics "auto" if words have no concepts; else 0.01.
    words, point_topics, init, n_init, max_iter, tol, doc_max_iter, doc_tol, keep_local, fold_in, engine,
        n_jobs, random_state, verbose, callbacks : as in `LDA`.

    Attributes
    ----------
    search_ : the runs of a search in their order, but the model's as the last: each with `topics` to start
        with, `used`, `bound`, `held_out`, `passes` and `final` (False: a short run). Empty without a search.
    n_topics_range_ : (fewest, most) topics whose score is within 0.005 nats per word of the best: of runs to
        the end, or of short runs if documents held out judge. None without a search.
    n_topics_ : topics in use, those with an expected token at least and 1e-4 of all; the others are left out
        of every attribute and of `transform`.
    topic_ids_ : lasting numbers of the topics in use: a split's first part and a merge's larger target keep
        theirs; `trace_` tells of every change by them, with its gain in nats.
    topic_weights_ : (topics,) beta, the weights of topics in use; their sum is below one. Of Gibbs sampling
        the last sample's, while `components_` are means over the samples that had the topic.
    alpha_ : (topics,) alpha beta, the prior of topics in documents.
    components_, topic_word_, eta_, topic_shares_, bound_, n_iter_, converged_, trace_ : as in `LDA`.

    >>> from stickbreaker import HDP
    >>> model = HDP(n_topics=5, max_iter=20, tol=0.0).fit(["a river bank", "bank money"])
    >>> model.n_topics_ <= 5
    True
    """

    kind: ClassVar[str] = "HDP"
    documents: ClassVar[str] = "growing"
    online: ClassVar[tuple[float, float]] = (0.7, 64.0)  # kappa and tau0: the first step keeps the seeds
    streamed: ClassVar[tuple[float, float]] = online

    n_topics: int | str = "auto"  # pyright: ignore[reportIncompatibleVariableOverride]
    _: KW_ONLY
    judge: str = "bound"
    inference: str | Hybrid | Gibbs = "mean-field"
    schedule: str | Schedule | None = None
    moves: str | SplitMerge | None = "split-merge"
    alpha: float | str = "learned"
    concentration: float | str = "learned"
    representation: str = "direct"
    tables: int = 15
    eta: float | str | Array | None = None  # pyright: ignore[reportIncompatibleVariableOverride]
    words: str | OpenVocabulary | ConceptTree = "closed"
    point_topics: bool | None = None
    init: str = "documents"
    n_init: int = 1
    max_iter: int | None = None
    tol: float = 1e-4
    doc_max_iter: int = 20
    doc_tol: float = 1e-3
    keep_local: bool = False
    fold_in: str = "mean-field"
    engine: "str | SparkEngine" = "local"
    n_jobs: int | None = None
    random_state: Any = None
    verbose: bool | int = False
    callbacks: Sequence[Callable[[TraceRecord], object]] | None = None

    def _learned_eta_start(self, n_topics: int) -> float:
        return ETA_START

    def _eta(self, point: bool = False) -> float | str | Array:
        if self.eta is None and self.n_topics == AUTO and not self.has_concepts and not point:
            return "learned"
        return super()._eta(point)

    def _needs_distributions(self, schedule: str) -> str | None:
        if self._slot() == "franchise":
            return "representation='franchise'"
        if isinstance(self.moves, SplitMerge) or (schedule == "batch" and self.moves is not None):
            return f"moves={self.moves!r}"
        return super()._needs_distributions(schedule)

    def n_topics_at_start(self) -> int:
        if isinstance(self.n_topics, str) and self.n_topics != AUTO:
            raise UserError(f"n_topics={self.n_topics!r}", remedy='n_topics is a number or "auto"')
        return UNSEARCHED if isinstance(self.n_topics, str) else self.n_topics

    @property
    def searches(self) -> bool:
        """Whether `fit` searches for the number of topics, which needs comparable bounds of finished runs."""
        if self.n_topics != AUTO or isinstance(self.learning_schedule(), Online):
            return False
        mean_field = inference_of(self.inference).name == "mean-field" and self._slot() == "growing"
        return (
            mean_field
            and vocabulary_choice(self.words)[0] == "closed"
            and engine_name(self.engine) == "local"
            and np.ndim(self._eta()) < 2
        )

    def search(self, n_documents: int, n_tokens: float) -> "TopicSearch | None":
        if not self.searches:
            return None
        from stickbreaker.topics.search.topic_search import TopicSearch

        passes = None if self.max_iter is None else int(self.max_iter)
        return TopicSearch(self.judge, n_documents, n_tokens, passes)

    def of_search(self, settings: Mapping[str, Any]) -> "PlainHDP":
        return PlainHDP(**{**params_of(self), "eta": self._eta(), **settings})

    def finished_runs(self, held: Any) -> "tuple[SearchPoint, ...]":
        return points_from(held)

    def least_held_out(self) -> float:
        if not self.searches or self.judge != "held-out":
            return 0.0
        from stickbreaker.topics.search.topic_search import HELD_OUT

        return HELD_OUT

    def search_range(self) -> "TopicRange | None":
        if not self.search_:
            return None
        from stickbreaker.topics.search.search_range import range_of

        return range_of(self.judge, self.search_)

    @property
    def n_topics_range_(self) -> tuple[int, int] | None:
        found = self.search_range()
        return None if found is None else (found.fewest, found.most)

    def _slot(self) -> str:
        if self.representation not in REPRESENTATIONS:
            alternatives = " or ".join(map(repr, REPRESENTATIONS))
            raise UserError(
                f"representation={self.representation!r}", remedy=f"representation is {alternatives}"
            )
        return REPRESENTATIONS[self.representation]

    def _refuse(self, schedule: str) -> None:
        inference = inference_of(self.inference).name
        if self._slot() == "franchise" and inference != "mean-field":
            problem = f"representation='franchise' does not go with inference={inference!r}"
            raise UserError(problem, remedy="there inference is 'mean-field'")
        super()._refuse(schedule)

    def learning_schedule(self) -> Schedule:
        if self.schedule is not None:
            return super().learning_schedule()
        if self.is_open:
            return schedule_of("online", *self.online)
        kept = self._slot() == "growing" and self.gibbs_settings() is None and not self.has_concepts
        return schedule_of("memoised" if kept else "batch", *self.online)

    def _births(self, schedule: str, documents: TopicPrior, words: TopicVocabulary, sampled: bool) -> bool:
        if self.moves != BIRTHS:
            return False
        if schedule != "partial_fit":
            raise UserError(
                "moves='births' is for streams", remedy="call partial_fit, or leave out moves for fit"
            )
        if not (documents.direct and words.dirichlet) or words.by_topic or sampled:
            raise UserError(
                "moves='births' needs mean-field documents and a known vocabulary with one eta",
                remedy="set moves=None",
            )
        return True

    def _moves(
        self,
        schedule: str,
        documents: TopicPrior,
        words: TopicVocabulary,
        sampled: bool,
    ) -> tuple[Move, ...]:
        chosen = self.moves
        if chosen == BIRTHS:
            return ()
        if not (chosen is None or chosen == "split-merge" or isinstance(chosen, SplitMerge)):
            remedy = 'moves is "split-merge", SplitMerge(...), "births" or None'
            raise UserError(f"moves={chosen!r}", remedy=remedy)
        if not words.dirichlet:
            if isinstance(chosen, SplitMerge):
                raise UserError(f"moves={chosen} needs a closed vocabulary", remedy="set moves=None")
            return ()
        growing = documents.direct and self.gibbs_settings() is None
        streamed = schedule in ("online", "partial_fit")
        if chosen is None or (isinstance(chosen, str) and (streamed or not growing)):
            return ()
        if isinstance(chosen, str):
            chosen = SplitMerge("exact")
        if schedule == "partial_fit" and chosen.accept == "exact":
            return ()  # a stream continues from what `fit` began
        if not growing:
            raise UserError(
                f"moves={chosen}", remedy="leave moves None with Gibbs sampling and the franchise"
            )
        if (chosen.accept == "exact") == streamed:
            if self.schedule is None and not streamed:
                problem = f"SplitMerge(accept={chosen.accept!r}) needs an online schedule"
                raise UserError(problem, remedy="set schedule='online', or accept='exact'")
            fitting = "'halves' or 'paper'" if streamed else "'exact'"
            problem = f"SplitMerge(accept={chosen.accept!r}) does not go with schedule={schedule!r}"
            raise UserError(problem, remedy=f"there accept is {fitting}")
        if words.by_topic:
            raise UserError(
                "eta differs between topics, but moves change the topics", remedy="set moves=None"
            )
        from stickbreaker.topics.model.moves.acceptance import move_of

        return (move_of(chosen, documents, words, sampled),)

    def _documents(self, stream: bool) -> TopicPrior:
        if isinstance(self.alpha, str) and self.alpha.partition(":")[0] != "learned":
            raise UserError(f"alpha={self.alpha!r}", remedy='alpha is a number or "learned"')
        if self.judge not in JUDGES:
            raise UserError(f"judge={self.judge!r}", remedy="judge is " + " or ".join(map(repr, JUDGES)))
        alpha, alpha_learned = concentration("alpha", self.alpha, {}, 1.0)
        gamma, gamma_learned = concentration("concentration", self.concentration, {}, 1.0)
        positive("tables", self.tables, whole=True)
        slot = FranchisePrior if self._slot() == "franchise" else HDPPrior
        return slot(self.n_topics_at_start(), float(alpha), float(gamma), alpha_learned, gamma_learned)

    def _mean_field(self, max_iter: int, *, keep_local: bool) -> LocalSolver:
        if self._slot() != "franchise":
            return super()._mean_field(max_iter, keep_local=keep_local)
        return Franchise(max_iter, float(self.doc_tol), keep_local, int(self.tables))

    def take(self, model: TopicModel, engine: Engine, state: VariationalState) -> None:
        super().take(model, engine, state)
        self.n_topics_ = len(self.topic_columns_)
        weights = model.documents.weights(state.params)
        self.topic_weights_: Array = weights[self.topic_columns_].copy()
