"""What the settings of the hierarchical Dirichlet process mean."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stickbreaker.contracts.contract import Move
from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Array
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.shards import SHARD
from stickbreaker.estimators.setting_values import engine_name, schedule_of
from stickbreaker.learning.schedules import Online, Schedule
from stickbreaker.topics.model.model import TopicModel
from stickbreaker.topics.model.moves.exchange import exchanges_of
from stickbreaker.topics.model.moves.split_merge_settings import SplitMerge
from stickbreaker.topics.model.priors.franchise import FranchisePrior
from stickbreaker.topics.model.priors.hdp import HDPPrior
from stickbreaker.topics.model.slots import LocalSolver, TopicPrior, TopicVocabulary
from stickbreaker.topics.model.solvers.franchise import Franchise
from stickbreaker.topics.plan.topic_plan import TopicPlan
from stickbreaker.topics.setting_choices import concentration, vocabulary_choice
from stickbreaker.topics.settings import AUTO, HDPSettings

if TYPE_CHECKING:
    from stickbreaker.topics.search.topic_search import TopicSearch

UNSEARCHED = 50  # topics at the start, if their number is not searched for
BIRTHS = "births"  # of moves
ETA_START = 0.05  # start of a learned eta, for any number of topics
SLOTS = {"direct": HDPPrior.name, "franchise": FranchisePrior.name}  # by representation


@dataclass(frozen=True, eq=False)
class HDPPlan(TopicPlan[HDPSettings]):
    """What the settings of the hierarchical Dirichlet process mean."""

    # Inference

    @property
    def schedule(self) -> Schedule:
        defaults = self.settings.schedule_defaults
        if self.settings.schedule is not None:
            return super().schedule
        if self.is_open:
            return schedule_of("online", **defaults)
        kept = self.slot == HDPPrior.name and self.sampling is None and not self.has_concepts
        return schedule_of("memoised" if kept else "batch", **defaults)

    def mean_field(self, max_iter: int, *, keep_local: bool) -> LocalSolver:
        if self.slot != FranchisePrior.name:
            return super().mean_field(max_iter, keep_local=keep_local)
        return Franchise(max_iter, float(self.settings.doc_tol), keep_local, int(self.settings.tables))

    # The number of topics

    @property
    def given_number(self) -> int:
        return self.settings.n_topics if isinstance(self.settings.n_topics, int) else UNSEARCHED

    @property
    def searches(self) -> bool:
        """Whether a fit searches for the number of topics.

        It does if `n_topics` is "auto" and the bounds of runs can be compared: mean-field inference without
        tables, a closed vocabulary without concepts, no online schedule, on this machine, the same eta for
        all topics. Otherwise "auto" means 50 topics at the start.
        """
        if self.settings.n_topics != AUTO or isinstance(self.schedule, Online):
            return False
        return (
            self.inference.name == "mean-field"
            and self.slot == HDPPrior.name
            and vocabulary_choice(self.settings.words)[0] == "closed"
            and engine_name(self.settings.engine) == "local"
            and np.ndim(self.eta()) < 2
        )

    def search(self, n_documents: int, n_tokens: float) -> "TopicSearch | None":
        if not self.searches:
            return None
        from stickbreaker.topics.search.topic_search import TopicSearch

        passes = None if self.settings.max_iter is None else int(self.settings.max_iter)
        return TopicSearch(self.settings.judge, n_documents, n_tokens, passes)

    @property
    def least_held_out(self) -> float:
        if not self.searches or self.settings.judge != "held-out":
            return 0.0
        from stickbreaker.topics.search.topic_search import HELD_OUT

        return HELD_OUT

    # The prior of documents

    @property
    def slot(self) -> str:
        return SLOTS[self.settings.representation]

    def documents(self) -> TopicPrior:
        settings = self.settings
        if isinstance(settings.alpha, str) and settings.alpha.partition(":")[0] != "learned":
            raise UserError(f"alpha={settings.alpha!r}", remedy='alpha is a number or "learned"')
        alpha, alpha_learned = concentration("alpha", settings.alpha, {}, 1.0)
        gamma, gamma_learned = concentration("concentration", settings.concentration, {}, 1.0)
        prior = FranchisePrior if self.slot == FranchisePrior.name else HDPPrior
        return prior(self.n_topics, float(alpha), float(gamma), alpha_learned, gamma_learned)

    # Words

    def eta(self, *, point: bool = False) -> float | str | Array:
        open_number = self.settings.eta is None and self.settings.n_topics == AUTO
        return "learned" if open_number and not self.has_concepts and not point else super().eta(point=point)

    def eta_start(self) -> float:
        return ETA_START

    @property
    def needs_distributions(self) -> str | None:
        if self.slot == FranchisePrior.name:
            return "representation='franchise'"
        moves = self.settings.moves
        if isinstance(moves, SplitMerge) or (self.schedule_name == "batch" and moves is not None):
            return f"moves={moves!r}"
        return super().needs_distributions

    # Moves

    def births(self, documents: TopicPrior, words: TopicVocabulary) -> bool:
        if self.settings.moves != BIRTHS:
            return False
        if not self.stream:
            raise UserError(
                "moves='births' is for streams", remedy="call partial_fit, or leave out moves for fit"
            )
        against = {
            "representation='franchise'": not documents.direct,
            "a tree of concepts": self.has_concepts,
            "an eta of each topic": words.by_topic,
        }
        for name, is_chosen in against.items():
            if is_chosen:
                raise UserError(f"moves='births' does not go with {name}", remedy="set moves=None")
        return True

    def moves(self, documents: TopicPrior, words: TopicVocabulary, *, sampled: bool) -> tuple[Move, ...]:
        chosen, schedule = self.settings.moves, self.schedule_name
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
        growing = documents.direct and self.sampling is None
        streamed = schedule in ("online", "partial_fit")
        if chosen is None or (isinstance(chosen, str) and (streamed or not growing)):
            return ()
        if isinstance(chosen, str):
            chosen = SplitMerge("exact")
        if self.stream and chosen.accept == "exact":
            return ()  # a stream continues from what `fit` began
        if not growing:
            raise UserError(
                f"moves={chosen}", remedy="leave moves None with Gibbs sampling and the franchise"
            )
        if (chosen.accept == "exact") == streamed:
            if self.settings.schedule is None and not streamed:
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

    def merges_by_documents(self, model: TopicModel) -> bool:
        online = isinstance(self.schedule, Online) and engine_name(self.settings.engine) == "local"
        one_eta = model.words.dirichlet and not model.words.by_topic
        return online and one_eta and model.documents.direct and self.settings.moves == "split-merge"

    # What is refused

    def refuse_combination(self) -> None:
        inference = self.inference.name
        if self.slot == FranchisePrior.name and inference != "mean-field":
            problem = f"representation='franchise' does not go with inference={inference!r}"
            raise UserError(problem, remedy="there inference is 'mean-field'")
        super().refuse_combination()

    def least_memory(self, corpus: Corpus) -> tuple[int, str]:
        needed, names = super().least_memory(corpus)
        n_topics = self.settings.n_topics
        if self.slot != FranchisePrior.name or not isinstance(n_topics, int):
            return needed, names
        documents = min(corpus.n_documents, SHARD)
        tables = 4 * documents * min(int(self.settings.tables), n_topics) * n_topics
        return needed + tables, f"{names}, tables={self.settings.tables}"
