"""What the settings of latent Dirichlet allocation mean."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from stickbreaker.contracts.contract import Move
from stickbreaker.core.errors import UserError
from stickbreaker.topics.formula_grammar import read_formula
from stickbreaker.topics.model.moves.exchange import exchanges_of
from stickbreaker.topics.model.priors.dirichlet import DirichletPrior
from stickbreaker.topics.model.priors.prevalence import PrevalencePrior
from stickbreaker.topics.model.slots import TopicPrior, TopicVocabulary
from stickbreaker.topics.plan.topic_plan import TopicPlan
from stickbreaker.topics.seed_words import Guide
from stickbreaker.topics.setting_choices import concentration, guide_of
from stickbreaker.topics.settings import LDASettings

CHAIN_ALPHA = 0.1  # start of a learned alpha in a chain: with less, tokens hardly change their topics
STREAM_ALPHA = 0.2  # if learned, alpha would favour the topics that came first


@dataclass(frozen=True, eq=False)
class LDAPlan(TopicPlan[LDASettings]):
    """What the settings of latent Dirichlet allocation mean."""

    fixed_number: ClassVar[bool] = True

    @property
    def guide(self) -> Guide | None:
        return guide_of(self.settings.guide)

    def settled(self, n_topics: int | None = None) -> LDASettings:
        return super().settled(n_topics).but(guide=self.guide)

    @property
    def alpha_of_streams(self) -> object:
        return STREAM_ALPHA if self.settings.alpha is None else self.settings.alpha

    @property
    def slot(self) -> str:
        return DirichletPrior.name if self.settings.prevalence is None else PrevalencePrior.name

    def documents(self) -> DirichletPrior | PrevalencePrior:
        K, given, prevalence = int(self.n_topics), self.settings.alpha, self.settings.prevalence
        if given is None:
            given = STREAM_ALPHA if self.stream and prevalence is None else "learned"
        start = 1.0 / K if self.sampling is None else max(1.0 / K, CHAIN_ALPHA)
        alpha, learned = concentration("alpha", given, {"topics": (K,)}, start)
        alphas = tuple(np.broadcast_to(alpha, K).tolist())
        if prevalence is not None:
            if not learned or str(given).startswith("learned-symmetric"):
                remedy = 'leave out alpha, or give where it starts, as in "learned:0.5"'
                raise UserError(f"prevalence learns alpha, and alpha={given!r}", remedy=remedy)
            read_formula(prevalence, prior=True)
            return PrevalencePrior(alphas, prevalence)
        return DirichletPrior(alphas, learned, str(given).startswith("learned-symmetric"))

    def moves(self, documents: TopicPrior, words: TopicVocabulary, *, sampled: bool) -> tuple[Move, ...]:
        none = self.settings.moves is None or documents.by_document
        return () if none else exchanges_of(words, self.schedule_name)
