"""The parameters of the hierarchical Dirichlet process, and the model that they describe."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from stickbreaker.contracts.contract import Move
from stickbreaker.core.errors import UserError
from stickbreaker.core.parameter_fields import with_parameter_section
from stickbreaker.core.records import Array
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.shards import SHARD
from stickbreaker.engines import Engine
from stickbreaker.estimators.setting_values import engine_name, params_of, schedule_of
from stickbreaker.learning.schedules import Online, Schedule
from stickbreaker.learning.variational import VariationalState
from stickbreaker.topics.model.model import TopicModel
from stickbreaker.topics.model.moves.exchange import exchanges_of
from stickbreaker.topics.model.moves.split_merge_settings import SplitMerge
from stickbreaker.topics.model.priors.franchise import FranchisePrior
from stickbreaker.topics.model.priors.hdp import HDPPrior
from stickbreaker.topics.model.slots import LocalSolver, TopicPrior, TopicVocabulary
from stickbreaker.topics.model.solvers.franchise import Franchise
from stickbreaker.topics.parameters import AUTO, HDPParameters
from stickbreaker.topics.search.search_points import points_from
from stickbreaker.topics.topic_estimator import TopicEstimator
from stickbreaker.topics.topic_settings import concentration, inference_of, vocabulary_choice

if TYPE_CHECKING:
    from stickbreaker.topics.search.search_points import SearchPoint
    from stickbreaker.topics.search.search_range import TopicRange
    from stickbreaker.topics.search.topic_search import TopicSearch

UNSEARCHED = 50  # topics at the start, if their number is not searched for
BIRTHS = "births"  # of moves
ETA_START = 0.05  # start of a learned eta, for any number of topics
REPRESENTATIONS = {"direct": "growing", "franchise": "franchise"}  # and their documents slots


@with_parameter_section
class PlainHDP(HDPParameters, TopicEstimator):  # pyright: ignore[reportIncompatibleVariableOverride]
    """Topics of a hierarchical Dirichlet process, which split and merge: their number is learned.

    Direct assignment (Bryant & Sudderth 2012): beta ~ GEM(gamma) are weights of topics without end,
    theta_d ~ DP(alpha beta). Read `n_topics_` for how many topics are in use.

    Attributes
    ----------
    search_ : the runs of a search in order, that of the model last: each with `topics` at the start,
        `used`, `bound`, `held_out`, `passes` and `final` (False: a short run). Empty without a search.
    n_topics_range_ : (fewest, most) topics of the runs whose score is within 0.005 nats per word of the best:
        of runs to the end, or of short runs if documents held out judge. None without a search, and if only
        the best run is: its own number does not make a range, and another seed may find another.
    n_topics_ : topics in use, those with at least one expected token and 1e-4 of all; the others are left out
        of every attribute and of `transform`.
    topic_ids_ : ids of the topics in use, which stay the same: a split's first part and a merge's larger
        target keep theirs; `trace_` records every change by these ids, with its gain in nats.
    topic_weights_ : (topics,) beta, the weights of topics in use; their sum is below one. After Gibbs
        sampling those of the last sample, while `components_` are means over the samples with the topic.
    alpha_ : (topics,) alpha beta, the prior of topics in documents.
    components_, topic_word_, eta_, topic_shares_, merges_, bound_, n_iter_, converged_, trace_ : as in `LDA`.

    >>> from stickbreaker import HDP
    >>> model = HDP(n_topics=5, max_iter=20, tol=0.0).fit(["a river bank", "bank money"])
    >>> model.n_topics_ <= 5
    True
    """

    kind: ClassVar[str] = "HDP"
    _documents_slot: ClassVar[str] = "growing"

    def _learned_eta_start(self, n_topics: int) -> float:
        return ETA_START

    def _eta(self, point: bool = False) -> float | str | Array:
        if self.eta is None and self.n_topics == AUTO and not self._has_concepts and not point:
            return "learned"
        return super()._eta(point)

    def _needs_distributions(self, schedule: str) -> str | None:
        if self._slot() == "franchise":
            return "representation='franchise'"
        if isinstance(self.moves, SplitMerge) or (schedule == "batch" and self.moves is not None):
            return f"moves={self.moves!r}"
        return super()._needs_distributions(schedule)

    def _n_topics_at_start(self) -> int:
        return self.n_topics if isinstance(self.n_topics, int) else UNSEARCHED

    @property
    def _searches(self) -> bool:
        """Whether `fit` will search for the number of topics.

        It does if `n_topics` is "auto" and the bounds of runs can be compared: mean-field inference without
        tables, a closed vocabulary without concepts, no online schedule, on this machine, the same eta for
        all topics. Otherwise "auto" means 50 topics at the start.
        """
        if self.n_topics != AUTO or isinstance(self._learning_schedule(), Online):
            return False
        mean_field = inference_of(self.inference).name == "mean-field" and self._slot() == "growing"
        return (
            mean_field
            and vocabulary_choice(self.words)[0] == "closed"
            and engine_name(self.engine) == "local"
            and np.ndim(self._eta()) < 2
        )

    def _search(self, n_documents: int, n_tokens: float) -> "TopicSearch | None":
        if not self._searches:
            return None
        from stickbreaker.topics.search.topic_search import TopicSearch

        passes = None if self.max_iter is None else int(self.max_iter)
        return TopicSearch(self.judge, n_documents, n_tokens, passes)

    def _of_search(self, settings: Mapping[str, Any]) -> "PlainHDP":
        return PlainHDP(**{**params_of(self), "eta": self._eta(), **settings, "judge": "bound"})

    def _finished_runs(self, held: object) -> "tuple[SearchPoint, ...]":
        return points_from(held)

    def _least_held_out(self) -> float:
        if not self._searches or self.judge != "held-out":
            return 0.0
        from stickbreaker.topics.search.topic_search import HELD_OUT

        return HELD_OUT

    def _search_range(self) -> "TopicRange | None":
        if not self.search_:
            return None
        from stickbreaker.topics.search.search_range import range_of

        return range_of(self.judge, self.search_)

    @property
    def n_topics_range_(self) -> tuple[int, int] | None:
        found = self._search_range()
        return None if found is None else found.range

    def _slot(self) -> str:
        return REPRESENTATIONS[self.representation]

    def _refuse(self, schedule: str) -> None:
        inference = inference_of(self.inference).name
        if self._slot() == "franchise" and inference != "mean-field":
            problem = f"representation='franchise' does not go with inference={inference!r}"
            raise UserError(problem, remedy="there inference is 'mean-field'")
        super()._refuse(schedule)

    def _least_memory(self, corpus: Corpus) -> tuple[int, str]:
        needed, parameters = super()._least_memory(corpus)
        if self._slot() != "franchise" or not isinstance(self.n_topics, int):
            return needed, parameters
        documents = min(corpus.n_documents, SHARD)
        tables = 4 * documents * min(int(self.tables), self.n_topics) * self.n_topics
        return needed + tables, f"{parameters}, tables={self.tables}"

    def _learning_schedule(self) -> Schedule:
        if self.schedule is not None:
            return super()._learning_schedule()
        if self._is_open:
            return schedule_of("online", **self._schedule_defaults)
        kept = self._slot() == "growing" and self._gibbs_settings() is None and not self._has_concepts
        return schedule_of("memoised" if kept else "batch", **self._schedule_defaults)

    def _births(self, schedule: str, documents: TopicPrior, words: TopicVocabulary) -> bool:
        if self.moves != BIRTHS:
            return False
        if schedule != "partial_fit":
            raise UserError(
                "moves='births' is for streams", remedy="call partial_fit, or leave out moves for fit"
            )
        against = {
            "representation='franchise'": not documents.direct,
            "a tree of concepts": self._has_concepts,
            "an eta of each topic": words.by_topic,
        }
        for name, is_chosen in against.items():
            if is_chosen:
                raise UserError(f"moves='births' does not go with {name}", remedy="set moves=None")
        return True

    def _moves(
        self, schedule: str, documents: TopicPrior, words: TopicVocabulary, sampled: bool
    ) -> tuple[Move, ...]:
        chosen = self.moves
        exchanges = exchanges_of(words, schedule)
        if exchanges and isinstance(chosen, str) and documents.direct:
            return exchanges
        if chosen == BIRTHS:
            return ()
        if not (chosen is None or chosen == "split-merge" or isinstance(chosen, SplitMerge)):
            remedy = 'moves is "split-merge", SplitMerge(...), "births" or None'
            raise UserError(f"moves={chosen!r}", remedy=remedy)
        if not words.dirichlet:
            if isinstance(chosen, SplitMerge):
                raise UserError(f"moves={chosen} needs a closed vocabulary", remedy="set moves=None")
            return ()
        growing = documents.direct and self._gibbs_settings() is None
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

    def _merges_by_documents(self, model: TopicModel) -> bool:
        online = isinstance(self._learning_schedule(), Online) and engine_name(self.engine) == "local"
        one_eta = model.words.dirichlet and not model.words.by_topic
        return online and one_eta and model.documents.direct and self.moves == "split-merge"

    def _documents(self, stream: bool) -> TopicPrior:
        if isinstance(self.alpha, str) and self.alpha.partition(":")[0] != "learned":
            raise UserError(f"alpha={self.alpha!r}", remedy='alpha is a number or "learned"')
        alpha, alpha_learned = concentration("alpha", self.alpha, {}, 1.0)
        gamma, gamma_learned = concentration("concentration", self.concentration, {}, 1.0)
        slot = FranchisePrior if self._slot() == "franchise" else HDPPrior
        return slot(self._n_topics_at_start(), float(alpha), float(gamma), alpha_learned, gamma_learned)

    def _mean_field(self, max_iter: int, *, keep_local: bool) -> LocalSolver:
        if self._slot() != "franchise":
            return super()._mean_field(max_iter, keep_local=keep_local)
        return Franchise(max_iter, float(self.doc_tol), keep_local, int(self.tables))

    def _take(self, model: TopicModel, engine: Engine, state: VariationalState) -> None:
        super()._take(model, engine, state)
        self.n_topics_ = len(self.topic_columns_)
        weights = model.documents.weights(state.params)
        self.topic_weights_: Array = weights[self.topic_columns_].copy()
